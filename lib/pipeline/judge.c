/* pipeline/judge.c - which stage holds the feed back, why that is known, and what would change it.
 *
 * The pool answers most of it.  Workers that are never idle are themselves the limit, and the stage
 * that takes most of their time is named.  Workers that starve wait for reading; workers that are
 * blocked wait for staging memory, hence for the upload or for the consumer, whichever of the two
 * is the busier, if it is busier than they.  All shares are of the time between the first batch and
 * the last. */
#include <stdio.h>
#include <string.h>

#include "pipeline/judge.h"
#include "thread/threads.h"

/* Above this share of their time workers count as never idle. */
#define SATURATED 0.85

static void subtract(struct counter *out, const struct counter *a, const struct counter *b)
{
	*out = (struct counter){ a->busy - b->busy, a->starved - b->starved,
		a->blocked - b->blocked, a->items - b->items, a->bytes - b->bytes };
}

static struct shares take_shares(const struct tfr_pipeline *p, double seconds)
{
	bool steady = stats_steady(p);
	struct shares s = { .seconds = steady ? judge_seconds(p->last_ns - p->first_ns) : seconds };
	static const struct counter none;
	double idle[3], whole, heaviest = -1;

	s.records = (double)(p->records - (steady ? p->first_records : 0));

	for (unsigned i = 0; i <= p->rows; i++) {
		subtract(&s.spent[i], steady ? &p->last[i] : &p->counters[i],
			steady ? &p->first[i] : &none);
		s.busy[i] = judge_seconds(s.spent[i].busy);
		if (!judge_is_pool(p, i))
			continue;
		s.pool += s.busy[i];
		if (s.busy[i] > heaviest) {
			heaviest = s.busy[i];
			s.heaviest = i;
		}
	}
	idle[0] = judge_seconds(steady ? p->last_pool[0] - p->first_pool[0] : p->pool_starved);
	idle[1] = judge_seconds(steady ? p->last_pool[1] - p->first_pool[1] : p->pool_blocked);
	idle[2] = judge_seconds(steady ? p->last_pool[2] - p->first_pool[2] : p->pool_serial);
	s.pool_seconds = s.pool;
	whole = s.pool + idle[0] + idle[1] + idle[2];
	whole = whole > 0 ? whole : 1;
	s.pool /= whole;
	s.starved = idle[0] / whole;
	s.blocked = idle[1] / whole;
	s.serial = idle[2] / whole;
	return s;
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
		unsigned upload = judge_upload_row(p), consumer = p->rows;
		unsigned sink = s->busy[consumer] > s->busy[upload] ? consumer : upload;

		/* Workers also wait for a sink that is merely uneven; it is no limit then. */
		return judge_share(s, sink) > s->pool ? sink : s->heaviest;
	}
	if (s->starved < s->serial)
		return serial_row(p, s);
	/* Inflating is what reading waits for where it takes most of the readers' time. */
	for (unsigned i = 0; i < p->rows; i++)
		if (judge_kind(p, i) == STAGE_INFLATE && s->busy[i] > s->busy[0])
			return i;
	return 0;
}

static void find(const struct tfr_pipeline *p, const struct shares *s, unsigned limit, char *text,
	size_t size)
{
	unsigned cores = tfr_cpu_count();

	if (limit == p->rows)
		snprintf(text, size,
			"the consumer is busy %d%% of the time, the workers wait for it %d%% of "
			"theirs",
			judge_percent(judge_share(s, limit)), judge_percent(s->blocked));
	else if (judge_kind(p, limit) == STAGE_UPLOAD)
		snprintf(text, size,
			"the link is busy %d%% of the time, the workers wait for it %d%% of theirs",
			judge_percent(judge_share(s, limit)), judge_percent(s->blocked));
	else if (!judge_is_pool(p, limit))
		snprintf(text, size, "the workers starve %d%% of their time, waiting for records",
			judge_percent(s->starved));
	else if (p->opts.threads == cores)
		snprintf(text, size, "%u of %u cores busy %d%% of the time", cores, cores,
			judge_percent(s->pool));
	else
		snprintf(text, size, "%u worker%s on %u cores busy %d%% of the time",
			p->opts.threads, p->opts.threads == 1 ? "" : "s", cores,
			judge_percent(s->pool));
}

void stats_judge(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	struct shares s = take_shares(p, st->seconds);
	unsigned limit = limiting_stage(p, &s);

	st->bottleneck = judge_name(p, limit);
	find(p, &s, limit, st->finding, sizeof(st->finding));
	judge_advise(p, &s, limit, st->advice, sizeof(st->advice));
}
