/* rewrite/sort/row_sort.c - in-place radix sort from the first byte on (American flag sort,
 * McIlroy, Bostic and McIlroy 1993).
 *
 * Rows are distributed by their first byte into 256 parts, each part by the next byte, and so
 * on; a part of a few rows is sorted by insertion.  Bytes that all rows of a part share are
 * skipped with one comparison.  The threads sort the parts of the first byte in which rows
 * differ. */
#include "rewrite/sort/row_sort.h"

#include <stdbool.h>
#include <string.h>

#include "thread/threads.h"

enum { PARTS = 256, FEW = 64, ALONE = 1 << 20 };

struct rows {
	uint8_t *at;
	size_t n, row;
};

/* The start of each part; the last one ends at starts[PARTS]. */
struct parts {
	size_t starts[PARTS + 1];
};

static void swap(uint8_t *a, uint8_t *b, size_t row)
{
	uint8_t t[TFR_ROW_SORT_MAX];

	memcpy(t, a, row);
	memcpy(a, b, row);
	memcpy(b, t, row);
}

/* Sorts rows whose first `depth` bytes are equal. */
static void insertion_sort(struct rows r, size_t depth)
{
	uint8_t t[TFR_ROW_SORT_MAX];

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

/* False: all rows belong to one part and need no move. */
static bool count(struct rows r, size_t depth, struct parts *p)
{
	size_t counts[PARTS] = { 0 }, sum = 0;

	for (size_t i = 0; i < r.n; i++)
		counts[r.at[i * r.row + depth]]++;
	if (counts[r.at[depth]] == r.n)
		return false;
	for (unsigned k = 0; k < PARTS; k++) {
		p->starts[k] = sum;
		sum += counts[k];
	}
	p->starts[PARTS] = sum;
	return true;
}

static void deal(struct rows r, size_t depth, const struct parts *p)
{
	size_t next[PARTS];

	memcpy(next, p->starts, sizeof(next));
	for (unsigned k = 0; k < PARTS; k++)
		while (next[k] < p->starts[k + 1]) {
			uint8_t *row = r.at + next[k] * r.row;
			unsigned to = row[depth];

			if (to != k)
				swap(row, r.at + next[to] * r.row, r.row);
			next[to]++;
		}
}

static struct rows part(struct rows r, const struct parts *p, unsigned k)
{
	return (struct rows){ r.at + p->starts[k] * r.row, p->starts[k + 1] - p->starts[k], r.row };
}

static void sort(struct rows r, size_t depth)
{
	struct parts p;

	if (r.n <= FEW) {
		insertion_sort(r, depth);
		return;
	}
	while (depth < r.row && !count(r, depth, &p))
		depth++;
	if (depth == r.row)
		return;
	deal(r, depth, &p);
	for (unsigned k = 0; k < PARTS; k++)
		sort(part(r, &p, k), depth + 1);
}

/* --- on several processors --- */

struct run {
	struct rows r;
	size_t depth;
	struct parts p;
	unsigned next; /* atomic */
};

static void work(void *ctx, unsigned worker)
{
	struct run *run = ctx;
	unsigned k;

	(void)worker;
	while ((k = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED)) < PARTS)
		sort(part(run->r, &run->p, k), run->depth + 1);
}

void tfr_row_sort(uint8_t *rows, size_t n, size_t row, unsigned threads)
{
	struct run run = { .r = { rows, n, row } };

	if (threads < 2 || n * row < ALONE) {
		sort(run.r, 0);
		return;
	}
	while (run.depth < row && !count(run.r, run.depth, &run.p))
		run.depth++;
	if (run.depth == row)
		return;
	deal(run.r, run.depth, &run.p);
	tfr_threads_run(threads, work, &run);
}
