/* codec/isal.c - ISA-L's igzip: inflates GZIP, deflates levels 1 to 3.
 *
 * The inflate state verifies header and trailer by itself and stops exactly behind a GZIP member.
 * Behind a ZLIB stream it does not: up to four bytes of what follows stay in its bit buffer (seen
 * with 2.30), which would break streams one after another, so those are zlib's. */
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"

struct inflater {
	struct inflate_state z;
	int failure; /* what isal_inflate() returned; it does not remember: called again, it says
			all is well */
};

struct deflater {
	struct isal_zstream z;
	uint8_t *level_buf;
	bool done;
};

static uint32_t clamp(size_t n)
{
	return n < 1u << 30 ? (uint32_t)n : 1u << 30;
}

static enum tfr_status inflate_reset(void *state)
{
	struct inflater *s = state;

	isal_inflate_reset(&s->z);
	s->z.crc_flag = ISAL_GZIP;
	s->failure = 0;
	return TFR_OK;
}

static enum tfr_status inflate_init(void *state, enum tfr_compression c, struct tfr_error *err)
{
	struct inflater *s = state;

	(void)c;
	(void)err;
	isal_inflate_init(&s->z);
	s->z.crc_flag = ISAL_GZIP;
	s->failure = 0;
	return TFR_OK;
}

static const char *inflate_reason(int code)
{
	switch (code) {
	case ISAL_INVALID_BLOCK:
		return "invalid block";
	case ISAL_INVALID_SYMBOL:
		return "invalid symbol";
	case ISAL_INVALID_LOOKBACK:
		return "invalid distance";
	case ISAL_INVALID_WRAPPER:
		return "incorrect header check";
	case ISAL_UNSUPPORTED_METHOD:
		return "unknown compression method";
	case ISAL_INCORRECT_CHECKSUM:
		return "incorrect data check";
	case ISAL_NEED_DICT:
		return "needs a dictionary";
	default:
		return "invalid stream";
	}
}

static enum tfr_status inflate_run(
	void *state, struct tfr_codec_io *io, bool *ended, struct tfr_error *err)
{
	struct inflater *s = state;
	struct inflate_state *z = &s->z;
	uint32_t in = clamp(io->in_size), out = clamp(io->out_size);
	int got;

	z->next_in = (uint8_t *)(uintptr_t)io->in;
	z->avail_in = in;
	z->next_out = io->out;
	z->avail_out = out;
	got = s->failure ? s->failure : isal_inflate(z);
	io->in = z->next_in;
	io->in_size -= in - z->avail_in;
	io->out += out - z->avail_out;
	io->out_size -= out - z->avail_out;
	*ended = got == ISAL_DECOMP_OK && z->block_state == ISAL_BLOCK_FINISH;
	if (got < 0 || got == ISAL_NEED_DICT) {
		s->failure = got;
		return tfr_fail(
			err, TFR_EDATA, "damaged compressed stream: %s", inflate_reason(got));
	}
	return TFR_OK;
}

static void inflate_clear(void *state)
{
	(void)state;
}

const struct tfr_inflate_ops tfr_isal_inflate = {
	.name = "isa-l",
	.gzip_only = true,
	.state_size = sizeof(struct inflater),
	.init = inflate_init,
	.reset = inflate_reset,
	.run = inflate_run,
	.clear = inflate_clear,
};

static enum tfr_status deflate_init(
	void *state, enum tfr_compression c, int level, struct tfr_error *err)
{
	static const uint32_t level_buf_size[] = {
		ISAL_DEF_LVL0_DEFAULT,
		ISAL_DEF_LVL1_DEFAULT,
		ISAL_DEF_LVL2_DEFAULT,
		ISAL_DEF_LVL3_DEFAULT,
	};
	struct deflater *s = state;

	isal_deflate_init(&s->z);
	s->done = false;
	s->level_buf = malloc(level_buf_size[level]);
	if (!s->level_buf)
		return tfr_fail_nomem(err, "starting to deflate");
	s->z.level = (uint32_t)level;
	s->z.level_buf = s->level_buf;
	s->z.level_buf_size = level_buf_size[level];
	s->z.gzip_flag = c == TFR_COMPRESSION_GZIP ? IGZIP_GZIP : IGZIP_ZLIB;
	return TFR_OK;
}

static enum tfr_status deflate_run(
	void *state, struct tfr_codec_io *io, bool finish, bool *done, struct tfr_error *err)
{
	struct deflater *s = state;
	uint32_t in = clamp(io->in_size), out = clamp(io->out_size);
	int got;

	s->z.next_in = (uint8_t *)(uintptr_t)io->in;
	s->z.avail_in = in;
	s->z.next_out = io->out;
	s->z.avail_out = out;
	s->z.end_of_stream = finish && in == io->in_size;
	s->z.flush = NO_FLUSH;
	got = isal_deflate(&s->z);
	io->in = s->z.next_in;
	io->in_size -= in - s->z.avail_in;
	io->out += out - s->z.avail_out;
	io->out_size -= out - s->z.avail_out;
	*done = s->z.internal_state.state == ZSTATE_END;
	if (got != COMP_OK)
		return tfr_fail(err, TFR_ESYS, "deflating failed: code %d", got);
	return TFR_OK;
}

static void deflate_clear(void *state)
{
	free(((struct deflater *)state)->level_buf);
}

const struct tfr_deflate_ops tfr_isal_deflate = {
	.name = "isa-l",
	.state_size = sizeof(struct deflater),
	.level_min = 1,
	.level_max = 3,
	.init = deflate_init,
	.run = deflate_run,
	.clear = deflate_clear,
};
