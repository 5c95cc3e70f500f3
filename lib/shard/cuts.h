/* shard/cuts.h - exact numbers for several sets: of so many things of one class, ordered by their
 * hashes, where each set's part ends.
 *
 * Of a class with n things the sets get as many as their cumulated fractions of n say, rounded to
 * the nearest, halves to even; fractions count as decimals of twelve digits, so that 0.1 + 0.2 is
 * 0.3.  The smallest hashes go to the first set with a fraction, and so on; the set without one, or
 * none, gets the rest.  Things of one hash stay together: where a bound falls between them, all of
 * them go to the side that is nearer to the number. */
#ifndef TFR_SHARD_CUTS_H
#define TFR_SHARD_CUTS_H

#include <tfr-private/shard.h>

/* A share with a fraction ends where its part of the class does. */
struct tfr_stretch {
	size_t share;
	uint64_t end; /* cumulated, in parts of 10^12 */
};

struct tfr_stretches {
	struct tfr_stretch *list;
	size_t n;
	size_t rest; /* the share of what is above all bounds; the number of shares: none */
};

/* Things up to this hash are on the near side of the bound; with `none` there are none.  Packed,
 * for there is one for each class and stretch. */
struct __attribute__((packed)) tfr_bound {
	uint64_t last;
	bool none;
};

/* A class being cut, its hashes coming in rising order. */
struct tfr_cut {
	const struct tfr_stretches *stretches;
	uint64_t records;	  /* things in the class */
	struct tfr_bound *bounds; /* one a stretch */
	uint64_t rank;		  /* things so far */
	size_t next;		  /* the bound that is looked for */
};

/* False: out of memory.  To be cleared in any case. */
bool tfr_stretches_lay(struct tfr_stretches *s, const struct tfr_share *shares, size_t share_count);
void tfr_stretches_clear(struct tfr_stretches *s);
/* The things of the stretches up to and with `i`, of a class with so many. */
uint64_t tfr_stretches_up_to(const struct tfr_stretches *s, uint64_t records, size_t i);
/* The next hash of the class, and how many things have it. */
void tfr_cut_at(struct tfr_cut *c, uint64_t hash, uint64_t times);
/* The share of what has this hash, by its class's bounds. */
size_t tfr_stretches_choose(
	const struct tfr_stretches *s, const struct tfr_bound *bounds, uint64_t hash);

#endif
