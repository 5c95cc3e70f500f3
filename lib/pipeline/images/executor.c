/* pipeline/images/executor.c - runs a recipe: the image stages of one run, on pixels with pending
 * operations.
 *
 * The stages run in order.  Where a stage makes several images of one, the later stages run for
 * each of them, so that the outputs have the order of a stream of images.  The input of such a
 * stage stays pinned until its last copy is done.
 *
 * Pending are a resize, then the normalisation to -1 … 1, then the two mirrors, in this order.
 * A stage that would have to come before one of them applies them first.  So every stage has the
 * same result as if all were done at once, and a flip between a resize and its output costs
 * nothing. */
#include "pipeline/images/executor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"

void tfr_image_executor_charge(struct tfr_image_executor *st, unsigned stage)
{
	uint64_t now = tfr_clock_ns();

	st->spent[stage] += now - st->since;
	st->since = now;
}

/* ---- memory ---- */

static enum tfr_status reserve_scratch(
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
	TFR_NEED_MEMORY(b->data, err, "making images");
	b->capacity = bytes;
	st->bytes += bytes;
	return TFR_OK;
}

enum tfr_status tfr_image_executor_between(struct tfr_image_executor *st, uint32_t width,
	uint32_t height, unsigned channels, struct tfr_pixels *px, struct tfr_error *err)
{
	TFR_TRY(reserve_scratch(
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
static enum tfr_status take_buffer(struct tfr_image_executor *st, const struct tfr_lazy_image *l,
	uint32_t width, uint32_t height, enum tfr_dtype dtype, struct tfr_lazy_image *to,
	struct tfr_error *err)
{
	uint32_t busy = st->pinned[l->mask] | (l->buffer < 0 ? 0 : 1u << l->buffer);
	int index = __builtin_ctz(~busy);
	struct tfr_scratch *b = &st->buffers[l->mask][index];
	uint64_t bytes = (uint64_t)width * height * l->px.channels * tfr_dtype_size(dtype);

	assert(index < EXECUTOR_BUFFERS);
	TFR_TRY(reserve_scratch(st, b, bytes, err));
	*to = made_of(l, b->data, index, width, height, dtype);
	return TFR_OK;
}

static enum tfr_status place_output(struct tfr_image_executor *st, const struct tfr_lazy_image *l,
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
		return place_output(st, l, width, height, to, err);
	return take_buffer(st, l, width, height, dtype, to, err);
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

	TFR_TRY(take_buffer(st, l, l->to_width, l->to_height, resized_dtype(l), &to, err));
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
		TFR_TRY(take_buffer(st, l, l->px.width, l->px.height, l->px.dtype, &to, err));
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

/* The window in the coordinates before the pending flips. */
static struct tfr_crop window_before_turns(const struct tfr_lazy_image *l, struct tfr_crop w)
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
	w = window_before_turns(l, *window);
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
	TFR_TRY(place_output(st, l, tfr_lazy_image_width(l), tfr_lazy_image_height(l), &to, err));
	if (l->resize)
		return resize_into(st, l, &to, TFR_RESIZE_STREAM, err);
	if (l->mirror || l->flip)
		return turn_into(l, &to, l->mirror, err);
	tfr_pixels_pack(&l->px, to.px.data);
	return TFR_OK;
}

/* Applies the pending operations and writes the result to the output. */
static enum tfr_status put_output(
	struct tfr_image_executor *st, struct tfr_lazy_image *l, struct tfr_error *err)
{
	const struct tfr_image_form *form = l->mask ? &st->recipe->mask_form : &st->recipe->form;
	enum tfr_dtype dtype = l->resize ? resized_dtype(l) : l->px.dtype;
	struct tfr_lazy_image to;

	if (!l->placed && dtype == form->dtype && !form->chw) {
		TFR_TRY(put_same(st, l, err));
	} else if (!l->placed) { /* a change of numbers or of their order is the last thing */
		TFR_TRY(tfr_lazy_image_evaluate(st, l, err));
		TFR_TRY(place_output(st, l, l->width, l->height, &to, err));
		TFR_TRY(tfr_pixels_convert(&l->px, form->dtype, form->chw ? TFR_CHW : TFR_HWC,
			to.px.data, TFR_RESIZE_STREAM, err));
	}
	tfr_image_executor_charge(st, st->stage);
	return TFR_OK;
}

/* ---- the executor ---- */

enum tfr_status tfr_image_executor_new(
	struct tfr_image_executor **out, uint64_t max_bytes, bool fast, struct tfr_error *err)
{
	struct tfr_decoder_opts opts = { .max_bytes = max_bytes, .fast = fast };
	struct tfr_image_executor *st = calloc(1, sizeof(*st));

	*out = st;
	TFR_NEED_MEMORY(st, err, "starting the workers");
	st->max_bytes = max_bytes;
	st->decoder = tfr_decoder_new(&opts);
	st->mask_decoder = tfr_decoder_new(&opts);
	st->resizer = tfr_resizer_new();
	if (!st->decoder || !st->mask_decoder || !st->resizer) {
		tfr_image_executor_free(TFR_STEAL(*out));
		return tfr_fail_nomem(err, "starting the workers");
	}
	return TFR_OK;
}

void tfr_image_executor_free(struct tfr_image_executor *st)
{
	if (!st)
		return;
	tfr_decoder_free(st->decoder);
	tfr_decoder_free(st->mask_decoder);
	tfr_resizer_free(st->resizer);
	for (unsigned m = 0; m < 2; m++)
		for (unsigned i = 0; i < EXECUTOR_BUFFERS; i++)
			free(st->buffers[m][i].data);
	free(st->between.data);
	free(st);
}

const uint64_t *tfr_image_executor_spent(const struct tfr_image_executor *st)
{
	return st->spent;
}

/* ---- decoding ---- */

struct tfr_draw tfr_image_executor_draw(
	const struct tfr_image_executor *st, unsigned stage, uint32_t copy)
{
	const struct tfr_stage *at = st->recipe->stages->at;
	uint64_t same = 0; /* stages of the same name before it */

	for (unsigned i = 0; i < stage; i++)
		same += at[i].row == at[stage].row;
	return (struct tfr_draw){
		.seed = st->recipe->seed + same * 0x9e3779b97f4a7c15u,
		.epoch = st->in->epoch,
		.record = st->in->ordinal,
		.copy = copy,
	};
}

static void widen_window(struct tfr_crop *all, const struct tfr_crop *w)
{
	uint32_t right = all->x + all->width, bottom = all->y + all->height;

	if (!all->width) {
		*all = *w;
		return;
	}
	right = right > w->x + w->width ? right : w->x + w->width;
	bottom = bottom > w->y + w->height ? bottom : w->y + w->height;
	all->x = all->x < w->x ? all->x : w->x;
	all->y = all->y < w->y ? all->y : w->y;
	all->width = right - all->x;
	all->height = bottom - all->y;
}

/* Copy `c` of those that stage `i` makes of output `copy` of the stages before it. */
static struct tfr_step step_of(
	struct tfr_image_executor *st, unsigned i, uint32_t copy, uint32_t c, struct tfr_error *err)
{
	const struct tfr_stage *stage = &st->recipe->stages->at[i];

	return (struct tfr_step){ st, stage,
		tfr_image_executor_draw(st, i, copy * stage->copies + c), c, err };
}

/* The window that stage `i`, which cuts, looks at with all its copies. */
static enum tfr_status windows_of(struct tfr_image_executor *st, unsigned i,
	const struct tfr_lazy_image *l, struct tfr_crop *all, struct tfr_error *err)
{
	const struct tfr_stage *stage = &st->recipe->stages->at[i];

	*all = (struct tfr_crop){ 0 };
	for (uint32_t c = 0; c < stage->copies; c++) {
		struct tfr_step s = step_of(st, i, st->in->copy, c, err);
		struct tfr_crop w;

		TFR_TRY(tfr_transforms[stage->row->transform].window(&s, l->width, l->height, &w));
		w = window_before_turns(l, w);
		widen_window(all, &w);
	}
	return TFR_OK;
}

/* The window to decode of an image of that size: if a stage crops, and only flips come before it,
 * the union of its crops. */
static enum tfr_status window_to_decode(struct tfr_image_executor *st, uint32_t width,
	uint32_t height, struct tfr_crop *window, struct tfr_error *err)
{
	const struct tfr_recipe *r = st->recipe;
	struct tfr_image_pair turned = { .image = { .width = width, .height = height } };

	*window = (struct tfr_crop){ .width = width, .height = height };
	for (unsigned i = r->from + 1; i < r->to; i++) {
		const struct tfr_stage_row *row = r->stages->at[i].row;
		struct tfr_step s = step_of(st, i, st->in->copy, 0, NULL);

		if (row->flags & STAGE_CUTS)
			return windows_of(st, i, &turned.image, window, err);
		if (row->transform != TRANSFORM_FLIP && row->transform != TRANSFORM_FLIP_VERTICAL)
			return TFR_OK;
		tfr_transforms[row->transform].apply(&s, &turned);
	}
	return TFR_OK;
}

static struct tfr_lazy_image whole_image(struct tfr_pixels px, bool mask)
{
	return (struct tfr_lazy_image){
		.px = px, .width = px.width, .height = px.height, .buffer = -1, .mask = mask
	};
}

static enum tfr_status decode_mask(struct tfr_image_executor *st, const struct tfr_image_info *size,
	struct tfr_lazy_image *l, struct tfr_error *err)
{
	struct tfr_image image;

	if (!st->in->mask_encoded)
		return tfr_fail(err, TFR_EDATA, "no mask beside the image");
	TFR_TRY(tfr_decode_numbers(
		st->mask_decoder, st->in->mask_encoded, st->in->mask_encoded_size, &image, err));
	if (image.width != size->width || image.height != size->height)
		return tfr_fail(err, TFR_EDATA, "a mask of %ux%u beside an image of %ux%u",
			image.width, image.height, size->width, size->height);
	*l = whole_image(tfr_pixels_of(&image), true);
	return TFR_OK;
}

static enum tfr_status decode_input(
	struct tfr_image_executor *st, struct tfr_image_pair *pair, struct tfr_error *err)
{
	const struct tfr_image_input *in = st->in;
	struct tfr_image_info info;
	struct tfr_image image;
	struct tfr_crop window;

	TFR_TRY(tfr_image_probe(in->encoded, in->encoded_size, &info, err));
	TFR_TRY(window_to_decode(st, info.width, info.height, &window, err));
	TFR_TRY(tfr_decode(st->decoder, in->encoded, in->encoded_size, &window, 3, &image, err));
	if (st->recipe->masks)
		TFR_TRY(decode_mask(st, &info, &pair->mask, err));
	pair->image = whole_image(tfr_pixels_of(&image), false);
	pair->image.x = window.x;
	pair->image.y = window.y;
	pair->image.width = info.width;
	pair->image.height = info.height;
	return TFR_OK;
}

/* ---- the run ---- */

/* Keeps the buffers of the pair as they are. */
static void pin_buffers(struct tfr_image_executor *st, const struct tfr_image_pair *pair)
{
	assert(pair->image.buffer < EXECUTOR_BUFFERS && pair->mask.buffer < EXECUTOR_BUFFERS);
	if (pair->image.buffer >= 0)
		st->pinned[false] |= 1u << pair->image.buffer;
	if (pair->mask.px.data && pair->mask.buffer >= 0)
		st->pinned[true] |= 1u << pair->mask.buffer;
}

static enum tfr_status put_pair(
	struct tfr_image_executor *st, struct tfr_image_pair *pair, struct tfr_error *err)
{
	assert(st->k < st->recipe->copies);
	st->stage = st->recipe->to - 1;
	TFR_TRY(put_output(st, &pair->image, err));
	if (pair->mask.px.data)
		TFR_TRY(put_output(st, &pair->mask, err));
	st->k++;
	return TFR_OK;
}

/* Runs stage `i` and those after it for output `copy` of the stages before it. */
static enum tfr_status run_stages(struct tfr_image_executor *st, unsigned i, uint32_t copy,
	const struct tfr_image_pair *pair, struct tfr_error *err)
{
	const struct tfr_stage *stage = &st->recipe->stages->at[i];
	uint32_t pinned[2] = { st->pinned[0], st->pinned[1] };

	assert(i >= st->recipe->from && i < st->recipe->to && stage->copies);
	for (uint32_t c = 0; c < stage->copies; c++) {
		struct tfr_image_pair child = *pair;
		struct tfr_step s = step_of(st, i, copy, c, err);

		if (c + 1 < stage->copies)
			pin_buffers(st, pair);
		else
			memcpy(st->pinned, pinned, sizeof(pinned));
		st->stage = i;
		TFR_TRY(tfr_transforms[stage->row->transform].apply(&s, &child));
		tfr_image_executor_charge(st, i);
		if (i + 1 < st->recipe->to)
			TFR_TRY(run_stages(st, i + 1, s.draw.copy, &child, err));
		else
			TFR_TRY(put_pair(st, &child, err));
	}
	return TFR_OK;
}

enum tfr_status tfr_image_executor_run(struct tfr_image_executor *st, const struct tfr_recipe *r,
	const struct tfr_image_input *in, image_place *place, void *ctx, struct tfr_error *err)
{
	struct tfr_image_pair pair = { 0 };

	st->recipe = r;
	st->in = in;
	st->place = place;
	st->ctx = ctx;
	st->k = 0;
	st->pinned[0] = st->pinned[1] = 0;
	st->stage = r->from;
	memset(st->spent, 0, sizeof(st->spent));
	st->since = tfr_clock_ns();
	if (r->audio)
		return tfr_image_executor_run_audio(st, err);
	if (r->decodes) {
		TFR_TRY(decode_input(st, &pair, err));
		tfr_image_executor_charge(st, r->from);
	} else {
		pair.image = whole_image(in->image, false);
		if (r->masks)
			pair.mask = whole_image(in->mask, true);
	}
	if (r->from + r->decodes < r->to)
		return run_stages(st, r->from + r->decodes, in->copy, &pair, err);
	return put_pair(st, &pair, err);
}
