/* pipeline/report/judge.c - which stage limits the feed, the numbers that show it, and what would
 * make the feed faster.
 *
 * The workers answer most of it.  Workers that are never idle are the limit themselves, and the
 * stage that takes most of their processor time is named.  Where they wait for a processor
 * longer than they have one, and other programs have it, those programs are the limit.  Workers
 * that starve wait for reading.  Workers that are blocked wait for room in staging memory: the
 * consumer or the link is the limit, even if it is little used (as a link with a long latency
 * is).  All shares are of the time between the first batch and the last.
 *
 * The advice says what would relieve the limiting stage, and which stage is the busiest after it:
 * that one limits next.  How much faster the feed then is cannot be told from one run. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/text.h>
#include <tfr/remote.h>

#include "pipeline/report/statistics.h"
#include "thread/threads.h"

struct time_shares {
	const struct tfr_report_facts *facts;
	double seconds;
	struct tfr_stage_counter spent[TFR_ROWS_MAX];
	double busy[TFR_ROWS_MAX]; /* seconds of threads */
	double pool_seconds;	   /* of them, by workers */
	/* Of the workers' time: at work with a processor and without one; idle, by cause. */
	double pool, waited, starved, blocked, serial;
	double link;	  /* share of the time that links were occupied */
	double kernels;	  /* that devices made floats */
	double flight;	  /* that an upload was under way */
	double consumer;  /* that the consumer did anything but wait for a batch */
	double under_way; /* seconds from the start of an upload to its arrival: mean */
	double hung;   /* seconds that uploads which have not arrived are under way: the longest */
	double others; /* share of the processors' time that other programs had */
	unsigned heaviest; /* row of the pool */
};

/* ---- rows ---- */

static enum tfr_stage_kind kind_of(const struct tfr_statistics *p, unsigned row)
{
	return row < p->settings->rows ? p->settings->list.at[row].kind : STAGE_KINDS;
}

static const char *name_of(const struct tfr_statistics *p, unsigned row)
{
	if (row == tfr_kernel_row(p))
		return "kernels";
	return row < p->settings->rows ? p->settings->list.at[row].row->name : "consumer";
}

/* Whether workers do it. */
static bool is_pool(const struct tfr_statistics *p, unsigned row)
{
	enum tfr_stage_kind kind = kind_of(p, row);

	return row < p->settings->rows && kind != STAGE_READ && kind != STAGE_INFLATE &&
	       kind != STAGE_UPLOAD;
}

/* The row of uploading; that of the consumer where there is none. */
static unsigned upload_row(const struct tfr_statistics *p)
{
	return p->settings->uploads ? p->settings->rows - 1 : p->settings->rows;
}

static double seconds_of(uint64_t ns)
{
	return (double)ns * 1e-9;
}

static int percent(double share)
{
	return (int)(share * 100 + 0.5);
}

/* A limit is a row, or one of these. */
enum { LIMIT_MEMORY = TFR_ROWS_MAX, LIMIT_OTHERS, LIMIT_UNKNOWN };

/* ---- the limit ---- */

/* Above this share of their time workers count as never idle. */
#define SATURATED 0.85

/* Seconds that a thread may wait for its turn where there are more of them than processors.  A run
 * that is shorter cannot be judged. */
#define TURN 0.05

/* Below it a sink that workers are blocked by is taken for uneven, if they are busier than it. */
#define UNEVEN 0.7

/* What becomes of batches: the shares of links, uploads and the consumer. */
static void note_sink(const struct tfr_statistics *p, struct time_shares *s)
{
	unsigned upload = upload_row(p);
	const struct tfr_stage_counter *c = &s->spent[p->settings->rows], *u = &s->spent[upload];
	double all = s->seconds * p->settings->uploaders;
	double asked = seconds_of(c->starved + c->busy);

	s->consumer = asked > 0 ? seconds_of(c->busy) / asked : 0;
	s->under_way = p->flights ? seconds_of(p->flight_ns) / (double)p->flights : 0;
	s->hung = s->facts->oldest_upload;
	if (!p->settings->uploads || all <= 0)
		return;
	s->link = s->busy[upload] / all;
	s->kernels = s->busy[tfr_kernel_row(p)] / all;
	s->flight = 1 - seconds_of(u->starved + u->blocked) / all;
	s->flight = s->flight < 0 ? 0 : s->flight;
}

static struct time_shares time_shares_of(
	const struct tfr_statistics *p, const struct tfr_report_facts *facts, double seconds)
{
	static const struct tfr_counter_snapshot none;
	bool steady = tfr_statistics_steady(p);
	const struct tfr_counter_snapshot *first = steady ? &p->first : &none;
	const struct tfr_counter_snapshot *last = steady ? &p->last : &p->now;
	struct time_shares s = { .facts = facts, .seconds = seconds };
	double pool[TFR_POOL_ACCOUNTS], all, heaviest = -1;

	if (steady)
		s.seconds = seconds_of(last->ns - first->ns);
	for (unsigned i = 0; i <= tfr_kernel_row(p); i++) {
		const struct tfr_stage_counter *to = &last->rows[i], *from = &first->rows[i];

		s.spent[i].busy = to->busy - from->busy;
		s.spent[i].starved = to->starved - from->starved;
		s.spent[i].blocked = to->blocked - from->blocked;
		s.busy[i] = seconds_of(s.spent[i].busy);
		if (!is_pool(p, i))
			continue;
		s.pool_seconds += s.busy[i];
		if (s.busy[i] > heaviest) {
			heaviest = s.busy[i];
			s.heaviest = i;
		}
	}
	all = s.pool_seconds;
	for (unsigned i = 0; i < TFR_POOL_ACCOUNTS; i++) {
		pool[i] = seconds_of(last->pool[i] - first->pool[i]);
		all += pool[i];
	}
	all = all > 0 ? all : 1;
	s.pool = s.pool_seconds / all;
	s.starved = pool[TFR_POOL_STARVED] / all;
	s.blocked = pool[TFR_POOL_BLOCKED] / all;
	s.serial = pool[TFR_POOL_SERIAL] / all;
	s.waited = pool[TFR_POOL_WAITED] / all;
	note_sink(p, &s);
	return s;
}

/* What only one worker at a time may do, and does most of. */
static unsigned serial_row(const struct tfr_statistics *p, const struct time_shares *s)
{
	unsigned row = 0;

	for (unsigned i = 1; i < p->settings->batch_row; i++) {
		enum tfr_stage_kind kind = kind_of(p, i);
		bool serial =
			kind == STAGE_SHUFFLE || kind == STAGE_CACHE || kind == STAGE_PREFETCH;

		if (serial && (!row || s->busy[i] > s->busy[row]))
			row = i;
	}
	return row ? row : s->heaviest;
}

/* Uploads that are under way for no longer than a thread waits for its turn, while other programs
 * have most of the processors, say more of these than of the link. */
static bool lacks_processors(const struct time_shares *s)
{
	double under_way = s->under_way > s->hung ? s->under_way : s->hung;

	return s->others >= 0.5 && s->link < SATURATED && s->kernels < SATURATED &&
	       under_way < TURN;
}

/* Workers have batches ready and no room for more. */
static unsigned limiting_sink(const struct tfr_statistics *p, const struct time_shares *s)
{
	double working = s->pool + s->waited;
	double device = fmax(s->link, s->kernels);
	/* Buffers for batches were to be more than memory allowed. */
	bool lacks_memory = p->settings->batches && !p->settings->prefetch &&
			    (p->settings->plan.staging < 3 || p->settings->plan.device < 2);

	if (s->consumer >= SATURATED)
		return p->settings->rows;
	if (working >= UNEVEN && fmax(device, s->consumer) < working)
		return s->heaviest;
	if (device < SATURATED && lacks_memory)
		return LIMIT_MEMORY;
	if (!p->settings->uploads || fmax(s->flight, s->kernels) < s->consumer)
		return p->settings->rows;
	if (lacks_processors(s))
		return LIMIT_OTHERS;
	return s->kernels > s->link ? tfr_kernel_row(p) : upload_row(p);
}

static unsigned limiting_stage(const struct tfr_statistics *p, const struct time_shares *s)
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
	for (unsigned i = 0; i < p->settings->rows; i++)
		if (kind_of(p, i) == STAGE_INFLATE && s->busy[i] > s->busy[0])
			return i;
	return 0;
}

static void find_upload(
	const struct tfr_statistics *p, const struct time_shares *s, char *text, size_t size)
{
	double each = s->under_way;
	bool ms = each < 1;

	if (!p->flights)
		snprintf(text, size,
			"the first upload is under way for %.3g s, the workers wait for it %d%% of "
			"their time",
			s->hung, percent(s->blocked));
	else if (s->link >= SATURATED)
		snprintf(text, size,
			"the link is busy %d%% of the time, the workers wait for it %d%% of theirs",
			percent(s->link), percent(s->blocked));
	else
		snprintf(text, size,
			"each upload is under way for %.3g %s, the link is busy %d%% of the time, "
			"the workers wait for it %d%% of theirs",
			ms ? each * 1e3 : each, ms ? "ms" : "s", percent(s->link),
			percent(s->blocked));
}

static void find_pool(
	const struct tfr_statistics *p, const struct time_shares *s, char *text, size_t size)
{
	unsigned cores = tfr_cpu_count();
	int n;

	if (p->settings->opts.threads == cores)
		n = snprintf(text, size, "%u of %u cores busy %d%% of the time", cores, cores,
			percent(s->pool));
	else
		n = snprintf(text, size, "%u worker%s on %u cores busy %d%% of the time",
			p->settings->opts.threads, p->settings->opts.threads == 1 ? "" : "s", cores,
			percent(s->pool));
	if (s->waited >= 0.1)
		snprintf(text + n, size - (size_t)n, ", and without a core %d%%",
			percent(s->waited));
}

static void write_finding(const struct tfr_statistics *p, const struct time_shares *s,
	unsigned limit, char *text, size_t size)
{
	char each[TFR_SIZE_TEXT];

	if (limit == LIMIT_UNKNOWN)
		snprintf(text, size, "%.3g ms are too short to judge", s->seconds * 1e3);
	else if (limit == LIMIT_OTHERS)
		snprintf(text, size,
			"they had %d%% of the processors; the workers waited for one %d%% of their "
			"time, and for the device, whose threads need one too, %d%%",
			percent(s->others), percent(s->waited), percent(s->blocked));
	else if (limit == LIMIT_MEMORY)
		snprintf(text, size,
			"-m allows %u staging and %u device buffers of %s, and the workers wait "
			"for one %d%% of their time",
			p->settings->plan.staging, p->settings->plan.device,
			tfr_format_size(p->settings->plan.transfer_bytes, each),
			percent(s->blocked));
	else if (limit == p->settings->rows)
		snprintf(text, size,
			"the consumer is busy %d%% of the time, the workers wait for it %d%% of "
			"theirs",
			percent(s->consumer), percent(s->blocked));
	else if (kind_of(p, limit) == STAGE_UPLOAD)
		find_upload(p, s, text, size);
	else if (limit == tfr_kernel_row(p))
		snprintf(text, size,
			"kernels make floats on the device %d%% of the time, the link is busy "
			"%d%%, the workers wait for them %d%% of their time",
			percent(s->kernels), percent(s->link), percent(s->blocked));
	else if (!is_pool(p, limit))
		snprintf(text, size, "the workers starve %d%% of their time, waiting for records",
			percent(s->starved));
	else
		find_pool(p, s, text, size);
}

static const char *limit_name(const struct tfr_statistics *p, unsigned limit)
{
	if (limit == LIMIT_UNKNOWN)
		return "unknown";
	if (limit == LIMIT_MEMORY)
		return "memory";
	return limit == LIMIT_OTHERS ? "other programs" : name_of(p, limit);
}

/* ---- the advice ---- */

/* How much of what a row can do is used, from 0 (not at all) on: readers add up. */
static double used_share(const struct tfr_statistics *p, const struct time_shares *s, unsigned row)
{
	if (is_pool(p, row))
		return s->pool;
	if (row == tfr_kernel_row(p))
		return s->kernels;
	if (p->settings->uploads && row == upload_row(p))
		return s->link;
	return s->seconds > 0 ? s->busy[row] / s->seconds : 0;
}

/* The shorter side that images in the records would do with: what random crops leave of 256 for
 * 224, and in that proportion for other sizes. */
static uint32_t sufficient_side(const struct tfr_statistics *p)
{
	uint32_t side = 0;

	for (unsigned i = 0; i < p->settings->rows; i++) {
		const struct tfr_stage *st = &p->settings->list.at[i];
		uint32_t longer = st->width > st->height ? st->width : st->height;

		if (st->kind == STAGE_IMAGE && longer && !side)
			side = longer;
	}
	return (side * 8 / 7 + 7) / 8 * 8;
}

static void advise_decode(const struct tfr_statistics *p, char *text, size_t size)
{
	uint32_t shorter = p->settings->plan.image_width < p->settings->plan.image_height
				   ? p->settings->plan.image_width
				   : p->settings->plan.image_height;
	uint32_t side = sufficient_side(p);

	if (p->settings->audio)
		snprintf(text, size, "more cores, or fewer samples of each clip");
	else if (side && side < shorter - shorter / 8)
		snprintf(text, size,
			"more cores, or shards at %u pixels, not %u ('tfr shard --resize %u')",
			side, shorter, side);
	else
		snprintf(text, size, "more cores, or smaller images in the records");
}

static void advise_pool(const struct tfr_statistics *p, const struct time_shares *s, unsigned row,
	char *text, size_t size)
{
	unsigned cores = tfr_cpu_count();
	enum tfr_stage_kind kind = kind_of(p, row);

	if (s->pool + s->waited >= 0.5 && p->settings->opts.threads < cores)
		snprintf(text, size, "all %u cores ('-j 0')", cores);
	else if (kind == STAGE_DECODE)
		advise_decode(p, text, size);
	else if (kind == STAGE_IMAGE)
		snprintf(text, size, "more cores, or %s in '%s'",
			p->settings->audio ? "fewer samples" : "a smaller size",
			p->settings->list.at[row].text);
	else
		snprintf(text, size, "more cores");
}

/* A server is distant if the first byte of an answer comes later than half of the time that a
 * request of mean size then takes: more requests at once would help.  Otherwise the link is full.
 * False: nothing was read from a server. */
static bool advise_remote(double seconds, char *text, size_t size)
{
	struct tfr_remote_statistics s;
	char rate[TFR_SIZE_TEXT];
	double each;

	tfr_remote_statistics(&s);
	if (!s.requests || !(seconds > 0))
		return false;
	each = seconds * s.most_at_once / (double)s.requests; /* about what one request takes */
	if (s.throttled > s.requests / 100)
		snprintf(text, size,
			"a server that allows more requests: it refused %llu of %llu.  Fewer "
			"--connections, or a copy on a local disk",
			(unsigned long long)s.throttled, (unsigned long long)s.requests);
	else if (s.first_byte_p50 > 0.005 && s.first_byte_p50 > each / 2)
		snprintf(text, size,
			"a nearer server: the first byte comes after %.0f ms.  More files at once "
			"(--cycle-length), more --connections, or a bucket in this region",
			1000 * s.first_byte_p50);
	else
		snprintf(text, size,
			"a faster link: %s/s came over %u connections.  Compressed files ('tfr cat "
			"-z gzip'), or a copy on a local disk",
			tfr_format_size((uint64_t)((double)s.bytes_in / seconds), rate),
			s.most_at_once);
	return true;
}

static void advise_read(const struct tfr_statistics *p, const struct time_shares *s, unsigned row,
	char *text, size_t size)
{
	unsigned readers = s->facts->readers;
	/* Readers with records wait for another's turn, while workers starve. */
	double blocked = readers && s->seconds > 0
				 ? seconds_of(s->spent[0].blocked) / s->seconds / readers
				 : 0;
	char cycle[64] = "";

	if (advise_remote(s->seconds, text, size))
		return;
	if (tfr_set_count(p->settings->opts.set) > readers)
		snprintf(cycle, sizeof(cycle), ", or more than %u files at once (--cycle-length)",
			readers);
	if (readers > 1 && blocked > 0.25)
		snprintf(text, size,
			"faster storage: readers wait %d%% of their time for the turn of a slower "
			"file%s",
			percent(blocked), cycle);
	else if (kind_of(p, row) == STAGE_INFLATE)
		snprintf(text, size, "files that are not compressed ('tfr cat -z none')%s", cycle);
	else
		snprintf(text, size, "faster storage%s", cycle);
}

static void advise_upload(
	const struct tfr_statistics *p, const struct time_shares *s, char *text, size_t size)
{
	const struct tfr_pipeline_opts *opts = &p->settings->opts;
	const struct tfr_stage *last = NULL; /* that makes the tensor that travels */
	bool audio = p->settings->audio;

	for (unsigned i = 0; i < p->settings->rows; i++)
		if (p->settings->list.at[i].kind == STAGE_IMAGE)
			last = &p->settings->list.at[i];
	if (opts->no_overlap)
		snprintf(text, size, "omit --no-overlap: uploads then overlap with the rest");
	else if (opts->pageable)
		snprintf(text, size, "pinned memory: without --pageable");
	else if (s->link < 0.5)
		snprintf(text, size,
			"more batches in flight (--prefetch), or larger ones: the link itself is "
			"free %d%% of the time",
			percent(1 - s->link));
	else if (last && !strcmp(last->row->name, "normalise") && !opts->normalise_on_device)
		snprintf(text, size, "--normalise-on device: a quarter of the bytes");
	else if ((last || audio) && s->facts->image_dtype == TFR_FLOAT32 &&
		 !opts->normalise_on_device)
		snprintf(text, size, "'cast=float16'%s in the list: half of the bytes",
			audio ? " or 'cast=int16'" : "");
	else
		snprintf(text, size, "a faster link, or fewer bytes in a batch");
}

/* The name of the busiest of the others; NULL: there is none. */
static const char *next_limit(
	const struct tfr_statistics *p, const struct time_shares *s, unsigned limit)
{
	const unsigned rows[] = { 0, s->heaviest, upload_row(p), p->settings->rows,
		tfr_kernel_row(p) };
	const char *next = NULL;
	double most = 0;

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double used = used_share(p, s, rows[i]);

		if (rows[i] == limit || (is_pool(p, limit) && is_pool(p, rows[i])))
			continue;
		/* A consumer that hands batches straight back is none. */
		if (used > most && (rows[i] != p->settings->rows || used >= 0.01)) {
			most = used;
			next = name_of(p, rows[i]);
		}
	}
	return next;
}

/* What would change the limit, and the next limit after it. */
static void write_advice(const struct tfr_statistics *p, const struct time_shares *s,
	unsigned limit, char *text, size_t size)
{
	const char *next = limit < TFR_ROWS_MAX ? next_limit(p, s, limit) : NULL;
	size_t used;

	if (limit == LIMIT_UNKNOWN)
		snprintf(text, size, "a longer run, with more records or --epochs %.0f",
			ceil(1 / (s->seconds > 1e-3 ? s->seconds : 1e-3)));
	else if (limit == LIMIT_OTHERS)
		snprintf(text, size,
			"a machine that is otherwise idle: these figures are not its own");
	else if (limit == LIMIT_MEMORY)
		snprintf(text, size, "a larger --memory, or a smaller --batch");
	else if (limit == p->settings->rows)
		snprintf(text, size, "the feed keeps up: nothing to change in it");
	else if (kind_of(p, limit) == STAGE_UPLOAD)
		advise_upload(p, s, text, size);
	else if (limit == tfr_kernel_row(p))
		/* Floats made by the workers are four times the bytes for the link. */
		snprintf(text, size, "%s",
			s->kernels > 4 * s->link ? "--normalise-on host, if workers have time"
						 : "more devices, or a smaller size");
	else if (is_pool(p, limit))
		advise_pool(p, s, limit, text, size);
	else
		advise_read(p, s, limit, text, size);
	used = strlen(text);
	if (next)
		snprintf(text + used, size - used, "; then %s %s", next,
			!strcmp(next, "kernels") ? "limit" : "limits");
}

void tfr_statistics_judge(const struct tfr_statistics *p, const struct tfr_report_facts *facts,
	struct tfr_pipeline_stats *st)
{
	struct time_shares s = time_shares_of(p, facts, st->seconds);
	unsigned limit;

	s.others = st->other_load;
	st->cpu_wait = s.waited;
	limit = limiting_stage(p, &s);
	assert(limit <= tfr_kernel_row(p) || limit >= LIMIT_MEMORY);
	st->bottleneck = limit_name(p, limit);
	write_finding(p, &s, limit, st->finding, sizeof(st->finding));
	write_advice(p, &s, limit, st->advice, sizeof(st->advice));
}
