/* media/rotate.c - torchvision's rotate() of a tensor, step by step as PyTorch computes it.
 *
 * The centres of the pixels of the result, counted from the middle, are turned to where they lie in
 * the source, scaled to -1 … 1 and back to pixels: float32 throughout, each step rounded.  The
 * scaling is not left out: it is part of the law, and of the last bit.
 *
 * With a fill, a channel of ones is turned too, and says how much of a pixel is picture. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "media/kernels.h"
#include "media/pixels.h"

struct turn {
	struct tfr_pixels in, out;
	size_t pixel; /* bytes of one */
	/* From a place counted from the middle to one scaled to -1 … 1. */
	float x_by_x, x_by_y, y_by_x, y_by_y;
	const float *fill;
	union {
		float f[4];
		uint8_t u[4];
	} colour; /* the fill, or 0, as a pixel */
};

/* Where in the source, in pixels, the centre of a pixel of the result lies. */
struct place {
	float x, y;
};

static float unscale(float v, uint32_t size)
{
	return (v + 1) * ((float)size / 2) - 0.5f;
}

static struct place place_of(const struct turn *t, uint32_t x, uint32_t y)
{
	float from_x = (float)x - (float)t->in.width * 0.5f + 0.5f,
	      from_y = (float)y - (float)t->in.height * 0.5f + 0.5f;

	return (struct place){
		unscale(from_x * t->x_by_x + from_y * t->x_by_y, t->in.width),
		unscale(from_x * t->y_by_x + from_y * t->y_by_y, t->in.height),
	};
}

static bool inside(const struct turn *t, int64_t x, int64_t y)
{
	return x >= 0 && x < t->in.width && y >= 0 && y < t->in.height;
}

static void nearest(const struct turn *t, struct place from, uint8_t *to)
{
	int64_t x = lrintf(from.x), y = lrintf(from.y);
	const void *pixel = &t->colour;

	if (inside(t, x, y))
		pixel = tfr_pixels_row(&t->in, (uint32_t)y) + (size_t)x * t->pixel;
	memcpy(to, pixel, t->pixel);
}

static float sample(const struct turn *t, const uint8_t *pixel, unsigned c)
{
	if (!pixel)
		return 0;
	return t->in.dtype == TFR_UINT8 ? pixel[c] : ((const float *)(const void *)pixel)[c];
}

static int64_t floor_of(float v)
{
	int64_t n = (int64_t)v;

	return n - ((float)n > v);
}

static void bilinear(const struct turn *t, struct place from, uint8_t *to)
{
	int64_t left = floor_of(from.x), top = floor_of(from.y);
	float w = from.x - (float)left, e = 1 - w, n = from.y - (float)top, s = 1 - n;
	float weights[4] = { s * e, s * w, n * e, n * w };
	const uint8_t *pixels[4];
	float cover = 0;

	for (int k = 0; k < 4; k++) {
		int64_t x = left + (k & 1), y = top + (k >> 1);

		pixels[k] = NULL;
		if (inside(t, x, y)) {
			pixels[k] = tfr_pixels_row(&t->in, (uint32_t)y) + (size_t)x * t->pixel;
			cover += weights[k];
		}
	}
	for (unsigned c = 0; c < t->in.channels; c++) {
		float v = sample(t, pixels[0], c) * weights[0];

		for (int k = 1; k < 4; k++)
			v += sample(t, pixels[k], c) * weights[k];
		if (t->fill)
			v = v * cover + (1 - cover) * t->fill[c];
		if (t->in.dtype == TFR_UINT8)
			to[c] = tfr_to_u8(v);
		else
			((float *)(void *)to)[c] = v;
	}
}

/* The inverse of the rotation, computed in double and rounded, over half of each side. */
static void set_angle(struct turn *t, double degrees)
{
	double angle = -degrees * (M_PI / 180);
	float half_width = 0.5f * (float)t->in.width, half_height = 0.5f * (float)t->in.height;

	t->x_by_x = (float)cos(angle) / half_width;
	t->x_by_y = (float)sin(angle) / half_width;
	t->y_by_x = (float)-sin(angle) / half_height;
	t->y_by_y = (float)cos(angle) / half_height;
}

enum tfr_status tfr_pixels_rotate(const struct tfr_pixels *in, double degrees,
	enum tfr_filter filter, const float *fill, const struct tfr_pixels *out,
	struct tfr_error *err)
{
	struct turn t = { .in = *in, .out = *out, .fill = fill };
	void (*find)(const struct turn *t, struct place from, uint8_t *to) = nearest;
	enum tfr_status status =
		tfr_pixels_expect(in, out, in->width, in->height, in->dtype, "rotate", err);

	if (status)
		return status;
	if (!isfinite(degrees) || (filter != TFR_FILTER_NEAREST && filter != TFR_FILTER_BILINEAR))
		return tfr_fail(err, TFR_EUSAGE,
			"cannot rotate by %g degrees with filter number %d", degrees, filter);
	if (filter == TFR_FILTER_BILINEAR)
		find = bilinear;
	t.pixel = tfr_pixel_bytes(in);
	set_angle(&t, degrees);
	for (unsigned c = 0; fill && c < in->channels; c++)
		if (in->dtype == TFR_UINT8)
			t.colour.u[c] = tfr_to_u8(fill[c]);
		else
			t.colour.f[c] = fill[c];
	for (uint32_t y = 0; y < in->height; y++)
		for (uint32_t x = 0; x < in->width; x++)
			find(&t, place_of(&t, x, y), tfr_pixels_row(out, y) + x * t.pixel);
	return TFR_OK;
}
