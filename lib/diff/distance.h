/* diff/distance.h - how far apart two distributions are, from 0 to 1. */
#ifndef TFR_DIFF_DISTANCE_H
#define TFR_DIFF_DISTANCE_H

#include <tfr-private/survey.h>

/* The largest difference of the two cumulative distributions, at the ends of bins, which ascend and
 * are the same bins on both sides.  0 where a side has no numbers. */
double tfr_distance_ks(const struct tfr_distribution *a, const struct tfr_distribution *b);

/* The largest difference of shares: `counts` of `n` categories on each side.  *which: the first
 * category that has it.  0 where a side is empty. */
double tfr_distance_max(const uint64_t *a, const uint64_t *b, size_t n, size_t *which);

#endif
