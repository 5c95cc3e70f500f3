/* How well records are shuffled, against plain code: runs, places and batches counted in the test,
 * and for a random order the mean over all ways to draw a batch. */
#include <math.h>

#include <tfr-private/survey.h>

#include "base/rng.h"
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

TestSuite(order, .init = setup, .fini = teardown, .timeout = 120);

enum { MOST = 70000 };

/* The files s-1, s-2, … with these classes; a class below 0: no label. */
static void write_files(const int *classes, int files, int each)
{
	for (int k = 0; k < files; k++) {
		struct examples x;
		char path[32];

		snprintf(path, sizeof(path), "s-%05d-of-%05d", k, files);
		x = examples_open(path);
		for (int i = 0; i < each; i++) {
			if (classes[k * each + i] >= 0)
				examples_int64(&x, "label", classes[k * each + i]);
			examples_int64(&x, "id", i);
			examples_end(&x);
		}
		examples_close(&x);
	}
}

static enum tfr_status measure(int files, uint64_t batch, uint64_t buffer, const char *label,
	struct tfr_order_report *report, struct tfr_error *err)
{
	char name[32];
	const char *input = name;
	struct tfr_set_opts inputs = { .inputs = &input, .count = 1 };
	struct tfr_order_opts o = { .label = label, .batch = batch, .buffer = buffer };
	struct tfr_set *set = NULL;
	enum tfr_status status;

	snprintf(name, sizeof(name), "s@%d", files);
	cr_assert_eq(tfr_set_open(&set, &inputs, NULL), TFR_OK);
	o.common.input = set;
	o.common.threads = 2;
	status = tfr_order(&o, report, err);
	tfr_set_close(set);
	return status;
}

static struct tfr_order_report order_of(
	const int *classes, int files, int each, uint64_t batch, uint64_t buffer)
{
	struct tfr_order_report report;

	write_files(classes, files, each);
	cr_assert_eq(measure(files, batch, buffer, "label", &report, NULL), TFR_OK);
	return report;
}

static double entropy_of(const int *classes, int n, int kinds)
{
	double sum = 0;

	for (int c = 0; c < kinds; c++) {
		int k = 0;

		for (int i = 0; i < n; i++)
			k += classes[i] == c;
		if (k)
			sum -= (double)k / n * log2((double)k / n);
	}
	return sum;
}

/* The mean entropy of all full batches. */
static double batches_of(const int *classes, int n, int batch, int kinds)
{
	double sum = 0;
	int count = 0;

	for (int i = 0; i + batch <= n; i += batch, count++)
		sum += entropy_of(classes + i, batch, kinds);
	return sum / count;
}

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* The expected entropy of a batch drawn from all records, class by class. */
static double random_batches(const int *classes, int n, int batch, int kinds)
{
	double sum = 0;

	for (int c = 0; c < kinds; c++) {
		int of = 0;

		for (int i = 0; i < n; i++)
			of += classes[i] == c;
		for (int k = 1; k <= batch && k <= of; k++) {
			if (batch - k > n - of)
				continue;
			sum -= exp(log_choose(of, k) + log_choose(n - of, batch - k) -
				       log_choose(n, batch)) *
			       ((double)k / batch) * log2((double)k / batch);
		}
	}
	return sum;
}

static bool close_to(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* With a buffer of one record, every record leaves in the order in which it came. */
Test(order, batches_are_those_of_plain_code)
{
	static const int kinds[] = { 2, 3, 7, 40 };
	static int classes[5000];
	struct tfr_rng rng;

	tfr_rng_init(&rng, 3, 3);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (int form = 0; form < 3; form++) {
			int n = 600 + (int)tfr_rng_below(&rng, 1000), batch = 8 + 23 * form;
			struct tfr_order_report r;

			for (int i = 0; i < n; i++)
				classes[i] = form == 0	 ? (int)tfr_rng_below(&rng, kinds[k])
					     : form == 1 ? i * kinds[k] / n
							 : i / 5 % kinds[k];
			r = order_of(classes, 1, n, (uint64_t)batch, 1);
			cr_assert_eq(r.records, (uint64_t)n);
			cr_assert_eq(r.classes, (uint64_t)kinds[k]);
			cr_assert_eq(r.batches, (uint64_t)(n / batch));
			cr_assert(close_to(r.entropy, batches_of(classes, n, batch, kinds[k])),
				"%g", r.entropy);
			cr_assert(close_to(r.random_entropy,
					  random_batches(classes, n, batch, kinds[k])),
				"%g", r.random_entropy);
			cr_assert_eq(r.enough, r.entropy >= 0.95 * r.random_entropy);
		}
}

Test(order, runs_of_one_class)
{
	static const int classes[] = { 1, 1, 0, 2, 2, 2, 0, 1, 1, 1, 1, 2 };
	enum { N = sizeof(classes) / sizeof(*classes) };
	struct tfr_order_report r = order_of(classes, 1, N, 4, 1);

	cr_assert_eq(r.runs, 6);
	cr_assert_eq(r.longest_run, 4);
	/* Of the 11 pairs of neighbours of a random order, this share differs: 1 - (2*1 + 6*5 +
	 * 4*3) / (12*11), and each begins a run. */
	cr_assert(close_to(r.random_run, 12 / (1 + 11 * (1 - 44.0 / 132))), "%g", r.random_run);
}

/* The correlation ratio: variance between the classes' mean places, by the variance of all. */
Test(order, places_that_the_class_explains)
{
	static int classes[900];
	struct tfr_rng rng;

	tfr_rng_init(&rng, 9, 9);
	for (int form = 0; form < 3; form++) {
		double mean[3] = { 0 }, count[3] = { 0 }, between = 0, all = 0;
		struct tfr_order_report r;

		for (int i = 0; i < 900; i++) {
			classes[i] = form == 0	 ? i / 300
				     : form == 1 ? i % 3
						 : (int)tfr_rng_below(&rng, 3);
			mean[classes[i]] += i;
			count[classes[i]]++;
		}
		for (int c = 0; c < 3; c++)
			mean[c] /= count[c];
		for (int i = 0; i < 900; i++) {
			between += pow(mean[classes[i]] - 449.5, 2);
			all += pow(i - 449.5, 2);
		}
		r = order_of(classes, 1, 900, 32, 16);
		cr_assert(close_to(r.position, between / all), "%g", r.position);
		cr_assert(close_to(r.random_position, 2.0 / 899), "%g", r.random_position);
	}
}

/* Files read side by side, one record of each in turn. */
Test(order, files_that_are_interleaved)
{
	enum { FILES = 20, EACH = 50, N = FILES * EACH };
	static int classes[N], mixed[N];
	static const int cycles[] = { 1, 4, 16, 20 };
	struct tfr_order_report r;

	/* Each file is mixed, but all of them go from class to class together. */
	for (int k = 0; k < FILES; k++)
		for (int i = 0; i < EACH; i++)
			classes[k * EACH + i] = i / 10;
	r = order_of(classes, FILES, EACH, 10, 1);
	cr_assert_eq(r.cycle_count, 4);
	for (int c = 0; c < 4; c++) {
		int n = 0;

		cr_assert_eq(r.cycles[c].files, (uint64_t)cycles[c]);
		if (cycles[c] == 16)
			continue; /* the last four files follow one after another */
		for (int group = 0; group < FILES; group += cycles[c])
			for (int i = 0; i < EACH; i++)
				for (int k = group; k < group + cycles[c]; k++)
					mixed[n++] = classes[k * EACH + i];
		cr_assert(close_to(r.cycles[c].entropy, batches_of(mixed, N, 10, 5)), "%d: %g", c,
			r.cycles[c].entropy);
	}
	cr_assert_eq(r.cycles[r.worst].entropy, r.entropy);
	for (int c = 0; c < 4; c++)
		cr_assert_geq(r.cycles[c].entropy, r.entropy);
	cr_assert_not(r.enough);
}

/* tf.data's interleave(), written plainly: in each turn of a slot it gives a record, or closes a
 * file that has ended, or opens the next one and gives its first record. */
static int interleave(const int lengths[], int files, int cycle, int mixed[])
{
	int file[32], at[32] = { 0 }, next = 0, n = 0, left = cycle;
	bool gone[32] = { false };

	for (int i = 0; i < cycle; i++)
		file[i] = -1;
	for (int i = 0; left; i = (i + 1) % cycle) {
		if (gone[i])
			continue;
		if (file[i] < 0 && next < files) {
			file[i] = next++;
			at[i] = 0;
		}
		if (file[i] >= 0 && at[i] < lengths[file[i]]) {
			mixed[n++] = file[i] % 5;
			at[i]++;
		} else if (next < files) {
			file[i] = -1;
		} else {
			gone[i] = true;
			left--;
		}
	}
	return n;
}

/* Files of many lengths, some without a record; the class is that of the file. */
Test(order, files_of_different_lengths)
{
	enum { FILES = 23 };
	static int mixed[FILES * 100], classes[100];
	struct tfr_order_report r;
	int lengths[FILES];

	for (int k = 0; k < FILES; k++) {
		char from[32], to[32];

		lengths[k] = k % 6 == 4 ? 0 : 10 + k * 37 % 80;
		for (int i = 0; i < 100; i++)
			classes[i] = k % 5;
		write_files(classes, 1, lengths[k]);
		snprintf(from, sizeof(from), "s-%05d-of-%05d", 0, 1);
		snprintf(to, sizeof(to), "s-%05d-of-%05d", k, FILES);
		cr_assert_eq(rename(from, to), 0);
	}
	cr_assert_eq(measure(FILES, 10, 1, "label", &r, NULL), TFR_OK);
	cr_assert_eq(r.cycle_count, 4);
	for (unsigned c = 0; c < r.cycle_count; c++) {
		int n = interleave(lengths, FILES, (int)r.cycles[c].files, mixed);

		cr_assert_eq(r.records, (uint64_t)n);
		cr_assert(close_to(r.cycles[c].entropy, batches_of(mixed, n, 10, 5)), "%u: %g", c,
			r.cycles[c].entropy);
	}
}

Test(order, a_random_order_is_enough)
{
	static int classes[20000];
	struct tfr_order_report r;
	struct tfr_rng rng;

	tfr_rng_init(&rng, 4, 4);
	for (int i = 0; i < 20000; i++)
		classes[i] = (int)tfr_rng_below(&rng, 10);
	r = order_of(classes, 1, 20000, 64, 2048);
	cr_assert(r.enough);
	cr_assert_eq(r.enough_buffer, 16, "the smallest that is tried");
	cr_assert_float_eq(r.entropy, r.random_entropy, 0.02);
}

/* A larger buffer mixes more: sorted classes need one of about their size. */
Test(order, the_buffer_that_suffices)
{
	static int classes[20000];
	uint64_t last = 0;

	for (int run = 100; run <= 10000; run *= 10) {
		struct tfr_order_report r;

		for (int i = 0; i < 20000; i++)
			classes[i] = i / run % 4;
		r = order_of(classes, 1, 20000, 64, 16);
		cr_assert_not(r.enough);
		cr_assert_gt(r.enough_buffer, last, "%d: %llu", run,
			(unsigned long long)r.enough_buffer);
		cr_assert_eq(r.enough_buffer & (r.enough_buffer - 1), 0);
		/* That buffer is enough when it is asked for, and half of it is not. */
		cr_assert(order_of(classes, 1, 20000, 64, r.enough_buffer).enough);
		cr_assert_not(order_of(classes, 1, 20000, 64, r.enough_buffer / 2).enough);
		last = r.enough_buffer;
	}
}

Test(order, records_without_a_class_are_skipped)
{
	static int classes[300], rest[300];
	struct tfr_order_report r;
	int n = 0;

	for (int i = 0; i < 300; i++) {
		classes[i] = i % 7 == 3 ? -1 : i % 3;
		if (classes[i] >= 0)
			rest[n++] = classes[i];
	}
	r = order_of(classes, 3, 100, 16, 1);
	cr_assert_eq(r.absent, (uint64_t)(300 - n));
	cr_assert_eq(r.records, (uint64_t)n);
	cr_assert(close_to(r.cycles[0].entropy, batches_of(rest, n, 16, 3)));
}

Test(order, fewer_records_than_a_batch)
{
	static const int classes[] = { 0, 1, 0 };
	struct tfr_order_report r = order_of(classes, 1, 3, 4, 1);

	cr_assert(r.records == 3 && r.batches == 0 && r.classes == 2);
	cr_assert(r.entropy == 0 && r.random_entropy == 0);
	/* Not even one. */
	write_files(classes, 1, 0);
	cr_assert_eq(measure(1, 4, 1, "label", &r, NULL), TFR_OK);
	cr_assert(r.records == 0 && r.classes == 0 && r.runs == 0);
}

/* A feature with a value of its own in every record has no classes. */
Test(order, too_many_classes)
{
	static int classes[MOST];
	struct tfr_order_report r;
	struct tfr_error err = { 0 };

	for (int i = 0; i < MOST; i++)
		classes[i] = i;
	write_files(classes, 1, 65536);
	cr_assert_eq(measure(1, 64, 64, "label", &r, &err), TFR_OK);
	cr_assert_eq(r.classes, 65536);
	write_files(classes, 1, 65537);
	cr_assert_eq(measure(1, 64, 64, "label", &r, &err), TFR_EUSAGE);
	cr_assert_not_null(strstr(err.message, "'label'"), "%s", err.message);
}
