/* rewrite/sort/sorter.c - external sort: rows are sorted in memory, or in runs on disk that are
 * merged.
 *
 * A run has as many rows as fit in memory.  The merge reads all runs through the same memory, of
 * which each has a share, and a heap of runs gives the smallest row. */
#include "rewrite/sort/sorter.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { FIRST = 4096, READ_MIN = 4096, PIECE = 16 << 20 };

/* A piece of a run on disk; the pieces of a run are in order, and so are the runs. */
struct piece {
	struct tfr_spot spot;
	size_t run;
};

/* A run being merged. */
struct source {
	uint8_t *buffer;
	size_t at, filled; /* rows */
	size_t piece, end; /* the run's remaining pieces */
	size_t read;	   /* rows already read of the first of them */
};

struct tfr_sorter {
	const struct tfr_spill_folders *folders;
	size_t row; /* bytes */
	unsigned threads;
	pthread_mutex_t lock;	 /* of tfr_sorter_take() */
	uint8_t *rows;		 /* added, and not on disk */
	size_t count, cap, max;	 /* of `rows`; at `max`, they become a run on disk */
	struct tfr_spill *spill; /* NULL: all rows are in memory */
	struct piece *pieces;
	size_t n_pieces, pieces_cap, n_runs;
	bool walking;
	size_t at; /* in memory: the next row */
	struct source *sources;
	size_t *heap; /* sources that have a row, as a heap with the smallest first */
	size_t n_heap, share;
	uint8_t out[TFR_SORTER_ROW];
};

struct tfr_sorter *tfr_sorter_new(
	size_t row, uint64_t memory, const struct tfr_spill_folders *folders, unsigned threads)
{
	struct tfr_sorter *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	if (memory > SIZE_MAX / 2)
		memory = SIZE_MAX / 2;
	s->row = row;
	s->max = (memory > TFR_SORTER_MIN ? memory : TFR_SORTER_MIN) / row;
	s->folders = folders;
	s->threads = threads;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void tfr_sorter_free(struct tfr_sorter *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->sources && i < s->n_runs; i++)
		free(s->sources[i].buffer);
	free(s->sources);
	free(s->heap);
	tfr_spill_close(s->spill);
	pthread_mutex_destroy(&s->lock);
	free(s->rows);
	free(s->pieces);
	free(s);
}

uint64_t tfr_sorter_spilled(const struct tfr_sorter *s)
{
	return s->spill ? tfr_spill_bytes(s->spill) : 0;
}

/* --- creating runs --- */

static enum tfr_status write_run(struct tfr_sorter *s, struct tfr_error *err)
{
	struct tfr_spill_opts opts = { .folders = s->folders };
	size_t most = PIECE / s->row;

	if (!s->spill)
		TFR_TRY(tfr_spill_open(&s->spill, &opts, err));
	tfr_row_sort(s->rows, s->count, s->row, s->threads);
	for (size_t at = 0; at < s->count; at += most) {
		size_t n = s->count - at < most ? s->count - at : most;
		struct tfr_spot spot;

		TFR_TRY(tfr_spill_write(s->spill, (unsigned)s->n_runs, s->rows + at * s->row,
			n * s->row, &spot, err));
		TFR_NEED_MEMORY(!TFR_ARRAY_RESERVE(s->pieces, s->pieces_cap, s->n_pieces + 1), err,
			"sorting");
		s->pieces[s->n_pieces++] = (struct piece){ spot, s->n_runs };
	}
	return TFR_OK;
}

static enum tfr_status spill_rows(struct tfr_sorter *s, struct tfr_error *err)
{
	enum tfr_status status = write_run(s, err);

	if (status == TFR_ESYS && err && err->sys_errno == ENOSPC)
		tfr_error_hint(err,
			"It takes %zu bytes a record, and more than %llu records are there.  Allow "
			"more memory with -m, or name a folder with more space, or several, with "
			"--tmpdir.",
			s->row, (unsigned long long)(tfr_sorter_spilled(s) / s->row + s->count));
	s->n_runs++;
	s->count = 0;
	return status;
}

static bool grow_rows(struct tfr_sorter *s)
{
	size_t cap = s->cap ? 2 * s->cap : FIRST;
	uint8_t *rows;

	if (cap > s->max)
		cap = s->max;
	rows = reallocarray(s->rows, cap, s->row);
	if (!rows)
		return false;
	s->rows = rows;
	s->cap = cap;
	return true;
}

enum tfr_status tfr_sorter_add(
	struct tfr_sorter *s, const void *rows, size_t n, struct tfr_error *err)
{
	const uint8_t *p = rows;

	while (n) {
		size_t take;

		if (s->count == s->max)
			TFR_TRY(spill_rows(s, err));
		TFR_NEED_MEMORY(s->count < s->cap || grow_rows(s), err, "sorting");
		take = s->cap - s->count < n ? s->cap - s->count : n;
		memcpy(s->rows + s->count * s->row, p, take * s->row);
		s->count += take;
		p += take * s->row;
		n -= take;
	}
	return TFR_OK;
}

enum tfr_status tfr_sorter_take(
	struct tfr_sorter *s, const void *rows, size_t *n, struct tfr_error *err)
{
	enum tfr_status status;

	pthread_mutex_lock(&s->lock);
	status = tfr_sorter_add(s, rows, *n, err);
	pthread_mutex_unlock(&s->lock);
	*n = 0;
	return status;
}

/* --- merging runs --- */

static const uint8_t *head_row(const struct tfr_sorter *s, size_t heap_index)
{
	const struct source *src = &s->sources[s->heap[heap_index]];

	return src->buffer + src->at * s->row;
}

/* TFR_END: the run has no more rows. */
static enum tfr_status refill(struct tfr_sorter *s, struct source *src, struct tfr_error *err)
{
	enum tfr_status status;
	struct tfr_spot spot;
	size_t left;

	src->at = src->filled = 0;
	if (src->piece == src->end)
		return TFR_END;
	spot = s->pieces[src->piece].spot;
	left = spot.size / s->row - src->read;
	src->filled = left < s->share ? left : s->share;
	spot.offset += src->read * s->row;
	spot.size = (uint32_t)(src->filled * s->row);
	status = tfr_spill_read(s->spill, &spot, src->buffer, err);
	src->read += src->filled;
	if (src->filled == left) {
		src->piece++;
		src->read = 0;
	}
	return status;
}

static void sift_down(struct tfr_sorter *s, size_t i)
{
	for (;;) {
		size_t least = i, swap;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < s->n_heap; k++)
			if (memcmp(head_row(s, k), head_row(s, least), s->row) < 0)
				least = k;
		if (least == i)
			return;
		swap = s->heap[i];
		s->heap[i] = s->heap[least];
		s->heap[least] = swap;
		i = least;
	}
}

static enum tfr_status open_sources(struct tfr_sorter *s, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	s->share = s->max / s->n_runs;
	if (s->share < READ_MIN / s->row)
		s->share = READ_MIN / s->row;
	s->sources = calloc(s->n_runs, sizeof(*s->sources));
	s->heap = calloc(s->n_runs, sizeof(*s->heap));
	TFR_NEED_MEMORY(s->sources && s->heap, err, "sorting");
	for (size_t i = 0, piece = 0; status <= TFR_END && i < s->n_runs; i++) {
		struct source *src = &s->sources[i];

		src->buffer = malloc(s->share * s->row);
		TFR_NEED_MEMORY(src->buffer, err, "sorting");
		src->piece = piece;
		while (piece < s->n_pieces && s->pieces[piece].run == i)
			piece++;
		src->end = piece;
		status = refill(s, src, err);
		if (!status)
			s->heap[s->n_heap++] = i;
	}
	for (size_t i = s->n_heap / 2; i-- > 0;)
		sift_down(s, i);
	return status > TFR_END ? status : TFR_OK;
}

static enum tfr_status start_walk(struct tfr_sorter *s, struct tfr_error *err)
{
	s->walking = true;
	if (!s->spill) {
		if (s->count)
			tfr_row_sort(s->rows, s->count, s->row, s->threads);
		return TFR_OK;
	}
	if (s->count)
		TFR_TRY(spill_rows(s, err));
	free(s->rows); /* the merge now uses this memory */
	s->rows = NULL;
	s->cap = 0;
	return open_sources(s, err);
}

enum tfr_status tfr_sorter_next(struct tfr_sorter *s, const void **row, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	struct source *src;

	TFR_TRY(s->walking ? TFR_OK : start_walk(s, err));
	if (!s->spill) {
		if (s->at == s->count)
			return TFR_END;
		*row = s->rows + s->at++ * s->row;
		return TFR_OK;
	}
	if (!s->n_heap)
		return TFR_END;
	src = &s->sources[s->heap[0]];
	memcpy(s->out, src->buffer + src->at++ * s->row, s->row);
	*row = s->out;
	if (src->at == src->filled)
		status = refill(s, src, err);
	if (status == TFR_END)
		s->heap[0] = s->heap[--s->n_heap];
	if (status > TFR_END)
		return status;
	sift_down(s, 0);
	return TFR_OK;
}
