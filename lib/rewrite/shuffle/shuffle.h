/* rewrite/shuffle/shuffle.h - what the parts of a shuffle share: keys, buckets, the plan for
 * memory.
 *
 * A record's key is a pure function of (seed; file, record), and bucket b of B holds the keys from
 * 2^64·b/B on: the upper half of key·B is the bucket, the lower half the key's place within it,
 * from which a bucket that has to be divided again goes on in the same way. */
#ifndef TFR_REWRITE_SHUFFLE_SHUFFLE_H
#define TFR_REWRITE_SHUFFLE_SHUFFLE_H

#include <tfr-private/rewrite.h>

#include "base/rng.h"
#include "rewrite/rewrite_sweep.h"
#include "rewrite/shuffle/chunks.h"
#include "sweep/progress_ticker.h"

/* Keeps these draws apart from others of the same seed. */
#define TFR_SHUFFLE_DOMAIN 0x73687566u /* "shuf" */

static inline uint64_t tfr_shuffle_key(uint64_t seed, uint32_t file, uint64_t record)
{
	const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
	const uint32_t counter[4] = { (uint32_t)record, (uint32_t)(record >> 32), file,
		TFR_SHUFFLE_DOMAIN };
	uint32_t out[4];

	tfr_philox(key, counter, out);
	return (uint64_t)out[1] << 32 | out[0];
}

/* Which of `count` equal ranges the place is in; *place becomes the place within it. */
static inline uint32_t tfr_bucket_of(uint64_t *place, uint32_t count)
{
	unsigned __int128 product = (unsigned __int128)*place * count;

	*place = (uint64_t)product;
	return (uint32_t)(product >> 64);
}

enum { TFR_BUCKET_DEPTH = 6 };

struct tfr_bucket_part {
	const struct tfr_strands *of;
	uint32_t strand;
};

/* A range of keys, with its records. */
struct tfr_bucket {
	struct tfr_bucket_part *parts;
	uint32_t part_count;
	uint32_t depth;
	uint32_t
		divided[TFR_BUCKET_DEPTH]; /* into how many the keys were divided, level by level */
	uint64_t bytes, records, payload_bytes, largest;
	uint64_t first; /* position of its first record in the output */
	uint32_t users; /* who still have to write some of it */
};

struct tfr_buckets {
	struct tfr_bucket *b;
	uint32_t count;
};

void tfr_buckets_clear(struct tfr_buckets *b);

/* How memory is used.  `bytes` of input, UINT64_MAX where nothing is known of it. */
struct tfr_memory_plan {
	unsigned threads;
	size_t block;	     /* read at a time */
	uint64_t max_record; /* a larger one is refused */
	uint32_t buckets;
	size_t chunk;
	uint64_t chunks; /* of the arena */
	uint64_t gather; /* bytes for all buckets that are sorted at a time */
	unsigned passes; /* 0: not known */
};
void tfr_memory_plan(
	struct tfr_memory_plan *plan, uint64_t memory, unsigned threads, uint64_t bytes);

/* Where temporary files go when no folder is named: beside the output, or where streams have
 * theirs. The caller frees it; NULL: out of memory. */
char *tfr_default_tmpdir(const char *output);

/* What sorting and writing a bucket takes of memory. */
uint64_t tfr_bucket_memory(const struct tfr_bucket *b);

/* What is shuffled: the records that deal() puts into the sink, with at most plan->threads workers
 * and within plan->block and plan->max_record.  deal() fills the report, except for taken_sum. */
struct tfr_sink;
struct tfr_dealing {
	enum tfr_status (*deal)(void *ctx, struct tfr_sink *sink,
		const struct tfr_memory_plan *plan, struct tfr_rewrite_report *report,
		struct tfr_error *err);
	void *ctx;
	bool part; /* it may be less than the inputs: the space these would need is not asked for */
	const struct tfr_set_info *info;
};
enum tfr_status tfr_shuffle_dealt(const struct tfr_shuffle_opts *opts,
	const struct tfr_dealing *dealing, struct tfr_shuffle_report *report,
	struct tfr_error *err);

/* Writes all buckets in key order. */
struct tfr_gather {
	const struct tfr_shuffle_opts *opts;
	const struct tfr_buckets *buckets;
	struct tfr_spill *spill;
	struct tfr_set_writer *out;
	uint64_t records; /* in all buckets */
	uint64_t memory;
	unsigned threads;
	bool release; /* give temporary space back as it has been read */
};
enum tfr_status tfr_gather_run(const struct tfr_gather *g, struct tfr_error *err);

#endif
