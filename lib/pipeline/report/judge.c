/* pipeline/report/judge.c - which stage holds the feed back, why that is known, and what would
 * change it.
 *
 * The workers answer most of it.  Workers that are never idle are themselves the limit, and the
 * stage that takes most of their processor time is named; where they wait for a processor more than
 * they have one, and other programs have it, these are.  Workers that starve wait for reading.
 * Workers that are blocked wait for room in staging memory: the sink is the limit, however little
 * it is occupied (a link with a long latency is not).  All shares are of the time between the first
 * batch and the last. */
#include <stdio.h>
#include <string.h>

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

/* How long the oldest upload that has not arrived is under way. */
static double oldest_flight(const struct tfr_pipeline *p)
{
	uint64_t now = tfr_clock_ns(), oldest = now;

	for (unsigned i = 0; i < p->uploader_count; i++) {
		const struct tfr_uploader *l = &p->uploaders[i];
		const struct tfr_staging_buffer *b;

		if (!l->device || !l->flying.count)
			continue;
		b = &l->staging[l->flying.at[l->flying.head]];
		if (l->targets[b->target].started_ns < oldest)
			oldest = l->targets[b->target].started_ns;
	}
	return tfr_judge_seconds(now - oldest);
}

/* What becomes of batches: the shares of links, uploads and the consumer. */
static void take_sink(const struct tfr_pipeline *p, struct tfr_time_shares *s)
{
	unsigned upload = tfr_judge_upload_row(p);
	const struct tfr_stage_counter *c = &s->spent[p->rows], *u = &s->spent[upload];
	double all = s->seconds * (p->uploader_count ? p->uploader_count : 1);
	double asked = tfr_judge_seconds(c->starved + c->busy);

	s->consumer = asked > 0 ? tfr_judge_seconds(c->busy) / asked : 0;
	s->under_way = p->flights ? tfr_judge_seconds(p->flight_ns) / (double)p->flights : 0;
	s->hung = oldest_flight(p);
	if (!p->uploads || all <= 0)
		return;
	s->link = s->busy[upload] / all;
	s->flight = 1 - tfr_judge_seconds(u->starved + u->blocked) / all;
	s->flight = s->flight < 0 ? 0 : s->flight;
}

static struct tfr_time_shares take_shares(const struct tfr_pipeline *p, double seconds)
{
	bool steady = tfr_statistics_steady(p);
	struct tfr_time_shares s = { .seconds = steady ? tfr_judge_seconds(p->last_ns - p->first_ns)
						       : seconds };
	static const struct tfr_stage_counter none;
	double idle[4], whole, heaviest = -1;

	s.records = (double)(p->records - (steady ? p->first_records : 0));

	for (unsigned i = 0; i <= p->rows; i++) {
		subtract(&s.spent[i], steady ? &p->last[i] : &p->counters[i],
			steady ? &p->first[i] : &none);
		s.busy[i] = tfr_judge_seconds(s.spent[i].busy);
		if (!tfr_judge_is_pool(p, i))
			continue;
		s.pool += s.busy[i];
		if (s.busy[i] > heaviest) {
			heaviest = s.busy[i];
			s.heaviest = i;
		}
	}
	idle[0] = tfr_judge_seconds(steady ? p->last_pool[0] - p->first_pool[0] : p->pool_starved);
	idle[1] = tfr_judge_seconds(steady ? p->last_pool[1] - p->first_pool[1] : p->pool_blocked);
	idle[2] = tfr_judge_seconds(steady ? p->last_pool[2] - p->first_pool[2] : p->pool_serial);
	idle[3] = tfr_judge_seconds(steady ? p->last_pool[3] - p->first_pool[3] : p->pool_waited);
	s.pool_seconds = s.pool;
	whole = s.pool + idle[0] + idle[1] + idle[2] + idle[3];
	whole = whole > 0 ? whole : 1;
	s.pool /= whole;
	s.starved = idle[0] / whole;
	s.blocked = idle[1] / whole;
	s.serial = idle[2] / whole;
	s.waited = idle[3] / whole;
	take_sink(p, &s);
	return s;
}

/* What only one worker at a time may do, and does most of. */
static unsigned serial_row(const struct tfr_pipeline *p, const struct tfr_time_shares *s)
{
	unsigned row = 0;

	for (unsigned i = 1; i < p->node_count; i++)
		if (p->nodes[i].kind >= NODE_SHUFFLE && p->nodes[i].kind <= NODE_PREFETCH &&
			(!row || s->busy[p->nodes[i].row] > s->busy[row]))
			row = p->nodes[i].row;
	return row ? row : s->heaviest;
}

/* Buffers for batches were to be more than memory allowed. */
static bool lacks_memory(const struct tfr_pipeline *p)
{
	return p->batches_rows && !p->prefetch && (p->plan.staging < 3 || p->plan.device < 2);
}

/* Uploads that are under way for no longer than a thread waits for its turn, while other programs
 * have most of the processors, say more of these than of the link. */
static bool lacks_processors(const struct tfr_time_shares *s)
{
	double under_way = s->under_way > s->hung ? s->under_way : s->hung;

	return s->others >= 0.5 && s->link < SATURATED && under_way < TURN;
}

/* Workers have batches ready and no room for more. */
static unsigned limiting_sink(const struct tfr_pipeline *p, const struct tfr_time_shares *s)
{
	double working = s->pool + s->waited;
	double sink = s->link > s->consumer ? s->link : s->consumer;

	if (s->consumer >= SATURATED)
		return p->rows;
	if (working >= UNEVEN && sink < working)
		return s->heaviest;
	if (s->link < SATURATED && lacks_memory(p))
		return LIMIT_MEMORY;
	if (!p->uploads || s->flight < s->consumer)
		return p->rows;
	return lacks_processors(s) ? LIMIT_OTHERS : tfr_judge_upload_row(p);
}

static unsigned limiting_stage(const struct tfr_pipeline *p, const struct tfr_time_shares *s)
{
	if (s->seconds < TURN)
		return LIMIT_UNKNOWN;
	if (s->pool + s->waited >= SATURATED)
		return s->waited > s->pool && s->others > s->pool / 2 ? LIMIT_OTHERS : s->heaviest;
	if (s->blocked >= s->starved && s->blocked >= s->serial)
		return limiting_sink(p, s);
	if (s->starved < s->serial)
		return serial_row(p, s);
	/* Inflating is what reading waits for where it takes most of the readers' time. */
	for (unsigned i = 0; i < p->rows; i++)
		if (tfr_judge_kind(p, i) == STAGE_INFLATE && s->busy[i] > s->busy[0])
			return i;
	return 0;
}

static void find_upload(
	const struct tfr_pipeline *p, const struct tfr_time_shares *s, char *text, size_t size)
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
	const struct tfr_pipeline *p, const struct tfr_time_shares *s, char *text, size_t size)
{
	unsigned cores = tfr_cpu_count();
	int n;

	if (p->opts.threads == cores)
		n = snprintf(text, size, "%u of %u cores busy %d%% of the time", cores, cores,
			tfr_judge_percent(s->pool));
	else
		n = snprintf(text, size, "%u worker%s on %u cores busy %d%% of the time",
			p->opts.threads, p->opts.threads == 1 ? "" : "s", cores,
			tfr_judge_percent(s->pool));
	if (s->waited >= 0.1)
		snprintf(text + n, size - (size_t)n, ", and without a core %d%%",
			tfr_judge_percent(s->waited));
}

static void find(const struct tfr_pipeline *p, const struct tfr_time_shares *s, unsigned limit,
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
			p->plan.staging, p->plan.device,
			tfr_format_size(p->plan.transfer_bytes, each),
			tfr_judge_percent(s->blocked));
	else if (limit == p->rows)
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

static const char *limit_name(const struct tfr_pipeline *p, unsigned limit)
{
	if (limit == LIMIT_UNKNOWN)
		return "unknown";
	if (limit == LIMIT_MEMORY)
		return "memory";
	return limit == LIMIT_OTHERS ? "other programs" : tfr_judge_name(p, limit);
}

void tfr_statistics_judge(const struct tfr_pipeline *p, struct tfr_pipeline_stats *st)
{
	struct tfr_time_shares s = take_shares(p, st->seconds);
	unsigned limit;

	s.others = st->other_load;
	st->cpu_wait = s.waited;
	limit = limiting_stage(p, &s);
	st->bottleneck = limit_name(p, limit);
	find(p, &s, limit, st->finding, sizeof(st->finding));
	tfr_judge_advise(p, &s, limit, st->advice, sizeof(st->advice));
}
