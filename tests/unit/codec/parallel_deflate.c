/* Streams in segments: their borders, their points, what shares a deflater. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/rng.h"
#include "codec/codec.h"
#include "codec/parallel_deflate.h"

enum { SEGMENT = 4096 };

struct made {
	struct tfr_buf bytes;
	uint64_t points[100][2];
	size_t count;
	size_t room; /* emit() fails beyond it; 0: never */
};

static enum tfr_status emit(void *ctx, const void *bytes, size_t size, struct tfr_error *err)
{
	struct made *m = ctx;

	if (m->room && m->bytes.size + size > m->room)
		return tfr_fail(err, TFR_ESYS, "full");
	cr_assert(tfr_buf_append(&m->bytes, bytes, size));
	return TFR_OK;
}

static bool point(void *ctx, uint64_t compressed, uint64_t uncompressed)
{
	struct made *m = ctx;

	m->points[m->count][0] = compressed;
	m->points[m->count++][1] = uncompressed;
	return true;
}

static uint8_t *sample(size_t size, uint64_t seed)
{
	uint8_t *p = malloc(size + 1);
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	for (size_t i = 0; i < size; i++)
		p[i] = (uint8_t)("abcdefgh"[tfr_rng_below(&r, 8)] + (tfr_rng_below(&r, 50) == 0));
	return p;
}

static struct tfr_parallel_deflate *new_press(
	enum tfr_compression c, int level, unsigned threads, uint32_t streams)
{
	struct tfr_parallel_deflate_opts opts = { c, level, threads, streams, SEGMENT };
	struct tfr_parallel_deflate *p = NULL;

	cr_assert_eq(tfr_parallel_deflate_new(&p, &opts, NULL), TFR_OK);
	return p;
}

/* `unit` bytes at a time, each marked. */
static void make(struct made *m, struct tfr_parallel_deflate *p, const uint8_t *raw, size_t size, size_t unit)
{
	struct tfr_deflate_sink sink = { emit, point, m };
	struct tfr_deflate_stream *s = NULL;

	cr_assert_eq(tfr_deflate_stream_open(&s, p, &sink, NULL), TFR_OK);
	for (size_t at = 0, n; at < size; at += n) {
		n = size - at < unit ? size - at : unit;
		cr_assert_eq(tfr_deflate_stream_mark(s, n, NULL), TFR_OK);
		cr_assert_eq(tfr_deflate_stream_put(s, raw + at, n / 3, NULL), TFR_OK);
		cr_assert_eq(tfr_deflate_stream_put(s, raw + at + n / 3, n - n / 3, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_deflate_stream_end(s, NULL), TFR_OK);
	tfr_deflate_stream_close(s);
}

/* By zlib: one stream to its end, and nothing behind it. */
static void is_one_stream_of(const struct made *m, int bits, const uint8_t *raw, size_t size)
{
	z_stream z = { .next_in = m->bytes.data, .avail_in = (uInt)m->bytes.size };
	uint8_t *back = malloc(size + 1);

	cr_assert_eq(inflateInit2(&z, bits), Z_OK);
	z.next_out = back;
	z.avail_out = (uInt)size + 1;
	cr_assert_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	cr_assert_eq(z.total_out, size);
	cr_assert_eq(z.avail_in, 0);
	cr_assert(!memcmp(back, raw, size));
	inflateEnd(&z);
	free(back);
}

static void clear(struct made *m)
{
	tfr_buf_clear(&m->bytes);
	*m = (struct made){ 0 };
}

Test(deflater, sizes_around_the_borders_at_every_level)
{
	static const size_t sizes[] = { 0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1,
		SEGMENT * 5 / 4 - 1, SEGMENT * 5 / 4, SEGMENT * 5 / 4 + 1, 2 * SEGMENT,
		7 * SEGMENT + 3 };
	uint8_t *raw = sample(8 * SEGMENT, 1);

	for (int level = 1; level <= 9; level++) {
		for (int c = TFR_COMPRESSION_GZIP; c <= TFR_COMPRESSION_ZLIB; c++) {
			struct tfr_parallel_deflate *p = new_press(c, level, 2, 1);

			for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
				struct made m = { 0 };

				make(&m, p, raw, sizes[i], i % 2 ? 100 : 100000);
				is_one_stream_of(
					&m, c == TFR_COMPRESSION_GZIP ? 31 : 15, raw, sizes[i]);
				clear(&m);
			}
			tfr_parallel_deflate_free(p);
		}
	}
	free(raw);
}

Test(deflater, cuts_where_units_end)
{
	static const size_t units[] = { 1, 100, 1500, 3000, 4096, 5000 };
	uint8_t *raw = sample(20 * SEGMENT, 2);
	struct tfr_parallel_deflate *p = new_press(TFR_COMPRESSION_GZIP, 2, 1, 1);
	struct made m = { 0 };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		make(&m, p, raw, 20 * SEGMENT, units[i]);
		cr_assert_geq(m.count, 10);
		for (size_t k = 0; k < m.count; k++)
			cr_assert_eq(m.points[k][1] % units[i], 0, "%zu", units[i]);
		clear(&m);
	}
	/* One that is larger than a segment is cut within, and memory stays bounded. */
	make(&m, p, raw, 20 * SEGMENT, 20 * SEGMENT);
	cr_assert_eq(m.count, 15);
	for (size_t k = 0; k < m.count; k++)
		cr_assert_eq(m.points[k][1], (k + 1) * SEGMENT * 5 / 4);
	clear(&m);
	tfr_parallel_deflate_free(p);
	free(raw);
}

Test(deflater, each_point_can_be_begun_at)
{
	static const uint8_t flush[] = { 0, 0, 0xff, 0xff, 0, 0, 0, 0xff, 0xff };
	size_t size = 20 * SEGMENT;
	uint8_t *raw = sample(size, 3), *back = malloc(size + 1);

	for (int level = 1; level <= 9; level++) {
		struct tfr_parallel_deflate *p = new_press(TFR_COMPRESSION_GZIP, level, 3, 1);
		struct made m = { 0 };

		make(&m, p, raw, size, 300);
		for (size_t i = 0; i < m.count; i++) {
			const uint8_t *at = m.bytes.data + m.points[i][0];
			struct tfr_codec_io io = { at, m.bytes.size - m.points[i][0], back,
				size + 1 };
			struct tfr_inflate *z = NULL;

			cr_assert_arr_eq(at - sizeof(flush), flush, sizeof(flush));
			cr_assert_eq(tfr_inflate_new_within(&z, NULL), TFR_OK);
			cr_assert_eq(tfr_inflate_run(z, &io, NULL), TFR_OK);
			cr_assert(tfr_inflate_at_trailer(z));
			cr_assert_eq(size + 1 - io.out_size, size - m.points[i][1]);
			cr_assert(!memcmp(back, raw + m.points[i][1], size - m.points[i][1]));
			tfr_inflate_trust(z);
			cr_assert_eq(tfr_inflate_run(z, &io, NULL), TFR_OK);
			cr_assert(tfr_inflate_at_end(z));
			cr_assert_eq(io.in_size, 0);
			tfr_inflate_free(z);
		}
		clear(&m);
		tfr_parallel_deflate_free(p);
	}
	free(raw);
	free(back);
}

/* One inflater up to a point, another from there: the trailer is that of both, and is checked. */
Test(deflater, what_is_joined_is_checked)
{
	size_t size = 10 * SEGMENT;
	uint8_t *raw = sample(size, 4), *back = malloc(size + 1);
	struct tfr_parallel_deflate *p = new_press(TFR_COMPRESSION_GZIP, 1, 1, 1);
	struct made m = { 0 };

	make(&m, p, raw, size, 300);
	for (int damage = 0; damage <= 8; damage++) {
		uint64_t at = m.points[3][0];
		size_t flip = damage ? m.bytes.size - (size_t)damage : 0;
		struct tfr_codec_io io = { m.bytes.data, at, back, size + 1 };
		struct tfr_inflate *before = NULL, *z = NULL;
		enum tfr_status status;

		m.bytes.data[flip] ^= damage ? 1 : 0;
		cr_assert_eq(tfr_inflate_new(&before, TFR_COMPRESSION_GZIP, NULL), TFR_OK);
		cr_assert_eq(tfr_inflate_new_within(&z, NULL), TFR_OK);
		cr_assert_not(tfr_inflate_at_flush(before));
		cr_assert_eq(tfr_inflate_run(before, &io, NULL), TFR_OK);
		cr_assert(tfr_inflate_at_flush(before));
		io.in_size = m.bytes.size - at;
		status = tfr_inflate_run(z, &io, NULL);
		cr_assert_eq(status, TFR_OK);
		tfr_inflate_join(z, before);
		status = tfr_inflate_run(z, &io, NULL);
		cr_assert_eq(status, damage ? TFR_EDATA : TFR_OK, "%d", damage);
		cr_assert_eq(tfr_inflate_at_end(z), !damage);
		m.bytes.data[flip] ^= damage ? 1 : 0;
		tfr_inflate_free(before);
		tfr_inflate_free(z);
	}
	clear(&m);
	tfr_parallel_deflate_free(p);
	free(raw);
	free(back);
}

Test(deflater, a_failure_to_write_is_told_to_who_puts)
{
	uint8_t *raw = sample(40 * SEGMENT, 5);

	for (unsigned threads = 1; threads < 4; threads++) {
		struct tfr_parallel_deflate *p = new_press(TFR_COMPRESSION_GZIP, 6, threads, 1);
		struct made m = { .room = 5 * SEGMENT };
		struct tfr_deflate_sink sink = { .emit = emit, .ctx = &m };
		struct tfr_error err = { 0 };
		struct tfr_deflate_stream *s = NULL;
		enum tfr_status status = TFR_OK;

		cr_assert_eq(tfr_deflate_stream_open(&s, p, &sink, NULL), TFR_OK);
		for (size_t at = 0; !status && at < 40 * SEGMENT; at += 1024)
			status = tfr_deflate_stream_put(s, raw + at, 1024, &err);
		if (!status)
			status = tfr_deflate_stream_end(s, &err);
		cr_assert_eq(status, TFR_ESYS);
		cr_assert_str_eq(err.message, "full");
		tfr_deflate_stream_close(s); /* with segments in flight */
		tfr_parallel_deflate_free(p);
		clear(&m);
	}
	free(raw);
}

Test(deflater, levels_are_from_1_to_9)
{
	struct tfr_parallel_deflate_opts opts = { TFR_COMPRESSION_GZIP, 10, 1, 1, 0 };
	struct tfr_parallel_deflate *p = NULL;

	cr_assert_eq(tfr_parallel_deflate_new(&p, &opts, NULL), TFR_EUSAGE);
}

/* ISA-L hashes the address of its stream, in units of 64 KiB, into as many places as twice the input
 * has bytes: each of them occurs among these addresses. */
enum { ADDRESSES = 2048, STEP = 64 << 10 };

Test(deflater, bytes_do_not_depend_on_the_address_of_the_state)
{
	size_t size = (size_t)(ADDRESSES + 8) * STEP;
	uint8_t *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint8_t raw[500];
	struct tfr_rng r;

	cr_assert_neq(at, MAP_FAILED);
	tfr_rng_init(&r, 5, 0);
	for (size_t i = 0; i < sizeof(raw); i++)
		raw[i] = (uint8_t)tfr_rng_below(&r, 256);
	memcpy(raw + 400, raw + 1, 60); /* the second position has a match */
	for (int level = 1; level <= 9; level++) {
		const struct tfr_deflate_ops *ops = tfr_deflate_find(level);
		struct tfr_buf first = { 0 }, other = { 0 };

		cr_assert_leq(ops->state_size, (size_t)8 * STEP);
		for (size_t i = 0; i < ADDRESSES; i++) {
			struct tfr_buf *out = i ? &other : &first;
			void *state = at + i * STEP;

			out->size = 0;
			cr_assert_eq(ops->init(state, level, NULL), TFR_OK);
			cr_assert_eq(ops->segment(state, raw, sizeof(raw), true, out, NULL), TFR_OK);
			ops->clear(state);
			madvise(state, ops->state_size, MADV_DONTNEED);
			cr_assert(out->size == first.size && !memcmp(out->data, first.data, first.size),
				"level %d, address %p", level, state);
		}
		tfr_buf_clear(&first);
		tfr_buf_clear(&other);
	}
	munmap(at, size);
}
