/* The stage that holds a feed back is named, whichever it is. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pipeline/report/statistics.h"
#include "support/temp.h"
#include "unit/pipeline/made.h"

#define LIST(size, batch)                                                                          \
	"read,parse,shuffle=100,decode,random-resized-crop=" #size ",flip,normalise,batch=" #batch \
	",upload"

static char *dir;
static const char *const images[] = { "p-*", NULL };

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(bottleneck, .init = setup, .fini = teardown, .timeout = 120);

/* Pours a file into a pipe, a bit every two milliseconds. */
static void *pour(void *arg)
{
	struct timespec pause = { 0, 2000000 };
	FILE *from = fopen("p-0", "rb"), *to = fopen("pipe", "wb");
	char bit[3000];
	size_t n;

	(void)arg;
	while ((n = fread(bit, 1, sizeof(bit), from)) > 0) {
		fwrite(bit, 1, n, to);
		fflush(to);
		nanosleep(&pause, NULL);
	}
	fclose(from);
	fclose(to);
	return NULL;
}

static void expect(const struct run *run, const char *stage)
{
	cr_assert_eq(run->end, TFR_END, "%s", run->err.message);
	cr_assert_str_eq(run->stats.bottleneck, stage, "%s: %s; %s", run->stats.bottleneck,
		run->stats.finding, run->stats.advice);
}

static const struct tfr_stage_stats *stage(const struct run *run, const char *name)
{
	for (unsigned i = 0; i < run->stats.stage_count; i++)
		if (strcmp(run->stats.stages[i].name, name) == 0)
			return &run->stats.stages[i];
	cr_assert_fail("no stage %s", name);
	return NULL;
}

static void expect_advice(const struct run *run, const char *part)
{
	cr_assert(strstr(run->stats.advice, part), "%s: %s; %s", run->stats.bottleneck,
		run->stats.finding, run->stats.advice);
}

/* Runs a feed that processors hold back until its verdict is `wanted`.  A machine that is busy with
 * other work has another limit meanwhile, and a fast one needs more epochs for a run that is long
 * enough to judge. */
static void run_until(
	struct run *run, const char *path, struct tfr_pipeline_opts opts, const char *wanted)
{
	const char *const paths[] = { path, NULL };

	for (int tries = 0; tries < 10; tries++) {
		run_feed_blind(run, paths, "host", opts, 0);
		cr_assert_eq(run->end, TFR_END, "%s", run->err.message);
		if (!strcmp(run->stats.bottleneck, wanted))
			return;
		if (!strcmp(run->stats.bottleneck, "unknown"))
			opts.epochs *= 2;
	}
	if (run->stats.load_known && run->stats.other_load >= 0.25)
		cr_skip("this machine is busy with other work");
	expect(run, wanted);
}

static void expect_of_processors(
	const char *stages, const char *wanted, const char *path, uint64_t epochs)
{
	struct tfr_pipeline_opts opts = { .stages = stages, .epochs = epochs, .threads = 1 };
	struct run run;

	run_until(&run, path, opts, wanted);
}

Test(bottleneck, read)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(16, 16), .epochs = 1, .threads = 2 };
	const char *const paths[] = { "pipe", NULL };
	pthread_t thread;
	struct run run;

	make_images("p", 1, 600, -1, -1);
	cr_assert_eq(mkfifo("pipe", 0600), 0);
	pthread_create(&thread, NULL, pour, NULL);
	run_feed_blind(&run, paths, "host", opts, 0);
	pthread_join(thread, NULL);
	expect(&run, "read");
	cr_assert_eq(run.stats.records, 600);
	cr_assert_gt(stage(&run, "parse")->starved, stage(&run, "parse")->blocked);
	cr_assert_gt(run.stats.idle_fraction, 0.5);
}

Test(bottleneck, decode)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(32, 16), .epochs = 6, .threads = 1 };
	struct run run;

	make_images("p", 2, 300, -1, -1);
	run_until(&run, "p-*", opts, "decode"); /* doubles the epochs of a short run */
	cr_assert_eq(run.stats.records % (6 * 600), 0);
	cr_assert_gt(run.stats.records, 0);
}

Test(bottleneck, upload)
{
	/* 24 KB a batch: 49 ms of a link that is held to 500 kB/s. */
	struct tfr_pipeline_opts opts = { .stages = LIST(16, 8), .epochs = 1, .threads = 2 };
	struct run run;

	make_images("p", 1, 300, -1, -1);
	run_feed_blind(&run, images, "sim:500K,0", opts, 0);
	expect(&run, "upload");
	cr_assert_gt(stage(&run, "decode")->blocked, stage(&run, "decode")->busy);
	/* A busy machine may be slower than the link, never faster. */
	cr_assert(run.stats.device_bytes_per_second < 0.55e6 &&
			  run.stats.device_bytes_per_second > 0.1e6,
		"%g", run.stats.device_bytes_per_second);
}

Test(bottleneck, consumer)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(16, 8), .epochs = 1, .threads = 2 };
	struct run run;

	make_images("p", 1, 300, -1, -1);
	run_feed_blind(&run, images, "host", opts, 15);
	expect(&run, "consumer");
	cr_assert_lt(run.stats.idle_fraction, 0.2);
}

Test(bottleneck, numbers_add_up)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(16, 10), .epochs = 1, .threads = 2 };
	struct run run;

	make_images("p", 3, 100, -1, -1);
	run_feed_blind(&run, images, "host", opts, 0);
	cr_assert_eq(stage(&run, "read")->items, 300);
	cr_assert_eq(stage(&run, "parse")->items, 300);
	cr_assert_eq(stage(&run, "shuffle")->items, 300);
	cr_assert_eq(stage(&run, "decode")->items, 300);
	cr_assert_eq(stage(&run, "random-resized-crop")->bytes, 300 * 16 * 16 * 12);
	cr_assert_eq(stage(&run, "batch")->items, 30);
	cr_assert_eq(stage(&run, "upload")->bytes, 300 * 16 * 16 * 12);
	cr_assert_eq(run.stats.device_bytes, 300 * 16 * 16 * 12);
	cr_assert_eq(run.stats.bytes, stage(&run, "read")->bytes);
	for (unsigned i = 0; i < run.stats.stage_count; i++) {
		const struct tfr_stage_stats *s = &run.stats.stages[i];

		/* Each account alone: an idle worker is charged to every stage that lacks
		 * something. */
		cr_assert_leq(s->busy, s->threads * run.stats.seconds * 1.01 + 0.01, "%s", s->name);
		cr_assert_leq(
			s->starved, s->threads * run.stats.seconds * 1.01 + 0.01, "%s", s->name);
		cr_assert_leq(
			s->blocked, s->threads * run.stats.seconds * 1.01 + 0.01, "%s", s->name);
	}
	cr_assert_gt(run.stats.first_batch_seconds, 0);
	cr_assert_leq(run.stats.wait_p50, run.stats.wait_max);
}

/* Workers that copy records for a shuffle are not readers. */
Test(bottleneck, a_row_is_no_more_than_its_threads_time)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,shuffle=200,batch=8,upload", .epochs = 1, .threads = 4
	};
	const char *const paths[] = { "p", NULL };
	struct run run;

	make_payloads("p", 2000);
	run_feed_blind(&run, paths, "sim:1G,5ms", opts, 0);
	cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
	for (unsigned i = 0; i < run.stats.stage_count; i++) {
		const struct tfr_stage_stats *s = &run.stats.stages[i];

		cr_assert_leq(s->blocked, s->threads * run.stats.seconds * 1.01 + 0.01,
			"%s: blocked %g s in %g s", s->name, s->blocked, run.stats.seconds);
	}
	cr_assert_leq(run.stats.records_per_second_total,
		(double)run.stats.records / run.stats.first_batch_seconds);
	cr_assert_float_eq(run.stats.records_per_second_total * run.stats.seconds, 2000, 1);
}

/* ---- one resource after another ---- */

/* Examples of so many features, each one number. */
static void make_wide(const char *path, unsigned count, unsigned features)
{
	struct tfr_builder *b = tfr_builder_new();
	const uint8_t *record;
	struct tfr_writer *w;
	size_t size;

	cr_assert_eq(tfr_writer_open(&w, path, NULL, NULL), TFR_OK);
	for (unsigned f = 0; f < features; f++) {
		char name[16];

		snprintf(name, sizeof(name), "f%05u", f);
		tfr_builder_int64(b, name, f, NULL);
	}
	cr_assert_eq(tfr_builder_flatten(b, &record, &size, NULL), TFR_OK);
	for (unsigned r = 0; r < count; r++)
		cr_assert_eq(tfr_writer_put(w, record, size, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	tfr_builder_free(b);
}

Test(bottleneck, parse)
{
	make_wide("wide", 2000, 1000);
	expect_of_processors("read,parse,batch=16,upload", "parse", "wide", 5);
}

Test(bottleneck, shuffle)
{
	make_payloads("small", 200000);
	/* Out of a cache, records need no copy, and a shuffle may take less time than the cache. */
	expect_of_processors("read,shuffle=100000", "shuffle", "small", 5);
}

Test(bottleneck, batch)
{
	make_large("large", 200, 100000);
	expect_of_processors("read,cache,batch=16", "batch", "large", 100);
}

/* The link is idle nearly always, and each batch is long under way. */
Test(bottleneck, latency)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,decode,resize=16,batch=4,upload", .epochs = 1, .threads = 2
	};
	struct run run;

	make_images("p", 1, 120, -1, -1);
	run_feed_blind(&run, images, "sim:25G,200ms", opts, 0);
	expect(&run, "upload");
	cr_assert_not_null(strstr(run.stats.finding, "each upload is under way for "), "%s",
		run.stats.finding);
	expect_advice(&run, "--prefetch");
}

/* The same, where memory allows fewer batches in flight than would hide it. */
Test(bottleneck, memory)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,batch=8,upload", .epochs = 1, .threads = 1, .memory = 50 << 20
	};
	const char *const paths[] = { "large", NULL };
	struct run run;

	make_large("large", 200, 1000000);
	run_feed_blind(&run, paths, "sim:25G,100ms", opts, 0);
	cr_assert_lt(run.plan.staging, 3);
	expect(&run, "memory");
	cr_assert_not_null(strstr(run.stats.finding, "-m allows "), "%s", run.stats.finding);
}

static void keep_busy(pid_t *children, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		children[i] = fork();
		if (!children[i])
			for (volatile unsigned n = 0;; n++)
				;
	}
}

/* All on one processor, and this feed the least of them. */
Test(bottleneck, other_programs)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(32, 16), .epochs = 10, .threads = 1 };
	struct run run;
	pid_t children[3];
	cpu_set_t one;
	int cpu = sched_getcpu();

	make_images("p", 2, 300, -1, -1);
	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		cr_skip("processors cannot be chosen");
	keep_busy(children, 3);
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 5); /* 19 at most */
	for (int tries = 0; tries < 10;
		tries++) { /* it takes a moment until all have their share */
		run_feed_blind(&run, images, "host", opts, 0);
		if (!run.stats.load_known || !strcmp(run.stats.bottleneck, "other programs"))
			break;
	}
	for (unsigned i = 0; i < 3; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	if (!run.stats.load_known)
		cr_skip("no /proc/stat");
	expect(&run, "other programs");
	cr_assert_gt(run.stats.other_load, 0.5);
}

static void compute(uint64_t ns)
{
	for (uint64_t began = tfr_clock_thread_ns(); tfr_clock_thread_ns() - began < ns;)
		;
}

/* What one job computes outside its stages is not taken for work of the next job, which waits. */
Test(bottleneck, a_wait_is_a_wait)
{
	static struct tfr_settings settings = { .rows = 1 };
	static struct tfr_statistics statistics = { .settings = &settings };
	struct tfr_work_time job = { 0 };
	struct timespec pause = { 0, 8000000 };
	struct timespec tick;
	uint64_t waited;

	if (clock_getres(CLOCK_THREAD_CPUTIME_ID, &tick) || tick.tv_nsec > 1000)
		cr_skip("the clock of processor time is coarse here");
	tfr_work_time_begin(&job);
	compute(8000000);
	tfr_work_time_add(&job, 0, 1000, 1, 1);
	tfr_work_time_end(&statistics, &job);
	tfr_work_time_begin(&job);
	nanosleep(&pause, NULL);
	tfr_work_time_add(&job, 0, 8000000, 1, 1);
	waited = tfr_work_time_end(&statistics, &job);
	cr_assert_gt(waited, 7000000);
	cr_assert_lt(job.spent[0].busy, 1000000);
}

/* One record: threads begin and end, and no share of that shows a limit. */
Test(bottleneck, too_short)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,batch=4,upload", .epochs = 1, .threads = 2
	};
	struct run run;

	make_wide("one", 1, 1);
	run_until(&run, "one", opts, "unknown");
	cr_assert_not_null(
		strstr(run.stats.finding, "too short to judge"), "%s", run.stats.finding);
	expect_advice(&run, "--epochs ");
}

Test(bottleneck, queues_devices_and_images_are_told)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(16, 10), .epochs = 2, .threads = 2 };
	struct run run;
	uint64_t batches = 0, bytes = 0;

	make_images("p", 2, 300, -1, -1);
	run_feed_blind(&run, images, "sim:1G,0,3", opts, 0);
	cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
	cr_assert_eq(run.stats.device_count, 3);
	for (unsigned i = 0; i < 3; i++) {
		cr_assert_eq(run.stats.devices[i].batches, 40);
		cr_assert_gt(run.stats.devices[i].busy, 0);
		batches += run.stats.devices[i].batches;
		bytes += run.stats.devices[i].bytes;
	}
	cr_assert_eq(batches, run.stats.batches);
	cr_assert_eq(bytes, run.stats.device_bytes);
	cr_assert_eq(stage(&run, "shuffle")->queue_capacity, 100);
	cr_assert_gt(stage(&run, "shuffle")->queue_mean, 0);
	cr_assert_leq(stage(&run, "shuffle")->queue_mean, 100);
	cr_assert_eq(stage(&run, "shuffle")->queue_now, 0); /* all is over */
	cr_assert_gt(run.plan.image_width, 0);
	cr_assert_gt(run.plan.image_height, 0);
}

Test(bottleneck, a_list_that_ends_early_counts_all_that_left_it)
{
	struct tfr_pipeline_opts opts = { .stages = "read,parse", .epochs = 2, .threads = 4 };
	struct run run;

	make_images("p", 2, 50, -1, -1);
	for (unsigned i = 0; i < 200; i++) {
		run_feed_blind(&run, images, "host", opts, 0);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
		cr_assert_eq(run.stats.records, 200, "%llu", (unsigned long long)run.stats.records);
	}
}

/* ---- what would change it ---- */

Test(bottleneck, smaller_images_are_advised)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(8, 16), .epochs = 6 };
	struct run run;

	make_images("p", 2, 300, -1, -1);
	run_until(&run, "p-*", opts, "decode");
	expect_advice(&run, "shards at 16 pixels, not 36 ('tfr shard --resize 16')");
	expect_advice(&run, "; then ");
	cr_assert(!strstr(run.stats.advice, "times"), "%s", run.stats.advice);
	cr_assert(!strstr(run.stats.advice, "records/s"), "%s", run.stats.advice);
}

Test(bottleneck, images_that_are_small_enough_are_left_alone)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(32, 16), .epochs = 6 };
	struct run run;

	make_images("p", 2, 300, -1, -1);
	run_until(&run, "p-*", opts, "decode");
	cr_assert(!strstr(run.stats.advice, "--resize"), "%s", run.stats.advice);
	expect_advice(&run, "more cores");
}

Test(bottleneck, idle_processors_are_advised)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(8, 16), .epochs = 6, .threads = 1 };
	struct run run;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		cr_skip("one processor");
	make_images("p", 2, 300, -1, -1);
	run_until(&run, "p-*", opts, "decode");
	expect_advice(&run, "('-j 0')");
}

Test(bottleneck, a_slow_link_is_advised_fewer_bytes)
{
	struct tfr_pipeline_opts opts = { .stages = LIST(16, 8), .epochs = 1, .threads = 2 };
	struct run run;

	make_images("p", 1, 300, -1, -1);
	run_feed_blind(&run, images, "sim:500K,0", opts, 0);
	expect(&run, "upload");
	expect_advice(&run, "--normalise-on device");
	opts.no_overlap = true;
	run_feed_blind(&run, images, "sim:500K,0", opts, 0);
	expect_advice(&run, "--no-overlap");
}

Test(bottleneck, a_reader_that_others_wait_for_is_told)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read=2,parse,decode,resize=16,batch=16,upload",
		.epochs = 1,
		.threads = 2,
		.memory = 32 << 20, /* little is read ahead */
	};
	const char *const paths[] = { "pipe", "p-1", NULL };
	pthread_t thread;
	struct run run;

	make_images("p", 2, 3000, -1, -1);
	cr_assert_eq(mkfifo("pipe", 0600), 0);
	pthread_create(&thread, NULL, pour, NULL);
	run_feed_blind(&run, paths, "host", opts, 0);
	pthread_join(thread, NULL);
	expect(&run, "read");
	expect_advice(&run, "the turn of a slower file");
}
