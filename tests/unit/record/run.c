/* Runs must be what the reader gives one by one: the same records, the same faults at the same
 * places, whatever the block size, for whole files, damaged ones and compressed ones. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/rng.h"
#include "record/framing.h"
#include "record/record_run.h"

static void frame(struct tfr_buf *b, const void *payload, size_t size)
{
	uint8_t head[TFR_RECORD_HEADER], foot[TFR_RECORD_FOOTER];

	tfr_put_header(head, size);
	tfr_store32(foot, tfr_crc_mask(tfr_crc32c(0, payload, size)));
	tfr_buf_append(b, head, sizeof(head));
	tfr_buf_append(b, payload, size);
	tfr_buf_append(b, foot, sizeof(foot));
}

static struct tfr_buf made(int n, size_t most, uint64_t seed)
{
	uint8_t *payload = malloc(most + 8);
	struct tfr_buf b = { 0 };
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	for (int i = 0; i < n; i++) {
		size_t size = (size_t)tfr_rng_below(&r, tfr_rng_below(&r, most) + 1);

		for (size_t k = 0; k < size; k += 8)
			tfr_store64(payload + k, tfr_rng_u64(&r));
		frame(&b, payload, size);
	}
	free(payload);
	return b;
}

/* Everything a walk sees, one line an event. */
static void note(
	struct tfr_buf *log, const char *what, uint64_t index, uint64_t offset, uint32_t crc)
{
	tfr_buf_printf(log, "%s %llu %llu %08x\n", what, (unsigned long long)index,
		(unsigned long long)offset, crc);
}

static bool goes_on(struct tfr_reader *r, enum tfr_status status, const struct tfr_error *err,
	struct tfr_buf *log)
{
	uint64_t lost = 0;

	if (status == TFR_END || status == TFR_EFORMAT) {
		note(log, status == TFR_END ? "end" : "format", 0, 0, 0);
		return false;
	}
	note(log, err->message, err->record, err->offset, (uint32_t)tfr_reader_fault(r));
	if (tfr_reader_fault(r) == TFR_FAULT_PAYLOAD)
		return true;
	if (tfr_reader_fault(r) == TFR_FAULT_STREAM)
		return false;
	status = tfr_reader_resync(r, &lost, NULL);
	note(log, "lost", lost, status, 0);
	return !status;
}

static void walk_records(const struct tfr_buf *file, size_t block, struct tfr_buf *log)
{
	struct tfr_reader_opts opts = { .block_size = block };
	struct tfr_reader *r = NULL;
	struct tfr_error err = { 0 };
	struct tfr_record rec;
	enum tfr_status status;

	cr_assert_eq(tfr_reader_open_memory(&r, file->data, file->size, &opts, NULL), TFR_OK);
	do {
		while (!(status = tfr_reader_next(r, &rec, &err)))
			note(log, "record", rec.index, rec.offset, rec.crc);
	} while (goes_on(r, status, &err, log));
	tfr_reader_close(r);
}

/* Passed over in one go, a run has as many records, and stops at each fault, as one by one. */
static void pass_run(struct tfr_record_run run)
{
	struct tfr_record_run one_by_one = run;
	struct tfr_record rec;
	enum tfr_status status, passed;

	do {
		uint64_t sound = tfr_record_run_verify(&run), n = 0;

		while (!(status = tfr_record_run_next(&one_by_one, &rec, NULL)))
			n++;
		passed = tfr_record_run_next(&run, &rec, NULL);
		cr_assert_eq(sound, n);
		cr_assert_eq(passed, status);
		cr_assert(run.at == one_by_one.at && run.seen == one_by_one.seen);
	} while (status != TFR_END);
}

static void walk_run(struct tfr_record_run *run, struct tfr_buf *log)
{
	struct tfr_error err = { 0 };
	struct tfr_record rec;
	enum tfr_status status;

	pass_run(*run);
	while ((status = tfr_record_run_next(run, &rec, &err)) != TFR_END) {
		if (status)
			note(log, err.message, err.record, err.offset, TFR_FAULT_PAYLOAD);
		else
			note(log, "record", rec.index, rec.offset, rec.crc);
	}
	cr_assert_eq(run->seen, run->records);
}

static void walk_runs(const struct tfr_buf *file, size_t block, struct tfr_buf *log)
{
	struct tfr_reader_opts opts = { .block_size = block };
	struct tfr_reader *r = NULL;
	struct tfr_record_run run = { 0 };
	struct tfr_error err = { 0 };
	enum tfr_status status;

	cr_assert_eq(tfr_reader_open_memory(&r, file->data, file->size, &opts, NULL), TFR_OK);
	do {
		while (!(status = tfr_reader_next_run(r, &run, &err))) {
			if (run.large) {
				uint64_t large = run.large, at;

				cr_assert_eq(run.records, 0);
				at = run.offset;
				status = tfr_reader_large_run(r, &run, &err);
				if (status)
					break;
				cr_assert_eq(run.size, large);
				cr_assert_eq(run.offset, at);
				cr_assert_eq(run.records, 1);
			}
			cr_assert_gt(run.records, 0);
			walk_run(&run, log);
		}
	} while (goes_on(r, status, &err, log));
	tfr_record_run_clear(&run);
	tfr_reader_close(r);
}

static void compare(const struct tfr_buf *file, size_t block, const char *what, size_t at)
{
	TFR_AUTO_BUF one = { 0 }, many = { 0 };

	walk_records(file, 4096, &one);
	walk_runs(file, block, &many);
	tfr_buf_append(&one, "", 1);
	tfr_buf_append(&many, "", 1);
	cr_assert_str_eq((char *)many.data, (char *)one.data, "%s at %zu, block %zu:\n%s\nnot\n%s",
		what, at, block, (char *)many.data, (char *)one.data);
}

static const size_t blocks[] = { 64, 100, 333, 4096, 1 << 20 };

#define EACH_BLOCK(b) for (size_t b = 0; b < sizeof(blocks) / sizeof(*blocks); b++)

Test(run, whole_files)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		TFR_AUTO_BUF file = made((int)(seed * 7 % 50), seed % 3 ? 300 : 20000, seed);

		EACH_BLOCK(b)
		compare(&file, blocks[b], "whole", (size_t)seed);
	}
}

Test(run, every_byte_flipped)
{
	TFR_AUTO_BUF file = made(12, 120, 5);

	for (size_t at = 0; at < file.size; at++) {
		file.data[at] ^= 0x41;
		EACH_BLOCK(b)
		compare(&file, blocks[b], "flipped", at);
		file.data[at] ^= 0x41;
	}
}

Test(run, every_truncation)
{
	TFR_AUTO_BUF file = made(12, 120, 6);

	for (size_t whole = file.size; file.size > 0; file.size--) {
		EACH_BLOCK(b)
		compare(&file, blocks[b], "cut", file.size);
		cr_assert_leq(file.size, whole);
	}
}

/* A length at which sums overflow, with its checksum and without, in a header that is cut. */
Test(run, every_length_at_the_end)
{
	static const uint64_t limits[] = { 0, 16, TFR_LENGTH_MAX, (uint64_t)1 << 63 };

	for (int i = 0; i < 4 * 65 * 2; i++) {
		TFR_AUTO_BUF file = made(i / 4 % 3, 120, 8);
		uint64_t length = limits[i % 4] + (uint64_t)(i / 8) - 32;
		uint8_t tail[28] = { 0 };

		tfr_put_header(tail, length);
		tail[8] ^= i / 4 % 2;
		tfr_buf_append(&file, tail, sizeof(tail));
		for (size_t cut = sizeof(tail); cut; cut--, file.size--)
			EACH_BLOCK(b)
		compare(&file, blocks[b], "length", (size_t)length);
	}
}

Test(run, compressed)
{
	TFR_AUTO_BUF file = made(300, 3000, 7), packed = { 0 };
	uLongf size = compressBound(file.size);

	tfr_buf_reserve(&packed, size);
	cr_assert_eq(compress(packed.data, &size, file.data, file.size), Z_OK);
	packed.size = size;
	EACH_BLOCK(b)
	compare(&packed, blocks[b], "zlib", 0);
}
