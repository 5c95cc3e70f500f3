/* record/gzi.h - adding to the points of tfr/gzi.h, and writing them. */
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

#endif
