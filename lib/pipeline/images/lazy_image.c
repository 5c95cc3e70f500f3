/* pipeline/images/lazy_image.c - pixels with pending operations.
 *
 * Pending are a resize, then the normalisation to -1 … 1, then the two mirrors, in this order.
 * A stage that would have to come before one of them applies them first.  So every stage has the
 * same result as if all were done at once, and a flip between a resize and its output costs
 * nothing. */
#include "pipeline/images/executor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

/* Well within the first cache. */
enum { BAND_BYTES = 24 << 10 };

void tfr_image_executor_charge(struct tfr_image_executor *st, unsigned stage)
{
	uint64_t now = tfr_clock_ns();

	st->spent[stage] += now - st->since;
	st->since = now;
}

/* ---- memory ---- */

static enum tfr_status reserve(
	struct tfr_image_executor *st, struct tfr_scratch *b, uint64_t bytes, struct tfr_error *err)
{
	bytes = (bytes + 63) & ~63ull;
	if (bytes <= b->capacity)
		return TFR_OK;
	if (bytes > st->max_bytes || st->bytes - b->capacity > st->max_bytes - bytes)
		return tfr_fail(err, TFR_ENOMEM,
			"stage '%s' needs more than the %llu bytes that an image may take",
			st->recipe->stages->at[st->stage].text, (unsigned long long)st->max_bytes);
	free(b->data);
	st->bytes -= b->capacity;
	b->capacity = 0;
	b->data = aligned_alloc(64, bytes);
	if (!b->data)
		return tfr_fail_nomem(err, "making images");
	b->capacity = bytes;
	st->bytes += bytes;
	return TFR_OK;
}

uint32_t tfr_image_executor_band(uint32_t width, unsigned channels)
{
	uint32_t rows = BAND_BYTES / ((uint32_t)sizeof(float) * channels * width);

	return rows ? rows : 1;
}

enum tfr_status tfr_image_executor_between(struct tfr_image_executor *st, uint32_t width,
	uint32_t height, unsigned channels, struct tfr_pixels *px, struct tfr_error *err)
{
	TFR_TRY(reserve(
		st, &st->between, (uint64_t)width * height * channels * sizeof(float), err));
	*px = tfr_pixels_dense(st->between.data, width, height, channels, TFR_FLOAT32);
	return TFR_OK;
}

/* An image like `l` at `data`, without pending operations. */
static struct tfr_lazy_image made_of(const struct tfr_lazy_image *l, void *data, int buffer,
	uint32_t width, uint32_t height, enum tfr_dtype dtype)
{
	struct tfr_lazy_image to = *l;

	to.px = tfr_pixels_dense(data, width, height, l->px.channels, dtype);
	to.buffer = buffer;
	to.x = to.y = 0;
	to.width = width;
	to.height = height;
	return to;
}

/* The same in a free buffer. */
static enum tfr_status take(struct tfr_image_executor *st, const struct tfr_lazy_image *l,
	uint32_t width, uint32_t height, enum tfr_dtype dtype, struct tfr_lazy_image *to,
	struct tfr_error *err)
{
	uint32_t busy = st->pinned[l->mask] | (l->buffer < 0 ? 0 : 1u << l->buffer);
	int index = __builtin_ctz(~busy);
	struct tfr_scratch *b = &st->buffers[l->mask][index];
	uint64_t bytes = (uint64_t)width * height * l->px.channels * tfr_dtype_size(dtype);

	assert(index < EXECUTOR_BUFFERS);
	TFR_TRY(reserve(st, b, bytes, err));
	*to = made_of(l, b->data, index, width, height, dtype);
	return TFR_OK;
}

static enum tfr_status place(struct tfr_image_executor *st, const struct tfr_lazy_image *l,
	uint32_t width, uint32_t height, struct tfr_lazy_image *to, struct tfr_error *err)
{
	struct tfr_image_form form = l->mask ? st->recipe->mask_form : st->recipe->form;
	void *data;

	form.width = width;
	form.height = height;
	tfr_image_executor_charge(st, st->stage);
	data = st->place(st->ctx, st->k, l->mask, &form);
	st->since = tfr_clock_ns();
	if (!data)
		return tfr_fail(err, TFR_ECANCELLED, "no place for an image");
	*to = made_of(l, data, -1, width, height, form.dtype);
	to->placed = true;
	return TFR_OK;
}

enum tfr_status tfr_lazy_image_target(struct tfr_image_executor *st, const struct tfr_lazy_image *l,
	uint32_t width, uint32_t height, enum tfr_dtype dtype, struct tfr_lazy_image *to,
	struct tfr_error *err)
{
	if (st->stage + 1 == st->recipe->to)
		return place(st, l, width, height, to, err);
	return take(st, l, width, height, dtype, to, err);
}

bool tfr_lazy_image_is_own(const struct tfr_image_executor *st, const struct tfr_lazy_image *l)
{
	return l->buffer >= 0 && !(st->pinned[l->mask] & 1u << l->buffer);
}

/* ---- pending operations ---- */

uint32_t tfr_lazy_image_width(const struct tfr_lazy_image *l)
{
	return l->resize ? l->to_width : l->width;
}

uint32_t tfr_lazy_image_height(const struct tfr_lazy_image *l)
{
	return l->resize ? l->to_height : l->height;
}

/* Resizes to `to`, which becomes what `l` is after it; an image with what its pass can do beside
 * it. */
static enum tfr_status resize_into(struct tfr_image_executor *st, const struct tfr_lazy_image *l,
	struct tfr_lazy_image *to, unsigned flags, struct tfr_error *err)
{
	enum tfr_status status;

	tfr_image_executor_charge(st, st->stage);
	if (l->mask) {
		status = tfr_pixels_resize_nearest(&l->px, &to->px, err);
	} else {
		flags |= l->mirror ? TFR_RESIZE_MIRROR : 0;
		flags |= l->normalise ? TFR_RESIZE_NORMALISE : 0;
		status = tfr_pixels_resize_bilinear(st->resizer, &l->px, &to->px, flags, err);
		to->mirror = false;
	}
	to->resize = to->normalise = false;
	tfr_image_executor_charge(st, l->resizer);
	return status;
}

static enum tfr_dtype resized_dtype(const struct tfr_lazy_image *l)
{
	return l->mask ? TFR_UINT8 : TFR_FLOAT32;
}

static enum tfr_status settle_resize(
	struct tfr_image_executor *st, struct tfr_lazy_image *l, struct tfr_error *err)
{
	struct tfr_lazy_image to;

	TFR_TRY(take(st, l, l->to_width, l->to_height, resized_dtype(l), &to, err));
	TFR_TRY(resize_into(st, l, &to, 0, err));
	*l = to;
	return TFR_OK;
}

/* One of the mirrors, into `to`. */
static enum tfr_status turn_into(const struct tfr_lazy_image *l, struct tfr_lazy_image *to,
	bool across, struct tfr_error *err)
{
	if (across) {
		to->mirror = false;
		return tfr_pixels_mirror(&l->px, &to->px, 0, err);
	}
	to->flip = false;
	return tfr_pixels_flip(&l->px, &to->px, err);
}

static enum tfr_status settle_turn(
	struct tfr_image_executor *st, struct tfr_lazy_image *l, bool across, struct tfr_error *err)
{
	struct tfr_lazy_image to = *l;

	if (!tfr_lazy_image_is_own(st, l))
		TFR_TRY(take(st, l, l->px.width, l->px.height, l->px.dtype, &to, err));
	TFR_TRY(turn_into(l, &to, across, err));
	*l = to;
	return TFR_OK;
}

enum tfr_status tfr_lazy_image_evaluate(
	struct tfr_image_executor *st, struct tfr_lazy_image *l, struct tfr_error *err)
{
	if (l->resize)
		TFR_TRY(settle_resize(st, l, err));
	if (l->mirror)
		TFR_TRY(settle_turn(st, l, true, err));
	return l->flip ? settle_turn(st, l, false, err) : TFR_OK;
}

/* ---- operations of stages ---- */

struct tfr_crop tfr_lazy_image_unturned(const struct tfr_lazy_image *l, struct tfr_crop w)
{
	if (l->mirror)
		w.x = l->width - w.x - w.width;
	if (l->flip)
		w.y = l->height - w.y - w.height;
	return w;
}

enum tfr_status tfr_lazy_image_crop(struct tfr_image_executor *st, struct tfr_lazy_image *l,
	const struct tfr_crop *window, struct tfr_error *err)
{
	struct tfr_crop w;
	enum tfr_status status;

	TFR_TRY(l->resize ? settle_resize(st, l, err) : TFR_OK);
	w = tfr_lazy_image_unturned(l, *window);
	w.x -= l->x;
	w.y -= l->y;
	status = tfr_pixels_window(&l->px, &w, &l->px, err);
	l->x = l->y = 0;
	l->width = w.width;
	l->height = w.height;
	return status;
}

enum tfr_status tfr_lazy_image_resize(struct tfr_image_executor *st, struct tfr_lazy_image *l,
	uint32_t width, uint32_t height, struct tfr_error *err)
{
	TFR_TRY(tfr_lazy_image_evaluate(st, l, err));
	if (l->px.dtype == TFR_UINT8 || width != l->width || height != l->height) {
		l->resize = true;
		l->to_width = width;
		l->to_height = height;
		l->resizer = st->stage;
	}
	return TFR_OK;
}

/* ---- the output ---- */

void tfr_lazy_image_copy(const struct tfr_lazy_image *l, const struct tfr_lazy_image *to)
{
	size_t bytes = (size_t)l->px.width * l->px.channels * tfr_dtype_size(l->px.dtype);

	for (uint32_t y = 0; y < l->px.height; y++)
		memcpy((uint8_t *)to->px.data + y * to->px.stride,
			(const uint8_t *)l->px.data + y * l->px.stride, bytes);
}

/* The last thing to be done is done into the output. */
static enum tfr_status put_same(
	struct tfr_image_executor *st, struct tfr_lazy_image *l, struct tfr_error *err)
{
	bool alone = !l->flip && (!l->mirror || !l->mask);
	struct tfr_lazy_image to;

	if (l->resize && !alone)
		TFR_TRY(settle_resize(st, l, err));
	if (l->mirror && l->flip)
		TFR_TRY(settle_turn(st, l, true, err));
	TFR_TRY(place(st, l, tfr_lazy_image_width(l), tfr_lazy_image_height(l), &to, err));
	if (l->resize)
		return resize_into(st, l, &to, TFR_RESIZE_STREAM, err);
	if (l->mirror || l->flip)
		return turn_into(l, &to, l->mirror, err);
	tfr_lazy_image_copy(l, &to);
	return TFR_OK;
}

/* The same with a change of numbers or of their order, which is the last thing. */
static enum tfr_status put_converted(struct tfr_image_executor *st, struct tfr_lazy_image *l,
	const struct tfr_image_form *form, struct tfr_error *err)
{
	struct tfr_lazy_image to;

	TFR_TRY(tfr_lazy_image_evaluate(st, l, err));
	TFR_TRY(place(st, l, l->width, l->height, &to, err));
	return tfr_pixels_convert(&l->px, form->dtype, form->chw ? TFR_CHW : TFR_HWC, to.px.data,
		TFR_RESIZE_STREAM, err);
}

enum tfr_status tfr_lazy_image_output(
	struct tfr_image_executor *st, struct tfr_lazy_image *l, struct tfr_error *err)
{
	const struct tfr_image_form *form = l->mask ? &st->recipe->mask_form : &st->recipe->form;
	enum tfr_dtype dtype = l->resize ? resized_dtype(l) : l->px.dtype;
	enum tfr_status status = TFR_OK;

	if (!l->placed && dtype == form->dtype && !form->chw)
		status = put_same(st, l, err);
	else if (!l->placed)
		status = put_converted(st, l, form, err);
	tfr_image_executor_charge(st, st->stage);
	return status;
}
