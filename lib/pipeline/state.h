/* pipeline/state.h - the one struct behind a feed, and who may touch what.
 *
 * `lock` guards everything but what a claim has handed to one thread: a slot of a node, a place in
 * staging memory, a worker's own.  Under it nothing blocks and no pixel moves; small records pass
 * it by the hundred, so that one lock serves millions of them a second.
 *
 * Stages are measured from outside: a thread's span says since when it does what on whose account,
 * and is settled when it ends or when somebody asks. */
#ifndef TFR_PIPELINE_STATE_H
#define TFR_PIPELINE_STATE_H

#include <pthread.h>
#include <tfr-private/example.h>
#include <tfr-private/pipeline.h>
#include <tfr-private/text.h>

#include "base/clock.h"
#include "pipeline/flow/sample_cache.h"
#include "pipeline/flow/shuffle_buffer.h"
#include "pipeline/images/recipe.h"
#include "pipeline/source/feed_sample.h"
#include "pipeline/stages/stages.h"
#include "pipeline/transfer/feature_block.h"
#include "thread/load.h"

/* Rows of the report: those of the list, and the consumer behind them. */
enum { ROWS_MAX = TFR_STAGES_MAX, NODES_MAX = STAGES_COUNT_MAX + 2 };

struct tfr_stage_counter {
	uint64_t busy, starved, blocked; /* nanoseconds of threads */
	uint64_t items, bytes;
};

/* A queue as those found it who take from it. */
struct tfr_queue_meter {
	uint64_t now, seen, looks;
};

static inline void tfr_queue_meter_look(struct tfr_queue_meter *f)
{
	f->seen += f->now;
	f->looks++;
}

/* What a thread is at, while it is at one thing for long. */
struct tfr_span {
	uint64_t since;
	uint64_t *accounts[ROWS_MAX + 1]; /* and one for the pool */
	unsigned count;
};

static inline void tfr_span_charge(struct tfr_span *s, uint64_t *account)
{
	s->accounts[s->count++] = account;
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

/* ---- reading ---- */

/* A place in the cycle: one file at a time, one thread. */
struct tfr_file_reader {
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
	struct tfr_record_chunk *head, *tail;
	uint64_t bytes;	    /* queued, and what their samples take */
	uint32_t taken;	    /* records of the present block */
	atomic_bool hungry; /* somebody waits for the next record of this one */
	struct tfr_span span;
};

struct tfr_record_source {
	struct tfr_file_reader *readings;
	uint32_t count;
	uint32_t turn;	 /* whose block it is */
	uint32_t *order; /* files of this epoch; NULL: as they come */
	uint64_t next_file;
	uint64_t epoch, ordinal;
	uint64_t epochs; /* that are read; 0: no limit */
	uint64_t budget; /* bytes queued a reading */
	size_t block_size;
	int cancel; /* readable once the feed ends: no reader waits for a pipe any longer */
	bool over;  /* nothing more comes */
};

/* ---- nodes: what the list becomes ---- */

enum tfr_node_kind {
	NODE_SOURCE,   /* read, inflate */
	NODE_MAP,      /* parse, filter, decode, images: many at a time, order restored */
	NODE_SHUFFLE,  /* one worker at a time */
	NODE_CACHE,    /* likewise */
	NODE_PREFETCH, /* likewise */
	NODE_PLACE,    /* images to their places in a batch */
	NODE_RECORDS,  /* records to a batch */
	NODE_DROP,     /* what leaves the last stage */
};

/* What one job took and made; between claim and end it is its worker's. */
struct tfr_job_slot {
	struct tfr_feed_sample **in, **out; /* NULL in them: an epoch ends here */
	unsigned in_count, out_count, out_capacity;
	unsigned at; /* of out: handed on */
	bool done;
};

struct tfr_flow_node {
	enum tfr_node_kind kind;
	struct tfr_flow_node *up;
	unsigned from, to;	    /* rows it stands for */
	unsigned row;		    /* whose queue is behind it: the last */
	unsigned grain;		    /* samples taken at a time */
	struct tfr_job_slot *slots; /* in order: slots[number % slot_count] */
	unsigned slot_count;
	uint64_t claimed, taken; /* numbers: the next to be claimed, the first not handed on */
	uint64_t waiting, most;	 /* samples in done slots; where that is bounded, how many may */
	bool running;		 /* one at a time, and one is */
	bool over;		 /* a cache: nothing more comes */
	bool parses, finds, finds_sounds, filters, keeps, decodes;
	unsigned keeps_row; /* on whose account records are kept: the stage that holds them */
	struct tfr_recipe recipe;
	struct tfr_shuffle_buffer shuffle; /* its worker's while it is run; what it held then: */
	uint64_t held, least;
	struct tfr_sample_cache *cache;
	uint64_t epoch_items; /* of a last node: that came in this epoch; of a cache: given out */
	uint64_t epochs;      /* of a last node: that ended */
	uint64_t seen_epochs; /* a cache's: given out whole, again */
	uint64_t seen, looks; /* what the next one found waiting */
};

/* ---- batches ---- */

/* What lies where in a batch: known beforehand but for ragged features and payloads. */
struct tfr_batch_layout {
	bool images, masks;
	bool sounds;	/* which is what the images are */
	uint32_t batch; /* places */
	struct tfr_image_form image, mask;
	uint64_t image_bytes, mask_bytes; /* of one */
	uint64_t mask_at, features_at;
	uint64_t bytes;	 /* of a whole batch */
	uint64_t stride; /* from a batch of a transfer to the next */
	bool fixed;	 /* no batch is larger */
};

enum tfr_staged_state { STAGED_EMPTY, STAGED_OPEN, STAGED_CLOSED, STAGED_READY };

/* One batch in staging memory. */
struct tfr_staged_batch {
	enum tfr_staged_state state;
	struct tfr_staging_buffer *home;
	uint64_t number, epoch;
	uint32_t assigned, done, records;
	bool unwanted;			  /* a short one to be left out: its number is used again */
	bool gaps;			  /* some of `bad` are set */
	bool *bad;			  /* places without an image */
	struct tfr_feed_sample **samples; /* of records, by place; of an image's copies the first */
	struct tfr_bytes *records_at;	  /* for features, by place */
	uint64_t payload_bytes;
	uint64_t used; /* bytes, once it is ready */
	struct tfr_tensor *tensors;
	unsigned tensor_count;
	struct tfr_staged_batch *next; /* in the line of those to be completed */
};

enum tfr_staging_state { STAGING_FREE, STAGING_FILLING, STAGING_FLYING };

/* What travels together. */
struct tfr_staging_buffer {
	enum tfr_staging_state state;
	uint8_t *memory;
	uint64_t capacity;
	struct tfr_staged_batch *fills;
	unsigned ready;	 /* of them */
	uint64_t bytes;	 /* while flying */
	unsigned target; /* while flying */
};

enum tfr_device_buffer_state { DEVICE_FREE, DEVICE_FLYING, DEVICE_FULL };

/* A batch on its device. */
struct tfr_device_batch {
	uint64_t epoch, bytes, payload_bytes;
	uint64_t at; /* in the target */
	uint32_t records;
	struct tfr_tensor *tensors;
	unsigned tensor_count;
	struct tfr_event *made; /* floats, of its images */
};

struct tfr_device_buffer {
	enum tfr_device_buffer_state state;
	uint8_t *memory;
	uint64_t capacity;
	uint64_t made_at; /* floats that the device makes, after all that travelled */
	struct tfr_event *event;
	struct tfr_device_batch *batches;
	unsigned count, held;
	bool handed_out;     /* all of them */
	uint64_t started_ns; /* its upload */
};

/* A first-in first-out of small numbers. */
struct tfr_index_queue {
	unsigned *at;
	unsigned capacity, head, count;
};

/* A device with what is on its way to it: transfer t goes over lane t % uploader_count. */
struct tfr_uploader {
	struct tfr_pipeline *p;
	struct tfr_device *device; /* NULL: the list ends before upload */
	unsigned number;
	struct tfr_staging_buffer *staging;
	struct tfr_device_buffer *targets;
	struct tfr_index_queue flying; /* staging buffers, in order */
	struct tfr_index_queue full;   /* targets, in order */
	uint64_t transfers;	       /* begun */
	pthread_cond_t uploads;	       /* a transfer is ready, a target free */
	pthread_t uploader;
	bool started;
	struct tfr_span span;
	uint64_t link_done_ns;			    /* when the last upload was seen to end */
	uint64_t busy_ns, sent_batches, sent_bytes; /* over this link */
	uint8_t *check;				    /* what was copied back */
	uint64_t check_capacity;
	struct tfr_error err;
};

/* ---- workers ---- */

struct tfr_worker {
	struct tfr_pipeline *p;
	unsigned number;
	struct tfr_image_executor *executor;
	struct tfr_example *example;
	struct tfr_where *where;
	struct tfr_batch_parser *parser;
	struct tfr_span idle;
	struct tfr_flow_node *node; /* the job: of this one, */
	struct tfr_job_slot *slot;  /* this slot, */
	struct tfr_feed_sample *sample;
	struct tfr_staged_batch **fills; /* or this image to these places, */
	uint32_t *places;
	struct tfr_staged_batch *fill;	  /* or this batch to complete; */
	struct tfr_feed_sample **dropped; /* or these to give back */
	unsigned dropped_count;
	struct tfr_feed_sample *made; /* of an image */
	uint64_t began;
	/* Of the job, to be added with the lock: by the clock, until tfr_worker_settle() makes of
	 * busy what the thread had of a processor. */
	struct tfr_stage_counter spent[ROWS_MAX];
	uint64_t cpu_began;   /* tfr_clock_thread_ns() */
	uint64_t cpu_left;    /* measured and not charged yet, as a coarse clock gives it */
	struct tfr_error err; /* too large for a stack of many frames */
};

/* ---- waits of the consumer: a histogram of 32 steps an octave ---- */

enum { WAIT_BUCKETS = 64 * 32 };

struct tfr_pipeline {
	struct tfr_pipeline_opts opts; /* with the defaults filled in */
	struct tfr_pipeline_plan plan;
	struct tfr_stage_list list;
	unsigned rows; /* the consumer's is row `rows` */
	char *description;
	uint32_t cycle, block_length, batch;
	unsigned prefetch;		    /* asked for behind batch; 0: as memory allows */
	bool images, uploads, batches_rows; /* what the list has */
	unsigned batch_row;
	unsigned tensors_most;
	/* Floats that the device makes: where they start after a transfer of the planned size; all
	 * of a transfer.  A larger transfer moves the start: see struct tfr_device_buffer. */
	uint64_t made_at, made_bytes;
	struct tfr_feature_block *features; /* NULL: none */
	struct tfr_flow_node nodes[NODES_MAX];
	unsigned node_count;
	struct tfr_batch_layout layout;
	/* normalise_on_device: of each channel, in units of 0 … 255. */
	unsigned channels;
	float mean[4], std[4];

	pthread_mutex_t lock;
	pthread_cond_t work;	 /* for workers: a sample, a place or an end has come */
	pthread_cond_t arrivals; /* for the consumer: a batch is there, or none will be */
	bool stopping;
	enum tfr_status failed; /* ends the feed at once */
	struct tfr_error failure;
	enum tfr_status ended; /* ends it when all is delivered: damage in a file */
	struct tfr_error end;

	struct tfr_record_source source;
	struct tfr_sample_pool store;
	struct tfr_block_pool blocks;
	struct tfr_example *example; /* for the plan */

	struct tfr_uploader *uploaders;
	unsigned uploader_count;
	uint64_t fill_number;	       /* of the next batch to be opened */
	struct tfr_staged_batch *open; /* being filled; NULL: the next one is not begun */
	struct tfr_staged_batch *complete,
		**complete_end; /* all places done, to be completed by a worker */
	bool fed_all;		/* nothing more will come to a batch */
	uint64_t deliver_transfer;
	unsigned deliver_batch;					/* of it */
	bool asked;						/* the consumer waits */
	uint64_t dropped_records, dropped_bytes, dropped_epoch; /* not told of yet */

	struct tfr_worker *workers;
	pthread_t *threads;
	unsigned threads_started, idle_workers;
	struct tfr_span consumer_span;
	pthread_mutex_t skip_lock; /* one call of opts.skipped at a time */

	struct tfr_stage_counter counters[ROWS_MAX];
	struct tfr_stage_counter inflated; /* of all readers: the row inflate, where there is one */
	struct tfr_queue_meter assembled,
		arrived;   /* batches that wait for their device, for the consumer */
	unsigned dropping; /* jobs of the last node that are not counted yet */
	uint64_t pool_starved, pool_blocked, pool_serial; /* idle workers, by cause */
	uint64_t pool_waited;				  /* at a job, without a processor */
	struct tfr_load load_then;			  /* as the feed was opened */
	uint64_t flights, flight_ns;	      /* uploads, from their start to their arrival */
	uint64_t start_ns, first_ns, last_ns; /* opened; first and last batch delivered */
	struct tfr_stage_counter first[ROWS_MAX], last[ROWS_MAX]; /* counters at those */
	uint64_t first_pool[4], last_pool[4];
	uint64_t skipped, batches, records, payload_bytes, device_bytes, epochs;
	uint64_t first_records, first_payload_bytes, first_device_bytes;
	uint64_t first_epoch_ns, first_epoch_records; /* until its last batch */
	uint32_t waits[WAIT_BUCKETS];
	uint64_t wait_max_ns;
	uint64_t moves, moves_seen, moved_ns; /* whether anything happens at all */
};

/* Each function below is called with the lock held, unless it says otherwise. */

/* record_source.c */
enum pull_result { PULL_RECORD, PULL_WAIT, PULL_EPOCH, PULL_ERROR };
enum tfr_status tfr_record_source_start(
	struct tfr_pipeline *p, struct tfr_error *err); /* without the lock */
void tfr_record_source_stop(struct tfr_pipeline *p);	/* likewise */
/* Up to `max` records in order, NULL where an epoch ends. */
unsigned tfr_record_source_take(struct tfr_pipeline *p, struct tfr_feed_sample **to, unsigned max);
bool tfr_record_source_can_repeat(const struct tfr_pipeline *p);
/* Which file is waited for; NULL: none. */
const char *tfr_record_source_waits_for(const struct tfr_pipeline *p);

/* file_reader.c: a thread's main function */
void *tfr_file_reader_main(void *arg);

/* flow.c */
enum tfr_status tfr_flow_compile(
	struct tfr_pipeline *p, struct tfr_error *err); /* without the lock */
enum tfr_status tfr_flow_allocate(struct tfr_pipeline *p, struct tfr_error *err); /* likewise */
void tfr_flow_clear(struct tfr_pipeline *p);					  /* likewise */
static inline struct tfr_flow_node *tfr_flow_last(struct tfr_pipeline *p)
{
	return &p->nodes[p->node_count - 1];
}
static inline const struct tfr_flow_node *tfr_flow_last_const(const struct tfr_pipeline *p)
{
	return &p->nodes[p->node_count - 1];
}
/* Up to `max` of what waits behind the node; one that ends an epoch is the last. */
unsigned tfr_flow_node_take(
	struct tfr_pipeline *p, struct tfr_flow_node *n, struct tfr_feed_sample **to, unsigned max);
bool tfr_flow_node_over(const struct tfr_pipeline *p, const struct tfr_flow_node *n);
/* What the next one may find behind it. */
uint64_t tfr_flow_node_waiting(const struct tfr_pipeline *p, const struct tfr_flow_node *n);
bool tfr_job_slot_put(struct tfr_job_slot *s,
	struct tfr_feed_sample *sample); /* without the lock; false: no memory */

/* Jobs.  A claim takes what the job needs, or says what it lacks; LACK_NOTHING: it is over, or
 * another worker is at it.  A run does the work without the lock and returns with it. */
enum tfr_lack { LACK_NOTHING, LACK_INPUT, LACK_ROOM };

/* map.c */
bool tfr_map_claim(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack);
void tfr_map_run(struct tfr_pipeline *p, struct tfr_worker *w);
/* Ends the job's slot: what it made is there for the next node. */
void tfr_job_slot_finish(struct tfr_pipeline *p, struct tfr_flow_node *n, struct tfr_job_slot *s);

struct tfr_image_input tfr_sample_image(const struct tfr_feed_sample *s);
/* Adds what the executor spent on each stage of a recipe; without the lock. */
void tfr_worker_spent_images(struct tfr_pipeline *p, struct tfr_worker *w,
	const struct tfr_feed_sample *one, uint64_t start, uint64_t bytes);

/* ordered.c */
bool tfr_ordered_claim(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack);
void tfr_ordered_run(struct tfr_pipeline *p, struct tfr_worker *w);

/* place.c, records.c, complete.c: the last nodes */
bool tfr_place_claim(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack);
void tfr_place_run(struct tfr_pipeline *p, struct tfr_worker *w);
bool tfr_records_claim(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack);
bool tfr_drop_claim(
	struct tfr_pipeline *p, struct tfr_worker *w, struct tfr_flow_node *n, enum tfr_lack *lack);
void tfr_drop_run(struct tfr_pipeline *p, struct tfr_worker *w);
bool tfr_complete_claim(struct tfr_pipeline *p, struct tfr_worker *w);
void tfr_complete_run(struct tfr_pipeline *p, struct tfr_worker *w);

/* staging.c */
void tfr_batch_layout_make(
	struct tfr_pipeline *p, uint64_t records_bytes); /* of payloads, features */
enum tfr_status tfr_transfer_init(
	struct tfr_pipeline *p, struct tfr_error *err); /* without the lock */
void tfr_transfer_clear(struct tfr_pipeline *p);	/* likewise */
/* The feed ends: no upload under way is waited for longer than it really takes. */
void tfr_uploader_cut_short(struct tfr_uploader *l);
/* Whether a batch is open or can be, and `ahead` more behind it. */
bool tfr_staged_room(const struct tfr_pipeline *p, unsigned ahead);
void tfr_staged_open(struct tfr_pipeline *p);
void tfr_staged_close(struct tfr_pipeline *p, bool epoch_ends);
void tfr_staged_done(struct tfr_pipeline *p, struct tfr_staged_batch *b, uint32_t place, bool good,
	uint64_t bytes);
void tfr_staged_ready(struct tfr_pipeline *p, struct tfr_staged_batch *b);
/* No batch follows: what waits for company travels as it is. */
void tfr_transfer_end(struct tfr_pipeline *p);
static inline uint8_t *tfr_staged_memory(
	const struct tfr_pipeline *p, const struct tfr_staged_batch *b)
{
	return b->home->memory + (size_t)(b - b->home->fills) * p->layout.stride;
}
/* The plan only guesses the size of a batch with ragged features or payloads: these grow memory of
 * the lane that is not in use to what a larger one needs.  TFR_ENOMEM: it is more than a quarter of
 * the memory allowed, or than its part of a transfer.  Without the lock. */
enum tfr_status tfr_staging_grow(
	struct tfr_uploader *l, struct tfr_staging_buffer *b, uint64_t need, struct tfr_error *err);
/* For a transfer of so many bytes and the floats that the device makes after them. */
enum tfr_status tfr_device_buffer_grow(
	struct tfr_uploader *l, struct tfr_device_buffer *t, uint64_t bytes, struct tfr_error *err);
/* Says how large the batch is, and what is in it; but for features. */
void tfr_staged_end_images(const struct tfr_pipeline *p, struct tfr_staged_batch *b);

/* complete.c */
void tfr_staged_describe(const struct tfr_pipeline *p, struct tfr_staged_batch *b);
/* Fills the gaps among the first `end` places, the lowest first, with the last good ones. */
void tfr_staged_close_gaps(const struct tfr_pipeline *p, struct tfr_staged_batch *b, uint32_t end);

/* tfr_staged_features.c: parses and writes what the batch's records have; on the account of parse
 * up to `since`, which it moves.  Without the lock. */
enum tfr_status tfr_staged_features(struct tfr_pipeline *p, struct tfr_worker *w,
	struct tfr_uploader *l, struct tfr_staged_batch *b, uint64_t *since);

/* uploader.c */
void *tfr_uploader_main(void *arg);
static inline void tfr_uploader_wake(struct tfr_uploader *l)
{
	pthread_cond_signal(&l->uploads);
}
void tfr_index_queue_put(struct tfr_index_queue *l, unsigned value);
unsigned tfr_index_queue_take(struct tfr_index_queue *l);
enum tfr_status tfr_upload_verify(struct tfr_uploader *l, const struct tfr_staging_buffer *b,
	const struct tfr_device_buffer *t,
	struct tfr_error *err); /* verify_upload.c, without the lock */

/* workers.c */
void *tfr_worker_main(void *arg);
/* Adds what the job took to the rows, and tells who traces it; without the lock. */
static inline void tfr_worker_spent(
	struct tfr_worker *w, unsigned row, uint64_t busy, uint64_t items, uint64_t bytes)
{
	struct tfr_stage_counter *c = &w->spent[row];

	c->busy += busy;
	c->items += items;
	c->bytes += bytes;
}
/* Takes the lock, and adds what the job took. */
void tfr_worker_settle(struct tfr_pipeline *p, struct tfr_worker *w);

/* statistics.c */
/* Whether the time from the first batch to the last says more than the whole run: a feed that spent
 * longer on its first batch than on all others has only emptied its shuffle buffer since. */
bool tfr_statistics_steady(const struct tfr_pipeline *p);
void tfr_statistics_settle(struct tfr_pipeline *p, uint64_t now);
void tfr_statistics_delivered(
	struct tfr_pipeline *p, const struct tfr_device_batch *a, uint64_t waited_ns, uint64_t now);

/* judge.c: without the lock */
void tfr_statistics_judge(const struct tfr_pipeline *p, struct tfr_pipeline_stats *stats);

/* options.c: without the lock */
enum tfr_status tfr_feed_options_check(struct tfr_pipeline *p, struct tfr_error *err);
/* Once the first records were seen. */
struct tfr_first_records;
enum tfr_status tfr_feed_options_settle(
	struct tfr_pipeline *p, const struct tfr_first_records *f, struct tfr_error *err);
/* Whether what is decoded are sounds. */
static inline bool tfr_feeds_audio(const struct tfr_pipeline *p)
{
	unsigned decode = tfr_stage_list_find(&p->list, STAGE_DECODE);

	return decode < p->list.count && p->list.at[decode].sound;
}
void tfr_feed_options_clear(struct tfr_pipeline *p);

/* pipeline.c */
void tfr_feed_fail(struct tfr_pipeline *p, enum tfr_status status, const struct tfr_error *err);
/* The record of `s` is left out, or ends the feed.  Without the lock. */
void tfr_feed_bad_record(
	struct tfr_pipeline *p, const struct tfr_feed_sample *s, struct tfr_error *err);
/* Tells who traces; without the lock. */
static inline void tfr_feed_trace(struct tfr_pipeline *p, unsigned stage, unsigned thread,
	uint64_t start, uint64_t end, uint64_t number)
{
	if (p->opts.traced)
		p->opts.traced(
			p->opts.ctx, &(struct tfr_trace){ stage, thread, start, end, number });
}

static inline void tfr_feed_wake_workers(struct tfr_pipeline *p)
{
	p->moves++;
	if (p->idle_workers)
		pthread_cond_broadcast(&p->work);
}

/* delivery.c has tfr_pipeline_next() and tfr_pipeline_release(), and */
enum tfr_status tfr_feed_stalled(struct tfr_pipeline *p, struct tfr_error *err);

#endif
