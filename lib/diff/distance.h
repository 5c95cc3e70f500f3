/* diff/distance.h - the distance of two distributions, from 0 to 1. */
#ifndef TFR_DIFF_DISTANCE_H
#define TFR_DIFF_DISTANCE_H

#include <tfr-private/survey.h>

/* The largest difference between the two cumulative distributions, taken at the ends of bins.  The
 * bins ascend and are the same on both sides.  0 if a side has no numbers. */
double tfr_distance_ks(const struct tfr_distribution *a, const struct tfr_distribution *b);

/* The largest difference between shares; `counts` are those of `n` categories on each side. *which:
 * the first category with that difference.  0 if a side is empty. */
double tfr_distance_max(const uint64_t *a, const uint64_t *b, size_t n, size_t *which);

#endif
