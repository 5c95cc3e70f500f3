/* base/shuffler.h - the order of tf.data's shuffle(N, seed), for any number of epochs.
 *
 * A ring buffer holds up to N items.  When it is full, or when it has the last item of the
 * epoch, it returns a random item of the front epoch; the oldest item takes its place.  Items of
 * the next epoch enter after the front one while that drains, as in TensorFlow, so that an epoch
 * starts without waiting for the buffer to fill.  The two never mix
 * (tensorflow/core/kernels/data/shuffle_dataset_op.cc).  The ring grows with the items pushed: N
 * may be far above their number. */
#ifndef TFR_BASE_SHUFFLER_H
#define TFR_BASE_SHUFFLER_H

#include <stdbool.h>

#include "base/rng.h"

/* An item, owned by the caller, and its size in bytes. */
struct tfr_shuffled {
	void *item;
	uint64_t size;
};

struct tfr_shuffler {
	struct tfr_shuffled *ring;
	uint64_t allocated; /* places allocated so far, at most `capacity` */
	uint64_t capacity;
	uint64_t start, end; /* running numbers; ring[i % capacity] */
	uint64_t front_end;  /* where the front epoch ends, if known */
	bool front_closed;
	uint64_t bytes, byte_limit; /* of the items held */
	uint64_t least; /* the smallest number of items at which byte_limit made it full */
	struct tfr_rng epochs, draws;
};

/* A capacity of 0 means 1, which keeps the order of the items.  `byte_limit` may be changed at
 * any time. */
void tfr_shuffler_init(struct tfr_shuffler *s, uint64_t capacity, uint64_t seed);
/* Allocates all places now, so that no push fails.  False: out of memory. */
bool tfr_shuffler_reserve(struct tfr_shuffler *s);
/* Items still inside belong to the caller: take them out first. */
void tfr_shuffler_clear(struct tfr_shuffler *s);

bool tfr_shuffler_full(const struct tfr_shuffler *s);
/* Must not be called when full.  False: out of memory, and the item is not added. */
bool tfr_shuffler_push(struct tfr_shuffler *s, void *item, uint64_t size);
/* Marks the items pushed so far as the end of their epoch.  Must not be called while an earlier
 * epoch drains. */
void tfr_shuffler_close_epoch(struct tfr_shuffler *s);
/* Whether an item can be popped. */
bool tfr_shuffler_ready(const struct tfr_shuffler *s);
void *tfr_shuffler_pop(struct tfr_shuffler *s); /* only when ready */
/* Removes any item without a draw, to clean up.  NULL: none is left. */
void *tfr_shuffler_discard(struct tfr_shuffler *s);
/* Whether the front epoch is closed and empty: tfr_shuffler_next_epoch() continues with the next
 * one. */
bool tfr_shuffler_drained(const struct tfr_shuffler *s);
void tfr_shuffler_next_epoch(struct tfr_shuffler *s);

#endif
