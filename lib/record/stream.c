/* record/stream.c - a source and, if the file is compressed, an inflater, or several for GZIP that
 * can be read ahead.
 *
 * The first bytes are read ahead to detect the format.  A plain file returns them from the buffer
 * and is then read directly. */
#include "record/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "codec/codec.h"
#include "io/source.h"
#include "record/framing.h"
#include "record/gzi.h"
#include "record/inflate_ahead.h"
#include "thread/threads.h"

/* --- reading damage again --- */

/* Inflates a damaged file again, in fixed steps.
 *
 * How much ISA-L inflates before damage depends on the room in the output, by some hundred bytes.
 * So the bytes before damage would depend on the size of a reader's blocks and on the number of
 * threads.  When damage is met in a file that can be read again, it is inflated from its start in
 * the same steps for any caller, and bytes that were returned before are skipped.
 *
 * Steps of fixed size for input and output, independent of the caller's buffer. */

enum { STEP = 64 << 10 };

struct tfr_replay {
	struct tfr_source *source;
	struct tfr_inflate *z;
	uint64_t skip;
	size_t in_at, in_size, out_at, out_size;
	uint8_t in[STEP], out[STEP];
};

/* `z` starts at the source's position and is taken over, also on failure.  The source stays the
 * caller's.  `skip`: bytes that were returned before. */
static enum tfr_status replay_open(struct tfr_replay **out, struct tfr_source *source,
	struct tfr_inflate *z, uint64_t skip, struct tfr_error *err)
{
	struct tfr_replay *r = calloc(1, sizeof(*r));

	if (!r) {
		tfr_inflate_free(z);
		return tfr_fail_nomem(err, "reading a file");
	}
	r->source = source;
	r->z = z;
	r->skip = skip;
	*out = r;
	return TFR_OK;
}

/* Accepts NULL. */
static void replay_close(struct tfr_replay *r)
{
	if (!r)
		return;
	tfr_inflate_free(r->z);
	free(r);
}

/* Inflates the next step.  *ended: there is none. */
static enum tfr_status inflate_step(struct tfr_replay *r, bool *ended, struct tfr_error *err)
{
	struct tfr_codec_io io = { r->in + r->in_at, r->in_size - r->in_at, r->out, STEP };
	enum tfr_status status = tfr_inflate_run(r->z, &io, err);

	r->in_at = r->in_size - io.in_size;
	r->out_at = 0;
	r->out_size = STEP - io.out_size;
	if (r->out_size || status) /* a failure is reported again when all output is returned */
		return r->out_size ? TFR_OK : status;
	status = tfr_source_read(r->source, r->in, STEP, &r->in_size, err);
	r->in_at = 0;
	*ended = !status && !r->in_size;
	return status;
}

/* As tfr_stream_read(). */
static enum tfr_status replay_read(
	struct tfr_replay *r, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	bool ended = false;
	size_t have, pass;

	*got = 0;
	while (!status && !ended) {
		have = r->out_size - r->out_at;
		pass = r->skip < have ? (size_t)r->skip : have;
		r->skip -= pass;
		r->out_at += pass;
		have -= pass;
		if (have) {
			*got = have < size ? have : size;
			memcpy(buf, r->out + r->out_at, *got);
			r->out_at += *got;
			return TFR_OK;
		}
		status = inflate_step(r, &ended, err);
	}
	if (status || tfr_inflate_at_end(r->z))
		return status;
	return tfr_inflate_cut(r->z, err);
}

/* The inflater at the current position. */
static const struct tfr_inflate *replay_inflate(const struct tfr_replay *r)
{
	return r->z;
}

/* --- the stream --- */

enum { HEAD_SIZE = 4096, INPUT_SIZE = 256 << 10 };

struct tfr_stream {
	struct tfr_source *source;
	enum tfr_compression compression;
	struct tfr_inflate *inflate;
	struct tfr_ahead *ahead;   /* instead of `inflate` and `in` */
	struct tfr_replay *replay; /* likewise, after damage was met */
	uint64_t origin;	   /* of the stream in the source, if that can be read again */
	uint64_t begin;		   /* of what is inflated, there, */
	uint64_t base;		   /* and in the stream */
	uint64_t position;	   /* in the stream */
	unsigned threads;
	bool within;		  /* starts within a GZIP member */
	enum tfr_status unplaced; /* a seek failed, and nothing can be read before the next one */
	uint8_t *in;		  /* read from the source and not yet used */
	size_t in_at, in_size;
	bool source_ended;
	uint64_t inflate_ns; /* spent inflating */
};

/* Reads at least `need` bytes ahead; fewer only at the end. */
static enum tfr_status read_head(struct tfr_stream *s, size_t need, struct tfr_error *err)
{
	size_t got;

	s->in = s->in ? s->in : malloc(HEAD_SIZE);
	TFR_NEED_MEMORY(s->in, err, "opening a file");
	do { /* a pipe may send less than a header at first */
		enum tfr_status status = tfr_source_read_some(
			s->source, s->in + s->in_size, HEAD_SIZE - s->in_size, &got, err);

		if (status)
			return status;
		s->in_size += got;
	} while (got && s->in_size < need);
	return TFR_OK;
}

static enum tfr_status start_ahead(
	struct tfr_stream *s, struct tfr_inflate *z, struct tfr_gzi *gzi, struct tfr_error *err)
{
	struct tfr_ahead_opts how = {
		.threads = s->threads, .head = s->in, .head_size = s->in_size, .gzi = gzi
	};

	s->in_at = s->in_size;
	return tfr_ahead_open(&s->ahead, s->source, z, &how, err);
}

static enum tfr_status new_inflate(
	struct tfr_stream *s, struct tfr_inflate **z, struct tfr_error *err)
{
	enum tfr_status status;

	if (!s->within)
		return tfr_inflate_new(z, s->compression, err);
	status = tfr_inflate_new_within(z, err);
	if (!status)
		tfr_inflate_trust(*z);
	return status;
}

/* Starts inflating at the head, and adds points to `gzi` if it is not NULL. */
static enum tfr_status start_inflating(
	struct tfr_stream *s, struct tfr_gzi *gzi, struct tfr_error *err)
{
	struct tfr_inflate *z = NULL;
	uint8_t *larger;

	TFR_TRY(new_inflate(s, &z, err));
	/* Reading ahead would wait for more bytes of a pipe. */
	if (s->compression == TFR_COMPRESSION_GZIP && tfr_source_seekable(s->source) &&
		(s->threads > 1 || gzi))
		return start_ahead(s, z, gzi, err);
	s->inflate = z;
	larger = realloc(s->in, INPUT_SIZE);
	TFR_NEED_MEMORY(larger, err, "opening a file");
	s->in = larger;
	return TFR_OK;
}

enum tfr_status tfr_stream_open(struct tfr_stream **out, struct tfr_source *source,
	const struct tfr_stream_opts *opts, struct tfr_error *err)
{
	struct tfr_stream *s = calloc(1, sizeof(*s));
	enum tfr_compression c = opts->compression;
	enum tfr_status status;

	if (!s) {
		tfr_source_close(source);
		return tfr_fail_nomem(err, "opening a file");
	}
	s->source = source;
	s->origin = s->begin = tfr_source_position(source);
	s->threads = tfr_thread_count(opts->threads);
	/* Without detection, the first bytes are not waited for: a first line may be shorter. */
	status = read_head(s, c == TFR_COMPRESSION_AUTO ? TFR_RECORD_HEADER : 1, err);
	if (!status && c == TFR_COMPRESSION_AUTO) {
		c = TFR_COMPRESSION_NONE;
		if (s->in_size < TFR_RECORD_HEADER || !tfr_header_verifies(s->in))
			c = tfr_codec_sniff(s->in, s->in_size);
	}
	s->compression = c;
	/* As in TensorFlow, a file of 0 bytes is an empty file with any compression. */
	if (!status && c != TFR_COMPRESSION_NONE && s->in_size)
		status = start_inflating(s, opts->gzi, err);
	if (status)
		tfr_stream_close(s);
	else
		*out = s;
	return status;
}

/* Frees all inflaters. */
static void stop(struct tfr_stream *s)
{
	tfr_inflate_free(s->inflate);
	tfr_ahead_close(s->ahead);
	replay_close(s->replay);
	s->inflate = NULL;
	s->ahead = NULL;
	s->replay = NULL;
}

void tfr_stream_close(struct tfr_stream *s)
{
	if (!s)
		return;
	stop(s);
	tfr_source_close(s->source);
	free(s->in);
	free(s);
}

static enum tfr_status refill(struct tfr_stream *s, struct tfr_error *err)
{
	enum tfr_status status;

	s->in_at = s->in_size = 0; /* also after a failure, or the last bytes would be used again */
	status = tfr_source_read_some(s->source, s->in, INPUT_SIZE, &s->in_size, err);
	if (!status && !s->in_size)
		s->source_ended = true;
	return status;
}

static enum tfr_status read_inflated(
	struct tfr_stream *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	struct tfr_codec_io io = { .out = buf, .out_size = size };
	enum tfr_status status;
	uint64_t since;

	for (;;) {
		io.in = s->in + s->in_at;
		io.in_size = s->in_size - s->in_at;
		since = tfr_clock_ns();
		status = tfr_inflate_run(s->inflate, &io, err);
		s->inflate_ns += tfr_clock_ns() - since;
		s->in_at = s->in_size - io.in_size;
		*got = size - io.out_size;
		if (status && tfr_source_seekable(s->source))
			return status; /* the same output comes again */
		/* From a pipe, the bytes before the damage are returned, and the next call fails.
		 */
		if (*got || status)
			return *got ? TFR_OK : status;
		if (s->source_ended) {
			if (tfr_inflate_at_end(s->inflate))
				return TFR_OK;
			return tfr_inflate_cut(s->inflate, err);
		}
		if (s->in_at == s->in_size)
			TFR_TRY(refill(s, err));
	}
}

/* Inflating failed here: inflate the file again in fixed steps, so that the result does not depend
 * on the caller's reads. */
static enum tfr_status start_replay(struct tfr_stream *s, struct tfr_error *err)
{
	struct tfr_inflate *z = NULL;

	TFR_TRY(new_inflate(s, &z, err));
	tfr_source_seek(s->source, s->begin);
	return replay_open(&s->replay, s->source, z, s->position - s->base, err);
}

static enum tfr_status read_compressed(
	struct tfr_stream *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint64_t since = tfr_clock_ns();

	*got = 0;
	if (!s->replay && s->ahead) {
		status = tfr_ahead_read(s->ahead, buf, size, got, err);
		s->inflate_ns += tfr_clock_ns() - since;
	} else if (!s->replay) {
		status = read_inflated(s, buf, size, got, err);
	}
	if (status == TFR_EDATA && tfr_source_seekable(s->source))
		status = start_replay(s, err);
	if (!status && s->replay)
		status = replay_read(s->replay, buf, size, got, err);
	return status;
}

static enum tfr_status read_plain(
	struct tfr_stream *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	size_t held = s->in_size - s->in_at;

	if (!held)
		return tfr_source_read_some(s->source, buf, size, got, err);
	*got = held < size ? held : size;
	memcpy(buf, s->in + s->in_at, *got);
	s->in_at += *got;
	return TFR_OK;
}

enum tfr_status tfr_stream_read(
	struct tfr_stream *s, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	enum tfr_status status;

	*got = 0;
	if (s->unplaced)
		return tfr_fail_path(err, s->unplaced, tfr_stream_name(s),
			"there was no getting to this place in");
	if (s->inflate || s->ahead)
		status = read_compressed(s, buf, size, got, err);
	else
		status = read_plain(s, buf, size, got, err);
	s->position += status ? 0 : *got;
	return status;
}

static enum tfr_status discard(struct tfr_stream *s, uint64_t bytes, struct tfr_error *err)
{
	char sink[16384];
	size_t got;

	for (; bytes; bytes -= got) {
		TFR_TRY(tfr_stream_read(
			s, sink, bytes < sizeof(sink) ? (size_t)bytes : sizeof(sink), &got, err));
		if (!got)
			return TFR_END;
	}
	return TFR_OK;
}

enum tfr_status tfr_stream_skip(struct tfr_stream *s, uint64_t bytes, struct tfr_error *err)
{
	uint64_t held = s->in_size - s->in_at;

	if (!tfr_stream_seekable(s))
		return discard(s, bytes, err);
	if (!tfr_stream_has(s, bytes))
		return TFR_END;
	s->position += bytes;
	if (bytes <= held) {
		s->in_at += (size_t)bytes;
		return TFR_OK;
	}
	s->in_at = s->in_size;
	tfr_source_skip(s->source, bytes - held);
	return TFR_OK;
}

/* Starts inflating again at the point. */
static enum tfr_status restart(
	struct tfr_stream *s, struct tfr_gzi_point point, struct tfr_error *err)
{
	enum tfr_status status;

	stop(s);
	s->begin = s->origin + point.compressed;
	s->base = s->position = point.uncompressed;
	s->in_at = s->in_size = 0;
	s->source_ended = false;
	tfr_source_seek(s->source, s->begin);
	status = read_head(s, 1, err);
	/* From the start of a member, or from within it: a member's header is not a deflate block.
	 */
	s->within = point.compressed && tfr_codec_sniff(s->in, s->in_size) != TFR_COMPRESSION_GZIP;
	if (!status && s->in_size)
		status = start_inflating(s, NULL, err);
	s->unplaced = status;
	return status;
}

static enum tfr_status seek_compressed(
	struct tfr_stream *s, const struct tfr_gzi *gzi, uint64_t offset, struct tfr_error *err)
{
	struct tfr_gzi_point point = { 0 };
	enum tfr_status status = TFR_OK;

	if (s->compression == TFR_COMPRESSION_GZIP)
		point = tfr_gzi_find(gzi, offset);
	if (offset < s->position || point.uncompressed > s->position || s->unplaced)
		status = restart(s, point, err);
	return status ? status : discard(s, offset - s->position, err);
}

enum tfr_status tfr_stream_seek(
	struct tfr_stream *s, const struct tfr_gzi *gzi, uint64_t offset, struct tfr_error *err)
{
	if (!tfr_source_seekable(s->source)) {
		if (offset >= s->position)
			return discard(s, offset - s->position, err);
		return tfr_fail_path(
			err, TFR_EUSAGE, tfr_stream_name(s), "there is no going back in");
	}
	if (s->compression != TFR_COMPRESSION_NONE)
		return seek_compressed(s, gzi, offset, err);
	s->in_at = s->in_size = 0;
	s->position = 0;
	tfr_source_seek(s->source, s->origin);
	return tfr_stream_skip(s, offset, err);
}

uint64_t tfr_stream_position(const struct tfr_stream *s)
{
	return s->position;
}

enum tfr_status tfr_stream_peek(const struct tfr_stream *s, int64_t ahead, void *buf, size_t size,
	size_t *got, struct tfr_error *err)
{
	uint64_t here = tfr_source_position(s->source) - (s->in_size - s->in_at);

	return tfr_source_read_at(s->source, here + (uint64_t)ahead, buf, size, got, err);
}

bool tfr_stream_cached(const struct tfr_stream *s, uint64_t ahead)
{
	uint64_t here = tfr_source_position(s->source) - (s->in_size - s->in_at);

	return tfr_source_cached(s->source, here + ahead);
}

bool tfr_stream_remote(const struct tfr_stream *s)
{
	return tfr_source_remote(s->source);
}

bool tfr_stream_has(struct tfr_stream *s, uint64_t bytes)
{
	uint64_t held = s->in_size - s->in_at;

	return !tfr_stream_seekable(s) || bytes <= held || tfr_source_has(s->source, bytes - held);
}

uint64_t tfr_stream_left(struct tfr_stream *s)
{
	return tfr_stream_seekable(s) ? tfr_source_left(s->source) + (s->in_size - s->in_at)
				      : UINT64_MAX;
}

bool tfr_stream_seekable(const struct tfr_stream *s)
{
	return !s->inflate && !s->ahead && tfr_source_seekable(s->source);
}

bool tfr_stream_device(const struct tfr_stream *s)
{
	return tfr_source_device(s->source);
}

enum tfr_compression tfr_stream_compression(const struct tfr_stream *s)
{
	return s->compression;
}

struct tfr_members tfr_stream_members(const struct tfr_stream *s)
{
	const struct tfr_inflate *z = s->replay	 ? replay_inflate(s->replay)
				      : s->ahead ? tfr_ahead_inflate(s->ahead)
						 : s->inflate;

	return z ? tfr_inflate_members(z) : (struct tfr_members){ 0 };
}

const char *tfr_stream_name(const struct tfr_stream *s)
{
	return tfr_source_name(s->source);
}

uint64_t tfr_stream_inflate_ns(const struct tfr_stream *s)
{
	return s->inflate_ns;
}
