/* media/resize/resize.c - tf.image.resize's bilinear and area, to the bit: uint8 or float32 HWC in,
 * float32 HWC out.
 *
 * Bilinear: an output row is between two source rows.  Each source row is interpolated along x
 * once, into one of two float rows that are kept while the output moves down.  The output row is
 * interpolated between them, mirrored by the column table, and normalised.  This order, x then y,
 * is TensorFlow's; the result depends on it.
 *
 * Invariant: the column table fits `shape`, and rows[k] holds source row tag[k] of the current
 * image.
 *
 * Area: a pixel of the result covers a box of the source.  The sum over a box is made row by row,
 * each row from left to right, which sets the order of all roundings.  The sums of a source row do
 * not depend on the row of the result, so they are made once and used twice for a row that two
 * boxes share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "media/formats/image_codec.h"
#include "media/pixels/kernels.h"
#include "media/pixels/pixels.h"
#include "media/pixels/quad.h"
#include "media/resize/kernels.h"

/* ---- The kernel in plain C, which defines the others ---- */

static bool is_always_usable(void)
{
	return true;
}

static void plain_horizontal(
	const struct tfr_resize_columns *columns, const uint8_t *row, float *out)
{
	for (size_t i = 0; i < columns->n; i++) {
		float low = row[columns->low[i]], high = row[columns->high[i]];

		out[i] = low + (high - low) * columns->weight[i];
	}
}

static void plain_vertical(
	const float *top, const float *bottom, float weight, size_t n, unsigned flags, float *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = top[i] + (bottom[i] - top[i]) * weight;
	if (flags & TFR_RESIZE_NORMALISE)
		for (size_t i = 0; i < n; i++)
			out[i] = (out[i] - 127.5f) / 127.5f;
}

static const struct tfr_resize_kernel plain_kernel = {
	.name = "plain",
	.usable = is_always_usable,
	.horizontal = plain_horizontal,
	.vertical = plain_vertical,
};

const struct tfr_resize_kernel *const tfr_resize_kernels[] = {
#ifdef __x86_64__
	&tfr_resize_avx512,
	&tfr_resize_avx2,
#endif
	&plain_kernel,
	NULL,
};

/* ---- A resizer ---- */

/* The source pixels that a pixel of the result covers on one axis: start … end - 1, the first and
 * the last of them in part. */
struct extent {
	int64_t start, end;
	float start_cover, end_cover;
};

enum { SPARE = 3 /* extra samples loaded with a pixel of one channel */ };

struct area {
	struct tfr_buf extents; /* one per column */
	struct tfr_buf floats;	/* the three below, each followed by SPARE */
	float *source;		/* a source row */
	float *row;		/* the same, summed by columns */
	float *sums;
	int64_t tag; /* the row in `row`; -1: none */
};

/* The parameters of the columns. */
struct shape {
	uint32_t in, out;
	unsigned channels, flags; /* the flags that the columns depend on */
	enum tfr_dtype dtype;
};

struct tfr_resizer {
	struct shape shape;
	struct tfr_resize_columns columns;
	const struct tfr_resize_kernel *kernel;
	uint32_t *low, *high;
	float *weight;
	float *rows[2];
	int64_t tag[2];	 /* -1: none */
	size_t capacity; /* elements, in each of the arrays above */
	void *tables;
	size_t tables_capacity;
	struct area *area; /* made at first use */
};

struct tfr_resizer *tfr_resizer_new(void)
{
	return calloc(1, sizeof(struct tfr_resizer));
}

static void free_arrays(struct tfr_resizer *r)
{
	free(r->low);
	free(r->high);
	free(r->weight);
	free(r->rows[0]);
	free(r->rows[1]);
	free(r->tables);
	*r = (struct tfr_resizer){ .area = r->area };
}

static void free_area(struct area *area)
{
	if (!area)
		return;
	tfr_buf_clear(&area->extents);
	tfr_buf_clear(&area->floats);
	free(area);
}

void tfr_resizer_free(struct tfr_resizer *r)
{
	if (!r)
		return;
	free_arrays(r);
	free_area(r->area);
	free(r);
}

/* --- bilinear --- */

static void *allocate_aligned(size_t size)
{
	return aligned_alloc(64, (size + 63) & ~(size_t)63);
}

static bool reserve_rows(struct tfr_resizer *r, size_t elements)
{
	if (elements <= r->capacity)
		return true;
	free_arrays(r);
	r->low = allocate_aligned(elements * sizeof(*r->low));
	r->high = allocate_aligned(elements * sizeof(*r->high));
	r->weight = allocate_aligned(elements * sizeof(*r->weight));
	r->rows[0] = allocate_aligned(elements * sizeof(float));
	r->rows[1] = allocate_aligned(elements * sizeof(float));
	if (!r->low || !r->high || !r->weight || !r->rows[0] || !r->rows[1]) {
		free_arrays(r);
		return false;
	}
	r->capacity = elements;
	return true;
}

/* The two neighbours of output index `i` and the weight of the upper: HalfPixelScaler and
 * compute_interpolation_weights of tensorflow/core/kernels/image. */
static void neighbours(
	uint32_t i, uint32_t in, float scale, uint32_t *low, uint32_t *high, float *weight)
{
	float src = ((float)i + 0.5f) * scale - 0.5f;
	float floor_src = floorf(src), ceil_src = ceilf(src);

	*low = floor_src > 0 ? (uint32_t)floor_src : 0;
	*high = ceil_src > 0 ? (uint32_t)ceil_src : 0;
	if (*high > in - 1)
		*high = in - 1;
	if (*low > in - 1)
		*low = in - 1;
	*weight = src - floor_src;
}

static void fill_columns(struct tfr_resizer *r, const struct shape *s, size_t n, size_t padded)
{
	float scale = (float)s->in / (float)s->out;

	for (uint32_t x = 0; x < s->out; x++) {
		uint32_t low, high, at = s->flags & TFR_RESIZE_MIRROR ? s->out - 1 - x : x;
		size_t i = (size_t)at * s->channels;
		float weight;

		neighbours(x, s->in, scale, &low, &high, &weight);
		for (unsigned c = 0; c < s->channels; c++, i++) {
			r->low[i] = low * s->channels + c;
			r->high[i] = high * s->channels + c;
			r->weight[i] = weight;
		}
	}
	for (size_t i = n; i < padded; i++) {
		r->low[i] = r->low[n - 1];
		r->high[i] = r->high[n - 1];
		r->weight[i] = r->weight[n - 1];
	}
	r->columns = (struct tfr_resize_columns){
		.n = n,
		.padded = padded,
		.row_bytes = (size_t)s->in * s->channels,
		.floats = s->dtype == TFR_FLOAT32,
		.low = r->low,
		.high = r->high,
		.weight = r->weight,
	};
}

static bool give_tables(struct tfr_resizer *r, const struct tfr_resize_kernel *kernel)
{
	size_t size = r->columns.padded / TFR_RESIZE_PAD * kernel->table_size;

	if (size > r->tables_capacity) {
		free(r->tables);
		r->tables_capacity = 0;
		if (!(r->tables = allocate_aligned(size)))
			return false;
		r->tables_capacity = size;
	}
	r->columns.tables = r->tables;
	return true;
}

/* Selects the fastest kernel that supports these columns; the last one always does. */
static bool choose_kernel(struct tfr_resizer *r, unsigned flags)
{
	for (size_t i = 0;; i++) {
		const struct tfr_resize_kernel *kernel = tfr_resize_kernels[i];

		if (tfr_resize_kernels[i + 1] && ((flags & TFR_RESIZE_PLAIN) || !kernel->usable()))
			continue;
		if (kernel->prepare && !r->columns.floats) {
			if (!give_tables(r, kernel))
				return false;
			if (!kernel->prepare(&r->columns))
				continue;
		}
		r->kernel = kernel;
		return true;
	}
}

static bool set_columns(
	struct tfr_resizer *r, const struct tfr_pixels *in, uint32_t width, unsigned flags)
{
	struct shape s = { in->width, width, in->channels,
		flags & (TFR_RESIZE_MIRROR | TFR_RESIZE_PLAIN), in->dtype };
	size_t n = (size_t)width * in->channels;
	size_t padded = (n + TFR_RESIZE_PAD - 1) / TFR_RESIZE_PAD * TFR_RESIZE_PAD;

	if (memcmp(&s, &r->shape, sizeof(s)) == 0)
		return true;
	r->shape = (struct shape){ 0 };
	if (!reserve_rows(r, padded))
		return false;
	fill_columns(r, &s, n, padded);
	if (!choose_kernel(r, flags))
		return false;
	r->shape = s;
	return true;
}

/* A pixel at a time if four samples can be loaded and stored, otherwise a sample. */
static void horizontal_floats(const struct tfr_resize_columns *columns, unsigned channels,
	size_t samples, const float *row, float *out)
{
	for (size_t i = 0; i < columns->n;) {
		const float *low = row + columns->low[i], *high = row + columns->high[i];
		float weight = columns->weight[i];

		if (low + 4 <= row + samples && high + 4 <= row + samples && i + 4 <= columns->n) {
			tfr_quad from = tfr_quad_f32(low), to = tfr_quad_f32(high);

			tfr_quad_store(out + i, from + (to - from) * weight);
			i += channels;
		} else {
			out[i] = *low + (*high - *low) * weight;
			i++;
		}
	}
}

/* Returns source row `y` interpolated, from the two rows that are kept if possible; otherwise it
 * replaces the one that is not `keep`. */
static const float *float_row(
	struct tfr_resizer *r, const struct tfr_pixels *in, uint32_t y, uint32_t keep)
{
	int k = r->tag[0] == y ? 0 : r->tag[1] == y ? 1 : r->tag[0] == keep ? 1 : 0;
	const void *row = tfr_pixels_row(in, y);

	if (r->tag[k] != y) {
		if (r->columns.floats)
			horizontal_floats(&r->columns, in->channels,
				(size_t)in->width * in->channels, row, r->rows[k]);
		else
			r->kernel->horizontal(&r->columns, row, r->rows[k]);
		r->tag[k] = y;
	}
	return r->rows[k];
}

/* The kernels can normalise results of 8-bit images only.  Floats may have any value, so the pixel
 * kernel normalises them. */
static void vertical(struct tfr_resizer *r, const float *top, const float *bottom, float weight,
	unsigned flags, float *out)
{
	float halves[2 * TFR_PATTERN];
	size_t n = r->columns.n;

	if (!r->columns.floats || !(flags & TFR_RESIZE_NORMALISE)) {
		r->kernel->vertical(top, bottom, weight, n, flags, out);
		return;
	}
	for (int i = 0; i < 2 * TFR_PATTERN; i++)
		halves[i] = 127.5f;
	r->kernel->vertical(top, bottom, weight, n, 0, out);
	tfr_pixel_kernel(flags)->normalise_f32(out, out, n, halves, halves, false);
}

enum tfr_status tfr_pixels_resize_bilinear(struct tfr_resizer *r, const struct tfr_pixels *in,
	const struct tfr_pixels *out, unsigned flags, struct tfr_error *err)
{
	float scale = (float)in->height / (float)out->height;

	TFR_TRY(tfr_pixels_expect(in, out, out->width, out->height, TFR_FLOAT32, "resize", err));
	TFR_NEED_MEMORY(set_columns(r, in, out->width, flags), err, "resizing an image");
	r->tag[0] = r->tag[1] = -1;
	for (uint32_t y = 0; y < out->height; y++) {
		const float *top, *bottom;
		uint32_t low, high;
		float weight;

		neighbours(y, in->height, scale, &low, &high, &weight);
		top = float_row(r, in, low, high);
		bottom = float_row(r, in, high, low);
		vertical(r, top, bottom, weight, flags, (float *)(void *)tfr_pixels_row(out, y));
	}
	if (r->kernel->finish)
		r->kernel->finish();
	return TFR_OK;
}

enum tfr_status tfr_resize_bilinear(struct tfr_resizer *r, const struct tfr_image *image,
	uint32_t width, uint32_t height, unsigned flags, float *out, struct tfr_error *err)
{
	struct tfr_pixels in = tfr_pixels_of(image),
			  to = tfr_pixels_dense(out, width, height, image->channels, TFR_FLOAT32);

	return tfr_pixels_resize_bilinear(r, &in, &to, flags, err);
}

/* --- area --- */

/* How much of pixel `v` is between two places: the scale in resize_area_op.cc. */
static float cover_of(int64_t v, float from, float to, float scale)
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

	e.start_cover = cover_of(e.start, from, to, scale);
	e.end_cover = cover_of(e.end - 1, from, to, scale);
	return e;
}

/* Rounding may move a place beyond the last pixel. */
static size_t bound_place(int64_t v, uint32_t size)
{
	return v < 0 ? 0 : v < size ? (size_t)v : size - 1;
}

/* Four samples are computed per pixel, and its channels are kept: `row` and `out` have room for
 * that after their last pixel. */
static void sum_row(const float *row, uint32_t width, unsigned channels,
	const struct extent *extents, uint32_t out_width, float *out)
{
	for (const struct extent *e = extents; e < extents + out_width; e++, out += channels) {
		const float *first = row + bound_place(e->start, width) * channels,
			    *last = row + bound_place(e->end - 1, width) * channels;
		tfr_quad sum = tfr_quad_f32(first) * e->start_cover;

		if (e->start + 1 != e->end) {
			int64_t stop = e->end - 1, within = stop < width ? stop : width;

			for (const float *p = first + channels; p < row + within * channels;
				p += channels)
				sum += tfr_quad_f32(p);
			for (int64_t x = width; x < stop;
				x++) /* rounded past it: see bound_place() */
				sum += tfr_quad_f32(last);
			sum += tfr_quad_f32(last) * e->end_cover;
		}
		tfr_quad_store(out, sum);
	}
}

static bool reserve_area(struct tfr_resizer *r, const struct tfr_pixels *in, uint32_t width)
{
	struct area *area = r->area ? r->area : (r->area = calloc(1, sizeof(*area)));
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

/* Adds source row `v` to a row of the result, weighted by the share of it that the row covers. */
static void add_row(
	struct area *area, const struct tfr_pixels *in, int64_t v, float cover, uint32_t out_width)
{
	size_t n = (size_t)out_width * in->channels, y = bound_place(v, in->height);

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
		area->sums[i] += area->row[i] * cover;
}

enum tfr_status tfr_pixels_resize_area(struct tfr_resizer *r, const struct tfr_pixels *in,
	const struct tfr_pixels *out, struct tfr_error *err)
{
	float fx = (float)in->width / (float)out->width,
	      fy = (float)in->height / (float)out->height, scale = 1 / (fy * fx);
	size_t n = (size_t)out->width * out->channels;
	struct extent *columns;

	TFR_TRY(tfr_pixels_expect(in, out, out->width, out->height, TFR_FLOAT32, "resize", err));
	TFR_NEED_MEMORY(reserve_area(r, in, out->width), err, "resizing an image");
	columns = (struct extent *)(void *)r->area->extents.data;
	for (uint32_t x = 0; x < out->width; x++)
		columns[x] = extent_of(x, fx);
	for (uint32_t y = 0; y < out->height; y++) {
		struct extent rows = extent_of(y, fy);
		float from = (float)y * fy, to = (float)(y + 1) * fy;
		float *pixels = (float *)(void *)tfr_pixels_row(out, y);

		memset(r->area->sums, 0, n * sizeof(float));
		for (int64_t v = rows.start; v < rows.end; v++)
			add_row(r->area, in, v, cover_of(v, from, to, fy), out->width);
		for (size_t i = 0; i < n; i++)
			pixels[i] = r->area->sums[i] * scale;
	}
	return TFR_OK;
}
