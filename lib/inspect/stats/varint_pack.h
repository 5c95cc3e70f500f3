/* inspect/stats/varint_pack.h - packs and unpacks numbers as varints, for statistics that are
 * stored to be merged later.
 *
 * The reader trusts nothing: the first invalid number sets `bad`, and all later reads return 0. */
#ifndef TFR_INSPECT_STATS_VARINT_PACK_H
#define TFR_INSPECT_STATS_VARINT_PACK_H

#include <tfr-private/example.h>

#include "base/buf.h"

typedef unsigned __int128 tfr_u128;

struct tfr_pack {
	struct tfr_buf out;
	bool failed; /* out of memory */
};

void tfr_pack_u64(struct tfr_pack *p, uint64_t v);
void tfr_pack_i64(struct tfr_pack *p, int64_t v); /* short for small |v| */
void tfr_pack_u128(struct tfr_pack *p, tfr_u128 v);
void tfr_pack_bytes(struct tfr_pack *p, const void *bytes, size_t size);

struct tfr_unpack {
	const uint8_t *p, *end;
	bool bad, no_memory;
};

uint64_t tfr_unpack_u64(struct tfr_unpack *u);
/* Reads a number of at most `max`. */
uint64_t tfr_unpack_below(struct tfr_unpack *u, uint64_t max);
int64_t tfr_unpack_i64(struct tfr_unpack *u);
tfr_u128 tfr_unpack_u128(struct tfr_unpack *u);
struct tfr_bytes tfr_unpack_bytes(struct tfr_unpack *u); /* a view */

#endif
