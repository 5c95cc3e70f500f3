/* The first of many rows: against plain code over all of them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "diff/first_rows.h"

static int compare_bytes(const void *a, const void *b)
{
	return memcmp(a, b, 3);
}

Test(firsts, the_smallest_rows_in_order)
{
	for (size_t max = 0; max < 70; max += max < 4 ? 1 : 13)
		for (size_t n = 0; n < 5000; n = n ? n * 3 : 1) {
			struct tfr_firsts f = { .row = 3, .max = max };
			uint8_t *rows = malloc(3 * n + 3);
			struct tfr_rng rng;

			tfr_rng_init(&rng, max, n);
			for (size_t i = 0; i < 3 * n; i++)
				rows[i] = (uint8_t)tfr_rng_below(&rng, 6);
			for (size_t i = 0; i < n; i++)
				cr_assert(tfr_firsts_add(&f, rows + 3 * i));
			tfr_firsts_settle(&f);
			qsort(rows, n, 3, compare_bytes);
			cr_assert_eq(f.n, n < max ? n : max);
			cr_assert(!f.n || !memcmp(f.rows, rows, 3 * f.n), "%zu of %zu", max, n);
			cr_assert_leq(f.cap, 4 * max + 16, "room grows with what is wanted");
			tfr_firsts_clear(&f);
			free(rows);
		}
}
