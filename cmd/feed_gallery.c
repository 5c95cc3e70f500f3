/* cmd/feed_gallery.c - pictures as they arrived: copied back from the device and made into PNGs.
 *
 * What a training sees are numbers, not colours.  They are taken for colours by what range they lie
 * in, of all pictures together, and the page says which was taken; nothing is brightened on the
 * quiet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"

/* A picture of a batch, wherever its axes lie. */
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

static float value_at(const struct view *v, uint32_t x, uint32_t y, uint32_t c)
{
	const uint8_t *p = v->data + x * v->across + y * v->down + c * v->deep;
	uint16_t half;
	float f;

	switch (v->dtype) {
	case TFR_FLOAT32:
		memcpy(&f, p, sizeof(f));
		return f;
	case TFR_FLOAT16:
		memcpy(&half, p, sizeof(half));
		return from_half(half);
	default:
		return *p;
	}
}

/* colour = (value - zero) * scale */
struct colours {
	float zero, scale;
	const char *said;
};

static void widen(const struct view *v, float *least, float *most)
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
		"the least value of these pictures is black, the greatest white" };
}

static void paint(const struct view *v, const struct colours *k, uint8_t *out)
{
	for (uint32_t y = 0; y < v->height; y++)
		for (uint32_t x = 0; x < v->width; x++)
			for (uint32_t c = 0; c < v->channels; c++) {
				float f = (value_at(v, x, y, c) - k->zero) * k->scale;

				*out++ = f >= 255 ? 255 : f > 0 ? (uint8_t)(f + 0.5F) : 0;
			}
}

static enum tfr_status no_memory(struct tfr_error *err)
{
	*err = (struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory" };
	return TFR_ENOMEM;
}

static enum tfr_status keep(struct feed_gallery *g, struct tfr_encoder *e, const struct view *v,
	const struct colours *k, struct tfr_error *err)
{
	static const struct tfr_encode_opts opts = { .format = TFR_IMAGE_PNG };
	struct feed_picture *p = &g->at[g->count];
	size_t row = (size_t)v->width * v->channels, size;
	uint8_t *pixels = malloc(row * v->height);
	struct tfr_image image = { .data = pixels,
		.stride = row,
		.width = v->width,
		.height = v->height,
		.channels = v->channels };
	enum tfr_status status;
	const void *data;

	if (!pixels)
		return no_memory(err);
	paint(v, k, pixels);
	status = tfr_encode(e, &image, &opts, &data, &size, err);
	free(pixels);
	if (status)
		return status;
	*p = (struct feed_picture){ malloc(size), size, v->width, v->height };
	if (!p->png)
		return no_memory(err);
	memcpy(p->png, data, size);
	g->count++;
	return TFR_OK;
}

static const struct tfr_tensor *find_pictures(const struct tfr_batch *b)
{
	for (unsigned i = 0; i < b->tensor_count; i++)
		if (!strcmp(b->tensors[i].name, "picture") && b->tensors[i].rank == 4 &&
			b->tensors[i].dtype != TFR_INT64)
			return &b->tensors[i];
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

static enum tfr_status develop(struct feed_gallery *g, const struct tfr_tensor *t,
	const uint8_t *memory, unsigned n, struct tfr_error *err)
{
	struct tfr_encoder *e = tfr_encoder_new();
	float least = INFINITY, most = -INFINITY;
	enum tfr_status status = e ? TFR_OK : no_memory(err);
	struct colours k;

	for (unsigned i = 0; i < n; i++) {
		struct view v = view_of(t, memory + (size_t)t->strides[0] * i);

		widen(&v, &least, &most);
	}
	k = colours_of(t->dtype, least, most);
	g->range = k.said;
	for (unsigned i = 0; !status && i < n; i++) {
		struct view v = view_of(t, memory + (size_t)t->strides[0] * i);

		status = keep(g, e, &v, &k, err);
	}
	tfr_encoder_free(e);
	return status;
}

enum tfr_status feed_gallery_fill(struct feed *f, const struct tfr_batch *b, struct tfr_error *err)
{
	const struct tfr_tensor *t = find_pictures(b);
	unsigned n = b->records < FEED_PICTURES ? b->records : FEED_PICTURES;
	enum tfr_status status;
	uint8_t *memory;
	size_t size;

	if (!t || !n)
		return TFR_OK;
	size = (size_t)t->strides[0] * n;
	memory = malloc(size);
	if (!memory)
		return no_memory(err);
	status = tfr_device_download(f->devices[b->device], memory, t->data, size, err);
	if (!status)
		status = develop(&f->gallery, t, memory, n, err);
	free(memory);
	return status;
}

void feed_gallery_clear(struct feed_gallery *g)
{
	for (unsigned i = 0; i < g->count; i++)
		free(g->at[i].png);
	g->count = 0;
}
