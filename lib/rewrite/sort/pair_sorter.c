/* rewrite/sort/pair_sorter.c - pairs sorted in memory, or in runs on disk that are merged.
 *
 * What is wanted are the k-th smallest hashes of each class.  Sorting finds all of them at once,
 * for any number of classes and boundaries: one pass over the pairs on disk, where refining
 * histograms takes up to eight and a histogram for every class and boundary.  Hashes are random, so
 * a radix sort from the first byte on, in place, is through after three bytes or so and needs no
 * second array.
 *
 * A run is as many pairs as the memory holds.  The merge reads every run through its part of the
 * same memory, 4 KiB at least: with R runs of M bytes that is more than M only where R is above M /
 * 4 KiB, beyond a billion records at 8 MiB. */
#include "rewrite/sort/pair_sorter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/sort/spill.h"

enum {
	FIRST = 4096,
	INSERTION = 24,
	KEY_BYTES = sizeof(struct tfr_pair),
	READ_MIN = 4096,	       /* bytes */
	PIECE_PAIRS = (16 << 20) / 12, /* written at once */
};

/* A part of a run on disk; the parts of a run lie in order, and the runs one behind the other. */
struct piece {
	struct tfr_spot spot;
	size_t run;
};

struct tfr_spool {
	const char *const *folders;
	size_t folder_count;
	struct tfr_pair *pairs;
	size_t count, cap, max;
	struct tfr_spill *spill; /* NULL: all is in memory */
	struct piece *pieces;
	size_t n_pieces, pieces_cap, n_runs;
};

struct tfr_spool *tfr_spool_new(uint64_t memory, const char *const *folders, size_t count)
{
	struct tfr_spool *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	if (memory > SIZE_MAX / 2)
		memory = SIZE_MAX / 2;
	s->max = (memory > TFR_SPOOL_MIN ? memory : TFR_SPOOL_MIN) / sizeof(*s->pairs);
	s->folders = folders;
	s->folder_count = count;
	return s;
}

void tfr_spool_free(struct tfr_spool *s)
{
	if (!s)
		return;
	tfr_spill_close(s->spill);
	free(s->pairs);
	free(s->pieces);
	free(s);
}

uint64_t tfr_spool_spilled(const struct tfr_spool *s)
{
	return s->spill ? tfr_spill_bytes(s->spill) : 0;
}

/* --- sorting --- */

static uint64_t hash_of(const struct tfr_pair *p)
{
	return (uint64_t)p->high << 32 | p->low;
}

static bool before(const struct tfr_pair *a, const struct tfr_pair *b)
{
	return a->class != b->class ? a->class < b->class : hash_of(a) < hash_of(b);
}

/* Byte `i` of the key, the most significant first. */
static unsigned key_byte(const struct tfr_pair *p, unsigned i)
{
	uint32_t word = i < 4 ? p->class : i < 8 ? p->high : p->low;

	return word >> (24 - 8 * (i % 4)) & 0xff;
}

static void sort_few(struct tfr_pair *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct tfr_pair moving = p[i];
		size_t k = i;

		for (; k && before(&moving, &p[k - 1]); k--)
			p[k] = p[k - 1];
		p[k] = moving;
	}
}

/* Brings every pair into the part of its byte `i`, swapping each straight to where it belongs. */
static void distribute(struct tfr_pair *p, unsigned i, size_t next[256], const size_t end[256])
{
	for (unsigned b = 0; b < 256; b++) {
		while (next[b] < end[b]) {
			struct tfr_pair *here = &p[next[b]], swap = *here;
			unsigned to = key_byte(here, i);

			if (to == b) {
				next[b]++;
				continue;
			}
			*here = p[next[to]];
			p[next[to]++] = swap;
		}
	}
}

/* Counts byte `i` of all pairs: in next[] and end[] where the part of each value begins and ends.
 * False: all of them are in one part. */
static bool lay_out(
	const struct tfr_pair *p, size_t n, unsigned i, size_t next[256], size_t end[256])
{
	size_t start = 0;
	unsigned first = key_byte(p, i);

	memset(end, 0, 256 * sizeof(*end));
	for (size_t k = 0; k < n; k++)
		end[key_byte(&p[k], i)]++;
	if (end[first] == n)
		return false;
	for (unsigned b = 0; b < 256; b++) {
		next[b] = start;
		start += end[b];
		end[b] = start;
	}
	return true;
}

/* The pairs agree in all bytes before `i`. */
static void sort(struct tfr_pair *p, size_t n, unsigned i)
{
	size_t next[256], end[256], start = 0;

	while (n > INSERTION && i < KEY_BYTES && !lay_out(p, n, i, next, end))
		i++;
	if (n <= INSERTION) {
		sort_few(p, n);
		return;
	}
	if (i == KEY_BYTES)
		return;
	distribute(p, i, next, end);
	for (unsigned b = 0; b < 256; b++) {
		if (end[b] - start > 1)
			sort(p + start, end[b] - start, i + 1);
		start = end[b];
	}
}

/* --- spilling --- */

static bool note_piece(struct tfr_spool *s, const struct tfr_spot *spot)
{
	size_t cap = s->pieces_cap ? 2 * s->pieces_cap : 16;
	struct piece *pieces = s->pieces;

	if (s->n_pieces == s->pieces_cap) {
		pieces = reallocarray(pieces, cap, sizeof(*pieces));
		if (!pieces)
			return false;
		s->pieces = pieces;
		s->pieces_cap = cap;
	}
	pieces[s->n_pieces++] = (struct piece){ *spot, s->n_runs };
	return true;
}

/* What is in memory becomes a run on disk. */
static enum tfr_status spill(struct tfr_spool *s, struct tfr_error *err)
{
	struct tfr_spill_opts opts = { .folders = s->folders, .folder_count = s->folder_count };
	enum tfr_status status = s->spill ? TFR_OK : tfr_spill_open(&s->spill, &opts, err);

	if (!status)
		sort(s->pairs, s->count, 0);
	for (size_t at = 0; !status && at < s->count; at += PIECE_PAIRS) {
		size_t n = s->count - at < PIECE_PAIRS ? s->count - at : PIECE_PAIRS;
		struct tfr_spot spot;

		status = tfr_spill_write(s->spill, (unsigned)s->n_runs, s->pairs + at,
			n * sizeof(*s->pairs), &spot, err);
		if (!status && !note_piece(s, &spot))
			status = tfr_fail_nomem(err, "counting the records");
	}
	if (status == TFR_ESYS && err && err->sys_errno == ENOSPC)
		tfr_error_hint(err,
			"It takes %zu bytes a record, and more than %llu records are there.  Allow "
			"more memory with -m, or name a folder with more space, or several, with "
			"--tmpdir.",
			sizeof(*s->pairs),
			(unsigned long long)(tfr_spool_spilled(s) / sizeof(*s->pairs) + s->count));
	s->n_runs++;
	s->count = 0;
	return status;
}

static bool grow(struct tfr_spool *s)
{
	size_t cap = s->cap ? 2 * s->cap : FIRST;
	struct tfr_pair *pairs;

	if (cap > s->max)
		cap = s->max;
	pairs = reallocarray(s->pairs, cap, sizeof(*pairs));
	if (!pairs)
		return false;
	s->pairs = pairs;
	s->cap = cap;
	return true;
}

enum tfr_status tfr_spool_add(
	struct tfr_spool *s, const struct tfr_pair *pairs, size_t n, struct tfr_error *err)
{
	while (n) {
		size_t take;

		if (s->count == s->max) {
			enum tfr_status status = spill(s, err);

			if (status)
				return status;
		}
		if (s->count == s->cap && !grow(s))
			return tfr_fail_nomem(err, "counting the records");
		take = s->cap - s->count < n ? s->cap - s->count : n;
		memcpy(s->pairs + s->count, pairs, take * sizeof(*pairs));
		s->count += take;
		pairs += take;
		n -= take;
	}
	return TFR_OK;
}

/* --- walking --- */

/* Puts equal pairs together on their way to visit(). */
struct gather {
	void (*visit)(void *ctx, uint32_t class, uint64_t hash, uint64_t times);
	void *ctx;
	struct tfr_pair pair;
	uint64_t times; /* 0: nothing yet */
};

static void gather_end(const struct gather *g)
{
	if (g->times)
		g->visit(g->ctx, g->pair.class, hash_of(&g->pair), g->times);
}

static void gather_add(struct gather *g, const struct tfr_pair *p)
{
	if (g->times && !before(&g->pair, p)) {
		g->times++;
		return;
	}
	gather_end(g);
	g->pair = *p;
	g->times = 1;
}

/* A run on its way through the merge. */
struct source {
	struct tfr_pair *buffer;
	size_t at, filled;
	size_t piece, end; /* the run's pieces from where it is */
	size_t read;	   /* pairs of the first of them that were read */
};

struct merge {
	const struct tfr_spool *s;
	struct source *sources;
	size_t *heap; /* sources that have a pair, the smallest first */
	size_t n_heap;
	size_t share; /* pairs a buffer holds */
};

static const struct tfr_pair *head(const struct merge *m, size_t heap_index)
{
	const struct source *src = &m->sources[m->heap[heap_index]];

	return &src->buffer[src->at];
}

/* False where the run is through: what the buffer holds is empty then. */
static bool refill(
	struct merge *m, struct source *src, enum tfr_status *status, struct tfr_error *err)
{
	struct tfr_spot spot;
	size_t left;

	src->at = src->filled = 0;
	if (src->piece == src->end)
		return false;
	spot = m->s->pieces[src->piece].spot;
	left = spot.size / sizeof(*src->buffer) - src->read;
	src->filled = left < m->share ? left : m->share;
	spot.offset += src->read * sizeof(*src->buffer);
	spot.size = (uint32_t)(src->filled * sizeof(*src->buffer));
	*status = tfr_spill_read(m->s->spill, &spot, src->buffer, err);
	src->read += src->filled;
	if (src->filled == left) {
		src->piece++;
		src->read = 0;
	}
	return !*status;
}

static void sift_down(struct merge *m, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < m->n_heap; k++)
			if (before(head(m, k), head(m, least)))
				least = k;
		if (least == i)
			return;
		m->heap[i] ^= m->heap[least];
		m->heap[least] ^= m->heap[i];
		m->heap[i] ^= m->heap[least];
		i = least;
	}
}

static enum tfr_status merge_open(struct merge *m, struct tfr_error *err)
{
	const struct tfr_spool *s = m->s;
	enum tfr_status status = TFR_OK;

	m->share = s->max / s->n_runs;
	if (m->share < READ_MIN / sizeof(struct tfr_pair))
		m->share = READ_MIN / sizeof(struct tfr_pair);
	m->sources = calloc(s->n_runs, sizeof(*m->sources));
	m->heap = calloc(s->n_runs, sizeof(*m->heap));
	if (!m->sources || !m->heap)
		return tfr_fail_nomem(err, "ordering the hashes");
	for (size_t i = 0, piece = 0; !status && i < s->n_runs; i++) {
		struct source *src = &m->sources[i];

		src->buffer = malloc(m->share * sizeof(*src->buffer));
		if (!src->buffer)
			return tfr_fail_nomem(err, "ordering the hashes");
		src->piece = piece;
		while (piece < s->n_pieces && s->pieces[piece].run == i)
			piece++;
		src->end = piece;
		if (refill(m, src, &status, err))
			m->heap[m->n_heap++] = i;
	}
	for (size_t i = m->n_heap / 2; i-- > 0;)
		sift_down(m, i);
	return status;
}

static void merge_close(struct merge *m)
{
	for (size_t i = 0; m->sources && i < m->s->n_runs; i++)
		free(m->sources[i].buffer);
	free(m->sources);
	free(m->heap);
}

static enum tfr_status merge(struct merge *m, struct gather *g, struct tfr_error *err)
{
	enum tfr_status status = merge_open(m, err);

	while (!status && m->n_heap) {
		struct source *src = &m->sources[m->heap[0]];

		gather_add(g, &src->buffer[src->at++]);
		if (src->at == src->filled && !refill(m, src, &status, err))
			m->heap[0] = m->heap[--m->n_heap];
		sift_down(m, 0);
	}
	return status;
}

enum tfr_status tfr_spool_walk(struct tfr_spool *s,
	void (*visit)(void *ctx, uint32_t class, uint64_t hash, uint64_t times), void *ctx,
	struct tfr_error *err)
{
	struct gather g = { .visit = visit, .ctx = ctx };
	struct merge m = { .s = s };
	enum tfr_status status = TFR_OK;

	if (!s->spill) {
		sort(s->pairs, s->count, 0);
		for (size_t i = 0; i < s->count; i++)
			gather_add(&g, &s->pairs[i]);
	} else {
		if (s->count)
			status = spill(s, err);
		free(s->pairs); /* the merge has this memory now */
		s->pairs = NULL;
		s->cap = 0;
		if (!status)
			status = merge(&m, &g, err);
		merge_close(&m);
	}
	if (!status)
		gather_end(&g);
	return status;
}
