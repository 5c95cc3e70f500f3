/* rewrite/shuffle/shuffle.h - what the files of a shuffle share: keys, buckets, the memory plan.
 *
 * A record's key is a pure function of (seed; file, record).  Bucket b of B has the keys from
 * 2^64·b/B up to the next bucket's.  The upper half of key·B is the bucket, and the lower half
 * is the position of the key in it.  A bucket that must be divided again is divided in the same
 * way by that position. */
#ifndef TFR_REWRITE_SHUFFLE_SHUFFLE_H
#define TFR_REWRITE_SHUFFLE_SHUFFLE_H

#include <tfr-private/rewrite.h>

#include "base/error.h"
#include "base/rng.h"

static inline uint64_t tfr_shuffle_key(uint64_t seed, uint32_t file, uint64_t record)
{
	return tfr_record_draw(seed, file, record, 0x73687566u); /* "shuf" */
}

/* The one of `count` equal ranges that contains the position; *place becomes the position within
 * it. */
static inline uint32_t tfr_bucket_of(uint64_t *place, uint32_t count)
{
	unsigned __int128 product = (unsigned __int128)*place * count;

	*place = (uint64_t)product;
	return (uint32_t)(product >> 64);
}

enum { TFR_BUCKET_DEPTH = 6 };

struct tfr_chunk_lists;
struct tfr_spill;

/* One of the chunk lists that make up a bucket (chunks.h). */
struct tfr_bucket_list {
	const struct tfr_chunk_lists *of;
	uint32_t number;
};

/* A range of keys, with its records. */
struct tfr_bucket {
	struct tfr_bucket_list *lists;
	uint32_t list_count;
	uint32_t depth;
	uint32_t divided[TFR_BUCKET_DEPTH]; /* number of divisions at each level */
	uint64_t bytes, records, payload_bytes, largest;
	uint64_t first; /* position of its first record in the output */
	uint32_t users; /* lanes that still have to write some of it */
};

struct tfr_buckets {
	struct tfr_bucket *b;
	uint32_t count;
	uint64_t records; /* of all */
};

void tfr_buckets_clear(struct tfr_buckets *b);

/* The memory plan.  `bytes` of input, UINT64_MAX if unknown. */
struct tfr_memory_plan {
	unsigned threads;
	size_t block;	     /* bytes read at a time */
	uint64_t max_record; /* larger records are refused */
	uint32_t buckets;
	size_t chunk;
	uint64_t chunks; /* of the arena */
	uint64_t gather_bytes; /* for all buckets sorted at a time */
	unsigned passes; /* 0: unknown */
};
void tfr_memory_plan(
	struct tfr_memory_plan *plan, uint64_t memory, unsigned threads, uint64_t bytes);

struct tfr_spill_folders;

/* tfr_shuffle_plan() with all that a shuffle needs: the memory, and the folders of temporary files,
 * which the caller clears, whatever this returns. */
enum tfr_status tfr_shuffle_plan_all(const struct tfr_shuffle_opts *o,
	struct tfr_shuffle_plan *plan, struct tfr_memory_plan *mem,
	struct tfr_spill_folders *folders, struct tfr_error *err);

/* The memory needed to sort and write a bucket. */
uint64_t tfr_bucket_memory(const struct tfr_bucket *b);
/* The same for the bucket that needs the most. */
uint64_t tfr_buckets_largest(const struct tfr_buckets *b);

/* Writes all buckets in key order. */
struct tfr_gather {
	const struct tfr_shuffle_opts *opts;
	const struct tfr_buckets *buckets;
	struct tfr_spill *spill;
	struct tfr_set_writer *out;
	uint64_t memory;
	unsigned threads;
};
enum tfr_status tfr_gather_run(const struct tfr_gather *g, struct tfr_error *err);

#endif
