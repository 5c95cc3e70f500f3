#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

Test(array, grows_and_keeps_its_elements)
{
	uint32_t *list = NULL;
	size_t n = 0, cap = 0, grown = 0;

	for (uint32_t i = 0; i < 10000; i++) {
		size_t before = cap;

		cr_assert_eq(TFR_ARRAY_RESERVE(list, cap, n + 1), TFR_OK);
		grown += cap != before;
		cr_assert_geq(cap, n + 1);
		list[n++] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		cr_assert_eq(list[i], i);
	cr_assert_leq(grown, 11); /* it doubles */
	free(list);
}

Test(array, makes_room_for_many_at_once)
{
	char *list = NULL;
	size_t cap = 0;

	cr_assert_eq(TFR_ARRAY_RESERVE(list, cap, cap), TFR_OK);
	cr_assert_null(list);
	cr_assert_eq(TFR_ARRAY_RESERVE(list, cap, 100000), TFR_OK);
	cr_assert_eq(cap, 100000);
	cr_assert_eq(TFR_ARRAY_RESERVE(list, cap, 100), TFR_OK);
	cr_assert_eq(cap, 100000);
	free(list);
}

Test(array, sizes_that_overflow_are_out_of_memory)
{
	uint64_t *list = NULL;
	size_t cap = 0;

	cr_assert_eq(TFR_ARRAY_RESERVE(list, cap, 1), TFR_OK);
	list[0] = 7;
	for (size_t wanted = SIZE_MAX; wanted > PTRDIFF_MAX / 8; wanted /= 2) {
		size_t before = cap;

		cr_assert_eq(TFR_ARRAY_RESERVE(list, cap, wanted), TFR_ENOMEM);
		cr_assert_eq(cap, before);
		cr_assert_eq(list[0], 7);
	}
	cr_assert_eq(TFR_ARRAY_ONE_MORE(list, (size_t)1 << 63), TFR_ENOMEM);
	cr_assert_eq(TFR_ARRAY_ONE_MORE(list, (size_t)1 << 61), TFR_ENOMEM);
	cr_assert_eq(list[0], 7);
	free(list);
}

Test(array, one_more_without_a_capacity)
{
	const char **list = NULL;
	size_t n = 0;

	for (size_t i = 0; i < 1000; i++) {
		cr_assert_eq(TFR_ARRAY_ONE_MORE(list, n), TFR_OK);
		list[n++] = "x";
		if (i % 7 == 6) /* elements at the end may go */
			n -= i % 5;
	}
	for (size_t i = 0; i < n; i++)
		cr_assert_str_eq(list[i], "x");
	free(list);
}

Test(array, memory_apart_is_zeroed_and_aligned)
{
	struct TFR_APART state {
		uint64_t sum;
	};
	struct state *list;
	char *odd;

	cr_assert_eq(sizeof(*list), TFR_APART_SIZE);
	for (size_t n = 0; n < 5; n++) {
		list = tfr_calloc_apart(n, sizeof(*list));
		odd = tfr_calloc_apart(n, 3);
		cr_assert(list && odd);
		cr_assert_eq((uintptr_t)list % TFR_APART_SIZE + (uintptr_t)odd % TFR_APART_SIZE, 0);
		for (size_t i = 0; i < n; i++)
			cr_assert_eq(list[i].sum, 0);
		for (size_t i = 0; i < 3 * n; i++)
			cr_assert_eq(odd[i], 0);
		memset(list, 1, n * sizeof(*list)); /* for the next turn */
		memset(odd, 1, 3 * n);
		free(odd);
		free(list);
	}
	cr_assert_null(tfr_calloc_apart(SIZE_MAX, 2));
	cr_assert_null(tfr_calloc_apart(PTRDIFF_MAX, 1));
}
