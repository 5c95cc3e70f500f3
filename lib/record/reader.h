/* record/reader.h - the inside of a reader, for what reads on where it has to stop. */
#ifndef TFR_RECORD_READER_H
#define TFR_RECORD_READER_H

#include <tfr-private/record.h>

#include "record/stream.h"

/* Takes bytes that are passed over. */
typedef enum tfr_status tfr_passed_fn(
	void *ctx, const void *bytes, size_t size, struct tfr_error *err);

struct tfr_reader {
	struct tfr_stream *stream;
	uint8_t *block;
	size_t cap, begin, end;
	size_t standard;       /* what `cap` was before a large record */
	uint64_t block_offset; /* of block[0] in the stream */
	uint64_t index;	       /* of the next record */
	uint64_t disproved;    /* bytes whose checksum showed that they are no record's payload */
	bool ended;	       /* the stream gave its last byte */
	enum tfr_fault fault;
	enum tfr_framing framing;
	tfr_passed_fn
		*passed; /* sees the bytes of faults that are passed over; NULL: nobody does */
	void *passed_ctx;
};

/* Where `begin` is in the stream. */
static inline uint64_t tfr_reader_offset(const struct tfr_reader *r)
{
	return r->block_offset + r->begin;
}

/* Nanoseconds spent in inflating so far. */
static inline uint64_t tfr_reader_inflate_ns(const struct tfr_reader *r)
{
	return tfr_stream_inflate_ns(r->stream);
}

/* As tfr_reader_open(), but waiting for a pipe, a FIFO or a terminal ends with TFR_ECANCELLED once
 * the descriptor `cancel` is readable. */
enum tfr_status tfr_reader_open_cancellable(struct tfr_reader **r, const char *path, int cancel,
	const struct tfr_reader_opts *opts, struct tfr_error *err);

/* Whether the next record is here, so that tfr_reader_next() will not wait for the file. */
bool tfr_reader_holds_next(const struct tfr_reader *r);

/* Says where the reader is and what `kind` of fault it met there.  TFR_EDATA. */
enum tfr_status tfr_reader_fail(struct tfr_reader *r, enum tfr_fault kind, struct tfr_error *err);
/* Passes over `size` bytes of the block that are part of a fault. */
enum tfr_status tfr_reader_pass(struct tfr_reader *r, size_t size, struct tfr_error *err);
/* Reads until `need` bytes lie behind `begin` or the stream ends. */
enum tfr_status tfr_reader_fill(struct tfr_reader *r, uint64_t need, struct tfr_error *err);
/* The length in the header at `begin`, of which some bytes at least are there. */
enum tfr_status tfr_reader_header(struct tfr_reader *r, uint64_t *length, struct tfr_error *err);
/* Gets the whole record behind a good header into the block. */
enum tfr_status tfr_reader_fill_record(
	struct tfr_reader *r, uint64_t length, struct tfr_error *err);

#endif
