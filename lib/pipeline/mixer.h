/* pipeline/mixer.h - a shuffle buffer that may begin before it is full.
 *
 * Of each epoch, item k (from 0) comes out as soon as min(MIN + 1 + 2k, N + k) of it are in: one
 * for two that come in until N are held, then one for one.  With MIN = N - 1 this is tf.data's
 * shuffle(N, seed), element by element, and the draws are its draws in any case.  While the last of
 * an epoch come out, up to MIN + 1 of the next are let in behind them, so that what is held when
 * that epoch begins to come out does not depend on who was faster. */
#ifndef TFR_PIPELINE_MIXER_H
#define TFR_PIPELINE_MIXER_H

#include "base/shuffler.h"

struct mixer {
	struct tfr_shuffler shuffler;
	uint64_t min;	 /* MIN + 1 */
	uint64_t popped; /* of the front epoch */
};

/* `min` of 0: N - 1.  False: out of memory. */
bool mixer_init(struct mixer *m, uint64_t capacity, uint64_t min, uint64_t seed);
void mixer_clear(struct mixer *m);
/* Whether one is due. */
bool mixer_ready(const struct mixer *m);
void *mixer_pop(struct mixer *m);
/* Whether one may be let in now: else pop until it may. */
bool mixer_accepts(const struct mixer *m);
void mixer_push(struct mixer *m, void *item, uint64_t size);
uint64_t mixer_held(const struct mixer *m);
static inline bool mixer_draining(const struct mixer *m)
{
	return m->shuffler.front_closed;
}
static inline bool mixer_drained(const struct mixer *m)
{
	return tfr_shuffler_drained(&m->shuffler);
}
void mixer_close_epoch(struct mixer *m); /* not while it drains */
void mixer_next_epoch(struct mixer *m);	 /* once drained */
static inline void *mixer_discard(struct mixer *m)
{
	return tfr_shuffler_discard(&m->shuffler);
}

#endif
