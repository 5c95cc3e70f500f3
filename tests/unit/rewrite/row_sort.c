/* Rows lie as qsort() lays them, whatever their size, what they share, and how many threads sort.
 */
#include "rewrite/sort/sorter.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

static size_t row_size;

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, row_size);
}

/* Bytes below `values`; the first `alike` of each row are those of the first row, but for one row
 * in `odd`. */
static void check(
	size_t row, size_t n, unsigned values, size_t alike, unsigned odd, unsigned threads)
{
	uint8_t *rows = malloc(n * row + 1), *want = malloc(n * row + 1);
	struct tfr_rng rng;

	tfr_rng_init(&rng, n + threads, row);
	for (size_t i = 0; i < n * row; i++)
		rows[i] = (uint8_t)tfr_rng_below(&rng, values);
	for (size_t i = 1; i < n; i++)
		if (!odd || tfr_rng_below(&rng, odd))
			memcpy(rows + i * row, rows, alike);
	memcpy(want, rows, n * row);
	row_size = row;
	qsort(want, n, row, compare);
	tfr_row_sort(rows, n, row, threads);
	cr_assert(!memcmp(rows, want, n * row), "%zu rows of %zu, %u threads", n, row, threads);
	free(rows);
	free(want);
}

Test(row_sort, what_qsort_says)
{
	const size_t sizes[] = { 1, 2, 24, 29, 45, 64 };
	const size_t counts[] = { 0, 1, 2, 63, 64, 65, 66, 1000, 50000 };

	for (size_t i = 0; i < 6; i++)
		for (size_t k = 0; k < 9; k++)
			for (unsigned threads = 1; threads < 4; threads += 2) {
				check(sizes[i], counts[k], 256, 0, 0, threads);
				check(sizes[i], counts[k], 2, 0, 0, threads);
				check(sizes[i], counts[k], 1, 0, 0, threads);
				check(sizes[i], counts[k], 256, sizes[i] / 2, 0, threads);
				check(sizes[i], counts[k], 256, sizes[i] - 1, 9, threads);
			}
}
