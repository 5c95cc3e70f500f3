/* codec/zlib.c - zlib: every level without ISA-L, levels 4 to 9 with it.
 *
 * TensorFlow uses memLevel 9 and the default strategy (zlib_compression_options.h), so level 6 here
 * produces the same bytes as TensorFlow. */
#include <string.h>
#include <zlib.h>

#include "codec/codec.h"
#include "config.h"

enum { WINDOW = 15, GZIP_TOO = 16 };

struct inflater {
	z_stream z;
	enum tfr_compression c;
	/* For a start after the header of a GZIP member: this file does the rest of the member. */
	bool within, ended, joined;
	struct tfr_gzip_sum sum;
	struct tfr_gzip_trailer trailer;
};

struct deflater {
	z_stream z;
};

/* zlib's sizes are unsigned int. */
static unsigned clamp(size_t n)
{
	return n < 1u << 30 ? (unsigned)n : 1u << 30;
}

static enum tfr_status inflate_init(
	void *state, enum tfr_compression c, bool within, struct tfr_error *err)
{
	struct inflater *s = state;
	int bits = within ? -WINDOW : c == TFR_COMPRESSION_GZIP ? WINDOW + GZIP_TOO : WINDOW;

	memset(s, 0, sizeof(*s));
	s->c = c;
	s->within = within;
	if (inflateInit2(&s->z, bits) != Z_OK)
		return tfr_fail_nomem(err, "starting to inflate");
	return TFR_OK;
}

static enum tfr_status inflate_reset(void *state)
{
	struct inflater *s = state;
	int bits = s->c == TFR_COMPRESSION_GZIP ? WINDOW + GZIP_TOO : WINDOW;

	s->within = s->ended = s->joined = false;
	s->sum = (struct tfr_gzip_sum){ 0 };
	s->trailer = (struct tfr_gzip_trailer){ 0 };
	return inflateReset2(&s->z, bits) == Z_OK ? TFR_OK : TFR_EDATA;
}

static enum tfr_status damaged(const char *reason, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "damaged compressed stream: %s", reason);
}

/* Handles the end of a member whose header zlib has not seen, with its messages. */
static enum tfr_status end_member(
	struct inflater *s, struct tfr_codec_io *io, bool *ended, struct tfr_error *err)
{
	bool whole = tfr_gzip_trailer_take(&s->trailer, io);

	if (!tfr_gzip_crc_fits(&s->trailer, &s->sum))
		return damaged("incorrect data check", err);
	if (!tfr_gzip_size_fits(&s->trailer, &s->sum))
		return damaged("incorrect length check", err);
	*ended = whole;
	return TFR_OK;
}

/* data_type: 128 marks the end of a block, 64 the last block; the low bits count unused bits. */
static bool inflate_at_flush(const void *state)
{
	const struct inflater *s = state;

	return !s->ended && s->z.avail_in == 0 && s->z.data_type == 128;
}

static enum tfr_status inflate_run(
	void *state, struct tfr_codec_io *io, bool *ended, struct tfr_error *err)
{
	struct inflater *s = state;
	unsigned in = clamp(io->in_size), out = clamp(io->out_size);
	int got;

	if (s->ended)
		return s->joined ? end_member(s, io, ended, err) : TFR_OK;
	if (!in && inflate_at_flush(s))
		return TFR_OK; /* otherwise zlib would begin the next block */
	s->z.next_in = (Bytef *)(uintptr_t)io->in;
	s->z.avail_in = in;
	s->z.next_out = io->out;
	s->z.avail_out = out;
	/* Z_BLOCK stops at the end of each block, where inflate_at_flush() can see it. */
	do {
		got = inflate(&s->z, Z_BLOCK);
	} while (got == Z_OK && s->z.avail_in && s->z.avail_out);
	if (s->within) {
		s->sum.crc = (uint32_t)crc32_z(s->sum.crc, io->out, out - s->z.avail_out);
		s->sum.size += out - s->z.avail_out;
	}
	io->in += in - s->z.avail_in;
	io->in_size -= in - s->z.avail_in;
	io->out += out - s->z.avail_out;
	io->out_size -= out - s->z.avail_out;
	if (got == Z_MEM_ERROR)
		return tfr_fail_nomem(err, "inflating");
	if (got != Z_OK && got != Z_STREAM_END && got != Z_BUF_ERROR)
		return damaged(s->z.msg ? s->z.msg : "needs a dictionary", err);
	*ended = got == Z_STREAM_END && !s->within;
	s->ended = got == Z_STREAM_END && s->within;
	return s->ended && s->joined ? end_member(s, io, ended, err) : TFR_OK;
}

/* For a member that was read from its header, zlib has its own sums. */
static void inflate_get_sum(const void *state, struct tfr_gzip_sum *sum)
{
	const struct inflater *s = state;

	*sum = s->within ? s->sum
			 : (struct tfr_gzip_sum){ .crc = (uint32_t)s->z.adler,
				   .size = s->z.total_out };
}

static bool inflate_at_trailer(const void *state)
{
	const struct inflater *s = state;

	return s->ended && !s->joined;
}

static void inflate_set_sum(void *state, const struct tfr_gzip_sum *sum)
{
	struct inflater *s = state;

	s->joined = true;
	s->sum = *sum;
}

static void inflate_clear(void *state)
{
	inflateEnd(&((struct inflater *)state)->z);
}

const struct tfr_inflate_ops tfr_zlib_inflate = {
	.name = "zlib",
	.state_size = sizeof(struct inflater),
	.init = inflate_init,
	.reset = inflate_reset,
	.run = inflate_run,
	.at_flush = inflate_at_flush,
	.at_trailer = inflate_at_trailer,
	.get_sum = inflate_get_sum,
	.set_sum = inflate_set_sum,
	.clear = inflate_clear,
};

static enum tfr_status deflate_init(void *state, int level, struct tfr_error *err)
{
	struct deflater *s = state;

	memset(s, 0, sizeof(*s));
	if (deflateInit2(&s->z, level, Z_DEFLATED, -WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return tfr_fail_nomem(err, "starting to deflate");
	return TFR_OK;
}

static enum tfr_status deflate_segment(void *state, const uint8_t *in, size_t size, bool last,
	struct tfr_buf *out, struct tfr_error *err)
{
	struct deflater *s = state;
	unsigned room;
	int got;

	deflateReset(&s->z);
	s->z.next_in = (Bytef *)(uintptr_t)in;
	s->z.avail_in = (unsigned)size;
	do { /* a flush is complete when it leaves room, so the buffer is larger than needed */
		TFR_NEED_MEMORY(
			tfr_buf_reserve(out, tfr_deflate_bound(s->z.avail_in)), err, "deflating");
		room = clamp(out->cap - out->size);
		s->z.next_out = out->data + out->size;
		s->z.avail_out = room;
		got = deflate(&s->z, last ? Z_FINISH : Z_FULL_FLUSH);
		out->size += room - s->z.avail_out;
		if (got != Z_OK && got != Z_STREAM_END && got != Z_BUF_ERROR)
			return tfr_fail(err, TFR_ESYS, "deflating failed");
	} while (last ? got != Z_STREAM_END : s->z.avail_out == 0);
	return TFR_OK;
}

static void deflate_clear(void *state)
{
	deflateEnd(&((struct deflater *)state)->z);
}

const struct tfr_deflate_ops tfr_zlib_deflate = {
	.name = "zlib",
	.state_size = sizeof(struct deflater),
	.level_min = TFR_HAVE_ISAL ? 4 : 1,
	.level_max = 9,
	.init = deflate_init,
	.segment = deflate_segment,
	.clear = deflate_clear,
};
