/* base/rng.c - Philox4x32-10 and the draws made from it. */
#include "base/rng.h"

#include <assert.h>
#include <string.h>

/* tensorflow/python/framework/random_seed.py: the graph's seed if only the op's seed is set. */
#define TF_GRAPH_SEED 87654321u
#define TF_SEED_MODULUS 2147483647u

void tfr_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
	uint32_t k0 = key[0], k1 = key[1];
	uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];

	for (int round = 0; round < 10; round++) {
		uint64_t p0 = (uint64_t)0xD2511F53u * c0;
		uint64_t p1 = (uint64_t)0xCD9E8D57u * c2;

		c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
		c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
		c1 = (uint32_t)p1;
		c3 = (uint32_t)p0;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

void tfr_rng_init(struct tfr_rng *r, uint64_t seed, uint64_t stream)
{
	*r = (struct tfr_rng){
		.key = { (uint32_t)seed, (uint32_t)(seed >> 32) },
		.counter = { 0, 0, (uint32_t)stream, (uint32_t)(stream >> 32) },
		.used = 4,
	};
}

void tfr_rng_init_op(struct tfr_rng *r, uint64_t seed)
{
	tfr_rng_init(r, TF_GRAPH_SEED, seed % TF_SEED_MODULUS);
}

uint32_t tfr_rng_u32(struct tfr_rng *r)
{
	if (r->used == 4) {
		tfr_philox(r->key, r->counter, r->out);
		if (++r->counter[0] == 0)
			r->counter[1]++;
		r->used = 0;
	}
	return r->out[r->used++];
}

uint64_t tfr_rng_u64(struct tfr_rng *r)
{
	uint64_t low = tfr_rng_u32(r);

	return low | (uint64_t)tfr_rng_u32(r) << 32;
}

uint64_t tfr_rng_below(struct tfr_rng *r, uint64_t n)
{
	/* Lemire, "Fast random integer generation in an interval" (2019). */
	unsigned __int128 m = (unsigned __int128)tfr_rng_u64(r) * n;

	if ((uint64_t)m < n) {
		uint64_t floor = -n % n;

		while ((uint64_t)m < floor)
			m = (unsigned __int128)tfr_rng_u64(r) * n;
	}
	return (uint64_t)(m >> 64);
}

double tfr_rng_unit(struct tfr_rng *r)
{
	return (double)(tfr_rng_u64(r) >> 11) * 0x1p-53;
}

void tfr_rng_shuffle(struct tfr_rng *r, void *base, size_t n, size_t size)
{
	char *p = base, held[64];

	assert(size <= sizeof(held));
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)tfr_rng_below(r, i);

		memcpy(held, p + (i - 1) * size, size);
		memcpy(p + (i - 1) * size, p + j * size, size);
		memcpy(p + j * size, held, size);
	}
}
