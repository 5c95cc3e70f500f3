/* pipeline/stages/stages.c - the array of stages, and the arguments of stages, each with its
 * bounds.
 *
 * A new stage is a row here: its name, its argument, its function.  A reader moves a cursor over
 * what it accepts; what is left at the end is an error.  So is a number with a sign, a blank or a
 * leading "0x", which strtod() would take. */
#include "pipeline/stages/stages.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/decimal.h"
#include "base/error.h"
#include "pipeline/images/transforms.h"

/* The longest side of an image. Batches of such images are refused by their memory. */
enum { SIDE_MAX = 1 << 14, VOICES_MAX = 1024 };

static enum tfr_status wrong(const struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	tfr_fail(err, TFR_EUSAGE, "'%.80s' is not what stage '%s' takes", arg, st->row->name);
	tfr_error_hint(err, "It is written '%s%s'.", st->row->name, st->row->argument);
	return TFR_EUSAGE;
}

static enum tfr_status name_it(struct tfr_stage *st, struct tfr_error *err, const char *format, ...)
	TFR_PRINTF(3, 4);

/* Writes the normal form: the name, and this argument. */
static enum tfr_status name_it(struct tfr_stage *st, struct tfr_error *err, const char *format, ...)
{
	char tail[256];
	va_list args;

	va_start(args, format);
	vsnprintf(tail, sizeof(tail), format, args);
	va_end(args);
	st->text = tfr_asprintf("%s%s", st->row->name, tail);
	TFR_NEED_MEMORY(st->text, err, "reading the list of stages");
	return TFR_OK;
}

static bool accept(const char **p, char c)
{
	if (**p != c)
		return false;
	++*p;
	return true;
}

/* An integer from `least` to `most`; otherwise false. */
static bool number(const char **p, uint64_t least, uint64_t most, uint64_t *value)
{
	const char *start = *p;

	for (*value = 0; **p >= '0' && **p <= '9'; ++*p) {
		unsigned digit = (unsigned)(**p - '0');

		if (digit > most || *value > (most - digit) / 10)
			return false;
		*value = 10 * *value + digit;
	}
	return *p > start && *value >= least;
}

static bool number32(const char **p, uint32_t least, uint32_t most, uint32_t *value)
{
	uint64_t wide;

	if (!number(p, least, most, &wide))
		return false;
	*value = (uint32_t)wide;
	return true;
}

/* A number with digits, a point and an exponent, not below 0. */
static bool real(const char **p, double *value)
{
	size_t n = strspn(*p, "0123456789.");
	char *end;

	if (!n)
		return false;
	*value = tfr_text_f64(*p, &end);
	if ((size_t)(end - *p) < n || *value > 1e30)
		return false;
	*p = end;
	return true;
}

/* W or WxH */
static bool size(const char **p, struct tfr_stage *st)
{
	if (!number32(p, 1, SIDE_MAX, &st->width))
		return false;
	st->height = st->width;
	return !accept(p, 'x') || number32(p, 1, SIDE_MAX, &st->height);
}

enum { COPIES_TEXT = 16 };

/* "*N", if the stage takes it; writes its normal form. */
static bool copies(const char **p, struct tfr_stage *st, char text[COPIES_TEXT])
{
	bool taken = strchr(st->row->argument, '*') && accept(p, '*');

	*text = '\0';
	if (taken && !number32(p, 1, STAGES_COPIES_MAX, &st->copies))
		return false;
	if (taken && st->copies > 1)
		snprintf(text, COPIES_TEXT, "*%u", st->copies);
	return true;
}

static enum tfr_status name_size(struct tfr_stage *st, const char *tail, struct tfr_error *err)
{
	if (st->width == st->height)
		return name_it(st, err, "=%u%s", st->width, tail);
	return name_it(st, err, "=%ux%u%s", st->width, st->height, tail);
}

static enum tfr_status take_none(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	(void)arg;
	return name_it(st, err, "%s", "");
}

static enum tfr_status take_read(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg;

	st->n = 4;
	st->min = 1;
	if (p && (!number(&p, 1, 1024, &st->n) ||
			 (accept(&p, ':') && !number(&p, 1, UINT32_MAX, &st->min)) || *p))
		return wrong(st, arg, err);
	return name_it(
		st, err, "=%llu:%llu", (unsigned long long)st->n, (unsigned long long)st->min);
}

static enum tfr_status name_audio(struct tfr_stage *st, struct tfr_error *err)
{
	if (st->rate)
		return name_it(st, err, "=audio:%u", st->rate);
	return name_it(st, err, "%s", "=audio");
}

static enum tfr_status take_decode(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg ? arg + strlen("audio") : NULL;

	if (!arg || !strcmp(arg, "masks")) {
		st->masks = arg;
		return name_it(st, err, "%s", arg ? "=masks" : "");
	}
	if (strncmp(arg, "audio", strlen("audio")))
		return wrong(st, arg, err);
	if (*p && (!accept(&p, ':') || !number32(&p, 1, INT32_MAX, &st->rate) || *p))
		return wrong(st, arg, err);
	st->audio = true;
	return name_audio(st, err);
}

static enum tfr_status take_size(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg;
	char tail[COPIES_TEXT];

	if (!size(&p, st) || !copies(&p, st, tail) || *p)
		return wrong(st, arg, err);
	return name_size(st, tail, err);
}

static enum tfr_status take_resize(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg;

	if (!size(&p, st))
		return wrong(st, arg, err);
	st->area = !strcmp(p, ":area");
	if (*p && !st->area)
		return wrong(st, arg, err);
	return name_size(st, p, err);
}

static enum tfr_status take_number(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	uint64_t most = st->row->flags & STAGE_AUDIO ? VOICES_MAX
			: st->kind == STAGE_IMAGE    ? SIDE_MAX
			: st->kind == STAGE_SHUFFLE  ? UINT32_MAX
						     : 1 << 20;
	const char *p = arg;

	if (!number(&p, 1, most, &st->n) || *p)
		return wrong(st, arg, err);
	return name_it(st, err, "=%llu", (unsigned long long)st->n);
}

static enum tfr_status take_degrees(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg;
	char text[TFR_DECIMAL_ROOM + 1];

	if (!real(&p, &st->degrees) || *p || !(st->degrees > 0 && st->degrees <= 360))
		return wrong(st, arg, err);
	*tfr_decimal_f64(text, st->degrees) = '\0';
	return name_it(st, err, "=%s", text);
}

/* One number for all channels, or three. */
static bool per_channel(const char **p, float *to, unsigned *count)
{
	double value;

	for (*count = 0; *count < 3;) {
		if (!real(p, &value))
			return false;
		to[(*count)++] = (float)value;
		if (!accept(p, '/'))
			break;
	}
	return *count != 2 && (*p)[-1] != '/';
}

/* Writes them as per_channel() reads them. */
static char *put_channels(char *p, char before, const float *values, unsigned count)
{
	for (unsigned c = 0; c < count; c++) {
		*p++ = c ? '/' : before;
		p = tfr_decimal_f32(p, values[c]);
	}
	return p;
}

static enum tfr_status take_normalise(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	char text[8 * TFR_DECIMAL_ROOM];
	const char *p = arg;
	unsigned means, stds;

	if (!arg)
		return name_it(st, err, "%s", "");
	if (!per_channel(&p, st->mean, &means) || !accept(&p, ':') ||
		!per_channel(&p, st->std, &stds) || *p || means != stds)
		return wrong(st, arg, err);
	st->channels = means;
	for (unsigned c = 0; c < stds; c++)
		if (!(st->std[c] > 0))
			return tfr_fail(err, TFR_EUSAGE, "stage 'normalise' would divide by 0");
	*put_channels(put_channels(text, '=', st->mean, means), ':', st->std, stds) = '\0';
	return name_it(st, err, "%s", text);
}

static enum tfr_status take_cast(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	if (!tfr_dtype_parse(arg, &st->dtype) || st->dtype > TFR_FLOAT32)
		return wrong(st, arg, err);
	return name_it(st, err, "=%s", arg);
}

/* ---- audio ---- */

/* The longest audio clip. Batches of such clips are refused by their memory. */
enum { LENGTH_MAX = 1 << 28 };

static enum tfr_status name_length(struct tfr_stage *st, struct tfr_error *err)
{
	char text[TFR_DECIMAL_ROOM + 2], copies[COPIES_TEXT] = "";

	if (st->copies > 1)
		snprintf(copies, sizeof(copies), "*%u", st->copies);
	if (st->width)
		return name_it(st, err, "=%u%s", st->width, copies);
	strcpy(tfr_decimal_f64(text, st->seconds), "s");
	return name_it(st, err, "=%s%s", text, copies);
}

/* SAMPLES, or SECONDS and an s. */
static bool length(const char **p, struct tfr_stage *st)
{
	const char *start = *p;

	st->height = 1;
	if (real(p, &st->seconds) && accept(p, 's'))
		return st->seconds > 0 && st->seconds <= LENGTH_MAX;
	*p = start;
	st->seconds = 0;
	return number32(p, 1, LENGTH_MAX, &st->width);
}

static enum tfr_status take_length(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg;
	char tail[COPIES_TEXT];

	if (!length(&p, st) || !copies(&p, st, tail) || *p)
		return wrong(st, arg, err);
	return name_length(st, err);
}

static enum tfr_status take_mono(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	st->voices = 1;
	return take_none(st, arg, err);
}

static enum tfr_status take_channels(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	TFR_TRY(take_number(st, arg, err));
	st->voices = (uint32_t)st->n;
	return TFR_OK;
}

static enum tfr_status take_audio_cast(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	if (!tfr_dtype_parse(arg, &st->dtype) ||
		(st->dtype != TFR_INT16 && st->dtype != TFR_FLOAT16 && st->dtype != TFR_BFLOAT16 &&
			st->dtype != TFR_FLOAT32))
		return wrong(st, arg, err);
	return name_it(st, err, "=%s", arg);
}

static enum tfr_status settle_length(struct tfr_stage *st, uint32_t rate, struct tfr_error *err)
{
	double samples = st->seconds * rate + 0.5;

	if (samples < 1 || samples > LENGTH_MAX)
		return tfr_fail(err, TFR_EUSAGE,
			"stage '%s': that is %.0f samples at %u per second; it can be 1 to %d",
			st->text, samples - 0.5, rate, LENGTH_MAX);
	assert(st->seconds > 0 && rate);
	st->width = (uint32_t)samples;
	free(st->text);
	return name_length(st, err);
}

enum tfr_status tfr_stage_list_settle_audio(
	struct tfr_stage_list *s, uint32_t rate, uint32_t channels, struct tfr_error *err)
{
	struct tfr_stage *decode = &s->at[tfr_stage_list_find(s, STAGE_DECODE)];
	bool any = false;

	if (!decode->rate) {
		decode->rate = rate;
		free(decode->text);
		TFR_TRY(name_audio(decode, err));
	}
	for (unsigned i = 0; i < s->count; i++) {
		any |= s->at[i].voices > 0;
		if (s->at[i].seconds > 0)
			TFR_TRY(settle_length(&s->at[i], decode->rate, err));
	}
	decode->first_voices = channels;
	decode->voices = any ? 0 : channels;
	return TFR_OK;
}

/* ---- the rows ---- */

const struct tfr_stage_row tfr_stage_rows[] = {
	{ "read", STAGE_READ, "[=CYCLE[:BLOCK]]", take_read },
	{ "inflate", STAGE_INFLATE, NULL, take_none },
	{ "parse", STAGE_PARSE, NULL, take_none },
	{ "filter", STAGE_FILTER, NULL, take_none },
	{ "cache", STAGE_CACHE, NULL, take_none },
	{ "decode", STAGE_DECODE, "[=masks|audio[:RATE]]", take_decode },
	{ "resize", STAGE_IMAGE, "=W[xH][:area]", take_resize, STAGE_SIZES | STAGE_FLOATS,
		&tfr_transform_resize },
	{ "random-resized-crop", STAGE_IMAGE, "=W[xH]", take_size, STAGE_SIZES | STAGE_FLOATS,
		&tfr_transform_random_resized_crop },
	{ "random-crop", STAGE_IMAGE, "=W[xH][*N]", take_size, STAGE_SIZES,
		&tfr_transform_random_crop },
	{ "centre-crop", STAGE_IMAGE, "=W[xH]", take_size, STAGE_SIZES | STAGE_FLOATS,
		&tfr_transform_centre_crop },
	{ "five-crop", STAGE_IMAGE, "=W[xH]", take_size, STAGE_SIZES, &tfr_transform_five_crop, 5 },
	{ "mirror", STAGE_IMAGE, NULL, take_none, 0, &tfr_transform_mirror, 2 },
	{ "flip", STAGE_IMAGE, NULL, take_none, 0, &tfr_transform_flip },
	{ "flip-vertical", STAGE_IMAGE, NULL, take_none, 0, &tfr_transform_flip_vertical },
	{ "reflect-pad", STAGE_IMAGE, "=N", take_number, STAGE_GROWS, &tfr_transform_reflect_pad },
	{ "pad", STAGE_IMAGE, "=W[xH]", take_size, STAGE_SIZES, &tfr_transform_pad },
	{ "rotate", STAGE_IMAGE, "=DEGREES", take_degrees, 0, &tfr_transform_rotate },
	{ "cutout", STAGE_IMAGE, "=N", take_number, 0, &tfr_transform_cutout },
	{ "normalise", STAGE_IMAGE, "[=M1/M2/M3:S1/S2/S3]", take_normalise, STAGE_FLOATS,
		&tfr_transform_normalise },
	{ "standardise", STAGE_IMAGE, NULL, take_none, STAGE_FLOATS, &tfr_transform_standardise },
	{ "cast", STAGE_IMAGE, "=uint8|float16|float32", take_cast, 0, &tfr_transform_cast },
	{ "chw", STAGE_IMAGE, NULL, take_none, STAGE_FINISHES | STAGE_PLANES, &tfr_transform_form },
	{ "hwc", STAGE_IMAGE, NULL, take_none, STAGE_FINISHES, &tfr_transform_form },
	{ "crop", STAGE_IMAGE, "=SAMPLES|SECONDSs", take_length, STAGE_AUDIO | STAGE_SIZES,
		&tfr_transform_audio_crop },
	{ "random-crop", STAGE_IMAGE, "=SAMPLES|SECONDSs[*N]", take_length,
		STAGE_AUDIO | STAGE_SIZES, &tfr_transform_audio_random_crop },
	{ "centre-crop", STAGE_IMAGE, "=SAMPLES|SECONDSs", take_length, STAGE_AUDIO | STAGE_SIZES,
		&tfr_transform_audio_centre_crop },
	{ "mono", STAGE_IMAGE, NULL, take_mono, STAGE_AUDIO, &tfr_transform_audio_mono },
	{ "channels", STAGE_IMAGE, "=N", take_channels, STAGE_AUDIO,
		&tfr_transform_audio_channels },
	{ "cast", STAGE_IMAGE, "=int16|float16|bfloat16|float32", take_audio_cast, STAGE_AUDIO,
		&tfr_transform_cast },
	{ "channels-first", STAGE_IMAGE, NULL, take_none,
		STAGE_AUDIO | STAGE_FINISHES | STAGE_PLANES, &tfr_transform_form },
	{ "shuffle", STAGE_SHUFFLE, "=N", take_number },
	{ "batch", STAGE_BATCH, "=N", take_number },
	{ "prefetch", STAGE_PREFETCH, "=N", take_number },
	{ "upload", STAGE_UPLOAD, NULL, take_none },
};

const size_t tfr_stage_row_count = sizeof(tfr_stage_rows) / sizeof(*tfr_stage_rows);
