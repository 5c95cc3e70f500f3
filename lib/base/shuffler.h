/* base/shuffler.h - the order of tf.data's shuffle(N, seed), epoch after epoch.
 *
 * A ring holds up to N items.  It gives one out when it is full or when the epoch's last is in:
 * a random one of the front epoch, whose place the oldest takes.  The next epoch is let in behind
 * the front one while that drains, as TensorFlow does, so an epoch starts without waiting for the
 * buffer to fill; they never mix (tensorflow/core/kernels/data/shuffle_dataset_op.cc).  The ring
 * grows with the items that have come: N may be far above what there is. */
#ifndef TFR_BASE_SHUFFLER_H
#define TFR_BASE_SHUFFLER_H

#include <stdbool.h>

#include "base/rng.h"

/* Somebody else's, and the bytes it holds. */
struct tfr_shuffled {
	void *item;
	uint64_t size;
};

struct tfr_shuffler {
	struct tfr_shuffled *ring;
	uint64_t allocated; /* places that there are so far, at most `capacity` */
	uint64_t capacity;
	uint64_t start, end; /* running numbers; ring[i % capacity] */
	uint64_t front_end;  /* where the front epoch ends, once it is known */
	bool front_closed;
	uint64_t bytes, byte_limit; /* of items held */
	uint64_t least;		    /* the smallest number it was full at, because of byte_limit */
	struct tfr_rng epochs, draws;
};

/* A capacity of 0 is taken for 1, which leaves the order alone.  `byte_limit` may be changed while
 * it runs. */
void tfr_shuffler_init(struct tfr_shuffler *s, uint64_t capacity, uint64_t seed);
/* Makes all places now, so that no push fails.  False: out of memory. */
bool tfr_shuffler_reserve(struct tfr_shuffler *s);
/* Items still inside are the caller's: take them out first. */
void tfr_shuffler_clear(struct tfr_shuffler *s);

bool tfr_shuffler_full(const struct tfr_shuffler *s);
/* Not when full.  False: out of memory, and the item is not in. */
bool tfr_shuffler_push(struct tfr_shuffler *s, void *item, uint64_t size);
/* The items pushed so far were the last of their epoch.  Not while an epoch before it drains. */
void tfr_shuffler_close_epoch(struct tfr_shuffler *s);
/* Whether one can be taken out. */
bool tfr_shuffler_ready(const struct tfr_shuffler *s);
void *tfr_shuffler_pop(struct tfr_shuffler *s); /* only when ready */
/* Takes out any item without a draw, to clean up.  NULL: none is left. */
void *tfr_shuffler_discard(struct tfr_shuffler *s);
/* Whether the front epoch is closed and empty: tfr_shuffler_next_epoch() goes on to the one behind.
 */
bool tfr_shuffler_drained(const struct tfr_shuffler *s);
void tfr_shuffler_next_epoch(struct tfr_shuffler *s);

#endif
