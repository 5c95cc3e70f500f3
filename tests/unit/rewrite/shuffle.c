/* Shuffles: uniform by their statistics, the same bytes whatever the memory, threads and folders,
 * nothing lost, nothing left. */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/rng.h"
#include "made.h"
#include "rewrite/shuffle/shuffle.h"

#define MIB ((uint64_t)1 << 20)

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(shuffle, .init = setup, .fini = teardown);

static struct tfr_shuffle_opts options(const char *const *inputs, size_t count)
{
	return (struct tfr_shuffle_opts){
		.common = { .sweep = { .input = made_open(inputs, count), .threads = 2 },
			.writer.force = true },
		.output = "out",
		.memory = 8 * MIB,
	};
}

static void must_shuffle(const struct tfr_shuffle_opts *o, struct tfr_shuffle_report *report)
{
	struct tfr_error err = { 0 };
	char text[500];

	cr_assert_eq(tfr_shuffle(o, report, &err), TFR_OK, "%s",
		tfr_error_format(&err, text, sizeof(text)));
}

static void done(const struct tfr_shuffle_opts *o)
{
	tfr_set_close((struct tfr_set *)o->common.sweep.input);
}

/* The numbers of the records in the order of the file. */
static size_t read_order(const char *path, uint32_t *order, size_t cap)
{
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	size_t n = 0;

	cr_assert_eq(tfr_reader_open(&r, path, NULL, NULL), TFR_OK);
	for (; !tfr_reader_next(r, &rec, NULL) && n < cap; n++)
		order[n] = (uint32_t)strtoul(strchr((const char *)rec.data, ':') + 1, NULL, 10);
	tfr_reader_close(r);
	return n;
}

/* --- uniform --- */

/* The chance of a chi-square above `x`, by Wilson and Hilferty: good to a few percent of itself. */
static double chi_square_tail(double x, double freedom)
{
	double t = cbrt(x / freedom), s = 2 / (9 * freedom);

	return 0.5 * erfc((t - (1 - s)) / sqrt(2 * s));
}

Test(shuffle, all_orders_of_five_are_equally_likely)
{
	enum { SEEDS = 6000, ORDERS = 120 };
	const char *const input = "in";
	unsigned seen[5 * 5 * 5 * 5 * 5] = { 0 }, orders = 0;
	struct tfr_shuffle_report report;
	struct tfr_shuffle_opts o;
	double chi = 0, expected = (double)SEEDS / ORDERS;

	made_file(input, 0, 5, 20);
	o = options(&input, 1);
	o.common.sweep.threads = 1;
	for (o.common.seed = 0; o.common.seed < SEEDS; o.common.seed++) {
		uint32_t order[5], code = 0;

		must_shuffle(&o, &report);
		cr_assert_eq(read_order("out", order, 5), 5);
		for (int i = 0; i < 5; i++)
			code = code * 5 + order[i];
		seen[code]++;
	}
	for (size_t k = 0; k < sizeof(seen) / sizeof(*seen); k++) {
		if (!seen[k])
			continue;
		orders++;
		chi += (seen[k] - expected) * (seen[k] - expected) / expected;
	}
	cr_assert_eq(orders, ORDERS);
	cr_assert_gt(chi_square_tail(chi, ORDERS - 1), 1e-4, "chi-square %g", chi);
	done(&o);
}

/* Every record is in every tenth of the output equally often; and neighbours of the input are as
 * far apart as chance has it. */
Test(shuffle, positions_over_a_thousand_seeds)
{
	enum { N = 200, SEEDS = 1000, TENTHS = 10 };
	static unsigned where[N][TENTHS];
	const char *const inputs[2] = { "a", "b" };
	struct tfr_shuffle_report report;
	struct tfr_shuffle_opts o;
	double chi = 0, rising = 0, expected = (double)SEEDS / TENTHS, sigma;

	made_file("a", 0, N / 2, 30);
	made_file("b", 1, N / 2, 30);
	o = options(inputs, 2);
	o.common.sweep.threads = 1;
	for (o.common.seed = 1000; o.common.seed < 1000 + SEEDS; o.common.seed++) {
		struct tfr_reader *r = NULL;
		struct tfr_record rec;
		long last = -1;

		must_shuffle(&o, &report);
		cr_assert_eq(tfr_reader_open(&r, "out", NULL, NULL), TFR_OK);
		while (!tfr_reader_next(r, &rec, NULL)) {
			long number = (rec.data[0] - '0') * (N / 2) +
				      strtol((const char *)rec.data + 2, NULL, 10);

			where[number][rec.index * TENTHS / N]++;
			rising += number > last && last >= 0;
			last = number;
		}
		tfr_reader_close(r);
	}
	for (int i = 0; i < N; i++)
		for (int t = 0; t < TENTHS; t++)
			chi += (where[i][t] - expected) * (where[i][t] - expected) / expected;
	/* Rows and columns both have fixed sums. */
	cr_assert_gt(chi_square_tail(chi, (N - 1) * (TENTHS - 1)), 1e-4, "chi-square %g", chi);
	cr_assert_gt(1 - chi_square_tail(chi, (N - 1) * (TENTHS - 1)), 1e-4, "too even: %g", chi);
	/* Ascents of a random permutation: mean (n-1)/2, variance (n+1)/12. */
	sigma = sqrt((N + 1) / 12.0 * SEEDS);
	cr_assert_lt(fabs(rising - (N - 1) / 2.0 * SEEDS), 4 * sigma, "%g", rising);
	done(&o);
}

/* Lengths of ascending runs: a run is of length k or more with chance 1/k!. */
Test(shuffle, run_lengths)
{
	enum { N = 200000, LONGEST = 8 };
	uint32_t *order = malloc(N * sizeof(*order));
	const char *const input = "in";
	struct tfr_shuffle_report report;
	struct tfr_shuffle_opts o;
	double counts[LONGEST + 1] = { 0 }, runs = 0, chance = 1, chi = 0;
	size_t length = 1;

	made_file(input, 0, N, 20);
	o = options(&input, 1);
	must_shuffle(&o, &report);
	cr_assert_eq(read_order("out", order, N), N);
	for (size_t i = 1; i < N; i++) {
		if (order[i] > order[i - 1]) {
			length++;
			continue;
		}
		/* The element behind a run is passed over, so that runs do not depend on each
		 * other. */
		counts[length < LONGEST ? length : LONGEST]++;
		runs++;
		length = 1;
		i++;
	}
	for (int k = 1; k <= LONGEST; k++) {
		double expected, next = chance / (k + 1);

		expected = runs * (k < LONGEST ? chance - next : chance);
		chi += (counts[k] - expected) * (counts[k] - expected) / expected;
		chance = next;
	}
	cr_assert_gt(chi_square_tail(chi, LONGEST - 1), 1e-4, "chi-square %g", chi);
	free(order);
	done(&o);
}

/* --- the same bytes --- */

static uint64_t hash_of(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint64_t h = 14695981039346656037u;
	int c;

	cr_assert_not_null(f, "%s", path);
	while ((c = getc_unlocked(f)) != EOF)
		h = (h ^ (uint64_t)c) * 1099511628211u;
	fclose(f);
	return h;
}

static const char *const three[3] = { "x", "y", "z" };

static void make_three(void)
{
	made_file("x", 0, 40000, 900); /* 18 MB */
	made_file("y", 1, 300, 60000);
	made_file("z", 2, 60000, 20);
}

Test(shuffle, memory_threads_and_folders_do_not_show)
{
	static const char *const folders[2] = { "t1", "t2" };
	const uint64_t memories[] = { 8 * MIB, 64 * MIB, 1024 * MIB };
	const unsigned threads[] = { 1, 2, 8 };
	struct tfr_totals in;
	uint64_t first = 0;

	mkdir("t1", 0777);
	mkdir("t2", 0777);
	make_three();
	in = made_totals(three, 3);
	for (unsigned n = 0; n < 18; n++) {
		struct tfr_shuffle_opts o = options(three, 3);
		struct tfr_shuffle_report report;
		uint64_t h;

		o.memory = memories[n % 3];
		o.common.sweep.threads = threads[n / 3 % 3];
		o.common.seed = 42;
		if (n >= 9) {
			o.tmpdirs = folders;
			o.tmpdir_count = 2;
		}
		must_shuffle(&o, &report);
		h = hash_of("out");
		first = n ? first : h;
		cr_assert_eq(h, first, "memory %llu, %u threads", (unsigned long long)o.memory,
			o.common.sweep.threads);
		cr_assert_eq(report.common.written, in.records);
		cr_assert_eq(report.common.sum, in.sum);
		cr_assert_eq(report.common.bytes, in.payload_bytes);
		cr_assert_eq(report.passes > 1, n % 3 == 0);
		cr_assert_eq(report.temp_bytes > 0, n % 3 == 0);
		cr_assert_leq(report.temp_bytes, in.payload_bytes + 16 * in.records);
		cr_assert_eq(temp_count("t1") + temp_count("t2"), 0);
		done(&o);
	}
}

/* A shard of S holds positions floor(N k / S) on: all shards behind each other are the one file. */
Test(shuffle, shards_are_ranges_of_one_order)
{
	const unsigned shards[] = { 1, 3, 16, 150, 700 };
	const char *const in = "in";
	uint32_t one[500], all[500];
	struct tfr_shuffle_report report;
	struct tfr_shuffle_opts o;

	made_file(in, 0, 500, 40);
	o = options(&in, 1);
	must_shuffle(&o, &report);
	cr_assert_eq(read_order("out", one, 500), 500);
	for (size_t s = 0; s < 5; s++) {
		char target[40], file[64];
		size_t n = 0;

		snprintf(target, sizeof(target), "set%u@%u", shards[s], shards[s]);
		o.output = target;
		o.common.sweep.threads = 4;
		must_shuffle(&o, &report);
		for (unsigned k = 0; k < shards[s]; k++) {
			size_t before = n;

			snprintf(file, sizeof(file), "set%u-%05u-of-%05u", shards[s], k, shards[s]);
			n += read_order(file, all + n, 500 - n);
			cr_assert_eq(n - before, 500 * (k + 1) / shards[s] - 500 * k / shards[s]);
		}
		cr_assert_eq(n, 500);
		cr_assert_eq(memcmp(one, all, sizeof(one)), 0);
	}
	done(&o);
}

Test(shuffle, buckets_too_large_are_dealt_again)
{
	const char *const inputs[] = { "pipe", "big" };
	struct tfr_shuffle_report report;
	struct tfr_shuffle_opts o;
	uint64_t piped;
	pid_t child;

	/* A pipe has no size to plan for: 300 MB through 8 MiB. */
	made_file("big", 0, 600000, 1000);
	cr_assert_eq(mkfifo("pipe", 0666), 0);
	o = options(inputs, 1);
	child = fork();
	if (!child) {
		execlp("cp", "cp", "big", "pipe", (char *)NULL);
		_exit(1);
	}
	must_shuffle(&o, &report);
	cr_assert_gt(report.passes, 2);
	piped = hash_of("out");
	done(&o);
	o = options(inputs + 1, 1);
	o.memory = 1024 * MIB;
	must_shuffle(&o, &report);
	cr_assert_eq(report.passes, 1);
	cr_assert_eq(hash_of("out"), piped);
	done(&o);
}

Test(shuffle, no_records_and_one)
{
	const char *const inputs[2] = { "none", "one" };
	struct tfr_shuffle_report report;
	struct tfr_shuffle_opts o;

	made_file("none", 0, 0, 0);
	made_file("one", 1, 1, 0);
	o = options(inputs, 1);
	cr_assert_eq(tfr_shuffle(&o, &report, NULL), TFR_EDATA);
	cr_assert_neq(access("out", F_OK), 0);
	o.common.expect.allow_empty = true;
	must_shuffle(&o, &report);
	cr_assert_eq(report.common.written, 0);
	cr_assert_eq(made_totals((const char *const[]){ "out" }, 1).records, 0);
	o.output = "set@3";
	must_shuffle(&o, &report);
	cr_assert_eq(made_totals((const char *const[]){ "set@3" }, 1).records, 0);
	done(&o);
	o = options(inputs, 2);
	must_shuffle(&o, &report);
	cr_assert_eq(made_totals((const char *const[]){ "out" }, 1).records, 1);
	done(&o);
}

/* --- refused, cancelled --- */

Test(shuffle, a_record_above_a_quarter_of_the_memory_is_refused)
{
	struct tfr_writer *w = NULL;
	const char *const input = "in";
	struct tfr_shuffle_report report;
	struct tfr_error err = { 0 };
	struct tfr_shuffle_opts o;
	char *payload = calloc(3, MIB);

	tfr_writer_open(&w, "in", NULL, NULL);
	tfr_writer_put(w, "small", 5, NULL);
	tfr_writer_put(w, payload, 3 * MIB, NULL);
	tfr_writer_put(w, "small", 5, NULL);
	tfr_writer_publish(w, NULL);
	tfr_writer_close(w);
	o = options(&input, 1);
	cr_assert_eq(tfr_shuffle(&o, &report, &err), TFR_ENOMEM);
	cr_assert(err.has_record && err.record == 1 && err.offset == 21);
	cr_assert(strstr(tfr_error_hint_text(&err), "-m"));
	cr_assert_eq(temp_count("."), 1);
	o.memory = 12 * MIB + 4096;
	must_shuffle(&o, &report);
	cr_assert_eq(report.common.written, 3);
	o.memory = TFR_SHUFFLE_MEMORY_MIN - 1;
	cr_assert_eq(tfr_shuffle(&o, &report, &err), TFR_EUSAGE);
	free(payload);
	done(&o);
}

Test(shuffle, large_records_among_small_ones)
{
	const char *const inputs[3] = { "a", "b", "c" };
	uint64_t first = 0;

	made_file("a", 0, 40, 1900000); /* 1.8 MB at most, in 8 MiB */
	made_file("b", 1, 20000, 100);
	made_file("c", 2, 40, 1900000);
	for (unsigned n = 0; n < 3; n++) {
		struct tfr_shuffle_opts o = options(inputs, 3);
		struct tfr_shuffle_report report;

		o.common.sweep.threads = 1 + n * 2;
		o.memory = n == 1 ? 512 * MIB : 8 * MIB;
		must_shuffle(&o, &report);
		first = n ? first : hash_of("out");
		cr_assert_eq(hash_of("out"), first);
		done(&o);
	}
}

struct stop {
	const char *phase;
	int calls;
};

static bool stop_in_phase(void *ctx, const char *phase, const struct tfr_progress *p)
{
	struct stop *stop = ctx;

	(void)p;
	stop->calls++;
	return strcmp(phase, stop->phase) != 0;
}

Test(shuffle, cancelled_in_any_phase_nothing_is_left)
{
	static const char *const phases[] = { "dealing", "writing" };

	make_three();
	for (unsigned n = 0; n < 8; n++) {
		struct tfr_shuffle_opts o = options(three, 3);
		struct stop stop = { .phase = phases[n % 2] };
		struct tfr_shuffle_report report;

		o.output = n & 4 ? "set@5" : "out";
		o.memory = n & 2 ? 8 * MIB : 256 * MIB;
		o.common.sweep.progress = stop_in_phase;
		o.common.sweep.ctx = &stop;
		cr_assert_eq(tfr_shuffle(&o, &report, NULL), TFR_ECANCELLED);
		cr_assert_gt(stop.calls, 0);
		cr_assert_eq(temp_count("."), 3);
		done(&o);
	}
}

Test(shuffle, a_full_temporary_disk_says_what_is_needed)
{
	const struct rlimit small = { 1 << 20, 1 << 20 };
	struct tfr_shuffle_report report;
	struct tfr_error err = { 0 };
	struct tfr_shuffle_opts o;

	make_three();
	o = options(three, 3);
	signal(SIGXFSZ, SIG_IGN); /* a file of 1 MiB is a full disk then */
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	cr_assert_eq(tfr_shuffle(&o, &report, &err), TFR_ESYS);
	cr_assert(strstr(err.message, "cannot write temporary records"), "%s", err.message);
	cr_assert(strstr(tfr_error_hint_text(&err), "are needed in all"), "%s",
		tfr_error_hint_text(&err));
	cr_assert_eq(temp_count("."), 3);
	done(&o);
}

/* --- the plan --- */

/* For any memory and size, what is planned stays within the memory. */
Test(shuffle, plans_stay_within_their_memory)
{
	for (uint64_t memory = TFR_SHUFFLE_MEMORY_MIN; memory <= (uint64_t)1 << 40; memory *= 2) {
		for (uint64_t bytes = 1; bytes; bytes = bytes < (uint64_t)1 << 50 ? bytes * 3 : 0) {
			for (unsigned threads = 1; threads <= 256; threads *= 4) {
				struct tfr_memory_plan p;

				tfr_memory_plan(&p, memory, threads, bytes);
				cr_assert(p.threads >= 1 && p.threads <= threads);
				cr_assert_geq(p.buckets, 1);
				cr_assert_geq(p.chunk, 4096);
				cr_assert_geq(p.chunks, (uint64_t)p.threads * p.buckets);
				cr_assert_leq(
					p.chunks * p.chunk + p.max_record + 2 * p.threads * p.block,
					memory);
				cr_assert_leq(p.gather_bytes, memory);
				cr_assert_geq(p.passes, 1);
			}
		}
	}
}
