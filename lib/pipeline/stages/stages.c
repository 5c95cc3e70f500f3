/* pipeline/stages/stages.c - the array of stages, and the parser of lists.
 *
 * A new stage is a row here: its name, its argument, its function. */
#include "pipeline/stages/stages.h"

#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "pipeline/images/transforms.h"
#include "pipeline/stages/stage_rows.h"

static const struct tfr_stage_row rows[] = {
	{ "read", STAGE_READ, "[=CYCLE[:BLOCK]]", tfr_stage_argument_read, 0, NULL },
	{ "inflate", STAGE_INFLATE, NULL, tfr_stage_argument_none, 0, NULL },
	{ "parse", STAGE_PARSE, NULL, tfr_stage_argument_none, 0, NULL },
	{ "filter", STAGE_FILTER, NULL, tfr_stage_argument_none, 0, NULL },
	{ "cache", STAGE_CACHE, "[=FILE]", tfr_stage_argument_cache, 0, NULL },
	{ "decode", STAGE_DECODE, "[=masks|audio[:RATE]]", tfr_stage_argument_decode, 0, NULL },
	{ "resize", STAGE_IMAGE, "=W[xH][:area]", tfr_stage_argument_resize,
		STAGE_SIZES | STAGE_FLOATS, &tfr_transform_resize },
	{ "random-resized-crop", STAGE_IMAGE, "=W[xH]", tfr_stage_argument_size,
		STAGE_SIZES | STAGE_FLOATS, &tfr_transform_random_resized_crop },
	{ "random-crop", STAGE_IMAGE, "=W[xH][*N]", tfr_stage_argument_random_crop, STAGE_SIZES,
		&tfr_transform_random_crop },
	{ "centre-crop", STAGE_IMAGE, "=W[xH]", tfr_stage_argument_size, STAGE_SIZES | STAGE_FLOATS,
		&tfr_transform_centre_crop },
	{ "five-crop", STAGE_IMAGE, "=W[xH]", tfr_stage_argument_five_crop, STAGE_SIZES,
		&tfr_transform_five_crop },
	{ "mirror", STAGE_IMAGE, NULL, tfr_stage_argument_mirror, 0, &tfr_transform_mirror },
	{ "flip", STAGE_IMAGE, NULL, tfr_stage_argument_none, 0, &tfr_transform_flip },
	{ "flip-vertical", STAGE_IMAGE, NULL, tfr_stage_argument_none, 0,
		&tfr_transform_flip_vertical },
	{ "reflect-pad", STAGE_IMAGE, "=N", tfr_stage_argument_pixels, STAGE_GROWS,
		&tfr_transform_reflect_pad },
	{ "pad", STAGE_IMAGE, "=W[xH]", tfr_stage_argument_size, STAGE_SIZES, &tfr_transform_pad },
	{ "rotate", STAGE_IMAGE, "=DEGREES", tfr_stage_argument_degrees, 0, &tfr_transform_rotate },
	{ "cutout", STAGE_IMAGE, "=N", tfr_stage_argument_pixels, 0, &tfr_transform_cutout },
	{ "normalise", STAGE_IMAGE, "[=M1/M2/M3:S1/S2/S3]", tfr_stage_argument_normalise,
		STAGE_FLOATS, &tfr_transform_normalise },
	{ "standardise", STAGE_IMAGE, NULL, tfr_stage_argument_none, STAGE_FLOATS,
		&tfr_transform_standardise },
	{ "cast", STAGE_IMAGE, "=uint8|float16|float32", tfr_stage_argument_cast, 0,
		&tfr_transform_cast },
	{ "chw", STAGE_IMAGE, NULL, tfr_stage_argument_chw, STAGE_FINISHES, &tfr_transform_form },
	{ "hwc", STAGE_IMAGE, NULL, tfr_stage_argument_none, STAGE_FINISHES, &tfr_transform_form },
	{ "crop", STAGE_IMAGE, "=SAMPLES|SECONDSs", tfr_stage_argument_length,
		STAGE_AUDIO | STAGE_SIZES, &tfr_transform_audio_crop },
	{ "random-crop", STAGE_IMAGE, "=SAMPLES|SECONDSs[*N]", tfr_stage_argument_random_length,
		STAGE_AUDIO | STAGE_SIZES, &tfr_transform_audio_random_crop },
	{ "centre-crop", STAGE_IMAGE, "=SAMPLES|SECONDSs", tfr_stage_argument_length,
		STAGE_AUDIO | STAGE_SIZES, &tfr_transform_audio_centre_crop },
	{ "mono", STAGE_IMAGE, NULL, tfr_stage_argument_mono, STAGE_AUDIO,
		&tfr_transform_audio_mono },
	{ "channels", STAGE_IMAGE, "=N", tfr_stage_argument_channels, STAGE_AUDIO,
		&tfr_transform_audio_channels },
	{ "cast", STAGE_IMAGE, "=int16|float16|bfloat16|float32", tfr_stage_argument_audio_cast,
		STAGE_AUDIO, &tfr_transform_cast },
	{ "channels-first", STAGE_IMAGE, NULL, tfr_stage_argument_chw, STAGE_AUDIO | STAGE_FINISHES,
		&tfr_transform_form },
	{ "shuffle", STAGE_SHUFFLE, "=N[:MIN]", tfr_stage_argument_shuffle, 0, NULL },
	{ "batch", STAGE_BATCH, "=N", tfr_stage_argument_batch, 0, NULL },
	{ "prefetch", STAGE_PREFETCH, "=N", tfr_stage_argument_prefetch, 0, NULL },
	{ "upload", STAGE_UPLOAD, NULL, tfr_stage_argument_none, 0, NULL },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

static bool is_named(const struct tfr_stage_row *row, const char *name, size_t size)
{
	return strlen(row->name) == size && !memcmp(row->name, name, size);
}

/* Finds the row of a name that transforms of images and of audio share; if only one of them has
 * it, that one. */
static const struct tfr_stage_row *find_row(const char *name, size_t size, bool audio)
{
	const struct tfr_stage_row *other = NULL;

	for (size_t i = 0; i < ROWS; i++) {
		if (!is_named(&rows[i], name, size))
			continue;
		if (rows[i].kind != STAGE_IMAGE || !(rows[i].flags & STAGE_AUDIO) == !audio)
			return &rows[i];
		other = &rows[i];
	}
	return other;
}

/* Suggests the nearest name; if none is near, lists all of them. */
static enum tfr_status unknown(const char *name, size_t size, struct tfr_error *err)
{
	char all[384] = "";
	struct tfr_meant meant;

	tfr_meant_init(&meant, name, size);
	for (size_t i = 0; i < ROWS; i++) {
		tfr_meant_offer(&meant, rows[i].name, strlen(rows[i].name));
		if (find_row(rows[i].name, strlen(rows[i].name), false) == &rows[i])
			strcat(strcat(all, i ? ", " : ""), rows[i].name);
	}
	tfr_fail(err, TFR_EUSAGE, "no such stage '%.*s'", (int)(size < 60 ? size : 60), name);
	tfr_meant_hint(&meant, err);
	if (!tfr_meant_word(&meant))
		tfr_error_hint(err, "There are %s.", all);
	return TFR_EUSAGE;
}

static enum tfr_status usage(const struct tfr_stage_row *row, struct tfr_error *err)
{
	tfr_fail(err, TFR_EUSAGE,
		row->argument ? "stage '%s' needs an argument" : "stage '%s' takes no argument",
		row->name);
	tfr_error_hint(err, "It is written '%s%s'.", row->name, row->argument ? row->argument : "");
	return TFR_EUSAGE;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static enum tfr_status for_others(const struct tfr_stage_row *row, struct tfr_error *err)
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
		return unknown(text, name_size, err);
	*st = (struct tfr_stage){ .row = row, .kind = row->kind, .copies = 1 };
	if (row->kind == STAGE_IMAGE && !(row->flags & STAGE_AUDIO) == audio)
		return for_others(row, err);
	if (equals ? !row->argument : row->argument && row->argument[0] == '=')
		return usage(row, err);
	if (equals) {
		arg = strndup(equals + 1, size - name_size - 1);
		if (!arg)
			return tfr_fail_nomem(err, "reading the list of stages");
	}
	return row->parse(st, arg, err);
}

/* The end of the stage that begins at `p`: a comma outside of double quotes. */
static const char *end_of_stage(const char *p)
{
	for (bool quoted = false; *p && (quoted || *p != ','); p++)
		quoted ^= *p == '"';
	return p;
}

static enum tfr_status parse_list(struct tfr_stage_list *s, const char *list, struct tfr_error *err)
{
	bool audio = false;

	for (const char *p = list;;) {
		const char *end = end_of_stage(p), *last = end;
		enum tfr_status status;

		while (is_blank(*p))
			p++;
		while (last > p && is_blank(last[-1]))
			last--;
		if (last == p)
			return tfr_fail(err, TFR_EUSAGE, "an empty stage in the list of stages");
		if (s->count == STAGES_COUNT_MAX)
			return tfr_fail(err, TFR_EUSAGE, "more than %d stages", STAGES_COUNT_MAX);
		status = parse_one(&s->at[s->count++], p, (size_t)(last - p), audio, err);
		if (status)
			return status;
		audio |= s->at[s->count - 1].audio;
		if (!*end)
			return TFR_OK;
		p = end + 1;
	}
}

enum tfr_status tfr_stage_list_parse(
	struct tfr_stage_list *s, const char *list, struct tfr_error *err)
{
	enum tfr_status status;

	*s = (struct tfr_stage_list){ .at = calloc(STAGES_COUNT_MAX, sizeof(*s->at)) };
	if (!s->at)
		return tfr_fail_nomem(err, "reading the list of stages");
	status = parse_list(s, list, err);
	if (status == TFR_OK)
		status = tfr_stage_list_check_order(s, err);
	if (status)
		tfr_stage_list_free(s);
	return status;
}

void tfr_stage_list_free(struct tfr_stage_list *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		free(s->at[i].text);
		free(s->at[i].file);
	}
	free(s->at);
	*s = (struct tfr_stage_list){ 0 };
}

char *tfr_stage_list_text(const struct tfr_stage_list *s)
{
	size_t size = 1;
	char *text, *p;

	for (unsigned i = 0; i < s->count; i++)
		size += strlen(s->at[i].text) + 1;
	text = p = malloc(size);
	if (!text)
		return NULL;
	*p = '\0';
	for (unsigned i = 0; i < s->count; i++) {
		if (i)
			*p++ = ',';
		p = stpcpy(p, s->at[i].text);
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
