/* pipeline/stages/stage_list.c - the parser of lists, and which stages may follow which.
 *
 * The order is checked in one pass over the list, with the kinds seen so far.  One row per kind has
 * the kinds that it needs before it, and those that it may not have before it. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "pipeline/images/transforms.h"
#include "pipeline/stages/stages.h"

/* ---- the order ---- */

/* The kind's bit. */
#define KIND(kind) (1u << STAGE_##kind)

static const struct {
	bool once;
	unsigned needs;	 /* kinds that must come before it */
	unsigned before; /* kinds that must not */
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
	return st->row->transform == &tfr_transform_cast;
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

		if (st->kind == STAGE_IMAGE && finished && !may_follow(finished, st)) {
			tfr_fail(err, TFR_EUSAGE, "stage '%s' must come before '%s'", st->text,
				finished->text);
			tfr_error_hint(err, "%s",
				st->row->flags & STAGE_AUDIO
					? "Transforms of audio end with channels-first and cast, "
					  "directly after one another."
					: "Transforms of images end with chw or hwc and "
					  "cast=float16, directly after one another.");
			return TFR_EUSAGE;
		}
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
		tfr_fail(err, TFR_EUSAGE,
			audio ? "stage 'batch' needs audio clips of one length"
			      : "stage 'batch' needs images of one size");
		tfr_error_hint(err, "%s", audio ? lengths : sizes);
		return TFR_EUSAGE;
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

static bool is_named(const struct tfr_stage_row *row, const char *name, size_t size)
{
	return strlen(row->name) == size && !memcmp(row->name, name, size);
}

/* Finds the row of a name that transforms of images and of audio share; if only one of them has
 * it, that one. */
static const struct tfr_stage_row *find_row(const char *name, size_t size, bool audio)
{
	const struct tfr_stage_row *other = NULL;

	for (size_t i = 0; i < tfr_stage_row_count; i++) {
		if (!is_named(&tfr_stage_rows[i], name, size))
			continue;
		if (tfr_stage_rows[i].kind != STAGE_IMAGE ||
			!(tfr_stage_rows[i].flags & STAGE_AUDIO) == !audio)
			return &tfr_stage_rows[i];
		other = &tfr_stage_rows[i];
	}
	return other;
}

/* Suggests the nearest name; if none is near, lists all of them. */
static enum tfr_status unknown(const char *name, size_t size, struct tfr_error *err)
{
	char all[384] = "";
	struct tfr_suggestion meant;

	tfr_suggestion_init(&meant, name, size);
	for (size_t i = 0; i < tfr_stage_row_count; i++) {
		tfr_suggestion_offer(
			&meant, tfr_stage_rows[i].name, strlen(tfr_stage_rows[i].name));
		if (find_row(tfr_stage_rows[i].name, strlen(tfr_stage_rows[i].name), false) ==
			&tfr_stage_rows[i])
			strcat(strcat(all, i ? ", " : ""), tfr_stage_rows[i].name);
	}
	tfr_fail(err, TFR_EUSAGE, "no such stage '%.*s'", (int)(size < 60 ? size : 60), name);
	tfr_suggestion_hint(&meant, err);
	if (!tfr_suggestion_word(&meant))
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
	return memchr(" \t\n", c, 3);
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
	*st = (struct tfr_stage){ .row = row,
		.kind = row->kind,
		.copies = row->copies ? row->copies : 1,
		.chw = row->flags & STAGE_PLANES };
	if (row->kind == STAGE_IMAGE && !(row->flags & STAGE_AUDIO) == audio)
		return for_others(row, err);
	if (equals ? !row->argument : row->argument && row->argument[0] == '=')
		return usage(row, err);
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
			return TFR_OK;
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
	if (status == TFR_OK)
		status = check_order(s, err);
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
		char *longer = tfr_asprintf("%s%s%s", text, i ? "," : "", s->at[i].text);

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
