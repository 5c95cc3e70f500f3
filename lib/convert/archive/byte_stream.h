/* convert/archive/byte_stream.h - the bytes of an archive in order, the next few always at hand.
 *
 * A file is read by position and can be begun again; a pipe is read on.  `place` is that of the
 * next byte, counted from the first. */
#ifndef TFR_CONVERT_ARCHIVE_BYTE_STREAM_H
#define TFR_CONVERT_ARCHIVE_BYTE_STREAM_H

#include "io/source.h"

struct tfr_feed {
	struct tfr_source *source;
	const char *name; /* of the source, for messages */
	uint8_t *data;	  /* `size` bytes are here, those before `at` are used up */
	size_t at, size, block;
	uint64_t place;
	bool seekable;
};

/* "-" is standard input. */
enum tfr_status tfr_feed_open(struct tfr_feed *f, const char *path, struct tfr_error *err);
/* The source becomes the feed's, on failure too. */
enum tfr_status tfr_feed_of(struct tfr_feed *f, struct tfr_source *source, struct tfr_error *err);
/* Reads `bytes` at a time from here on, in place of the few that suit reading headers. */
enum tfr_status tfr_feed_widen(struct tfr_feed *f, size_t bytes, struct tfr_error *err);
/* Shows the next bytes without using them up: at least `least` (at most 4096), or all up to the
 * end where these are fewer. */
enum tfr_status tfr_feed_peek(
	struct tfr_feed *f, size_t least, const uint8_t **data, size_t *got, struct tfr_error *err);
/* Uses up bytes that were shown. */
void tfr_feed_take(struct tfr_feed *f, size_t bytes);
/* Reads `size` bytes, fewer only at the end. */
enum tfr_status tfr_feed_read(
	struct tfr_feed *f, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* Goes on by `bytes`.  *there: so many were there. */
enum tfr_status tfr_feed_skip(
	struct tfr_feed *f, uint64_t bytes, bool *there, struct tfr_error *err);
/* Whether `bytes` more may be there: false only where the size is known and too small. */
bool tfr_feed_has(struct tfr_feed *f, uint64_t bytes);
/* The place where a file that is too short ends. */
uint64_t tfr_feed_end(struct tfr_feed *f);
/* To `place`; only where seekable. */
void tfr_feed_seek(struct tfr_feed *f, uint64_t place);
void tfr_feed_close(struct tfr_feed *f);

#endif
