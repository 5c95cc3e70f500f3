/* pipeline/images/recipe.c - runs a recipe: the image stages of one run.
 *
 * The stages run in order.  Where a stage makes several images of one, the later stages run for
 * each of them, so that the outputs have the order of a stream of images.  The input of such a
 * stage stays pinned until its last copy is done. */
#include "pipeline/images/recipe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "pipeline/images/executor.h"
#include "pipeline/images/transforms.h"

/* ---- the executor ---- */

enum tfr_status tfr_image_executor_new(
	struct tfr_image_executor **out, uint64_t max_bytes, bool fast, struct tfr_error *err)
{
	struct tfr_decoder_opts opts = { .max_bytes = max_bytes, .fast = fast };
	struct tfr_image_executor *st = calloc(1, sizeof(*st));

	*out = st;
	if (!st)
		return tfr_fail_nomem(err, "starting the workers");
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

/* How many stages of the same name come before it. */
static unsigned occurrence(const struct tfr_stage_list *s, unsigned at)
{
	unsigned n = 0;

	for (unsigned i = 0; i < at; i++)
		n += s->at[i].row == s->at[at].row;
	return n;
}

struct tfr_draw tfr_image_executor_draw(
	const struct tfr_image_executor *st, unsigned stage, uint32_t copy)
{
	const struct tfr_recipe *r = st->recipe;

	return (struct tfr_draw){
		.seed = r->seed + occurrence(r->stages, stage) * 0x9e3779b97f4a7c15u,
		.epoch = st->in->epoch,
		.record = st->in->ordinal,
		.copy = copy,
	};
}

static void widen(struct tfr_crop *all, const struct tfr_crop *w)
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

/* The part that stage `i`, which cuts, looks at with all its copies. */
static enum tfr_status windows_of(struct tfr_image_executor *st, unsigned i,
	const struct tfr_lazy_image *l, struct tfr_crop *all, struct tfr_error *err)
{
	const struct tfr_stage *stage = &st->recipe->stages->at[i];

	*all = (struct tfr_crop){ 0 };
	for (uint32_t c = 0; c < stage->copies; c++) {
		struct tfr_step s = step_of(st, i, st->in->copy, c, err);
		struct tfr_crop w;

		TFR_TRY(stage->row->transform->window(&s, l->width, l->height, &w));
		w = tfr_lazy_image_unturned(l, w);
		widen(all, &w);
	}
	return TFR_OK;
}

/* The part to decode of an image of that size: if a stage crops, and only flips come before it,
 * the union of its crops. */
static enum tfr_status part_to_decode(struct tfr_image_executor *st, uint32_t width,
	uint32_t height, struct tfr_crop *part, struct tfr_error *err)
{
	const struct tfr_recipe *r = st->recipe;
	struct tfr_image_pair turned = { .image = { .width = width, .height = height } };

	*part = (struct tfr_crop){ .width = width, .height = height };
	for (unsigned i = r->from + 1; i < r->to; i++) {
		const struct tfr_transform *t = r->stages->at[i].row->transform;
		struct tfr_step s = step_of(st, i, st->in->copy, 0, NULL);

		if (t->window)
			return windows_of(st, i, &turned.image, part, err);
		if (t != &tfr_transform_flip && t != &tfr_transform_flip_vertical)
			return TFR_OK;
		t->apply(&s, &turned);
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

static enum tfr_status decode(
	struct tfr_image_executor *st, struct tfr_image_pair *pair, struct tfr_error *err)
{
	const struct tfr_image_input *in = st->in;
	struct tfr_image_info info;
	struct tfr_image image;
	struct tfr_crop part;

	TFR_TRY(tfr_image_probe(in->encoded, in->encoded_size, &info, err));
	TFR_TRY(part_to_decode(st, info.width, info.height, &part, err));
	TFR_TRY(tfr_decode(st->decoder, in->encoded, in->encoded_size, &part, 3, &image, err));
	if (st->recipe->masks)
		TFR_TRY(decode_mask(st, &info, &pair->mask, err));
	pair->image = whole_image(tfr_pixels_of(&image), false);
	pair->image.x = part.x;
	pair->image.y = part.y;
	pair->image.width = info.width;
	pair->image.height = info.height;
	return TFR_OK;
}

/* ---- the run ---- */

/* Keeps the buffers of the pair as they are. */
static void pin(struct tfr_image_executor *st, const struct tfr_image_pair *pair)
{
	assert(pair->image.buffer < EXECUTOR_BUFFERS && pair->mask.buffer < EXECUTOR_BUFFERS);
	if (pair->image.buffer >= 0)
		st->pinned[false] |= 1u << pair->image.buffer;
	if (pair->mask.px.data && pair->mask.buffer >= 0)
		st->pinned[true] |= 1u << pair->mask.buffer;
}

static enum tfr_status put(
	struct tfr_image_executor *st, struct tfr_image_pair *pair, struct tfr_error *err)
{
	assert(st->k < st->recipe->copies);
	st->stage = st->recipe->to - 1;
	TFR_TRY(tfr_lazy_image_output(st, &pair->image, err));
	if (pair->mask.px.data)
		TFR_TRY(tfr_lazy_image_output(st, &pair->mask, err));
	st->k++;
	return TFR_OK;
}

/* Runs stage `i` and those after it for output `copy` of the stages before it. */
static enum tfr_status go_on(struct tfr_image_executor *st, unsigned i, uint32_t copy,
	const struct tfr_image_pair *pair, struct tfr_error *err)
{
	const struct tfr_stage *stage = &st->recipe->stages->at[i];
	uint32_t pinned[2] = { st->pinned[0], st->pinned[1] };

	assert(i >= st->recipe->from && i < st->recipe->to && stage->copies);
	for (uint32_t c = 0; c < stage->copies; c++) {
		struct tfr_image_pair child = *pair;
		struct tfr_step s = step_of(st, i, copy, c, err);

		if (c + 1 < stage->copies)
			pin(st, pair);
		else
			memcpy(st->pinned, pinned, sizeof(pinned));
		st->stage = i;
		TFR_TRY(stage->row->transform->apply(&s, &child));
		tfr_image_executor_charge(st, i);
		if (i + 1 < st->recipe->to)
			TFR_TRY(go_on(st, i + 1, s.draw.copy, &child, err));
		else
			TFR_TRY(put(st, &child, err));
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
		TFR_TRY(decode(st, &pair, err));
		tfr_image_executor_charge(st, r->from);
	} else {
		pair.image = whole_image(in->image, false);
		if (r->masks)
			pair.mask = whole_image(in->mask, true);
	}
	if (r->from + r->decodes < r->to)
		return go_on(st, r->from + r->decodes, in->copy, &pair, err);
	return put(st, &pair, err);
}
