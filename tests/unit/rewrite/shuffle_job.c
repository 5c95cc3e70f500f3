/* A shuffle by many parts: the plan divides records evenly. */
#include <stdlib.h>

#include <criterion/criterion.h>

#include "rewrite/shuffle/shuffle.h"

enum { PARTS = 1000, SHARDS = 10000, FILES = 100, OF_BUCKET = 1000 };

/* 1,000 records per bucket: none has more than 1.2 of the mean, and no part more than 1.1. */
Test(shuffle_job, thousand_parts)
{
	uint64_t memory = (uint64_t)1 << 30;
	uint32_t count = tfr_shuffle_job_buckets(PARTS, (uint64_t)100 << 40, memory);
	uint64_t records = (uint64_t)count * OF_BUCKET, most = 0, most_shards = 0;
	uint32_t *held = calloc(count, sizeof(*held));

	cr_assert(held);
	cr_assert_geq((uint64_t)count * (memory / 4), (uint64_t)100 << 40,
		"no bucket needs more than a quarter of the memory");
	/* The buckets of 100 TB are too many to be tried one by one here: 32 of each part are. */
	count = tfr_shuffle_job_buckets(PARTS, (uint64_t)1 << 40, memory);
	records = (uint64_t)count * OF_BUCKET;
	for (uint32_t f = 0; f < FILES; f++)
		for (uint64_t r = 0; r < records / FILES; r++) {
			uint64_t key = tfr_shuffle_key(7, f, r);

			held[tfr_bucket_of(&key, count)]++;
		}
	for (uint32_t k = 0; k < count; k++)
		most = held[k] > most ? held[k] : most;
	cr_assert_leq(
		most * 10, OF_BUCKET * 12, "a bucket has %llu records", (unsigned long long)most);
	for (uint32_t p = 0; p < PARTS; p++) { /* as set_gather.c divides them */
		uint64_t shards = (uint64_t)SHARDS * (p + 1) / PARTS - (uint64_t)SHARDS * p / PARTS;

		most_shards = shards > most_shards ? shards : most_shards;
	}
	cr_assert_leq(most_shards * 10 * PARTS, SHARDS * 11);
	free(held);
}
