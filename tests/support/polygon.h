/* tests/support/polygon.h - a polygon drawn the plain way: every point of its boundary at five
 * times the resolution kept, then looked at in doubles, then a pixel's value the parity of the
 * crossings before it, as https://github.com/cocodataset/cocoapi, common/maskApi.c, has it. */
#ifndef TESTS_SUPPORT_POLYGON_H
#define TESTS_SUPPORT_POLYGON_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct plain_point {
	int u, v;
};

/* Points of the edge between two corners; `points` may be NULL.  Returns how many. */
static size_t plain_edge(struct plain_point *points, int xs, int ys, int xe, int ye)
{
	int dx = abs(xe - xs), dy = abs(ye - ys), most = dx >= dy ? dx : dy;
	int flip = (dx >= dy && xs > xe) || (dx < dy && ys > ye), x0 = flip ? xe : xs,
	    y0 = flip ? ye : ys;
	double slope = dx >= dy ? (double)(flip ? ys - ye : ye - ys) / dx
				: (double)(flip ? xs - xe : xe - xs) / dy;

	for (int d = 0; points && most && d <= most; d++) {
		int t = flip ? most - d : d;

		points[d].u = dx >= dy ? t + x0 : (int)(x0 + slope * t + .5);
		points[d].v = dx >= dy ? (int)(y0 + slope * t + .5) : t + y0;
	}
	return most ? (size_t)most + 1 : 0;
}

/* Adds the polygon of `n` corners to the mask of w * h bytes. */
static inline void plain_polygon(uint8_t *mask, uint32_t w, uint32_t h, const double *xy, size_t n)
{
	size_t k = 0, all = 0, place = 0;
	uint8_t *toggles = calloc((size_t)w * h + 1, 1), value = 0;
	struct plain_point *points;

	for (int pass = 0; pass < 2; pass++) {
		points = pass ? malloc((all + 1) * sizeof(*points)) : NULL;
		for (size_t i = 0; i < n; i++) {
			const double *p = xy + 2 * i, *q = xy + 2 * ((i + 1) % n);

			k = plain_edge(points ? points + place : NULL, (int)(5 * p[0] + .5),
				(int)(5 * p[1] + .5), (int)(5 * q[0] + .5), (int)(5 * q[1] + .5));
			all += pass ? 0 : k;
			place += pass ? k : 0;
		}
	}
	for (size_t j = 1; j < all; j++) {
		const struct plain_point *a = &points[j - 1], *b = &points[j];
		double x = ((b->u < a->u ? b->u : b->u - 1) + .5) / 5 - .5;
		double y = ((b->v < a->v ? b->v : a->v) + .5) / 5 - .5;

		if (b->u == a->u || floor(x) != x || x < 0 || x > w - 1.)
			continue;
		y = y < 0 ? 0 : y > h ? h : ceil(y);
		toggles[(size_t)x * h + (size_t)y] ^= 1;
	}
	for (size_t at = 0; at < (size_t)w * h; at++) {
		value ^= toggles[at];
		mask[at % h * w + at / h] |= value;
	}
	free(points);
	free(toggles);
}

#endif
