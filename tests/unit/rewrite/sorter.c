/* Rows come out as qsort() has them, whatever the memory, the size of a row and what they hold. */
#include "rewrite/sort/sorter.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(sorter, .init = setup, .fini = teardown);

static size_t row_size;

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, row_size);
}

static void check(size_t row, size_t n, unsigned values, uint64_t memory, bool spills)
{
	struct tfr_spill_folders folders = { (const char *const[]){ "." }, 1, NULL };
	struct tfr_sorter *s = tfr_sorter_new(row, memory, &folders, 1);
	uint8_t *rows = malloc(n * row + 1);
	enum tfr_status status;
	struct tfr_rng rng;
	const void *next;
	size_t at = 0;

	tfr_rng_init(&rng, n, row);
	for (size_t i = 0; i < n * row; i++)
		rows[i] = (uint8_t)tfr_rng_below(&rng, values);
	while (at < n) {
		size_t some = 1 + tfr_rng_below(&rng, 700);

		some = some < n - at ? some : n - at;
		cr_assert_eq(tfr_sorter_add(s, rows + at * row, some, NULL), TFR_OK);
		at += some;
	}
	row_size = row;
	qsort(rows, n, row, compare);
	for (at = 0; !(status = tfr_sorter_next(s, &next, NULL)); at++)
		cr_assert(at < n && !memcmp(next, rows + at * row, row), "row %zu", at);
	cr_assert_eq(status, TFR_END);
	cr_assert_eq(at, n);
	cr_assert_eq(tfr_sorter_next(s, &next, NULL), TFR_END);
	cr_assert_eq(tfr_sorter_spilled(s), spills ? n * row : 0);
	tfr_sorter_free(s);
	free(rows);
}

Test(sorter, what_qsort_says)
{
	const size_t sizes[] = { 1, 12, 24, 28, 64 };

	for (size_t i = 0; i < 5; i++) {
		size_t fits = TFR_SORTER_MIN / sizes[i];

		check(sizes[i], 0, 256, 1, false);
		check(sizes[i], 1, 256, 1, false);
		check(sizes[i], fits, 256, 1, false);
		check(sizes[i], fits + 1, 256, 1, true);
		check(sizes[i], 5 * fits, 2, 1, true);
		check(sizes[i], 11 * fits + 3, 256, 1, true);
		check(sizes[i], 5 * fits, 256, 1 << 30, false);
	}
}

Test(sorter, a_folder_that_is_not_there)
{
	struct tfr_spill_folders folders = { (const char *const[]){ "nowhere" }, 1, NULL };
	struct tfr_sorter *s = tfr_sorter_new(64, 1, &folders, 1);
	struct tfr_error err = { 0 };
	uint8_t row[64] = { 0 };
	enum tfr_status status = TFR_OK;

	for (int i = 0; !status && i < 10000; i++)
		status = tfr_sorter_add(s, row, 1, &err);
	cr_assert_eq(status, TFR_ESYS);
	cr_assert_str_eq(tfr_error_path(&err), "nowhere");
	tfr_sorter_free(s);
	tfr_sorter_free(NULL);
}

/* A run of over 16 MiB is written in two pieces. */
Test(sorter, a_run_in_two_pieces)
{
	check(12, 2000000, 256, 20 << 20, true);
}
