/* rewrite/resample/quota.h - how many records each class gives.
 *
 * Shares are whole numbers, parts of a whole, so that sizes and quotas are exact: classes of equal
 * weight get equal quotas, and counts that fit a target without remainder are used to the last
 * record. */
#ifndef TFR_REWRITE_RESAMPLE_QUOTA_H
#define TFR_REWRITE_RESAMPLE_QUOTA_H

#include <stddef.h>

#include "base/error.h"

/* Sizes beyond this are refused: a double counts exactly up to here. */
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

/* The largest size of which no class has to give more than its records; *scarcest is the class that
 * allows no more.  0, and scarcest n, where no class has a share. */
uint64_t tfr_shares_largest(const struct tfr_shares *s, const uint64_t *records, size_t *scarcest);
/* The smallest size in which every class with a share gives all of its records, or UINT64_MAX where
 * that is beyond TFR_QUOTA_MAX. */
uint64_t tfr_shares_covering(const struct tfr_shares *s, const uint64_t *records);
/* Divides `size`, at most TFR_QUOTA_MAX, by largest remainders; of equal remainders the earlier
 * class's is the larger.  No quota is above `most`, where that is not NULL: the size is then at
 * most tfr_shares_largest(). */
enum tfr_status tfr_shares_divide(const struct tfr_shares *s, uint64_t size, const uint64_t *most,
	uint64_t *quotas, struct tfr_error *err);

#endif
