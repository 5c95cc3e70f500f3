/* cmd/bench_feed/batch_images.c - images and audio waves of a batch: copied back from the device and
 * made into PNGs.
 *
 * A training sees numbers, not colours.  The range of the values of all images together decides how
 * they map to colours, and the page states that mapping. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_feed/bench_feed.h"

/* The page shows small images and stays below 2 MB: pixels of a side, and bytes of PNG files after
 * which no more images are added. */
enum { SIDE_MAX = 256, BYTES_MAX = 1 << 20 };

/* An image of a batch, with any order of axes. */
struct view {
	const uint8_t *data;
	enum tfr_dtype dtype;
	uint32_t width, height, channels;
	int64_t across, down, deep; /* bytes to the next column, row, channel */
};

static float from_half(uint16_t h)
{
	int exponent = h >> 10 & 31;
	float fraction = (float)(h & 1023) / 1024, value;

	if (exponent == 31)
		value = h & 1023 ? NAN : INFINITY;
	else
		value = exponent ? ldexpf(1 + fraction, exponent - 15) : ldexpf(fraction, -14);
	return h & 0x8000 ? -value : value;
}

static float number_at(const uint8_t *p, enum tfr_dtype dtype)
{
	uint16_t half;
	uint32_t bits;
	float f;

	memcpy(&half, p, dtype == TFR_UINT8 ? 1 : sizeof(half));
	switch (dtype) {
	case TFR_FLOAT32:
		memcpy(&f, p, sizeof(f));
		return f;
	case TFR_FLOAT16:
		return from_half(half);
	case TFR_BFLOAT16:
		bits = (uint32_t)half << 16;
		memcpy(&f, &bits, sizeof(f));
		return f;
	case TFR_INT16:
		return (float)(int16_t)half / 32768;
	default:
		return *p;
	}
}

static float value_at(const struct view *v, uint32_t x, uint32_t y, uint32_t c)
{
	return number_at(v->data + x * v->across + y * v->down + c * v->deep, v->dtype);
}

/* colour = (value - zero) * scale */
struct colours {
	float zero, scale;
	const char *text; /* the mapping, for the page */
};

static void widen_range(const struct view *v, float *least, float *most)
{
	for (uint32_t y = 0; y < v->height; y++)
		for (uint32_t x = 0; x < v->width; x++)
			for (uint32_t c = 0; c < v->channels; c++) {
				float f = value_at(v, x, y, c);

				if (f < *least)
					*least = f;
				if (f > *most)
					*most = f;
			}
}

static struct colours colours_of(enum tfr_dtype dtype, float least, float most)
{
	if (dtype == TFR_UINT8)
		return (struct colours){ 0, 1, "bytes, shown as they are" };
	if (least >= -1.001F && most <= 1.001F && least < 0)
		return (struct colours){ -1, 127.5F, "-1 is black, 1 is white" };
	if (least >= 0 && most <= 1.001F)
		return (struct colours){ 0, 255, "0 is black, 1 is white" };
	if (least >= 0 && most <= 255.5F)
		return (struct colours){ 0, 1, "0 is black, 255 is white" };
	return (struct colours){ least, most > least ? 255 / (most - least) : 1,
		"the smallest value of these images is black, the largest white" };
}

/* Every `step`-th pixel of each direction. */
static void fill_pixels(const struct view *v, const struct colours *k, uint32_t step, uint8_t *out)
{
	for (uint32_t y = 0; y + step <= v->height; y += step)
		for (uint32_t x = 0; x + step <= v->width; x += step)
			for (uint32_t c = 0; c < v->channels; c++) {
				float f = (value_at(v, x + step / 2, y + step / 2, c) - k->zero) *
					  k->scale;

				*out++ = f >= 255 ? 255 : f > 0 ? (uint8_t)(f + 0.5F) : 0;
			}
}

/* Frees `pixels`; NULL: out of memory. */
static enum tfr_status add_png(struct feed_gallery *g, struct tfr_encoder *e, uint8_t *pixels,
	uint32_t width, uint32_t height, unsigned channels, struct tfr_error *err)
{
	static const struct tfr_encode_opts opts = { .format = TFR_IMAGE_PNG };
	struct feed_image *p = &g->at[g->count];
	struct tfr_image image = { .data = pixels,
		.stride = (size_t)width * channels,
		.width = width,
		.height = height,
		.channels = channels };
	enum tfr_status status;
	const void *data;
	size_t size;

	if (!pixels)
		return cmd_fill_no_memory(err);
	status = tfr_encode(e, &image, &opts, &data, &size, err);
	free(pixels);
	if (status)
		return status;
	*p = (struct feed_image){ malloc(size), size, width, height };
	if (!p->png)
		return cmd_fill_no_memory(err);
	memcpy(p->png, data, size);
	g->count++;
	g->bytes += size;
	return TFR_OK;
}

static enum tfr_status keep_image(struct feed_gallery *g, struct tfr_encoder *e,
	const struct view *v, const struct colours *k, struct tfr_error *err)
{
	uint32_t larger = v->width > v->height ? v->width : v->height;
	uint32_t smaller = v->width > v->height ? v->height : v->width;
	uint32_t step = (larger + SIDE_MAX - 1) / SIDE_MAX, width, height;
	uint8_t *pixels;

	assert(smaller);
	step = step < smaller ? step : smaller;
	width = v->width / step;
	height = v->height / step;
	g->reduced |= step > 1;
	pixels = malloc((size_t)width * height * v->channels);
	if (pixels)
		fill_pixels(v, k, step, pixels);
	return add_png(g, e, pixels, width, height, v->channels, err);
}

/* ---- audio: time runs from left to right, a column spans its smallest to its largest value ----
 */

enum { WAVE_WIDTH = 320, WAVE_HEIGHT = 96 };

/* The row of a value; values outside -1 … 1 are at the edge. */
static uint32_t wave_row(float value)
{
	float row = (1 - value) / 2 * (WAVE_HEIGHT - 1);

	return row >= WAVE_HEIGHT - 1 ? WAVE_HEIGHT - 1 : row > 0 ? (uint32_t)row : 0;
}

/* `clip`: one record of the tensor `t`.  `first`: channels come before samples. */
static void draw_wave(const struct tfr_tensor *t, const uint8_t *clip, bool first, uint8_t *out)
{
	uint64_t samples = t->shape[first ? 2 : 1], channels = t->shape[first ? 1 : 2];
	int64_t next = t->strides[first ? 2 : 1], deep = t->strides[first ? 1 : 2];

	memset(out, 255, (size_t)WAVE_WIDTH * WAVE_HEIGHT);
	for (uint64_t x = 0; x < WAVE_WIDTH; x++) {
		uint64_t from = x * samples / WAVE_WIDTH, to = (x + 1) * samples / WAVE_WIDTH;
		float least = INFINITY, most = -INFINITY;

		for (uint64_t i = from; i < to || i == from; i++)
			for (uint64_t c = 0; c < channels; c++) {
				float value = number_at(
					clip + (int64_t)i * next + (int64_t)c * deep, t->dtype);

				least = value < least ? value : least;
				most = value > most ? value : most;
			}
		for (uint32_t y = wave_row(most); most >= least && y <= wave_row(least); y++)
			out[y * WAVE_WIDTH + x] = 40;
	}
}

static enum tfr_status draw_waves(struct feed_gallery *g, const struct tfr_tensor *t,
	const uint8_t *memory, unsigned n, bool first, struct tfr_error *err)
{
	struct tfr_encoder *e = tfr_encoder_new();
	enum tfr_status status = e ? TFR_OK : cmd_fill_no_memory(err);

	g->range = "from the first sample to the last, 1 at the top, -1 at the bottom";
	for (unsigned i = 0; !status && i < n; i++) {
		uint8_t *pixels = malloc((size_t)WAVE_WIDTH * WAVE_HEIGHT);

		if (pixels)
			draw_wave(t, memory + (size_t)t->strides[0] * i, first, pixels);
		status = add_png(g, e, pixels, WAVE_WIDTH, WAVE_HEIGHT, 1, err);
	}
	tfr_encoder_free(e);
	return status;
}

/* ---- a batch ---- */

static bool is_audio(const struct tfr_tensor *t)
{
	return !strcmp(t->name, "audio") && t->rank == 3;
}

static const struct tfr_tensor *find_samples(const struct tfr_batch *b)
{
	for (unsigned i = 0; i < b->tensor_count; i++) {
		const struct tfr_tensor *t = &b->tensors[i];

		if (is_audio(t) ||
			(!strcmp(t->name, "image") && t->rank == 4 && t->dtype != TFR_INT64))
			return t;
	}
	return NULL;
}

static struct view view_of(const struct tfr_tensor *t, const void *memory)
{
	bool hwc = t->shape[3] <= 4;
	int down = hwc ? 1 : 2, across = hwc ? 2 : 3, deep = hwc ? 3 : 1;

	return (struct view){ memory, t->dtype, (uint32_t)t->shape[across],
		(uint32_t)t->shape[down], (uint32_t)t->shape[deep], t->strides[across],
		t->strides[down], t->strides[deep] };
}

static enum tfr_status draw_images(struct feed_gallery *g, const struct tfr_tensor *t,
	const uint8_t *memory, unsigned n, struct tfr_error *err)
{
	struct tfr_encoder *e = tfr_encoder_new();
	float least = INFINITY, most = -INFINITY;
	enum tfr_status status = e ? TFR_OK : cmd_fill_no_memory(err);
	struct colours k;

	for (unsigned i = 0; i < n; i++) {
		struct view v = view_of(t, memory + (size_t)t->strides[0] * i);

		widen_range(&v, &least, &most);
	}
	k = colours_of(t->dtype, least, most);
	g->range = k.text;
	for (unsigned i = 0; !status && i < n && g->bytes < BYTES_MAX; i++) {
		struct view v = view_of(t, memory + (size_t)t->strides[0] * i);

		status = keep_image(g, e, &v, &k, err);
	}
	tfr_encoder_free(e);
	return status;
}

/* `memory` takes the first n samples. */
static enum tfr_status draw_samples(struct feed *f, unsigned device, const struct tfr_tensor *t,
	uint8_t *memory, unsigned n, struct tfr_error *err)
{
	const struct tfr_pipeline_plan *plan = tfr_pipeline_plan(f->pipeline);

	TFR_TRY(tfr_device_download(
		f->devices[device], memory, t->data, (size_t)t->strides[0] * n, err));
	if (!is_audio(t))
		return draw_images(&f->gallery, t, memory, n, err);
	return draw_waves(&f->gallery, t, memory, n,
		t->shape[1] == plan->audio_channels && t->shape[2] == plan->audio_samples, err);
}

enum tfr_status feed_gallery_fill(struct feed *f, const struct tfr_batch *b, struct tfr_error *err)
{
	const struct tfr_tensor *t = find_samples(b);
	unsigned n = b->records < FEED_IMAGES ? b->records : FEED_IMAGES;
	enum tfr_status status;
	uint8_t *memory;

	if (!t || !n)
		return TFR_OK;
	memory = malloc((size_t)t->strides[0] * n);
	if (!memory)
		return cmd_fill_no_memory(err);
	status = draw_samples(f, b->device, t, memory, n, err);
	free(memory);
	return status;
}

void feed_gallery_clear(struct feed_gallery *g)
{
	for (unsigned i = 0; i < g->count; i++)
		free(g->at[i].png);
	g->count = 0;
}
