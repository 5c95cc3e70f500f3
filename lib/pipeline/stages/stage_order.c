/* pipeline/stages/stage_order.c - which stages may follow which.
 *
 * One pass over the list, with the kinds seen so far.  One row per kind has the kinds that it
 * needs before it, and those that it may not have before it. */
#include "base/error.h"
#include "pipeline/stages/stage_rows.h"

/* The kind's bit. */
#define KIND(kind) (1u << STAGE_##kind)

/* Words for a kind that another one needs or must precede. */
static const char *const names[STAGE_KINDS] = {
	[STAGE_READ] = "read",
	[STAGE_PARSE] = "parse",
	[STAGE_DECODE] = "decode",
	[STAGE_BATCH] = "batch",
	[STAGE_UPLOAD] = "upload",
};

static const struct {
	bool once;
	unsigned needs;	 /* kinds that must come before it */
	unsigned before; /* kinds that must not */
} laws[STAGE_KINDS] = {
	[STAGE_READ] = { true, 0, 0 },
	[STAGE_INFLATE] = { true, 0, KIND(UPLOAD) },
	[STAGE_PARSE] = { true, 0, KIND(UPLOAD) },
	[STAGE_FILTER] = { true, KIND(PARSE), KIND(DECODE) | KIND(BATCH) | KIND(UPLOAD) },
	[STAGE_CACHE] = { true, 0, KIND(BATCH) | KIND(UPLOAD) },
	[STAGE_DECODE] = { true, KIND(PARSE), KIND(BATCH) | KIND(UPLOAD) },
	[STAGE_IMAGE] = { false, KIND(DECODE), KIND(BATCH) | KIND(UPLOAD) },
	[STAGE_SHUFFLE] = { false, 0, KIND(BATCH) | KIND(UPLOAD) },
	[STAGE_PREFETCH] = { false, 0, KIND(UPLOAD) },
	[STAGE_BATCH] = { true, 0, KIND(UPLOAD) },
	[STAGE_UPLOAD] = { true, KIND(BATCH), 0 },
};

/* The name of the lowest kind in `kinds`. */
static const char *first_name(unsigned kinds)
{
	return names[__builtin_ctz(kinds)];
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
	return st->row->parse == tfr_stage_argument_cast ||
	       st->row->parse == tfr_stage_argument_audio_cast;
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

enum tfr_status tfr_stage_list_check_order(const struct tfr_stage_list *s, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	unsigned seen = 0;

	for (unsigned i = 0; status == TFR_OK && i < s->count; i++) {
		const struct tfr_stage *st = &s->at[i];

		if ((st->kind == STAGE_READ) != (i == 0))
			return tfr_fail(err, TFR_EUSAGE,
				i ? "stage '%s' must come first"
				  : "stage '%s' needs 'read' before it",
				st->row->name);
		if (st->kind == STAGE_INFLATE && i != 1)
			return tfr_fail(
				err, TFR_EUSAGE, "stage 'inflate' must come directly after 'read'");
		status = check_kind(st, seen, err);
		seen |= 1u << st->kind;
	}
	if (status == TFR_OK)
		status = check_finished(s, err);
	if (status == TFR_OK)
		status = check_sizes(s, err);
	if (status == TFR_OK)
		status = check_copies(s, err);
	return status;
}
