/* base/rng.h - Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC
 * 2011).
 *
 * A counter-based generator: the numbers are a pure function of key and counter, so a draw keyed by
 * (seed, epoch, record) is the same whichever thread makes it.  It is also the generator of
 * tf.data's shuffle and sample_from_datasets. */
#ifndef TFR_BASE_RNG_H
#define TFR_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct tfr_rng {
	uint32_t key[2];
	uint32_t counter[4];
	uint32_t out[4];
	unsigned used; /* of out; 4: empty */
};

/* One block: out = philox4x32-10(key, counter). */
void tfr_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

/* Key = seed, counter words 2..3 = stream, words 0..1 count from 0. */
void tfr_rng_init(struct tfr_rng *r, uint64_t seed, uint64_t stream);
/* Seeds the generator as TensorFlow does for an op with this seed and without a global seed. */
void tfr_rng_init_op(struct tfr_rng *r, uint64_t seed);
uint32_t tfr_rng_u32(struct tfr_rng *r);
uint64_t tfr_rng_u64(struct tfr_rng *r);
/* Uniform in [0, n), without modulo bias; n > 0. */
uint64_t tfr_rng_below(struct tfr_rng *r, uint64_t n);
/* Uniform in [0, 1) with 53 bits. */
double tfr_rng_unit(struct tfr_rng *r);
/* A uniform permutation of `n` elements of `size` bytes each (at most 64), by Fisher and Yates. */
void tfr_rng_shuffle(struct tfr_rng *r, void *base, size_t n, size_t size);

/* A 64-bit draw for a record, which depends only on the seed and its place: any thread may compute
 * it.  Draws of another `domain` are independent of these. */
static inline uint64_t tfr_record_draw(
	uint64_t seed, uint32_t file, uint64_t record, uint32_t domain)
{
	const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
	const uint32_t counter[4] = { (uint32_t)record, (uint32_t)(record >> 32), file, domain };
	uint32_t out[4];

	tfr_philox(key, counter, out);
	return (uint64_t)out[1] << 32 | out[0];
}

#endif
