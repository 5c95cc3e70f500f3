/* pipeline/source/sample.h - a record, or pixels made of one, on its way through the feed,
 * and its memory.
 *
 * Only pointers to samples move.  The data of a sample is in one of three places: in a run of
 * records as it was read, which the samples of a chunk share and which is used again after the
 * last of them; in the sample's own memory, from a pool by size class; or in a cache.  Reading
 * copies nothing.  A shuffle holds records for long: they are copied once into memory of their
 * own, so that one record does not keep a run. */
#ifndef TFR_PIPELINE_SAMPLE_H
#define TFR_PIPELINE_SAMPLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tfr-private/pixels.h>

#include "pipeline/images/recipe.h"
#include "record/record_run.h"

struct tfr_record_chunk;

struct tfr_pipeline_sample {
	struct tfr_pipeline_sample *next;
	uint64_t epoch, ordinal; /* its place in the unshuffled stream */
	uint64_t record, offset; /* its place in its file */
	/* The payload; of pixels only its size, and that only of the first copy: sums over samples
	 * are sums over records. */
	const uint8_t *data;
	size_t size;
	const uint8_t *image, *mask; /* encoded, inside data; NULL: not looked for */
	size_t image_size, mask_size;
	struct tfr_pixels *pixels;	/* decoded: image and mask; NULL: it is a record */
	struct tfr_record_chunk *chunk; /* whose records it looks into */
	uint32_t file, copy, size_class;
	_Alignas(64) uint8_t memory[];
};

enum { SAMPLE_CLASSES = 8 * 64 };

struct tfr_sample_pool {
	pthread_mutex_t lock;
	struct tfr_pipeline_sample *idle[SAMPLE_CLASSES];
	uint64_t idle_bytes, idle_limit; /* samples given back beyond the limit are freed */
};

void tfr_sample_pool_init(struct tfr_sample_pool *pool, uint64_t idle_limit);
void tfr_sample_pool_clear(struct tfr_sample_pool *pool);

/* Samples with room for so many bytes each; `sizes` NULL: with none.  False: out of memory, and
 * there is none.  Any thread.
 */
bool tfr_samples_get(struct tfr_sample_pool *pool, const size_t *sizes, unsigned n,
	struct tfr_pipeline_sample **out);
/* Gives back samples of any kind; NULLs among them are passed over. */
void tfr_samples_put(
	struct tfr_sample_pool *pool, struct tfr_pipeline_sample **samples, unsigned n);
void tfr_sample_put(struct tfr_sample_pool *pool, struct tfr_pipeline_sample *s);

/* Replaces views by samples with memory of their own.  False: out of memory, and nothing has
 * changed. */
bool tfr_samples_keep(
	struct tfr_sample_pool *pool, struct tfr_pipeline_sample **samples, unsigned n);

/* A new sample with room for pixels of that form and for their mask.  NULL: out of memory. */
struct tfr_pipeline_sample *tfr_sample_pixels(
	struct tfr_sample_pool *pool, const struct tfr_image_form *form, bool mask);
uint64_t tfr_sample_pixels_bytes(const struct tfr_image_form *form, bool mask);

/* The bytes a payload of `size` takes in memory: for the plan. */
uint64_t tfr_sample_footprint(size_t size);

/* ---- runs ---- */

struct tfr_block_pool;

/* A run of records, which chunks point into. */
struct tfr_run_block {
	struct tfr_run_block *next;
	struct tfr_block_pool *home;
	atomic_uint refs; /* chunks, and the reader while it reads */
	struct tfr_record_run run;
};

/* Samples in the order of the file. */
struct tfr_record_chunk {
	struct tfr_record_chunk *next;
	struct tfr_run_block *block;
	atomic_uint left;	      /* samples that are still somewhere */
	uint32_t count, capacity, at; /* filled; handed out */
	uint64_t bytes;		      /* of payloads not handed out */
	struct tfr_pipeline_sample samples[];
};

struct tfr_block_pool {
	pthread_mutex_t lock;
	struct tfr_run_block *idle; /* the last one given back, whose memory is in a cache, first */
	uint64_t idle_bytes, idle_limit; /* blocks given back beyond the limit are freed */
};

void tfr_block_pool_init(struct tfr_block_pool *b, uint64_t idle_limit);
void tfr_block_pool_clear(struct tfr_block_pool *b);
struct tfr_run_block *tfr_block_get(
	struct tfr_block_pool *b); /* with one reference; NULL: out of memory */
void tfr_block_put(struct tfr_run_block *block);
struct tfr_record_chunk *tfr_record_chunk_new(
	struct tfr_run_block *block, uint32_t capacity); /* NULL: out of memory */
/* Adds a record of the block. */
void tfr_record_chunk_add(
	struct tfr_record_chunk *chunk, uint32_t file, const struct tfr_record *rec);
/* Gives up the samples that were not handed out. */
void tfr_record_chunk_drop(struct tfr_record_chunk *chunk);

#endif
