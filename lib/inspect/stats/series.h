/* inspect/stats/series.h - sums numbers in a few kilobytes, in any order: int64s and floats.
 *
 * Count, minimum, maximum, sum and sum of squares are kept as integers, of the values or, for
 * floats, of the mantissas of one exponent.  Adding integers is exact, so the figures depend
 * neither on the order of the values nor on how they are divided among threads and files.  Only the
 * last step, from these integers to mean and deviation, is rounded.
 *
 * The distribution is kept in bins that are the same for every data set.  An int64 below 64 in
 * magnitude has a bin of its own.  Other numbers share a bin if they have the same sign, power of
 * two and next six bits.  The middle of a bin is therefore within 1/128 of each number in it, or,
 * for floats below 2^-126, within 2^-132.  Series merge to the result of one pass over all of
 * them. */
#ifndef TFR_INSPECT_STATS_SERIES_H
#define TFR_INSPECT_STATS_SERIES_H

#include <tfr-private/survey.h>

#include "inspect/stats/state.h"

/* Counters that are allocated when first needed: pages of them, found by key.  Addition is
 * commutative, so the bins of several series add up to those of all values. */
struct tfr_bins {
	uint16_t *place; /* number of the page by key, from 1; 0: none. NULL: there are no pages */
	uint64_t *pages; /* in the order of their first use */
	unsigned n;
};

/* Sums of int64s.  Zero-initialised is empty. */
struct tfr_series {
	uint64_t count;
	int64_t min, max; /* valid if there are any */
	__int128 sum;
	tfr_u128 squares;
	uint64_t squares_high; /* bits from 128 on */
	struct tfr_bins bins;
};

/* Sums of floats. */
struct tfr_floats {
	uint64_t count; /* finite ones */
	uint64_t nan, infinite, minus_infinite;
	float min, max;	      /* of the finite ones; valid if there are any */
	struct tfr_bins bins; /* each page has the sums of its mantissas */
};

/* The figures of either. */
struct tfr_summary {
	uint64_t count;
	double mean, deviation; /* of the population; 0 if there are no numbers */
};

bool tfr_series_add(struct tfr_series *s, int64_t value); /* false: out of memory */
bool tfr_series_merge(struct tfr_series *into, const struct tfr_series *from);
void tfr_series_clear(struct tfr_series *s);
size_t tfr_series_bytes(const struct tfr_series *s);		      /* memory in bytes */
void tfr_series_state(struct tfr_series *s, struct tfr_state *state); /* reads into an empty one */
struct tfr_summary tfr_series_sum_up(const struct tfr_series *s);
/* Appends the non-empty bins, struct tfr_bin, ascending.  False: out of memory. */
bool tfr_series_bins(const struct tfr_series *s, struct tfr_buf *bins);

bool tfr_floats_add(struct tfr_floats *s, float value);
bool tfr_floats_merge(struct tfr_floats *into, const struct tfr_floats *from);
void tfr_floats_clear(struct tfr_floats *s);
size_t tfr_floats_bytes(const struct tfr_floats *s);
void tfr_floats_state(struct tfr_floats *s, struct tfr_state *state);
struct tfr_summary tfr_floats_sum_up(const struct tfr_floats *s);
bool tfr_floats_bins(const struct tfr_floats *s, struct tfr_buf *bins);

/* The middle of the bin with the value of rank ceil(q * count), clamped to min and max. */
double tfr_bins_quantile(
	const struct tfr_bin *bins, size_t n, uint64_t count, double q, double min, double max);

/* The Kolmogorov-Smirnov distance, from 0 to 1: the largest difference between the two cumulative
 * distributions, taken at the ends of bins, which ascend.  0 if a side has no numbers. */
double tfr_bins_distance(const struct tfr_distribution *a, const struct tfr_distribution *b);

#endif
