/* record/inflate_ahead.h - a GZIP file inflated by several threads, where it has flush points to
 * begin at.
 *
 * What comes out, and what is said of damage after what was whole, is what one thread would give,
 * byte for byte: see record/inflate_ahead.c. */
#ifndef TFR_RECORD_INFLATE_AHEAD_H
#define TFR_RECORD_INFLATE_AHEAD_H

#include "codec/codec.h"
#include "io/source.h"
#include "record/gzi.h"

struct tfr_ahead;

struct tfr_ahead_opts {
	unsigned threads;    /* at least 1; the caller's is one of them */
	const uint8_t *head; /* what was read of the source already */
	size_t head_size;
	struct tfr_gzi *gzi; /* the points that were proved are added; may be NULL */
};

/* Takes over `z`, also where it fails; the source stays the caller's, and is read from where it
 * stands, with head before it. */
enum tfr_status tfr_ahead_open(struct tfr_ahead **a, struct tfr_source *source,
	struct tfr_inflate *z, const struct tfr_ahead_opts *opts, struct tfr_error *err);
void tfr_ahead_close(struct tfr_ahead *a); /* accepts NULL */

/* As tfr_stream_read(); with TFR_EDATA what lies before the damage was not all handed out. */
enum tfr_status tfr_ahead_read(
	struct tfr_ahead *a, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* The inflater that has come to what is read next. */
const struct tfr_inflate *tfr_ahead_inflate(const struct tfr_ahead *a);

/* The first place at or behind `least` that may follow a full flush as libtfr and pigz
 * --independent write it: two empty stored blocks, the second of which begins with a byte.  0:
 * there is none. */
size_t tfr_ahead_find(const uint8_t *data, size_t size, size_t least);

#endif
