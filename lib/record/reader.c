/* record/reader.c - reads records from a stream, one view at a time.
 *
 * The reader owns one block.  The bytes between `begin` and `end` are read and not yet returned,
 * and `rec` points into the block until the next call.  A larger record grows the block as its
 * bytes arrive, never by what the length claims, because a forged length can have a valid CRC. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/gzi.h>
#include <tfr-private/record.h>
#include <tfr-private/text.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "record/filetype.h"
#include "record/framing.h"
#include "record/reader.h"

enum { BLOCK_SIZE = 512 << 10 };

/* The format of a file is named from so many first bytes, however they arrive. */
enum { NAMING_BYTES = 512 };

/* See struct tfr_reader_opts. */
static enum tfr_compression compression_of(
	const struct tfr_source *source, const struct tfr_reader_opts *opts)
{
	if (!opts)
		return TFR_COMPRESSION_AUTO;
	if (opts->compression != TFR_COMPRESSION_AUTO || opts->framing == TFR_FRAMING_RECORDS)
		return opts->compression;
	return tfr_compression_by_name(tfr_source_name(source));
}

/* Takes over the stream, also on failure. */
static enum tfr_status open_stream(struct tfr_reader **out, struct tfr_stream *stream,
	const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	struct tfr_reader *r = calloc(1, sizeof(*r));
	uint64_t left;

	if (!r) {
		tfr_stream_close(stream);
		return tfr_fail_nomem(err, "opening a file");
	}
	if (opts) {
		r->framing = opts->framing;
		r->skipped = opts->lost;
		r->skipped_ctx = opts->ctx;
	}
	r->stream = stream;
	r->cap = opts && opts->block_size ? opts->block_size : BLOCK_SIZE;
	left = tfr_stream_left(r->stream);
	if (left < r->cap) /* a small file needs no more, and one byte to see its end */
		r->cap = (size_t)left + 1;
	if (r->cap < 64)
		r->cap = 64;
	r->standard = r->cap;
	r->run_size = r->cap > left ? r->cap : r->cap - r->cap / 4;
	r->block = malloc(r->cap);
	if (!r->block) {
		tfr_reader_close(r);
		return tfr_fail_nomem(err, "opening a file");
	}
	*out = r;
	return TFR_OK;
}

static struct tfr_stream_opts stream_opts(
	const struct tfr_source *source, const struct tfr_reader_opts *opts)
{
	return (struct tfr_stream_opts){ compression_of(source, opts), opts ? opts->threads : 0 };
}

static enum tfr_status open_source(struct tfr_reader **out, struct tfr_source *source,
	const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	struct tfr_stream_opts how = stream_opts(source, opts);
	struct tfr_stream *stream = NULL;

	TFR_TRY(tfr_stream_open(&stream, source, &how, err));
	return open_stream(out, stream, opts, err);
}

enum tfr_status tfr_reader_open(struct tfr_reader **r, const char *path,
	const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	struct tfr_source *source = NULL;

	TFR_TRY(opts && opts->growing ? tfr_source_open_growing(&source, path, opts->growing, err)
				      : tfr_source_open(&source, path, err));
	return open_source(r, source, opts, err);
}

enum tfr_status tfr_reader_open_cancellable(struct tfr_reader **r, const char *path, int cancel,
	const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	struct tfr_source *source = NULL;

	TFR_TRY(tfr_source_open_cancellable(&source, path, cancel, err));
	return open_source(r, source, opts, err);
}

enum tfr_status tfr_reader_open_memory(struct tfr_reader **r, const void *data, size_t size,
	const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	struct tfr_source *source = NULL;

	TFR_TRY(tfr_source_open_memory(&source, data, size, "memory", err));
	return open_source(r, source, opts, err);
}

void tfr_reader_close(struct tfr_reader *r)
{
	if (!r)
		return;
	tfr_stream_close(r->stream);
	free(r->block);
	free(r);
}

enum tfr_status tfr_reader_fail(struct tfr_reader *r, enum tfr_fault kind, struct tfr_error *err)
{
	r->fault = kind;
	tfr_error_locate(err, tfr_reader_name(r), r->index, tfr_reader_offset(r));
	return TFR_EDATA;
}

/* For all readers; set before there are threads. */
static uint64_t most_record = UINT64_MAX;

void tfr_limit_records(uint64_t bytes)
{
	most_record = bytes;
}

bool tfr_reader_may_hold(uint64_t bytes)
{
	return bytes <= most_record;
}

static enum tfr_status refuse_large(
	const struct tfr_reader *r, uint64_t need, struct tfr_error *err)
{
	char size[TFR_SIZE_TEXT], most[TFR_SIZE_TEXT];

	tfr_fail_record(err, TFR_ENOMEM, tfr_reader_name(r), r->index, tfr_reader_offset(r),
		"a record of %s is larger than the limit of %s", tfr_format_size(need, size),
		tfr_format_size(most_record, most));
	tfr_error_hint(err, "Give -m %lluM to read it.", (unsigned long long)(need >> 20) + 1);
	return TFR_ENOMEM;
}

/* Makes room after `end`, so that `need` bytes from `begin` on will fit.  It moves the bytes, then
 * grows the block to a size that is known to exist, or doubles it. */
static enum tfr_status make_room(struct tfr_reader *r, uint64_t need, struct tfr_error *err)
{
	size_t cap = r->cap;
	uint8_t *block;

	assert(r->begin <= r->end && r->end <= r->cap);
	if (r->begin && (r->end == r->cap || need > r->cap - r->begin)) {
		memmove(r->block, r->block + r->begin, r->end - r->begin);
		r->block_offset += r->begin;
		r->end -= r->begin;
		r->begin = 0;
	}
	if (r->end < r->cap)
		return TFR_OK;
	if (!tfr_reader_may_hold(need))
		return refuse_large(r, need, err);
	if (tfr_stream_seekable(r->stream) && tfr_stream_has(r->stream, need - r->end) &&
		need < SIZE_MAX / 2)
		cap = (size_t)need;
	else if (__builtin_mul_overflow(cap, 2, &cap))
		return tfr_fail_nomem(err, "reading a record");
	block = realloc(r->block, cap);
	if (!block) {
		tfr_fail_record(err, TFR_ENOMEM, tfr_reader_name(r), r->index, tfr_reader_offset(r),
			"out of memory reading a record of %llu bytes", (unsigned long long)need);
		tfr_error_hint(err, "'tfr count' and 'tfr check --quick' read no payload.");
		return TFR_ENOMEM;
	}
	r->block = block;
	r->cap = cap;
	return TFR_OK;
}

enum tfr_status tfr_reader_fill_most(
	struct tfr_reader *r, uint64_t need, uint64_t most, struct tfr_error *err)
{
	enum tfr_status status;
	size_t got, room;

	while (r->end - r->begin < need && !r->ended) {
		TFR_TRY(make_room(r, need, err));
		room = r->cap - r->end;
		if (room > most - (r->end - r->begin))
			room = (size_t)(most - (r->end - r->begin));
		status = tfr_stream_read(r->stream, r->block + r->end, room, &got, err);
		if (status == TFR_EDATA)
			return tfr_reader_fail(r, TFR_FAULT_STREAM, err);
		TFR_TRY(status);
		r->end += got;
		r->ended = got == 0;
	}
	return TFR_OK;
}

enum tfr_status tfr_reader_fill(struct tfr_reader *r, uint64_t need, struct tfr_error *err)
{
	return tfr_reader_fill_most(r, need, UINT64_MAX, err);
}

/* The first header does not verify: names the file's format if its first bytes show it. */
static enum tfr_status not_a_record_file(struct tfr_reader *r, struct tfr_error *err)
{
	const char *hint = NULL, *kind;
	size_t have;

	TFR_TRY(tfr_reader_fill(r, NAMING_BYTES, err));
	have = r->end - r->begin;
	kind = tfr_filetype_name(
		r->block + r->begin, have < NAMING_BYTES ? have : NAMING_BYTES, &hint);
	if (kind) {
		tfr_fail_path(
			err, TFR_EFORMAT, tfr_reader_name(r), "not a TFRecord file but %s:", kind);
		if (hint)
			tfr_error_hint(err, "%s", hint);
		r->fault = TFR_FAULT_LENGTH;
		return TFR_EFORMAT;
	}
	tfr_fail(err, TFR_EDATA, "length checksum mismatch");
	tfr_error_hint(err, "The very first header does not fit: is this a TFRecord file?");
	return tfr_reader_fail(r, TFR_FAULT_LENGTH, err);
}

enum tfr_status tfr_reader_header(struct tfr_reader *r, uint64_t *length, struct tfr_error *err)
{
	const uint8_t *p = r->block + r->begin;
	size_t have = r->end - r->begin;

	if (have < TFR_RECORD_HEADER) {
		if (!r->index && have && tfr_filetype_name(p, have, &(const char *){ NULL }))
			return not_a_record_file(r, err);
		tfr_fail(err, TFR_EDATA, "truncated header: %zu of 12 bytes", have);
		tfr_error_hint(
			err, "TensorFlow treats this as the end of the file, without an error.");
		return tfr_reader_fail(r, TFR_FAULT_CUT, err);
	}
	if (tfr_header_length(p, length))
		return TFR_OK;
	if (!*length && !r->index && !tfr_reader_offset(r))
		return not_a_record_file(r, err);
	if (!*length)
		tfr_fail(err, TFR_EDATA, "length checksum mismatch");
	else
		tfr_fail(err, TFR_EDATA, "impossible record length %llu",
			(unsigned long long)*length);
	return tfr_reader_fail(r, TFR_FAULT_LENGTH, err);
}

static enum tfr_status fail_truncated(
	struct tfr_reader *r, uint64_t length, uint64_t have, struct tfr_error *err)
{
	tfr_fail(err, TFR_EDATA, "truncated record: %llu of %llu bytes", (unsigned long long)have,
		(unsigned long long)(length + TFR_RECORD_OVERHEAD));
	return tfr_reader_fail(r, TFR_FAULT_CUT, err);
}

enum tfr_status tfr_reader_fill_record(struct tfr_reader *r, uint64_t length, struct tfr_error *err)
{
	uint64_t total = length + TFR_RECORD_OVERHEAD, have = r->end - r->begin;

	if (have >= total)
		return TFR_OK;
	if (!tfr_stream_has(r->stream, total - have))
		return fail_truncated(r, length, have + tfr_stream_left(r->stream), err);
	TFR_TRY(tfr_reader_fill(r, total, err));
	have = r->end - r->begin;
	return have < total ? fail_truncated(r, length, have, err) : TFR_OK;
}

/* --- payloads that are not in records --- */

/* Returns `size` bytes that are `head` bytes after `begin`.  The next payload begins `step` bytes
 * after `begin`. */
static enum tfr_status give_payload(
	struct tfr_reader *r, struct tfr_record *rec, size_t head, size_t size, size_t step)
{
	const uint8_t *payload = r->block + r->begin + head;

	assert(head + size <= step && step <= r->end - r->begin);
	*rec = (struct tfr_record){ payload, size, r->index++, tfr_reader_offset(r),
		tfr_crc32c(0, payload, size) };
	r->begin += step;
	return TFR_OK;
}

/* In a seekable file, the end of a long line is searched in steps that double.  From a pipe, only
 * the bytes that come are read, because more may never come. */
static enum tfr_status next_line(
	struct tfr_reader *r, struct tfr_record *rec, struct tfr_error *err)
{
	size_t looked = 0, have;
	const uint8_t *line, *end;
	uint64_t need;

	for (;;) {
		have = r->end - r->begin;
		line = r->block + r->begin;
		end = memchr(line + looked, '\n', have - looked);
		if (end)
			return give_payload(
				r, rec, 0, (size_t)(end - line), (size_t)(end - line) + 1);
		if (r->ended)
			return have ? give_payload(r, rec, 0, have, have) : TFR_END;
		looked = have;
		need = tfr_stream_seekable(r->stream) ? 2 * (uint64_t)have + 1 : have + 1;
		TFR_TRY(tfr_reader_fill(r, tfr_reader_may_hold(need) ? need : have + 1, err));
	}
}

enum { VARINT_MOST = 10 };

static enum tfr_status bad_delimiter(struct tfr_reader *r, const char *what, struct tfr_error *err)
{
	tfr_fail(err, TFR_EDATA, "%s", what);
	return tfr_reader_fail(r, TFR_FAULT_STREAM, err);
}

/* Parses the length at `begin` and sets its own size.  TFR_END: the file ends here. */
static enum tfr_status read_delimiter(
	struct tfr_reader *r, uint64_t *length, size_t *size, struct tfr_error *err)
{
	uint8_t byte = 0x80;

	*length = 0;
	for (*size = 0; byte & 0x80; ++*size) {
		TFR_TRY(tfr_reader_fill(r, *size + 1, err));
		if (r->end - r->begin == *size)
			return *size ? bad_delimiter(r, "truncated length", err) : TFR_END;
		byte = r->block[r->begin + *size];
		if (*size == VARINT_MOST - 1 && byte > 1)
			return bad_delimiter(r, "impossible length", err);
		*length |= (uint64_t)(byte & 0x7f) << 7 * *size;
	}
	return *length > TFR_LENGTH_MAX ? bad_delimiter(r, "impossible length", err) : TFR_OK;
}

static enum tfr_status next_delimited(
	struct tfr_reader *r, struct tfr_record *rec, struct tfr_error *err)
{
	uint64_t length, total, have;
	size_t head;

	TFR_TRY(read_delimiter(r, &length, &head, err));
	total = length + head;
	have = r->end - r->begin;
	if (have < total && !tfr_stream_has(r->stream, total - have)) {
		have += tfr_stream_left(r->stream);
	} else {
		TFR_TRY(tfr_reader_fill(r, total, err));
		have = r->end - r->begin;
	}
	if (have >= total)
		return give_payload(r, rec, head, (size_t)length, (size_t)total);
	tfr_fail(err, TFR_EDATA, "truncated payload: %llu of %llu bytes",
		(unsigned long long)(have - head), (unsigned long long)length);
	return tfr_reader_fail(r, TFR_FAULT_STREAM, err);
}

/* --- records --- */

bool tfr_reader_holds_next(const struct tfr_reader *r)
{
	size_t have = r->end - r->begin;
	uint64_t length;

	return r->framing == TFR_FRAMING_RECORDS && have >= TFR_RECORD_OVERHEAD &&
	       tfr_header_length(r->block + r->begin, &length) &&
	       length <= have - TFR_RECORD_OVERHEAD;
}

static enum tfr_status next_record(
	struct tfr_reader *r, struct tfr_record *rec, struct tfr_error *err)
{
	uint64_t length = 0, offset;
	const uint8_t *payload;
	uint32_t crc;

	TFR_TRY(tfr_reader_fill(r, TFR_RECORD_HEADER, err));
	if (r->end == r->begin)
		return TFR_END;
	TFR_TRY(tfr_reader_header(r, &length, err));
	TFR_TRY(tfr_reader_fill_record(r, length, err));
	payload = r->block + r->begin + TFR_RECORD_HEADER;
	crc = tfr_crc32c(0, payload, (size_t)length);
	offset = tfr_reader_offset(r);
	if (tfr_load32(payload + length) != tfr_crc_mask(crc)) {
		tfr_fail(err, TFR_EDATA, TFR_PAYLOAD_FAULT);
		tfr_reader_fail(r, TFR_FAULT_PAYLOAD, err);
		r->index++;
		TFR_TRY(tfr_reader_skip(r, (size_t)length + TFR_RECORD_OVERHEAD, err));
		return TFR_EDATA;
	}
	*rec = (struct tfr_record){ payload, (size_t)length, r->index++, offset, crc };
	r->begin += (size_t)length + TFR_RECORD_OVERHEAD;
	return TFR_OK;
}

enum tfr_status tfr_reader_next(struct tfr_reader *r, struct tfr_record *rec, struct tfr_error *err)
{
	r->fault = TFR_FAULT_NONE;
	switch (r->framing) {
	case TFR_FRAMING_LINES:
		return next_line(r, rec, err);
	case TFR_FRAMING_DELIMITED:
		return next_delimited(r, rec, err);
	case TFR_FRAMING_RECORDS:
		break;
	}
	return next_record(r, rec, err);
}

/* Passes the records that are in memory and verify, at most `max`.  A loop over all of them takes
 * half the time of one call for each.  Each takes TFR_RECORD_OVERHEAD bytes at least, which limits
 * their number. */
static size_t give_intact(struct tfr_reader *r, struct tfr_record *recs, size_t max)
{
	size_t have = r->end - r->begin, end = 0, limit = have;
	const uint8_t *p = r->block + r->begin;
	uint64_t offset = tfr_reader_offset(r), n;
	bool bad;

	if (max < limit / TFR_RECORD_OVERHEAD)
		limit = max * TFR_RECORD_OVERHEAD;
	n = tfr_count_intact(p, have, limit, &end, &bad);
	for (uint64_t i = 0; i < n; i++) {
		size_t size = (size_t)tfr_known_length(p);
		const uint8_t *payload = p + TFR_RECORD_HEADER;

		recs[i] = (struct tfr_record){ payload, size, r->index++, offset,
			tfr_crc_unmask(tfr_load32(payload + size)) };
		p += size + TFR_RECORD_OVERHEAD;
		offset += size + TFR_RECORD_OVERHEAD;
	}
	r->begin += end;
	return (size_t)n;
}

enum tfr_status tfr_reader_next_many(struct tfr_reader *r, struct tfr_record *recs, size_t max,
	size_t *count, struct tfr_error *err)
{
	enum tfr_status status = tfr_reader_next(r, recs, err);
	size_t more;

	*count = !status;
	do {
		more = status || *count == max || !tfr_reader_holds_next(r)
			       ? 0
			       : give_intact(r, recs + *count, max - *count);
		*count += more;
	} while (more);
	/* A record that is in memory never moves the block, so the views before it stay valid. */
	for (; !status && *count < max && tfr_reader_holds_next(r);) {
		status = tfr_reader_next(r, recs + *count, err);
		*count += !status;
	}
	return status;
}

enum tfr_fault tfr_reader_fault(const struct tfr_reader *r)
{
	return r->fault;
}

enum tfr_compression tfr_reader_compression(const struct tfr_reader *r)
{
	return tfr_stream_compression(r->stream);
}

const char *tfr_reader_name(const struct tfr_reader *r)
{
	return tfr_stream_name(r->stream);
}

struct tfr_members tfr_reader_members(const struct tfr_reader *r)
{
	return tfr_stream_members(r->stream);
}

/* --- moving to a record --- */

/* The caller says where a record begins.  Reading it there verifies that, by its CRCs. */

enum tfr_status tfr_reader_seek(struct tfr_reader *r, const struct tfr_gzi *gzi, uint64_t offset,
	uint64_t index, struct tfr_error *err)
{
	enum tfr_status status;

	assert(r->framing == TFR_FRAMING_RECORDS);
	r->fault = TFR_FAULT_NONE;
	r->index = index;
	if (offset >= r->block_offset && offset - r->block_offset <= r->end) {
		r->begin = (size_t)(offset - r->block_offset);
		return TFR_OK;
	}
	r->begin = r->end = 0;
	r->ended = false;
	status = tfr_stream_seek(r->stream, gzi, offset, err);
	r->block_offset = tfr_stream_position(r->stream);
	if (status == TFR_EDATA)
		return tfr_reader_fail(r, TFR_FAULT_STREAM, err);
	if (status == TFR_END)
		return tfr_fail_path(err, TFR_EUSAGE, tfr_reader_name(r),
			"there are fewer than %llu bytes before a record in",
			(unsigned long long)offset);
	return status;
}

enum tfr_status tfr_reader_open_at(struct tfr_reader **out, const char *path,
	const struct tfr_gzi *gzi, uint64_t offset, uint64_t index,
	const struct tfr_reader_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_READER r = NULL;

	TFR_TRY(tfr_reader_open(&r, path, opts, err));
	TFR_TRY(tfr_reader_seek(r, gzi, offset, index, err));
	*out = TFR_STEAL(r);
	return TFR_OK;
}
