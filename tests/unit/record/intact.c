/* How far a file is sound must be what the reader finds going through it from the start, for any
 * number of threads and wherever the ranges begin: in records, in what looks like records, behind
 * damage. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/rng.h"
#include "record/count.h"
#include "record/framing.h"

static void frame(struct tfr_buf *b, const void *payload, size_t size)
{
	uint8_t head[TFR_RECORD_HEADER], foot[TFR_RECORD_FOOTER];

	tfr_put_header(head, size);
	tfr_store32(foot, tfr_crc_mask(tfr_crc32c(0, payload, size)));
	tfr_buf_append(b, head, sizeof(head));
	tfr_buf_append(b, payload, size);
	tfr_buf_append(b, foot, sizeof(foot));
}

/* Records of up to `most` bytes; one in `nested` holds records. */
static struct tfr_buf made(int n, size_t most, unsigned nested, uint64_t seed)
{
	uint8_t *payload = malloc(most + 8);
	struct tfr_buf b = { 0 };
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	for (int i = 0; i < n; i++) {
		size_t size = tfr_rng_below(&r, 4) ? (size_t)tfr_rng_below(&r, most + 1) : 8;
		TFR_AUTO_BUF inner = { 0 };

		for (size_t k = 0; k < size; k += 8)
			tfr_store64(payload + k, tfr_rng_u64(&r));
		if (nested && !tfr_rng_below(&r, nested)) {
			frame(&inner, payload, size / 3);
			frame(&inner, payload, size / 4);
			frame(&b, inner.data, inner.size);
		} else {
			frame(&b, payload, size);
		}
	}
	free(payload);
	return b;
}

/* The records before the first fault, and where each ends. */
static uint64_t read_all(const struct tfr_buf *file, struct tfr_buf *ends)
{
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	uint64_t n = 0, end = 0;

	tfr_buf_append(ends, &end, sizeof(end));
	cr_assert_eq(tfr_reader_open_memory(&r, file->data, file->size, NULL, NULL), TFR_OK);
	for (; !tfr_reader_next(r, &rec, NULL); n++) {
		end = rec.offset + rec.size + TFR_RECORD_OVERHEAD;
		tfr_buf_append(ends, &end, sizeof(end));
	}
	tfr_reader_close(r);
	return n;
}

/* Several threads may come short by `short_by` records, and by any number where there are so few
 * that no ranges are made. */
static void compare(const char *path, const struct tfr_buf *file, uint64_t short_by)
{
	static const size_t ranges[] = { 600, 2048, 5000, 1 << 20 };
	TFR_AUTO_BUF ends = { 0 };
	uint64_t n = read_all(file, &ends), end;

	for (unsigned i = 0; i < 8; i++) {
		struct tfr_parallel_check_opts opts = { .threads = i < 4 ? 1 : 3,
			.block = i % 2 ? 700 : 4096,
			.range = ranges[i % 4] };
		struct tfr_intact s;
		bool whole = tfr_parallel_check(path, &opts, &s);

		cr_assert_leq(s.records, n);
		memcpy(&end, ends.data + s.records * 8, 8);
		cr_assert_eq(s.end, end);
		cr_assert_eq(whole, s.records && s.end == file->size);
		if (opts.threads == 1 || n >= 16)
			cr_assert_geq(s.records + (opts.threads > 1 ? short_by : 0), n,
				"%d: %llu of %llu", i, (unsigned long long)s.records,
				(unsigned long long)n);
	}
}

static const char *path_of_test(char path[64])
{
	int fd;

	snprintf(path, 64, "/tmp/tfr-sound-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	close(fd);
	return path;
}

static void write_file(const char *path, const struct tfr_buf *b)
{
	FILE *f = fopen(path, "wb");

	cr_assert(f && (!b->size || fwrite(b->data, b->size, 1, f) == 1) && !fclose(f));
}

Test(sound, whole_files)
{
	char path[64];

	path_of_test(path);
	for (uint64_t seed = 0; seed < 60; seed++) {
		TFR_AUTO_BUF file = made((int)(seed * 11 % 200), 400, 0, seed);

		write_file(path, &file);
		compare(path, &file, 0);
	}
	unlink(path);
}

Test(sound, records_in_records)
{
	char path[64];

	path_of_test(path);
	for (uint64_t seed = 0; seed < 60; seed++) {
		TFR_AUTO_BUF file = made(200, 500, 2 + seed % 5, seed);

		write_file(path, &file);
		compare(path, &file, UINT32_MAX);
	}
	unlink(path);
}

/* Right before damage a piece does not take the record that it begins with for one. */
Test(sound, damaged_files)
{
	char path[64];
	struct tfr_rng r;

	path_of_test(path);
	tfr_rng_init(&r, 9, 0);
	for (int round = 0; round < 200; round++) {
		TFR_AUTO_BUF file = made(150, 300, 0, (uint64_t)round);
		size_t at = (size_t)tfr_rng_below(&r, file.size);

		if (round % 3)
			file.data[at] ^= (uint8_t)(1 + tfr_rng_below(&r, 255));
		else
			file.size = at;
		write_file(path, &file);
		compare(path, &file, 1);
	}
	unlink(path);
}

Test(sound, what_is_no_plain_file)
{
	struct tfr_parallel_check_opts opts = { .threads = 2 };
	struct tfr_intact s;

	cr_assert_not(tfr_parallel_check("/", &opts, &s));
	cr_assert_not(tfr_parallel_check("/dev/null", &opts, &s));
	cr_assert_not(tfr_parallel_check("/nonexistent", &opts, &s));
	cr_assert_not(tfr_parallel_check("-", &opts, &s));
	cr_assert(!s.records && !s.end);
}
