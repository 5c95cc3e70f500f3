/* inspect/stats/state.h - writes statistics as bytes and reads them back, to be merged later.
 *
 * Each function does both, so one function describes a format: it appends the value, or replaces it
 * by the next one of the input.  Numbers are varints as in protobuf; signed ones use zigzag.  The
 * reader trusts nothing: the first invalid number sets `bad`, and all later ones read as 0. */
#ifndef TFR_INSPECT_STATS_STATE_H
#define TFR_INSPECT_STATS_STATE_H

#include <tfr-private/example.h>

#include "base/buf.h"

typedef unsigned __int128 tfr_u128;

/* Zero-initialised, it writes. */
struct tfr_state {
	struct tfr_buf out;
	const uint8_t *in, *end; /* NULL: writes */
	bool bad, no_memory;
};

void tfr_state_u64(struct tfr_state *s, uint64_t *v);
/* A larger number than `max` is invalid. */
void tfr_state_below(struct tfr_state *s, uint64_t *v, uint64_t max);
void tfr_state_i64(struct tfr_state *s, int64_t *v); /* short for small |v| */
void tfr_state_u128(struct tfr_state *s, tfr_u128 *v);
void tfr_state_bytes(struct tfr_state *s, struct tfr_bytes *b); /* read as a view */

#endif
