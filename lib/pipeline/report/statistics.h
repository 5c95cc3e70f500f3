/* pipeline/report/statistics.h - what each stage and each thread did, counted as it happens.
 *
 * Stages are measured from outside: the span of a thread says what the thread does, since when,
 * and on which account.  It is settled when that ends or when a report is made.  A worker adds
 * up the times of a job in its own struct tfr_work_time and hands it over once, at the end of the
 * job.
 *
 * The feed's lock guards everything but a worker's struct tfr_work_time. */
#ifndef TFR_PIPELINE_STATISTICS_H
#define TFR_PIPELINE_STATISTICS_H

#include <assert.h>

#include "base/clock.h"
#include "pipeline/settings.h"
#include "thread/load.h"

struct tfr_stage_counter {
	uint64_t busy, starved, blocked; /* nanoseconds of threads */
	uint64_t items, bytes;
};

static inline void tfr_stage_counter_add(
	struct tfr_stage_counter *c, uint64_t busy, uint64_t items, uint64_t bytes)
{
	c->busy += busy;
	c->items += items;
	c->bytes += bytes;
}

enum tfr_account { TFR_ACCOUNT_BUSY, TFR_ACCOUNT_STARVED, TFR_ACCOUNT_BLOCKED };

/* Why workers have nothing to do: no input to the first stage, no room after the last, or a stage
 * that one worker at a time runs; or they have a job and no processor. */
enum tfr_pool_account {
	TFR_POOL_STARVED,
	TFR_POOL_BLOCKED,
	TFR_POOL_SERIAL,
	TFR_POOL_WAITED,
	TFR_POOL_ACCOUNTS
};

/* Waits of the consumer: a histogram of 32 steps per octave. */
enum { WAIT_BUCKETS = 64 * 32 };

/* Counters at one moment, to be subtracted from later ones. */
struct tfr_counter_snapshot {
	uint64_t ns;
	uint64_t records, payload_bytes, device_bytes; /* delivered */
	uint64_t pool[TFR_POOL_ACCOUNTS];
	struct tfr_stage_counter rows[TFR_ROWS_MAX];
};

struct tfr_statistics {
	const struct tfr_settings *settings;
	struct tfr_span *spans;			      /* of all threads, and of the consumer */
	struct tfr_counter_snapshot now, first,
		last;			   /* as the first and last batch was delivered */
	struct tfr_stage_counter inflated; /* of all readers: the row inflate, where there is one */
	uint64_t flights, flight_ns;	   /* uploads, from their start to their arrival */
	struct tfr_load load_then;	   /* as the feed was opened */
	uint64_t start_ns;
	uint64_t batches, epochs;
	uint64_t first_epoch_ns, first_epoch_records; /* until its last batch */
	uint32_t waits[WAIT_BUCKETS];
	uint64_t wait_max_ns;
};

/* The row of the kernels, after the consumer's; a report shows it before that. */
static inline unsigned tfr_kernel_row(const struct tfr_statistics *s)
{
	return s->settings->rows + 1;
}

/* Whether the time from the first batch to the last says more than that of the run.  If the
 * first batch took longer than all others, the feed has only emptied its shuffle buffer since. */
bool tfr_statistics_steady(const struct tfr_statistics *s);

/* Opens a feed's statistics: its clock starts now. */
void tfr_statistics_init(struct tfr_statistics *s, const struct tfr_settings *settings);

/* ---- what threads are at ---- */

/* The activity of a thread that does one thing for long. */
struct tfr_span {
	uint64_t since;
	uint64_t *accounts[TFR_ROWS_MAX + 1]; /* and one of the pool */
	unsigned count;
	struct tfr_span *next;
};

/* The span of a thread is settled with all others from now on; it outlives the statistics' use. */
void tfr_statistics_watch(struct tfr_statistics *s, struct tfr_span *span);
/* Charges what the thread is at to a row, or to the pool. */
void tfr_statistics_charge(
	struct tfr_statistics *s, struct tfr_span *span, unsigned row, enum tfr_account which);
void tfr_statistics_charge_pool(
	struct tfr_statistics *s, struct tfr_span *span, enum tfr_pool_account which);

static inline void tfr_span_begin(struct tfr_span *s)
{
	s->since = tfr_clock_ns();
	s->count = 0;
}

static inline void tfr_span_settle(struct tfr_span *s, uint64_t now)
{
	for (unsigned i = 0; i < s->count; i++)
		*s->accounts[i] += now - s->since;
	s->since = now;
}

static inline void tfr_span_end(struct tfr_span *s)
{
	tfr_span_settle(s, tfr_clock_ns());
	s->count = 0;
}

/* ---- what jobs take ---- */

/* One worker's present job: the time on each row by the clock, until tfr_work_time_end() turns it
 * into processor time. */
struct tfr_work_time {
	unsigned thread;
	struct tfr_stage_counter spent[TFR_ROWS_MAX];
	uint64_t began;	    /* tfr_clock_ns() */
	uint64_t cpu_began; /* tfr_clock_thread_ns() */
	uint64_t cpu_left;  /* measured and not charged yet: a coarse clock gives it in ticks */
};

static inline void tfr_work_time_begin(struct tfr_work_time *t)
{
	t->began = tfr_clock_ns();
	t->cpu_began = tfr_clock_thread_ns();
}

/* Without the lock. */
static inline void tfr_work_time_add(
	struct tfr_work_time *t, unsigned row, uint64_t busy, uint64_t items, uint64_t bytes)
{
	assert(row < TFR_ROWS_MAX);
	tfr_stage_counter_add(&t->spent[row], busy, items, bytes);
}

/* Adds the time from `start` to now, which is returned, and reports it to the caller who traces the
 * feed: `number` says what was worked on.  Without the lock. */
static inline uint64_t tfr_work_time_spend(struct tfr_work_time *t,
	const struct tfr_settings *settings, unsigned row, uint64_t start, uint64_t number)
{
	uint64_t end = tfr_clock_ns();

	tfr_work_time_add(t, row, end - start, 0, 0);
	tfr_trace_work(settings, row, t->thread, start, end, number);
	return end;
}

/* Turns the clock time of a finished job into processor time; returns how long it waited for a
 * processor.  Without the lock. */
uint64_t tfr_work_time_end(const struct tfr_statistics *s, struct tfr_work_time *t);
/* Adds an ended job to the rows, and empties it. */
void tfr_statistics_add_job(struct tfr_statistics *s, struct tfr_work_time *t, uint64_t waited);

/* ---- counts ---- */

void tfr_statistics_count(struct tfr_statistics *s, unsigned row, uint64_t items, uint64_t bytes);
/* Of the records read, `inflate_ns` of their reader's time was spent in the inflater: that is the
 * time of another row.  0: the file is not compressed. */
void tfr_statistics_read(struct tfr_statistics *s, bool compressed, uint64_t inflate_ns,
	uint64_t records, uint64_t bytes);
/* A transfer has arrived: it occupied the link for `busy_ns`, and arrived `flight_ns` after its
 * start. */
void tfr_statistics_uploaded(struct tfr_statistics *s, uint64_t busy_ns, uint64_t flight_ns,
	uint64_t batches, uint64_t bytes);
/* The device made floats of `batches`, so many bytes, which occupied it for `busy_ns`. */
void tfr_statistics_kernels(
	struct tfr_statistics *s, uint64_t busy_ns, uint64_t batches, uint64_t bytes);

/* One call of tfr_pipeline_next() returned this batch. */
void tfr_statistics_delivered(struct tfr_statistics *s, const struct tfr_batch *batch,
	uint64_t payload_bytes, uint64_t waited_ns, uint64_t now);
/* Since the feed was opened; also without the lock. */
double tfr_statistics_seconds(const struct tfr_statistics *s, uint64_t now);

/* ---- reports ---- */

/* What the source and the transfer know and a report needs. */
struct tfr_report_facts {
	unsigned readers;	    /* threads */
	double oldest_upload;	    /* seconds that an upload is under way; 0: none is */
	enum tfr_dtype image_dtype; /* in a batch */
};

/* Fills in all but what the flow and the transfer report themselves: queues and devices. */
void tfr_statistics_report(struct tfr_statistics *s, const struct tfr_report_facts *facts,
	struct tfr_pipeline_stats *stats);
size_t tfr_statistics_waits(
	const struct tfr_statistics *s, struct tfr_wait_bucket *buckets, size_t n);
/* judge.c: which stage limits the feed, once all else is reported. */
void tfr_statistics_judge(const struct tfr_statistics *s, const struct tfr_report_facts *facts,
	struct tfr_pipeline_stats *stats);

/* A queue as its consumer finds it. */
struct tfr_queue_meter {
	uint64_t now, seen, looks;
};

static inline void tfr_queue_meter_look(struct tfr_queue_meter *q)
{
	q->seen += q->now;
	q->looks++;
}

static inline void tfr_queue_meter_report(
	const struct tfr_queue_meter *q, uint64_t capacity, struct tfr_stage_stats *s)
{
	s->queue_mean = q->looks ? (double)q->seen / (double)q->looks : 0;
	s->queue_capacity = capacity;
	s->queue_now = q->now;
}

#endif
