#include <criterion/criterion.h>
#include <math.h>

#include "base/rng.h"
#include "rewrite/resample/resample.h"

/* Weights as tfr_target_weights() hands them over: the largest in [1, 2). */
static struct tfr_quotas open_shares(const double *given, size_t n)
{
	double weights[64], largest = 0;
	struct tfr_quotas s;

	for (size_t i = 0; i < n; i++)
		largest = given[i] > largest ? given[i] : largest;
	for (size_t i = 0; i < n; i++)
		weights[i] = largest > 0 ? ldexp(given[i], -ilogb(largest)) : 0;
	cr_assert_eq(tfr_quotas_open(&s, weights, n, NULL), TFR_OK);
	return s;
}

static uint64_t largest_of(const double *weights, const uint64_t *records, size_t n)
{
	struct tfr_quotas s = open_shares(weights, n);
	size_t scarcest;
	uint64_t size = tfr_quotas_largest(&s, records, &scarcest);

	tfr_quotas_clear(&s);
	return size;
}

Test(resample_quota, counts_that_fit_are_used_to_the_last_record)
{
	double eighths[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	uint64_t equal[8] = { 77, 77, 77, 77, 77, 77, 77, 77 };

	for (size_t n = 1; n <= 8; n++)
		cr_assert_eq(largest_of(eighths, equal, n), 77 * n);
	cr_assert_eq(
		largest_of((double[]){ 0.1, 0.2, 0.7 }, (uint64_t[]){ 100, 200, 700 }, 3), 1000);
	cr_assert_eq(largest_of((double[]){ 0.3, 0.3, 0.4 }, (uint64_t[]){ 3, 3, 4 }, 3), 10);
	cr_assert_eq(largest_of((double[]){ 1, 3 }, (uint64_t[]){ 1, 3 }, 2), 4);
	cr_assert_eq(largest_of((double[]){ 1e300, 3e300 }, (uint64_t[]){ 10, 3 }, 2), 4);
	cr_assert_eq(largest_of((double[]){ 1e-300, 3e-300 }, (uint64_t[]){ 10, 3 }, 2), 4);
	cr_assert_eq(largest_of((double[]){ 0, 1 }, (uint64_t[]){ 0, 5 }, 2), 5);
	cr_assert_eq(largest_of((double[]){ 0, 0 }, (uint64_t[]){ 4, 5 }, 2), 0);
	/* one of a class that should be nearly all */
	cr_assert_eq(largest_of((double[]){ 0.999, 0.001 }, (uint64_t[]){ 1, 1000 }, 2), 1);
}

/* Whatever the weights are: quotas add up to the size, none is above its class, and none is a whole
 * record off its share, but for what the bound moved. */
Test(resample_quota, random_weights_divide_exactly)
{
	struct tfr_rng r;

	tfr_rng_init(&r, 5, 0);
	for (int round = 0; round < 20000; round++) {
		size_t n = 1 + tfr_rng_below(&r, 12), scarcest;
		double weights[12], sum = 0;
		uint64_t records[12], quotas[12], total = 0, size;
		struct tfr_quotas s;

		for (size_t i = 0; i < n; i++) {
			weights[i] = round % 3 ? tfr_rng_unit(&r) + 1e-9
					       : (double)(1 + tfr_rng_below(&r, 5));
			sum += weights[i];
			records[i] = 1 + tfr_rng_below(&r, round % 2 ? 10 : 1000000);
		}
		s = open_shares(weights, n);
		size = tfr_quotas_largest(&s, records, &scarcest);
		if (round % 5 == 0)
			size = tfr_rng_below(&r, size + 1);
		cr_assert_eq(tfr_quotas_divide(&s, size, records, quotas, NULL), TFR_OK);
		for (size_t i = 0; i < n; i++) {
			total += quotas[i];
			cr_assert_leq(quotas[i], records[i]);
			cr_assert_lt(fabs((double)quotas[i] - (double)size * weights[i] / sum),
				1 + 1e-6);
		}
		cr_assert_eq(total, size, "round %d", round);
		tfr_quotas_clear(&s);
	}
}

Test(resample_quota, the_largest_is_the_largest)
{
	struct tfr_rng r;

	tfr_rng_init(&r, 6, 0);
	for (int round = 0; round < 5000; round++) {
		double weights[3], sum = 0;
		uint64_t records[3], size;
		bool one_more_fits = true;

		for (size_t i = 0; i < 3; i++) {
			sum += weights[i] = (double)(1 + tfr_rng_below(&r, 50));
			records[i] = 1 + tfr_rng_below(&r, 1000);
		}
		size = largest_of(weights, records, 3);
		for (size_t i = 0; i < 3; i++) { /* small whole numbers: exact in doubles */
			cr_assert_leq((double)size * weights[i], (double)records[i] * sum);
			one_more_fits &=
				(double)(size + 1) * weights[i] <= (double)records[i] * sum;
		}
		cr_assert_not(one_more_fits);
	}
}

Test(resample_quota, of_equal_remainders_the_earlier_is_the_larger)
{
	double weights[4] = { 1, 1, 1, 1 };
	struct tfr_quotas s = open_shares(weights, 4);
	uint64_t quotas[4];

	tfr_quotas_divide(&s, 6, NULL, quotas, NULL);
	cr_assert_arr_eq(quotas, ((uint64_t[]){ 2, 2, 1, 1 }), sizeof(quotas));
	tfr_quotas_divide(&s, 6, (uint64_t[]){ 1, 9, 1, 9 }, quotas, NULL);
	cr_assert_arr_eq(quotas, ((uint64_t[]){ 1, 2, 1, 2 }), sizeof(quotas));
	tfr_quotas_divide(&s, 0, NULL, quotas, NULL);
	cr_assert_arr_eq(quotas, ((uint64_t[]){ 0, 0, 0, 0 }), sizeof(quotas));
	tfr_quotas_clear(&s);
}

Test(resample_quota, covering_keeps_every_record)
{
	struct tfr_rng r;

	tfr_rng_init(&r, 7, 0);
	for (int round = 0; round < 5000; round++) {
		double weights[5];
		uint64_t records[5], quotas[5], size;
		struct tfr_quotas s;

		for (size_t i = 0; i < 5; i++) {
			weights[i] = round % 2 ? tfr_rng_unit(&r) + 1e-6
					       : (double)(1 + tfr_rng_below(&r, 9)) / 10;
			records[i] = 1 + tfr_rng_below(&r, 5000);
		}
		s = open_shares(weights, 5);
		size = tfr_quotas_covering(&s, records);
		cr_assert_eq(tfr_quotas_divide(&s, size, NULL, quotas, NULL), TFR_OK);
		for (size_t i = 0; i < 5; i++)
			cr_assert_geq(quotas[i], records[i], "round %d", round);
		tfr_quotas_clear(&s);
	}
}

Test(resample_quota, covering_of_nothing_and_of_too_much)
{
	struct tfr_quotas s = open_shares((double[]){ 1, 1e-200 }, 2);

	cr_assert_eq(tfr_quotas_covering(&s, (uint64_t[]){ 5, 0 }), 5);
	cr_assert_eq(tfr_quotas_covering(&s, (uint64_t[]){ 5, 1000 }), UINT64_MAX);
	tfr_quotas_clear(&s);
	s = open_shares((double[]){ 0, 0 }, 2);
	cr_assert_eq(tfr_quotas_covering(&s, (uint64_t[]){ 5, 5 }), 0);
	tfr_quotas_clear(&s);
}
