/* codec/zlib.c - zlib: every level without ISA-L, levels 4 to 9 with it.
 *
 * memLevel 9 and the default strategy are what TensorFlow gives zlib (zlib_compression_options.h),
 * so level 6 here makes TensorFlow's own bytes. */
#include <string.h>
#include <zlib.h>

#include "codec/codec.h"
#include "config.h"

static int window_bits(enum tfr_compression c)
{
	return c == TFR_COMPRESSION_GZIP ? 15 + 16 : 15;
}

/* zlib counts in unsigned int. */
static unsigned clamp(size_t n)
{
	return n < 1u << 30 ? (unsigned)n : 1u << 30;
}

static enum tfr_status inflate_init(void *state, enum tfr_compression c, struct tfr_error *err)
{
	z_stream *s = state;

	memset(s, 0, sizeof(*s));
	if (inflateInit2(s, window_bits(c)) != Z_OK)
		return tfr_fail_nomem(err, "starting to inflate");
	return TFR_OK;
}

static enum tfr_status inflate_reset(void *state)
{
	return inflateReset(state) == Z_OK ? TFR_OK : TFR_EDATA;
}

static enum tfr_status inflate_run(
	void *state, struct tfr_codec_io *io, bool *ended, struct tfr_error *err)
{
	z_stream *s = state;
	unsigned in = clamp(io->in_size), out = clamp(io->out_size);
	int got;

	s->next_in = (Bytef *)(uintptr_t)io->in;
	s->avail_in = in;
	s->next_out = io->out;
	s->avail_out = out;
	got = inflate(s, Z_NO_FLUSH);
	io->in += in - s->avail_in;
	io->in_size -= in - s->avail_in;
	io->out += out - s->avail_out;
	io->out_size -= out - s->avail_out;
	*ended = got == Z_STREAM_END;
	if (got == Z_MEM_ERROR)
		return tfr_fail_nomem(err, "inflating");
	if (got != Z_OK && got != Z_STREAM_END && got != Z_BUF_ERROR)
		return tfr_fail(err, TFR_EDATA, "damaged compressed stream: %s",
			s->msg ? s->msg : "needs a dictionary");
	return TFR_OK;
}

static void inflate_clear(void *state)
{
	inflateEnd(state);
}

const struct tfr_inflate_ops tfr_zlib_inflate = {
	.name = "zlib",
	.state_size = sizeof(z_stream),
	.init = inflate_init,
	.reset = inflate_reset,
	.run = inflate_run,
	.clear = inflate_clear,
};

static enum tfr_status deflate_init(
	void *state, enum tfr_compression c, int level, struct tfr_error *err)
{
	z_stream *s = state;

	memset(s, 0, sizeof(*s));
	if (deflateInit2(s, level, Z_DEFLATED, window_bits(c), 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return tfr_fail_nomem(err, "starting to deflate");
	return TFR_OK;
}

static enum tfr_status deflate_run(
	void *state, struct tfr_codec_io *io, bool finish, bool *done, struct tfr_error *err)
{
	z_stream *s = state;
	unsigned in = clamp(io->in_size), out = clamp(io->out_size);
	bool last = finish && in == io->in_size;
	int got;

	s->next_in = (Bytef *)(uintptr_t)io->in;
	s->avail_in = in;
	s->next_out = io->out;
	s->avail_out = out;
	got = deflate(s, last ? Z_FINISH : Z_NO_FLUSH);
	io->in += in - s->avail_in;
	io->in_size -= in - s->avail_in;
	io->out += out - s->avail_out;
	io->out_size -= out - s->avail_out;
	*done = got == Z_STREAM_END;
	if (got == Z_STREAM_ERROR)
		return tfr_fail(err, TFR_ESYS, "deflating failed");
	return TFR_OK;
}

static void deflate_clear(void *state)
{
	deflateEnd(state);
}

const struct tfr_deflate_ops tfr_zlib_deflate = {
	.name = "zlib",
	.state_size = sizeof(z_stream),
	.level_min = TFR_HAVE_ISAL ? 4 : 1,
	.level_max = 9,
	.init = deflate_init,
	.run = deflate_run,
	.clear = deflate_clear,
};
