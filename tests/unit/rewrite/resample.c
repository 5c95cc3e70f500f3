/* The whole of tfr_resample() on small sets, against plain reckoning: which records come out, how
 * often, in which order, for every method, and by which law. */
#include <criterion/criterion.h>
#include <math.h>

#include "base/rng.h"
#include "resample_set.h"

TestSuite(resample, .init = setup, .fini = teardown, .timeout = 120);

/* --- exact --- */

Test(resample, exact_gives_the_quotas_and_no_record_twice)
{
	static struct result r;
	static const struct {
		const char *target;
		uint64_t size;
		int n0, n1, n7;
	} rows[] = {
		/* 1000 records: 900 of 0, 50 of 1 and 50 of 7 */
		{ "uniform", 0, 50, 50, 50 },
		{ "uniform", 1, 1, 0, 0 },
		{ "uniform", 149, 50, 50, 49 },
		{ "0=0.9,1=0.05,7=0.05", 0, 900, 50, 50 },
		{ "proportional", 0, 900, 50, 50 },
		{ "0=1", 0, 900, 0, 0 },
		{ "1=3,7=1", 0, 0, 50, 16 },
		{ "1=1,7=1,0=2", 33, 17, 8, 8 },
		{ "proportional^0", 0, 50, 50, 50 },
		/* 30 to 7.07 and 7.07: 318.2 in all */
		{ "proportional^0.5", 0, 212, 50, 50 },
	};

	make_set(1000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		RUN(&r, .by = "label", .target = rows[i].target, .size = rows[i].size);
		cr_expect(r.classes[0] == rows[i].n0 && r.classes[1] == rows[i].n1 &&
				  r.classes[7] == rows[i].n7,
			"%s: %d %d %d", rows[i].target, r.classes[0], r.classes[1], r.classes[7]);
		assert_once(&r);
		assert_input_order(&r);
	}
	cr_assert_eq(r.report.class_count, 3);
	cr_assert_str_eq(r.report.classes[2].name, "7");
	cr_assert_eq(r.report.classes[2].label, 7);
	cr_assert_eq(r.report.classes[0].records, 900);
	cr_assert_eq(r.report.classes[0].final, 212);
	tfr_resample_report_clear(&r.report);
}

/* Algorithm S by itself: the records of a class that should come out. */
static int select_plainly(uint64_t seed, int records, int label, int wanted, bool *chosen)
{
	int unseen = 0, n = 0;

	for (int id = 0; id < records; id++)
		unseen += label_of(id) == label;
	for (int f = 0; f < FILES; f++) {
		for (int id = f; id < records; id += FILES) {
			uint64_t draw = tfr_record_draw(
				seed, (uint32_t)f, (uint64_t)(id / FILES), 0x72736d70u);
			unsigned __int128 scaled = (unsigned __int128)draw * (unsigned)unseen;

			if (label_of(id) != label)
				continue;
			chosen[id] = (int)(scaled >> 64) < wanted - n;
			n += chosen[id];
			unseen--;
		}
	}
	return n;
}

Test(resample, exact_is_selection_sampling)
{
	static struct result r;
	bool chosen[200] = { 0 };

	make_set(200);
	for (uint64_t seed = 0; seed < 50; seed++) {
		RUN(&r, .by = "label", .target = "0=3,1=1", .common.seed = seed << 40 | seed);
		select_plainly(seed << 40 | seed, 200, 0, 30, chosen);
		select_plainly(seed << 40 | seed, 200, 1, 10, chosen);
		for (int id = 0; id < 200; id++)
			cr_assert_eq(r.times[id], chosen[id], "seed %d, id %d", (int)seed, id);
	}
	tfr_resample_report_clear(&r.report);
}

/* Each record of a class, and each two of them, as likely as any: chi-square over 20,000 seeds. */
Test(resample, every_choice_is_equally_likely)
{
	enum { SEEDS = 20000, RECORDS = 100, WANTED = 3 };
	int single[RECORDS] = { 0 }, pair[RECORDS][RECORDS] = { { 0 } };
	double chi2 = 0, chi2_pairs = 0, expected = SEEDS * WANTED / 5.0;
	/* the sum over records of a sample without replacement has less variance, by 1 - 3/5 and
	 * 5/4; pairs of five: ten cells, one a seed and pair */
	int tens[5] = { 10, 30, 50, 70, 90 };

	for (int seed = 0; seed < SEEDS; seed++) {
		bool chosen[RECORDS] = { 0 };

		cr_assert_eq(select_plainly((uint64_t)seed, RECORDS, 1, WANTED, chosen), WANTED);
		for (int a = 0; a < 5; a++)
			for (int b = 0; b < a; b++)
				pair[tens[a]][tens[b]] += chosen[tens[a]] && chosen[tens[b]];
		for (int id = 0; id < RECORDS; id++)
			single[id] += chosen[id];
	}
	for (int a = 0; a < 5; a++) {
		double off = single[tens[a]] - expected;

		chi2 += off * off / (expected * (1 - WANTED / 5.0)) * 4 / 5;
		for (int b = 0; b < a; b++) {
			double often = SEEDS * 3 / 10.0; /* 3 * 2 / (5 * 4) */

			chi2_pairs += (pair[tens[a]][tens[b]] - often) *
				      (pair[tens[a]][tens[b]] - often) / (often * 0.7);
		}
	}
	cr_assert_lt(chi2, 18.5, "%g", chi2);		  /* 4 degrees: p = 0.001 */
	cr_assert_lt(chi2_pairs, 35.0, "%g", chi2_pairs); /* below 9 degrees' p = 0.0001 */
}

Test(resample, nothing_depends_on_the_threads)
{
	static struct result first, r;
	static const struct tfr_resample_opts kinds[] = {
		{ .by = "label", .target = "uniform" },
		{ .by = "text", .target = "proportional^0.5" },
		{ .by = "label", .target = "uniform", .method = TFR_RESAMPLE_OVERSAMPLE },
	};

	make_set(1200);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		for (unsigned threads = 1; threads <= 8; threads *= 2) {
			struct tfr_resample_opts o = kinds[k];

			o.common.sweep.threads = threads;
			o.common.seed = 3;
			cr_assert_eq(
				run(o, threads == 1 ? &first : &r), TFR_OK, "%s", r.err.message);
			if (threads == 1)
				continue;
			cr_assert_eq(first.n, r.n);
			cr_assert_arr_eq(first.ids, r.ids, sizeof(r.ids));
			cr_assert_eq(first.report.common.taken_sum, r.report.common.taken_sum);
		}
	}
	tfr_resample_report_clear(&first.report);
	tfr_resample_report_clear(&r.report);
}

/* --- oversample --- */

Test(resample, oversample_repeats_evenly)
{
	static struct result r;
	int least[8], most[8];

	make_set(1000);
	for (int round = 0; round < 3; round++) {
		if (round == 0)
			RUN(&r, .by = "label", .target = "uniform",
				.method = TFR_RESAMPLE_OVERSAMPLE);
		else if (round == 1)
			RUN(&r, .by = "label", .target = "uniform", .size = 2002,
				.method = TFR_RESAMPLE_OVERSAMPLE);
		else
			RUN(&r, .by = "label", .per_class = 77, .method = TFR_RESAMPLE_OVERSAMPLE);
		cr_assert_eq(r.classes[0], ((int[]){ 900, 668, 77 })[round]);
		cr_assert_eq(r.classes[1], ((int[]){ 900, 667, 77 })[round]);
		cr_assert_eq(r.classes[7], ((int[]){ 900, 667, 77 })[round]);
		for (int c = 0; c < 8; c++) {
			least[c] = MOST;
			most[c] = 0;
		}
		for (int id = 0; id < 1000; id++) {
			int c = label_of(id), n = r.times[id];

			least[c] = n < least[c] ? n : least[c];
			most[c] = n > most[c] ? n : most[c];
		}
		for (int c = 0; c < 8; c++)
			cr_assert(most[c] == 0 || most[c] - least[c] <= 1);
		assert_input_order(&r);
	}
	tfr_resample_report_clear(&r.report);
}
