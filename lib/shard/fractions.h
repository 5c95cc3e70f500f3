/* shard/fractions.h - which of several sets a thing goes to, decided by its hash alone, so that it
 * stays where it is when others come or go. */
#ifndef TFR_SHARD_FRACTIONS_H
#define TFR_SHARD_FRACTIONS_H

#include <tfr-private/shard.h>

/* What fractions may miss of 1 and be meant as 1: 0.7 + 0.2 + 0.1 is not quite 1. */
#define TFR_SHARES_SLACK 1e-9

/* Whether the shares, of which all or none have a folder, can be met and their sets have no file in
 * common, told before any work: TFR_EUSAGE. */
enum tfr_status tfr_shares_check(
	const struct tfr_share *shares, size_t count, struct tfr_error *err);
/* The share that what has this hash goes to: `count` where the fractions leave it over. */
size_t tfr_shares_choose(const struct tfr_share *shares, size_t count, uint64_t hash);

#endif
