/* pipeline/state.h - the one struct behind a feed, and who may touch what.
 *
 * `lock` guards everything but what a claim has handed to one thread: a sample, a place in staging
 * memory, a worker's studio.  Under it nothing blocks and no pixel moves, so that one lock serves
 * some hundred thousand hand-overs a second; pictures need a few thousand.
 *
 * Stages are measured from outside: a thread's span says since when it does what on whose account,
 * and is settled when it ends or when somebody asks. */
#ifndef TFR_PIPELINE_STATE_H
#define TFR_PIPELINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <tfr/example.h>
#include <tfr/pipeline.h>
#include <tfr/text.h>

#include "base/clock.h"
#include "base/shuffler.h"
#include "pipeline/picture.h"
#include "pipeline/sample.h"

enum stage {
	STAGE_READ,
	STAGE_PARSE,
	STAGE_SHUFFLE,
	STAGE_DECODE,
	STAGE_RESIZE,
	STAGE_BATCH,
	STAGE_UPLOAD,
	STAGE_CONSUMER,
	STAGES
};

/* A row of the array in stats.c. */
struct stage_row {
	const char *name;
	bool payloads; /* is there when records have no pictures, too */
	bool pool;     /* workers do it */
};

extern const struct stage_row tfr_stage_rows[STAGES];

struct counter {
	uint64_t busy, starved, blocked; /* nanoseconds of threads */
	uint64_t items, bytes;
};

/* What a thread is at, while it is at one thing for long. */
struct span {
	uint64_t since;
	uint64_t *accounts[STAGES + 1]; /* and one for the pool */
	unsigned count;
};

static inline void span_charge(struct span *s, uint64_t *account)
{
	s->accounts[s->count++] = account;
}

static inline void span_settle(struct span *s, uint64_t now)
{
	for (unsigned i = 0; i < s->count; i++)
		*s->accounts[i] += now - s->since;
	s->since = now;
}

static inline void span_end(struct span *s)
{
	span_settle(s, tfr_clock_ns());
	s->count = 0;
}

/* ---- reading ---- */

/* A place in the cycle: one file at a time, one thread. */
struct reading {
	struct tfr_pipeline *p;
	pthread_t thread;
	bool started;
	pthread_cond_t change; /* a file was assigned, room was made, or all is over */
	const char *path;      /* NULL: no file */
	uint32_t file;
	bool compressed; /* the present file is */
	bool ended;	 /* of the file, in `status` how; what is queued still counts */
	enum tfr_status status;
	struct tfr_error err;
	struct sample *head, *tail;
	uint64_t bytes;	    /* queued */
	uint32_t taken;	    /* records of the present block */
	atomic_bool hungry; /* somebody waits for the next record of this one */
	struct span span;
};

struct source {
	struct reading *readings;
	uint32_t count;
	uint32_t turn; /* whose block it is */
	uint64_t next_file;
	uint64_t epoch, ordinal;
	uint64_t budget; /* bytes queued a reading */
};

/* ---- batches ---- */

enum staging_state { STAGING_FREE, STAGING_FILLING, STAGING_READY, STAGING_FLYING };

struct staging {
	enum staging_state state;
	void *memory;
	uint64_t capacity;
	struct tfr_event *event;
	uint64_t epoch;
	uint32_t assigned, done, records;
	bool closed;		 /* nothing is assigned to it any more */
	bool *bad;		 /* places without a picture */
	struct sample **samples; /* payloads: what it will hold */
	uint64_t payload_bytes;
	uint64_t used;	 /* bytes to upload */
	unsigned target; /* while flying */
};

enum target_state { TARGET_FREE, TARGET_FLYING, TARGET_FULL, TARGET_HELD };

struct target {
	enum target_state state;
	void *memory;
	uint64_t capacity;
	uint64_t epoch, bytes, payload_bytes;
	uint32_t records;
};

/* A first-in first-out of small numbers. */
struct line {
	unsigned *at;
	unsigned capacity, head, count;
};

/* ---- workers ---- */

enum { GRAIN_PICTURES = 8, GRAIN_PAYLOADS = 256 };

struct worker {
	struct tfr_pipeline *p;
	struct studio studio;
	struct span idle;
	struct sample *sample; /* to decode */
	struct staging *batch; /* where it belongs; payloads: to assemble */
	uint32_t place;
	struct sample *pulled[GRAIN_PAYLOADS]; /* to parse */
	unsigned pulled_count;
	bool epoch_ends;      /* behind the pulled ones */
	struct tfr_error err; /* too large for a stack of many frames */
};

/* ---- waits of the consumer: a histogram of 32 steps an octave ---- */

enum { WAIT_BUCKETS = 64 * 32 };

struct tfr_pipeline {
	struct tfr_pipeline_opts opts; /* with the defaults filled in */
	struct tfr_pipeline_plan plan;
	bool pictures;
	char description[400];
	struct recipe recipe;

	pthread_mutex_t lock;
	pthread_cond_t work;	 /* for workers: a sample, a place or an end has come */
	pthread_cond_t uploads;	 /* for the uploader: a batch is ready, a target free */
	pthread_cond_t arrivals; /* for the consumer: a batch is there, or none will be */
	bool stopping;
	enum tfr_status failed; /* ends the feed at once */
	struct tfr_error failure;
	enum tfr_status ended; /* ends it when all is delivered: damage in a file */
	struct tfr_error end;

	struct source source;
	struct sample_store store;
	struct tfr_example *example; /* whose worker is feeding */
	struct tfr_shuffler shuffle;
	bool feeding;	 /* one worker at a time pulls, parses and shuffles: order is kept so */
	bool pulled_all; /* nothing more comes from the source */
	bool fed_all;	 /* nor from the shuffle */
	struct sample **fifo; /* shuffled; NULL in it: an epoch ends here */
	unsigned fifo_capacity, fifo_head, fifo_count;

	struct staging *staging;
	uint64_t fill_number, upload_number; /* batches: staging[number % plan.staging] */
	struct staging *open;		     /* being filled; NULL: the next one is not begun */
	struct staging *to_assemble;	     /* payloads: closed, and nobody's yet */
	struct target *targets;
	struct line flying; /* staging buffers, in order */
	struct line full;   /* targets, in order */

	struct worker *workers;
	pthread_t *threads;
	unsigned threads_started, idle_workers;
	pthread_t uploader;
	bool uploader_started;
	struct span uploader_span, consumer_span;
	pthread_mutex_t skip_lock; /* one call of opts.skipped at a time */

	struct counter counters[STAGES];
	uint64_t pool_starved, pool_blocked, pool_serial; /* idle workers, by cause */
	uint64_t start_ns, first_ns, last_ns;	    /* opened; first and last batch delivered */
	struct counter first[STAGES], last[STAGES]; /* counters at those */
	uint64_t first_pool[3], last_pool[3];
	uint64_t link_done_ns; /* when the last upload was seen to end */
	uint64_t skipped, batches, records, payload_bytes, device_bytes, epochs;
	uint64_t first_records, first_payload_bytes, first_device_bytes;
	uint32_t waits[WAIT_BUCKETS];
	uint64_t wait_max_ns;
};

/* Each function below is called with the lock held, unless it says otherwise. */

/* source.c */
enum pull { PULL_RECORD, PULL_WAIT, PULL_EPOCH, PULL_ERROR };
enum tfr_status source_start(struct tfr_pipeline *p, struct tfr_error *err); /* without the lock */
void source_stop(struct tfr_pipeline *p);				     /* likewise */
/* The next record in order.  PULL_EPOCH until source_next_epoch(); PULL_ERROR: p->end says which.
 */
enum pull source_pull(struct tfr_pipeline *p, struct sample **sample);
void source_next_epoch(struct tfr_pipeline *p);
bool source_can_repeat(const struct tfr_pipeline *p);

/* plan.c */
enum tfr_status plan_make(struct tfr_pipeline *p, struct tfr_error *err); /* without the lock */
void plan_describe(struct tfr_pipeline *p);

/* batches.c */
enum tfr_status batches_init(struct tfr_pipeline *p, struct tfr_error *err); /* without the lock */
void batches_clear(struct tfr_pipeline *p);				     /* likewise */
bool batch_open(struct tfr_pipeline *p); /* false: no staging memory is free */
void batch_close(struct tfr_pipeline *p, struct staging *b);
void batch_done(
	struct tfr_pipeline *p, struct staging *b, uint32_t place, bool good, uint64_t bytes);
enum tfr_status batch_assemble(
	struct tfr_pipeline *p, struct staging *b, struct tfr_error *err); /* without */
void batch_ready(struct tfr_pipeline *p, struct staging *b);
void *uploader_main(void *arg);

/* workers.c */
void *worker_main(void *arg);

/* stats.c */
/* Whether the time from the first batch to the last says more than the whole run: a feed that spent
 * longer on its first batch than on all others has only emptied its shuffle buffer since. */
bool stats_steady(const struct tfr_pipeline *p);
void stats_settle(struct tfr_pipeline *p, uint64_t now);
void stats_delivered(
	struct tfr_pipeline *p, const struct target *t, uint64_t waited_ns, uint64_t now);

/* judge.c: without the lock */
void stats_judge(const struct tfr_pipeline *p, struct tfr_pipeline_stats *stats);

/* pipeline.c */
void pipeline_fail(struct tfr_pipeline *p, enum tfr_status status, const struct tfr_error *err);
/* The record of `s` is left out, or ends the feed.  Without the lock. */
void pipeline_bad_record(struct tfr_pipeline *p, const struct sample *s, enum tfr_status status,
	struct tfr_error *err);

static inline void pipeline_wake_workers(struct tfr_pipeline *p)
{
	if (p->idle_workers)
		pthread_cond_broadcast(&p->work);
}

#endif
