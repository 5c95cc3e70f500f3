/* The copy past the caches against memcpy. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "device/stream_copy.h"

enum { MOST = 6 << 20, MARGIN = 128 };

Test(stream_copy, copies_just_what_memcpy_does)
{
	unsigned char *from = malloc(MOST), *to = malloc(MOST), *expected = malloc(MOST);
	struct tfr_rng rng;

	tfr_rng_init(&rng, 7, 0);
	for (size_t i = 0; i < MOST; i++)
		from[i] = (unsigned char)tfr_rng_u32(&rng);
	for (int round = 0; round < 60; round++) {
		/* Sizes on both sides of where it begins, and about whole blocks. */
		size_t size =
			round < 30 ? (4 << 20) - 20000 + tfr_rng_below(&rng, 60000)
				   : (4 << 20) + (round - 45) * 16384 + tfr_rng_below(&rng, 3) - 1;
		size_t a = tfr_rng_below(&rng, MARGIN), b = tfr_rng_below(&rng, MARGIN);

		memset(to, round, MOST);
		memset(expected, round, MOST);
		memcpy(expected + a, from + b, size);
		tfr_device_stream_copy(to + a, from + b, size);
		cr_assert_eq(
			memcmp(to, expected, MOST), 0, "%zu bytes from %zu to %zu", size, b, a);
	}
	free(from);
	free(to);
	free(expected);
}
