/* record/inflate_ahead.h - inflates a GZIP file with several threads, from its flush points on.
 *
 * The output, and the report of damage after intact data, are those of one thread, byte for byte:
 * see record/inflate_ahead.c. */
#ifndef TFR_RECORD_INFLATE_AHEAD_H
#define TFR_RECORD_INFLATE_AHEAD_H

#include "codec/codec.h"
#include "io/source.h"
#include "record/gzi.h"

struct tfr_ahead;

struct tfr_ahead_opts {
	unsigned threads;    /* at least 1, including the caller's */
	const uint8_t *head; /* the bytes that were read from the source already */
	size_t head_size;
	struct tfr_gzi *gzi; /* proven points are added; may be NULL */
};

/* Takes over `z`, also on failure.  The source stays the caller's, and is read from its position
 * on, after `head`. */
enum tfr_status tfr_ahead_open(struct tfr_ahead **a, struct tfr_source *source,
	struct tfr_inflate *z, const struct tfr_ahead_opts *opts, struct tfr_error *err);
void tfr_ahead_close(struct tfr_ahead *a); /* accepts NULL */

/* As tfr_stream_read().  With TFR_EDATA, some bytes before the damage were not returned. */
enum tfr_status tfr_ahead_read(
	struct tfr_ahead *a, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* The inflater at the current position. */
const struct tfr_inflate *tfr_ahead_inflate(const struct tfr_ahead *a);

/* Finds the first position from `least` on that may follow a full flush as libtfr and pigz
 * --independent write it: two empty stored blocks, the second of which starts at a byte boundary.
 * 0: there is none. */
size_t tfr_ahead_find(const uint8_t *data, size_t size, size_t least);

#endif
