/* pipeline/stages.c - the array of stages, the arguments of stages, each with its bounds, the order
 * of stages, and the parser of lists.
 *
 * A new stage is a row here: its name, its argument, the reader of it.  A reader moves a cursor
 * over what it accepts; what is left at the end is an error.  So is a number with a sign, a blank
 * or a leading "0x", which strtod() would take.
 *
 * The order is checked in one pass over the list, with the kinds seen so far.  One row per kind has
 * the kinds that it needs before it, and those that it may not have before it. */
#include "pipeline/stages.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/error.h"

/* The longest side of an image. Batches of such images are refused by their memory. */
enum { SIDE_MAX = 1 << 14, VOICES_MAX = 1024 };

static enum tfr_status refuse_argument(
	const struct tfr_stage *st, const char *arg, struct tfr_error *err)
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
static bool read_number(const char **p, uint64_t least, uint64_t most, uint64_t *value)
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

static bool read_number32(const char **p, uint32_t least, uint32_t most, uint32_t *value)
{
	uint64_t wide;

	if (!read_number(p, least, most, &wide))
		return false;
	*value = (uint32_t)wide;
	return true;
}

/* A number with digits, a point and an exponent, not below 0. */
static bool read_real(const char **p, double *value)
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
static bool read_size(const char **p, struct tfr_stage *st)
{
	if (!read_number32(p, 1, SIDE_MAX, &st->width))
		return false;
	st->height = st->width;
	return !accept(p, 'x') || read_number32(p, 1, SIDE_MAX, &st->height);
}

enum { COPIES_TEXT = 16 };

/* "*N", if the stage takes it; writes its normal form. */
static bool read_copies(const char **p, struct tfr_stage *st, char text[COPIES_TEXT])
{
	bool taken = strchr(st->row->argument, '*') && accept(p, '*');

	*text = '\0';
	if (taken && !read_number32(p, 1, STAGES_COPIES_MAX, &st->copies))
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
	if (p && (!read_number(&p, 1, 1024, &st->n) ||
			 (accept(&p, ':') && !read_number(&p, 1, UINT32_MAX, &st->min)) || *p))
		return refuse_argument(st, arg, err);
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
		return refuse_argument(st, arg, err);
	if (*p && (!accept(&p, ':') || !read_number32(&p, 1, INT32_MAX, &st->rate) || *p))
		return refuse_argument(st, arg, err);
	st->audio = true;
	return name_audio(st, err);
}

static enum tfr_status take_size(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg;
	char tail[COPIES_TEXT];

	if (!read_size(&p, st) || !read_copies(&p, st, tail) || *p)
		return refuse_argument(st, arg, err);
	return name_size(st, tail, err);
}

static enum tfr_status take_resize(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg;

	if (!read_size(&p, st))
		return refuse_argument(st, arg, err);
	st->area = !strcmp(p, ":area");
	if (*p && !st->area)
		return refuse_argument(st, arg, err);
	return name_size(st, p, err);
}

static enum tfr_status take_number(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	uint64_t most = st->row->flags & STAGE_AUDIO ? VOICES_MAX
			: st->kind == STAGE_IMAGE    ? SIDE_MAX
			: st->kind == STAGE_SHUFFLE  ? UINT32_MAX
						     : 1 << 20;
	const char *p = arg;

	if (!read_number(&p, 1, most, &st->n) || *p)
		return refuse_argument(st, arg, err);
	return name_it(st, err, "=%llu", (unsigned long long)st->n);
}

static enum tfr_status take_degrees(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg;
	char text[TFR_DECIMAL_ROOM + 1];

	if (!read_real(&p, &st->degrees) || *p || !(st->degrees > 0 && st->degrees <= 360))
		return refuse_argument(st, arg, err);
	*tfr_decimal_f64(text, st->degrees) = '\0';
	return name_it(st, err, "=%s", text);
}

/* One number for all channels, or three. */
static bool read_channels(const char **p, float *to, unsigned *count)
{
	double value;

	for (*count = 0; *count < 3;) {
		if (!read_real(p, &value))
			return false;
		to[(*count)++] = (float)value;
		if (!accept(p, '/'))
			break;
	}
	return *count != 2 && (*p)[-1] != '/';
}

/* Writes them as read_channels() reads them. */
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
	if (!read_channels(&p, st->mean, &means) || !accept(&p, ':') ||
		!read_channels(&p, st->std, &stds) || *p || means != stds)
		return refuse_argument(st, arg, err);
	st->channels = means;
	for (unsigned c = 0; c < stds; c++)
		if (!(st->std[c] > 0))
			return tfr_fail(err, TFR_EUSAGE, "stage 'normalise' would divide by 0");
	*put_channels(put_channels(text, '=', st->mean, means), ':', st->std, stds) = '\0';
	return name_it(st, err, "%s", text);
}

static enum tfr_status take_cast(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	static const unsigned images = 1 << TFR_UINT8 | 1 << TFR_FLOAT16 | 1 << TFR_FLOAT32;
	static const unsigned audio =
		1 << TFR_INT16 | 1 << TFR_FLOAT16 | 1 << TFR_BFLOAT16 | 1 << TFR_FLOAT32;
	unsigned types = st->row->flags & STAGE_AUDIO ? audio : images;

	if (!tfr_dtype_parse(arg, &st->dtype) || !(types & 1u << st->dtype))
		return refuse_argument(st, arg, err);
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
static bool read_length(const char **p, struct tfr_stage *st)
{
	const char *start = *p;

	st->height = 1;
	if (read_real(p, &st->seconds) && accept(p, 's'))
		return st->seconds > 0 && st->seconds <= LENGTH_MAX;
	*p = start;
	st->seconds = 0;
	return read_number32(p, 1, LENGTH_MAX, &st->width);
}

static enum tfr_status take_length(struct tfr_stage *st, const char *arg, struct tfr_error *err)
{
	const char *p = arg;
	char tail[COPIES_TEXT];

	if (!read_length(&p, st) || !read_copies(&p, st, tail) || *p)
		return refuse_argument(st, arg, err);
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

static const struct tfr_stage_row rows[] = {
	{ "read", STAGE_READ, "[=CYCLE[:BLOCK]]", take_read },
	{ "inflate", STAGE_INFLATE, NULL, take_none },
	{ "parse", STAGE_PARSE, NULL, take_none },
	{ "filter", STAGE_FILTER, NULL, take_none },
	{ "cache", STAGE_CACHE, NULL, take_none },
	{ "decode", STAGE_DECODE, "[=masks|audio[:RATE]]", take_decode },
	{ "resize", STAGE_IMAGE, "=W[xH][:area]", take_resize, STAGE_SIZES | STAGE_FLOATS,
		TRANSFORM_RESIZE },
	{ "random-resized-crop", STAGE_IMAGE, "=W[xH]", take_size,
		STAGE_CUTS | STAGE_SIZES | STAGE_FLOATS, TRANSFORM_RANDOM_RESIZED_CROP },
	{ "random-crop", STAGE_IMAGE, "=W[xH][*N]", take_size, STAGE_CUTS | STAGE_SIZES,
		TRANSFORM_RANDOM_CROP },
	{ "centre-crop", STAGE_IMAGE, "=W[xH]", take_size, STAGE_CUTS | STAGE_SIZES | STAGE_FLOATS,
		TRANSFORM_CENTRE_CROP },
	{ "five-crop", STAGE_IMAGE, "=W[xH]", take_size, STAGE_CUTS | STAGE_SIZES,
		TRANSFORM_FIVE_CROP, 5 },
	{ "mirror", STAGE_IMAGE, NULL, take_none, 0, TRANSFORM_MIRROR, 2 },
	{ "flip", STAGE_IMAGE, NULL, take_none, 0, TRANSFORM_FLIP },
	{ "flip-vertical", STAGE_IMAGE, NULL, take_none, 0, TRANSFORM_FLIP_VERTICAL },
	{ "reflect-pad", STAGE_IMAGE, "=N", take_number, STAGE_GROWS, TRANSFORM_REFLECT_PAD },
	{ "pad", STAGE_IMAGE, "=W[xH]", take_size, STAGE_SIZES, TRANSFORM_PAD },
	{ "rotate", STAGE_IMAGE, "=DEGREES", take_degrees, 0, TRANSFORM_ROTATE },
	{ "cutout", STAGE_IMAGE, "=N", take_number, 0, TRANSFORM_CUTOUT },
	{ "normalise", STAGE_IMAGE, "[=M1/M2/M3:S1/S2/S3]", take_normalise, STAGE_FLOATS,
		TRANSFORM_NORMALISE },
	{ "standardise", STAGE_IMAGE, NULL, take_none, STAGE_FLOATS, TRANSFORM_STANDARDISE },
	{ "cast", STAGE_IMAGE, "=uint8|float16|float32", take_cast, 0, TRANSFORM_CAST },
	{ "chw", STAGE_IMAGE, NULL, take_none, STAGE_FINISHES | STAGE_PLANES, TRANSFORM_FORM },
	{ "hwc", STAGE_IMAGE, NULL, take_none, STAGE_FINISHES, TRANSFORM_FORM },
	{ "crop", STAGE_IMAGE, "=SAMPLES|SECONDSs", take_length, STAGE_AUDIO | STAGE_SIZES,
		TRANSFORM_CROP },
	{ "random-crop", STAGE_IMAGE, "=SAMPLES|SECONDSs[*N]", take_length,
		STAGE_AUDIO | STAGE_SIZES, TRANSFORM_RANDOM_CROP },
	{ "centre-crop", STAGE_IMAGE, "=SAMPLES|SECONDSs", take_length, STAGE_AUDIO | STAGE_SIZES,
		TRANSFORM_CENTRE_CROP },
	{ "mono", STAGE_IMAGE, NULL, take_mono, STAGE_AUDIO, TRANSFORM_MONO },
	{ "channels", STAGE_IMAGE, "=N", take_channels, STAGE_AUDIO, TRANSFORM_CHANNELS },
	{ "cast", STAGE_IMAGE, "=int16|float16|bfloat16|float32", take_cast, STAGE_AUDIO,
		TRANSFORM_CAST },
	{ "channels-first", STAGE_IMAGE, NULL, take_none,
		STAGE_AUDIO | STAGE_FINISHES | STAGE_PLANES, TRANSFORM_FORM },
	{ "shuffle", STAGE_SHUFFLE, "=N", take_number },
	{ "batch", STAGE_BATCH, "=N", take_number },
	{ "prefetch", STAGE_PREFETCH, "=N", take_number },
	{ "upload", STAGE_UPLOAD, NULL, take_none },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

/* ---- the order ---- */

/* The kind's bit. */
#define KIND(kind) (1u << STAGE_##kind)

static const struct {
	bool once;
	unsigned needs;	  /* kinds that must come before it */
	unsigned before;  /* kinds that must not */
	const char *name; /* of a kind that another one needs or must precede */
} laws[STAGE_KINDS] = {
	[STAGE_READ] = { true, 0, 0, "read" },
	[STAGE_INFLATE] = { true, 0, KIND(UPLOAD) },
	[STAGE_PARSE] = { true, 0, KIND(UPLOAD), "parse" },
	[STAGE_FILTER] = { true, KIND(PARSE), KIND(DECODE) | KIND(BATCH) | KIND(UPLOAD) },
	[STAGE_CACHE] = { true, 0, KIND(BATCH) | KIND(UPLOAD) },
	[STAGE_DECODE] = { true, KIND(PARSE), KIND(BATCH) | KIND(UPLOAD), "decode" },
	[STAGE_IMAGE] = { false, KIND(DECODE), KIND(BATCH) | KIND(UPLOAD) },
	[STAGE_SHUFFLE] = { false, 0, KIND(BATCH) | KIND(UPLOAD) },
	[STAGE_PREFETCH] = { false, 0, KIND(UPLOAD) },
	[STAGE_BATCH] = { true, 0, KIND(UPLOAD), "batch" },
	[STAGE_UPLOAD] = { true, KIND(BATCH), 0, "upload" },
};

/* The name of the lowest kind in `kinds`. */
static const char *first_name(unsigned kinds)
{
	return laws[__builtin_ctz(kinds)].name;
}

static enum tfr_status check_kind(const struct tfr_stage *st, unsigned seen, struct tfr_error *err)
{
	unsigned missing = laws[st->kind].needs & ~seen, passed = laws[st->kind].before & seen;
	const char *name = st->row->name;

	if (laws[st->kind].once && seen & 1u << st->kind)
		return tfr_fail(err, TFR_EUSAGE, "stage '%s' given twice", name);
	if (missing)
		return tfr_fail(err, TFR_EUSAGE, "stage '%s' needs '%s' before it", name,
			first_name(missing));
	if (passed)
		return tfr_fail(err, TFR_EUSAGE, "stage '%s' must come before '%s'", name,
			first_name(passed));
	return TFR_OK;
}

static bool is_cast(const struct tfr_stage *st)
{
	return st->row->transform == TRANSFORM_CAST;
}

/* Whether `st` may follow a stage that finishes images: only one that finishes another aspect. */
static bool may_follow(const struct tfr_stage *finished, const struct tfr_stage *st)
{
	return st[-1].kind == STAGE_IMAGE &&
	       (st->row->flags & STAGE_FINISHES || (is_cast(st) && !is_cast(finished)));
}

/* Whether the type is one that no transform takes. */
static bool casts_away(const struct tfr_stage *st)
{
	if (!is_cast(st))
		return false;
	return st->dtype == TFR_FLOAT16 ||
	       (st->row->flags & STAGE_AUDIO && st->dtype != TFR_FLOAT32);
}

/* No transform works on an image of float16 or in planes. */
static enum tfr_status check_finished(const struct tfr_stage_list *s, struct tfr_error *err)
{
	const struct tfr_stage *finished = NULL;

	for (unsigned i = 0; i < s->count; i++) {
		const struct tfr_stage *st = &s->at[i];

		if (st->kind == STAGE_IMAGE && finished && !may_follow(finished, st))
			return tfr_fail_hint(err, TFR_EUSAGE,
				st->row->flags & STAGE_AUDIO
					? "Transforms of audio end with channels-first and cast, "
					  "directly after one another."
					: "Transforms of images end with chw or hwc and "
					  "cast=float16, directly after one another.",
				"stage '%s' must come before '%s'", st->text, finished->text);
		if (casts_away(st) || (st->row->flags & STAGE_FINISHES && !finished))
			finished = st;
	}
	return TFR_OK;
}

static enum tfr_status check_sizes(const struct tfr_stage_list *s, struct tfr_error *err)
{
	static const char sizes[] =
		"Put resize=W, random-resized-crop=W, random-crop=W, centre-crop=W, five-crop=W or "
		"pad=W between 'decode' and it.";
	static const char lengths[] =
		"Put crop=SAMPLES, random-crop=SAMPLES or centre-crop=SAMPLES between 'decode' and "
		"it; 1.5s is a length in seconds.";
	bool decoded = false, sized = false, audio = false;

	for (unsigned i = 0; i < s->count; i++) {
		decoded |= s->at[i].kind == STAGE_DECODE;
		audio |= s->at[i].audio;
		sized |= s->at[i].row->flags & STAGE_SIZES;
		if (s->at[i].kind != STAGE_BATCH || !decoded || sized)
			continue;
		return tfr_fail_hint(err, TFR_EUSAGE, audio ? lengths : sizes,
			audio ? "stage 'batch' needs audio clips of one length"
			      : "stage 'batch' needs images of one size");
	}
	return TFR_OK;
}

static enum tfr_status check_copies(const struct tfr_stage_list *s, struct tfr_error *err)
{
	uint64_t copies = 1;

	for (unsigned i = 0; i < s->count; i++) {
		copies *= s->at[i].copies;
		if (copies > STAGES_COPIES_MAX)
			return tfr_fail(err, TFR_EUSAGE,
				"stage '%s' makes %llu %s of one: at most %d", s->at[i].text,
				(unsigned long long)copies,
				s->at[i].row->flags & STAGE_AUDIO ? "clips" : "images",
				STAGES_COPIES_MAX);
	}
	return TFR_OK;
}

static enum tfr_status check_order(const struct tfr_stage_list *s, struct tfr_error *err)
{
	unsigned seen = 0;

	for (unsigned i = 0; i < s->count; i++) {
		const struct tfr_stage *st = &s->at[i];

		if ((st->kind == STAGE_READ) != (i == 0))
			return tfr_fail(err, TFR_EUSAGE,
				i ? "stage '%s' must come first"
				  : "stage '%s' needs 'read' before it",
				st->row->name);
		if (st->kind == STAGE_INFLATE && i != 1)
			return tfr_fail(
				err, TFR_EUSAGE, "stage 'inflate' must come directly after 'read'");
		TFR_TRY(check_kind(st, seen, err));
		seen |= 1u << st->kind;
	}
	TFR_TRY(check_finished(s, err));
	TFR_TRY(check_sizes(s, err));
	return check_copies(s, err);
}

/* ---- the parser ---- */

/* Finds the row of a name that transforms of images and of audio share; if only one of them has
 * it, that one. */
static const struct tfr_stage_row *find_row(const char *name, size_t size, bool audio)
{
	const struct tfr_stage_row *other = NULL;

	for (const struct tfr_stage_row *row = rows; row < rows + ROWS; row++) {
		if (strlen(row->name) != size || memcmp(row->name, name, size))
			continue;
		if (row->kind != STAGE_IMAGE || !(row->flags & STAGE_AUDIO) == !audio)
			return row;
		other = row;
	}
	return other;
}

/* Suggests the nearest name; if none is near, lists all of them. */
static enum tfr_status unknown_stage(const char *name, size_t size, struct tfr_error *err)
{
	char all[384] = "";
	struct tfr_suggestion meant;

	tfr_suggestion_init(&meant, name, size);
	for (const struct tfr_stage_row *row = rows; row < rows + ROWS; row++) {
		size_t length = strlen(row->name);

		tfr_suggestion_offer(&meant, row->name, length);
		if (find_row(row->name, length, false) == row)
			strcat(strcat(all, row > rows ? ", " : ""), row->name);
	}
	tfr_fail(err, TFR_EUSAGE, "no such stage '%.*s'", (int)(size < 60 ? size : 60), name);
	tfr_suggestion_hint(&meant, err);
	if (!tfr_suggestion_word(&meant))
		tfr_error_hint(err, "There are %s.", all);
	return TFR_EUSAGE;
}

static enum tfr_status fail_usage(const struct tfr_stage_row *row, struct tfr_error *err)
{
	tfr_fail(err, TFR_EUSAGE,
		row->argument ? "stage '%s' needs an argument" : "stage '%s' takes no argument",
		row->name);
	tfr_error_hint(err, "It is written '%s%s'.", row->name, row->argument ? row->argument : "");
	return TFR_EUSAGE;
}

static bool is_blank(char c)
{
	return memchr(" \t\n", c, 3);
}

static enum tfr_status refuse_for_audio(const struct tfr_stage_row *row, struct tfr_error *err)
{
	bool audio = row->flags & STAGE_AUDIO;

	tfr_fail(err, TFR_EUSAGE, "stage '%s' is for %s", row->name,
		audio ? "audio" : "images, not for the audio of 'decode=audio'");
	if (audio)
		tfr_error_hint(err, "Put decode=audio before it.");
	return TFR_EUSAGE;
}

/* Parses one stage: `size` bytes without surrounding blanks. `audio`: after decode=audio. */
static enum tfr_status parse_one(
	struct tfr_stage *st, const char *text, size_t size, bool audio, struct tfr_error *err)
{
	const char *equals = memchr(text, '=', size);
	size_t name_size = equals ? (size_t)(equals - text) : size;
	const struct tfr_stage_row *row = find_row(text, name_size, audio);
	TFR_AUTO_FREE char *arg = NULL;

	if (!row)
		return unknown_stage(text, name_size, err);
	*st = (struct tfr_stage){ .row = row,
		.kind = row->kind,
		.copies = row->copies ? row->copies : 1,
		.chw = row->flags & STAGE_PLANES };
	if (row->kind == STAGE_IMAGE && !(row->flags & STAGE_AUDIO) == audio)
		return refuse_for_audio(row, err);
	if (equals ? !row->argument : row->argument && row->argument[0] == '=')
		return fail_usage(row, err);
	if (equals) {
		arg = strndup(equals + 1, size - name_size - 1);
		TFR_NEED_MEMORY(arg, err, "reading the list of stages");
	}
	return row->parse(st, arg, err);
}

static enum tfr_status parse_list(struct tfr_stage_list *s, const char *list, struct tfr_error *err)
{
	bool audio = false;

	for (const char *p = list;;) {
		const char *end = strchrnul(p, ','), *last = end;

		while (is_blank(*p))
			p++;
		while (last > p && is_blank(last[-1]))
			last--;
		if (last == p)
			return tfr_fail(err, TFR_EUSAGE, "an empty stage in the list of stages");
		if (s->count == STAGES_COUNT_MAX)
			return tfr_fail(err, TFR_EUSAGE, "more than %d stages", STAGES_COUNT_MAX);
		TFR_TRY(parse_one(&s->at[s->count++], p, (size_t)(last - p), audio, err));
		audio |= s->at[s->count - 1].audio;
		if (!*end)
			return check_order(s, err);
		p = end + 1;
	}
}

enum tfr_status tfr_stage_list_parse(
	struct tfr_stage_list *s, const char *list, struct tfr_error *err)
{
	enum tfr_status status;

	*s = (struct tfr_stage_list){ .at = calloc(STAGES_COUNT_MAX, sizeof(*s->at)) };
	TFR_NEED_MEMORY(s->at, err, "reading the list of stages");
	status = parse_list(s, list, err);
	if (status)
		tfr_stage_list_free(s);
	return status;
}

void tfr_stage_list_free(struct tfr_stage_list *s)
{
	for (unsigned i = 0; i < s->count; i++)
		free(s->at[i].text);
	free(s->at);
	*s = (struct tfr_stage_list){ 0 };
}

char *tfr_stage_list_text(const struct tfr_stage_list *s)
{
	char *text = calloc(1, 1);

	for (unsigned i = 0; text && i < s->count; i++) {
		char *longer;

		if (!s->at[i].text)
			continue;
		longer = tfr_asprintf("%s%s%s", text, *text ? "," : "", s->at[i].text);
		free(text);
		text = longer;
	}
	return text;
}

unsigned tfr_stage_list_find(const struct tfr_stage_list *s, enum tfr_stage_kind kind)
{
	unsigned i = 0;

	while (i < s->count && s->at[i].kind != kind)
		i++;
	return i;
}

uint32_t tfr_stage_list_copies(const struct tfr_stage_list *s)
{
	uint32_t copies = 1;

	for (unsigned i = 0; i < s->count; i++)
		copies *= s->at[i].copies;
	return copies;
}
