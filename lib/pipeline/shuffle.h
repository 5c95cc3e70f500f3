/* pipeline/shuffle.h - the order of tf.data's shuffle(N, seed), epoch after epoch.
 *
 * A ring holds up to N samples.  It gives one out when it is full or when the epoch's last is in:
 * a random one of the front epoch, whose place the oldest takes.  The next epoch is let in behind
 * the front one while that drains, as TensorFlow does, so an epoch starts without waiting for the
 * buffer to fill; they never mix (tensorflow/core/kernels/data/shuffle_dataset_op.cc). */
#ifndef TFR_PIPELINE_SHUFFLE_H
#define TFR_PIPELINE_SHUFFLE_H

#include <stdbool.h>

#include "base/rng.h"
#include "pipeline/sample.h"

struct shuffle {
	struct sample **ring;
	uint64_t capacity;
	uint64_t start, end; /* running numbers; ring[i % capacity] */
	uint64_t front_end;  /* where the front epoch ends, once it is known */
	bool front_closed;
	uint64_t bytes, byte_limit; /* of payloads held */
	uint64_t least;		    /* the smallest number it was full at, because of byte_limit */
	struct tfr_rng epochs, draws;
};

/* False: out of memory.  `byte_limit` may be changed while it runs. */
bool shuffle_init(struct shuffle *s, uint64_t capacity, uint64_t seed);
void shuffle_clear(struct shuffle *s); /* samples still inside are the caller's: pop them first */

bool shuffle_full(const struct shuffle *s);
void shuffle_push(struct shuffle *s, struct sample *sample); /* not when full */
/* The records pushed so far were the last of their epoch.  Not while an epoch before it drains. */
void shuffle_close_epoch(struct shuffle *s);
/* Whether one can be taken out. */
bool shuffle_ready(const struct shuffle *s);
struct sample *shuffle_pop(struct shuffle *s); /* only when ready */
/* Whether the front epoch is closed and empty: shuffle_next_epoch() goes on to the one behind. */
bool shuffle_drained(const struct shuffle *s);
void shuffle_next_epoch(struct shuffle *s);

#endif
