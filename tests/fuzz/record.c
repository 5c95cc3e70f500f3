/* tests/fuzz/record.c - any bytes as a file: the reader must end, stay within its buffer, and agree
 * with itself at another block size; resync must always move forward.  Runs read
 * a block ahead of the records, so that damage in a compressed stream comes before a fault that
 * lies within that block: only plain files are compared by them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "record/framing.h"
#include "record/record_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t walk(
	const uint8_t *data, size_t size, size_t block, enum tfr_status *end, bool *plain)
{
	struct tfr_reader_opts opts = { .block_size = block };
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	struct tfr_error err;
	uint64_t records = 0, lost, checksum = 0;
	enum tfr_status status = tfr_reader_open_memory(&r, data, size, &opts, &err);

	while (!status) {
		status = tfr_reader_next(r, &rec, &err);
		if (!status) {
			records++;
			for (size_t i = 0; i < rec.size; i += 97)
				checksum = checksum * 31 + rec.data[i];
			checksum = checksum * 31 + rec.offset;
		} else if (status == TFR_EDATA && tfr_reader_fault(r) == TFR_FAULT_PAYLOAD) {
			status = TFR_OK;
		} else if (status == TFR_EDATA && tfr_reader_fault(r) != TFR_FAULT_STREAM) {
			status = tfr_reader_resync(r, &lost, &err);
			assert(status != TFR_OK || lost > 0);
		}
	}
	*end = status;
	*plain = r && tfr_reader_compression(r) == TFR_COMPRESSION_NONE;
	tfr_reader_close(r);
	return checksum + records;
}

/* The same walk by runs. */
static uint64_t walk_runs(const uint8_t *data, size_t size, size_t block, enum tfr_status *end)
{
	struct tfr_reader_opts opts = { .block_size = block };
	struct tfr_reader *r = NULL;
	struct tfr_record_run run = { 0 };
	struct tfr_record rec;
	uint64_t records = 0, lost, checksum = 0;
	enum tfr_status status = tfr_reader_open_memory(&r, data, size, &opts, NULL), next;

	while (!status) {
		status = tfr_reader_next_run(r, &run, NULL);
		if (!status && run.large)
			status = tfr_reader_large_run(r, &run, NULL);
		while (!status && (next = tfr_record_run_next(&run, &rec, NULL)) != TFR_END) {
			if (next)
				continue;
			records++;
			for (size_t i = 0; i < rec.size; i += 97)
				checksum = checksum * 31 + rec.data[i];
			checksum = checksum * 31 + rec.offset;
		}
		if (status == TFR_EDATA && tfr_reader_fault(r) != TFR_FAULT_STREAM)
			status = tfr_reader_resync(r, &lost, NULL);
	}
	*end = status;
	tfr_record_run_clear(&run);
	tfr_reader_close(r);
	return checksum + records;
}

static void compare_walks(const uint8_t *data, size_t size)
{
	enum tfr_status end_a, end_b, end_c, end_d;
	bool plain;
	uint64_t a = walk(data, size, 64, &end_a, &plain);
	uint64_t b = walk(data, size, 1 << 16, &end_b, &plain);

	uint64_t c = walk_runs(data, size, 64, &end_c), d = walk_runs(data, size, 1 << 16, &end_d);

	if (a != b || end_a != end_b)
		abort();
	if (plain && (a != c || a != d || end_a != end_c || end_a != end_d))
		abort();
}

/* After the input, a header whose length is near a limit, with its CRC or without, and cut.  No
 * branch depends on a part of a length, so mutations do not find those at which sums overflow. */
static void compare_cut_header(const uint8_t *data, size_t size)
{
	static const uint64_t limits[] = { 0, TFR_LENGTH_MAX, (uint64_t)1 << 32,
		(uint64_t)1 << 63 };
	const uint8_t *choice = data + size - 3;
	uint8_t *file, *tail;

	if (size < 3)
		return;
	file = malloc(size + 32);
	if (!file)
		return;
	memcpy(file, data, size);
	tail = file + size;
	memset(tail, 0, 32);
	tfr_put_header(tail, limits[choice[0] & 3] + (uint64_t)(int8_t)choice[1]);
	if (choice[0] & 4)
		tail[8] ^= 1;
	compare_walks(file, size + choice[2] % 32u);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	compare_walks(data, size);
	compare_cut_header(data, size);
	return 0;
}
