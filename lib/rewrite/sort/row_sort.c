/* rewrite/sort/row_sort.c - in-place radix sort from the first byte on (American flag sort,
 * McIlroy, Bostic and McIlroy 1993).
 *
 * Rows are distributed by their first byte into 256 bins, the rows of a bin by the next byte, and
 * so on; a few rows are sorted by insertion.  Bytes that all rows of a bin share are skipped with
 * one comparison.  The threads sort the bins of the first byte in which rows differ. */
#include "rewrite/sort/sorter.h"

#include <stdbool.h>
#include <string.h>

#include "thread/threads.h"

enum { BINS = 256, FEW = 64, ALONE = 1 << 20 };

struct rows {
	uint8_t *at;
	size_t n, row;
};

/* The start of each bin; the last one ends at starts[BINS]. */
struct bins {
	size_t starts[BINS + 1];
};

static void swap_rows(uint8_t *a, uint8_t *b, size_t row)
{
	uint8_t t[TFR_SORTER_ROW];

	memcpy(t, a, row);
	memcpy(a, b, row);
	memcpy(b, t, row);
}

/* Sorts rows whose first `depth` bytes are equal. */
static void insertion_sort(struct rows r, size_t depth)
{
	uint8_t t[TFR_SORTER_ROW];

	for (size_t i = 1; i < r.n; i++) {
		uint8_t *row = r.at + i * r.row;
		size_t low = 0, high = i;

		if (memcmp(row - r.row + depth, row + depth, r.row - depth) <= 0)
			continue;
		while (low < high) {
			size_t mid = (low + high) / 2;

			if (memcmp(r.at + mid * r.row + depth, row + depth, r.row - depth) <= 0)
				low = mid + 1;
			else
				high = mid;
		}
		memcpy(t, row, r.row);
		memmove(r.at + (low + 1) * r.row, r.at + low * r.row, (i - low) * r.row);
		memcpy(r.at + low * r.row, t, r.row);
	}
}

/* False: all rows belong to one bin and need no move. */
static bool count_rows(struct rows r, size_t depth, struct bins *p)
{
	size_t counts[BINS] = { 0 }, sum = 0;

	for (size_t i = 0; i < r.n; i++)
		counts[r.at[i * r.row + depth]]++;
	if (counts[r.at[depth]] == r.n)
		return false;
	for (unsigned k = 0; k < BINS; k++) {
		p->starts[k] = sum;
		sum += counts[k];
	}
	p->starts[BINS] = sum;
	return true;
}

static void move_rows(struct rows r, size_t depth, const struct bins *p)
{
	size_t next[BINS];

	memcpy(next, p->starts, sizeof(next));
	for (unsigned k = 0; k < BINS; k++)
		while (next[k] < p->starts[k + 1]) {
			uint8_t *row = r.at + next[k] * r.row;
			unsigned to = row[depth];

			if (to != k)
				swap_rows(row, r.at + next[to] * r.row, r.row);
			next[to]++;
		}
}

static struct rows rows_of_bin(struct rows r, const struct bins *p, unsigned k)
{
	return (struct rows){ r.at + p->starts[k] * r.row, p->starts[k + 1] - p->starts[k], r.row };
}

static void sort_rows(struct rows r, size_t depth)
{
	struct bins p;

	if (r.n <= FEW) {
		insertion_sort(r, depth);
		return;
	}
	while (depth < r.row && !count_rows(r, depth, &p))
		depth++;
	if (depth == r.row)
		return;
	move_rows(r, depth, &p);
	for (unsigned k = 0; k < BINS; k++)
		sort_rows(rows_of_bin(r, &p, k), depth + 1);
}

/* --- on several processors --- */

struct shared_sort {
	struct rows r;
	size_t depth;
	struct bins p;
	unsigned next; /* the next bin to be sorted; atomic */
};

static void sort_bins(void *ctx, unsigned worker)
{
	struct shared_sort *s = ctx;
	unsigned k;

	(void)worker;
	while ((k = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < BINS)
		sort_rows(rows_of_bin(s->r, &s->p, k), s->depth + 1);
}

void tfr_row_sort(uint8_t *rows, size_t n, size_t row, unsigned threads)
{
	struct shared_sort s = { .r = { rows, n, row } };

	if (threads < 2 || n * row < ALONE) {
		sort_rows(s.r, 0);
		return;
	}
	while (s.depth < row && !count_rows(s.r, s.depth, &s.p))
		s.depth++;
	if (s.depth == row)
		return;
	move_rows(s.r, s.depth, &s.p);
	tfr_threads_run(threads, sort_bins, &s);
}
