/* pipeline/flow/shuffle_buffer.h - a shuffle buffer that may begin before it is full.
 *
 * Item k (from 0) of each epoch comes out as soon as min(MIN + 1 + 2k, N + k) items of it are
 * in: one for every two that come in until N are held, then one for one.  With MIN = N - 1 this
 * is tf.data's shuffle(N, seed), element by element; the draws are its draws in any case.  While
 * the last items of an epoch come out, up to MIN + 1 of the next are let in after them.  So the
 * contents of the buffer when that epoch begins to come out do not depend on timing.
 *
 * Items are pushed and discarded, and an epoch is closed, through `shuffler` itself. */
#ifndef TFR_PIPELINE_SHUFFLE_BUFFER_H
#define TFR_PIPELINE_SHUFFLE_BUFFER_H

#include "base/shuffler.h"

struct tfr_shuffle_buffer {
	struct tfr_shuffler shuffler;
	uint64_t min;	 /* MIN + 1 */
	uint64_t popped; /* of the front epoch */
};

/* `min` of 0: N - 1.  False: out of memory. */
bool tfr_shuffle_buffer_init(
	struct tfr_shuffle_buffer *m, uint64_t capacity, uint64_t min, uint64_t seed);
/* Whether one is due. */
bool tfr_shuffle_buffer_ready(const struct tfr_shuffle_buffer *m);
void *tfr_shuffle_buffer_pop(struct tfr_shuffle_buffer *m);
/* Whether one may be let in now: else pop until it may. */
bool tfr_shuffle_buffer_accepts(const struct tfr_shuffle_buffer *m);
uint64_t tfr_shuffle_buffer_held(const struct tfr_shuffle_buffer *m);
void tfr_shuffle_buffer_next_epoch(struct tfr_shuffle_buffer *m); /* once drained */

#endif
