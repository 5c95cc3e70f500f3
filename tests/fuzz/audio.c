/* Any stages of sounds over any sound: refused, or outputs as many and as large as promised, with
 * nothing read or written beside them.  The input is two bytes that say what kind of WAV file there
 * is, two that may damage its header, a list of stages up to a NUL, and samples. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/audio.h>

#include "pipeline/images/executor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RATE = 16000, HEADER = 44, SAMPLES_MOST = 5000, BYTES_MAX = 1 << 22 };

struct outputs {
	const struct tfr_recipe *r;
	void *memory;
	uint32_t count;
};

static void *place(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form)
{
	struct outputs *o = ctx;
	const struct tfr_image_form *promised = &o->r->form;

	if (mask || k != o->count || form->dtype != promised->dtype || form->chw != promised->chw ||
		form->height != 1)
		abort();
	if (promised->fixed &&
		(form->width != promised->width || form->channels != promised->channels))
		abort();
	o->count++;
	free(o->memory);
	o->memory = malloc(tfr_image_form_bytes(form)); /* no more than that is written */
	return o->memory;
}

static void put(uint8_t *p, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

/* A file of its own memory, so that one byte too many is found out. */
static uint8_t *make_wav(const uint8_t *head, const uint8_t *samples, size_t size, size_t *whole)
{
	static const struct {
		enum tfr_audio_coding coding;
		unsigned bits;
	} kinds[] = { { TFR_AUDIO_PCM, 8 }, { TFR_AUDIO_PCM, 16 }, { TFR_AUDIO_PCM, 24 },
		{ TFR_AUDIO_PCM, 32 }, { TFR_AUDIO_FLOAT, 32 }, { TFR_AUDIO_FLOAT, 64 } };
	unsigned k = head[0] % 6, channels = 1 + head[1] % 9;
	unsigned block = kinds[k].bits / 8 * channels;
	uint8_t *wav;

	size -= size % block;
	wav = malloc(HEADER + size);
	if (!wav)
		abort();
	memcpy(wav, "RIFF....WAVEfmt ....", 20);
	put(wav + 4, HEADER - 8 + size, 4);
	put(wav + 16, 16, 4);
	put(wav + 20, kinds[k].coding, 2);
	put(wav + 22, channels, 2);
	put(wav + 24, RATE, 4);
	put(wav + 28, (uint64_t)RATE * block, 4);
	put(wav + 32, block, 2);
	put(wav + 34, kinds[k].bits, 2);
	memcpy(wav + 36, "data", 4);
	put(wav + 40, size, 4);
	if (size)
		memcpy(wav + HEADER, samples, size);
	if (head[2] % 4 == 0)
		wav[head[2] / 4 % HEADER] ^= head[3];
	*whole = HEADER + size;
	return wav;
}

static void make(const struct tfr_stage_list *s, const struct tfr_image_input *in)
{
	struct outputs o = { 0 };
	struct tfr_error err = { 0 };
	struct tfr_image_executor *st;
	struct tfr_recipe r;

	tfr_recipe_init(&r, s, 2, 1);
	o.r = &r;
	if (FUZZ_SAFE(tfr_image_executor_new(&st, BYTES_MAX, false, NULL)))
		abort();
	if (tfr_image_executor_run(st, &r, in, place, &o, &err)) {
		if ((err.status != TFR_EDATA && err.status != TFR_EFORMAT &&
			    err.status != TFR_ENOMEM) ||
			!err.message[0])
			abort();
	} else if (o.count != r.copies) {
		abort();
	}
	tfr_image_executor_free(st);
	free(o.memory);
}

static bool is_small(const struct tfr_stage_list *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->at[i].width > SAMPLES_MOST || s->at[i].voices > 64)
			return false;
	return tfr_stage_list_copies(s) <= 40 && s->count <= 16;
}

static void run(char *list, const uint8_t *head, const uint8_t *samples, size_t size)
{
	struct tfr_image_input in = { .ordinal = 3 };
	struct tfr_stage_list s;
	uint8_t *wav;

	if (tfr_stage_list_parse(&s, list, NULL))
		return;
	if (!tfr_stage_list_settle_audio(&s, RATE, 1 + head[1] % 9, NULL) && is_small(&s)) {
		wav = make_wav(head, samples, size, &in.encoded_size);
		in.encoded = wav;
		make(&s, &in);
		free(wav);
	}
	tfr_stage_list_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end;
	char *list;

	if (size < 4)
		return 0;
	end = memchr(data + 4, 0, size - 4);
	end = end ? end : data + size;
	list = calloc((size_t)(end - data) + 40, 1);
	if (!list)
		abort();
	strcat(list, "read,parse,decode=audio,");
	memcpy(list + strlen(list), data + 4, (size_t)(end - data) - 4);
	run(list, data, end, (size_t)(data + size - end));
	free(list);
	return 0;
}
