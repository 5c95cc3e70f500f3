#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/rng.h"
#include "codec/codec.h"
#include "codec/parallel_deflate.h"

/* Text-like data: compressible, but not trivially. */
static struct tfr_buf sample(size_t size, uint64_t seed)
{
	struct tfr_buf b = { 0 };
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	while (b.size < size)
		tfr_buf_printf(&b, "%u ", (unsigned)tfr_rng_below(&r, 5000));
	b.size = size;
	return b;
}

static enum tfr_status append(void *ctx, const void *bytes, size_t size, struct tfr_error *err)
{
	(void)err;
	cr_assert(tfr_buf_append(ctx, bytes, size));
	return TFR_OK;
}

static struct tfr_buf deflated(
	enum tfr_compression c, int level, const struct tfr_buf *raw, size_t step)
{
	struct tfr_parallel_deflate_opts opts = { .compression = c, .level = level, .threads = 1 };
	struct tfr_buf b = { 0 };
	struct tfr_deflate_sink sink = { .emit = append, .ctx = &b };
	struct tfr_parallel_deflate *deflater = NULL;
	struct tfr_deflate_stream *z = NULL;

	cr_assert_eq(tfr_parallel_deflate_new(&deflater, &opts, NULL), TFR_OK);
	cr_assert_eq(tfr_deflate_stream_open(&z, deflater, &sink, NULL), TFR_OK);
	for (size_t at = 0; at < raw->size; at += step)
		cr_assert_eq(tfr_deflate_stream_put(z, raw->data + at,
				     raw->size - at < step ? raw->size - at : step, NULL),
			TFR_OK);
	cr_assert_eq(tfr_deflate_stream_end(z, NULL), TFR_OK);
	tfr_deflate_stream_close(z);
	tfr_parallel_deflate_free(deflater);
	return b;
}

/* Inflates in small steps; returns the status, the output in *out. */
static enum tfr_status inflated(enum tfr_compression c, const uint8_t *data, size_t size,
	size_t in_step, size_t out_step, struct tfr_buf *out, bool *at_end)
{
	struct tfr_inflate *z = NULL;
	enum tfr_status status = TFR_OK;
	size_t at = 0;

	cr_assert_eq(tfr_inflate_new(&z, c, NULL), TFR_OK);
	for (;;) {
		size_t step = size - at < in_step ? size - at : in_step;
		struct tfr_codec_io io;

		cr_assert(tfr_buf_reserve(out, out_step));
		io = (struct tfr_codec_io){ data + at, step, out->data + out->size, out_step };
		status = tfr_inflate_run(z, &io, NULL);
		at += step - io.in_size;
		out->size += out_step - io.out_size;
		if (status || (at == size && io.out_size == out_step))
			break;
	}
	*at_end = tfr_inflate_at_end(z);
	tfr_inflate_free(z);
	return status;
}

Test(codec, only_compressions_of_streams)
{
	for (int c = -1; c <= 9; c++) {
		struct tfr_parallel_deflate_opts opts = {
			.compression = (enum tfr_compression)c, .level = 2, .threads = 1
		};
		bool good = c == TFR_COMPRESSION_GZIP || c == TFR_COMPRESSION_ZLIB;
		struct tfr_parallel_deflate *deflater = NULL;
		struct tfr_inflate *z = NULL;
		struct tfr_error err;

		cr_expect_eq(tfr_inflate_new(&z, opts.compression, &err),
			good ? TFR_OK : TFR_EUSAGE, "%d", c);
		cr_expect_eq(tfr_parallel_deflate_new(&deflater, &opts, &err),
			good ? TFR_OK : TFR_EUSAGE, "%d", c);
		tfr_inflate_free(z);
		tfr_parallel_deflate_free(deflater);
	}
}

Test(codec, round_trip_at_every_level_and_step)
{
	static const size_t steps[] = { 1, 7, 100, 1000, 65536 };
	struct tfr_buf raw = sample(30000, 1);

	for (int c = TFR_COMPRESSION_GZIP; c <= TFR_COMPRESSION_ZLIB; c++) {
		for (int level = 1; level <= 9; level++) {
			for (size_t i = 0; i < 25; i++) {
				struct tfr_buf z = deflated(c, level, &raw, steps[i % 5]);
				struct tfr_buf back = { 0 };
				bool at_end;

				cr_assert_eq(inflated(c, z.data, z.size, steps[i / 5], steps[i % 5],
						     &back, &at_end),
					TFR_OK);
				cr_assert(at_end);
				cr_assert_eq(back.size, raw.size);
				cr_assert_arr_eq(back.data, raw.data, raw.size);
				cr_assert_eq(
					tfr_codec_sniff(z.data, z.size), (enum tfr_compression)c);
				tfr_buf_clear(&z);
				tfr_buf_clear(&back);
			}
		}
	}
	tfr_buf_clear(&raw);
}

Test(codec, zlib_reads_what_we_write)
{
	struct tfr_buf raw = sample(100000, 2);

	for (int level = 1; level <= 9; level++) {
		struct tfr_buf z = deflated(TFR_COMPRESSION_ZLIB, level, &raw, 4096);
		uLongf n = raw.size;
		Bytef *back = malloc(n);

		cr_assert_eq(uncompress(back, &n, z.data, z.size), Z_OK);
		cr_assert_eq(n, raw.size);
		cr_assert_arr_eq(back, raw.data, n);
		free(back);
		tfr_buf_clear(&z);
	}
	tfr_buf_clear(&raw);
}

Test(codec, members_one_after_another_are_read_to_the_end)
{
	for (int c = TFR_COMPRESSION_GZIP; c <= TFR_COMPRESSION_ZLIB; c++) {
		struct tfr_buf raw = sample(5000, 3), empty = { 0 }, all = { 0 }, back;
		struct tfr_buf z = deflated(c, 2, &raw, 4096), none = deflated(c, 6, &empty, 1);
		bool at_end;

		tfr_buf_append(&all, none.data,
			none.size); /* an empty member first, in the middle and last */
		tfr_buf_append(&all, z.data, z.size);
		tfr_buf_append(&all, none.data, none.size);
		tfr_buf_append(&all, z.data, z.size);
		tfr_buf_append(&all, none.data, none.size);
		for (size_t step = 1; step < 3000; step = step * 2 + 1) {
			back = (struct tfr_buf){ 0 };
			cr_assert_eq(
				inflated(c, all.data, all.size, step, 333, &back, &at_end), TFR_OK);
			cr_assert(at_end);
			cr_assert_eq(back.size, 10000);
			cr_assert_arr_eq(back.data + 5000, raw.data, 5000);
			tfr_buf_clear(&back);
		}
		tfr_buf_clear(&raw);
		tfr_buf_clear(&all);
		tfr_buf_clear(&z);
		tfr_buf_clear(&none);
	}
}

Test(codec, truncation_and_damage_never_pass)
{
	for (int c = TFR_COMPRESSION_GZIP; c <= TFR_COMPRESSION_ZLIB; c++) {
		struct tfr_buf raw = sample(3000, 4), back = { 0 };
		struct tfr_buf z = deflated(c, 6, &raw, 4096);
		bool at_end;

		for (size_t n = 1; n < z.size; n++) {
			back.size = 0;
			cr_assert(inflated(c, z.data, n, 4096, 4096, &back, &at_end) != TFR_OK ||
					  !at_end,
				"cut at %zu", n);
		}
		for (size_t at = 0; at < z.size; at++) {
			/* gzip's mtime, flags for extra compression and system, bytes 4 to 9, are
			 * not checked by anything. */
			if (c == TFR_COMPRESSION_GZIP && at >= 4 && at < 10)
				continue;
			z.data[at] ^= 0x10;
			back.size = 0;
			cr_assert(
				inflated(c, z.data, z.size, 4096, 4096, &back, &at_end) != TFR_OK ||
					!at_end ||
					(back.size == raw.size &&
						!memcmp(back.data, raw.data, raw.size)),
				"byte %zu", at);
			z.data[at] ^= 0x10;
		}
		tfr_buf_append(&z, "garbage!garbage!garbage!", 24);
		back.size = 0;
		cr_assert_eq(inflated(c, z.data, z.size, 4096, 4096, &back, &at_end), TFR_EDATA);
		tfr_buf_clear(&raw);
		tfr_buf_clear(&back);
		tfr_buf_clear(&z);
	}
}

Test(codec, sniff_does_not_believe_two_bytes)
{
	const uint8_t plain[64] = { 0x78, 0x9c, 0xff, 0xff, 0xff };

	cr_assert_eq(tfr_codec_sniff(plain, sizeof(plain)), TFR_COMPRESSION_NONE);
	cr_assert_eq(tfr_codec_sniff(plain, 0), TFR_COMPRESSION_NONE);
}
