/* record/stream.h - the uncompressed bytes of any file: a source and a codec, detected from the
 * content.
 *
 * The format that verifies most bits wins.  A file whose first header has a valid 32-bit CRC is
 * plain, whatever its first bytes (a record of 40056 bytes starts with 78 9c, a valid zlib
 * header). */
#ifndef TFR_RECORD_STREAM_H
#define TFR_RECORD_STREAM_H

#include "base/suffix.h"
#include "codec/codec.h"
#include "io/source.h"

struct tfr_stream;
struct tfr_gzi;

struct tfr_stream_opts {
	enum tfr_compression compression; /* AUTO: detected from the content */
	unsigned threads;    /* that inflate, including the caller's; 0: one per processor */
	struct tfr_gzi *gzi; /* flush points are added; may be NULL */
};

/* How a file is compressed by its name, where its content does not say.  The name ".gz" is a name
 * without a suffix. */
static inline enum tfr_compression tfr_compression_by_name(const char *name)
{
	return *name && tfr_has_suffix(name + 1, ".gz") ? TFR_COMPRESSION_GZIP
							: TFR_COMPRESSION_NONE;
}

/* Takes over `source`, also on failure. */
enum tfr_status tfr_stream_open(struct tfr_stream **s, struct tfr_source *source,
	const struct tfr_stream_opts *opts, struct tfr_error *err);
void tfr_stream_close(struct tfr_stream *s); /* accepts NULL */
static inline void tfr_stream_auto_close(struct tfr_stream **s)
{
	tfr_stream_close(*s);
}
#define TFR_AUTO_STREAM __attribute__((cleanup(tfr_stream_auto_close))) struct tfr_stream *

/* Reads available bytes, at least one.  *got == 0: the end. */
enum tfr_status tfr_stream_read(
	struct tfr_stream *s, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* Skips `bytes`.  TFR_END: there are fewer. */
enum tfr_status tfr_stream_skip(struct tfr_stream *s, uint64_t bytes, struct tfr_error *err);
/* Moves to `offset` from the start of the stream.  A GZIP stream is inflated from the last point
 * of `gzi` (may be NULL) before it, or from here if that is nearer.  Other compressed streams are
 * inflated from here or from the start.  TFR_END: the stream ends before.  TFR_EUSAGE: a pipe
 * cannot go back.  After a failure the stream is at tfr_stream_position(). */
enum tfr_status tfr_stream_seek(
	struct tfr_stream *s, const struct tfr_gzi *gzi, uint64_t offset, struct tfr_error *err);
/* The offset of the next byte from the start of the stream. */
uint64_t tfr_stream_position(const struct tfr_stream *s);
/* Reads `size` bytes at `ahead` from here (negative: before) without moving; fewer only at the
 * end. Only if tfr_stream_seekable().  Several threads may do so at once. */
enum tfr_status tfr_stream_peek(const struct tfr_stream *s, int64_t ahead, void *buf, size_t size,
	size_t *got, struct tfr_error *err);
/* Whether the byte at `ahead` from here is in memory, so that peeking at it does not wait for a
 * disk.  True also if the system does not say.  Only if tfr_stream_seekable(). */
bool tfr_stream_cached(const struct tfr_stream *s, uint64_t ahead);
/* Whether it is an object, of which what follows is fetched ahead. */
bool tfr_stream_remote(const struct tfr_stream *s);
/* Whether `bytes` more may follow.  False only if the end is known. */
bool tfr_stream_has(struct tfr_stream *s, uint64_t bytes);
/* Bytes left, UINT64_MAX where unknown. */
uint64_t tfr_stream_left(struct tfr_stream *s);
/* Whether skipping bytes costs nothing. */
bool tfr_stream_seekable(const struct tfr_stream *s);
/* Whether it is a character device, which may have no end. */
bool tfr_stream_device(const struct tfr_stream *s);
enum tfr_compression tfr_stream_compression(const struct tfr_stream *s);
const char *tfr_stream_name(const struct tfr_stream *s);
/* Nanoseconds that reading spent inflating; 0 for a plain file. */
uint64_t tfr_stream_inflate_ns(const struct tfr_stream *s);
/* The members that were read so far; all 0 for a plain file. */
struct tfr_members tfr_stream_members(const struct tfr_stream *s);

#endif
