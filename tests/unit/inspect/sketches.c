/* Sums, bins, counts of different values and the most frequent ones: what they say, against plain
 * code over all values; and that parts in any order merge to the bytes of one pass. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "inspect/stats/distinct.h"
#include "inspect/stats/facts.h"
#include "inspect/stats/frequent.h"
#include "inspect/stats/series.h"

static const double shares[] = { 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99 };

/* --- series --- */

static int64_t draw_int64(struct tfr_rng *rng, unsigned form)
{
	uint64_t v = tfr_rng_u64(rng);

	switch (form) {
	case 0:
		return (int64_t)v >> tfr_rng_below(rng, 64);
	case 1:
		return (int64_t)(v % 129) - 64;
	case 2:
		return v % 3 ? INT64_MIN : INT64_MAX;
	default:
		return 1000000 + (int64_t)(v % 7);
	}
}

static int compare_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

enum { VALUES = 5000 };

static void check_bins(const struct tfr_buf *bins, const double *sorted, uint64_t n)
{
	const struct tfr_bin *b = (const void *)bins->data;
	size_t count = bins->size / sizeof(*b), at = 0;
	uint64_t seen = 0;

	for (size_t i = 0; i < count; i++) {
		cr_assert(b[i].count && b[i].low <= b[i].high);
		cr_assert(!i || b[i - 1].high <= b[i].low);
		for (uint64_t k = 0; k < b[i].count; k++, at++)
			cr_assert(b[i].low <= sorted[at] && sorted[at] <= b[i].high, "%g..%g: %g",
				b[i].low, b[i].high, sorted[at]);
		seen += b[i].count;
	}
	cr_assert_eq(seen, n);
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		double is = sorted[(size_t)ceil(shares[i] * (double)n) - 1];
		double said = tfr_bins_quantile(b, count, n, shares[i], sorted[0], sorted[n - 1]);

		cr_assert(fabs(said - is) <= fabs(is) / 128 + 0x1p-132, "%g: %g, is %g", shares[i],
			said, is);
	}
}

Test(series, what_plain_code_says)
{
	static int64_t values[VALUES];
	static double sorted[VALUES];
	struct tfr_rng rng;

	tfr_rng_init(&rng, 2, 2);
	for (unsigned form = 0; form < 4; form++) {
		struct tfr_series s = { 0 };
		TFR_AUTO_BUF bins = { 0 };
		struct tfr_summary sum;
		__int128 total = 0;
		long double mean, squares = 0;

		for (int i = 0; i < VALUES; i++) {
			values[i] = draw_int64(&rng, form);
			total += values[i];
			cr_assert(tfr_series_add(&s, values[i]));
		}
		mean = (long double)total / VALUES;
		for (int i = 0; i < VALUES; i++)
			squares +=
				((long double)values[i] - mean) * ((long double)values[i] - mean);
		qsort(values, VALUES, sizeof(*values), compare_int64);
		for (int i = 0; i < VALUES; i++)
			sorted[i] = (double)values[i];
		sum = tfr_series_sum_up(&s);
		cr_assert_eq(sum.count, VALUES);
		cr_assert_eq(s.min, values[0]);
		cr_assert_eq(s.max, values[VALUES - 1]);
		cr_assert_leq(fabs(sum.mean - (double)mean), fabs((double)mean) * 1e-15);
		cr_assert_leq(fabs(sum.deviation - (double)sqrtl(squares / VALUES)),
			sum.deviation * 1e-14);
		cr_assert(tfr_series_bins(&s, &bins));
		check_bins(&bins, sorted, VALUES);
		tfr_series_clear(&s);
	}
}

static float draw_float(struct tfr_rng *rng, unsigned form)
{
	uint32_t bits = tfr_rng_u32(rng);
	float v;

	if (form == 0)
		return (float)tfr_rng_unit(rng) * 2 - 1;
	if (form == 1)
		bits &= 0x800fffff; /* next to nothing */
	if (form == 2 && (bits >> 23 & 255) == 255)
		bits &= 0x3fffffff;
	memcpy(&v, &bits, 4);
	return form == 3 ? 1e6f + (float)(bits & 7) : v;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

Test(floats, what_plain_code_says)
{
	static double sorted[VALUES];
	struct tfr_rng rng;

	tfr_rng_init(&rng, 3, 3);
	for (unsigned form = 0; form < 4; form++) {
		struct tfr_floats s = { 0 };
		TFR_AUTO_BUF bins = { 0 };
		struct tfr_summary sum;
		long double mean = 0, squares = 0;

		for (int i = 0; i < VALUES; i++) {
			float v = draw_float(&rng, form);

			sorted[i] = v;
			mean += v;
			cr_assert(tfr_floats_add(&s, v));
		}
		mean /= VALUES;
		for (int i = 0; i < VALUES; i++)
			squares += (sorted[i] - mean) * (sorted[i] - mean);
		qsort(sorted, VALUES, sizeof(*sorted), compare_double);
		sum = tfr_floats_sum_up(&s);
		cr_assert_eq(s.min, (float)sorted[0]);
		cr_assert_eq(s.max, (float)sorted[VALUES - 1]);
		cr_assert_leq(
			fabs(sum.mean - (double)mean), (double)sqrtl(squares / VALUES) * 1e-12);
		cr_assert_leq(fabs(sum.deviation - (double)sqrtl(squares / VALUES)),
			sum.deviation * 1e-12);
		cr_assert(tfr_floats_bins(&s, &bins));
		check_bins(&bins, sorted, VALUES);
		tfr_floats_clear(&s);
	}
}

Test(floats, sums_are_exact)
{
	/* 1e8 + 1e-8 - 1e8, and squares that lose all in doubles */
	const float values[] = { 1e8f, 1e-8f, -1e8f, 0x1p-149f, INFINITY, NAN, -INFINITY, -0.0f };
	struct tfr_floats s = { 0 };
	struct tfr_summary sum;

	for (size_t i = 0; i < 8; i++)
		tfr_floats_add(&s, values[i]);
	sum = tfr_floats_sum_up(&s);
	cr_assert_eq(sum.count, 5);
	cr_assert_eq(sum.mean, (double)1e-8f / 5); /* 2^-149 is below the last bit */
	cr_assert_eq(s.nan + s.infinite + s.minus_infinite, 3);
	tfr_floats_clear(&s);
	for (int i = 0; i < 100; i++)
		tfr_floats_add(&s, 16777215.0f);
	cr_assert_eq(tfr_floats_sum_up(&s).deviation, 0);
	cr_assert_eq(tfr_floats_sum_up(&s).mean, 16777215);
	tfr_floats_clear(&s);
}

/* Adds `value` 2^31 times: the sums of parts, merged again and again. */
static void add_many_floats(struct tfr_floats *s, float value)
{
	struct tfr_floats part = { 0 };

	cr_assert(tfr_floats_add(&part, value));
	for (int i = 0; i < 31; i++) {
		struct tfr_floats twice = { 0 };

		cr_assert(tfr_floats_merge(&twice, &part) && tfr_floats_merge(&twice, &part));
		tfr_floats_clear(&part);
		part = twice;
	}
	cr_assert(tfr_floats_merge(s, &part));
	tfr_floats_clear(&part);
}

/* What doubles without compensation would lose. */
Test(floats, billions_lose_nothing)
{
	const double n = 0x1p31;
	struct tfr_floats s = { 0 };
	struct tfr_summary sum;

	/* 2^60 goes, and of 2^30 + 2^7 the last bit is below those of 2^60. */
	cr_assert(tfr_floats_add(&s, 0x1p60f) && tfr_floats_add(&s, 0x1p30f + 0x1p7f));
	add_many_floats(&s, -0x1p29f);
	sum = tfr_floats_sum_up(&s);
	cr_assert_float_eq(sum.mean * (n + 2) / (0x1p30 + 0x1p7), 1, 1e-12);
	tfr_floats_clear(&s);

	/* The mean is 1 as a double. */
	cr_assert(tfr_floats_add(&s, 1 - 0x1p-24f));
	add_many_floats(&s, 1);
	sum = tfr_floats_sum_up(&s);
	cr_assert_float_eq(sum.deviation / (0x1p-24 * sqrt(n) / (n + 1)), 1, 1e-12);
	tfr_floats_clear(&s);
}

Test(series, billions_lose_nothing)
{
	const int64_t far = 1000000000000000000;
	const double n = 0x1p31;
	struct tfr_series s = { 0 };

	cr_assert(tfr_series_add(&s, far + 1));
	for (int i = 0; i < 31; i++) {
		struct tfr_series twice = { 0 };

		cr_assert(tfr_series_merge(&twice, &s) && tfr_series_merge(&twice, &s));
		tfr_series_clear(&s);
		s = twice;
	}
	cr_assert(tfr_series_add(&s, far));
	cr_assert_float_eq(tfr_series_sum_up(&s).deviation / (sqrt(n) / (n + 1)), 1, 1e-12);
	tfr_series_clear(&s);
}

/* --- what is kept --- */

/* Values of a feature, as facts and sketches keep them, in `order`, in `parts` of their own. */
struct kept {
	struct tfr_series series;
	struct tfr_floats floats;
	struct tfr_distinct distinct;
	struct tfr_tops *tops;
};

static void clear_kept(struct kept *k)
{
	tfr_series_clear(&k->series);
	tfr_floats_clear(&k->floats);
	tfr_tops_free(k->tops);
	free(k);
}

static struct kept *new_kept(void)
{
	struct kept *k = calloc(1, sizeof(*k));

	k->tops = tfr_tops_new();
	return k;
}

static void state_of_kept(struct kept *k, struct tfr_state *s)
{
	tfr_series_state(&k->series, s);
	tfr_floats_state(&k->floats, s);
	tfr_distinct_state(&k->distinct, s);
	tfr_tops_state(k->tops, s);
	cr_assert_not(s->no_memory);
}

static void merge_kept(struct kept *into, const struct kept *from)
{
	cr_assert(tfr_series_merge(&into->series, &from->series));
	cr_assert(tfr_floats_merge(&into->floats, &from->floats));
	tfr_distinct_merge(&into->distinct, &from->distinct);
	cr_assert(tfr_tops_merge(into->tops, from->tops));
}

/* Value i of a data set, where one of 10 is 7, and the others of `different` values. */
static uint64_t value_at(uint64_t i, uint64_t different)
{
	uint64_t v = tfr_mix(i + 1);

	return v % 10 ? (v >> 8) % different : 7;
}

static struct kept *keep(uint64_t from, uint64_t to, uint64_t step, uint64_t different, bool text)
{
	struct kept *k = new_kept();
	struct tfr_tally *tally = tfr_tally_new(k->tops);

	for (uint64_t i = from; i < to; i += step) {
		uint64_t v = value_at(i, different);
		char digits[32];
		struct tfr_value value = { .hash = tfr_mix(v), .number = v };

		if (text) {
			value.size = (uint32_t)snprintf(
				digits, sizeof(digits), "%llu", (unsigned long long)v);
			value.text = (const uint8_t *)digits;
			value.number = 0;
		}
		cr_assert(tfr_series_add(&k->series, (int64_t)v));
		cr_assert(tfr_floats_add(&k->floats, (float)v / 3));
		tfr_distinct_add(&k->distinct, value.hash);
		cr_assert(tfr_tally_add(tally, &value, tfr_mix(value.hash ^ i)));
	}
	cr_assert(tfr_tally_flush(tally));
	free(tally);
	tfr_tops_settle(k->tops);
	return k;
}

Test(sketches, parts_merge_to_the_whole)
{
	const uint64_t different[] = { 1, 500, 1000, 1100, 100000 };
	enum { N = 30000 };

	for (size_t n = 0; n < 10; n++) {
		struct kept *whole = keep(0, N, 1, different[n / 2], n % 2), *sum = new_kept();
		struct tfr_state a = { 0 }, b = { 0 };

		state_of_kept(whole, &a);
		/* One of many values, one of few, one of each third; read back from what is kept.
		 */
		for (uint64_t part = 5; part--;) {
			struct kept *p = part < 3 ? keep(900 + part, N, 3, different[n / 2], n % 2)
						  : keep(part == 3 ? 0 : 600, part == 3 ? 600 : 900,
							    1, different[n / 2], n % 2);
			struct kept *again = new_kept();
			struct tfr_state text = { 0 };
			struct tfr_state u;

			state_of_kept(p, &text);
			u = (struct tfr_state){ .in = text.out.data,
				.end = text.out.data + text.out.size };
			state_of_kept(again, &u);
			cr_assert(!u.bad && u.in == u.end);
			merge_kept(sum, again);
			tfr_buf_clear(&text.out);
			clear_kept(again);
			clear_kept(p);
		}
		state_of_kept(sum, &b);
		cr_assert_eq(a.out.size, b.out.size);
		cr_assert_eq(memcmp(a.out.data, b.out.data, a.out.size), 0);
		tfr_buf_clear(&a.out);
		tfr_buf_clear(&b.out);
		clear_kept(whole);
		clear_kept(sum);
	}
}

Test(sketches, frequent_values_are_found)
{
	enum { N = 200000 };
	struct kept *k = keep(0, N, 1, 50000, false);
	struct tfr_top top[5];
	uint64_t sevens = 0;
	double estimate;

	for (uint64_t i = 0; i < N; i++)
		sevens += value_at(i, 50000) == 7;
	cr_assert_eq(tfr_tops_list(k->tops, false, N / 512, top, 5), 1);
	cr_assert_eq(top[0].value.number, 7);
	cr_assert(top[0].count >= sevens && top[0].count <= sevens + N / 2048);
	cr_assert_eq(tfr_tops_distinct(k->tops), UINT64_MAX);
	estimate = tfr_distinct_estimate(&k->distinct);
	cr_assert(estimate > 48900 * 0.97 && estimate < 48900 * 1.03, "%g", estimate);
	clear_kept(k);
	k = keep(0, N, 1, 900, true);
	cr_assert_eq(tfr_tops_distinct(k->tops), 900);
	cr_assert_eq(tfr_tops_list(k->tops, false, 0, top, 5), 5);
	cr_assert_eq(memcmp(top[0].value.text, "7", 1), 0);
	for (int i = 1; i < 5; i++)
		cr_assert_leq(top[i].count, top[i - 1].count);
	clear_kept(k);
}

/* Values that came equally often stand in one order, whatever order they came in: NaN last. */
Test(sketches, equally_frequent_floats_have_one_order)
{
	const float values[] = { 3, NAN, -2, 0, -1e-45f, INFINITY, -INFINITY, 1e-45f };
	enum { N = sizeof(values) / sizeof(*values) };
	struct tfr_top top[N];
	float sorted[N];

	for (unsigned turn = 0; turn < N; turn++) {
		struct tfr_tops *tops = tfr_tops_new();
		struct tfr_tally *tally = tfr_tally_new(tops);

		for (unsigned i = 0; i < N; i++) {
			uint32_t bits;

			memcpy(&bits, &values[(i + turn) % N], 4);
			cr_assert(tfr_tally_add(tally,
				&(struct tfr_value){ .hash = tfr_mix(bits), .number = bits }, i));
			cr_assert(tfr_tally_flush(tally));
		}
		tfr_tops_settle(tops);
		cr_assert_eq(tfr_tops_list(tops, true, 1, top, N), N);
		for (unsigned i = 0; i < N; i++) {
			uint32_t bits = (uint32_t)top[i].value.number;

			memcpy(&sorted[i], &bits, 4);
			cr_assert_eq(i == N - 1, sorted[i] != sorted[i]);
			cr_assert(!i || i == N - 1 || sorted[i - 1] < sorted[i]);
		}
		free(tally);
		tfr_tops_free(tops);
	}
}

Test(sketches, distinct_at_any_size)
{
	for (uint64_t n = 1; n < 3000000; n *= 3) {
		struct tfr_distinct *d = calloc(1, sizeof(*d));
		double estimate;

		for (uint64_t i = 0; i < n; i++)
			tfr_distinct_add(d, tfr_mix(i * 7 + 3));
		estimate = tfr_distinct_estimate(d);
		cr_assert_leq(fabs(estimate - (double)n), 0.03 * (double)n + 0.5, "%llu: %g",
			(unsigned long long)n, estimate);
		free(d);
	}
}

/* What was kept and then cut or changed is refused or read, and never harms. */
Test(sketches, what_is_forged_does_no_harm)
{
	struct kept *k = keep(0, 3000, 1, 2000, true);
	struct tfr_state p = { 0 };
	struct tfr_rng rng;

	state_of_kept(k, &p);
	tfr_rng_init(&rng, 4, 4);
	for (int n = 0; n < 3000; n++) {
		struct kept *again = new_kept();
		struct tfr_state u = { .in = p.out.data, .end = p.out.data + p.out.size };
		size_t at = tfr_rng_below(&rng, p.out.size);
		uint8_t was = p.out.data[at];

		if (n % 3)
			p.out.data[at] = (uint8_t)tfr_rng_u32(&rng);
		else
			u.end = u.in + at;
		state_of_kept(again, &u);
		cr_assert(u.bad || n % 3);
		if (!u.bad) {
			struct tfr_summary sum = tfr_series_sum_up(&again->series);

			sum = tfr_floats_sum_up(&again->floats);
			cr_assert(sum.deviation >= 0);
		}
		p.out.data[at] = was;
		clear_kept(again);
	}
	tfr_buf_clear(&p.out);
	clear_kept(k);
}
