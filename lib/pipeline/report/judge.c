/* pipeline/report/judge.c - which stage limits the feed, and the numbers that show it.
 *
 * The workers answer most of it.  Workers that are never idle are the limit themselves, and the
 * stage that takes most of their processor time is named.  Where they wait for a processor
 * longer than they have one, and other programs have it, those programs are the limit.  Workers
 * that starve wait for reading.  Workers that are blocked wait for room in staging memory: the
 * consumer or the link is the limit, even if it is little used (as a link with a long latency
 * is).  All shares are of the time between the first batch and the last. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/text.h>

#include "pipeline/report/judge.h"
#include "thread/threads.h"

/* Above this share of their time workers count as never idle. */
#define SATURATED 0.85

/* Seconds that a thread may wait for its turn where there are more of them than processors.  A run
 * that is shorter cannot be judged. */
#define TURN 0.05

/* Below it a sink that workers are blocked by is taken for uneven, if they are busier than it. */
#define UNEVEN 0.7

static void subtract(struct tfr_stage_counter *out, const struct tfr_stage_counter *a,
	const struct tfr_stage_counter *b)
{
	*out = (struct tfr_stage_counter){ a->busy - b->busy, a->starved - b->starved,
		a->blocked - b->blocked, a->items - b->items, a->bytes - b->bytes };
}

/* What becomes of batches: the shares of links, uploads and the consumer. */
static void take_sink(const struct tfr_statistics *p, struct tfr_time_shares *s)
{
	unsigned upload = tfr_judge_upload_row(p);
	const struct tfr_stage_counter *c = &s->spent[p->set->rows], *u = &s->spent[upload];
	double all = s->seconds * (s->facts->uploaders ? s->facts->uploaders : 1);
	double asked = tfr_judge_seconds(c->starved + c->busy);

	s->consumer = asked > 0 ? tfr_judge_seconds(c->busy) / asked : 0;
	s->under_way = p->flights ? tfr_judge_seconds(p->flight_ns) / (double)p->flights : 0;
	s->hung = s->facts->oldest_upload;
	if (!p->set->uploads || all <= 0)
		return;
	s->link = s->busy[upload] / all;
	s->flight = 1 - tfr_judge_seconds(u->starved + u->blocked) / all;
	s->flight = s->flight < 0 ? 0 : s->flight;
}

/* The shares of the workers' time: at work with a processor, and the rest. */
static void take_pool(const uint64_t *pool, struct tfr_time_shares *s)
{
	double all = s->pool_seconds;

	for (unsigned i = 0; i < TFR_POOL_ACCOUNTS; i++)
		all += tfr_judge_seconds(pool[i]);
	all = all > 0 ? all : 1;
	s->pool = s->pool_seconds / all;
	s->starved = tfr_judge_seconds(pool[TFR_POOL_STARVED]) / all;
	s->blocked = tfr_judge_seconds(pool[TFR_POOL_BLOCKED]) / all;
	s->serial = tfr_judge_seconds(pool[TFR_POOL_SERIAL]) / all;
	s->waited = tfr_judge_seconds(pool[TFR_POOL_WAITED]) / all;
}

static struct tfr_time_shares take_shares(
	const struct tfr_statistics *p, const struct tfr_feed_facts *facts, double seconds)
{
	static const struct tfr_counter_snapshot none;
	bool steady = tfr_statistics_steady(p);
	const struct tfr_counter_snapshot *first = steady ? &p->first : &none;
	const struct tfr_counter_snapshot *last = steady ? &p->last : &p->now;
	struct tfr_time_shares s = { .facts = facts, .seconds = seconds };
	uint64_t pool[TFR_POOL_ACCOUNTS];
	double heaviest = -1;

	if (steady)
		s.seconds = tfr_judge_seconds(p->last_ns - p->first_ns);
	s.records = (double)(p->records - (steady ? p->first_records : 0));
	for (unsigned i = 0; i <= p->set->rows; i++) {
		subtract(&s.spent[i], &last->rows[i], &first->rows[i]);
		s.busy[i] = tfr_judge_seconds(s.spent[i].busy);
		if (!tfr_judge_is_pool(p, i))
			continue;
		s.pool_seconds += s.busy[i];
		if (s.busy[i] > heaviest) {
			heaviest = s.busy[i];
			s.heaviest = i;
		}
	}
	for (unsigned i = 0; i < TFR_POOL_ACCOUNTS; i++)
		pool[i] = last->pool[i] - first->pool[i];
	take_pool(pool, &s);
	take_sink(p, &s);
	return s;
}

/* Whether one worker at a time does it. */
static bool is_serial(const struct tfr_statistics *p, unsigned row)
{
	enum tfr_stage_kind kind = tfr_judge_kind(p, row);

	return row < p->set->batch_row &&
	       (kind == STAGE_SHUFFLE || kind == STAGE_CACHE || kind == STAGE_PREFETCH);
}

/* What only one worker at a time may do, and does most of. */
static unsigned serial_row(const struct tfr_statistics *p, const struct tfr_time_shares *s)
{
	unsigned row = 0;

	for (unsigned i = 1; i < p->set->rows; i++)
		if (is_serial(p, i) && (!row || s->busy[i] > s->busy[row]))
			row = i;
	return row ? row : s->heaviest;
}

/* Buffers for batches were to be more than memory allowed. */
static bool lacks_memory(const struct tfr_statistics *p)
{
	return p->set->batches && !p->set->prefetch &&
	       (p->set->plan.staging < 3 || p->set->plan.device < 2);
}

/* Uploads that are under way for no longer than a thread waits for its turn, while other programs
 * have most of the processors, say more of these than of the link. */
static bool lacks_processors(const struct tfr_time_shares *s)
{
	double under_way = s->under_way > s->hung ? s->under_way : s->hung;

	return s->others >= 0.5 && s->link < SATURATED && under_way < TURN;
}

/* Workers have batches ready and no room for more. */
static unsigned limiting_sink(const struct tfr_statistics *p, const struct tfr_time_shares *s)
{
	double working = s->pool + s->waited;
	double sink = s->link > s->consumer ? s->link : s->consumer;

	if (s->consumer >= SATURATED)
		return p->set->rows;
	if (working >= UNEVEN && sink < working)
		return s->heaviest;
	if (s->link < SATURATED && lacks_memory(p))
		return LIMIT_MEMORY;
	if (!p->set->uploads || s->flight < s->consumer)
		return p->set->rows;
	return lacks_processors(s) ? LIMIT_OTHERS : tfr_judge_upload_row(p);
}

static unsigned limiting_stage(const struct tfr_statistics *p, const struct tfr_time_shares *s)
{
	if (s->seconds < TURN)
		return LIMIT_UNKNOWN;
	if (s->pool + s->waited >= SATURATED)
		return s->waited > s->pool && s->others > s->pool / 2 ? LIMIT_OTHERS : s->heaviest;
	if (s->blocked >= s->starved && s->blocked >= s->serial)
		return limiting_sink(p, s);
	if (s->starved < s->serial)
		return serial_row(p, s);
	/* Reading waits for the inflater if that takes most of the readers' time. */
	for (unsigned i = 0; i < p->set->rows; i++)
		if (tfr_judge_kind(p, i) == STAGE_INFLATE && s->busy[i] > s->busy[0])
			return i;
	return 0;
}

static void find_upload(
	const struct tfr_statistics *p, const struct tfr_time_shares *s, char *text, size_t size)
{
	double each = s->under_way;
	bool ms = each < 1;

	if (!p->flights)
		snprintf(text, size,
			"the first upload is under way for %.3g s, the workers wait for it %d%% of "
			"their time",
			s->hung, tfr_judge_percent(s->blocked));
	else if (s->link >= SATURATED)
		snprintf(text, size,
			"the link is busy %d%% of the time, the workers wait for it %d%% of theirs",
			tfr_judge_percent(s->link), tfr_judge_percent(s->blocked));
	else
		snprintf(text, size,
			"each upload is under way for %.3g %s, the link is busy %d%% of the time, "
			"the "
			"workers wait for it %d%% of theirs",
			ms ? each * 1e3 : each, ms ? "ms" : "s", tfr_judge_percent(s->link),
			tfr_judge_percent(s->blocked));
}

static void find_pool(
	const struct tfr_statistics *p, const struct tfr_time_shares *s, char *text, size_t size)
{
	unsigned cores = tfr_cpu_count();
	int n;

	if (p->set->opts.threads == cores)
		n = snprintf(text, size, "%u of %u cores busy %d%% of the time", cores, cores,
			tfr_judge_percent(s->pool));
	else
		n = snprintf(text, size, "%u worker%s on %u cores busy %d%% of the time",
			p->set->opts.threads, p->set->opts.threads == 1 ? "" : "s", cores,
			tfr_judge_percent(s->pool));
	if (s->waited >= 0.1)
		snprintf(text + n, size - (size_t)n, ", and without a core %d%%",
			tfr_judge_percent(s->waited));
}

static void find(const struct tfr_statistics *p, const struct tfr_time_shares *s, unsigned limit,
	char *text, size_t size)
{
	char each[TFR_SIZE_TEXT];

	if (limit == LIMIT_UNKNOWN)
		snprintf(text, size, "%.3g ms are too short to judge", s->seconds * 1e3);
	else if (limit == LIMIT_OTHERS)
		snprintf(text, size,
			"they had %d%% of the processors; the workers waited for one %d%% of their "
			"time, "
			"and for the device, whose threads need one too, %d%%",
			tfr_judge_percent(s->others), tfr_judge_percent(s->waited),
			tfr_judge_percent(s->blocked));
	else if (limit == LIMIT_MEMORY)
		snprintf(text, size,
			"-m allows %u staging and %u device buffers of %s, and the workers wait "
			"for "
			"one %d%% of their time",
			p->set->plan.staging, p->set->plan.device,
			tfr_format_size(p->set->plan.transfer_bytes, each),
			tfr_judge_percent(s->blocked));
	else if (limit == p->set->rows)
		snprintf(text, size,
			"the consumer is busy %d%% of the time, the workers wait for it %d%% of "
			"theirs",
			tfr_judge_percent(s->consumer), tfr_judge_percent(s->blocked));
	else if (tfr_judge_kind(p, limit) == STAGE_UPLOAD)
		find_upload(p, s, text, size);
	else if (!tfr_judge_is_pool(p, limit))
		snprintf(text, size, "the workers starve %d%% of their time, waiting for records",
			tfr_judge_percent(s->starved));
	else
		find_pool(p, s, text, size);
}

static const char *limit_name(const struct tfr_statistics *p, unsigned limit)
{
	if (limit == LIMIT_UNKNOWN)
		return "unknown";
	if (limit == LIMIT_MEMORY)
		return "memory";
	return limit == LIMIT_OTHERS ? "other programs" : tfr_judge_name(p, limit);
}

void tfr_statistics_judge(const struct tfr_statistics *p, const struct tfr_feed_facts *facts,
	struct tfr_pipeline_stats *st)
{
	struct tfr_time_shares s = take_shares(p, facts, st->seconds);
	unsigned limit;

	s.others = st->other_load;
	st->cpu_wait = s.waited;
	limit = limiting_stage(p, &s);
	assert(limit <= p->set->rows || limit >= LIMIT_MEMORY);
	st->bottleneck = limit_name(p, limit);
	find(p, &s, limit, st->finding, sizeof(st->finding));
	tfr_judge_advise(p, &s, limit, st->advice, sizeof(st->advice));
}
