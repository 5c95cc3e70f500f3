/* media/resize/area.c - tf.image.resize(method='area'), to the bit.
 *
 * A pixel of the result covers a box of the source.  The sum over a box is made row by row, each
 * row from left to right, which sets the order of all roundings.  The sums of a source row do not
 * depend on the row of the result, so they are made once and used twice for a row that two boxes
 * share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "media/formats/image_codec.h"
#include "media/pixels/kernels.h"
#include "media/pixels/pixels.h"
#include "media/pixels/quad.h"
#include "media/resize/resize.h"

/* The source pixels that a pixel of the result covers on one axis: start … end - 1, the first and
 * the last of them in part. */
struct extent {
	int64_t start, end;
	float start_part, end_part;
};

enum { SPARE = 3 /* extra samples loaded with a pixel of one channel */ };

struct tfr_area {
	struct tfr_buf extents; /* one per column */
	struct tfr_buf floats;	/* the three below, each followed by SPARE */
	float *source;		/* a source row */
	float *row;		/* the same, summed by columns */
	float *sums;
	int64_t tag; /* the row in `row`; -1: none */
};

void tfr_area_free(struct tfr_area *area)
{
	if (!area)
		return;
	tfr_buf_clear(&area->extents);
	tfr_buf_clear(&area->floats);
	free(area);
}

/* How much of pixel `v` is between two places: the scale in resize_area_op.cc. */
static float part_of(int64_t v, float from, float to, float scale)
{
	float left = (float)v, right = (float)(v + 1);

	if (left < from)
		return right > to ? scale : right - from;
	return right > to ? to - left : 1;
}

static struct extent extent_of(uint32_t i, float scale)
{
	float from = (float)i * scale, to = (float)(i + 1) * scale;
	struct extent e = { (int64_t)floorf(from), (int64_t)ceilf(to), 0, 0 };

	e.start_part = part_of(e.start, from, to, scale);
	e.end_part = part_of(e.end - 1, from, to, scale);
	return e;
}

/* Rounding may move a place beyond the last pixel. */
static size_t bound(int64_t v, uint32_t size)
{
	return v < 0 ? 0 : v < size ? (size_t)v : size - 1;
}

/* Four samples are computed per pixel, and its channels are kept: `row` and `out` have room for
 * that after their last pixel. */
static void sum_row(const float *row, uint32_t width, unsigned channels,
	const struct extent *extents, uint32_t out_width, float *out)
{
	for (const struct extent *e = extents; e < extents + out_width; e++, out += channels) {
		const float *first = row + bound(e->start, width) * channels,
			    *last = row + bound(e->end - 1, width) * channels;
		tfr_quad sum = tfr_quad_f32(first) * e->start_part;

		if (e->start + 1 != e->end) {
			int64_t stop = e->end - 1, within = stop < width ? stop : width;

			for (const float *p = first + channels; p < row + within * channels;
				p += channels)
				sum += tfr_quad_f32(p);
			for (int64_t x = width; x < stop; x++) /* rounded past it: see bound() */
				sum += tfr_quad_f32(last);
			sum += tfr_quad_f32(last) * e->end_part;
		}
		tfr_quad_store(out, sum);
	}
}

static bool reserve(struct tfr_resizer *r, const struct tfr_pixels *in, uint32_t width)
{
	struct tfr_area *area = r->area ? r->area : (r->area = calloc(1, sizeof(*area)));
	size_t from = (size_t)in->width * in->channels + SPARE,
	       to = (size_t)width * in->channels + SPARE;

	if (!area || !tfr_pixels(&area->extents, width * sizeof(struct extent)) ||
		!tfr_pixels(&area->floats, (from + 2 * to) * sizeof(float)))
		return false;
	area->source = (float *)(void *)area->floats.data;
	memset(area->source + from - SPARE, 0, SPARE * sizeof(float));
	area->row = area->source + from;
	area->sums = area->row + to;
	area->tag = -1;
	return true;
}

/* Adds source row `v` to a row of the result, weighted by the part of it that the row covers. */
static void add_row(struct tfr_area *area, const struct tfr_pixels *in, int64_t v, float part,
	uint32_t out_width)
{
	size_t n = (size_t)out_width * in->channels, y = bound(v, in->height);

	if (area->tag != (int64_t)y) {
		const void *from = tfr_pixels_row(in, (uint32_t)y);
		size_t samples = (size_t)in->width * in->channels;

		if (in->dtype == TFR_UINT8)
			tfr_pixel_kernel(0)->u8_to_f32(from, area->source, samples, false);
		else
			memcpy(area->source, from, samples * sizeof(float));
		sum_row(area->source, in->width, in->channels,
			(const struct extent *)(void *)area->extents.data, out_width, area->row);
		area->tag = (int64_t)y;
	}
	for (size_t i = 0; i < n; i++)
		area->sums[i] += area->row[i] * part;
}

enum tfr_status tfr_pixels_resize_area(struct tfr_resizer *r, const struct tfr_pixels *in,
	const struct tfr_pixels *out, struct tfr_error *err)
{
	float fx = (float)in->width / (float)out->width,
	      fy = (float)in->height / (float)out->height, scale = 1 / (fy * fx);
	size_t n = (size_t)out->width * out->channels;
	struct extent *columns;

	TFR_TRY(tfr_pixels_expect(in, out, out->width, out->height, TFR_FLOAT32, "resize", err));
	if (!reserve(r, in, out->width))
		return tfr_fail_nomem(err, "resizing an image");
	columns = (struct extent *)(void *)r->area->extents.data;
	for (uint32_t x = 0; x < out->width; x++)
		columns[x] = extent_of(x, fx);
	for (uint32_t y = 0; y < out->height; y++) {
		struct extent rows = extent_of(y, fy);
		float from = (float)y * fy, to = (float)(y + 1) * fy;
		float *pixels = (float *)(void *)tfr_pixels_row(out, y);

		memset(r->area->sums, 0, n * sizeof(float));
		for (int64_t v = rows.start; v < rows.end; v++)
			add_row(r->area, in, v, part_of(v, from, to, fy), out->width);
		for (size_t i = 0; i < n; i++)
			pixels[i] = r->area->sums[i] * scale;
	}
	return TFR_OK;
}
