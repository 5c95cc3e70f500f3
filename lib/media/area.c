/* media/area.c - tf.image.resize(method='area'), to the bit.
 *
 * A pixel of the result covers a box of the source.  The sum over a box is made row by row, each
 * row from left to right, and so is the order of every rounding.  What a source row gives for each
 * box does not depend on the row of the result that asks: it is made once and serves both where a
 * row lies across the border of two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "media/picture.h"
#include "media/pixels.h"
#include "media/resize.h"

/* What a pixel of the result covers on one axis: pixels start … end - 1, the first and the last of
 * them in part. */
struct extent {
	int64_t start, end;
	float start_part, end_part;
};

struct tfr_area {
	struct tfr_buf extents; /* one a column */
	struct tfr_buf floats;	/* `row`, then `sums` */
	float *row;		/* a source row, summed by columns */
	float *sums;
	int64_t tag; /* of `row`: which; -1: none */
};

void tfr_area_free(struct tfr_area *area)
{
	if (!area)
		return;
	tfr_buf_clear(&area->extents);
	tfr_buf_clear(&area->floats);
	free(area);
}

/* How much of pixel `v` lies between two places: resize_area_op.cc's scale of it. */
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

/* Rounding may put a place beyond the last pixel. */
static size_t bound(int64_t v, uint32_t size)
{
	return v < 0 ? 0 : v < size ? (size_t)v : size - 1;
}

#define SUM_ROW(type)                                                                              \
	do {                                                                                       \
		const type *pixel = (const type *)row + c;                                         \
		float sum = (float)pixel[bound(e->start, width) * channels] * e->start_part;       \
		if (e->start + 1 != e->end) {                                                      \
			for (int64_t x = e->start + 1; x < e->end - 1; x++)                        \
				sum += (float)pixel[bound(x, width) * channels];                   \
			sum += (float)pixel[bound(e->end - 1, width) * channels] * e->end_part;    \
		}                                                                                  \
		*out++ = sum;                                                                      \
	} while (0)

static void sum_row(const struct tfr_pixels *in, uint32_t y, const struct extent *extents,
	uint32_t out_width, float *out)
{
	const void *row = tfr_pixels_row(in, y);
	unsigned channels = in->channels;
	uint32_t width = in->width;

	for (const struct extent *e = extents; e < extents + out_width; e++)
		for (unsigned c = 0; c < channels; c++)
			if (in->dtype == TFR_UINT8)
				SUM_ROW(uint8_t);
			else
				SUM_ROW(float);
}

static bool reserve(struct tfr_resizer *r, uint32_t width, size_t n)
{
	struct tfr_area *area = r->area ? r->area : (r->area = calloc(1, sizeof(*area)));

	if (!area || !tfr_pixels(&area->extents, width * sizeof(struct extent)) ||
		!tfr_pixels(&area->floats, 2 * n * sizeof(float)))
		return false;
	area->row = (float *)(void *)area->floats.data;
	area->sums = area->row + n;
	area->tag = -1;
	return true;
}

/* Adds what row `v` of the source gives to a row of the result, as much of it as lies there. */
static void add_row(struct tfr_area *area, const struct tfr_pixels *in, int64_t v, float part,
	uint32_t out_width)
{
	size_t n = (size_t)out_width * in->channels, y = bound(v, in->height);

	if (area->tag != (int64_t)y) {
		sum_row(in, (uint32_t)y, (const struct extent *)(void *)area->extents.data,
			out_width, area->row);
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
	enum tfr_status status =
		tfr_pixels_expect(in, out, out->width, out->height, TFR_FLOAT32, "resize", err);

	if (status)
		return status;
	if (!reserve(r, out->width, n))
		return tfr_fail_nomem(err, "resizing a picture");
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
