/* pipeline/report/advice.c - what would make the feed faster, and what would limit it then.
 *
 * A factor is estimated from the measurements of this run and never assumed: shares of the
 * workers' time, the mean size of the first images, the bytes uploaded.  The next limit may undo
 * most of the factor, so that both are reported together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/text.h>

#include "pipeline/report/judge.h"
#include "thread/threads.h"

/* Less than this is not worth a command. */
#define WORTH 1.15

/* An advice, and how many times faster the limiting stage is with it; 0: not known. */
struct advice {
	char text[220];
	double factor;
};

/* The records a second that the pool, reading, or uploading could do if nothing else held it back;
 * 0: not known. */
static double could_do(
	const struct tfr_statistics *p, const struct tfr_time_shares *s, unsigned row)
{
	if (tfr_judge_is_pool(p, row))
		return s->pool > 0 && s->seconds > 0 ? s->records / s->seconds / s->pool : 0;
	if (s->busy[row] <= 0)
		return 0;
	if (row < tfr_judge_upload_row(p)) /* read, inflate: files' records, of which each may be
					  several images */
		return (double)s->spent[row].items * tfr_stage_list_copies(&p->set->list) /
		       s->busy[row];
	return s->records / s->busy[row];
}

/* The shorter side that images in the records would do with: what random crops leave of 256 for
 * 224, and in that proportion for other sizes. */
static uint32_t enough(const struct tfr_statistics *p)
{
	uint32_t side = 0;

	for (unsigned i = 0; i < p->set->rows; i++) {
		const struct tfr_stage *st = &p->set->list.at[i];
		uint32_t longer = st->width > st->height ? st->width : st->height;

		if (st->kind == STAGE_IMAGE && longer && !side)
			side = longer;
	}
	return (side * 8 / 7 + 7) / 8 * 8;
}

static void advise_decode(const struct tfr_statistics *p, const struct tfr_time_shares *s,
	unsigned row, struct advice *a)
{
	uint32_t shorter = p->set->plan.image_width < p->set->plan.image_height
				   ? p->set->plan.image_width
				   : p->set->plan.image_height;
	uint32_t side = enough(p);
	double decode = s->pool_seconds > 0 ? s->busy[row] / s->pool_seconds : 0, pixels;

	if (tfr_feeds_audio(p->set)) {
		snprintf(a->text, sizeof(a->text), "more cores, or fewer samples of each clip");
		return;
	}
	snprintf(a->text, sizeof(a->text), "more cores, or smaller images in the records");
	if (!side || side >= shorter)
		return;
	pixels = (double)side / shorter * ((double)side / shorter);
	a->factor = 1 / (1 - decode * (1 - pixels));
	if (a->factor < WORTH)
		a->factor = 0;
	else
		snprintf(a->text, sizeof(a->text),
			"up to %.1f times more with shards at %u pixels, not %u ('tfr shard "
			"--resize %u')",
			a->factor, side, shorter, side);
}

static void advise_pool(const struct tfr_statistics *p, const struct tfr_time_shares *s,
	unsigned row, struct advice *a)
{
	unsigned cores = tfr_cpu_count();
	enum tfr_stage_kind kind = tfr_judge_kind(p, row);

	if (s->pool + s->waited >= 0.5 && p->set->opts.threads < cores) {
		a->factor = (double)cores / p->set->opts.threads;
		snprintf(a->text, sizeof(a->text),
			"up to %.1f times more with all %u cores ('-j 0')", a->factor, cores);
	} else if (kind == STAGE_DECODE) {
		advise_decode(p, s, row, a);
	} else if (kind == STAGE_IMAGE) {
		snprintf(a->text, sizeof(a->text), "more cores, or %s in '%s'",
			tfr_feeds_audio(p->set) ? "fewer samples" : "a smaller size",
			p->set->list.at[row].text);
	} else {
		snprintf(a->text, sizeof(a->text), "more cores");
	}
}

/* Readers that have records and may not hand them on, while workers starve: another's turn is
 * waited for. */
static bool one_is_slow(const struct tfr_time_shares *s)
{
	return s->facts->readers > 1 &&
	       tfr_judge_seconds(s->spent[0].blocked) > 0.25 * s->seconds * s->facts->readers;
}

static void advise_read(const struct tfr_statistics *p, const struct tfr_time_shares *s,
	unsigned row, struct advice *a)
{
	size_t files = tfr_set_count(p->set->opts.set);
	bool more = files > s->facts->readers;
	char cycle[64] = "";

	if (more)
		snprintf(cycle, sizeof(cycle), ", or more than %u files at once (--cycle-length)",
			s->facts->readers);
	if (one_is_slow(s))
		snprintf(a->text, sizeof(a->text),
			"faster storage: readers wait %d%% of their time for the turn of a slower "
			"file%s",
			tfr_judge_percent(tfr_judge_seconds(s->spent[0].blocked) / s->seconds /
					  s->facts->readers),
			cycle);
	else if (tfr_judge_kind(p, row) == STAGE_INFLATE)
		snprintf(a->text, sizeof(a->text),
			"files that are not compressed ('tfr cat -z none')%s", cycle);
	else
		snprintf(a->text, sizeof(a->text), "faster storage%s", cycle);
}

/* The tensor that travels, by the last stage that makes it. */
static const struct tfr_stage *last_image_stage(const struct tfr_statistics *p)
{
	const struct tfr_stage *last = NULL;

	for (unsigned i = 0; i < p->set->rows; i++)
		if (p->set->list.at[i].kind == STAGE_IMAGE)
			last = &p->set->list.at[i];
	return last;
}

static void advise_upload(
	const struct tfr_statistics *p, const struct tfr_time_shares *s, struct advice *a)
{
	const struct tfr_stage *last = last_image_stage(p);

	if (p->set->opts.no_overlap) {
		snprintf(a->text, sizeof(a->text),
			"omit --no-overlap: uploads then overlap with the rest");
	} else if (p->set->opts.pageable) {
		snprintf(a->text, sizeof(a->text), "pinned memory: without --pageable");
	} else if (s->link < 0.5) {
		snprintf(a->text, sizeof(a->text),
			"more batches in flight (--prefetch), or larger ones: the link itself is "
			"free %d%% of the time",
			tfr_judge_percent(1 - s->link));
	} else if (last && !strcmp(last->row->name, "normalise") &&
		   !p->set->opts.normalise_on_device) {
		a->factor = 4;
		snprintf(a->text, sizeof(a->text),
			"up to 4 times more with --normalise-on device: a quarter of the bytes");
	} else if ((last || tfr_feeds_audio(p->set)) && s->facts->image_dtype == TFR_FLOAT32 &&
		   !p->set->opts.normalise_on_device) {
		a->factor = 2;
		snprintf(a->text, sizeof(a->text),
			"up to 2 times more with 'cast=float16'%s in the list: half of the bytes",
			tfr_feeds_audio(p->set) ? " or 'cast=int16'" : "");
	} else {
		snprintf(a->text, sizeof(a->text), "a faster link, or fewer bytes in a batch");
	}
}

/* The least of what others could do; none: false. */
static bool next_limit(const struct tfr_statistics *p, const struct tfr_time_shares *s,
	unsigned limit, unsigned *next, double *rate)
{
	const unsigned others[] = { 0, s->heaviest, tfr_judge_upload_row(p), p->set->rows };
	bool pool = tfr_judge_is_pool(p, limit), known = false;

	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++) {
		double could = could_do(p, s, others[i]);

		if (others[i] == limit || (pool && tfr_judge_is_pool(p, others[i])) || could <= 0)
			continue;
		/* A consumer that hands batches straight back is none. */
		if (others[i] == p->set->rows && tfr_judge_share(s, p->set->rows) < 0.01)
			continue;
		if (!known || could < *rate) {
			known = true;
			*next = others[i];
			*rate = could;
		}
	}
	return known;
}

void tfr_judge_advise(const struct tfr_statistics *p, const struct tfr_time_shares *s,
	unsigned limit, char *text, size_t size)
{
	struct advice a = { .factor = 0 };
	char number[TFR_SIZE_TEXT];
	double rate = 0, then;
	unsigned next = 0;

	if (limit == LIMIT_UNKNOWN) {
		snprintf(text, size, "a longer run, with more records or --epochs %.0f",
			ceil(1 / (s->seconds > 1e-3 ? s->seconds : 1e-3)));
		return;
	}
	if (limit == LIMIT_OTHERS) {
		snprintf(text, size,
			"a machine that is otherwise idle: these figures are not its own");
		return;
	}
	if (limit == LIMIT_MEMORY) {
		snprintf(text, size, "a larger --memory, or a smaller --batch");
		return;
	}
	if (limit == p->set->rows)
		snprintf(a.text, sizeof(a.text), "the feed keeps up: nothing to change in it");
	else if (tfr_judge_kind(p, limit) == STAGE_UPLOAD)
		advise_upload(p, s, &a);
	else if (tfr_judge_is_pool(p, limit))
		advise_pool(p, s, limit, &a);
	else
		advise_read(p, s, limit, &a);
	then = a.factor * could_do(p, s, limit);
	if (!next_limit(p, s, limit, &next, &rate))
		snprintf(text, size, "%s", a.text);
	else if (then > 0 && then < rate)
		snprintf(text, size, "%s; it stays the limit, at about %s records/s", a.text,
			tfr_format_count(then, number));
	else
		snprintf(text, size, "%s; then %s limits at %s records/s", a.text,
			tfr_judge_name(p, next), tfr_format_count(rate, number));
}
