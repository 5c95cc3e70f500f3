/* rewrite/resample/quota.h - computes how many records each class gives.
 *
 * Shares are integers, fractions of their sum, so that sizes and quotas are exact.  Classes of
 * equal weight get equal quotas, and counts that fit a target without remainder are used to the
 * last record. */
#ifndef TFR_REWRITE_RESAMPLE_QUOTA_H
#define TFR_REWRITE_RESAMPLE_QUOTA_H

#include <stddef.h>

#include "base/error.h"

/* Larger sizes are refused: a double counts exactly up to here. */
#define TFR_QUOTA_MAX ((uint64_t)1 << 53)

struct tfr_shares {
	uint64_t *parts;
	size_t n;
	unsigned __int128 whole; /* their sum */
};

/* The weights are finite, and the largest of them in [1, 2); at most 2^20 of them. */
enum tfr_status tfr_shares_open(
	struct tfr_shares *s, const double *weights, size_t n, struct tfr_error *err);
void tfr_shares_clear(struct tfr_shares *s);

/* The largest size at which no class needs more than its records; *scarcest is the class that
 * limits it.  0, and scarcest n, if no class has a share. */
uint64_t tfr_shares_largest(const struct tfr_shares *s, const uint64_t *records, size_t *scarcest);
/* The smallest size at which every class with a share gives all of its records, or UINT64_MAX if
 * that exceeds TFR_QUOTA_MAX. */
uint64_t tfr_shares_covering(const struct tfr_shares *s, const uint64_t *records);
/* Divides `size`, at most TFR_QUOTA_MAX, by largest remainders; of equal remainders, the earlier
 * class gets the record.  No quota exceeds `most`, unless that is NULL: the size is then at most
 * tfr_shares_largest(). */
enum tfr_status tfr_shares_divide(const struct tfr_shares *s, uint64_t size, const uint64_t *most,
	uint64_t *quotas, struct tfr_error *err);

#endif
