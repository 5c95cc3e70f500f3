/* record/count_headers.c - counts records by their headers.
 *
 * If records are small, large blocks are read, and headers are followed in memory.  If records are
 * large and the file is seekable, 12 bytes per record are read, as long as that is cheaper than
 * reading everything (record/hop_cost.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/record.h>

#include "base/clock.h"
#include "base/error.h"
#include "record/count_headers.h"
#include "record/count_ranges.h"
#include "record/framing.h"
#include "record/stream.h"
#include "thread/threads.h"

enum { COUNT_BLOCK = 256 << 10 };

struct counter {
	struct tfr_stream *stream;
	const struct tfr_hop *hop;
	uint8_t *block;
	size_t held; /* bytes of a header that straddles blocks, at the block's start */
	uint64_t records;
	uint64_t offset; /* of block[0] in the stream */
	size_t want;	 /* bytes to read next */
	struct tfr_hop_timer timer;
};

static enum tfr_status fail_at(
	struct counter *c, uint64_t offset, const char *what, struct tfr_error *err)
{
	return tfr_fail_record(
		err, TFR_EDATA, tfr_stream_name(c->stream), c->records, offset, "%s", what);
}

/* Reports a bad header at `offset`.  The reader has a better message, which names the file's
 * format. */
static enum tfr_status bad_header(
	struct counter *c, const uint8_t *header, uint64_t offset, struct tfr_error *err)
{
	if (tfr_header_verifies(header))
		return fail_at(c, offset, "impossible record length", err);
	fail_at(c, offset, "length checksum mismatch", err);
	if (!offset)
		tfr_error_hint(err, "The very first header does not fit: is this a TFRecord file?");
	return TFR_EDATA;
}

/* The offset in `block`, which starts with a record, of the record that ends at `end`. */
static uint64_t start_of_last(const uint8_t *block, uint64_t end)
{
	uint64_t at = 0, size;

	while ((size = tfr_load64(block + at) + TFR_RECORD_OVERHEAD) < end - at)
		at += size;
	return at;
}

/* Reads `bytes` and discards them.  TFR_END: the file has fewer. */
static enum tfr_status read_through(struct counter *c, uint64_t bytes, struct tfr_error *err)
{
	enum tfr_status status = tfr_stream_has(c->stream, bytes) ? TFR_OK : TFR_END;
	size_t got;

	while (!status && bytes) {
		size_t want = bytes < COUNT_BLOCK ? (size_t)bytes : COUNT_BLOCK;

		status = tfr_stream_read(c->stream, c->block, want, &got, err);
		if (!status && !got)
			status = TFR_END;
		bytes -= status ? 0 : got;
	}
	return status;
}

/* Goes to the record at offset `next` of `block`, after `hops` records.  The block has `size`
 * bytes. */
static enum tfr_status pass_payload(
	struct counter *c, uint64_t next, size_t size, uint64_t hops, struct tfr_error *err)
{
	bool seekable = tfr_stream_seekable(c->stream);
	uint64_t read = c->offset + size, header = c->offset + next, last = 0;
	bool on = !seekable ||
		  (tfr_stream_remote(c->stream)
				  ? tfr_stream_cached(c->stream, next - size)
				  : tfr_hop_reads_on(&c->timer, header, read, next / hops));
	bool through = seekable && header < c->timer.until;
	enum tfr_status status;

	if (through)
		last = start_of_last(c->block, next); /* reading overwrites the block */
	status = through ? read_through(c, next - size, err)
			 : tfr_stream_skip(c->stream, next - size, err);
	if (status == TFR_END) {
		last = through ? last : start_of_last(c->block, next);
		c->records--;
		return fail_at(c, c->offset + last, "truncated record", err);
	}
	assert(next > size && hops);
	c->held = 0;
	c->offset += next;
	c->want = on ? COUNT_BLOCK : TFR_RECORD_HEADER;
	return status;
}

static enum tfr_status hop_over(struct counter *c, size_t size, struct tfr_error *err)
{
	uint64_t next = 0, before = c->records;
	enum tfr_status status = TFR_OK;
	bool bad = false;

	c->records += tfr_hop(c->block, size, &next, &bad);
	if (c->hop->hopped)
		status = c->hop->hopped(c->hop->ctx, c->block, c->records - before, c->offset, err);
	if (status)
		return status;
	if (bad)
		return bad_header(c, c->block + next, c->offset + next, err);
	if (next <= size) {
		c->held = size - (size_t)next;
		memmove(c->block, c->block + next, c->held);
		c->offset += next;
		c->want = COUNT_BLOCK - c->held;
		return TFR_OK;
	}
	return pass_payload(c, next, size, c->records - before, err);
}

static enum tfr_status count_stream(struct counter *c, struct tfr_error *err)
{
	enum tfr_status status;
	size_t got;

	c->want = TFR_RECORD_HEADER;
	for (;;) {
		status = tfr_stream_read(c->stream, c->block + c->held, c->want, &got, err);
		if (status == TFR_EDATA)
			tfr_error_locate(err, tfr_stream_name(c->stream), c->records, c->offset);
		if (status)
			return status;
		if (!got && c->held)
			return fail_at(c, c->offset, "truncated header", err);
		if (!got)
			return TFR_OK;
		status = hop_over(c, c->held + got, err);
		if (status)
			return status;
	}
}

/* Counting knows too little to explain a fault.  Reading the file again up to the fault gives the
 * message of all other commands.  A pipe cannot be read again. */
static enum tfr_status explain(
	const char *path, const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	struct tfr_error better;
	enum tfr_status status = tfr_reader_open(&r, path, opts, NULL);

	while (!status) {
		status = tfr_reader_next(r, &rec, &better);
		if (status && tfr_reader_fault(r) == TFR_FAULT_PAYLOAD)
			status = TFR_OK; /* the failure that stopped the count is kept */
	}
	if ((status == TFR_EDATA || status == TFR_EFORMAT) && err)
		*err = better;
	tfr_reader_close(r);
	return status == TFR_EFORMAT ? TFR_EFORMAT : TFR_EDATA;
}

/* Counts with several threads if possible.  A callback gets the records in order, from one thread.
 */
static enum tfr_status count_open(
	struct counter *c, const struct tfr_stream_opts *how, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;

	if (!c->hop->hopped && tfr_stream_seekable(c->stream) && !tfr_stream_remote(c->stream))
		status = tfr_count_ranges(c->stream, tfr_thread_count(how->threads),
			c->timer.shared, &c->records, err);
	if (status != TFR_END)
		return status;
	c->records = 0;
	c->timer.shared->threads = c->timer.shared->streams = 1;
	c->block = malloc(COUNT_BLOCK);
	return c->block ? count_stream(c, err) : tfr_fail_nomem(err, "counting");
}

enum tfr_status tfr_hop_records(const char *path, const struct tfr_reader_opts *opts,
	struct tfr_hop *hop, struct tfr_error *err)
{
	enum tfr_status status;
	struct tfr_stream_opts how = { .gzi = hop->gzi };
	struct tfr_hop_costs costs = { .clock = tfr_clock_ns };
	struct counter c = { .hop = hop, .timer.shared = &costs };
	struct tfr_source *source = NULL;
	bool again;

	TFR_TRY(tfr_source_open(&source, path, err));
	again = tfr_source_seekable(source) && strcmp(path, "-") != 0;
	if (opts) {
		how.compression = opts->compression;
		how.threads = opts->threads;
	}
	status = tfr_stream_open(&c.stream, source, &how, err);
	if (!status) {
		hop->compression = tfr_stream_compression(c.stream);
		status = count_open(&c, &how, err);
	}
	hop->records = c.records;
	hop->end = c.offset;
	free(c.block);
	tfr_stream_close(c.stream);
	return status == TFR_EDATA && again ? explain(path, opts, err) : status;
}

enum tfr_status tfr_count_records(const char *path, const struct tfr_reader_opts *opts,
	uint64_t *records, struct tfr_error *err)
{
	struct tfr_hop hop = { 0 };
	enum tfr_status status = tfr_hop_records(path, opts, &hop, err);

	*records = hop.records;
	return status;
}
