#include <criterion/criterion.h>

#include "base/shuffler.h"

/* tf.data.Dataset.range(n).shuffle(buffer, seed), three epochs, by TensorFlow 2.21. */
static const struct {
	unsigned n, buffer;
	uint64_t seed;
	int order[3][20];
} tensorflow[] = {
	{ 12, 5, 7u,
		{ { 2, 4, 0, 3, 8, 1, 9, 10, 5, 7, 6, 11 },
			{ 4, 0, 3, 7, 2, 6, 8, 9, 11, 5, 1, 10 },
			{ 1, 0, 6, 7, 4, 8, 5, 11, 2, 3, 10, 9 } } },
	{ 20, 8, 0u,
		{ { 4, 7, 2, 10, 9, 3, 13, 11, 14, 12, 0, 8, 6, 17, 18, 16, 1, 5, 15, 19 },
			{ 7, 3, 6, 10, 11, 0, 1, 2, 15, 16, 9, 13, 17, 18, 8, 19, 12, 14, 4, 5 },
			{ 5, 8, 6, 3, 1, 12, 10, 9, 14, 7, 2, 0, 16, 17, 13, 18, 4, 19, 11,
				15 } } },
	{ 9, 20, 123456789012u,
		{ { 4, 6, 0, 5, 2, 7, 3, 8, 1 }, { 3, 7, 4, 5, 0, 6, 8, 1, 2 },
			{ 2, 6, 8, 4, 0, 5, 1, 7, 3 } } },
};

Test(shuffler, shuffles_as_tensorflow_does)
{
	for (size_t t = 0; t < sizeof(tensorflow) / sizeof(*tensorflow); t++) {
		int items[20];
		struct tfr_shuffler s;

		tfr_shuffler_init(&s, tensorflow[t].buffer, tensorflow[t].seed);
		for (int epoch = 0; epoch < 3; epoch++) {
			unsigned in = 0, out = 0;

			while (!tfr_shuffler_drained(&s)) {
				if (tfr_shuffler_ready(&s)) {
					cr_assert_eq((int *)tfr_shuffler_pop(&s) - items,
						tensorflow[t].order[epoch][out],
						"row %zu, epoch %d, place %u", t, epoch, out);
					out++;
				} else if (in < tensorflow[t].n) {
					cr_assert(tfr_shuffler_push(&s, &items[in++], 1));
				} else {
					tfr_shuffler_close_epoch(&s);
				}
			}
			cr_assert_eq(out, tensorflow[t].n);
			tfr_shuffler_next_epoch(&s);
		}
		tfr_shuffler_clear(&s);
	}
}

/* A capacity that no memory has costs what came, and gives the order of any that is large enough.
 */
Test(shuffler, grows_with_what_has_come)
{
	static const uint64_t capacities[] = { 1000, 1001, UINT64_MAX };
	int items[1000], first[1000], *item;

	for (size_t c = 0; c < 3; c++) {
		struct tfr_shuffler s;

		tfr_shuffler_init(&s, capacities[c], 3);
		for (int i = 0; i < 1000; i++)
			cr_assert(tfr_shuffler_push(&s, &items[i], 1));
		cr_assert_leq(s.allocated, 1024);
		tfr_shuffler_close_epoch(&s);
		for (int i = 0; i < 990; i++) {
			item = tfr_shuffler_pop(&s);
			if (c == 0)
				first[i] = (int)(item - items);
			cr_assert_eq(item - items, first[i]);
		}
		for (int i = 0; i < 10; i++)
			cr_assert(tfr_shuffler_discard(&s));
		cr_assert_null(tfr_shuffler_discard(&s));
		tfr_shuffler_clear(&s);
	}
}
