/* media/pixels/rotate.c - torchvision's rotate() of a tensor, in the steps of PyTorch.
 *
 * The centres of the pixels of the result, counted from the middle, are rotated to their places in
 * the source, scaled to -1 … 1 and back to pixels: float32 throughout, with each step rounded.  The
 * scaling is necessary, because it changes the last bit.
 *
 * With a fill, a channel of ones is rotated too; it holds the covered share of each pixel. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "media/pixels/kernels.h"
#include "media/pixels/pixels.h"
#include "media/pixels/quad.h"

struct turn {
	struct tfr_pixels in;
	size_t pixel; /* bytes of one */
	/* Converts a place counted from the middle to one scaled to -1 … 1. */
	float x_by_x, x_by_y, y_by_x, y_by_y;
	const float *fill;
	tfr_quad fill_quad;
	union {
		float f[4];
		uint8_t u[4];
	} colour; /* the fill, or 0, as a pixel */
};

/* The place in the source, in pixels, of the centre of a pixel of the result. */
struct place {
	float x, y;
};

static struct tfr_rotate_line line_of(const struct turn *t, uint32_t y)
{
	float width = (float)t->in.width, height = (float)t->in.height,
	      from_y = (float)y - height * 0.5f + 0.5f;

	return (struct tfr_rotate_line){
		.middle = width * 0.5f - 0.5f,
		.x_by_x = t->x_by_x,
		.y_by_x = t->y_by_x,
		.x_by_row = from_y * t->x_by_y,
		.y_by_row = from_y * t->y_by_y,
		.half_width = width / 2,
		.half_height = height / 2,
	};
}

/* By value, so that the compiler knows that storing a pixel does not change the line. */
static inline struct place place_of(struct tfr_rotate_line l, uint32_t x)
{
	float from_x = (float)x - l.middle, u = from_x * l.x_by_x + l.x_by_row,
	      v = from_x * l.y_by_x + l.y_by_row;

	return (struct place){ (u + 1) * l.half_width - 0.5f, (v + 1) * l.half_height - 0.5f };
}

static inline bool is_inside(const struct turn *t, int64_t x, int64_t y)
{
	return x >= 0 && x < t->in.width && y >= 0 && y < t->in.height;
}

static inline const uint8_t *pixel_at(const struct turn *t, int64_t x, int64_t y)
{
	return tfr_pixels_row(&t->in, (uint32_t)y) + (size_t)x * t->pixel;
}

static inline void nearest(const struct turn *t, size_t pixel, struct place from, uint8_t *to)
{
	int64_t x = lrintf(from.x), y = lrintf(from.y);

	memcpy(to, is_inside(t, x, y) ? pixel_at(t, x, y) : (const uint8_t *)&t->colour, pixel);
}

static inline int64_t floor_of(float v)
{
	int64_t n = (int64_t)v;

	return n - ((float)n > v);
}

/* Computes a pixel: the sum of the four around its place, each times its weight, and the sum of the
 * weights of those inside the image. */
struct blend {
	tfr_quad sum;
	float cover;
};

static inline tfr_quad load_quad(const uint8_t *p, enum tfr_dtype dtype)
{
	return dtype == TFR_UINT8 ? tfr_quad_u8(p) : tfr_quad_f32((const float *)(const void *)p);
}

/* Away from the edges: four samples can be loaded at each corner, whatever the channels. */
static inline struct blend blend_within(const struct turn *t, enum tfr_dtype dtype,
	const uint8_t *p, float nw, float ne, float sw, float se)
{
	tfr_quad sum = load_quad(p, dtype) * nw;

	sum += load_quad(p + t->pixel, dtype) * ne;
	sum += load_quad(p + t->in.stride, dtype) * sw;
	sum += load_quad(p + t->in.stride + t->pixel, dtype) * se;
	return (struct blend){ sum, nw + ne + sw + se };
}

/* At the edges: pixels outside are 0. */
static __attribute__((noinline)) struct blend blend_edge(
	const struct turn *t, int64_t left, int64_t top, const float weights[4])
{
	struct blend b = { 0 };

	for (int k = 0; k < 4; k++) {
		int64_t x = left + (k & 1), y = top + (k >> 1);
		const void *pixel;

		if (!is_inside(t, x, y))
			continue;
		pixel = pixel_at(t, x, y);
		b.cover += weights[k];
		for (unsigned c = 0; c < t->in.channels; c++)
			b.sum[c] += (t->in.dtype == TFR_UINT8 ? ((const uint8_t *)pixel)[c]
							      : ((const float *)pixel)[c]) *
				    weights[k];
	}
	return b;
}

/* For 8 bits: a value blended without a fill is between 0 and 255 except for rounding. */
static inline void store_pixel(
	tfr_quad v, unsigned channels, enum tfr_dtype dtype, bool bounded, uint8_t *to)
{
	tfr_quad_ints bytes;

	if (dtype == TFR_FLOAT32) {
		memcpy(to, &v, channels * sizeof(float));
		return;
	}
	bytes = bounded ? tfr_quad_round(v) : tfr_quad_to_u8(v);
	for (unsigned c = 0; c < channels; c++)
		to[c] = (uint8_t)bytes[c];
}

static inline void bilinear(const struct turn *t, unsigned channels, enum tfr_dtype dtype,
	struct place from, uint8_t *to)
{
	int64_t left = floor_of(from.x), top = floor_of(from.y);
	int64_t last = (int64_t)t->in.width - 2 - (4 - (int64_t)channels);
	float w = from.x - (float)left, e = 1 - w, n = from.y - (float)top, s = 1 - n;
	struct blend b;

	if (left >= 0 && left <= last && top >= 0 && top < (int64_t)t->in.height - 1)
		b = blend_within(t, dtype, pixel_at(t, left, top), s * e, s * w, n * e, n * w);
	else
		b = blend_edge(t, left, top, (const float[4]){ s * e, s * w, n * e, n * w });
	if (t->fill)
		b.sum = b.sum * b.cover + (1 - b.cover) * t->fill_quad;
	store_pixel(b.sum, channels, dtype, !t->fill, to);
}

/* Compiled for each common kind of pixel, and once for all. */
static inline __attribute__((always_inline)) void rotate(const struct turn *t, unsigned channels,
	enum tfr_dtype dtype, bool soft, const struct tfr_pixels *out)
{
	size_t pixel = channels * (dtype == TFR_UINT8 ? 1 : sizeof(float));

	for (uint32_t y = 0; y < out->height; y++) {
		uint8_t *to = tfr_pixels_row(out, y);
		const struct tfr_rotate_line line = line_of(t, y);

		for (uint32_t x = 0; x < out->width; x++, to += pixel)
			if (soft)
				bilinear(t, channels, dtype, place_of(line, x), to);
			else
				nearest(t, pixel, place_of(line, x), to);
	}
}

/* Runs the vector loop as far as possible, and computes a few pixels one by one where it stops. */
static void rotate_rgb(const struct turn *t, tfr_rotate_loop *loop, const struct tfr_pixels *out)
{
	struct tfr_rotate_run run = { .in = t->in, .fill = t->fill, .width = out->width };

	for (uint32_t y = 0; y < out->height; y++) {
		run.line = line_of(t, y);
		run.out = tfr_pixels_row(out, y);
		for (uint32_t x = 0; x < out->width;) {
			uint32_t end = x = loop(&run, x);

			for (end += 8; x < end && x < out->width; x++)
				bilinear(t, 3, TFR_UINT8, place_of(run.line, x),
					run.out + 3 * (size_t)x);
		}
	}
}

static tfr_rotate_loop *choose_loop(unsigned flags)
{
#ifdef __x86_64__
	if (!(flags & TFR_RESIZE_PLAIN) && tfr_rotate_avx2_usable())
		return tfr_rotate_avx2;
#endif
	(void)flags;
	return NULL;
}

static void rotate_bilinear(const struct turn *t, unsigned flags, const struct tfr_pixels *out)
{
	bool rgb = out->dtype == TFR_UINT8 && out->channels == 3;
	tfr_rotate_loop *loop = rgb ? choose_loop(flags) : NULL;

	if (loop)
		rotate_rgb(t, loop, out);
	else if (rgb)
		rotate(t, 3, TFR_UINT8, true, out);
	else if (out->dtype == TFR_FLOAT32 && out->channels == 3)
		rotate(t, 3, TFR_FLOAT32, true, out);
	else
		rotate(t, out->channels, out->dtype, true, out);
}

static void rotate_nearest(const struct turn *t, const struct tfr_pixels *out)
{
	if (out->dtype == TFR_UINT8 && out->channels == 3)
		rotate(t, 3, TFR_UINT8, false, out);
	else if (out->dtype == TFR_UINT8 && out->channels == 1)
		rotate(t, 1, TFR_UINT8, false, out);
	else
		rotate(t, out->channels, out->dtype, false, out);
}

/* The inverse of the rotation, computed in double and rounded, divided by half of each side. */
static void set_angle(struct turn *t, double degrees)
{
	double angle = -degrees * (M_PI / 180);
	float half_width = 0.5f * (float)t->in.width, half_height = 0.5f * (float)t->in.height;

	t->x_by_x = (float)cos(angle) / half_width;
	t->x_by_y = (float)sin(angle) / half_width;
	t->y_by_x = (float)-sin(angle) / half_height;
	t->y_by_y = (float)cos(angle) / half_height;
}

enum tfr_status tfr_rotate(const struct tfr_pixels *in, double degrees, enum tfr_filter filter,
	const float *fill, const struct tfr_pixels *out, unsigned flags, struct tfr_error *err)
{
	struct turn t = { .in = *in, .fill = fill };

	TFR_TRY(tfr_pixels_expect(in, out, in->width, in->height, in->dtype, "rotate", err));
	if (!isfinite(degrees) || (filter != TFR_FILTER_NEAREST && filter != TFR_FILTER_BILINEAR))
		return tfr_fail(err, TFR_EUSAGE,
			"cannot rotate by %g degrees with filter number %d", degrees, filter);
	t.pixel = tfr_pixel_bytes(in);
	set_angle(&t, degrees);
	for (unsigned c = 0; fill && c < in->channels; c++) {
		t.fill_quad[c] = fill[c];
		if (in->dtype == TFR_UINT8)
			t.colour.u[c] = tfr_to_u8(fill[c]);
		else
			t.colour.f[c] = fill[c];
	}
	if (filter == TFR_FILTER_BILINEAR)
		rotate_bilinear(&t, flags, out);
	else
		rotate_nearest(&t, out);
	return TFR_OK;
}

enum tfr_status tfr_pixels_rotate(const struct tfr_pixels *in, double degrees,
	enum tfr_filter filter, const float *fill, const struct tfr_pixels *out,
	struct tfr_error *err)
{
	return tfr_rotate(in, degrees, filter, fill, out, 0, err);
}
