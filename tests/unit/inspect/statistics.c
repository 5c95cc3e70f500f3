/* Statistics of a set against numbers that numpy and exact fractions of Python gave for the same
 * values, and against plain code; and that parts of a set merge to the statistics of all of it. */
#include <math.h>

#include <tfr-private/survey.h>
#include <tfr-private/text.h>

#include "inspect/stats/facts.h"
#include "support/examples.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(statistics, .init = setup, .fini = teardown, .timeout = 120);

enum { N = 5000 };

static struct tfr_survey *survey(const char *input, unsigned threads)
{
	struct tfr_set_opts inputs = { .inputs = &input, .count = 1 };
	struct tfr_survey_opts o = { .common.threads = threads, .values = true };
	struct tfr_sweep_report report;
	struct tfr_survey *s = NULL;
	struct tfr_error err = { 0 };
	struct tfr_set *set = NULL;

	cr_assert_eq(tfr_set_open(&set, &inputs, NULL), TFR_OK);
	o.common.input = set;
	cr_assert_eq(tfr_survey_run(&s, &o, &report, &err), TFR_OK, "%s", err.message);
	tfr_set_close(set);
	return s;
}

static struct tfr_feature_stats stats_of(const struct tfr_survey *s, const char *name)
{
	for (size_t i = 0; i < tfr_survey_totals(s).features; i++) {
		struct tfr_feature_stats f;

		cr_assert_eq(tfr_survey_feature(s, i, &f, NULL), TFR_OK);
		if (!strcmp(f.name, name))
			return f;
		tfr_feature_stats_clear(&f);
	}
	cr_assert_fail("no feature '%s'", name);
	abort();
}

/* --- numbers --- */

static void write_numbers(const char *path, int begin, int end)
{
	struct examples x = examples_open(path);

	for (int i = begin; i < end; i++) {
		/* Of all magnitudes, half of the largest negative. */
		examples_int64(&x, "i", (int64_t)(tfr_mix((uint64_t)i + 1) >> i % 60));
		examples_float(&x, "f",
			(float)((int64_t)(tfr_mix((uint64_t)i + 7) % 2000001) - 1000000) / 1024);
		examples_end(&x);
	}
	examples_close(&x);
}

static void expect_quantiles(const struct tfr_distribution *d, const double expected[TFR_QUANTILES])
{
	for (int i = 0; i < TFR_QUANTILES; i++) {
		double is = expected[i],
		       most = fabs(is) < 64 && is == floor(is) ? 0 : fabs(is) / 128;

		cr_assert_leq(
			fabs(d->quantiles[i] - is), most, "%d: %g, not %g", i, d->quantiles[i], is);
	}
}

/* The constants: mean and deviation by fractions.Fraction and decimal with 60 digits, quantiles of
 * the sorted values at rank ceil(q * n); numpy's mean and std agree on the floats. */
Test(statistics, int64s_against_python)
{
	static const double quantiles[] = { 0, 50, 167362, 6911995186, 223269840843533,
		874248722969153268.0, 5277231891673261938.0 };
	struct tfr_feature_stats f;
	struct tfr_survey *s;

	write_numbers("in", 0, N);
	s = survey("in", 2);
	f = stats_of(s, "i");
	cr_assert(f.kind == TFR_KIND_INT64 && f.records == N && f.values == N && f.empty == 0);
	cr_assert_eq(f.min, -9188142695190656821);
	cr_assert_eq(f.max, 9011316024882625617);
	cr_assert_eq(f.numbers.mean, 0x1.0a89e1fe3ac5bp+57, "%a", f.numbers.mean);
	cr_assert_leq(fabs(f.numbers.deviation / 0x1.c73c869b69bf6p+59 - 1), 0x1p-51);
	expect_quantiles(&f.numbers, quantiles);
	/* 4724 are different, with a standard error of 0.8 %. */
	cr_assert_not(f.distinct_exact);
	cr_assert_float_eq(
		(double)f.distinct / 4724, 1, 0.04, "%llu", (unsigned long long)f.distinct);
	tfr_feature_stats_clear(&f);
	tfr_survey_free(s);
}

Test(statistics, floats_against_numpy)
{
	static const double quantiles[] = { -952.7333984375, -875.54296875, -508.9306640625,
		-31.9208984375, 463.4873046875, 862.6552734375, 953.9462890625 };
	struct tfr_feature_stats f;
	struct tfr_survey *s;

	write_numbers("in", 0, N);
	s = survey("in", 1);
	f = stats_of(s, "f");
	cr_assert(f.kind == TFR_KIND_FLOAT && f.numbers.count == N);
	cr_assert_float_eq(f.numbers.min, -976.4199, 1e-4);
	cr_assert_float_eq(f.numbers.max, 976.41895, 1e-4);
	cr_assert_eq(f.numbers.mean, -0x1.422b03e425aeep+4, "%a", f.numbers.mean);
	cr_assert_leq(fabs(f.numbers.deviation / 0x1.17198e190c143p+9 - 1), 0x1p-51);
	expect_quantiles(&f.numbers, quantiles);
	cr_assert_float_eq((double)f.distinct / 4994, 1, 0.04);
	tfr_feature_stats_clear(&f);
	tfr_survey_free(s);
}

Test(statistics, bins_cover_all_numbers_once)
{
	struct tfr_feature_stats f;
	struct tfr_survey *s;

	write_numbers("in", 0, N);
	s = survey("in", 1);
	for (int k = 0; k < 2; k++) {
		uint64_t counted = 0;

		f = stats_of(s, k ? "f" : "i");
		for (size_t b = 0; b < f.numbers.bin_count; b++) {
			const struct tfr_bin *bin = &f.numbers.bins[b];

			cr_assert(bin->count && bin->low <= bin->high);
			cr_assert(!b || bin[-1].high <= bin->low);
			counted += bin->count;
		}
		cr_assert_eq(counted, N);
		tfr_feature_stats_clear(&f);
	}
	tfr_survey_free(s);
}

Test(statistics, numbers_that_are_none)
{
	static const float values[] = { NAN, INFINITY, -INFINITY, NAN, 1, 3, -0.0f };
	struct examples x = examples_open("in");
	struct tfr_feature_stats f;
	struct tfr_survey *s;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		examples_float(&x, "f", values[i]);
		examples_end(&x);
	}
	examples_close(&x);
	s = survey("in", 1);
	f = stats_of(s, "f");
	cr_assert(f.nan == 2 && f.infinite == 1 && f.minus_infinite == 1);
	cr_assert_eq(f.values, 7);
	cr_assert_eq(f.numbers.count, 3);
	cr_assert(f.numbers.min == 0 && f.numbers.max == 3);
	cr_assert_eq(f.numbers.mean, 4.0 / 3);
	cr_assert_float_eq(f.numbers.deviation, sqrt(14.0 / 9), 1e-15);
	tfr_feature_stats_clear(&f);
	tfr_survey_free(s);
}

/* --- lengths --- */

/* Record i has i % 5 values, and each third record lacks the feature. */
Test(statistics, numbers_of_values)
{
	enum { RECORDS = 300 };
	const int64_t values[4] = { 7, 7, 7, 7 };
	struct examples x = examples_open("in");
	uint64_t records = 0, empty = 0, all = 0;
	double squares = 0, mean;
	struct tfr_feature_stats f;
	struct tfr_survey *s;

	for (size_t i = 0; i < RECORDS; i++) {
		if (i % 3) {
			cr_assert_eq(tfr_builder_int64s(x.b, "v", values, i % 5, NULL), TFR_OK);
			records++;
			empty += i % 5 == 0;
			all += i % 5;
			squares += (double)((i % 5) * (i % 5));
		}
		examples_end(&x);
	}
	examples_close(&x);
	s = survey("in", 2);
	cr_assert_eq(tfr_survey_totals(s).records, RECORDS);
	f = stats_of(s, "v");
	cr_assert_eq(f.records, records);
	cr_assert_eq(f.empty, empty);
	cr_assert_eq(f.values, all);
	cr_assert_eq(f.bytes, all, "7 is a varint of one byte");
	mean = (double)all / (double)records;
	cr_assert(f.length.min == 0 && f.length.max == 4);
	cr_assert_eq(f.length.mean, mean);
	cr_assert_float_eq(
		f.length.deviation, sqrt(squares / (double)records - mean * mean), 1e-12);
	/* One value makes up all. */
	cr_assert(f.distinct_exact && f.distinct == 1 && f.top_exact && f.top_count == 1);
	cr_assert(f.top[0].number == 7 && f.top[0].count == all);
	tfr_feature_stats_clear(&f);
	tfr_survey_free(s);
}

Test(statistics, sizes_of_records)
{
	struct examples x = examples_open("in");
	struct tfr_distribution d;
	struct tfr_survey *s;
	char text[1001];

	memset(text, 'x', sizeof(text));
	for (int i = 0; i <= 1000; i += 10) {
		examples_bytes(&x, "t", text, (size_t)i);
		examples_end(&x);
	}
	examples_close(&x);
	s = survey("in", 1);
	cr_assert_eq(tfr_survey_sizes(s, &d, NULL), TFR_OK);
	cr_assert_eq(d.count, 101);
	/* A tag and a length for each of six levels, whose length has one byte or two, and a name.
	 */
	cr_assert_eq(d.min, 13);
	cr_assert_eq(d.max, 1000 + 18);
	free(d.bins);
	tfr_survey_free(s);
}

/* --- contents --- */

Test(statistics, contents_of_bytes)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum tfr_value_content is;
	} cases[] = {
		{ "", 0, TFR_VALUE_EMPTY },
		{ "words", 5, TFR_VALUE_TEXT },
		{ "caf\xc3\xa9\n", 6, TFR_VALUE_TEXT },
		{ "\xff\xfe\x00", 3, TFR_VALUE_BINARY },
		{ "a\x01", 2, TFR_VALUE_BINARY },
		{ "\xff\xd8\xff\xe0", 4, TFR_VALUE_IMAGE },
		{ "\x89PNG\r\n\x1a\n", 8, TFR_VALUE_IMAGE },
		/* dtype DT_INT64, a shape of one dimension of 1, content of 8 bytes */
		{ "\x08\x09\x12\x04\x12\x02\x08\x01\x22\x08\0\0\0\0\0\0\0\0", 18,
			TFR_VALUE_TENSOR },
	};
	enum { CASES = sizeof(cases) / sizeof(*cases) };
	uint64_t expected[TFR_CONTENTS] = { 0 };
	struct examples x = examples_open("in");
	struct tfr_feature_stats f;
	struct tfr_survey *s;

	for (size_t i = 0; i < CASES; i++)
		for (size_t n = 0; n <= i; n++) {
			examples_bytes(&x, "b", cases[i].bytes, cases[i].size);
			examples_end(&x);
			expected[cases[i].is]++;
		}
	examples_close(&x);
	s = survey("in", 1);
	f = stats_of(s, "b");
	for (int c = 0; c < TFR_CONTENTS; c++)
		cr_assert_eq(f.contents[c], expected[c], "%d: %llu", c,
			(unsigned long long)f.contents[c]);
	cr_assert_eq(f.formats[TFR_IMAGE_JPEG], 6);
	cr_assert_eq(f.formats[TFR_IMAGE_PNG], 7);
	cr_assert_eq(f.damaged, 13, "none of them can be measured");
	cr_assert(f.distinct_exact && f.distinct == CASES);
	tfr_feature_stats_clear(&f);
	tfr_survey_free(s);
}

/* The most frequent values, with their counts, the most frequent first. */
Test(statistics, most_frequent_values)
{
	struct examples x = examples_open("in");
	struct tfr_feature_stats f;
	struct tfr_survey *s;
	char text[16];

	for (int v = 0; v < 30; v++)
		for (int n = 0; n < 3 * (v + 1); n++) {
			snprintf(text, sizeof(text), "value %d", v);
			examples_text(&x, "t", text);
			examples_int64(&x, "i", v - 15);
			examples_float(&x, "f", (float)v / 4);
			examples_end(&x);
		}
	examples_close(&x);
	s = survey("in", 3);
	f = stats_of(s, "t");
	cr_assert(f.top_exact && f.top_count == TFR_TOP_VALUES && f.distinct == 30);
	for (int i = 0; i < TFR_TOP_VALUES; i++) {
		snprintf(text, sizeof(text), "value %d", 29 - i);
		cr_assert_eq(f.top[i].count, (uint64_t)(90 - 3 * i));
		cr_assert_eq(f.top[i].bytes.size, strlen(text));
		cr_assert_eq(memcmp(f.top[i].bytes.data, text, strlen(text)), 0);
	}
	tfr_feature_stats_clear(&f);
	f = stats_of(s, "i");
	for (int i = 0; i < TFR_TOP_VALUES; i++)
		cr_assert_eq(f.top[i].number, 14 - i);
	tfr_feature_stats_clear(&f);
	f = stats_of(s, "f");
	for (int i = 0; i < TFR_TOP_VALUES; i++)
		cr_assert_eq(f.top[i].real, (float)(29 - i) / 4);
	tfr_feature_stats_clear(&f);
	tfr_survey_free(s);
}

/* --- merging --- */

static char *json_of(const struct tfr_survey *s)
{
	struct tfr_json *j = tfr_json_new();
	size_t size;
	char *text;

	tfr_json_open_object(j, NULL);
	cr_assert_eq(tfr_survey_json(s, j, NULL), TFR_OK);
	tfr_json_close_object(j);
	text = strdup(tfr_json_text(j, &size));
	tfr_json_free(j);
	return text;
}

static struct tfr_survey *through_a_file(struct tfr_survey *s, const char *path)
{
	struct tfr_survey *back = NULL;
	struct tfr_error err = { 0 };
	char *text = json_of(s);

	temp_write(path, text, strlen(text));
	free(text);
	tfr_survey_free(s);
	cr_assert_eq(tfr_survey_read(&back, path, &err), TFR_OK, "%s", err.message);
	return back;
}

/* The files of a set one by one, written to files and read back, in another order. */
Test(statistics, parts_merge_to_the_whole)
{
	static const int order[] = { 2, 0, 3, 1 };
	struct tfr_survey *all, *merged = NULL;
	char path[32], *a, *b;

	for (int k = 0; k < 4; k++) {
		snprintf(path, sizeof(path), "s-%05d-of-00004", k);
		write_numbers(path, 1000 * k, 1000 * (k + 1) - 100 * k);
	}
	all = survey("s@4", 3);
	for (int k = 0; k < 4; k++) {
		struct tfr_survey *part;

		snprintf(path, sizeof(path), "s-%05d-of-00004", order[k]);
		part = through_a_file(survey(path, 1), "part.json");
		if (!merged) {
			merged = part;
			continue;
		}
		cr_assert_eq(tfr_survey_merge(merged, part, NULL), TFR_OK);
		tfr_survey_free(part);
	}
	cr_assert_eq(tfr_survey_totals(merged).files, 4);
	cr_assert_eq(tfr_survey_totals(merged).records, 4000 - 600);
	a = json_of(all);
	b = json_of(merged);
	cr_assert_str_eq(b, a);
	free(a);
	free(b);
	tfr_survey_free(all);
	tfr_survey_free(merged);
}

Test(statistics, do_not_depend_on_the_number_of_threads)
{
	char *one = NULL;

	write_numbers("in", 0, N);
	for (unsigned threads = 1; threads <= 5; threads += 2) {
		struct tfr_survey *s = survey("in", threads);
		char *text = json_of(s);

		if (one)
			cr_assert_str_eq(text, one);
		else
			one = strdup(text);
		free(text);
		tfr_survey_free(s);
	}
	free(one);
}

/* The squares of so many mantissas need more than 64 bits, on both sides of the merge. */
Test(statistics, large_sums_merge)
{
	enum { VALUES = 200000 };
	struct tfr_floats all = { 0 }, parts[2] = { 0 };
	struct tfr_summary a, b;

	for (int i = 0; i < VALUES; i++) {
		float v = i % 3 ? 1.9999f : 1.5f;

		cr_assert(tfr_floats_add(&all, v) && tfr_floats_add(&parts[i % 2], v));
	}
	cr_assert(tfr_floats_merge(&parts[0], &parts[1]));
	a = tfr_floats_sum_up(&all);
	b = tfr_floats_sum_up(&parts[0]);
	cr_assert(a.count == VALUES && b.count == VALUES);
	cr_assert(
		a.mean == b.mean && a.deviation == b.deviation, "%a, %a", a.deviation, b.deviation);
	cr_assert_float_eq(a.mean, (1.5 + 2 * 1.9999) / 3, 1e-5);
	cr_assert_float_eq(a.deviation, 0.4999 * sqrt(2) / 3, 1e-5);
	tfr_floats_clear(&all);
	tfr_floats_clear(&parts[0]);
	tfr_floats_clear(&parts[1]);
}

/* SequenceExamples: their number, and the steps of their lists. */
Test(statistics, sequences_merge)
{
	struct tfr_survey *s = NULL;
	const struct tfr_survey *lists;
	struct tfr_feature_stats f;

	for (int k = 0; k < 2; k++) {
		struct examples x = examples_open(k ? "b" : "a");
		const float frames[6] = { 1, 2, 3, 4, 5, 6 };
		struct tfr_survey *part;

		for (size_t i = 0; i < 3; i++) {
			examples_int64(&x, "id", (int64_t)i);
			if (i)
				cr_assert_eq(tfr_builder_frames(x.b, "audio", frames,
						     2 * (i + (size_t)k), 2, NULL),
					TFR_OK);
			examples_end(&x);
		}
		examples_close(&x);
		part = survey(k ? "b" : "a", 1);
		cr_assert_eq(tfr_survey_totals(part).sequences, 2);
		if (k) {
			cr_assert_eq(tfr_survey_merge(s, part, NULL), TFR_OK);
			tfr_survey_free(part);
		} else {
			s = part;
		}
	}
	cr_assert_eq(tfr_survey_totals(s).records, 6);
	cr_assert_eq(tfr_survey_totals(s).sequences, 4);
	lists = tfr_survey_totals(s).lists;
	cr_assert_not_null(lists);
	f = stats_of(lists, "audio");
	cr_assert_eq(f.records, 4);
	cr_assert_eq(f.all_steps, 1 + 2 + 2 + 3);
	cr_assert_eq(f.values, 2 * f.all_steps);
	cr_assert(f.steps.min == 1 && f.steps.max == 3 && f.steps.mean == 2);
	cr_assert(f.length.min == 2 && f.length.max == 2);
	tfr_feature_stats_clear(&f);
	tfr_survey_free(s);
}

/* A feature that another part lacks, or has of another kind. */
Test(statistics, parts_with_different_features_merge)
{
	struct examples x = examples_open("a");
	struct tfr_feature_stats f;
	struct tfr_survey *s, *part;

	examples_int64(&x, "only a", 1);
	examples_int64(&x, "both", 1);
	examples_end(&x);
	examples_close(&x);
	x = examples_open("b");
	examples_int64(&x, "only b", 1);
	examples_float(&x, "both", 1);
	examples_end(&x);
	examples_close(&x);
	s = survey("a", 1);
	part = survey("b", 1);
	cr_assert_eq(tfr_survey_merge(s, part, NULL), TFR_OK);
	tfr_survey_free(part);
	cr_assert_eq(tfr_survey_totals(s).features, 4, "the feature of two kinds has two entries");
	f = stats_of(s, "only b");
	cr_assert_eq(f.records, 1);
	tfr_feature_stats_clear(&f);
	tfr_survey_free(s);
}

/* Any changed character of the state is noticed: a digest follows it. */
Test(statistics, a_damaged_state_is_refused)
{
	struct tfr_survey *s;
	size_t at, size = 0, refused = 0, tried = 0;
	char *text;

	write_numbers("in", 0, 20);
	s = survey("in", 1);
	text = json_of(s);
	tfr_survey_free(s);
	at = (size_t)(strstr(text, "\"state\"") - text) + strlen("\"state\": \"");
	size = strlen(text);
	for (size_t i = at; i < size && text[i] != '"'; i += 11, tried++) {
		struct tfr_survey *back = NULL;
		char old = text[i];

		text[i] = old == 'A' ? 'B' : 'A';
		temp_write("bad", text, size);
		refused += tfr_survey_read(&back, "bad", NULL) == TFR_EDATA;
		cr_assert_null(back);
		text[i] = old;
	}
	cr_assert_gt(tried, 50);
	cr_assert_eq(refused, tried);
	for (size_t cut = 0; cut < size; cut += size / 40 + 1) {
		struct tfr_survey *back = NULL;

		temp_write("bad", text, cut);
		cr_assert_eq(tfr_survey_read(&back, "bad", NULL), TFR_EDATA, "%zu", cut);
	}
	free(text);
}

Test(statistics, files_of_no_statistics_are_refused)
{
	static const char *const texts[] = { "", "{}", "[]", "null", "{\"state\": 5}",
		"{\"state\": \"\"}", "{\"state\": \"AAAA\"}", "{\"state\": \"!\"}", "not JSON",
		"{\"version\": 3, \"state\": \"AAAA\"}" };
	struct tfr_survey *s = NULL;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		temp_write("bad", texts[i], strlen(texts[i]));
		cr_assert_eq(tfr_survey_read(&s, "bad", NULL), TFR_EDATA, "%s", texts[i]);
	}
	cr_assert_eq(tfr_survey_read(&s, "nosuch", NULL), TFR_ESYS);
}
