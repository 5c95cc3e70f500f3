/* record/reader.h - the struct of a reader, for runs, resynchronisation and rooms that need more
 * than <tfr-private/record.h>. */
#ifndef TFR_RECORD_READER_H
#define TFR_RECORD_READER_H

#include <tfr-private/record.h>

#include "record/stream.h"

/* Receives skipped bytes. */
typedef enum tfr_status tfr_skipped_fn(
	void *ctx, const void *bytes, size_t size, struct tfr_error *err);

struct tfr_reader {
	struct tfr_stream *stream;
	uint8_t *block;
	size_t cap, begin, end;
	size_t standard;       /* what `cap` was before a large record */
	size_t run_size;       /* bytes read for a run; the rest of the block has room for the end
				* of its last record */
	uint64_t block_offset; /* of block[0] in the stream */
	uint64_t index;	       /* of the next record */
	uint64_t disproved;    /* bytes read as payloads whose CRC did not verify */
	bool ended;	       /* the stream has no more bytes */
	enum tfr_fault fault;
	enum tfr_framing framing;
	tfr_skipped_fn *skipped; /* receives the bytes of skipped faults; may be NULL */
	void *skipped_ctx;
};

/* The offset of `begin` in the stream. */
static inline uint64_t tfr_reader_offset(const struct tfr_reader *r)
{
	return r->block_offset + r->begin;
}

/* Nanoseconds spent inflating so far. */
static inline uint64_t tfr_reader_inflate_ns(const struct tfr_reader *r)
{
	return tfr_stream_inflate_ns(r->stream);
}

/* As tfr_reader_open(), but waiting for a pipe, a FIFO or a terminal ends with TFR_ECANCELLED once
 * the descriptor `cancel` is readable. */
enum tfr_status tfr_reader_open_cancellable(struct tfr_reader **r, const char *path, int cancel,
	const struct tfr_reader_opts *opts, struct tfr_error *err);

/* Whether a block may grow to so many bytes, by tfr_limit_records(). */
bool tfr_reader_may_hold(uint64_t bytes);

/* Whether the next record is in memory, so that tfr_reader_next() will not wait for the file. */
bool tfr_reader_holds_next(const struct tfr_reader *r);

/* Notes a fault of this `kind` at the reader's position.  `err` has its message; this adds the
 * place.  Returns TFR_EDATA. */
enum tfr_status tfr_reader_fail(struct tfr_reader *r, enum tfr_fault kind, struct tfr_error *err);
/* Skips `size` bytes of the block that belong to a fault. */
enum tfr_status tfr_reader_skip(struct tfr_reader *r, size_t size, struct tfr_error *err);
/* Reads until `need` bytes follow `begin`, or the stream ends. */
enum tfr_status tfr_reader_fill(struct tfr_reader *r, uint64_t need, struct tfr_error *err);
/* Likewise, and at most `most` bytes. */
enum tfr_status tfr_reader_fill_most(
	struct tfr_reader *r, uint64_t need, uint64_t most, struct tfr_error *err);
/* Parses the header at `begin`, of which at least one byte is there. */
enum tfr_status tfr_reader_header(struct tfr_reader *r, uint64_t *length, struct tfr_error *err);
/* Reads the complete record of a valid header into the block. */
enum tfr_status tfr_reader_fill_record(
	struct tfr_reader *r, uint64_t length, struct tfr_error *err);

#endif
