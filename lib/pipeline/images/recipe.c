/* pipeline/images/recipe.c - the outputs and the memory of a run of image stages, before there is
 * an image.
 *
 * The form of an image depends only on the stages before it.  Its memory depends on which stages
 * become pending operations, done together with others.  That knowledge is repeated here, and a
 * test compares it with the memory that is used. */
#include "pipeline/images/recipe.h"

#include <assert.h>

/* Well within the first cache. */
enum { BAND_BYTES = 24 << 10 };

/* ---- outputs ---- */

uint64_t tfr_image_form_bytes(const struct tfr_image_form *form)
{
	return (uint64_t)form->width * form->height * form->channels * tfr_dtype_size(form->dtype);
}

static void add_to_form(const struct tfr_stage *st, struct tfr_image_form *form)
{
	unsigned flags = st->row->flags;

	if (flags & STAGE_SIZES) {
		form->fixed = true;
		form->width = st->width;
		form->height = st->height;
	}
	if (flags & STAGE_GROWS) {
		form->width += 2 * (uint32_t)st->n;
		form->height += 2 * (uint32_t)st->n;
	}
	if (flags & STAGE_FLOATS)
		form->dtype = TFR_FLOAT32;
	if (st->voices)
		form->channels = st->voices;
	if (flags & STAGE_FINISHES)
		form->chw = st->chw;
	if (st->row->transform == TRANSFORM_CAST)
		form->dtype = st->dtype;
}

/* Of an image before stage `end`. */
static struct tfr_image_form form_before(const struct tfr_stage_list *s, unsigned end)
{
	struct tfr_image_form form = { .channels = 3, .dtype = TFR_UINT8 };
	const struct tfr_stage *decode = &s->at[tfr_stage_list_find(s, STAGE_DECODE)];

	if (decode->audio)
		form = (struct tfr_image_form){
			.height = 1, .channels = decode->first_voices, .dtype = TFR_FLOAT32
		};
	for (unsigned i = 0; i < end; i++)
		if (s->at[i].kind == STAGE_IMAGE)
			add_to_form(&s->at[i], &form);
	return form;
}

void tfr_recipe_init(
	struct tfr_recipe *r, const struct tfr_stage_list *stages, unsigned from, uint64_t seed)
{
	unsigned decode = tfr_stage_list_find(stages, STAGE_DECODE), to = from + 1;

	assert(decode <= from && from < stages->count);
	while (to < stages->count && stages->at[to].kind == STAGE_IMAGE)
		to++;
	*r = (struct tfr_recipe){
		.stages = stages,
		.from = from,
		.to = to,
		.seed = seed,
		.decodes = stages->at[from].kind == STAGE_DECODE,
		.masks = stages->at[decode].masks,
		.audio = stages->at[decode].audio,
		.copies = 1,
		.in_form = form_before(stages, from),
		.form = form_before(stages, to),
	};
	r->mask_form = r->form;
	r->mask_form.channels = 1;
	r->mask_form.dtype = TFR_UINT8;
	r->mask_form.chw = false;
	for (unsigned i = from; i < to; i++)
		r->copies *= stages->at[i].copies;
}

/* ---- memory ---- */

/* What the stages before one have left pending: it decides whether this one is only added to the
 * pending operations. */
struct before {
	bool resized, normalised, turned, flipped;
};

static bool is_noted(const struct tfr_recipe *r, const struct tfr_stage *st, struct before *b)
{
	enum tfr_transform_id t = st->row->transform;
	bool resizes = st->row->flags & STAGE_CUTS || t == TRANSFORM_RESIZE;
	bool turns = t == TRANSFORM_FLIP || t == TRANSFORM_MIRROR;
	bool noted = (resizes && !st->area && !b->resized) || turns ||
		     (t == TRANSFORM_NORMALISE && !st->channels && !b->normalised);

	/* A pending flip is applied before a resize, but not before a crop. */
	if (b->turned && st->row->flags & STAGE_FLOATS && resizes)
		noted = false;
	b->resized |= st->row->flags & STAGE_FLOATS;
	b->normalised |= t == TRANSFORM_NORMALISE;
	b->turned |= turns;
	b->flipped |= t == TRANSFORM_FLIP_VERTICAL;
	/* Resizing to nearest and mirroring are two passes; so is an upside-down flip. */
	return noted && !b->flipped && !(r->masks && b->turned && b->resized);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint32_t tfr_image_band(uint32_t width, unsigned channels)
{
	uint32_t rows = BAND_BYTES / ((uint32_t)sizeof(float) * channels * width);

	return rows ? rows : 1;
}

/* The intermediate of two passes over an image of that form. */
static uint64_t band_bytes(const struct tfr_image_form *form)
{
	return (uint64_t)tfr_image_band(form->width, form->channels) * form->width *
		       form->channels * sizeof(float) +
	       63;
}

/* The buffers in use at once, each as large as the largest image that a stage makes or reads. */
uint64_t tfr_recipe_scratch(const struct tfr_recipe *r, uint32_t width, uint32_t height)
{
	struct tfr_image_form form = r->in_form;
	struct before before = { 0 };
	uint64_t largest = 0, band = 0;
	unsigned buffers = 2;

	if (r->audio) /* a block of samples fits what each worker has anyway */
		return 0;
	form.width = form.fixed ? form.width : width;
	form.height = form.fixed ? form.height : height;
	for (unsigned i = r->from + r->decodes; i < r->to; i++) {
		const struct tfr_stage *st = &r->stages->at[i];
		bool pending = before.resized || before.turned || before.flipped;
		bool noted = is_noted(r, st, &before);
		uint64_t seen = pending ? tfr_image_form_bytes(&form) : 0;

		buffers += st->copies > 1;
		add_to_form(st, &form);
		if (!noted)
			largest = larger(largest, larger(seen, tfr_image_form_bytes(&form)));
		if (st->channels)
			band = larger(band, band_bytes(&form));
	}
	/* Buffers of masks hold one byte where those of images hold three, or three floats.  A
	 * mask is decoded completely. */
	if (r->masks)
		largest += largest / 3;
	if (r->masks && r->decodes)
		band += (uint64_t)width * height;
	return largest ? buffers * (largest + 63) + band : band;
}
