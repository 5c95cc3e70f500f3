/* The Kolmogorov-Smirnov distance of bins: against the definition, over all values of both. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "inspect/stats/series.h"

static int64_t draw(struct tfr_rng *rng, unsigned form)
{
	switch (form) {
	case 0:
		return (int64_t)tfr_rng_below(rng, 100) - 50;
	case 1:
		return (int64_t)tfr_rng_u64(rng) >> tfr_rng_below(rng, 64);
	default:
		return (int64_t)tfr_rng_below(rng, 3) * 1000000;
	}
}

static double share_up_to(const int64_t *values, size_t n, double x)
{
	size_t below = 0;

	for (size_t i = 0; i < n; i++)
		below += (double)values[i] <= x;
	return (double)below / (double)n;
}

/* By the definition, over all values of both. */
static double plain_ks(const int64_t *a, size_t n, const int64_t *b, size_t m)
{
	double most = 0;

	for (size_t i = 0; i < n + m; i++) {
		double x = (double)(i < n ? a[i] : b[i - n]);

		most = fmax(most, fabs(share_up_to(a, n, x) - share_up_to(b, m, x)));
	}
	return most;
}

/* The share of the fullest bin. */
static double fullest(const struct tfr_distribution *d)
{
	uint64_t most = 0;

	for (size_t i = 0; i < d->bin_count; i++)
		most = d->bins[i].count > most ? d->bins[i].count : most;
	return (double)most / (double)d->count;
}

static void distribute(struct tfr_distribution *d, const int64_t *values, size_t n)
{
	struct tfr_series s = { 0 };
	struct tfr_buf bins = { 0 };

	for (size_t i = 0; i < n; i++)
		cr_assert(tfr_series_add(&s, values[i]));
	cr_assert(tfr_series_bins(&s, &bins));
	*d = (struct tfr_distribution){ .count = n,
		.bins = (struct tfr_bin *)bins.data,
		.bin_count = bins.size / sizeof(struct tfr_bin) };
	tfr_series_clear(&s);
}

Test(distance, kolmogorov_smirnov_within_a_bin)
{
	struct tfr_rng rng;

	tfr_rng_init(&rng, 5, 5);
	for (int times = 0; times < 300; times++) {
		struct tfr_distribution d[2];
		unsigned form = (unsigned)times % 3, other = (unsigned)times % 2 ? form : 0;
		size_t n = 1 + tfr_rng_below(&rng, 60), m = 1 + tfr_rng_below(&rng, 60);
		int64_t a[60], b[60];
		double exact, said;

		for (size_t i = 0; i < n; i++)
			a[i] = draw(&rng, form);
		for (size_t i = 0; i < m; i++)
			b[i] = draw(&rng, other) + (times % 5 ? 0 : 7);
		distribute(&d[0], a, n);
		distribute(&d[1], b, m);
		exact = plain_ks(a, n, b, m);
		said = tfr_bins_distance(&d[0], &d[1]);
		cr_assert_leq(said, exact + 1e-12);
		cr_assert_geq(said, exact - fmax(fullest(&d[0]), fullest(&d[1])) - 1e-12);
		if (!form && !other) /* below 64 in amount: a number a bin */
			cr_assert_float_eq(said, exact, 1e-12);
		cr_assert_float_eq(said, tfr_bins_distance(&d[1], &d[0]), 0);
		cr_assert_eq(tfr_bins_distance(&d[0], &d[0]), 0);
		free(d[0].bins);
		free(d[1].bins);
	}
}
