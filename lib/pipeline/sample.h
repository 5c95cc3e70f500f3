/* pipeline/sample.h - a record, or pixels made of one, on its way through the feed, and the memory
 * it lies in.
 *
 * Only pointers to samples move.  What a sample points to is one of three things: a run of records
 * as it was read, which a grain of samples looks into and which is used again when the last of them
 * is gone; memory of its own behind it, out of a store that keeps what comes back by size class; or
 * what a cache holds.  Reading copies nothing; what is to be held for long, by a shuffle, is copied
 * once into memory of its own, so that no run is kept for the sake of one record. */
#ifndef TFR_PIPELINE_SAMPLE_H
#define TFR_PIPELINE_SAMPLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "pipeline/recipe.h"
#include "record/record_run.h"

struct grain;

struct sample {
	struct sample *next;
	uint64_t epoch, ordinal; /* its place in the unshuffled stream */
	uint64_t record, offset; /* its place in its file */
	/* The payload; of pixels only its size, and that only of the first copy: sums over samples
	 * are sums over records. */
	const uint8_t *data;
	size_t size;
	const uint8_t *image, *mask; /* encoded, inside data; NULL: not looked for */
	size_t image_size, mask_size;
	struct tfr_pixels *pixels; /* decoded: image and mask; NULL: it is a record */
	struct grain *grain;	   /* whose records it looks into */
	struct sample *beside;	   /* whose memory the mask's pixels are in */
	uint32_t file, copy, size_class;
	_Alignas(64) uint8_t memory[];
};

enum { SAMPLE_CLASSES = 8 * 64 };

struct sample_store {
	pthread_mutex_t lock;
	struct sample *idle[SAMPLE_CLASSES];
	uint64_t idle_bytes, idle_limit; /* what comes back beyond the limit is freed */
};

void sample_store_init(struct sample_store *store, uint64_t idle_limit);
void sample_store_clear(struct sample_store *store);

/* Samples with room for so many bytes each.  False: out of memory, and there is none.  Any thread.
 */
bool samples_get(struct sample_store *store, const size_t *sizes, unsigned n, struct sample **out);
/* One of them. */
struct sample *sample_get(struct sample_store *store, size_t size);
/* Gives back samples of any kind; NULLs among them are passed over. */
void samples_put(struct sample_store *store, struct sample **samples, unsigned n);
void sample_put(struct sample_store *store, struct sample *s);

/* Exchanges views for samples of their own memory.  False: out of memory, all is as it was. */
bool samples_keep(struct sample_store *store, struct sample **samples, unsigned n);

/* Room for pixels of that form behind a new sample, or behind `s` for its mask.  NULL: out of
 * memory. */
struct sample *sample_pixels(struct sample_store *store, const struct image_form *form);
struct tfr_pixels *sample_mask_pixels(
	struct sample_store *store, struct sample *s, const struct image_form *form);
uint64_t sample_pixels_bytes(const struct image_form *form);

/* The bytes a payload of `size` takes in memory: for the plan. */
uint64_t sample_footprint(size_t size);

/* ---- runs ---- */

struct blocks;

/* A run of records, which grains look into. */
struct block {
	struct block *next;
	struct blocks *home;
	atomic_uint refs; /* grains, and the reader while it is at it */
	struct tfr_run run;
};

/* Samples in the order of the file. */
struct grain {
	struct grain *next;
	struct block *block;
	atomic_uint left;	      /* samples that are still somewhere */
	uint32_t count, capacity, at; /* filled; handed out */
	uint64_t bytes;		      /* of payloads not handed out */
	struct sample samples[];
};

struct blocks {
	pthread_mutex_t lock;
	struct block *idle;
	unsigned idle_count, idle_most;
	size_t largest; /* that are kept */
};

void blocks_init(struct blocks *b, unsigned idle_most, size_t largest);
void blocks_clear(struct blocks *b);
struct block *block_get(struct blocks *b); /* with one reference; NULL: out of memory */
void block_put(struct block *block);
struct grain *grain_new(struct block *block, uint32_t capacity); /* NULL: out of memory */
/* Adds a record that lies in the block. */
void grain_add(struct grain *g, uint32_t file, const struct tfr_record *rec);
/* Gives up the samples that were not handed out. */
void grain_drop(struct grain *g);

#endif
