/* inspect/stats/int64_sum.h - numbers summed up in a few kilobytes, in any order: int64s and
 * floats.
 *
 * Counts, least, greatest, sum and sum of squares are exact.  The distribution is kept in bins that
 * are the same for every data set: an int64 below 64 in amount has a bin of its own; all other
 * numbers share one with those of their sign and power of two whose next six bits are theirs.  The
 * middle of a bin is therefore within 1/128 of each number in it, or, of floats below 2^-126,
 * within 2^-132.  Parts merge to what one pass over all of them would have given. */
#ifndef TFR_INSPECT_STATS_INT64_SUM_H
#define TFR_INSPECT_STATS_INT64_SUM_H

#include "inspect/stats/bins.h"
#include "inspect/stats/varint_pack.h"

/* Of int64s.  Zero-initialised is empty. */
struct tfr_series {
	/* Lengths and sizes mostly come many times in a row: `waiting` values are `last`, and not
	 * yet in what is below.  tfr_series_settle() puts them there. */
	int64_t last;
	uint64_t waiting;
	uint64_t count;
	int64_t min, max; /* where there are any */
	__int128 sum;
	tfr_u128 squares;
	uint64_t squares_high; /* bits from 128 on */
	struct tfr_bins bins;
};

/* Of floats. */
struct tfr_floats {
	uint64_t count; /* finite ones */
	uint64_t nan, infinite, minus_infinite;
	float min, max;	      /* of the finite ones, where there are any */
	struct tfr_bins bins; /* with sums of mantissas in each page */
};

/* What is shown of either. */
struct tfr_summary {
	uint64_t count;
	double mean, deviation; /* of the population; 0 where there is nothing */
};

/* Settles, and lets `value` wait.  False: out of memory. */
bool tfr_series_turn(struct tfr_series *s, int64_t value);
static inline bool tfr_series_add(struct tfr_series *s, int64_t value)
{
	if (s->waiting && s->last == value) {
		s->waiting++;
		return true;
	}
	return tfr_series_turn(s, value);
}
/* After the last value, before anything below. */
bool tfr_series_settle(struct tfr_series *s);
bool tfr_series_merge(struct tfr_series *into, const struct tfr_series *from);
void tfr_series_clear(struct tfr_series *s);
size_t tfr_series_bytes(const struct tfr_series *s); /* of memory */
void tfr_series_pack(const struct tfr_series *s, struct tfr_pack *p);
void tfr_series_unpack(struct tfr_series *s, struct tfr_unpack *u); /* into an empty one */
struct tfr_summary tfr_series_sum_up(const struct tfr_series *s);
/* Appends the bins that are not empty, struct tfr_bin, ascending.  False: out of memory. */
bool tfr_series_bins(const struct tfr_series *s, struct tfr_buf *bins);

bool tfr_floats_add(struct tfr_floats *s, float value);
bool tfr_floats_merge(struct tfr_floats *into, const struct tfr_floats *from);
void tfr_floats_clear(struct tfr_floats *s);
size_t tfr_floats_bytes(const struct tfr_floats *s);
void tfr_floats_pack(const struct tfr_floats *s, struct tfr_pack *p);
void tfr_floats_unpack(struct tfr_floats *s, struct tfr_unpack *u);
struct tfr_summary tfr_floats_sum_up(const struct tfr_floats *s);
bool tfr_floats_bins(const struct tfr_floats *s, struct tfr_buf *bins);

/* The middle of the bin that holds the value of rank ceil(q * count), kept within min and max. */
double tfr_bins_quantile(
	const struct tfr_bin *bins, size_t n, uint64_t count, double q, double min, double max);

/* --- for series.c and floats.c --- */

void tfr_bins_pack(
	const struct tfr_bins *b, const struct tfr_bins_layout *layout, struct tfr_pack *p);
/* `counted`: of all counters. */
void tfr_bins_unpack(struct tfr_bins *b, const struct tfr_bins_layout *layout, struct tfr_unpack *u,
	uint64_t *counted);
/* Population deviation of n numbers whose sum is `sum` and sum of squares `squares`, both integers
 * in units of 2^scale and 2^(2 scale). */
double tfr_deviation(
	uint64_t n, const struct tfr_wide *sum, const struct tfr_wide *squares, int scale);

#endif
