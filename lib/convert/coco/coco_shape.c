/* convert/coco/coco_shape.c - draws polygons and runs as pycocotools does.
 *
 * The boundary of a polygon is traced at five times the resolution; each step from one column of
 * pixels to the next is a crossing, and the shape is between crossings in a column.  pycocotools
 * keeps every point of the boundary.  This code compares each point only with the previous one,
 * so that memory is one number per crossing.  The doubles of pycocotools are integers in effect:
 * (m + .5) / 5 - .5 is an integer exactly if m is 2 modulo 5, namely (m - 2) / 5, and no other
 * value rounds to one. */
#include "convert/coco/coco_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "convert/json_tape.h"

enum {
	SCALE = 5,
	FARTHEST = 1 << 26, /* pixels; a difference times SCALE is an int */
	DEEPEST = 8,	    /* of brackets */
};

/* --- runs --- */

/* Sets the pixels from `from` to before `to`, counted down the columns. */
static void fill(struct tfr_canvas *c, uint32_t from, uint32_t to)
{
	uint32_t x = from / c->height, y = from % c->height;

	while (from < to) {
		uint32_t n = c->height - y < to - from ? c->height - y : to - from;
		uint8_t *p = c->pixels + (size_t)y * c->width + x;

		for (uint32_t i = 0; i < n; i++, p += c->width)
			*p = 1;
		from += n;
		x++;
		y = 0;
	}
}

static uint32_t pixels(const struct tfr_canvas *c)
{
	return c->width * c->height;
}

static enum tfr_status wrong_sum(struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "runs whose sum is not the number of pixels");
}

/* Draws run `i` from *at on. */
static enum tfr_status draw_run(
	struct tfr_canvas *c, size_t i, int64_t run, uint32_t *at, struct tfr_error *err)
{
	if (run < 0 || run > (int64_t)(pixels(c) - *at))
		return wrong_sum(err);
	if (i % 2)
		fill(c, *at, *at + (uint32_t)run);
	*at += (uint32_t)run;
	return TFR_OK;
}

/* Reads one number of the text; false: there is none. */
static bool text_number(const char *text, size_t size, size_t *at, int64_t *value)
{
	unsigned shift = 0;
	uint64_t x = 0;
	unsigned c;

	do {
		if (*at == size || shift > 30)
			return false;
		c = (unsigned)(unsigned char)text[(*at)++] - 48;
		if (c > 63)
			return false;
		x |= (uint64_t)(c & 0x1f) << shift;
		shift += 5;
	} while (c & 0x20);
	if (c & 0x10)
		x |= ~(uint64_t)0 << shift;
	*value = (int64_t)x;
	return true;
}

enum tfr_status tfr_draw_text(
	struct tfr_canvas *c, const char *text, size_t size, struct tfr_error *err)
{
	int64_t last[2] = { 0 }, run;
	uint32_t at = 0;
	size_t i = 0;

	for (size_t p = 0; p < size; i++) {
		if (!text_number(text, size, &p, &run))
			return tfr_fail(err, TFR_EDATA, "a text that is not compressed runs");
		if (i > 2)
			run += last[i % 2];
		TFR_TRY(draw_run(c, i, run, &at, err));
		last[i % 2] = run;
	}
	return at == pixels(c) ? TFR_OK : wrong_sum(err);
}

/* --- polygons --- */

struct walk {
	struct tfr_canvas *c;
	uint32_t *crossings; /* places, counted down the columns */
	size_t n;
	bool begun;
	int u, v; /* the previous point */
};

static void visit(struct walk *w, int u, int v)
{
	if (w->begun && u != w->u) {
		int m = u < w->u ? u : u - 1, low = v < w->v ? v : w->v;

		/* ((m + .5) / 5 - .5), and for `low` the same, rounded up */
		if (m >= 2 && m % SCALE == 2 && (unsigned)(m - 2) / SCALE < w->c->width) {
			uint32_t x = (uint32_t)(m - 2) / SCALE;
			uint32_t y = low <= 2 ? 0 : (uint32_t)(low - 2 + SCALE - 1) / SCALE;

			if (y > w->c->height)
				y = w->c->height;
			w->crossings[w->n++] = x * w->c->height + y;
		}
	}
	w->begun = true;
	w->u = u;
	w->v = v;
}

/* Traces the points of an edge, always in the same direction, so that an edge shared by two
 * polygons has the same points. */
static void walk_edge(struct walk *w, int xs, int ys, int xe, int ye)
{
	int dx = abs(xe - xs), dy = abs(ys - ye);
	bool flip = (dx >= dy && xs > xe) || (dx < dy && ys > ye);
	double s;

	if (!dx && !dy)
		return; /* a point that adjacent edges have too */
	if (flip) {
		int x = xs, y = ys;

		xs = xe, ys = ye;
		xe = x, ye = y;
	}
	s = dx >= dy ? (double)(ye - ys) / dx : (double)(xe - xs) / dy;
	for (int d = 0; d <= (dx >= dy ? dx : dy); d++) {
		int t = flip ? (dx >= dy ? dx : dy) - d : d;

		if (dx >= dy)
			visit(w, t + xs, (int)(ys + s * t + .5));
		else
			visit(w, (int)(xs + s * t + .5), t + ys);
	}
}

/* A coordinate at five times the resolution, rounded towards 0 like a cast. */
static int enlarged(double v)
{
	return (int)(SCALE * v + .5);
}

/* The number of columns that can be crossed; 0: more than a shape in this image can cross. */
static size_t most_crossings(const struct tfr_canvas *c, const double *xy, size_t n)
{
	uint64_t steps = 0, columns = 0, most = ((uint64_t)1 << 22) + 16 * (uint64_t)pixels(c);

	for (size_t i = 0; i < n; i++) {
		const double *p = xy + 2 * i, *q = xy + 2 * ((i + 1) % n);
		uint64_t dx = (uint64_t)abs(enlarged(p[0]) - enlarged(q[0]));
		uint64_t dy = (uint64_t)abs(enlarged(p[1]) - enlarged(q[1]));

		steps += (dx > dy ? dx : dy) + 1;
		columns += dx / SCALE + 2; /* one more at the end of each edge */
		if (steps > most)
			return 0;
	}
	return columns;
}

enum tfr_status tfr_draw_polygon(
	struct tfr_canvas *c, const double *xy, size_t n, struct tfr_error *err)
{
	struct walk w = { .c = c };
	size_t most;

	if (n < 3)
		return tfr_fail(err, TFR_EDATA, "a polygon of %zu points", n);
	for (size_t i = 0; i < 2 * n; i++)
		if (!(fabs(xy[i]) <= FARTHEST))
			return tfr_fail(err, TFR_EDATA,
				"a polygon with %g, which cannot be in an image", xy[i]);
	most = most_crossings(c, xy, n);
	if (!most)
		return tfr_fail(err, TFR_EDATA,
			"a polygon with a boundary too long for an image of %u x %u", c->width,
			c->height);
	c->scratch.size = 0;
	TFR_NEED_MEMORY(
		tfr_buf_reserve(&c->scratch, most * sizeof(*w.crossings)), err, "drawing masks");
	w.crossings = (uint32_t *)(void *)c->scratch.data;
	for (size_t i = 0; i < n; i++) {
		const double *p = xy + 2 * i, *q = xy + 2 * ((i + 1) % n);

		walk_edge(&w, enlarged(p[0]), enlarged(p[1]), enlarged(q[0]), enlarged(q[1]));
	}
	qsort(w.crossings, w.n, sizeof(*w.crossings), tfr_compare_u32);
	for (size_t i = 0; i < w.n; i += 2)
		fill(c, w.crossings[i], i + 1 < w.n ? w.crossings[i + 1] : pixels(c));
	return TFR_OK;
}

/* --- JSON --- */

static enum tfr_status draw_polygons(
	struct tfr_canvas *c, const struct tfr_token *list, struct tfr_error *err)
{
	static const char fault[] = "a polygon that is not pairs of numbers";
	const struct tfr_token *v = list + 1;
	TFR_AUTO_BUF points = { 0 };

	for (uint32_t i = 0; i < list->n; i++, v = tfr_token_next(v)) {
		double *xy;

		if (v->type != TFR_TOKEN_ARRAY || v->n % 2)
			return tfr_fail(err, TFR_EDATA, fault);
		TFR_NEED_MEMORY(tfr_buf_reserve(&points, v->n * sizeof(*xy)), err, "drawing masks");
		xy = (double *)(void *)points.data;
		for (uint32_t k = 0; k < v->n; k++)
			if (!tfr_token_double(v + 1 + k, &xy[k]))
				return tfr_fail(err, TFR_EDATA, fault);
		TFR_TRY(tfr_draw_polygon(c, xy, v->n / 2, err));
	}
	return list->n ? TFR_OK : tfr_fail(err, TFR_EDATA, "not a polygon");
}

static enum tfr_status draw_runs(
	struct tfr_canvas *c, const struct tfr_token *list, struct tfr_error *err)
{
	const struct tfr_token *v = list + 1;
	uint32_t at = 0;

	for (uint32_t i = 0; i < list->n; i++, v++) {
		int64_t run;

		if (!tfr_token_int64(v, &run) || run < 0 || run > UINT32_MAX)
			return tfr_fail(err, TFR_EDATA, "runs that are not numbers of pixels");
		TFR_TRY(draw_run(c, i, run, &at, err));
	}
	return at == pixels(c) ? TFR_OK : wrong_sum(err);
}

static enum tfr_status draw_rle(
	struct tfr_canvas *c, const struct tfr_token *object, struct tfr_error *err)
{
	const struct tfr_token *size = tfr_token_member(object, "size"),
			       *counts = tfr_token_member(object, "counts");
	int64_t height, width;

	if (!size || size->type != TFR_TOKEN_ARRAY || size->n != 2 ||
		!tfr_token_int64(size + 1, &height) || height != c->height ||
		!tfr_token_int64(size + 2, &width) || width != c->width)
		return tfr_fail(err, TFR_EDATA, "runs whose 'size' is not that of the image");
	if (counts && counts->type == TFR_TOKEN_ARRAY)
		return draw_runs(c, counts, err);
	if (counts && counts->type == TFR_TOKEN_TEXT)
		return tfr_draw_text(c, counts->text, counts->size, err);
	return tfr_fail(err, TFR_EDATA, "runs without 'counts'");
}

enum tfr_status tfr_coco_shape_draw(
	struct tfr_canvas *c, const uint8_t *text, size_t size, struct tfr_error *err)
{
	struct tfr_tape tape = { .depth = DEEPEST };
	const struct tfr_token *root;
	enum tfr_status status;

	memset(c->pixels, 0, (size_t)c->width * c->height);
	if (!size)
		return TFR_OK;
	status = tfr_tape_scan(&tape, (const char *)text, size, NULL);
	root = tfr_tape_root(&tape);
	if (status == TFR_ENOMEM)
		tfr_fail_nomem(err, "drawing masks");
	else if (!status && root->type == TFR_TOKEN_ARRAY)
		status = draw_polygons(c, root, err);
	else if (!status && root->type == TFR_TOKEN_OBJECT)
		status = draw_rle(c, root, err);
	else
		status = tfr_fail(err, TFR_EDATA, "neither polygons nor runs");
	tfr_tape_clear(&tape);
	return status;
}
