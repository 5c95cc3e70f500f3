/* codec/codec.c - chooses the implementation, reads consecutive members, and detects the
 * compression from the first bytes. */
#include "codec/codec.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "config.h"

/* The first row that reads the wrapper inflates; the first row that has the wanted level deflates.
 */
static const struct tfr_inflate_ops *const inflaters[] = {
#if TFR_HAVE_ISAL
	&tfr_isal_inflate,
#endif
	&tfr_zlib_inflate,
};

static const struct tfr_deflate_ops *const deflaters[] = {
#if TFR_HAVE_ISAL
	&tfr_isal_deflate,
#endif
	&tfr_zlib_deflate,
};

static const char *const names[] = { "auto", "none", "gzip", "zlib" };

struct tfr_inflate {
	const struct tfr_inflate_ops *ops;
	enum tfr_compression compression;
	bool in_member, ended_once;
	bool produced;	    /* this member has produced output */
	bool was_empty;	    /* the last complete member had none */
	uint64_t in, out;   /* bytes so far */
	uint64_t member_in; /* the offset of this member in the file */
	struct tfr_members members;
	_Alignas(64) char state[];
};

const char *tfr_compression_name(enum tfr_compression c)
{
	return names[c];
}

enum tfr_status tfr_compression_check(enum tfr_compression c, struct tfr_error *err)
{
	if (c == TFR_COMPRESSION_GZIP || c == TFR_COMPRESSION_ZLIB)
		return TFR_OK;
	return tfr_fail(err, TFR_EUSAGE,
		"no compression %d: 0 (automatic), 1 (none), 2 (GZIP) or 3 (ZLIB)", (int)c);
}

/* Zeroed: if a damaged stream uses codes that it does not define, ISA-L reads tables that it has
 * not filled, and the result should at least be the same every time. */
static void *new_state(size_t size)
{
	size_t whole = (size + 63) / 64 * 64;
	void *state = aligned_alloc(64, whole);

	return state ? memset(state, 0, whole) : NULL;
}

static enum tfr_status new_inflate(
	struct tfr_inflate **out, enum tfr_compression c, bool within, struct tfr_error *err)
{
	const struct tfr_inflate_ops *const *row = inflaters;
	const struct tfr_inflate_ops *ops;
	struct tfr_inflate *z;
	enum tfr_status status;

	while ((*row)->gzip_only && c != TFR_COMPRESSION_GZIP)
		row++;
	ops = *row;
	z = new_state(sizeof(*z) + ops->state_size);
	TFR_NEED_MEMORY(z, err, "starting to inflate");
	z->ops = ops;
	z->compression = c;
	z->in_member = within;
	z->ended_once = z->produced = z->was_empty = false;
	z->in = z->out = z->member_in = 0;
	z->members = (struct tfr_members){ 0 };
	status = ops->init(z->state, c, within, err);
	if (status)
		free(z);
	else
		*out = z;
	return status;
}

enum tfr_status tfr_inflate_new(
	struct tfr_inflate **z, enum tfr_compression c, struct tfr_error *err)
{
	TFR_TRY(tfr_compression_check(c, err));
	return new_inflate(z, c, false, err);
}

enum tfr_status tfr_inflate_new_within(struct tfr_inflate **z, struct tfr_error *err)
{
	return new_inflate(z, TFR_COMPRESSION_GZIP, true, err);
}

void tfr_inflate_free(struct tfr_inflate *z)
{
	if (!z)
		return;
	z->ops->clear(z->state);
	free(z);
}

static void note_member(struct tfr_inflate *z)
{
	z->members.count++;
	z->was_empty = !z->produced;
}

struct tfr_members tfr_inflate_members(const struct tfr_inflate *z)
{
	struct tfr_members m = z->members;

	m.bytes = z->out;
	return m;
}

static enum tfr_status fail_trailing(struct tfr_inflate *z, struct tfr_error *err)
{
	z->members.trailing = true;
	return tfr_fail(err, TFR_EDATA, "trailing bytes after the compressed stream");
}

enum tfr_status tfr_inflate_cut(struct tfr_inflate *z, struct tfr_error *err)
{
	uint64_t header = z->compression == TFR_COMPRESSION_GZIP ? 10 : 2;

	if (z->ended_once && z->in - z->member_in < header)
		return fail_trailing(z, err);
	return tfr_fail(err, TFR_EDATA, "truncated compressed stream");
}

enum tfr_status tfr_inflate_run(
	struct tfr_inflate *z, struct tfr_codec_io *io, struct tfr_error *err)
{
	bool ended = false;
	enum tfr_status status;

	while (io->out_size) {
		size_t in_before = io->in_size, out_before = io->out_size;

		if (!z->in_member) {
			if (!io->in_size)
				return TFR_OK;
			if (z->ended_once && z->ops->reset(z->state))
				return tfr_fail(
					err, TFR_EDATA, "cannot start the next compressed member");
			z->in_member = true;
			z->produced = false;
			z->member_in = z->in;
			z->members.empty += z->was_empty;
			z->was_empty = false;
		}
		status = z->ops->run(z->state, io, &ended, err);
		z->produced |= out_before != io->out_size;
		z->in += in_before - io->in_size;
		z->out += out_before - io->out_size;
		if (status == TFR_EDATA && z->ended_once && !z->produced)
			return fail_trailing(z, err);
		if (status)
			return status;
		if (ended) {
			z->in_member = false;
			z->ended_once = true;
			ended = false;
			note_member(z);
		} else if (in_before == io->in_size && out_before == io->out_size) {
			return TFR_OK; /* needs input */
		}
	}
	return TFR_OK;
}

bool tfr_inflate_at_end(const struct tfr_inflate *z)
{
	return !z->in_member;
}

bool tfr_inflate_at_flush(const struct tfr_inflate *z)
{
	return z->in_member && z->ops->at_flush(z->state);
}

bool tfr_inflate_at_trailer(const struct tfr_inflate *z)
{
	return z->in_member && z->ops->at_trailer(z->state);
}

void tfr_inflate_join(struct tfr_inflate *z, const struct tfr_inflate *before)
{
	struct tfr_gzip_sum sum, own;

	before->ops->get_sum(before->state, &sum);
	z->ops->get_sum(z->state, &own);
	sum.crc = (uint32_t)crc32_combine(sum.crc, own.crc, (z_off_t)own.size);
	sum.size += own.size;
	z->ops->set_sum(z->state, &sum);
	z->ended_once = before->ended_once;
	z->produced |= before->produced;
	z->in += before->in;
	z->out += before->out;
	z->member_in = before->member_in;
	z->members = before->members;
	z->was_empty = before->was_empty;
}

void tfr_inflate_trust(struct tfr_inflate *z)
{
	z->ops->set_sum(z->state, &(struct tfr_gzip_sum){ .trusted = true });
}

const struct tfr_deflate_ops *tfr_deflate_find(int level)
{
	for (size_t i = 0; i < sizeof(deflaters) / sizeof(*deflaters); i++)
		if (level >= deflaters[i]->level_min && level <= deflaters[i]->level_max)
			return deflaters[i];
	return NULL;
}

/* --- trailers --- */

bool tfr_gzip_trailer_take(struct tfr_gzip_trailer *t, struct tfr_codec_io *io)
{
	size_t n = sizeof(t->bytes) - t->have;

	n = n < io->in_size ? n : io->in_size;
	if (n)
		memcpy(t->bytes + t->have, io->in, n);
	t->have += (unsigned)n;
	io->in += n;
	io->in_size -= n;
	return t->have == sizeof(t->bytes);
}

static uint32_t load32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool tfr_gzip_crc_fits(const struct tfr_gzip_trailer *t, const struct tfr_gzip_sum *sum)
{
	return t->have < 4 || sum->trusted || load32(t->bytes) == sum->crc;
}

bool tfr_gzip_size_fits(const struct tfr_gzip_trailer *t, const struct tfr_gzip_sum *sum)
{
	return t->have < 8 || sum->trusted || load32(t->bytes + 4) == (uint32_t)sum->size;
}

/* A zlib header verifies only 12 bits, so the data after it must inflate too.  Its checksum may be
 * wrong: a file with a damaged end is still a ZLIB file. */
static bool inflates(const uint8_t *head, size_t size)
{
	uint8_t out[512];
	z_stream z = { .next_in = (Bytef *)(uintptr_t)head + 2,
		.avail_in = (uInt)size - 2,
		.next_out = out,
		.avail_out = sizeof(out) };
	int result;

	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return false;
	result = inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return result == Z_STREAM_END || (result == Z_OK && z.avail_out < sizeof(out));
}

enum tfr_compression tfr_codec_sniff(const uint8_t *head, size_t size)
{
	if (size >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8)
		return TFR_COMPRESSION_GZIP;
	if (size >= 2 && (head[0] & 0x0f) == 8 && head[0] >> 4 <= 7 && !(head[1] & 0x20) &&
		((unsigned)head[0] << 8 | head[1]) % 31 == 0 && inflates(head, size))
		return TFR_COMPRESSION_ZLIB;
	return TFR_COMPRESSION_NONE;
}
