/* Several sets in one stream, held to what TensorFlow gives. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tfr-private/select.h>

#include "select/select.h"

/* What sample_from_datasets() draws, by TensorFlow 2.21. */
static const struct {
	double weights[9];
	size_t count;
	uint64_t seed;
	unsigned char drawn[30];
} tensorflow[] = {
	{ { 0.7, 0.3 }, 2, 7,
		{ 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
			0, 0, 0 } },
	{ { 1, 2, 3.5 }, 3, 0,
		{ 2, 2, 2, 1, 1, 2, 2, 2, 2, 1, 2, 0, 0, 2, 2, 0, 1, 2, 2, 2, 0, 2, 2, 1, 1, 2, 2,
			1, 2, 0 } },
	{ { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 }, 9, 2147483647u,
		{ 8, 6, 4, 3, 1, 7, 6, 6, 4, 2, 8, 0, 0, 5, 8, 0, 2, 8, 5, 6, 1, 8, 7, 3, 2, 8, 8,
			1, 7, 1 } },
	{ { 5, 1e-3, 3 }, 3, 123456789012u,
		{ 2, 2, 0, 2, 0, 2, 2, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2, 0, 2, 0,
			0, 0, 2 } },
};

Test(draws, are_those_of_tensorflow)
{
	for (size_t t = 0; t < sizeof(tensorflow) / sizeof(*tensorflow); t++) {
		struct draws d;

		cr_assert_eq(tfr_draws_init(&d, tensorflow[t].weights, tensorflow[t].count,
				     tensorflow[t].seed, NULL),
			TFR_OK);
		for (size_t i = 0; i < sizeof(tensorflow[t].drawn); i++)
			cr_assert_eq(
				tfr_draws_next(&d), tensorflow[t].drawn[i], "%zu, draw %zu", t, i);
		tfr_draws_clear(&d);
	}
}

/* Each place as often as its weight says, to 6 standard deviations. */
static void holds_the_law(struct draws *d, const double *weights)
{
	enum { DRAWS = 200000 };
	size_t drawn[8] = { 0 };
	double total = 0;

	for (size_t i = 0; i < d->count; i++)
		total += weights[i];
	for (int n = 0; n < DRAWS; n++)
		drawn[tfr_draws_next(d)]++;
	for (size_t i = 0; i < d->count; i++) {
		double p = weights[i] / total, mean = p * DRAWS;

		cr_expect_leq(fabs((double)drawn[i] - mean), 6 * sqrt(mean * (1 - p)),
			"place %zu: %zu, not %g", i, drawn[i], mean);
	}
}

Test(draws, hold_the_law_also_when_weights_change)
{
	static const double weights[][6] = { { 0.2, 0.5, 0.1, 0.05, 0.1, 0.05 },
		{ 0, 1e-30, 0, 3e-30, 2e-30, 0 }, { 1e30, 0, 0, 1e30, 0, 1e-30 } };
	struct draws d;

	cr_assert_eq(tfr_draws_init(&d, weights[0], 6, 5, NULL), TFR_OK);
	holds_the_law(&d, weights[0]);
	for (size_t i = 1; i < sizeof(weights) / sizeof(*weights); i++) {
		tfr_draws_set(&d, weights[i]);
		holds_the_law(&d, weights[i]);
	}
	tfr_draws_clear(&d);
}

enum { SETS = 3, RECORDS = 4 };

static char folder[] = "/tmp/tfr-mix-XXXXXX";
static struct tfr_set *sets[SETS];

/* Three sets of a file of four records: "00" to "03", "10" to "13", "20" to "23". */
static void make_sets(void)
{
	cr_assert(mkdtemp(folder));
	for (int s = 0; s < SETS; s++) {
		struct tfr_writer *w = NULL;
		char path[64], text[8];
		const char *inputs[] = { path };

		snprintf(path, sizeof(path), "%s/in%d", folder, s);
		cr_assert_eq(
			tfr_writer_open(&w, path, &(struct tfr_writer_opts){ 0 }, NULL), TFR_OK);
		for (int r = 0; r < RECORDS; r++) {
			snprintf(text, sizeof(text), "%d%d", s, r);
			cr_assert_eq(tfr_writer_put(w, text, 2, NULL), TFR_OK);
		}
		cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
		tfr_writer_close(w);
		cr_assert_eq(tfr_set_open(&sets[s],
				     &(struct tfr_set_opts){ .inputs = inputs, .count = 1 }, NULL),
			TFR_OK);
	}
}

static void remove_sets(void)
{
	for (int s = 0; s < SETS; s++) {
		unlink(tfr_set_path(sets[s], 0));
		tfr_set_close(sets[s]);
	}
	rmdir(folder);
}

/* The records of a mix in one line, each with the file it says it is from proved. */
static const char *lay(const double weights[SETS], bool until_first)
{
	static char line[200];
	struct tfr_mix_opts mix = { (const struct tfr_set *const *)sets, weights, SETS,
		until_first };
	struct tfr_select_opts opts = { .mix = &mix, .seed = 3, .limit = UINT64_MAX };
	struct tfr_select *s = NULL;
	struct tfr_record rec;
	struct tfr_error err = { 0 };
	uint64_t records = 0;
	size_t n = 0;

	cr_assert_eq(tfr_select_open(&s, NULL, &opts, &err), TFR_OK, "%s", err.message);
	while (!tfr_select_next(s, &rec, &err)) {
		const char *path = tfr_select_path(s);

		cr_assert_eq(rec.data[0], path[strlen(path) - 1]);
		cr_assert_eq(rec.data[1] - '0', rec.index);
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%.2s ", (const char *)rec.data);
		records++;
	}
	cr_assert_eq(err.status, TFR_OK);
	cr_assert_eq(tfr_select_next(s, &rec, &err), TFR_END, "the end is the end");
	cr_assert_eq(tfr_select_records_read(s), records);
	tfr_select_close(s);
	line[n ? n - 1 : 0] = 0;
	return line;
}

/* All by TensorFlow 2.21. */
Test(mix, drops_a_set_at_its_end_or_stops)
{
	static const double weights[] = { 5, 1, 2 };

	make_sets();
	cr_expect_str_eq(lay(weights, false), "00 01 10 02 11 12 03 20 21 13 22 23");
	cr_expect_str_eq(lay(weights, true), "00 01 10 02 11 12 03 20");
	cr_expect_str_eq(lay((double[]){ 5, 0, 2 }, false), "00 01 02 03 20 21 22 23");
	cr_expect_str_eq(lay((double[]){ 0, 0, 2 }, true), "20 21 22 23");
	remove_sets();
}

/* tf.data would draw 10^30 times for the first of the others. */
Test(mix, comes_to_an_end_whatever_the_weights)
{
	const char *line;

	make_sets();
	line = lay((double[]){ 1, 1e-30, 1e-30 }, false);
	cr_expect_eq(strlen(line), SETS * RECORDS * 3 - 1);
	cr_expect_eq(strncmp(line, "00 01 02 03 ", 12), 0);
	cr_expect_not_null(strstr(line, "13"));
	cr_expect_not_null(strstr(line, "23"));
	remove_sets();
}

static void is_refused(
	const double *weights, size_t count, const struct tfr_select_opts *more, const char *why)
{
	struct tfr_mix_opts mix = { (const struct tfr_set *const *)sets, weights, count, false };
	struct tfr_select_opts opts = *more;
	struct tfr_select *s = NULL;
	struct tfr_error err = { 0 };

	opts.mix = &mix;
	cr_expect_eq(tfr_select_open(&s, NULL, &opts, &err), TFR_EUSAGE);
	cr_expect_str_eq(err.message, why);
}

Test(mix, refuses_what_is_no_weight_and_what_does_not_go_together)
{
	const struct tfr_select_opts plain = { 0 };
	const struct tfr_growing growing = { 0 };

	make_sets();
	is_refused((double[]){ 1, -1 }, 2, &plain, "a weight is 0 or from 1e-37 to 1e38, not -1");
	is_refused((double[]){ 1, NAN }, 2, &plain, "a weight is 0 or from 1e-37 to 1e38, not nan");
	is_refused((double[]){ INFINITY, 1 }, 2, &plain,
		"a weight is 0 or from 1e-37 to 1e38, not inf");
	is_refused((double[]){ 1, 1e-40 }, 2, &plain,
		"a weight is 0 or from 1e-37 to 1e38, not 1e-40");
	is_refused((double[]){ 0, 0 }, 2, &plain, "no set of the mix has a weight above 0");
	is_refused(NULL, 0, &plain, "no set of the mix has a weight above 0");
	is_refused((double[]){ 1 }, 1, &(struct tfr_select_opts){ .growing = &growing },
		"one file can be followed, not a mix of sets");
	remove_sets();
}
