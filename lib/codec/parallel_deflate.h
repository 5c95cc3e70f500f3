/* codec/parallel_deflate.h - one GZIP member, or one ZLIB stream, made by many threads: blocked
 * GZIP.
 *
 * What is compressed is cut into segments of about 1 MiB, where the caller says that a record ends.
 * Each is deflated with nothing before it to refer to, and ends in a full flush and one more empty
 * stored block, so that 00 00 FF FF 00 00 00 FF FF lies before each next segment, at a byte's edge:
 * a reader can look for it and begin there.  The segments go out in order in one member, whose
 * checksum is put together from theirs.  Several members would be simpler, and TensorFlow's reader
 * loses records at their seams.  The bytes depend on what is put and where it may be cut, not on
 * the number of threads and not on the sizes of the pieces.
 *
 * A press has the threads and the states of the compressor; several streams, such as the shards of
 * a set, share one. */
#ifndef TFR_CODEC_PARALLEL_DEFLATE_H
#define TFR_CODEC_PARALLEL_DEFLATE_H

#include <tfr-private/codec.h>

#include "base/error.h"

struct tfr_press;
struct tfr_pressed;

struct tfr_press_opts {
	enum tfr_compression compression; /* GZIP or ZLIB */
	int level;			  /* 1 to TFR_LEVEL_MAX */
	unsigned threads;		  /* at least 1; the caller's is one of them */
	uint32_t streams; /* about so many are open at a time: the more, the smaller the segments */
	size_t segment;	  /* bytes of input, 0: by the number of streams */
};

enum tfr_status tfr_press_new(
	struct tfr_press **p, const struct tfr_press_opts *opts, struct tfr_error *err);
/* Only when no stream is open any more.  Accepts NULL. */
void tfr_press_free(struct tfr_press *p);

/* Where the bytes go.  Both are called in the thread of who puts. */
struct tfr_press_sink {
	enum tfr_status (*emit)(void *ctx, const void *bytes, size_t size, struct tfr_error *err);
	/* A place was passed from which the stream can be read without what lies before it, so many
	 * bytes behind its start.  NULL: nobody wants to know. */
	bool (*point)(void *ctx, uint64_t compressed, uint64_t uncompressed);
	void *ctx;
};

/* One stream; by one thread at a time. */
enum tfr_status tfr_pressed_open(struct tfr_pressed **s, struct tfr_press *p,
	const struct tfr_press_sink *sink, struct tfr_error *err);
/* `size` bytes that belong together come next: a segment may end here. */
enum tfr_status tfr_pressed_mark(struct tfr_pressed *s, uint64_t size, struct tfr_error *err);
enum tfr_status tfr_pressed_put(
	struct tfr_pressed *s, const void *data, size_t size, struct tfr_error *err);
/* What must be known of a stream to go on with it in another process. */
struct tfr_press_state {
	uint64_t uncompressed, compressed; /* of what is out */
	uint64_t waiting;		   /* bytes behind that, which no cut was made in yet */
	uint32_t sum;
	uint32_t started;
};
/* Lets out all segments that were cut.  *waiting are the bytes since the last cut, good until more
 * is put. */
enum tfr_status tfr_pressed_pause(struct tfr_pressed *s, struct tfr_press_state *state,
	const void **waiting, struct tfr_error *err);
/* Goes on, in a stream just opened, where another was paused. */
enum tfr_status tfr_pressed_resume(struct tfr_pressed *s, const struct tfr_press_state *state,
	const void *waiting, struct tfr_error *err);

/* The rest and the trailer. */
enum tfr_status tfr_pressed_end(struct tfr_pressed *s, struct tfr_error *err);
void tfr_pressed_close(struct tfr_pressed *s); /* accepts NULL */

#endif
