/* record/stream.c - a source and, if the file is compressed, an inflater, or several for GZIP that
 * can be read ahead.
 *
 * The first bytes are read ahead to detect the format.  A plain file returns them from the buffer
 * and is then read directly. */
#include "record/stream.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "codec/codec.h"
#include "io/source.h"
#include "record/framing.h"
#include "record/gzi.h"
#include "thread/pool.h"
#include "thread/threads.h"

/* --- reading damage again --- */

/* Inflates a damaged file again, in fixed steps.
 *
 * How much ISA-L inflates before damage depends on the room in the output, by some hundred bytes.
 * So the bytes before damage would depend on the size of a reader's blocks and on the number of
 * threads.  When damage is met in a file that can be read again, it is inflated from its start in
 * the same steps for any caller, and bytes that were returned before are skipped. */

enum { STEP = 64 << 10 };

struct replay {
	struct tfr_source *source;
	struct tfr_inflate *z;
	uint64_t skip;
	size_t in_at, in_size, out_at, out_size;
	uint8_t in[STEP], out[STEP];
};

/* `z` starts at the source's position and is taken over, also on failure.  The source stays the
 * caller's.  `skip`: bytes that were returned before. */
static enum tfr_status replay_open(struct replay **out, struct tfr_source *source,
	struct tfr_inflate *z, uint64_t skip, struct tfr_error *err)
{
	struct replay *r = calloc(1, sizeof(*r));

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
static void replay_close(struct replay *r)
{
	if (!r)
		return;
	tfr_inflate_free(r->z);
	free(r);
}

/* Inflates the next step.  *ended: there is none. */
static enum tfr_status inflate_step(struct replay *r, bool *ended, struct tfr_error *err)
{
	struct tfr_codec_io io = { r->in + r->in_at, r->in_size - r->in_at, r->out, STEP };
	enum tfr_status status = tfr_inflate_run(r->z, &io, err);

	r->in_at = r->in_size - io.in_size;
	r->out_at = 0;
	r->out_size = STEP - io.out_size;
	if (r->out_size || status) /* a failure is reported again when all output is returned */
		return r->out_size ? TFR_OK : status;
	r->in_at = 0;
	TFR_TRY(tfr_source_read(r->source, r->in, STEP, &r->in_size, err));
	*ended = !r->in_size;
	return TFR_OK;
}

/* As tfr_stream_read(). */
static enum tfr_status replay_read(
	struct replay *r, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	bool ended = false;
	size_t have, pass;

	*got = 0;
	while (!ended) {
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
		TFR_TRY(inflate_step(r, &ended, err));
	}
	return tfr_inflate_at_end(r->z) ? TFR_OK : tfr_inflate_cut(r->z, err);
}

/* --- inflating ahead --- */

/* Inflates a GZIP file with several threads.  Its compressed bytes are read in spans that begin at
 * possible flush points, and inflated before their turn.  The output, and the report of damage
 * after intact data, are those of one thread, byte for byte.
 *
 * A span is inflated as if nothing came before it.  Whether that was right is known at its turn.
 * Its output is accepted only if the current inflater is exactly at its start, with all bits used,
 * at the end of a block in a member.  Then the span's inflater continues.  Otherwise the current
 * inflater inflates the span, as one thread would.  Reasons are a chance pattern in the data, a
 * reference to earlier bytes, damage, or too much output for memory.  So a wrong guess costs only
 * time, and a failure is met by the same code at the same byte.
 *
 * An inflater that takes over must know as much history as a back reference can reach.  So a span
 * that gives less than 32 KiB does not count, unless its member ends in it. */

enum {
	HISTORY = 32 << 10,
	READ_SIZE = 256 << 10,
	SPAN_MIN = 32 << 10, /* of the file; less is not worth a job */
	SPAN_MAX = 2 << 20,
	OUT_FIRST = 1408 << 10, /* a segment of ours, which exceeds 1 MiB a little */
	OUT_MAX = 4 << 20,
	MISSES = 8,  /* with so many more misses than hits, guessing ends */
	BARREN = 16, /* after so many spans without a candidate, one of so many is searched */
};

struct ahead_span {
	struct tfr_pool_job job;
	struct tfr_buf in;
	uint64_t offset; /* of it in the source */
	bool candidate;	 /* a possible flush point is at its start */
	bool given;	 /* to the pool */
	/* The result of the job.  z NULL: unusable. */
	struct tfr_inflate *z;
	struct tfr_buf out;
	size_t used;
};

/* The source is read into `rest`, which is cut into spans; those from `first` to `next` are in the
 * ring.  One thread, the caller's, has all of this; a job has its span only. */
struct ahead {
	struct tfr_source *source;
	struct tfr_inflate *z; /* at byte `at` of the first span */
	unsigned threads;
	struct tfr_pool *pool; /* made at the first candidate */
	uint64_t first, next;  /* of the ring */
	size_t at;
	struct tfr_buf rest; /* read, and not in a span yet */
	bool rest_is_candidate;
	bool begun;
	unsigned barren; /* spans since the last candidate */
	uint64_t offset; /* of `rest` in the source */
	bool ended;
	enum tfr_status status; /* of the source, after the last span */
	struct tfr_error err;
	const uint8_t *ready; /* output of an accepted span */
	size_t ready_size;
	unsigned hits, misses; /* of the guesses that spans begin at flush points */
	struct tfr_gzi *gzi;   /* gets the proven flush points; may be NULL */
	uint64_t uncompressed; /* bytes returned or ready */
	unsigned slots;
	struct ahead_span ring[];
};

static void inflate_span(struct tfr_pool_job *job)
{
	struct ahead_span *s = (struct ahead_span *)job; /* its first member */
	struct tfr_codec_io io = { .in = s->in.data, .in_size = s->in.size };
	enum tfr_status status = tfr_inflate_new_within(&s->z, NULL);
	size_t room;

	s->out.size = 0;
	while (!status) {
		room = s->out.size < OUT_FIRST ? OUT_FIRST : OUT_MAX;
		if (s->out.size == OUT_MAX || !tfr_buf_reserve(&s->out, room - s->out.size)) {
			status = TFR_ENOMEM;
			break;
		}
		io.out = s->out.data + s->out.size;
		io.out_size = room - s->out.size;
		status = tfr_inflate_run(s->z, &io, NULL);
		s->out.size = room - io.out_size;
		if (io.out_size)
			break;
	}
	assert(io.in_size <= s->in.size);
	s->used = s->in.size - io.in_size;
	if (status || (s->out.size < HISTORY && !tfr_inflate_at_trailer(s->z))) {
		tfr_inflate_free(s->z);
		s->z = NULL;
	}
}

static struct ahead_span *span_of(struct ahead *a, uint64_t i)
{
	assert(i >= a->first && i - a->first < a->slots);
	return &a->ring[i % a->slots];
}

/* With more threads, misses are known later.  The points in `gzi` must not depend on that, so
 * every candidate is tried for them. */
static bool worth_guessing(const struct ahead *a)
{
	return a->gzi || a->misses <= a->hits + MISSES;
}

static void give_span(struct ahead *a, struct ahead_span *s)
{
	if (!a->pool)
		a->pool = tfr_pool_new(a->threads);
	s->given = a->pool != NULL;
	if (s->given)
		tfr_pool_give(a->pool, &s->job);
}

/* Discards the result of the job. */
static void drop_span(struct ahead *a, struct ahead_span *s)
{
	if (!s->given)
		return;
	tfr_pool_take_back(a->pool, &s->job);
	tfr_inflate_free(s->z);
	s->z = NULL;
	s->given = false;
}

/* Reads more into `rest`.  False: the source has no more. */
static bool read_more(struct ahead *a)
{
	size_t got = 0;

	if (a->ended)
		return false;
	if (tfr_buf_reserve(&a->rest, READ_SIZE))
		a->status = tfr_source_read_some(
			a->source, a->rest.data + a->rest.size, READ_SIZE, &got, &a->err);
	else
		a->status = tfr_fail_nomem(&a->err, "reading a file");
	a->ended = a->status || !got;
	a->rest.size += a->status ? 0 : got;
	return !a->ended;
}

/* Makes the next span from `rest`, up to the start of the span after it. */
static void read_span(struct ahead *a)
{
	/* Without a flush point, a large span gains nothing. */
	bool hopeful = !a->begun || a->rest_is_candidate;
	bool look = a->barren < BARREN || a->barren % BARREN == 0;
	size_t max = hopeful ? SPAN_MAX : READ_SIZE, cut = 0, looked = SPAN_MIN;
	struct ahead_span *s = span_of(a, a->next);
	struct tfr_buf taken = s->in;

	do {
		cut = look ? tfr_find_full_flush(a->rest.data, a->rest.size, looked) : 0;
		/* The pattern may straddle two reads. */
		looked = a->rest.size > SPAN_MIN ? a->rest.size : SPAN_MIN;
	} while (!cut && a->rest.size < max && read_more(a));
	taken.size = 0;
	s->candidate = a->rest_is_candidate;
	a->rest_is_candidate = cut != 0;
	a->barren = cut ? 0 : a->barren + 1;
	a->begun = true;
	cut = cut ? cut : a->rest.size;
	if (!tfr_buf_append(&taken, a->rest.data + cut, a->rest.size - cut)) {
		a->status = tfr_fail_nomem(&a->err, "reading a file");
		a->ended = true;
		taken.size = 0;
	}
	a->rest.size = cut;
	s->in = a->rest;
	a->rest = taken;
	s->offset = a->offset;
	a->offset += cut;
	a->next += s->in.size != 0;
}

/* Reads ahead as long as spans can be inflated ahead. */
static void read_ahead(struct ahead *a)
{
	if (a->first == a->next) /* reuses memory that is in the cache */
		a->first = a->next = 0;
	while (a->next - a->first < a->slots && !(a->ended && !a->rest.size) &&
		(a->next == a->first || (a->rest_is_candidate && worth_guessing(a)))) {
		uint64_t before = a->next;
		struct ahead_span *s = span_of(a, before);

		read_span(a);
		if (a->next != before && s->candidate && worth_guessing(a))
			give_span(a, s);
	}
}

/* Accepts the result for the first span.  False: it must be inflated now. */
static bool accept_span(struct ahead *a, struct ahead_span *s)
{
	if (!s->given)
		return false;
	if (tfr_inflate_at_flush(a->z)) {
		tfr_pool_wait(a->pool, &s->job);
		s->given = false;
	}
	if (s->given || !s->z) {
		drop_span(a, s);
		a->misses++;
		return false;
	}
	if (a->gzi && !tfr_gzi_add(a->gzi, s->offset, a->uncompressed)) {
		a->status = tfr_fail_nomem(&a->err, "noting flush points");
		a->ended = true;
	}
	assert(!a->at && s->used <= s->in.size);
	a->hits++;
	tfr_inflate_join(s->z, a->z);
	tfr_inflate_free(a->z);
	a->z = s->z;
	s->z = NULL;
	a->ready = s->out.data;
	a->ready_size = s->out.size;
	a->uncompressed += s->out.size;
	a->at = s->used;
	return true;
}

/* Inflates from the first span into `buf`.  *got == 0: the span is used up.  On damage nothing is
 * returned: replaying does that. */
static enum tfr_status inflate_first(
	struct ahead *a, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	struct ahead_span *s = span_of(a, a->first);
	struct tfr_codec_io io = { s->in.data + a->at, s->in.size - a->at, buf, size };
	enum tfr_status status = tfr_inflate_run(a->z, &io, err);

	a->at = s->in.size - io.in_size;
	TFR_TRY(status);
	*got = size - io.out_size;
	a->uncompressed += *got;
	if (*got)
		return TFR_OK;
	a->first++;
	a->at = 0;
	return TFR_OK;
}

/* As tfr_stream_read().  With TFR_EDATA, some bytes before the damage were not returned. */
static enum tfr_status ahead_read(
	struct ahead *a, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	*got = 0;
	while (!*got) {
		if (a->ready_size) {
			*got = a->ready_size < size ? a->ready_size : size;
			memcpy(buf, a->ready, *got);
			a->ready += *got;
			a->ready_size -= *got;
			break;
		}
		read_ahead(a);
		if (a->first == a->next) {
			if (a->status && err)
				*err = a->err;
			if (a->status || tfr_inflate_at_end(a->z))
				return a->status;
			return tfr_inflate_cut(a->z, err);
		}
		if (a->at || !accept_span(a, span_of(a, a->first)))
			TFR_TRY(inflate_first(a, buf, size, got, err));
	}
	return TFR_OK;
}

/* Accepts NULL. */
static void ahead_close(struct ahead *a)
{
	if (!a)
		return;
	for (unsigned i = 0; i < a->slots; i++) {
		drop_span(a, &a->ring[i]);
		tfr_buf_clear(&a->ring[i].in);
		tfr_buf_clear(&a->ring[i].out);
	}
	tfr_pool_free(a->pool);
	tfr_inflate_free(a->z);
	tfr_buf_clear(&a->rest);
	free(a);
}

/* --- the stream --- */

enum { HEAD_SIZE = 4096, INPUT_SIZE = 256 << 10 };

struct tfr_stream {
	struct tfr_source *source;
	enum tfr_compression compression;
	struct tfr_inflate *inflate;
	struct ahead *ahead;	   /* instead of `inflate` and `in` */
	struct replay *replay;	   /* likewise, after damage was met */
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
		TFR_TRY(tfr_source_read_some(
			s->source, s->in + s->in_size, HEAD_SIZE - s->in_size, &got, err));
		s->in_size += got;
	} while (got && s->in_size < need);
	return TFR_OK;
}

/* Takes over `z`, also on failure. */
static enum tfr_status start_ahead(
	struct tfr_stream *s, struct tfr_inflate *z, struct tfr_gzi *gzi, struct tfr_error *err)
{
	unsigned slots = s->threads + 2;
	struct ahead *a = calloc(1, sizeof(*a) + slots * sizeof(a->ring[0]));

	if (!a || !tfr_buf_append(&a->rest, s->in, s->in_size)) {
		tfr_inflate_free(z);
		free(a);
		return tfr_fail_nomem(err, "opening a file");
	}
	s->in_at = s->in_size;
	a->source = s->source;
	a->z = z;
	a->threads = s->threads;
	a->gzi = gzi;
	a->slots = slots;
	for (unsigned i = 0; i < slots; i++)
		a->ring[i].job.work = inflate_span;
	s->ahead = a;
	return TFR_OK;
}

static enum tfr_status new_inflate(
	struct tfr_stream *s, struct tfr_inflate **z, struct tfr_error *err)
{
	if (!s->within)
		return tfr_inflate_new(z, s->compression, err);
	TFR_TRY(tfr_inflate_new_within(z, err));
	tfr_inflate_trust(*z);
	return TFR_OK;
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

static enum tfr_status open_stream(
	struct tfr_stream *s, const struct tfr_stream_opts *opts, struct tfr_error *err)
{
	bool detected = opts->compression == TFR_COMPRESSION_AUTO;

	/* Without detection, the first bytes are not waited for: a first line may be shorter. */
	TFR_TRY(read_head(s, detected ? TFR_RECORD_HEADER : 1, err));
	s->compression = opts->compression;
	if (detected && s->in_size >= TFR_RECORD_HEADER && tfr_header_verifies(s->in))
		s->compression = TFR_COMPRESSION_NONE;
	else if (detected)
		s->compression = tfr_codec_sniff(s->in, s->in_size);
	/* As in TensorFlow, a file of 0 bytes is an empty file with any compression. */
	return s->compression != TFR_COMPRESSION_NONE && s->in_size
		       ? start_inflating(s, opts->gzi, err)
		       : TFR_OK;
}

enum tfr_status tfr_stream_open(struct tfr_stream **out, struct tfr_source *source,
	const struct tfr_stream_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_STREAM s = calloc(1, sizeof(*s));

	if (!s) {
		tfr_source_close(source);
		return tfr_fail_nomem(err, "opening a file");
	}
	s->source = source;
	s->origin = s->begin = tfr_source_position(source);
	s->threads = tfr_thread_count(opts->threads);
	TFR_TRY(open_stream(s, opts, err));
	*out = TFR_STEAL(s);
	return TFR_OK;
}

static void free_inflaters(struct tfr_stream *s)
{
	tfr_inflate_free(s->inflate);
	ahead_close(s->ahead);
	replay_close(s->replay);
	s->inflate = NULL;
	s->ahead = NULL;
	s->replay = NULL;
}

void tfr_stream_close(struct tfr_stream *s)
{
	if (!s)
		return;
	free_inflaters(s);
	tfr_source_close(s->source);
	free(s->in);
	free(s);
}

static enum tfr_status refill_input(struct tfr_stream *s, struct tfr_error *err)
{
	s->in_at = s->in_size = 0; /* also after a failure, or the last bytes would be used again */
	TFR_TRY(tfr_source_read_some(s->source, s->in, INPUT_SIZE, &s->in_size, err));
	s->source_ended = !s->in_size;
	return TFR_OK;
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
		if (s->source_ended)
			return tfr_inflate_at_end(s->inflate) ? TFR_OK
							      : tfr_inflate_cut(s->inflate, err);
		if (s->in_at == s->in_size)
			TFR_TRY(refill_input(s, err));
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
		status = ahead_read(s->ahead, buf, size, got, err);
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
	*got = 0;
	if (s->unplaced)
		return tfr_fail_path(err, s->unplaced, tfr_stream_name(s),
			"there was no getting to this place in");
	TFR_TRY(s->inflate || s->ahead ? read_compressed(s, buf, size, got, err)
				       : read_plain(s, buf, size, got, err));
	s->position += *got;
	return TFR_OK;
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

/* Starts inflating where the source is.  `inside`: that is not the start of the file. */
static enum tfr_status start_here(struct tfr_stream *s, bool inside, struct tfr_error *err)
{
	TFR_TRY(read_head(s, 1, err));
	/* From the start of a member, or from within it: a member's header is not a deflate block.
	 */
	s->within = inside && tfr_codec_sniff(s->in, s->in_size) != TFR_COMPRESSION_GZIP;
	return s->in_size ? start_inflating(s, NULL, err) : TFR_OK;
}

/* Starts inflating again at the point. */
static enum tfr_status restart_inflating(
	struct tfr_stream *s, struct tfr_gzi_point point, struct tfr_error *err)
{
	free_inflaters(s);
	s->begin = s->origin + point.compressed;
	s->base = s->position = point.uncompressed;
	s->in_at = s->in_size = 0;
	s->source_ended = false;
	tfr_source_seek(s->source, s->begin);
	s->unplaced = start_here(s, point.compressed != 0, err);
	return s->unplaced;
}

static enum tfr_status seek_compressed(
	struct tfr_stream *s, const struct tfr_gzi *gzi, uint64_t offset, struct tfr_error *err)
{
	struct tfr_gzi_point point = { 0 };

	if (s->compression == TFR_COMPRESSION_GZIP)
		point = tfr_gzi_find(gzi, offset);
	if (offset < s->position || point.uncompressed > s->position || s->unplaced)
		TFR_TRY(restart_inflating(s, point, err));
	return discard(s, offset - s->position, err);
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
	const struct tfr_inflate *z = s->replay	 ? s->replay->z
				      : s->ahead ? s->ahead->z
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
