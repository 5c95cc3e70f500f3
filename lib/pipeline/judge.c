/* pipeline/judge.c - which stage holds the feed back, why that is known, and what would change it.
 *
 * The pool answers most of it.  Workers that are never idle are themselves the limit, and the stage
 * that takes most of their time is named.  Workers that starve wait for reading; workers that are
 * blocked wait for staging memory, hence for the upload or for the consumer, whichever of the two
 * is the busier, if it is busier than they.  All shares are of the time between the first batch and
 * the last. */
#include <stdio.h>
#include <string.h>

#include "pipeline/state.h"
#include "thread/threads.h"

/* Above this share of their time workers count as never idle. */
#define SATURATED 0.85

struct shares {
	double seconds;
	struct counter spent[ROWS_MAX];
	double busy[ROWS_MAX];		       /* seconds of threads */
	double pool, starved, blocked, serial; /* of the pool's time */
	unsigned heaviest;		       /* row of the pool */
};

/* ---- rows ---- */

static enum stage_kind kind_of(const struct tfr_pipeline *p, unsigned row)
{
	return row < p->rows ? p->list.at[row].kind : STAGE_KINDS;
}

static const char *name_of(const struct tfr_pipeline *p, unsigned row)
{
	return row < p->rows ? p->list.at[row].row->name : "consumer";
}

/* Whether workers do it. */
static bool is_pool(const struct tfr_pipeline *p, unsigned row)
{
	enum stage_kind kind = kind_of(p, row);

	return row < p->rows && kind != STAGE_READ && kind != STAGE_INFLATE && kind != STAGE_UPLOAD;
}

/* The row of uploading; that of the consumer where there is none. */
static unsigned upload_row(const struct tfr_pipeline *p)
{
	return p->uploads ? p->rows - 1 : p->rows;
}

static double to_seconds(uint64_t ns)
{
	return (double)ns * 1e-9;
}

static void subtract(struct counter *out, const struct counter *a, const struct counter *b)
{
	*out = (struct counter){ a->busy - b->busy, a->starved - b->starved,
		a->blocked - b->blocked, a->items - b->items, a->bytes - b->bytes };
}

static struct shares take_shares(const struct tfr_pipeline *p, double seconds)
{
	bool steady = stats_steady(p);
	struct shares s = { .seconds = steady ? to_seconds(p->last_ns - p->first_ns) : seconds };
	static const struct counter none;
	double idle[3], whole, heaviest = -1;

	for (unsigned i = 0; i <= p->rows; i++) {
		subtract(&s.spent[i], steady ? &p->last[i] : &p->counters[i],
			steady ? &p->first[i] : &none);
		s.busy[i] = to_seconds(s.spent[i].busy);
		if (!is_pool(p, i))
			continue;
		s.pool += s.busy[i];
		if (s.busy[i] > heaviest) {
			heaviest = s.busy[i];
			s.heaviest = i;
		}
	}
	idle[0] = to_seconds(steady ? p->last_pool[0] - p->first_pool[0] : p->pool_starved);
	idle[1] = to_seconds(steady ? p->last_pool[1] - p->first_pool[1] : p->pool_blocked);
	idle[2] = to_seconds(steady ? p->last_pool[2] - p->first_pool[2] : p->pool_serial);
	whole = s.pool + idle[0] + idle[1] + idle[2];
	whole = whole > 0 ? whole : 1;
	s.pool /= whole;
	s.starved = idle[0] / whole;
	s.blocked = idle[1] / whole;
	s.serial = idle[2] / whole;
	return s;
}

static double share_of_time(const struct shares *s, unsigned stage)
{
	double share = s->seconds > 0 ? s->busy[stage] / s->seconds : 0;

	return share < 1 ? share : 1;
}

/* What only one worker at a time may do, and does most of. */
static unsigned serial_row(const struct tfr_pipeline *p, const struct shares *s)
{
	unsigned row = 0;

	for (unsigned i = 1; i < p->node_count; i++)
		if (p->nodes[i].kind >= NODE_SHUFFLE && p->nodes[i].kind <= NODE_PREFETCH &&
			(!row || s->busy[p->nodes[i].row] > s->busy[row]))
			row = p->nodes[i].row;
	return row ? row : s->heaviest;
}

static unsigned limiting_stage(const struct tfr_pipeline *p, const struct shares *s)
{
	if (s->pool >= SATURATED)
		return s->heaviest;
	if (s->blocked >= s->starved && s->blocked >= s->serial) {
		unsigned upload = upload_row(p), consumer = p->rows;
		unsigned sink = s->busy[consumer] > s->busy[upload] ? consumer : upload;

		/* Workers also wait for a sink that is merely uneven; it is no limit then. */
		return share_of_time(s, sink) > s->pool ? sink : s->heaviest;
	}
	if (s->starved < s->serial)
		return serial_row(p, s);
	/* Inflating is what reading waits for where it takes most of the readers' time. */
	for (unsigned i = 0; i < p->rows; i++)
		if (kind_of(p, i) == STAGE_INFLATE && s->busy[i] > s->busy[0])
			return i;
	return 0;
}

/* The records a second that everything up to the upload, or reading, or uploading could do if
 * nothing else held it back; 0: not known. */
static double could_do(const struct tfr_pipeline *p, const struct shares *s, unsigned row)
{
	double records = (double)(p->records - (stats_steady(p) ? p->first_records : 0));

	if (is_pool(p, row))
		return s->pool > 0 && s->seconds > 0 ? records / s->seconds / s->pool : 0;
	if (s->busy[row] <= 0)
		return 0;
	if (row < upload_row(p)) /* read, inflate */
		return (double)s->spent[row].items / s->busy[row];
	return records / s->busy[row];
}

static int percent(double share)
{
	return (int)(share * 100 + 0.5);
}

static void find(const struct tfr_pipeline *p, const struct shares *s, unsigned limit, char *text,
	size_t size)
{
	unsigned cores = tfr_cpu_count();

	if (limit == p->rows)
		snprintf(text, size,
			"the consumer is busy %d%% of the time, the workers wait for it %d%% of "
			"theirs",
			percent(share_of_time(s, limit)), percent(s->blocked));
	else if (kind_of(p, limit) == STAGE_UPLOAD)
		snprintf(text, size,
			"the link is busy %d%% of the time, the workers wait for it %d%% of theirs",
			percent(share_of_time(s, limit)), percent(s->blocked));
	else if (!is_pool(p, limit))
		snprintf(text, size, "the workers starve %d%% of their time, waiting for records",
			percent(s->starved));
	else if (p->opts.threads == cores)
		snprintf(text, size, "%u of %u cores busy %d%% of the time", cores, cores,
			percent(s->pool));
	else
		snprintf(text, size, "%u worker%s on %u cores busy %d%% of the time",
			p->opts.threads, p->opts.threads == 1 ? "" : "s", cores, percent(s->pool));
}

/* The next limit behind this one, as a sentence; "" when nothing is known. */
static void next_limit(const struct tfr_pipeline *p, const struct shares *s, unsigned limit,
	char *text, size_t size)
{
	const unsigned others[] = { 0, s->heaviest, upload_row(p), p->rows };
	bool pool = is_pool(p, limit), known = false;
	unsigned next = 0;
	double least = 0;
	char number[32];

	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++) {
		double could = could_do(p, s, others[i]);

		if (others[i] == limit || (pool && is_pool(p, others[i])) || could <= 0)
			continue;
		/* A consumer that hands batches straight back is none. */
		if (others[i] == p->rows && share_of_time(s, p->rows) < 0.01)
			continue;
		if (!known || could < least) {
			known = true;
			next = others[i];
			least = could;
		}
	}
	text[0] = '\0';
	if (known)
		snprintf(text, size, "; next, %s limits at %s records/s", name_of(p, next),
			tfr_format_count(least, number));
}

static void advise(const struct tfr_pipeline *p, const struct shares *s, unsigned limit, char *text,
	size_t size)
{
	enum stage_kind kind = kind_of(p, limit);
	char next[96];

	next_limit(p, s, limit, next, sizeof(next));
	if (is_pool(p, limit) && p->opts.threads < tfr_cpu_count())
		snprintf(text, size, "raise -j%s", next);
	else if (kind == STAGE_INFLATE)
		snprintf(text, size, "files that are not compressed, or a --cycle-length over %u%s",
			p->source.count, next);
	else if (kind == STAGE_READ)
		snprintf(text, size, "faster storage, or a --cycle-length over %u%s",
			p->source.count, next);
	else if (kind == STAGE_UPLOAD)
		snprintf(text, size, "a faster link, or fewer bytes by a smaller --size%s", next);
	else if (limit == p->rows)
		snprintf(text, size, "the feed keeps up: nothing to change in it%s", next);
	else if (kind == STAGE_DECODE || kind == STAGE_PICTURE)
		snprintf(text, size, "more cores, or smaller pictures in the records%s", next);
	else
		snprintf(text, size, "more cores%s", next);
}

void stats_judge(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	struct shares s = take_shares(p, st->seconds);
	unsigned limit = limiting_stage(p, &s);

	st->bottleneck = name_of(p, limit);
	find(p, &s, limit, st->finding, sizeof(st->finding));
	advise(p, &s, limit, st->advice, sizeof(st->advice));
}
