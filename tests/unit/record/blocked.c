/* GZIP in segments: read by several threads as by one, whatever the file. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <tfr-private/record.h>

#include "base/buf.h"
#include "base/rng.h"
#include "codec/parallel_deflate.h"
#include "record/framing.h"
#include "record/gzi.h"

/* --- making files --- */

static void add_record(struct tfr_buf *b, const void *payload, size_t size)
{
	uint8_t head[TFR_RECORD_HEADER], foot[TFR_RECORD_FOOTER];
	struct iovec piece = { (void *)(uintptr_t)payload, size };
	struct tfr_digest d;

	tfr_digest_pieces(&piece, 1, &d);
	tfr_put_header(head, size);
	tfr_store32(foot, tfr_crc_mask(d.crc));
	cr_assert(tfr_buf_append(b, head, sizeof(head)) && tfr_buf_append(b, payload, size) &&
		  tfr_buf_append(b, foot, sizeof(foot)));
}

/* Records of `size` random bytes of which one in `repeat` begins a run. */
static struct tfr_buf records(size_t bytes, size_t size, unsigned repeat, uint64_t seed)
{
	struct tfr_buf b = { 0 };
	struct tfr_rng rng;
	uint8_t *payload = malloc(size);

	tfr_rng_init(&rng, seed, 0);
	while (b.size < bytes) {
		for (size_t i = 0; i < size; i++)
			payload[i] = i && tfr_rng_below(&rng, repeat)
					     ? payload[i - 1]
					     : (uint8_t)tfr_rng_below(&rng, 256);
		add_record(&b, payload, size);
	}
	free(payload);
	return b;
}

static enum tfr_status append(void *ctx, const void *bytes, size_t size, struct tfr_error *err)
{
	(void)err;
	cr_assert(tfr_buf_append(ctx, bytes, size));
	return TFR_OK;
}

/* A member appended to `out`, cut where records end. */
static void deflate_all(
	struct tfr_buf *out, const struct tfr_buf *raw, int level, size_t segment, unsigned threads)
{
	struct tfr_parallel_deflate_opts opts = { .compression = TFR_COMPRESSION_GZIP,
		.level = level,
		.threads = threads,
		.segment = segment };
	struct tfr_deflate_sink sink = { .emit = append, .ctx = out };
	struct tfr_parallel_deflate *p = NULL;
	struct tfr_deflate_stream *z = NULL;

	cr_assert_eq(tfr_parallel_deflate_new(&p, &opts, NULL), TFR_OK);
	cr_assert_eq(tfr_deflate_stream_open(&z, p, &sink, NULL), TFR_OK);
	for (size_t at = 0, size; at < raw->size; at += size) {
		size = (size_t)tfr_load64(raw->data + at) + TFR_RECORD_OVERHEAD;
		cr_assert_eq(tfr_deflate_stream_mark(z, size, NULL), TFR_OK);
		cr_assert_eq(tfr_deflate_stream_put(z, raw->data + at, size, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_deflate_stream_end(z, NULL), TFR_OK);
	tfr_deflate_stream_close(z);
	tfr_parallel_deflate_free(p);
}

/* zlib's, flushed as `flush` every `step` bytes, twice; level 0 stores. */
static void deflate_with_flushes(
	struct tfr_buf *out, const uint8_t *raw, size_t size, int level, int flush, size_t step)
{
	z_stream z = { 0 };
	size_t room = size + size / 8 + 4096 + size / step * 32;

	cr_assert(tfr_buf_reserve(out, room));
	cr_assert_eq(deflateInit2(&z, level, Z_DEFLATED, 31, 8, 0), Z_OK);
	z.next_out = out->data + out->size;
	z.avail_out = (uInt)room;
	for (size_t at = 0; at < size; at += step) {
		z.next_in = (Bytef *)(uintptr_t)(raw + at);
		z.avail_in = (uInt)(size - at < step ? size - at : step);
		cr_assert_eq(deflate(&z, flush), Z_OK);
		/* zlib leaves a second flush out: a block of nothing, by hand. */
		memcpy(z.next_out, "\0\0\0\377\377", 5);
		z.next_out += 5;
		z.avail_out -= 5;
	}
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->size = (size_t)(z.next_out - out->data);
	deflateEnd(&z);
}

/* --- reading --- */

/* All that a reader says of the file, as text. */
static struct tfr_buf events(const uint8_t *data, size_t size, unsigned threads, size_t block)
{
	struct tfr_reader_opts opts = { .threads = threads, .block_size = block };
	struct tfr_reader *r = NULL;
	struct tfr_buf out = { 0 };
	enum tfr_status status;
	struct tfr_record rec;
	uint64_t lost;

	do {
		struct tfr_error err = { 0 };

		status = r ? tfr_reader_next(r, &rec, &err)
			   : tfr_reader_open_memory(&r, data, size, &opts, &err);
		if (status)
			tfr_buf_printf(&out, "%d %d %s %llu %llu\n", status,
				r ? (int)tfr_reader_fault(r) : -1, err.message,
				(unsigned long long)err.record, (unsigned long long)err.offset);
		else if (out.size)
			tfr_buf_printf(&out, "%llu %llu %zu %x\n", (unsigned long long)rec.index,
				(unsigned long long)rec.offset, rec.size, rec.crc);
		else
			tfr_buf_printf(&out, "open\n");
		if (status == TFR_EDATA && (tfr_reader_fault(r) == TFR_FAULT_LENGTH ||
						   tfr_reader_fault(r) == TFR_FAULT_CUT)) {
			status = tfr_reader_resync(r, &lost, NULL);
			tfr_buf_printf(&out, "lost %llu\n", (unsigned long long)lost);
		} else if (status == TFR_EDATA && tfr_reader_fault(r) == TFR_FAULT_PAYLOAD) {
			status = TFR_OK;
		}
	} while (!status);
	if (r) {
		struct tfr_members m = tfr_reader_members(r);

		tfr_buf_printf(&out, "members %llu %llu %llu %d\n", (unsigned long long)m.count,
			(unsigned long long)m.empty, (unsigned long long)m.bytes, m.trailing);
	}
	tfr_reader_close(r);
	tfr_buf_append(&out, "", 1);
	return out;
}

static void same_for_all(const uint8_t *data, size_t size, const char *what, size_t n)
{
	struct tfr_buf one = events(data, size, 1, 0);

	for (unsigned threads = 2; threads <= 4; threads += 2) {
		struct tfr_buf many = events(data, size, threads, threads == 2 ? 0 : 1000);

		if (many.size != one.size || memcmp(many.data, one.data, one.size)) {
			size_t tail = one.size < 300 ? 0 : one.size - 300,
			       tail_many = many.size < 300 ? 0 : many.size - 300;
			cr_assert_fail("%s %zu: one thread\n%s\n%u threads\n%s", what, n,
				(char *)one.data + tail, threads, (char *)many.data + tail_many);
		}
		tfr_buf_clear(&many);
	}
	tfr_buf_clear(&one);
}

static uint64_t count(const uint8_t *data, size_t size, unsigned threads)
{
	struct tfr_reader_opts opts = { .threads = threads };
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	enum tfr_status status = tfr_reader_open_memory(&r, data, size, &opts, NULL);
	uint64_t n = 0;

	while (!status && !(status = tfr_reader_next(r, &rec, NULL)))
		n++;
	cr_assert_eq(status, TFR_END);
	tfr_reader_close(r);
	return n;
}

enum { SEGMENT = 60 << 10 };

Test(blocked, reads_whole_at_every_level)
{
	struct tfr_buf raw = records(700 << 10, 1000, 2, 1);

	for (int level = 1; level <= 9; level++) {
		struct tfr_buf z = { 0 };

		deflate_all(&z, &raw, level, SEGMENT, 2);
		same_for_all(z.data, z.size, "level", (size_t)level);
		cr_assert_eq(count(z.data, z.size, 3), raw.size / 1016);
		tfr_buf_clear(&z);
	}
	tfr_buf_clear(&raw);
}

Test(blocked, records_larger_than_a_segment)
{
	struct tfr_buf raw = records(900 << 10, 200 << 10, 1, 2), z = { 0 };

	deflate_all(&z, &raw, 2, SEGMENT, 2);
	same_for_all(z.data, z.size, "large", 0);
	cr_assert_eq(count(z.data, z.size, 3), 5);
	tfr_buf_clear(&z);
	tfr_buf_clear(&raw);
}

Test(blocked, every_end_of_a_truncated_file_is_the_same)
{
	struct tfr_buf raw = records(300 << 10, 700, 2, 3), z = { 0 };

	deflate_all(&z, &raw, 1, SEGMENT, 1);
	for (size_t n = 0; n < z.size; n += n < 40 || n + 40 > z.size ? 1 : 577)
		same_for_all(z.data, n, "cut at", n);
	/* Around each flush point, byte by byte. */
	for (size_t i = 0; i + 9 <= z.size; i++)
		if (!memcmp(z.data + i, "\0\0\377\377\0\0\0\377\377", 9))
			for (size_t n = i; n < i + 14; n++)
				same_for_all(z.data, n, "cut at", n);
	tfr_buf_clear(&z);
	tfr_buf_clear(&raw);
}

Test(blocked, every_flipped_byte_is_the_same)
{
	struct tfr_buf raw = records(300 << 10, 700, 2, 4), z = { 0 };
	size_t seen = 0;

	deflate_all(&z, &raw, 2, SEGMENT, 1);
	for (size_t n = 0; n < z.size; n += n < 16 || n + 12 > z.size ? 1 : 331, seen++) {
		uint8_t flip = (uint8_t)(1u << seen % 8);

		z.data[n] ^= flip;
		same_for_all(z.data, z.size, "flipped", n);
		z.data[n] ^= flip;
	}
	for (size_t i = 0; i + 9 <= z.size; i++) {
		if (memcmp(z.data + i, "\0\0\377\377\0\0\0\377\377", 9))
			continue;
		for (size_t n = i - 3; n < i + 14; n++) {
			for (int bit = 0; bit < 8; bit += 3) {
				z.data[n] ^= (uint8_t)(1u << bit);
				same_for_all(z.data, z.size, "flipped", n);
				z.data[n] ^= (uint8_t)(1u << bit);
			}
		}
		i += 13;
	}
	tfr_buf_clear(&z);
	tfr_buf_clear(&raw);
}

Test(blocked, the_pattern_within_stored_data_deceives_nobody)
{
	static const uint8_t pattern[] = { 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0xff, 0xff };
	struct tfr_buf raw = { 0 }, z = { 0 };
	uint8_t *payload = malloc(100000);

	for (size_t i = 0; i < 100000; i++)
		payload[i] = pattern[i % sizeof(pattern)];
	for (int i = 0; i < 20; i++)
		add_record(&raw, payload, 100000 - (size_t)i);
	deflate_with_flushes(&z, raw.data, raw.size, 0, Z_FULL_FLUSH, 77777);
	same_for_all(z.data, z.size, "stored", 0);
	cr_assert_eq(count(z.data, z.size, 3), 20);
	for (size_t n = 0; n < z.size; n += 9973)
		same_for_all(z.data, n, "stored, cut at", n);
	free(payload);
	tfr_buf_clear(&z);
	tfr_buf_clear(&raw);
}

/* Points that look like ours and are none: what follows refers to what lies before. */
Test(blocked, flushes_that_are_not_full)
{
	struct tfr_buf part = records(50 << 10, 9000, 1, 5), raw = { 0 };

	for (int i = 0; i < 10; i++) /* each 50 KiB hold what the 30 KiB before them held */
		tfr_buf_append(&raw, part.data, 3 * 9016);
	for (int flush = 0; flush < 2; flush++) {
		struct tfr_buf z = { 0 };

		deflate_with_flushes(&z, raw.data, raw.size, 1, flush ? Z_FULL_FLUSH : Z_SYNC_FLUSH,
			3 * 9016 + 5000);
		same_for_all(z.data, z.size, "flush", (size_t)flush);
		cr_assert_eq(count(z.data, z.size, 3), 30);
		tfr_buf_clear(&z);
	}
	tfr_buf_clear(&raw);
	tfr_buf_clear(&part);
}

Test(blocked, members_with_and_without_points_one_after_another)
{
	struct tfr_buf raw = records(200 << 10, 800, 2, 6), small = records(3000, 800, 2, 7),
		       empty = { 0 }, z = { 0 };

	deflate_all(&z, &raw, 1, SEGMENT, 2);
	deflate_all(&z, &empty, 6, SEGMENT, 2);
	deflate_all(&z, &small, 6, SEGMENT, 2);
	deflate_all(&z, &raw, 5, SEGMENT, 2);
	deflate_all(&z, &empty, 1, SEGMENT, 2);
	deflate_all(&z, &raw, 2, SEGMENT, 2);
	same_for_all(z.data, z.size, "members", 0);
	cr_assert_eq(count(z.data, z.size, 3), (3 * raw.size + small.size) / 816);
	for (size_t n = 0; n < z.size; n += 3301)
		same_for_all(z.data, n, "members, cut at", n);
	for (size_t n = 0; n < z.size; n += 1511) {
		z.data[n] ^= 4;
		same_for_all(z.data, z.size, "members, flipped", n);
		z.data[n] ^= 4;
	}
	tfr_buf_append(&z, "this is no member", 17);
	same_for_all(z.data, z.size, "trailing bytes", 0);
	tfr_buf_clear(&raw);
	tfr_buf_clear(&small);
	tfr_buf_clear(&z);
}

/* 200 MB of zeros in 200 KB: no segment of it may be held in memory. */
Test(blocked, what_inflates_to_much_is_not_done_ahead)
{
	size_t size = 200 << 20;
	uint8_t *zeros = calloc(1, size);
	struct tfr_buf raw = { 0 }, z = { 0 };

	add_record(&raw, zeros, size);
	deflate_with_flushes(&z, raw.data, raw.size, 6, Z_FULL_FLUSH, 50 << 20);
	same_for_all(z.data, z.size, "bomb", 0);
	free(zeros);
	tfr_buf_clear(&raw);
	tfr_buf_clear(&z);
}

Test(blocked, bytes_do_not_depend_on_threads_nor_on_pieces)
{
	struct tfr_buf raw = records(500 << 10, 3333, 3, 8);

	for (int level = 1; level <= 9; level += level < 3 ? 1 : 3) {
		struct tfr_buf one = { 0 }, many = { 0 };

		deflate_all(&one, &raw, level, SEGMENT, 1);
		for (unsigned threads = 2; threads < 7; threads++) {
			many.size = 0;
			deflate_all(&many, &raw, level, SEGMENT, threads);
			cr_assert_eq(many.size, one.size, "level %d, %u threads: %zu bytes, not %zu",
				level, threads, many.size, one.size);
			cr_assert(!memcmp(many.data, one.data, one.size),
				"level %d, %u threads: other bytes", level, threads);
		}
		tfr_buf_clear(&one);
		tfr_buf_clear(&many);
	}
	tfr_buf_clear(&raw);
}

/* The pattern that tfr_find_full_flush() looks for, byte by byte. */
static size_t find_plainly(const uint8_t *p, size_t size, size_t least)
{
	for (size_t at = least > 9 ? least - 9 : 0; at + 9 <= size; at++)
		if (!memcmp(p + at, "\0\0\xff\xff\0\0\0\xff\xff", 9))
			return at + 9;
	return 0;
}

Test(blocked, flush_points_are_found_where_they_are)
{
	uint8_t data[400];
	struct tfr_rng r;

	tfr_rng_init(&r, 12, 0);
	for (int round = 0; round < 30000; round++) {
		size_t size = (size_t)tfr_rng_below(&r, sizeof(data) + 1), least;
		uint64_t noise = tfr_rng_below(&r, 40);

		for (size_t i = 0; i < size; i++)
			data[i] = tfr_rng_below(&r, 40) < noise ? (uint8_t)tfr_rng_u32(&r)
				  : tfr_rng_below(&r, 2)	? 0xff
								: 0;
		if (size > 9 && round % 2)
			memcpy(data + tfr_rng_below(&r, size - 8), "\0\0\xff\xff\0\0\0\xff\xff", 9);
		least = (size_t)tfr_rng_below(&r, size + 20);
		cr_assert_eq(
			tfr_find_full_flush(data, size, least), find_plainly(data, size, least));
	}
}
