/* codec/parallel_deflate.h - blocked GZIP: one GZIP member, or one ZLIB stream, deflated by many
 * threads.
 *
 * The data is divided into segments of about 1 MiB, where the caller marks the end of a record.  A
 * segment refers to nothing before it, and ends with a full flush and one more empty stored block.
 * So the bytes 00 00 FF FF 00 00 00 FF FF come before each next segment, at a byte boundary: a
 * reader can search for them and start there.  The segments form one member in order, whose
 * checksum is combined from theirs.  Several members would be simpler, but TensorFlow's reader
 * loses records between them. The bytes depend on the data and the marks, not on the number of
 * threads or the sizes of the pieces.
 *
 * A deflater has the threads and the states of the compressor; several streams, such as the shards
 * of a set, share one. */
#ifndef TFR_CODEC_PARALLEL_DEFLATE_H
#define TFR_CODEC_PARALLEL_DEFLATE_H

#include <tfr-private/codec.h>

#include "base/error.h"

struct tfr_parallel_deflate;
struct tfr_deflate_stream;

struct tfr_parallel_deflate_opts {
	enum tfr_compression compression; /* GZIP or ZLIB */
	int level;			  /* 1 to TFR_LEVEL_MAX */
	unsigned threads;		  /* at least 1; the caller's is one of them */
	uint32_t
		streams; /* about how many are open at a time: the more, the smaller the segments */
	size_t segment;	 /* bytes of input, 0: by the number of streams */
};

enum tfr_status tfr_parallel_deflate_new(struct tfr_parallel_deflate **p,
	const struct tfr_parallel_deflate_opts *opts, struct tfr_error *err);
/* Call it when no stream is open.  Accepts NULL. */
void tfr_parallel_deflate_free(struct tfr_parallel_deflate *p);

/* Where the bytes go.  Both functions are called in the thread that puts data. */
struct tfr_deflate_sink {
	enum tfr_status (*emit)(void *ctx, const void *bytes, size_t size, struct tfr_error *err);
	/* Reports a flush point, from which the stream can be read without the data before it, and
	 * its distance in bytes from the start.  May be NULL. */
	bool (*point)(void *ctx, uint64_t compressed, uint64_t uncompressed);
	void *ctx;
};

/* One stream, used by one thread at a time. */
enum tfr_status tfr_deflate_stream_open(struct tfr_deflate_stream **s,
	struct tfr_parallel_deflate *p, const struct tfr_deflate_sink *sink, struct tfr_error *err);
/* Marks a place where a segment may end: the next `size` bytes belong together. */
enum tfr_status tfr_deflate_stream_mark(
	struct tfr_deflate_stream *s, uint64_t size, struct tfr_error *err);
enum tfr_status tfr_deflate_stream_put(
	struct tfr_deflate_stream *s, const void *data, size_t size, struct tfr_error *err);
/* The position of a stream, from which another process can continue it. */
struct tfr_deflate_mark {
	uint64_t uncompressed, compressed; /* of the bytes written */
	uint64_t waiting; /* bytes after that, which have no segment boundary yet */
	uint32_t sum;
	uint32_t started;
};
/* Writes all complete segments.  *waiting points to the bytes after them, valid until the next put.
 */
enum tfr_status tfr_deflate_stream_pause(struct tfr_deflate_stream *s,
	struct tfr_deflate_mark *state, const void **waiting, struct tfr_error *err);
/* Continues a paused stream in one that was just opened. */
enum tfr_status tfr_deflate_stream_resume(struct tfr_deflate_stream *s,
	const struct tfr_deflate_mark *state, const void *waiting, struct tfr_error *err);

/* Writes the rest and the trailer. */
enum tfr_status tfr_deflate_stream_end(struct tfr_deflate_stream *s, struct tfr_error *err);
void tfr_deflate_stream_close(struct tfr_deflate_stream *s); /* accepts NULL */

#endif
