/* convert/archive/byte_stream.h - the bytes of an archive in order, with the next few in memory.
 *
 * A file is read by position and can be read again; a pipe is read once.  `place` is the
 * position of the next byte. */
#ifndef TFR_CONVERT_ARCHIVE_BYTE_STREAM_H
#define TFR_CONVERT_ARCHIVE_BYTE_STREAM_H

#include "io/source.h"

struct tfr_feed {
	struct tfr_source *source;
	const char *name; /* of the source, for messages */
	uint8_t *data;	  /* `size` bytes are in memory; those before `at` are consumed */
	size_t at, size, block;
	uint64_t place;
	bool seekable;
};

/* "-" is standard input. */
enum tfr_status tfr_feed_open(struct tfr_feed *f, const char *path, struct tfr_error *err);
/* The stream owns the source from now on, even on failure. */
enum tfr_status tfr_feed_of(struct tfr_feed *f, struct tfr_source *source, struct tfr_error *err);
/* Reads `bytes` at a time from now on, instead of the few that headers need. */
enum tfr_status tfr_feed_widen(struct tfr_feed *f, size_t bytes, struct tfr_error *err);
/* Shows the next bytes without consuming them: at least `least` (at most 4096), or all up to the
 * end if these are fewer. */
enum tfr_status tfr_feed_peek(
	struct tfr_feed *f, size_t least, const uint8_t **data, size_t *got, struct tfr_error *err);
/* Consumes bytes that were shown. */
void tfr_feed_take(struct tfr_feed *f, size_t bytes);
/* Reads `size` bytes, fewer only at the end. */
enum tfr_status tfr_feed_read(
	struct tfr_feed *f, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* Skips `bytes`.  *there: how many of them existed. */
enum tfr_status tfr_feed_skip(
	struct tfr_feed *f, uint64_t bytes, bool *there, struct tfr_error *err);
/* Whether `bytes` more can exist: false only if the size is known and too small. */
bool tfr_feed_has(struct tfr_feed *f, uint64_t bytes);
/* The position at which a truncated file ends. */
uint64_t tfr_feed_end(struct tfr_feed *f);
/* Moves to `place`; only if the input is seekable. */
void tfr_feed_seek(struct tfr_feed *f, uint64_t place);
void tfr_feed_close(struct tfr_feed *f);

#endif
