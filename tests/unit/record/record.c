#include <fcntl.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/rng.h"
#include "record/framing.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(record, .init = setup, .fini = teardown);

static void frame(struct tfr_buf *b, const void *payload, size_t size)
{
	uint8_t head[12], foot[4];

	tfr_store64(head, size);
	tfr_store32(head + 8, tfr_crc_mask(tfr_crc32c(0, head, 8)));
	tfr_store32(foot, tfr_crc_mask(tfr_crc32c(0, payload, size)));
	tfr_buf_append(b, head, 12);
	tfr_buf_append(b, payload, size);
	tfr_buf_append(b, foot, 4);
}

/* Records of skewed random length, the lengths of tensorflow's recordio_test: up to 2^17 bytes,
 * most of them short. */
static struct tfr_buf many(int n, uint64_t seed)
{
	static uint8_t payload[1 << 17];
	struct tfr_buf b = { 0 };
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	for (int i = 0; i < n; i++) {
		size_t size = (size_t)tfr_rng_below(&r, (uint64_t)1 << tfr_rng_below(&r, 18));

		for (size_t j = 0; j < size; j += 8)
			tfr_store64(payload + (j & ~(size_t)7 & ((1 << 17) - 8)), tfr_rng_u64(&r));
		frame(&b, payload, size);
	}
	return b;
}

/* Reads to the end or the first failure; returns the status, the number of good records in *n. */
static enum tfr_status read_all(struct tfr_reader *r, uint64_t *n, struct tfr_error *err)
{
	struct tfr_record rec;
	enum tfr_status status;

	for (*n = 0; !(status = tfr_reader_next(r, &rec, err)); (*n)++)
		;
	return status;
}

static enum tfr_status read_memory(
	const void *data, size_t size, size_t block, uint64_t *n, struct tfr_error *err)
{
	struct tfr_reader_opts opts = { .block_size = block };
	struct tfr_reader *r = NULL;
	enum tfr_status status = tfr_reader_open_memory(&r, data, size, &opts, err);

	cr_assert_eq(status, TFR_OK);
	status = read_all(r, n, err);
	tfr_reader_close(r);
	return status;
}

Test(record, golden_bytes)
{
	const uint8_t want[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0x29, 0x03, 0x98, 0x07, 0xd8, 0xea, 0x82,
		0xa2, 9, 0, 0, 0, 0, 0, 0, 0, 0x37, 0xf9, 0x71, 0x39, '1', '2', '3', '4', '5', '6',
		'7', '8', '9', 0xe5, 0xb0, 0x8a, 0xc7 };
	struct tfr_writer *w = NULL;
	uint8_t got[100];

	cr_assert_eq(tfr_writer_open(&w, "a", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_put(w, "", 0, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_put(w, "123456789", 9, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_totals(w)->records, 2);
	cr_assert_eq(tfr_writer_totals(w)->file_bytes, sizeof(want));
	cr_assert_eq(tfr_writer_totals(w)->file_crc, tfr_crc32c(0, want, sizeof(want)));
	tfr_writer_close(w);
	cr_assert_eq(temp_read("a", got, sizeof(got)), sizeof(want));
	cr_assert_arr_eq(got, want, sizeof(want));
}

Test(record, round_trip_at_every_block_size_and_compression)
{
	static const size_t blocks[] = { 64, 1000, 4096, 1 << 20 };
	struct tfr_buf raw = many(500, 6);
	uint64_t n;

	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(read_memory(raw.data, raw.size, blocks[i], &n, NULL), TFR_END);
		cr_assert_eq(n, 500);
	}
	for (int c = TFR_COMPRESSION_NONE; c <= TFR_COMPRESSION_ZLIB; c++) {
		struct tfr_writer_opts opts = {
			.compression = c, .force = true, .buffer_size = 1000
		};
		struct tfr_writer *w = NULL;
		struct tfr_reader *r = NULL, *back = NULL;
		struct tfr_record a, b;

		cr_assert_eq(tfr_writer_open(&w, "f", &opts, NULL), TFR_OK);
		cr_assert_eq(tfr_reader_open_memory(&r, raw.data, raw.size, NULL, NULL), TFR_OK);
		while (tfr_reader_next(r, &a, NULL) == TFR_OK)
			cr_assert_eq(tfr_writer_put(w, a.data, a.size, NULL), TFR_OK);
		cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
		tfr_writer_close(w);
		tfr_reader_close(r);
		cr_assert_eq(tfr_reader_open_memory(&r, raw.data, raw.size, NULL, NULL), TFR_OK);
		cr_assert_eq(tfr_reader_open(&back, "f", NULL, NULL), TFR_OK);
		while (tfr_reader_next(r, &a, NULL) == TFR_OK) {
			cr_assert_eq(tfr_reader_next(back, &b, NULL), TFR_OK);
			cr_assert(a.size == b.size && !memcmp(a.data, b.data, a.size));
			cr_assert(a.index == b.index && a.offset == b.offset && a.crc == b.crc);
		}
		cr_assert_eq(tfr_reader_next(back, &b, NULL), TFR_END);
		cr_assert_eq(tfr_reader_next(back, &b, NULL), TFR_END);
		cr_assert_eq(tfr_reader_compression(back), (enum tfr_compression)c);
		tfr_reader_close(back);
		tfr_reader_close(r);
		cr_assert_eq(tfr_count_records("f", NULL, &n, NULL), TFR_OK);
		cr_assert_eq(n, 500);
	}
	tfr_buf_clear(&raw);
}

Test(record, many_at_once_are_those_one_by_one)
{
	static const size_t blocks[] = { 64, 1000, 4096, 1 << 20 }, most[] = { 1, 7, 1000 };
	struct tfr_buf raw = many(500, 6);
	struct tfr_record recs[1000], one;
	size_t count;

	for (size_t i = 0; i < 12; i++) {
		struct tfr_reader_opts opts = { .block_size = blocks[i / 3] };
		struct tfr_reader *a = NULL, *b = NULL;
		enum tfr_status status;

		cr_assert_eq(tfr_reader_open_memory(&a, raw.data, raw.size, &opts, NULL), TFR_OK);
		cr_assert_eq(tfr_reader_open_memory(&b, raw.data, raw.size, NULL, NULL), TFR_OK);
		while (!(status = tfr_reader_next_many(a, recs, most[i % 3], &count, NULL))) {
			cr_assert(count >= 1 && count <= most[i % 3]);
			for (size_t j = 0; j < count; j++) {
				cr_assert_eq(tfr_reader_next(b, &one, NULL), TFR_OK);
				cr_assert_eq(recs[j].index, one.index);
				cr_assert_eq(recs[j].offset, one.offset);
				cr_assert_eq(recs[j].size, one.size);
				cr_assert_arr_eq(recs[j].data, one.data, one.size);
			}
		}
		cr_assert_eq(status, TFR_END);
		cr_assert_eq(count, 0);
		cr_assert_eq(tfr_reader_next(b, &one, NULL), TFR_END);
		tfr_reader_close(a);
		tfr_reader_close(b);
	}
	tfr_buf_clear(&raw);
}

static struct tfr_buf three(void)
{
	struct tfr_buf b = { 0 };

	frame(&b, "first", 5);
	frame(&b, "", 0);
	frame(&b, "the third", 9);
	return b;
}

Test(record, every_flipped_bit_is_a_fault)
{
	struct tfr_buf b = three();
	uint64_t n;

	for (size_t at = 0; at < b.size; at++) {
		for (int bit = 0; bit < 8; bit++) {
			enum tfr_status status;

			b.data[at] ^= (uint8_t)(1 << bit);
			status = read_memory(b.data, b.size, 0, &n, NULL);
			cr_assert(status == TFR_EDATA || status == TFR_EFORMAT, "byte %zu bit %d",
				at, bit);
			b.data[at] ^= (uint8_t)(1 << bit);
		}
	}
	tfr_buf_clear(&b);
}

Test(record, every_truncation_is_a_fault)
{
	struct tfr_buf b = three();
	struct tfr_error err;
	uint64_t n, counted;

	for (size_t size = 0; size <= b.size; size++) {
		bool whole = size == 0 || size == 21 || size == 37 || size == b.size;
		enum tfr_status status = read_memory(b.data, size, 0, &n, &err);

		cr_assert_eq(status == TFR_END, whole, "%zu bytes", size);
		temp_write("cut", b.data, size);
		cr_assert_eq(tfr_count_records("cut", NULL, &counted, &err) == TFR_OK, whole,
			"%zu bytes", size);
		if (!whole) {
			cr_assert(err.status == TFR_EDATA);
			cr_assert_eq(err.record, n);
			cr_assert_eq(err.offset, n == 0 ? 0 : n == 1 ? 21 : 37);
		}
	}
	tfr_buf_clear(&b);
}

Test(record, one_to_eleven_trailing_bytes_are_a_fault)
{
	struct tfr_buf b = three();
	struct tfr_error err;
	size_t whole = b.size;
	uint64_t n;

	for (size_t extra = 1; extra <= 30; extra++) {
		b.size = whole;
		for (size_t i = 0; i < extra; i++)
			tfr_buf_append(&b, "", 1);
		cr_assert_eq(read_memory(b.data, b.size, 0, &n, &err), TFR_EDATA);
		cr_assert_eq(n, 3);
		cr_assert_eq(err.offset, whole);
	}
	tfr_buf_clear(&b);
}

Test(record, many_at_once_end_at_a_fault)
{
	struct tfr_buf b = three();
	struct tfr_record recs[4];
	struct tfr_reader *r = NULL;
	struct tfr_error err;
	size_t count;

	b.data[b.size - 1] ^= 1;
	frame(&b, "fourth", 6);
	cr_assert_eq(tfr_reader_open_memory(&r, b.data, b.size, NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_reader_next_many(r, recs, 4, &count, &err), TFR_EDATA);
	cr_assert_eq(count, 2);
	cr_assert_arr_eq(recs[0].data, "first", 5);
	cr_assert_eq(err.record, 2);
	cr_assert_eq(tfr_reader_fault(r), TFR_FAULT_PAYLOAD);
	cr_assert_eq(tfr_reader_next_many(r, recs, 4, &count, &err), TFR_OK);
	cr_assert_eq(count, 1);
	cr_assert_eq(recs[0].index, 3);
	cr_assert_eq(tfr_reader_next_many(r, recs, 4, &count, &err), TFR_END);
	tfr_reader_close(r);
	tfr_buf_clear(&b);
}

static struct tfr_buf forged(uint64_t length)
{
	struct tfr_buf b = { 0 };
	uint8_t head[12];

	frame(&b, "good", 4);
	tfr_store64(head, length);
	tfr_store32(head + 8, tfr_crc_mask(tfr_crc32c(0, head, 8)));
	tfr_buf_append(&b, head, 12);
	frame(&b, "after", 5);
	return b;
}

Test(record, a_forged_length_allocates_nothing)
{
	uint64_t n;

#ifndef __SANITIZE_ADDRESS__ /* which maps terabytes for itself */
	setrlimit(RLIMIT_AS, &(struct rlimit){ (rlim_t)1 << 30, (rlim_t)1 << 30 });
#endif
	for (int power = 33; power <= 64; power++) {
		uint64_t length = power == 64 ? UINT64_MAX : (uint64_t)1 << power;
		struct tfr_buf b = forged(length - (power % 3 == 0));
		struct tfr_error err;
		int pipe_fds[2];
		char name[32];
		struct tfr_reader *r = NULL;

		cr_assert_eq(read_memory(b.data, b.size, 0, &n, &err), TFR_EDATA, "2^%d", power);
		cr_assert_eq(n, 1);
		cr_assert_eq(err.offset, 20);
		temp_write("forged", b.data, b.size);
		cr_assert_eq(tfr_count_records("forged", NULL, &n, &err), TFR_EDATA);
		/* A pipe has no size to hold the claim against. */
		cr_assert_eq(pipe(pipe_fds), 0);
		cr_assert_eq(write(pipe_fds[1], b.data, b.size), (ssize_t)b.size);
		close(pipe_fds[1]);
		snprintf(name, sizeof(name), "/dev/fd/%d", pipe_fds[0]);
		cr_assert_eq(tfr_reader_open(&r, name, NULL, NULL), TFR_OK);
		cr_assert_eq(read_all(r, &n, &err), TFR_EDATA);
		cr_assert_eq(n, 1);
		tfr_reader_close(r);
		close(pipe_fds[0]);
		tfr_buf_clear(&b);
	}
}

Test(record, plain_wins_over_a_header_that_looks_like_zlib)
{
	struct tfr_buf b = { 0 };
	static char payload[40056];
	uint64_t n;

	frame(&b, payload, sizeof(payload)); /* 40056 = 0x9c78: the file starts 78 9c */
	cr_assert_eq(b.data[0], 0x78);
	cr_assert_eq(b.data[1], 0x9c);
	cr_assert_eq(read_memory(b.data, b.size, 0, &n, NULL), TFR_END);
	cr_assert_eq(n, 1);
	tfr_buf_clear(&b);
}

Test(record, other_files_are_named)
{
	static const struct {
		const char *bytes, *message;
	} cases[] = {
		{ "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
			"a git-lfs pointer" },
		{ "\xff\xd8\xff\xe0 0123456789", "a JPEG image" },
		{ "PK\x03\x04 0123456789", "a zip archive" },
		{ "<!DOCTYPE html><html></html>", "an HTML page" },
		{ "  <HTML>\n<body>....", "an HTML page" },
		{ "BZh9 0123456789", "a bzip2 file" },
		{ "\x28\xb5\x2f\xfd 0123456789", "a zstd file" },
		{ "name,label\na,1\nb,2\n", "a text file" },
		{ "short", "a text file" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_error err = { 0 };
		uint64_t n;

		cr_assert_eq(read_memory(cases[i].bytes, strlen(cases[i].bytes), 0, &n, &err),
			TFR_EFORMAT);
		cr_assert_not_null(strstr(err.message, cases[i].message), "%s", err.message);
	}
}

Test(record, reading_goes_on_behind_a_damaged_payload)
{
	struct tfr_buf b = three();
	struct tfr_reader *r = NULL;
	struct tfr_record rec;

	b.data[13] ^= 1;
	cr_assert_eq(tfr_reader_open_memory(&r, b.data, b.size, NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_EDATA);
	cr_assert_eq(tfr_reader_fault(r), TFR_FAULT_PAYLOAD);
	cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_OK);
	cr_assert_eq(rec.index, 1);
	cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_OK);
	cr_assert_eq(rec.size, 9);
	cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_END);
	tfr_reader_close(r);
	tfr_buf_clear(&b);
}

/* Whatever 1 to 40 bytes are overwritten, inserted or removed anywhere: every record that was not
 * touched is found again. */
Test(record, resync_finds_every_record_that_was_not_touched)
{
	struct tfr_buf raw = many(60, 8), broken = { 0 };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 9, 0);
	for (int round = 0; round < 300; round++) {
		size_t at = (size_t)tfr_rng_below(&rng, raw.size - 100),
		       n = 1 + (size_t)tfr_rng_below(&rng, 40);
		struct tfr_reader_opts opts = { .block_size = round % 2 ? 4096 : 0 };
		struct tfr_reader *r = NULL;
		struct tfr_record rec;
		uint64_t good = 0, lost, lost_total = 0;
		enum tfr_status status;

		broken.size = 0;
		tfr_buf_append(&broken, raw.data, raw.size);
		if (round % 2) {
			memset(broken.data + at, 0x5a, n);
		} else {
			memmove(broken.data + at, broken.data + at + n, broken.size - at - n);
			broken.size -= n;
		}
		cr_assert_eq(
			tfr_reader_open_memory(&r, broken.data, broken.size, &opts, NULL), TFR_OK);
		for (;;) {
			status = tfr_reader_next(r, &rec, NULL);
			if (status == TFR_OK) {
				good++;
			} else if (status == TFR_END) {
				break;
			} else if (tfr_reader_fault(r) == TFR_FAULT_LENGTH ||
				   tfr_reader_fault(r) == TFR_FAULT_CUT) {
				if (tfr_reader_resync(r, &lost, NULL) == TFR_END)
					break;
				lost_total += lost;
			}
		}
		cr_assert_leq(lost_total, broken.size);
		cr_assert_geq(good, 60 - 1 - n / 16 - 1);
		tfr_reader_close(r);
	}
	tfr_buf_clear(&raw);
	tfr_buf_clear(&broken);
}

/* Headers that overlap, each with a length of half the file: to read every payload would be
 * 6 * 10^12 bytes.  What comes after them is found. */
static void resync_overlapping(bool in_memory, uint64_t length)
{
	enum { FORGED = 1 << 20 };
	struct tfr_buf b = { 0 };
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	uint64_t lost = 0;

	for (size_t i = 0; i < FORGED; i++) {
		uint8_t header[TFR_RECORD_HEADER];

		tfr_put_header(header, length);
		tfr_buf_append(&b, header, sizeof(header));
	}
	tfr_buf_append(&b, "x", 1); /* no length ends at a header */
	frame(&b, "first", 5);
	frame(&b, "second", 6);
	temp_write("forged", b.data, b.size);
	if (in_memory)
		cr_assert_eq(tfr_reader_open_memory(&r, b.data, b.size, NULL, NULL), TFR_OK);
	else
		cr_assert_eq(tfr_reader_open(&r, "forged", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_EDATA);
	while (tfr_reader_fault(r) == TFR_FAULT_PAYLOAD) /* believed once, as the first of all */
		cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_EDATA);
	cr_assert_eq(tfr_reader_resync(r, &lost, NULL), TFR_OK);
	cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_OK);
	cr_assert(rec.size == 5 && !memcmp(rec.data, "first", 5));
	cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_OK);
	cr_assert(rec.size == 6 && !memcmp(rec.data, "second", 6));
	cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_END);
	tfr_reader_close(r);
	tfr_buf_clear(&b);
}

Test(record, overlapping_headers_cost_no_more_than_the_file)
{
	resync_overlapping(false, (6 << 20) + 1);
	resync_overlapping(false, (2 << 20) + 3);
	resync_overlapping(true, (6 << 20) + 1);
}

/* PATH_MAX counts the NUL: a path of 4,095 bytes fills the error's path. */
Test(record, a_path_of_any_length_ends)
{
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	struct tfr_error err;
	char path[4096];

	for (size_t i = 0; i < 4094; i++)
		path[i] = "./"[i % 2];
	strcpy(path + 4094, "a");
	temp_write("a", "\1\2\3\4\5\6\7\0\1\2\3\4\5\6\7", 15);
	cr_assert_eq(
		tfr_reader_open(&r, path,
			&(struct tfr_reader_opts){ .compression = TFR_COMPRESSION_NONE }, NULL),
		TFR_OK);
	memset(&err, 'x', sizeof(err));
	cr_assert_eq(tfr_reader_next(r, &rec, &err), TFR_EDATA);
	cr_assert(strlen(tfr_error_path(&err)) > 800);
	cr_assert_str_eq(tfr_error_path(&err) + strlen(tfr_error_path(&err)) - 3, "./a");
	tfr_reader_close(r);
}
