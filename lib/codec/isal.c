/* codec/isal.c - ISA-L's igzip: inflates GZIP, deflates levels 1 to 3.
 *
 * The inflate state verifies header and trailer by itself and stops exactly after a GZIP member.
 * After a ZLIB stream it does not: up to four of the next bytes stay in its bit buffer (seen with
 * 2.30), which would break consecutive streams, so zlib reads those. */
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "codec/codec.h"

struct inflater {
	struct inflate_state z;
	int failure; /* the result of isal_inflate(), which reports success if it is called again */
	/* For a start after the header of a GZIP member: this file reads and checks its trailer. */
	bool within, ended, joined;
	struct tfr_gzip_sum before; /* of the part that another state read */
	uint64_t size;		    /* of the output of this state */
	struct tfr_gzip_trailer trailer;
};

struct deflater {
	struct isal_zstream z;
	uint8_t *level_buf;
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
	s->within = s->ended = s->joined = false;
	s->before = (struct tfr_gzip_sum){ 0 };
	s->trailer = (struct tfr_gzip_trailer){ 0 };
	s->size = 0;
	return TFR_OK;
}

static enum tfr_status inflate_init(
	void *state, enum tfr_compression c, bool within, struct tfr_error *err)
{
	struct inflater *s = state;

	(void)c;
	(void)err;
	isal_inflate_init(&s->z);
	inflate_reset(s);
	s->within = within;
	if (within)
		s->z.crc_flag = ISAL_GZIP_NO_HDR;
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

static enum tfr_status damaged(int code, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "damaged compressed stream: %s", inflate_reason(code));
}

/* When isal_inflate() fails, output that did not fit the caller's buffer remains in its own buffer.
 */
static bool drain_output(struct inflater *s, struct tfr_codec_io *io)
{
	struct inflate_state *z = &s->z;
	size_t n = (size_t)(z->tmp_out_valid - z->tmp_out_processed);

	if (s->failure != ISAL_INVALID_BLOCK && s->failure != ISAL_INVALID_SYMBOL &&
		s->failure != ISAL_INVALID_LOOKBACK)
		return false;
	n = n < io->out_size ? n : io->out_size;
	if (n)
		memcpy(io->out, z->tmp_out_buffer + z->tmp_out_processed, n);
	z->tmp_out_processed += (int32_t)n;
	io->out += n;
	io->out_size -= n;
	return z->tmp_out_processed < z->tmp_out_valid;
}

static void inflate_get_sum(const void *state, struct tfr_gzip_sum *sum)
{
	const struct inflater *s = state;

	*sum = s->before;
	sum->crc = s->before.size
			   ? (uint32_t)crc32_combine(s->before.crc, s->z.crc, (z_off_t)s->size)
			   : s->z.crc;
	sum->size += s->size;
}

/* Handles the end of a member whose header ISA-L has not seen, with its messages.  Bytes of the
 * trailer may be in its bit buffer. */
static enum tfr_status end_member(
	struct inflater *s, struct tfr_codec_io *io, bool *ended, struct tfr_error *err)
{
	struct inflate_state *z = &s->z;
	struct tfr_gzip_sum sum;

	z->read_in >>= z->read_in_length % 8;
	for (z->read_in_length /= 8; z->read_in_length; z->read_in_length--) {
		s->trailer.bytes[s->trailer.have++] = (uint8_t)z->read_in;
		z->read_in >>= 8;
	}
	inflate_get_sum(s, &sum);
	*ended = tfr_gzip_trailer_take(&s->trailer, io);
	if (*ended &&
		!(tfr_gzip_crc_fits(&s->trailer, &sum) && tfr_gzip_size_fits(&s->trailer, &sum))) {
		s->failure = ISAL_INCORRECT_CHECKSUM;
		return damaged(s->failure, err);
	}
	return TFR_OK;
}

static enum tfr_status inflate_run(
	void *state, struct tfr_codec_io *io, bool *ended, struct tfr_error *err)
{
	struct inflater *s = state;
	struct inflate_state *z = &s->z;
	uint32_t in = clamp(io->in_size), out = clamp(io->out_size);
	int got;

	if (s->failure)
		return drain_output(s, io) ? TFR_OK : damaged(s->failure, err);
	if (s->ended)
		return s->joined ? end_member(s, io, ended, err) : TFR_OK;
	z->next_in = (uint8_t *)(uintptr_t)io->in;
	z->avail_in = in;
	z->next_out = io->out;
	z->avail_out = out;
	got = isal_inflate(z);
	io->in = z->next_in;
	io->in_size -= in - z->avail_in;
	io->out += out - z->avail_out;
	io->out_size -= out - z->avail_out;
	s->size += out - z->avail_out;
	if (got < 0 || got == ISAL_NEED_DICT) {
		s->failure = got;
		return drain_output(s, io) ? TFR_OK : damaged(s->failure, err);
	}
	*ended = z->block_state == ISAL_BLOCK_FINISH && !s->within;
	s->ended = z->block_state == ISAL_BLOCK_FINISH && s->within;
	return s->ended && s->joined ? end_member(s, io, ended, err) : TFR_OK;
}

/* It tried to read the header of the next block and found no bit of it. */
static bool inflate_at_flush(const void *state)
{
	const struct inflater *s = state;
	const struct inflate_state *z = &s->z;

	return (z->block_state == ISAL_BLOCK_NEW_HDR || z->block_state == ISAL_BLOCK_HDR) &&
	       (s->within || z->wrapper_flag) && !s->failure && !z->tmp_in_size &&
	       !z->read_in_length && !z->avail_in && z->tmp_out_valid == z->tmp_out_processed;
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
	s->before = *sum;
	s->size = 0;
	s->z.crc = 0;
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
	.at_flush = inflate_at_flush,
	.at_trailer = inflate_at_trailer,
	.get_sum = inflate_get_sum,
	.set_sum = inflate_set_sum,
	.clear = inflate_clear,
};

static enum tfr_status deflate_init(void *state, int level, struct tfr_error *err)
{
	static const uint32_t level_buf_size[] = {
		ISAL_DEF_LVL0_DEFAULT,
		ISAL_DEF_LVL1_DEFAULT,
		ISAL_DEF_LVL2_DEFAULT,
		ISAL_DEF_LVL3_DEFAULT,
	};
	struct deflater *s = state;

	isal_deflate_init(&s->z);
	s->level_buf = malloc(level_buf_size[level]);
	TFR_NEED_MEMORY(s->level_buf, err, "starting to deflate");
	s->z.level = (uint32_t)level;
	s->z.level_buf = s->level_buf;
	s->z.level_buf_size = level_buf_size[level];
	return TFR_OK;
}

/* Levels 1 and 2 of ISA-L, up to version 2.30 at least, enter the second position of a stream that
 * has no history into their hash table at a place that depends on the address of the zstream
 * (igzip_icf_body_h1_gr_bt.asm hashes a register that holds the pointer).  So the same input gives
 * other bytes about once in some thousand addresses.  With history they do not: the first byte is
 * written as a stored block and given to ISA-L as a dictionary. */
static enum tfr_status begin_with_history(
	struct deflater *s, const uint8_t *first, struct tfr_buf *out, struct tfr_error *err)
{
	uint8_t stored[] = { 0, 1, 0, 0xfe, 0xff, *first };
	int got = isal_deflate_set_dict(&s->z, (uint8_t *)(uintptr_t)first, 1);

	if (got != COMP_OK)
		return tfr_fail(err, TFR_ESYS, "deflating failed: code %d", got);
	return tfr_buf_append(out, stored, sizeof(stored)) ? TFR_OK
							   : tfr_fail_nomem(err, "deflating");
}

static enum tfr_status deflate_segment(void *state, const uint8_t *in, size_t size, bool last,
	struct tfr_buf *out, struct tfr_error *err)
{
	struct deflater *s = state;
	bool begun = size && s->z.level < 3;
	uint32_t room;
	int got;

	isal_deflate_reset(&s->z);
	s->z.gzip_flag = IGZIP_DEFLATE;
	TFR_TRY(begun ? begin_with_history(s, in, out, err) : TFR_OK);
	s->z.next_in = (uint8_t *)(uintptr_t)in + begun;
	s->z.avail_in = (uint32_t)(size - begun);
	s->z.end_of_stream = last;
	s->z.flush = last ? NO_FLUSH : FULL_FLUSH;
	do {
		TFR_NEED_MEMORY(
			tfr_buf_reserve(out, tfr_deflate_bound(s->z.avail_in)), err, "deflating");
		room = clamp(out->cap - out->size);
		s->z.next_out = out->data + out->size;
		s->z.avail_out = room;
		got = isal_deflate(&s->z);
		out->size += room - s->z.avail_out;
		if (got != COMP_OK)
			return tfr_fail(err, TFR_ESYS, "deflating failed: code %d", got);
	} while (last ? s->z.internal_state.state != ZSTATE_END : s->z.avail_out == 0);
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
	.segment = deflate_segment,
	.clear = deflate_clear,
};
