/* record/record_run.c - iterates over the records of a run. */
#include "record/record_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/framing.h"
#include "record/reader.h"

enum tfr_status tfr_record_run_next(
	struct tfr_record_run *run, struct tfr_record *rec, struct tfr_error *err)
{
	const uint8_t *p = run->data + run->at;
	size_t length;

	if (run->at == run->size)
		return TFR_END;
	assert(run->size - run->at >= TFR_RECORD_OVERHEAD && run->seen < run->records);
	length = (size_t)tfr_known_length(p);
	*rec = (struct tfr_record){ p + TFR_RECORD_HEADER, length, run->index + run->seen,
		run->offset + run->at, tfr_crc32c(0, p + TFR_RECORD_HEADER, length) };
	run->at += length + TFR_RECORD_OVERHEAD;
	run->seen++;
	if (tfr_load32(rec->data + length) == tfr_crc_mask(rec->crc))
		return TFR_OK;
	tfr_fail(err, TFR_EDATA, TFR_PAYLOAD_FAULT);
	if (err) {
		err->has_record = true;
		err->record = rec->index;
		err->offset = rec->offset;
	}
	return TFR_EDATA;
}

uint64_t tfr_record_run_verify(struct tfr_record_run *run)
{
	size_t left = run->size - run->at, end;
	bool bad;
	uint64_t records = tfr_count_intact(run->data + run->at, left, left, &end, &bad);

	run->at += end;
	run->seen += records;
	assert(run->at <= run->size && run->seen <= run->records);
	return records;
}

size_t tfr_record_run_of_bytes(
	struct tfr_record_run *run, const uint8_t *p, size_t size, uint64_t offset)
{
	bool bad;

	*run = (struct tfr_record_run){ .data = p, .offset = offset };
	run->records = tfr_count_complete(p, size, size, &run->size, &bad);
	return run->size;
}

void tfr_record_run_clear(struct tfr_record_run *run)
{
	free(run->block);
	*run = (struct tfr_record_run){ 0 };
}

/* --- reading runs --- */

/* Reads runs of records: blocks that end where a record does.
 *
 * The end of the last record of a block is read by a call of its own, if the block has room for it,
 * rather than copying its beginning to the next block.  So records that are as large as blocks are
 * not copied at all. */

/* A rest of more than one in so many bytes of a run costs more to copy to the next block than a
 * call that reads its end. */
enum { REST_MOST = 64 };

/* Reads `run_size` bytes, or to the end of the stream: one call for a file, several for a pipe or
 * a compressed stream. */
static enum tfr_status fill_block(struct tfr_reader *r, struct tfr_error *err)
{
	uint64_t need = r->run_size > r->end - r->begin ? r->run_size : (uint64_t)TFR_RECORD_HEADER;

	return tfr_reader_fill_most(r, need, need, err);
}

/* Reads the rest of the record that follows the `*size` bytes of intact headers, and not a byte
 * more, if the block has room for it: otherwise its beginning is copied to the next block, which
 * is all of the data again if records are as large as blocks. */
static enum tfr_status complete_last(
	struct tfr_reader *r, struct tfr_record_run *run, size_t *size, struct tfr_error *err)
{
	size_t rest = r->end - r->begin - *size;
	uint64_t length, total;

	if (rest < TFR_RECORD_HEADER || (run->records && rest < r->run_size / REST_MOST) ||
		!tfr_header_length(r->block + r->begin + *size, &length))
		return TFR_OK;
	total = length + TFR_RECORD_OVERHEAD;
	if (total > r->cap - r->begin - *size || !tfr_stream_has(r->stream, total - rest))
		return TFR_OK;
	TFR_TRY(tfr_reader_fill_most(r, *size + total, *size + total, err));
	if (r->end - r->begin < *size + total)
		return TFR_OK;
	*size += (size_t)total;
	run->records++;
	return TFR_OK;
}

/* Gives the block with the `size` bytes of records at `begin` to the run.  The reader continues in
 * the run's old block, with the bytes after the records.  Without memory the run is empty. */
static enum tfr_status hand_over(
	struct tfr_reader *r, struct tfr_record_run *run, size_t size, struct tfr_error *err)
{
	size_t rest = r->end - r->begin - size;
	uint8_t *next = run->block;
	size_t next_cap = run->cap;

	assert(run->block != r->block && size <= r->end - r->begin);
	if (next_cap < r->standard || next_cap < rest) {
		next_cap = r->standard > rest ? r->standard : rest;
		next = realloc(run->block, next_cap);
		if (!next) {
			run->records = 0;
			return tfr_fail_nomem(err, "reading a file");
		}
	}
	memcpy(next, r->block + r->begin + size, rest);
	run->block = r->block;
	run->cap = r->cap;
	run->data = r->block + r->begin;
	run->size = size;
	run->index = r->index;
	run->offset = tfr_reader_offset(r);
	r->block_offset += r->begin + size;
	r->block = next;
	r->cap = next_cap;
	r->begin = 0;
	r->end = rest;
	r->index += run->records;
	return TFR_OK;
}

static void empty_run(struct tfr_record_run *run)
{
	run->data = run->block;
	run->size = run->at = 0;
	run->records = run->seen = run->large = 0;
}

enum tfr_status tfr_reader_next_run(
	struct tfr_reader *r, struct tfr_record_run *run, struct tfr_error *err)
{
	enum tfr_status filled;
	uint64_t length;
	size_t size;
	bool bad;

	assert(r->framing == TFR_FRAMING_RECORDS);
	empty_run(run);
	r->fault = TFR_FAULT_NONE;
	filled = fill_block(r, err);
	size = r->end - r->begin;
	run->records = tfr_count_complete(r->block + r->begin, size, size, &size, &bad);
	if (!filled && !bad)
		filled = complete_last(r, run, &size, err);
	if (run->records) /* the next call reports a failure again */
		return hand_over(r, run, size, err);
	if (filled)
		return filled;
	if (r->end == r->begin)
		return TFR_END;
	TFR_TRY(tfr_reader_header(r, &length, err));
	if (!tfr_stream_has(r->stream, length + TFR_RECORD_OVERHEAD - (r->end - r->begin)) ||
		r->ended)
		return tfr_reader_fill_record(r, length, err); /* its error says what is missing */
	run->index = r->index;
	run->offset = tfr_reader_offset(r);
	run->large = length + TFR_RECORD_OVERHEAD;
	return TFR_OK;
}

enum tfr_status tfr_reader_large_run(
	struct tfr_reader *r, struct tfr_record_run *run, struct tfr_error *err)
{
	uint64_t length = 0;

	empty_run(run);
	r->fault = TFR_FAULT_NONE;
	TFR_TRY(tfr_reader_header(r, &length, err));
	TFR_TRY(tfr_reader_fill_record(r, length, err));
	run->records = 1;
	return hand_over(r, run, (size_t)length + TFR_RECORD_OVERHEAD, err);
}
