/* record/inflate_ahead.c - reads compressed bytes in spans that begin at possible flush points,
 * and inflates them before their turn.
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
#include "record/inflate_ahead.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "thread/pool.h"

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

struct span {
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

struct tfr_ahead {
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
	unsigned hits, misses;
	struct tfr_gzi *gzi;
	uint64_t uncompressed;
	unsigned slots;
	struct span ring[];
};

/* Skips 64 bytes at a time while no two bytes at an even offset are both 0.  The pattern has two
 * such bytes wherever it begins: the first two, or those after five bytes. */
static size_t pass_over(const uint8_t *p, size_t size)
{
	typedef uint16_t pairs __attribute__((vector_size(16)));
	size_t at = 0;

	for (; at + 64 <= size; at += 64) {
		pairs four[4];
		uint64_t zero[2];

		memcpy(four, p + at, sizeof(four));
		four[0] =
			(pairs)((four[0] == 0) | (four[1] == 0) | (four[2] == 0) | (four[3] == 0));
		memcpy(zero, four, sizeof(zero));
		if (zero[0] | zero[1])
			break;
	}
	return at;
}

size_t tfr_ahead_find(const uint8_t *data, size_t size, size_t least)
{
	static const uint8_t pattern[] = { 0, 0, 0xff, 0xff, 0, 0, 0, 0xff, 0xff };
	enum { N = sizeof(pattern) };
	size_t at = least > N ? least - N : 0;

	while (at + N <= size) {
		size_t passed = pass_over(data + at, size - at), end;

		/* A pattern that begins in the last skipped bytes may have its zeros after them. */
		at += passed ? passed - 6 : 0;
		for (end = at + 64; at < end && at + N <= size; at++)
			if (!memcmp(data + at, pattern, N))
				return at + N;
	}
	return 0;
}

/* --- ahead --- */

static void inflate_span(struct tfr_pool_job *job)
{
	struct span *s = (struct span *)job; /* its first member */
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

static struct span *span_of(struct tfr_ahead *a, uint64_t i)
{
	assert(i >= a->first && i - a->first < a->slots);
	return &a->ring[i % a->slots];
}

/* With more threads, misses are known later.  The points in `gzi` must not depend on that, so
 * every candidate is tried for them. */
static bool worth_guessing(const struct tfr_ahead *a)
{
	return a->gzi || a->misses <= a->hits + MISSES;
}

static void give(struct tfr_ahead *a, struct span *s)
{
	if (!a->pool)
		a->pool = tfr_pool_new(a->threads);
	s->given = a->pool != NULL;
	if (s->given)
		tfr_pool_give(a->pool, &s->job);
}

/* Discards the result of the job. */
static void drop(struct tfr_ahead *a, struct span *s)
{
	if (!s->given)
		return;
	tfr_pool_take_back(a->pool, &s->job);
	tfr_inflate_free(s->z);
	s->z = NULL;
	s->given = false;
}

/* --- reading --- */

/* Reads more into `rest`.  False: the source has no more. */
static bool read_more(struct tfr_ahead *a)
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
static void read_span(struct tfr_ahead *a)
{
	/* Without a flush point, a large span gains nothing. */
	bool hopeful = !a->begun || a->rest_is_candidate;
	bool look = a->barren < BARREN || a->barren % BARREN == 0;
	size_t max = hopeful ? SPAN_MAX : READ_SIZE, cut = 0, looked = SPAN_MIN;
	struct span *s = span_of(a, a->next);
	struct tfr_buf taken = s->in;

	do {
		cut = look ? tfr_ahead_find(a->rest.data, a->rest.size, looked) : 0;
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
static void read_ahead(struct tfr_ahead *a)
{
	if (a->first == a->next) /* reuses memory that is in the cache */
		a->first = a->next = 0;
	while (a->next - a->first < a->slots && !(a->ended && !a->rest.size) &&
		(a->next == a->first || (a->rest_is_candidate && worth_guessing(a)))) {
		uint64_t before = a->next;
		struct span *s = span_of(a, before);

		read_span(a);
		if (a->next != before && s->candidate && worth_guessing(a))
			give(a, s);
	}
}

/* --- the turn of a span --- */

/* Accepts the result for the first span.  False: it must be inflated now. */
static bool accept(struct tfr_ahead *a, struct span *s)
{
	if (!s->given)
		return false;
	if (tfr_inflate_at_flush(a->z)) {
		tfr_pool_wait(a->pool, &s->job);
		s->given = false;
	}
	if (s->given || !s->z) {
		drop(a, s);
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
 * returned: record/stream.c does that. */
static enum tfr_status inflate_first(
	struct tfr_ahead *a, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	struct span *s = span_of(a, a->first);
	struct tfr_codec_io io = { s->in.data + a->at, s->in.size - a->at, buf, size };
	enum tfr_status status = tfr_inflate_run(a->z, &io, err);

	a->at = s->in.size - io.in_size;
	if (status)
		return status;
	*got = size - io.out_size;
	a->uncompressed += *got;
	if (*got)
		return TFR_OK;
	a->first++;
	a->at = 0;
	return TFR_OK;
}

enum tfr_status tfr_ahead_read(
	struct tfr_ahead *a, void *buf, size_t size, size_t *got, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	*got = 0;
	while (!status && !*got) {
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
		if (a->at || !accept(a, span_of(a, a->first)))
			status = inflate_first(a, buf, size, got, err);
	}
	return status;
}

const struct tfr_inflate *tfr_ahead_inflate(const struct tfr_ahead *a)
{
	return a->z;
}

/* --- opening --- */

enum tfr_status tfr_ahead_open(struct tfr_ahead **out, struct tfr_source *source,
	struct tfr_inflate *z, const struct tfr_ahead_opts *opts, struct tfr_error *err)
{
	unsigned slots = opts->threads + 2;
	struct tfr_ahead *a = calloc(1, sizeof(*a) + slots * sizeof(a->ring[0]));

	if (!a || !tfr_buf_append(&a->rest, opts->head, opts->head_size)) {
		tfr_inflate_free(z);
		free(a);
		return tfr_fail_nomem(err, "opening a file");
	}
	a->source = source;
	a->z = z;
	a->threads = opts->threads;
	a->gzi = opts->gzi;
	a->slots = slots;
	for (unsigned i = 0; i < slots; i++)
		a->ring[i].job.work = inflate_span;
	*out = a;
	return TFR_OK;
}

void tfr_ahead_close(struct tfr_ahead *a)
{
	if (!a)
		return;
	for (unsigned i = 0; i < a->slots; i++) {
		drop(a, &a->ring[i]);
		tfr_buf_clear(&a->ring[i].in);
		tfr_buf_clear(&a->ring[i].out);
	}
	tfr_pool_free(a->pool);
	tfr_inflate_free(a->z);
	tfr_buf_clear(&a->rest);
	free(a);
}
