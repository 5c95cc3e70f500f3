#include <criterion/criterion.h>

#include "base/rng.h"

/* Known answers of Random123's philox4x32_10 (kat_vectors). */
Test(rng, philox_known_answers)
{
	uint32_t out[4];

	tfr_philox((uint32_t[]){ 0, 0 }, (uint32_t[]){ 0, 0, 0, 0 }, out);
	cr_assert_arr_eq(out, ((uint32_t[]){ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 }), 16);
	tfr_philox((uint32_t[]){ 0xa4093822, 0x299f31d0 },
		(uint32_t[]){ 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, out);
	cr_assert_arr_eq(out, ((uint32_t[]){ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 }), 16);
}

Test(rng, shuffle_is_a_permutation_and_depends_on_the_seed)
{
	int a[1000], b[1000], seen[1000] = { 0 }, same = 0;
	struct tfr_rng r;

	for (int i = 0; i < 1000; i++)
		a[i] = b[i] = i;
	tfr_rng_init(&r, 1, 0);
	tfr_rng_shuffle(&r, a, 1000, sizeof(*a));
	tfr_rng_init(&r, 2, 0);
	tfr_rng_shuffle(&r, b, 1000, sizeof(*b));
	for (int i = 0; i < 1000; i++) {
		seen[a[i]]++;
		same += a[i] == b[i];
	}
	for (int i = 0; i < 1000; i++)
		cr_assert_eq(seen[i], 1);
	cr_assert_lt(same, 20);
}

Test(rng, below_is_uniform)
{
	struct tfr_rng r;
	unsigned histogram[6] = { 0 };
	double chi2 = 0;

	tfr_rng_init(&r, 42, 7);
	for (int i = 0; i < 60000; i++)
		histogram[tfr_rng_below(&r, 6)]++;
	for (int i = 0; i < 6; i++)
		chi2 += ((double)histogram[i] - 10000) * ((double)histogram[i] - 10000) / 10000;
	cr_assert_lt(chi2, 20.5); /* p = 0.001 with 5 degrees of freedom */
}
