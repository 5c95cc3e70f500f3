/* record/resync.c - finds the next record after damage, and reports every byte before it.
 *
 * A length CRC verifies by chance at one position in four billion, and on purpose in payloads that
 * hold TFRecord files.  So a second proof is needed: the data CRC, the next header, or the end of
 * the file there.  In a seekable file the proof is read where it is, without memory for a record
 * that may not exist.
 *
 * In a file made for that purpose, every twelfth byte begins a header with a length of half the
 * file.  So the bytes read as payloads of false records are limited, and after that only the bytes
 * after a record prove it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "record/framing.h"
#include "record/resync.h"

/* If nothing limits a length (a pipe, a compressed file), resync does not trust a longer one. */
#define RESYNC_MAX ((uint64_t)1 << 30)

enum { PROOF_BLOCK = 256 << 10 };

/* The limit for bytes read as payloads of false records: so many, plus so many times the bytes
 * that the reader has skipped. */
#define DISPROVED_MOST ((uint64_t)1 << 30)
enum { DISPROVED_TIMES = 16 };

static size_t held(const struct tfr_reader *r)
{
	return r->end - r->begin;
}

static bool may_read(const struct tfr_reader *r)
{
	return r->disproved <= DISPROVED_MOST + DISPROVED_TIMES * tfr_reader_offset(r);
}

/* Proves the record at `p` by the `size` bytes there.  A payload that is read in vain is taken from
 * *allowed. */
static enum tfr_proof prove_by(
	const uint8_t *p, size_t size, uint64_t length, bool last, uint64_t *allowed)
{
	const uint8_t *payload = p + TFR_RECORD_HEADER;
	size_t rest;

	if (size < TFR_RECORD_OVERHEAD || length > size - TFR_RECORD_OVERHEAD)
		return last ? TFR_PROOF_NONE : TFR_PROOF_BEYOND;
	rest = size - TFR_RECORD_OVERHEAD - (size_t)length;
	if (*allowed) {
		if (tfr_load32(payload + length) ==
			tfr_crc_mask(tfr_crc32c(0, payload, (size_t)length)))
			return TFR_PROOF_DATA;
		*allowed -= length < *allowed ? length : *allowed;
	}
	if (rest >= TFR_RECORD_HEADER)
		return tfr_header_verifies(payload + length + TFR_RECORD_FOOTER) ? TFR_PROOF_END
										 : TFR_PROOF_NONE;
	if (!last)
		return TFR_PROOF_BEYOND;
	return rest ? TFR_PROOF_NONE : TFR_PROOF_END;
}

size_t tfr_find_record(
	const uint8_t *p, size_t size, bool last, uint64_t *allowed, enum tfr_proof *proof)
{
	uint64_t length;

	for (size_t at = 0; (at += tfr_find_header(p + at, size - at)) < size; at++) {
		if (!tfr_header_length(p + at, &length))
			continue;
		*proof = prove_by(p + at, size - at, length, last, allowed);
		if (*proof)
			return at;
	}
	*proof = TFR_PROOF_NONE;
	return size;
}

/* Reads the record into the block. */
static enum tfr_status prove_in_memory(
	struct tfr_reader *r, uint64_t length, enum tfr_proof *proof, struct tfr_error *err)
{
	enum tfr_status status =
		tfr_reader_fill(r, length + TFR_RECORD_OVERHEAD + TFR_RECORD_HEADER, err);
	/* One payload at a time, whatever its length: all of it counts. */
	uint64_t most = may_read(r) ? UINT64_MAX : 0, left = most;

	if (status && status != TFR_EDATA)
		return status;
	*proof = prove_by(r->block + r->begin, held(r), length, true, &left);
	r->disproved += most - left;
	return TFR_OK;
}

/* Computes the CRC of the payload block by block and compares it with the one after it. */
static enum tfr_status prove_data_from_afar(
	struct tfr_reader *r, uint64_t length, enum tfr_proof *proof, struct tfr_error *err)
{
	TFR_AUTO_FREE uint8_t *buf = malloc(PROOF_BLOCK);
	int64_t at = TFR_RECORD_HEADER - (int64_t)held(r);
	uint8_t footer[TFR_RECORD_FOOTER];
	uint64_t read = 0;
	uint32_t crc = 0;
	size_t got = 1;

	if (!may_read(r))
		return TFR_OK;
	TFR_NEED_MEMORY(buf, err, "looking for a record");
	for (; length && got; length -= got, at += (int64_t)got) {
		TFR_TRY(tfr_stream_peek(r->stream, at, buf,
			length < PROOF_BLOCK ? (size_t)length : PROOF_BLOCK, &got, err));
		crc = tfr_crc32c(crc, buf, got);
		read += got;
	}
	TFR_TRY(tfr_stream_peek(r->stream, at, footer, sizeof(footer), &got, err));
	if (!length && got == sizeof(footer) && tfr_load32(footer) == tfr_crc_mask(crc))
		*proof = TFR_PROOF_DATA;
	else
		r->disproved += read;
	return TFR_OK;
}

/* Proves a record without memory for it.  Its end comes first, which costs 12 bytes. */
static enum tfr_status prove_from_afar(
	struct tfr_reader *r, uint64_t length, enum tfr_proof *proof, struct tfr_error *err)
{
	uint64_t total = length + TFR_RECORD_OVERHEAD, left = held(r) + tfr_stream_left(r->stream);
	uint8_t header[TFR_RECORD_HEADER];
	size_t got;

	if (total > left)
		return TFR_OK;
	TFR_TRY(tfr_stream_peek(
		r->stream, (int64_t)total - (int64_t)held(r), header, sizeof(header), &got, err));
	if (!got || (got == sizeof(header) && tfr_header_verifies(header))) {
		*proof = TFR_PROOF_END;
		return TFR_OK;
	}
	return prove_data_from_afar(r, length, proof, err);
}

/* Whether the record can be proved without reading it into memory, and is large enough for that. */
static bool from_afar(const struct tfr_reader *r, uint64_t length)
{
	return tfr_stream_seekable(r->stream) &&
	       length + TFR_RECORD_OVERHEAD + TFR_RECORD_HEADER > r->standard;
}

static enum tfr_status prove(
	struct tfr_reader *r, uint64_t length, enum tfr_proof *proof, struct tfr_error *err)
{
	*proof = TFR_PROOF_NONE;
	if (from_afar(r, length))
		return prove_from_afar(r, length, proof, err);
	return prove_in_memory(r, length, proof, err);
}

/* --- skipping --- */

enum tfr_status tfr_reader_skip(struct tfr_reader *r, size_t size, struct tfr_error *err)
{
	const uint8_t *bytes = r->block + r->begin;

	assert(size <= r->end - r->begin);
	r->begin += size;
	return r->skipped && size ? r->skipped(r->skipped_ctx, bytes, size, err) : TFR_OK;
}

/* Skips the bytes of the block up to the next header that verifies, if there is one. */
static enum tfr_status pass_to_header(struct tfr_reader *r, bool *found, struct tfr_error *err)
{
	size_t n = tfr_find_header(r->block + r->begin, held(r));

	*found = n < held(r);
	if (!*found) /* a header may straddle the end of the block */
		n -= TFR_RECORD_HEADER - 1;
	return tfr_reader_skip(r, n, err);
}

/* Whether the header at `begin` starts a record. */
static enum tfr_status confirm(struct tfr_reader *r, enum tfr_proof *proof, struct tfr_error *err)
{
	uint64_t length;

	*proof = TFR_PROOF_NONE;
	if (tfr_header_length(r->block + r->begin, &length) &&
		(tfr_stream_seekable(r->stream) ||
			(length <= RESYNC_MAX && tfr_reader_may_hold(length + TFR_RECORD_OVERHEAD +
								     TFR_RECORD_HEADER))))
		TFR_TRY(prove(r, length, proof, err));
	assert(held(r) >= TFR_RECORD_HEADER);
	return TFR_OK;
}

static enum tfr_status find_record(struct tfr_reader *r, struct tfr_error *err)
{
	enum tfr_proof proof;
	enum tfr_status filled;
	bool found;

	TFR_TRY(tfr_reader_skip(r, r->begin < r->end, err));
	for (;;) {
		filled = tfr_reader_fill(r, TFR_RECORD_HEADER, err);
		if (filled && r->fault != TFR_FAULT_STREAM)
			return filled;
		if (filled || held(r) < TFR_RECORD_HEADER) {
			TFR_TRY(tfr_reader_skip(r, held(r), err));
			return TFR_END;
		}
		TFR_TRY(pass_to_header(r, &found, err));
		if (!found)
			continue;
		TFR_TRY(confirm(r, &proof, err));
		if (proof)
			return TFR_OK;
		TFR_TRY(tfr_reader_skip(r, 1, err));
	}
}

/* Skips the rest of the file. */
static enum tfr_status pass_rest(struct tfr_reader *r, struct tfr_error *err)
{
	enum tfr_status filled;

	while (held(r) || !r->ended) {
		TFR_TRY(tfr_reader_skip(r, held(r), err));
		filled = tfr_reader_fill(r, 1, err);
		if (filled)
			return filled == TFR_EDATA ? TFR_END : filled;
	}
	return TFR_END;
}

enum tfr_status tfr_reader_resync(struct tfr_reader *r, uint64_t *lost, struct tfr_error *err)
{
	uint64_t start = tfr_reader_offset(r);
	enum tfr_status status;

	*lost = 0;
	if (r->fault == TFR_FAULT_PAYLOAD) /* the reader is after the record already */
		return TFR_OK;
	if (tfr_stream_device(r->stream)) /* /dev/zero has no end */
		return tfr_fail_path(
			err, TFR_ESYS, tfr_reader_name(r), "no record is looked for in a device:");
	status = r->fault == TFR_FAULT_STREAM ? pass_rest(r, err) : find_record(r, err);
	*lost = tfr_reader_offset(r) - start;
	if (!status)
		r->index++;
	return status;
}

/* --- salvage --- */

/* Reports a record that neither its data nor the bytes after it prove. */
static enum tfr_status report_unproved(struct tfr_reader *r, struct tfr_error *err)
{
	r->fault = TFR_FAULT_LENGTH;
	return tfr_fail(
		err, TFR_EDATA, "data checksum mismatch, and no record begins where it ends");
}

/* Reads the record at `begin` into the block.  TFR_EDATA, TFR_EFORMAT: there is none. */
static enum tfr_status read_record(struct tfr_reader *r, uint64_t *length, struct tfr_error *err)
{
	enum tfr_proof proof;

	TFR_TRY(tfr_reader_fill(r, TFR_RECORD_HEADER, err));
	if (!held(r))
		return TFR_END;
	TFR_TRY(tfr_reader_header(r, length, err));
	/* tfr_reader_fill_record() reports a record that is longer than the file. */
	if (from_afar(r, *length) &&
		*length + TFR_RECORD_OVERHEAD <= held(r) + tfr_stream_left(r->stream)) {
		TFR_TRY(prove(r, *length, &proof, err));
		if (!proof)
			return report_unproved(r, err);
	}
	return tfr_reader_fill_record(r, *length, err);
}

/* Judges the record at `begin`, which is in the block.  TFR_OK: it is intact, or its payload alone
 * is damaged.  An intact record needs no header after it: a pipe may send that later. */
static enum tfr_status judge_record(
	struct tfr_reader *r, uint64_t length, struct tfr_salvaged *s, struct tfr_error *err)
{
	const uint8_t *payload = r->block + r->begin + TFR_RECORD_HEADER;
	uint32_t crc = tfr_crc32c(0, payload, (size_t)length);
	enum tfr_proof proof = TFR_PROOF_NONE;

	if (tfr_load32(payload + length) != tfr_crc_mask(crc)) {
		s->kind = TFR_SALVAGED_PAYLOAD;
		TFR_TRY(prove_in_memory(r, length, &proof, err));
		if (!proof)
			return report_unproved(r, err);
		tfr_fail(err, TFR_EDATA, TFR_PAYLOAD_FAULT);
		payload = r->block + r->begin + TFR_RECORD_HEADER; /* the block may have moved */
	}
	s->size = length + TFR_RECORD_OVERHEAD;
	s->rec = (struct tfr_record){ payload, (size_t)length, s->index, s->offset, crc };
	r->begin += (size_t)s->size;
	r->index++;
	return TFR_OK;
}

static enum tfr_status pass_span(
	struct tfr_reader *r, struct tfr_salvaged *s, struct tfr_error *err)
{
	struct tfr_error failure;
	enum tfr_status status;

	s->kind = TFR_SALVAGED_NOTHING;
	s->broken = r->fault == TFR_FAULT_STREAM;
	status = tfr_reader_resync(r, &s->size, &failure);
	if (s->broken)
		r->ended = true; /* it would fail again */
	if (!status || status == TFR_END)
		return TFR_OK;
	*err = failure;
	return status;
}

enum tfr_status tfr_salvage_next(
	struct tfr_reader *r, struct tfr_salvaged *s, struct tfr_error *err)
{
	enum tfr_status status;
	uint64_t length = 0;

	*s = (struct tfr_salvaged){ .index = r->index, .offset = tfr_reader_offset(r) };
	r->fault = TFR_FAULT_NONE;
	status = read_record(r, &length, err);
	if (!status)
		status = judge_record(r, length, s, err);
	if (status == TFR_EDATA || status == TFR_EFORMAT)
		return pass_span(r, s, err);
	return status;
}
