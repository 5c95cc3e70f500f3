/* inspect/stats/distinct.h - estimates the number of distinct values, within a percent:
 * HyperLogLog.
 *
 * Flajolet, Fusy, Gandouet and Meunier 2007, with the estimator of Ertl, "New cardinality
 * estimation algorithms for HyperLogLog sketches" (2017), which has no bias at any size.  2^14
 * registers give a standard error of 1.04 / 2^7 = 0.8 %.  A register only rises, so any number of
 * threads can add at once, and the order does not matter. */
#ifndef TFR_INSPECT_STATS_DISTINCT_H
#define TFR_INSPECT_STATS_DISTINCT_H

#include "inspect/stats/state.h"

enum { TFR_DISTINCT_BITS = 14, TFR_DISTINCT_REGISTERS = 1 << TFR_DISTINCT_BITS };

/* Zero-initialised is empty. */
struct tfr_distinct {
	uint8_t registers[TFR_DISTINCT_REGISTERS];
};

void tfr_distinct_raise(uint8_t *reg, uint8_t to);

/* Adds a hash, whose bits must be as good as random. */
static inline void tfr_distinct_add(struct tfr_distinct *d, uint64_t hash)
{
	uint8_t *reg = &d->registers[hash >> (64 - TFR_DISTINCT_BITS)];
	uint64_t rest = hash << TFR_DISTINCT_BITS | (uint64_t)1 << (TFR_DISTINCT_BITS - 1);
	uint8_t rank = (uint8_t)(__builtin_clzll(rest) + 1);

	if (__atomic_load_n(reg, __ATOMIC_RELAXED) < rank)
		tfr_distinct_raise(reg, rank);
}

void tfr_distinct_merge(struct tfr_distinct *into, const struct tfr_distinct *from);
double tfr_distinct_estimate(const struct tfr_distinct *d);
void tfr_distinct_state(struct tfr_distinct *d, struct tfr_state *s);

#endif
