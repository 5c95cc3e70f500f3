/* pipeline/flow/nodes.h - the inside of the flow: nodes, their slots, and workers.
 *
 * Every claim of a node takes the next slot of its ring.  Slots are handed on in the order of
 * their claims, however the jobs end: that restores the order, and the number of slots bounds a
 * node. */
#ifndef TFR_PIPELINE_NODES_H
#define TFR_PIPELINE_NODES_H

#include <tfr-private/example.h>

#include "base/shuffler.h"
#include "pipeline/control.h"
#include "pipeline/images/executor.h"
#include "pipeline/report/statistics.h"
#include "pipeline/source/record_source.h"
#include "pipeline/transfer/transfer.h"

enum { NODES_MAX = STAGES_COUNT_MAX + 2 };

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
struct tfr_node_slot {
	struct tfr_pipeline_sample **in, **out; /* NULL in them: an epoch ends here */
	unsigned in_count, out_count;
	size_t out_capacity;
	unsigned at; /* of out: handed on */
	bool done;
};

/* The samples of the first epoch, for all later ones, which point into the cache (ordered.c). */
struct tfr_cache_entry {
	uint64_t ordinal, record, offset, size;
	uint8_t *memory;
	uint32_t image_at, image_size, mask_at, mask_size; /* encoded, in the payload */
	uint32_t file, copy;
	bool pixels;
};

struct tfr_sample_cache {
	struct tfr_cache_entry **entries; /* in blocks */
	uint64_t count;
	uint64_t bytes, limit; /* of memory; the limit is set once the plan is settled */
	struct tfr_cache_slab *slabs;
};

struct tfr_flow_node {
	/* Fixed once the workers have started. */
	enum tfr_node_kind kind;
	struct tfr_flow_node *up;
	unsigned from, to;	     /* its rows */
	unsigned row;		     /* whose queue is after it: the last */
	unsigned per_job;	     /* samples taken at a time */
	struct tfr_node_slot *slots; /* in order: slots[number % slot_count] */
	unsigned slot_count;
	uint64_t most; /* samples that may be in done slots; 0: unbounded */
	bool pieces;   /* large payloads are copied as they come, `per_job` at a time */
	bool parses, finds, finds_audio, filters, keeps, decodes;
	unsigned keeps_row; /* on whose account records are kept: the stage that holds them */
	struct tfr_recipe recipe;
	/* Changed under the lock, or by the one worker that runs the node.  These flags share no
	 * word with those above: a worker reads its node without the lock, and a compiler may read
	 * neighbouring flags at once. */
	uint64_t claimed, taken; /* numbers: the next to be claimed, the first not handed on */
	uint64_t waiting;	 /* samples in done slots */
	bool running;		 /* one at a time, and one is */
	bool over;		 /* a cache: nothing more comes */
	uint64_t epoch_items; /* of a last node: that came in this epoch; of a cache: given out */
	uint64_t epochs;      /* of a last node: that ended */
	uint64_t seen_epochs; /* a cache's: given out complete, again */
	uint64_t seen, looks; /* samples that the next node found */
	uint64_t held, least; /* of a shuffle: what its shuffler holds and must hold between jobs */
	struct tfr_shuffler shuffler;
	struct tfr_sample_cache cache;
};

/* LACK_NOTHING: the node is over, or another worker runs it. */
enum tfr_lack { LACK_NOTHING, LACK_INPUT, LACK_ROOM };

struct tfr_worker {
	struct tfr_flow *flow;
	struct tfr_image_executor *executor;
	struct tfr_example *example;
	struct tfr_where *where;
	struct tfr_batch_parser *parser;
	struct tfr_span idle;
	enum tfr_lack lack;	    /* of the last claim that failed */
	struct tfr_flow_node *node; /* the job: of this one, */
	struct tfr_node_slot *slot; /* this slot, */
	struct tfr_pipeline_sample *sample;
	struct tfr_batch_place *places;	  /* or this image to these places, */
	struct tfr_staged_batch *batch;	  /* or this batch to complete, */
	struct tfr_batch_piece piece;	  /* or these payloads to copy, */
	struct tfr_pipeline_sample **dropped; /* or these to give back */
	unsigned dropped_count;
	struct tfr_work_time time;
	struct tfr_error err; /* too large for a stack of many frames */
};

struct tfr_flow {
	const struct tfr_settings *settings;
	struct tfr_control *control;
	struct tfr_statistics *statistics;
	struct tfr_sample_pool *pool;
	struct tfr_record_source *source;
	struct tfr_transfer *transfer;
	struct tfr_flow_node nodes[NODES_MAX];
	struct tfr_flow_node *last; /* of them */
	unsigned node_count;
	uint64_t epochs; /* of a cache: that are given out; 0: no limit */
	struct tfr_worker *workers;
	pthread_t *threads;
	unsigned threads_started;
};

enum { DROP_AT_ONCE = 256 };

/* Images that a node makes of one. */
static inline uint32_t tfr_flow_node_copies(const struct tfr_flow_node *n)
{
	return n->decodes ? n->recipe.copies : 1;
}

/* Samples that may wait after a node. */
static inline uint64_t tfr_flow_node_capacity(const struct tfr_flow_node *n)
{
	return n->most ? n->most : (uint64_t)n->slot_count * n->per_job * tfr_flow_node_copies(n);
}

/* ---- flow.c: with the lock ---- */

/* Up to `max` of what waits after the node; one that ends an epoch is the last. */
unsigned tfr_flow_node_take(struct tfr_flow *flow, struct tfr_flow_node *n,
	struct tfr_pipeline_sample **to, unsigned max);
bool tfr_flow_node_over(const struct tfr_flow *flow, const struct tfr_flow_node *n);
/* Ends the job: the contents of its slot are there for the next node. */
void tfr_node_slot_finish(struct tfr_flow *flow, struct tfr_flow_node *n, struct tfr_node_slot *s);
/* Without the lock; false: out of memory. */
bool tfr_node_slot_reserve(struct tfr_node_slot *s, unsigned more);
bool tfr_node_slot_put(struct tfr_node_slot *s, struct tfr_pipeline_sample *sample);

/* ---- jobs ----
 *
 * A claim takes the input of a job, or sets w->lack to what is missing.  A run does the work
 * without the lock and returns with it. */

void tfr_map_run(struct tfr_flow *flow, struct tfr_worker *w);
void tfr_ordered_run(struct tfr_flow *flow, struct tfr_worker *w);
/* place.c: the last nodes */
bool tfr_place_claim(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n);
void tfr_place_run(struct tfr_flow *flow, struct tfr_worker *w);
bool tfr_records_claim(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n);
void tfr_records_run(struct tfr_flow *flow, struct tfr_worker *w);
bool tfr_drop_claim(struct tfr_flow *flow, struct tfr_worker *w, struct tfr_flow_node *n);
void tfr_drop_run(struct tfr_flow *flow, struct tfr_worker *w);

void tfr_sample_cache_clear(struct tfr_sample_cache *c);

/* map.c: a sample as an executor takes it. */
struct tfr_image_input tfr_sample_image(const struct tfr_pipeline_sample *s);
/* Adds the executor's time to each stage of a recipe; without the lock. */
void tfr_worker_spent_images(const struct tfr_flow *flow, struct tfr_worker *w,
	const struct tfr_pipeline_sample *one, uint64_t start, uint64_t bytes);

/* flow.c: takes the lock, and adds the times of the job. */
void tfr_worker_lock_and_settle(struct tfr_flow *flow, struct tfr_worker *w);

#endif
