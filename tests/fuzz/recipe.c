/* Any stages of a small image and its mask: refused, or outputs as many and as large as promised.
 */
#include <stdlib.h>
#include <string.h>

#include "pipeline/images/executor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WIDTH = 13, HEIGHT = 9, BYTES_MAX = 1 << 18 };

struct outputs {
	const struct tfr_recipe *r;
	void *memory;
	uint32_t images, masks;
};

static void *place(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form)
{
	struct outputs *o = ctx;
	const struct tfr_image_form *promised = mask ? &o->r->mask_form : &o->r->form;

	if (k != (mask ? o->masks : o->images) || form->dtype != promised->dtype ||
		form->chw != promised->chw || form->channels != promised->channels)
		abort();
	if (promised->fixed && (form->width != promised->width || form->height != promised->height))
		abort();
	*(mask ? &o->masks : &o->images) += 1;
	free(o->memory);
	o->memory = malloc(tfr_image_form_bytes(form)); /* no more than that is written */
	return o->memory;
}

static void encode(struct tfr_encoder *e, enum tfr_image_format format, unsigned channels,
	const void **data, size_t *size)
{
	uint8_t pixels[WIDTH * HEIGHT * 3];
	struct tfr_image image = { .data = pixels,
		.stride = (size_t)WIDTH * channels,
		.width = WIDTH,
		.height = HEIGHT,
		.channels = channels };

	for (size_t i = 0; i < sizeof(pixels); i++)
		pixels[i] = (uint8_t)(i * 7);
	if (tfr_encode(e, &image, &(struct tfr_encode_opts){ .format = format }, data, size, NULL))
		abort();
}

static void make(const struct tfr_stage_list *s)
{
	struct tfr_encoder *encoders[2] = { FUZZ_SAFE(tfr_encoder_new()),
		FUZZ_SAFE(tfr_encoder_new()) };
	struct tfr_image_input in = { .ordinal = 3 };
	struct outputs o = { 0 };
	struct tfr_error err = { 0 };
	struct tfr_image_executor *st;
	struct tfr_recipe r;

	encode(encoders[0], TFR_IMAGE_JPEG, 3, &in.encoded, &in.encoded_size);
	encode(encoders[1], TFR_IMAGE_PNG, 1, &in.mask_encoded, &in.mask_encoded_size);
	tfr_recipe_init(&r, s, tfr_stage_list_find(s, STAGE_DECODE), 1);
	o.r = &r;
	if (FUZZ_SAFE(tfr_image_executor_new(&st, BYTES_MAX, false, NULL)))
		abort();
	if (tfr_image_executor_run(st, &r, &in, place, &o, &err)) {
		if ((err.status != TFR_EDATA && err.status != TFR_ENOMEM) || !err.message[0])
			abort();
	} else if (o.images != r.copies || o.masks != (r.masks ? r.copies : 0)) {
		abort();
	}
	tfr_image_executor_free(st);
	free(o.memory);
	tfr_encoder_free(encoders[0]);
	tfr_encoder_free(encoders[1]);
}

/* What may become large is left out: it takes long and is no other code. */
static bool is_small(const struct tfr_stage_list *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->at[i].width > 64 || s->at[i].height > 64 || s->at[i].n > 64)
			return false;
	return tfr_stage_list_copies(s) <= 40 && s->count <= 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *list = calloc(size + 40, 1);
	struct tfr_stage_list s;

	strcat(list, "read,parse,decode");
	memcpy(list + strlen(list), data, size);
	if (!tfr_stage_list_parse(&s, list, NULL)) {
		/* audio.c fuzzes the lists of audio. */
		if (is_small(&s) && s.at[2].kind == STAGE_DECODE && !s.at[2].audio)
			make(&s);
		tfr_stage_list_free(&s);
	}
	free(list);
	return 0;
}
