/* The order of an interleave, against a plain simulation of what tf.data's documentation says. */
#include "sweep/interleave.h"

#include <criterion/criterion.h>

#include "base/rng.h"

enum { FILES = 9, MOST = 7 };

/* Visits places in turn; each visit opens a file if the place has none, then takes a block. */
static size_t simulate(
	const unsigned *counts, size_t files, size_t cycle, uint64_t block, unsigned *order)
{
	int at[FILES];
	unsigned left[FILES] = { 0 };
	size_t next = 0, n = 0, idle = 0;

	for (size_t k = 0; k < cycle; k++)
		at[k] = -1;
	for (size_t k = 0; idle < cycle; k = (k + 1) % cycle) {
		if (at[k] < 0 && next < files) {
			left[k] = counts[next];
			at[k] = (int)next++;
		}
		idle = at[k] < 0 ? idle + 1 : 0;
		for (uint64_t i = 0; at[k] >= 0 && i < block; i++) {
			if (!left[k]) {
				at[k] = -1;
				break;
			}
			left[k]--;
			order[n++] = (unsigned)at[k];
		}
	}
	return n;
}

static size_t follow(struct tfr_interleave *il, const unsigned *counts, unsigned *order)
{
	size_t at[FILES], n = 0;
	unsigned left[FILES] = { 0 };

	for (size_t k = 0; k < il->busy; k++) {
		at[k] = k;
		left[k] = counts[k];
	}
	while (tfr_interleave_more(il)) {
		size_t k = il->turn;

		if (at[k] == SIZE_MAX) {
			tfr_interleave_pass(il);
		} else if (left[k]) {
			left[k]--;
			order[n++] = (unsigned)at[k];
			tfr_interleave_take(il, 1);
		} else {
			at[k] = tfr_interleave_end(il);
			left[k] = at[k] == SIZE_MAX ? 0 : counts[at[k]];
		}
	}
	return n;
}

Test(interleave, is_the_order_of_tf_data)
{
	struct tfr_rng rng;

	tfr_rng_init(&rng, 4, 0);
	for (int round = 0; round < 3000; round++) {
		unsigned counts[FILES], want[FILES * MOST], got[FILES * MOST];
		size_t files = (size_t)tfr_rng_below(&rng, FILES + 1);
		uint64_t cycle = 1 + tfr_rng_below(&rng, FILES + 2);
		uint64_t block = 1 + tfr_rng_below(&rng, 5);
		struct tfr_interleave il;
		size_t n;

		for (size_t i = 0; i < files; i++)
			counts[i] = (unsigned)tfr_rng_below(&rng, MOST + 1);
		tfr_interleave_init(&il, files, (struct tfr_interleaving){ cycle, block });
		n = simulate(counts, files, il.places, block, want);
		for (int epoch = 0; epoch < 2; epoch++) {
			cr_assert_eq(follow(&il, counts, got), n);
			cr_assert_arr_eq(got, want, n * sizeof(*got));
			tfr_interleave_start(&il);
		}
	}
}

Test(interleave, without_a_cycle_files_follow_each_other)
{
	const unsigned counts[] = { 2, 0, 3 }, want[] = { 0, 0, 2, 2, 2 };
	struct tfr_interleave il;
	unsigned got[5];

	tfr_interleave_init(&il, 3, (struct tfr_interleaving){ 0 });
	cr_assert_eq(follow(&il, counts, got), 5);
	cr_assert_arr_eq(got, want, sizeof(want));
}
