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

/* --- exact cuts ---
 *
 * The items of a class are ordered by their hashes.  Of a class with n items, each set gets the
 * number that its cumulated fraction of n gives, rounded to the nearest integer, halves to even.
 * Fractions are decimals with twelve digits, so that 0.1 + 0.2 is 0.3.  The smallest hashes go to
 * the first set with a fraction, and so on; the set without a fraction, if there is one, gets the
 * rest. Items with equal hashes stay together: if a bound falls between them, all of them go to the
 * nearer side. */

/* The stretch of a class that goes to a share with a fraction. */
struct tfr_stretch {
	size_t share;
	uint64_t end; /* cumulated, in units of 10^-12 */
};

struct tfr_stretches {
	struct tfr_stretch *list;
	size_t n;
	size_t rest; /* the share that gets the items above all bounds; the number of shares if
			there is none */
};

/* Items up to this hash are below the bound; with `none`, no item is.  Packed, because there is one
 * for each class and stretch. */
struct __attribute__((packed)) tfr_bound {
	uint64_t last;
	bool none;
};

/* A class while it is divided; its hashes arrive in rising order. */
struct tfr_cut {
	const struct tfr_stretches *stretches;
	uint64_t records;	  /* items in the class */
	struct tfr_bound *bounds; /* one per stretch */
	uint64_t rank;		  /* items so far */
	size_t next;		  /* the next bound to find */
};

/* False: out of memory.  Must be cleared in either case. */
bool tfr_stretches_lay(struct tfr_stretches *s, const struct tfr_share *shares, size_t share_count);
void tfr_stretches_clear(struct tfr_stretches *s);
/* The number of items in stretches 0 to `i` of a class with `records` items. */
uint64_t tfr_stretches_up_to(const struct tfr_stretches *s, uint64_t records, size_t i);
/* Takes the next hash of the class, which `times` items have. */
void tfr_cut_at(struct tfr_cut *c, uint64_t hash, uint64_t times);
/* The share that an item with this hash goes to, by the bounds of its class. */
size_t tfr_stretches_choose(
	const struct tfr_stretches *s, const struct tfr_bound *bounds, uint64_t hash);

#endif
