/* pipeline/report/statistics.c - see statistics.h.
 *
 * Rates and shares are taken from the first batch to the last, so that filling the shuffle buffer,
 * which every run pays once, does not count as what the feed can do. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/report/statistics.h"

/* One tick of a coarse clock of processor time: a single job may get all of it. */
enum { CPU_LEFT_MAX = 10000000 };

void tfr_statistics_init(struct tfr_statistics *s, const struct tfr_settings *settings)
{
	s->settings = settings;
	s->start_ns = tfr_clock_ns();
	tfr_load_read(&s->load_then);
}

/* ---- accounts ---- */

void tfr_statistics_watch(struct tfr_statistics *s, struct tfr_span *span)
{
	assert(!span->next && !span->count);
	span->next = s->spans;
	s->spans = span;
}

static void charge_account(struct tfr_span *span, uint64_t *account)
{
	assert(span->count < TFR_ROWS_MAX + 1);
	span->accounts[span->count++] = account;
}

void tfr_statistics_charge(
	struct tfr_statistics *s, struct tfr_span *span, unsigned row, enum tfr_account which)
{
	struct tfr_stage_counter *c = &s->now.rows[row];

	assert(row < TFR_ROWS_MAX); /* readers start before the number of rows is known */
	charge_account(span, which == TFR_ACCOUNT_STARVED   ? &c->starved
			     : which == TFR_ACCOUNT_BLOCKED ? &c->blocked
							    : &c->busy);
}

void tfr_statistics_charge_pool(
	struct tfr_statistics *s, struct tfr_span *span, enum tfr_pool_account which)
{
	assert(which < TFR_POOL_ACCOUNTS);
	charge_account(span, &s->now.pool[which]);
}

/* Charges what every thread is at, up to `now`. */
static void settle_spans(struct tfr_statistics *s, uint64_t now)
{
	for (struct tfr_span *span = s->spans; span; span = span->next)
		tfr_span_settle(span, now);
	for (unsigned i = 0; i < s->settings->rows; i++)
		if (s->settings->list.at[i].kind == STAGE_INFLATE)
			s->now.rows[i] = s->inflated;
}

/* ---- jobs ---- */

/* Each stage of a job is measured by the clock; the whole job by the clock and by its processor
 * time.  The stages share the processor time by what each took.  In the rest of its time the job
 * waited for a processor. */
uint64_t tfr_work_time_end(const struct tfr_statistics *s, struct tfr_work_time *t)
{
	uint64_t wall, cpu, took = 0;
	double share;

	/* The clock is read before the processor time at the start and after it here, so that the
	 * processor time is never the larger. */
	t->cpu_left += tfr_clock_thread_ns() - t->cpu_began;
	wall = tfr_clock_ns() - t->began;
	cpu = t->cpu_left < wall ? t->cpu_left : wall;
	t->cpu_left -= cpu;
	if (t->cpu_left > CPU_LEFT_MAX)
		t->cpu_left = CPU_LEFT_MAX;
	for (unsigned i = 0; i < s->settings->rows; i++)
		took += t->spent[i].busy;
	share = took ? (double)cpu / (double)took : 0;
	for (unsigned i = 0; i < s->settings->rows; i++)
		t->spent[i].busy = (uint64_t)((double)t->spent[i].busy * share);
	return wall - cpu;
}

void tfr_statistics_add_job(struct tfr_statistics *s, struct tfr_work_time *t, uint64_t waited)
{
	s->now.pool[TFR_POOL_WAITED] += waited;
	for (unsigned i = 0; i < s->settings->rows; i++) {
		struct tfr_stage_counter *spent = &t->spent[i];

		tfr_stage_counter_add(&s->now.rows[i], spent->busy, spent->items, spent->bytes);
		*spent = (struct tfr_stage_counter){ 0 };
	}
}

/* ---- counts ---- */

void tfr_statistics_count(struct tfr_statistics *s, unsigned row, uint64_t items, uint64_t bytes)
{
	assert(row <= s->settings->rows);
	tfr_stage_counter_add(&s->now.rows[row], 0, items, bytes);
}

void tfr_statistics_read(struct tfr_statistics *s, bool compressed, uint64_t inflate_ns,
	uint64_t records, uint64_t bytes)
{
	struct tfr_stage_counter *read = &s->now.rows[0];

	if (inflate_ns > read->busy)
		inflate_ns = read->busy;
	if (compressed) {
		read->busy -= inflate_ns;
		tfr_stage_counter_add(&s->inflated, inflate_ns, records, bytes);
	}
	tfr_stage_counter_add(read, 0, records, bytes);
}

void tfr_statistics_uploaded(struct tfr_statistics *s, uint64_t busy_ns, uint64_t flight_ns,
	uint64_t batches, uint64_t bytes)
{
	assert(s->settings->uploads);
	s->flights++;
	s->flight_ns += flight_ns;
	tfr_stage_counter_add(&s->now.rows[s->settings->rows - 1], busy_ns, batches, bytes);
}

void tfr_statistics_kernels(
	struct tfr_statistics *s, uint64_t busy_ns, uint64_t batches, uint64_t bytes)
{
	assert(s->settings->kernels);
	tfr_stage_counter_add(&s->now.rows[tfr_kernel_row(s)], busy_ns, batches, bytes);
}

/* ---- batches ---- */

bool tfr_statistics_steady(const struct tfr_statistics *s)
{
	return s->batches >= 3 && s->last.ns - s->first.ns >= s->first.ns - s->start_ns;
}

double tfr_statistics_seconds(const struct tfr_statistics *s, uint64_t now)
{
	return (double)(now - s->start_ns) * 1e-9;
}

/* 32 buckets per octave: a percentile is off by 3% at most. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned octave = 0;

	while ((ns >> octave) > 63)
		octave++;
	return octave ? octave * 32 + (unsigned)(ns >> octave) : (unsigned)ns;
}

static double bucket_seconds(unsigned bucket)
{
	unsigned octave = bucket < 64 ? 0 : bucket / 32 - 1;

	assert(bucket < WAIT_BUCKETS);
	return ldexp((double)(bucket - octave * 32), (int)octave) * 1e-9;
}

void tfr_statistics_delivered(struct tfr_statistics *s, const struct tfr_batch *batch,
	uint64_t payload_bytes, uint64_t waited_ns, uint64_t now)
{
	size_t used = offsetof(struct tfr_counter_snapshot, rows) +
		      (tfr_kernel_row(s) + 1) * sizeof(*s->now.rows);

	s->batches++;
	s->now.ns = now;
	s->now.records += batch->records;
	s->now.payload_bytes += payload_bytes;
	s->now.device_bytes += batch->bytes;
	tfr_statistics_count(s, s->settings->rows, 1, batch->bytes);
	s->epochs = batch->epoch;
	if (batch->epoch == 0) {
		s->first_epoch_ns = now;
		s->first_epoch_records = s->now.records;
	}
	settle_spans(s, now);
	if (s->batches == 1) {
		memcpy(&s->first, &s->now, used);
	} else {
		s->waits[bucket_of(waited_ns)]++;
		if (waited_ns > s->wait_max_ns)
			s->wait_max_ns = waited_ns;
	}
	memcpy(&s->last, &s->now, used);
}

/* ---- the report ---- */

static double wait_percentile(const struct tfr_statistics *s, double share)
{
	uint64_t count = s->batches > 1 ? s->batches - 1 : 0, seen = 0;
	uint64_t wanted = (uint64_t)ceil(share * (double)count);

	for (unsigned i = 0; count && i < WAIT_BUCKETS; i++) {
		seen += s->waits[i];
		if (seen >= wanted && seen)
			return fmin(bucket_seconds(i), (double)s->wait_max_ns * 1e-9);
	}
	return 0;
}

static void fill_rates(const struct tfr_statistics *s, struct tfr_pipeline_stats *st)
{
	static const struct tfr_counter_snapshot none;
	bool steady = tfr_statistics_steady(s);
	const struct tfr_counter_snapshot *now = &s->now, *from = steady ? &s->first : &none;
	double seconds = steady ? (double)(now->ns - from->ns) * 1e-9 : st->seconds;

	st->records_per_second = (double)(now->records - from->records) / seconds;
	st->records_per_second_total = (double)now->records / st->seconds;
	st->bytes_per_second = (double)(now->payload_bytes - from->payload_bytes) / seconds;
	st->device_bytes_per_second = (double)(now->device_bytes - from->device_bytes) / seconds;
	if (s->first_epoch_ns > s->start_ns)
		st->first_epoch_records_per_second =
			(double)s->first_epoch_records /
			((double)(s->first_epoch_ns - s->start_ns) * 1e-9);
	if (now->records > s->first_epoch_records && now->ns > s->first_epoch_ns)
		st->later_epochs_records_per_second =
			(double)(now->records - s->first_epoch_records) /
			((double)(now->ns - s->first_epoch_ns) * 1e-9);
}

static void fill_waits(const struct tfr_statistics *s, struct tfr_pipeline_stats *st)
{
	const struct tfr_stage_counter *first = &s->first.rows[s->settings->rows],
				       *last = &s->last.rows[s->settings->rows];
	double starved = (double)(last->starved - first->starved);
	double both = starved + (double)(last->busy - first->busy);

	st->wait_p50 = wait_percentile(s, 0.50);
	st->wait_p95 = wait_percentile(s, 0.95);
	st->wait_p99 = wait_percentile(s, 0.99);
	st->wait_max = (double)s->wait_max_ns * 1e-9;
	st->idle_fraction = both > 0 ? starved / both : 1;
}

static struct tfr_stage_stats *add_row(struct tfr_pipeline_stats *st, const char *name,
	const char *text, unsigned threads, const struct tfr_stage_counter *c)
{
	struct tfr_stage_stats *row = &st->stages[st->stage_count++];

	*row = (struct tfr_stage_stats){
		.name = name,
		.text = text,
		.threads = threads,
		.busy = (double)c->busy * 1e-9,
		.starved = (double)c->starved * 1e-9,
		.blocked = (double)c->blocked * 1e-9,
		.items = c->items,
		.bytes = c->bytes,
	};
	return row;
}

static void fill_stages(const struct tfr_statistics *s, const struct tfr_report_facts *facts,
	struct tfr_pipeline_stats *st)
{
	const struct tfr_settings *settings = s->settings;

	for (unsigned i = 0; i < settings->rows; i++) {
		const struct tfr_stage *stage = &settings->list.at[i];
		bool reads = stage->kind == STAGE_READ || stage->kind == STAGE_INFLATE;

		add_row(st, stage->row->name, stage->text,
			reads			      ? facts->readers
			: stage->kind == STAGE_UPLOAD ? settings->uploaders
						      : settings->opts.threads,
			&s->now.rows[i]);
	}
	/* A device whose kernels do not run has nothing to run them on: batches wait for each other
	 * only before they are uploaded. */
	if (settings->kernels) {
		struct tfr_stage_stats *kernels = add_row(st, "kernels", "kernels: normalise",
			settings->uploaders, &s->now.rows[tfr_kernel_row(s)]);
		double all = st->seconds * settings->uploaders;

		kernels->starved = all > kernels->busy ? all - kernels->busy : 0;
	}
	add_row(st, "consumer", "consumer", 1, &s->now.rows[settings->rows]);
}

void tfr_statistics_report(struct tfr_statistics *s, const struct tfr_report_facts *facts,
	struct tfr_pipeline_stats *st)
{
	uint64_t now = tfr_clock_ns();
	struct tfr_load load;

	settle_spans(s, now);
	*st = (struct tfr_pipeline_stats){
		.seconds = tfr_statistics_seconds(s, now),
		.first_batch_seconds = s->batches ? (double)(s->first.ns - s->start_ns) * 1e-9 : 0,
		.records = s->now.records,
		.batches = s->batches,
		.epochs = s->epochs,
		.bytes = s->now.payload_bytes,
		.device_bytes = s->now.device_bytes,
		.threads = s->settings->opts.threads,
	};
	tfr_load_read(&load);
	st->load_known = tfr_load_between(&s->load_then, &load, &st->other_load, &st->stolen_load);
	fill_rates(s, st);
	fill_waits(s, st);
	fill_stages(s, facts, st);
}

size_t tfr_statistics_waits(
	const struct tfr_statistics *s, struct tfr_wait_bucket *buckets, size_t n)
{
	size_t count = 0;

	for (unsigned i = 0; i < WAIT_BUCKETS; i++) {
		if (!s->waits[i])
			continue;
		if (count < n)
			buckets[count] = (struct tfr_wait_bucket){ bucket_seconds(i), s->waits[i] };
		count++;
	}
	return count;
}
