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
#include <tfr/example.h>
#include <tfr/pipeline.h>
#include <tfr/text.h>

#include "base/clock.h"
#include "pipeline/cache.h"
#include "pipeline/features.h"
#include "pipeline/mixer.h"
#include "pipeline/recipe.h"
#include "pipeline/sample.h"
#include "pipeline/stages.h"
#include "thread/load.h"

/* Rows of the report: those of the list, and the consumer behind them. */
enum { ROWS_MAX = TFR_STAGES_MAX, NODES_MAX = STAGES_COUNT_MAX + 2 };

struct counter {
	uint64_t busy, starved, blocked; /* nanoseconds of threads */
	uint64_t items, bytes;
};

/* A queue as those found it who take from it. */
struct found {
	uint64_t now, seen, looks;
};

static inline void found_look(struct found *f)
{
	f->seen += f->now;
	f->looks++;
}

/* What a thread is at, while it is at one thing for long. */
struct span {
	uint64_t since;
	uint64_t *accounts[ROWS_MAX + 1]; /* and one for the pool */
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
	struct grain *head, *tail;
	uint64_t bytes;	    /* queued, and what their samples take */
	uint32_t taken;	    /* records of the present block */
	atomic_bool hungry; /* somebody waits for the next record of this one */
	struct span span;
};

struct source {
	struct reading *readings;
	uint32_t count;
	uint32_t turn;	 /* whose block it is */
	uint32_t *order; /* files of this epoch; NULL: as they come */
	uint64_t next_file;
	uint64_t epoch, ordinal;
	uint64_t epochs; /* that are read; 0: no limit */
	uint64_t budget; /* bytes queued a reading */
	size_t block_size;
	int cancel;  /* readable once the feed ends: no reader waits for a pipe any longer */
	bool over; /* nothing more comes */
};

/* ---- nodes: what the list becomes ---- */

enum node_kind {
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
struct slot {
	struct sample **in, **out; /* NULL in them: an epoch ends here */
	unsigned in_count, out_count, out_capacity;
	unsigned at; /* of out: handed on */
	bool done;
};

struct node {
	enum node_kind kind;
	struct node *up;
	unsigned from, to;  /* rows it stands for */
	unsigned row;	    /* whose queue is behind it: the last */
	unsigned grain;	    /* samples taken at a time */
	struct slot *slots; /* in order: slots[number % slot_count] */
	unsigned slot_count;
	uint64_t claimed, taken; /* numbers: the next to be claimed, the first not handed on */
	uint64_t waiting, most;	 /* samples in done slots; where that is bounded, how many may */
	bool running;		 /* one at a time, and one is */
	bool over;		 /* a cache: nothing more comes */
	bool parses, finds, finds_sounds, filters, keeps, decodes;
	unsigned keeps_row; /* on whose account records are kept: the stage that holds them */
	struct recipe recipe;
	struct mixer mixer; /* its worker's while it is run; what it held then: */
	uint64_t held, least;
	struct cache *cache;
	uint64_t epoch_items; /* of a last node: that came in this epoch; of a cache: given out */
	uint64_t epochs;      /* of a last node: that ended */
	uint64_t seen_epochs; /* a cache's: given out whole, again */
	uint64_t seen, looks; /* what the next one found waiting */
};

/* ---- batches ---- */

/* What lies where in a batch: known beforehand but for ragged features and payloads. */
struct layout {
	bool images, masks;
	bool sounds;	/* which is what the images are */
	uint32_t batch; /* places */
	struct image_form image, mask;
	uint64_t image_bytes, mask_bytes; /* of one */
	uint64_t mask_at, features_at;
	uint64_t bytes;	 /* of a whole batch */
	uint64_t stride; /* from a batch of a transfer to the next */
	bool fixed;	 /* no batch is larger */
};

enum fill_state { FILL_EMPTY, FILL_OPEN, FILL_CLOSED, FILL_READY };

/* One batch in staging memory. */
struct fill {
	enum fill_state state;
	struct staging *home;
	uint64_t number, epoch;
	uint32_t assigned, done, records;
	bool unwanted;		      /* a short one to be left out: its number is used again */
	bool gaps;		      /* some of `bad` are set */
	bool *bad;		      /* places without an image */
	struct sample **samples;      /* of records, by place; of an image's copies the first */
	struct tfr_bytes *records_at; /* for features, by place */
	uint64_t payload_bytes;
	uint64_t used; /* bytes, once it is ready */
	struct tfr_tensor *tensors;
	unsigned tensor_count;
	struct fill *next; /* in the line of those to be completed */
};

enum staging_state { STAGING_FREE, STAGING_FILLING, STAGING_FLYING };

/* What travels together. */
struct staging {
	enum staging_state state;
	uint8_t *memory;
	uint64_t capacity;
	struct fill *fills;
	unsigned ready;	 /* of them */
	uint64_t bytes;	 /* while flying */
	unsigned target; /* while flying */
};

enum target_state { TARGET_FREE, TARGET_FLYING, TARGET_FULL };

/* A batch on its device. */
struct arrival {
	uint64_t epoch, bytes, payload_bytes;
	uint64_t at; /* in the target */
	uint32_t records;
	struct tfr_tensor *tensors;
	unsigned tensor_count;
	struct tfr_event *made; /* floats, of its images */
};

struct target {
	enum target_state state;
	uint8_t *memory;
	uint64_t capacity;
	uint64_t made_at; /* floats that the device makes, after all that travelled */
	struct tfr_event *event;
	struct arrival *batches;
	unsigned count, held;
	bool handed_out;     /* all of them */
	uint64_t started_ns; /* its upload */
};

/* A first-in first-out of small numbers. */
struct line {
	unsigned *at;
	unsigned capacity, head, count;
};

/* A device with what is on its way to it: transfer t goes over lane t % lane_count. */
struct lane {
	struct tfr_pipeline *p;
	struct tfr_device *device; /* NULL: the list ends before upload */
	unsigned number;
	struct staging *staging;
	struct target *targets;
	struct line flying;	/* staging buffers, in order */
	struct line full;	/* targets, in order */
	uint64_t transfers;	/* begun */
	pthread_cond_t uploads; /* a transfer is ready, a target free */
	pthread_t uploader;
	bool started;
	struct span span;
	uint64_t link_done_ns;			    /* when the last upload was seen to end */
	uint64_t busy_ns, sent_batches, sent_bytes; /* over this link */
	uint8_t *check;				    /* what was copied back */
	uint64_t check_capacity;
	struct tfr_error err;
};

/* ---- workers ---- */

struct worker {
	struct tfr_pipeline *p;
	unsigned number;
	struct studio *studio;
	struct tfr_example *example;
	struct tfr_where *where;
	struct tfr_batch_parser *parser;
	struct span idle;
	struct node *node; /* the job: of this one, */
	struct slot *slot; /* this slot, */
	struct sample *sample;
	struct fill **fills; /* or this image to these places, */
	uint32_t *places;
	struct fill *fill;	 /* or this batch to complete; */
	struct sample **dropped; /* or these to give back */
	unsigned dropped_count;
	struct sample *made; /* of an image */
	uint64_t began;
	/* Of the job, to be added with the lock: by the clock, until worker_settle() makes of busy
	 * what the thread had of a processor. */
	struct counter spent[ROWS_MAX];
	uint64_t cpu_began;   /* tfr_clock_thread_ns() */
	uint64_t cpu_left;    /* measured and not charged yet, as a coarse clock gives it */
	struct tfr_error err; /* too large for a stack of many frames */
};

/* ---- waits of the consumer: a histogram of 32 steps an octave ---- */

enum { WAIT_BUCKETS = 64 * 32 };

struct tfr_pipeline {
	struct tfr_pipeline_opts opts; /* with the defaults filled in */
	struct tfr_pipeline_plan plan;
	struct stages list;
	unsigned rows; /* the consumer's is row `rows` */
	char *description;
	uint32_t cycle, block_length, batch;
	unsigned prefetch;		      /* asked for behind batch; 0: as memory allows */
	bool images, uploads, batches_rows; /* what the list has */
	unsigned batch_row;
	unsigned tensors_most;
	/* Floats that the device makes: where they start after a transfer of the planned size; all
	 * of a transfer.  A larger transfer moves the start: see struct target. */
	uint64_t made_at, made_bytes;
	struct features *features; /* NULL: none */
	struct node nodes[NODES_MAX];
	unsigned node_count;
	struct layout layout;
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

	struct source source;
	struct sample_store store;
	struct blocks blocks;
	struct tfr_example *example; /* for the plan */

	struct lane *lanes;
	unsigned lane_count;
	uint64_t fill_number;		       /* of the next batch to be opened */
	struct fill *open;		       /* being filled; NULL: the next one is not begun */
	struct fill *complete, **complete_end; /* all places done, to be completed by a worker */
	bool fed_all;			       /* nothing more will come to a batch */
	uint64_t deliver_transfer;
	unsigned deliver_batch;					/* of it */
	bool asked;						/* the consumer waits */
	uint64_t dropped_records, dropped_bytes, dropped_epoch; /* not told of yet */

	struct worker *workers;
	pthread_t *threads;
	unsigned threads_started, idle_workers;
	struct span consumer_span;
	pthread_mutex_t skip_lock; /* one call of opts.skipped at a time */

	struct counter counters[ROWS_MAX];
	struct counter inflated;	 /* of all readers: the row inflate, where there is one */
	struct found assembled, arrived; /* batches that wait for their device, for the consumer */
	unsigned dropping;		 /* jobs of the last node that are not counted yet */
	uint64_t pool_starved, pool_blocked, pool_serial; /* idle workers, by cause */
	uint64_t pool_waited;				  /* at a job, without a processor */
	struct tfr_load load_then;			  /* as the feed was opened */
	uint64_t flights, flight_ns;	      /* uploads, from their start to their arrival */
	uint64_t start_ns, first_ns, last_ns; /* opened; first and last batch delivered */
	struct counter first[ROWS_MAX], last[ROWS_MAX]; /* counters at those */
	uint64_t first_pool[4], last_pool[4];
	uint64_t skipped, batches, records, payload_bytes, device_bytes, epochs;
	uint64_t first_records, first_payload_bytes, first_device_bytes;
	uint64_t first_epoch_ns, first_epoch_records; /* until its last batch */
	uint32_t waits[WAIT_BUCKETS];
	uint64_t wait_max_ns;
	uint64_t moves, moves_seen, moved_ns; /* whether anything happens at all */
};

/* Each function below is called with the lock held, unless it says otherwise. */

/* source.c */
enum pull { PULL_RECORD, PULL_WAIT, PULL_EPOCH, PULL_ERROR };
enum tfr_status source_start(struct tfr_pipeline *p, struct tfr_error *err); /* without the lock */
void source_stop(struct tfr_pipeline *p);				     /* likewise */
/* Up to `max` records in order, NULL where an epoch ends. */
unsigned source_take(struct tfr_pipeline *p, struct sample **to, unsigned max);
bool source_can_repeat(const struct tfr_pipeline *p);
/* Which file is waited for; NULL: none. */
const char *source_waits_for(const struct tfr_pipeline *p);

/* reading.c: a thread's main function */
void *reading_main(void *arg);

/* flow.c */
enum tfr_status flow_compile(struct tfr_pipeline *p, struct tfr_error *err);  /* without the lock */
enum tfr_status flow_allocate(struct tfr_pipeline *p, struct tfr_error *err); /* likewise */
void flow_clear(struct tfr_pipeline *p);				      /* likewise */
static inline struct node *flow_last(struct tfr_pipeline *p)
{
	return &p->nodes[p->node_count - 1];
}
static inline const struct node *flow_last_const(const struct tfr_pipeline *p)
{
	return &p->nodes[p->node_count - 1];
}
/* Up to `max` of what waits behind the node; one that ends an epoch is the last. */
unsigned node_take(struct tfr_pipeline *p, struct node *n, struct sample **to, unsigned max);
bool node_over(const struct tfr_pipeline *p, const struct node *n);
/* What the next one may find behind it. */
uint64_t node_waiting(const struct tfr_pipeline *p, const struct node *n);
bool slot_put(struct slot *s, struct sample *sample); /* without the lock; false: no memory */

/* Jobs.  A claim takes what the job needs, or says what it lacks; LACK_NOTHING: it is over, or
 * another worker is at it.  A run does the work without the lock and returns with it. */
enum lack { LACK_NOTHING, LACK_INPUT, LACK_ROOM };

/* map.c */
bool map_claim(struct tfr_pipeline *p, struct worker *w, struct node *n, enum lack *lack);
void map_run(struct tfr_pipeline *p, struct worker *w);
/* Ends the job's slot: what it made is there for the next node. */
void slot_finish(struct tfr_pipeline *p, struct node *n, struct slot *s);

struct image_in sample_image(const struct sample *s);
/* Adds what the studio spent on each stage of a recipe; without the lock. */
void worker_spent_images(struct tfr_pipeline *p, struct worker *w, const struct sample *one,
	uint64_t start, uint64_t bytes);

/* ordered.c */
bool ordered_claim(struct tfr_pipeline *p, struct worker *w, struct node *n, enum lack *lack);
void ordered_run(struct tfr_pipeline *p, struct worker *w);

/* place.c, records.c, complete.c: the last nodes */
bool place_claim(struct tfr_pipeline *p, struct worker *w, struct node *n, enum lack *lack);
void place_run(struct tfr_pipeline *p, struct worker *w);
bool records_claim(struct tfr_pipeline *p, struct worker *w, struct node *n, enum lack *lack);
bool drop_claim(struct tfr_pipeline *p, struct worker *w, struct node *n, enum lack *lack);
void drop_run(struct tfr_pipeline *p, struct worker *w);
bool complete_claim(struct tfr_pipeline *p, struct worker *w);
void complete_run(struct tfr_pipeline *p, struct worker *w);

/* batches.c */
void layout_make(struct tfr_pipeline *p, uint64_t records_bytes); /* of payloads, features */
enum tfr_status batches_init(struct tfr_pipeline *p, struct tfr_error *err); /* without the lock */
void batches_clear(struct tfr_pipeline *p);				     /* likewise */
/* The feed ends: no upload under way is waited for longer than it really takes. */
void lane_cut_short(struct lane *l);
/* Whether a batch is open or can be, and `ahead` more behind it. */
bool batch_room(const struct tfr_pipeline *p, unsigned ahead);
void batch_open(struct tfr_pipeline *p);
void batch_close(struct tfr_pipeline *p, bool epoch_ends);
void batch_done(struct tfr_pipeline *p, struct fill *b, uint32_t place, bool good, uint64_t bytes);
void batch_ready(struct tfr_pipeline *p, struct fill *b);
/* No batch follows: what waits for company travels as it is. */
void batches_end(struct tfr_pipeline *p);
static inline uint8_t *fill_memory(const struct tfr_pipeline *p, const struct fill *b)
{
	return b->home->memory + (size_t)(b - b->home->fills) * p->layout.stride;
}
/* The plan only guesses the size of a batch with ragged features or payloads: these grow memory of
 * the lane that is not in use to what a larger one needs.  TFR_ENOMEM: it is more than a quarter of
 * the memory allowed, or than its part of a transfer.  Without the lock. */
enum tfr_status batch_grow_staging(
	struct lane *l, struct staging *b, uint64_t need, struct tfr_error *err);
/* For a transfer of so many bytes and the floats that the device makes after them. */
enum tfr_status batch_grow_target(
	struct lane *l, struct target *t, uint64_t bytes, struct tfr_error *err);
/* Says how large the batch is, and what is in it; but for features. */
void batch_end_images(const struct tfr_pipeline *p, struct fill *b);

/* complete.c */
void batch_describe(const struct tfr_pipeline *p, struct fill *b);
/* Fills the gaps among the first `end` places, the lowest first, with the last good ones. */
void batch_close_gaps(const struct tfr_pipeline *p, struct fill *b, uint32_t end);

/* columns.c: parses and writes what the batch's records have; on the account of parse up to
 * `since`, which it moves.  Without the lock. */
enum tfr_status batch_features(
	struct tfr_pipeline *p, struct worker *w, struct lane *l, struct fill *b, uint64_t *since);

/* uploader.c */
void *uploader_main(void *arg);
static inline void lane_wake(struct lane *l)
{
	pthread_cond_signal(&l->uploads);
}
void line_put(struct line *l, unsigned value);
unsigned line_take(struct line *l);
enum tfr_status upload_verify(struct lane *l, const struct staging *b, const struct target *t,
	struct tfr_error *err); /* verify.c, without the lock */

/* workers.c */
void *worker_main(void *arg);
/* Adds what the job took to the rows, and tells who traces it; without the lock. */
static inline void worker_spent(
	struct worker *w, unsigned row, uint64_t busy, uint64_t items, uint64_t bytes)
{
	struct counter *c = &w->spent[row];

	c->busy += busy;
	c->items += items;
	c->bytes += bytes;
}
/* Takes the lock, and adds what the job took. */
void worker_settle(struct tfr_pipeline *p, struct worker *w);

/* stats.c */
/* Whether the time from the first batch to the last says more than the whole run: a feed that spent
 * longer on its first batch than on all others has only emptied its shuffle buffer since. */
bool stats_steady(const struct tfr_pipeline *p);
void stats_settle(struct tfr_pipeline *p, uint64_t now);
void stats_delivered(
	struct tfr_pipeline *p, const struct arrival *a, uint64_t waited_ns, uint64_t now);

/* judge.c: without the lock */
void stats_judge(const struct tfr_pipeline *p, struct tfr_pipeline_stats *stats);

/* options.c: without the lock */
enum tfr_status options_check(struct tfr_pipeline *p, struct tfr_error *err);
/* Once the first records were seen. */
struct findings;
enum tfr_status options_settle(
	struct tfr_pipeline *p, const struct findings *f, struct tfr_error *err);
/* Whether what is decoded are sounds. */
static inline bool feeds_sounds(const struct tfr_pipeline *p)
{
	unsigned decode = stages_find(&p->list, STAGE_DECODE);

	return decode < p->list.count && p->list.at[decode].sound;
}
void options_clear(struct tfr_pipeline *p);

/* pipeline.c */
void pipeline_fail(struct tfr_pipeline *p, enum tfr_status status, const struct tfr_error *err);
/* The record of `s` is left out, or ends the feed.  Without the lock. */
void pipeline_bad_record(struct tfr_pipeline *p, const struct sample *s, struct tfr_error *err);
/* Tells who traces; without the lock. */
static inline void pipeline_trace(struct tfr_pipeline *p, unsigned stage, unsigned thread,
	uint64_t start, uint64_t end, uint64_t number)
{
	if (p->opts.traced)
		p->opts.traced(
			p->opts.ctx, &(struct tfr_trace){ stage, thread, start, end, number });
}

static inline void pipeline_wake_workers(struct tfr_pipeline *p)
{
	p->moves++;
	if (p->idle_workers)
		pthread_cond_broadcast(&p->work);
}

/* consumer.c has tfr_pipeline_next() and tfr_pipeline_release(), and */
enum tfr_status pipeline_stalled(struct tfr_pipeline *p, struct tfr_error *err);

#endif
