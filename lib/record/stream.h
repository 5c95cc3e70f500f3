/* record/stream.h - the uncompressed bytes of a file, whatever it is: source and codec joined, kind
 * found from the content.
 *
 * What verifies most bits wins: a first header whose 32-bit CRC fits is a plain file whatever its
 * first bytes (a record of 40056 bytes starts 78 9c, a valid zlib header). */
#ifndef TFR_RECORD_STREAM_H
#define TFR_RECORD_STREAM_H

#include "codec/codec.h"
#include "io/source.h"

struct tfr_stream;
struct tfr_gzi;

struct tfr_stream_opts {
	enum tfr_compression compression; /* AUTO: found from the content */
	unsigned threads;    /* that inflate, the caller's among them; 0: one a processor */
	struct tfr_gzi *gzi; /* the flush points found are added; may be NULL */
};

/* Takes over `source`, also when it fails. */
enum tfr_status tfr_stream_open(struct tfr_stream **s, struct tfr_source *source,
	const struct tfr_stream_opts *opts, struct tfr_error *err);
void tfr_stream_close(struct tfr_stream *s);

/* Reads what is there, at least a byte; *got == 0: the end. */
enum tfr_status tfr_stream_read(
	struct tfr_stream *s, void *buf, size_t size, size_t *got, struct tfr_error *err);
/* Passes over `bytes`.  TFR_END: there are fewer. */
enum tfr_status tfr_stream_skip(struct tfr_stream *s, uint64_t bytes, struct tfr_error *err);
/* Moves to `offset`, counted from where the stream began.  A GZIP stream is inflated from the last
 * point of `gzi` before it (NULL: none) unless it is nearer from here, any other compressed one
 * from here or its beginning.  TFR_END: it ends before.  TFR_EUSAGE: a pipe cannot go back.  After
 * any failure the stream stands at tfr_stream_position(). */
enum tfr_status tfr_stream_seek(
	struct tfr_stream *s, const struct tfr_gzi *gzi, uint64_t offset, struct tfr_error *err);
/* Bytes between where the stream began and what is read next. */
uint64_t tfr_stream_position(const struct tfr_stream *s);
/* Reads `size` bytes that lie `ahead` of here, or behind where that is negative, without moving;
 * fewer only at the end.  Only where passing over bytes costs nothing; several threads may do so at
 * once. */
enum tfr_status tfr_stream_peek(const struct tfr_stream *s, int64_t ahead, void *buf, size_t size,
	size_t *got, struct tfr_error *err);
/* Whether the byte `ahead` of here is in memory, so that peeking at it does not wait for a disk;
 * true also if the system does not say.  Where tfr_stream_peek() works. */
bool tfr_stream_cached(const struct tfr_stream *s, uint64_t ahead);
/* Whether `bytes` more may be there; false only where that is known. */
bool tfr_stream_has(struct tfr_stream *s, uint64_t bytes);
/* Bytes left, UINT64_MAX where unknown. */
uint64_t tfr_stream_left(struct tfr_stream *s);
/* Whether passing over bytes costs nothing. */
bool tfr_stream_seekable(const struct tfr_stream *s);
/* Whether it may have no end: a character device. */
bool tfr_stream_device(const struct tfr_stream *s);
enum tfr_compression tfr_stream_compression(const struct tfr_stream *s);
const char *tfr_stream_name(const struct tfr_stream *s);
/* Nanoseconds that reading spent in inflating; 0 for a plain file. */
uint64_t tfr_stream_inflate_ns(const struct tfr_stream *s);
/* Of what was read so far; all 0 for a plain file. */
struct tfr_members tfr_stream_members(const struct tfr_stream *s);

#endif
