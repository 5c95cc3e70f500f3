/* shard/fractions.h - chooses one of several sets for an item by its hash alone, so that the item
 * stays in its set when others are added or removed. */
#ifndef TFR_SHARD_FRACTIONS_H
#define TFR_SHARD_FRACTIONS_H

#include <tfr-private/shard.h>

/* Fractions whose sum is this close to 1 count as 1: 0.7 + 0.2 + 0.1 is not exactly 1. */
#define TFR_SHARES_SLACK 1e-9

/* Checks shares before any work: all or none have a folder, the fractions can be met, and no two
 * sets have a file in common.  TFR_EUSAGE: they do not. */
enum tfr_status tfr_shares_check(
	const struct tfr_share *shares, size_t count, struct tfr_error *err);
/* The share that an item with this hash goes to; `count` if it belongs to no share. */
size_t tfr_shares_choose(const struct tfr_share *shares, size_t count, uint64_t hash);

#endif
