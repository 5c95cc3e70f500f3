/* record/gzi.h - finding the points of tfr-private/gzi.h, adding to them, and writing them. */
#ifndef TFR_RECORD_GZI_H
#define TFR_RECORD_GZI_H

#include <tfr-private/gzi.h>

/* False: out of memory. */
bool tfr_gzi_add(struct tfr_gzi *gzi, uint64_t compressed, uint64_t uncompressed);

bool tfr_gzi_same(const struct tfr_gzi *a, const struct tfr_gzi *b);
/* Writes FILE.gzi into an output that the caller publishes. */
enum tfr_status tfr_gzi_put(
	const struct tfr_gzi *gzi, struct tfr_stream_writer *w, struct tfr_error *err);
/* Whether a GZIP file that inflates to `size` bytes has too few points: it has none, and is large.
 */
bool tfr_gzi_is_poor(const struct tfr_gzi *gzi, uint64_t size);

/* Finds the first position from `least` on that may follow a full flush as libtfr and pigz
 * --independent write it: two empty stored blocks, the second of which starts at a byte boundary.
 * 0: there is none. */
size_t tfr_find_full_flush(const uint8_t *data, size_t size, size_t least);

#endif
