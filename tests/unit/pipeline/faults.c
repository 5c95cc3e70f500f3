/* Feeds with bad records, damage, too little memory, and an order to stop. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "support/temp.h"
#include "unit/pipeline/made.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(faults, .init = setup, .fini = teardown, .timeout = 120);

static const struct tfr_pipeline_opts plain = {
	.stages = "read=1,parse,decode,resize=8,batch=4,upload", .epochs = 1
};

Test(faults, a_broken_image_ends_the_feed_with_its_name)
{
	struct run run;

	make_images("p", 1, 10, 5, -1);
	run_feed_on(&run, "p-0", plain);
	cr_assert_eq(run.end, TFR_EDATA);
	cr_assert_str_eq(tfr_error_path(&run.err), "p-0");
	cr_assert(run.err.has_record);
	cr_assert_eq(run.err.record, 5);
}

Test(faults, a_skipped_image_leaves_its_batch_one_short_and_the_last_in_its_place)
{
	struct tfr_pipeline_opts opts = plain;
	struct run whole, run;

	make_images("p", 1, 10, 5, -1);
	make_images("q", 1, 10, -1, -1);
	run_feed_on(&whole, "q-0", opts);
	opts.skip_bad = true;
	for (opts.threads = 1; opts.threads <= 4; opts.threads *= 2) {
		run_feed_on(&run, "p-0", opts);
		cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
		cr_assert_eq(run.batches, 3);
		cr_assert_eq(run.records[1], 3);
		cr_assert_eq(run.hashes[0], whole.hashes[0]);
		cr_assert_neq(run.hashes[1], whole.hashes[1]);
		cr_assert_eq(run.hashes[2], whole.hashes[2]);
		cr_assert_eq(run.stats.skipped, 1);
		cr_assert_eq(run.skipped, 1);
		cr_assert_eq(run.stats.records, 9);
		cr_assert_not_null(strstr(run.first_skipped, "in 'p-0', record 5, offset "), "%s",
			run.first_skipped);
	}
}

/* Before it is known to have an image a record takes no place. */
Test(faults, a_record_without_a_image_leaves_no_gap)
{
	struct tfr_pipeline_opts opts = plain;
	struct run run;

	make_images("p", 1, 10, -1, 0);
	run_feed_on(&run, "p-0", opts);
	cr_assert_eq(run.end, TFR_EDATA);
	cr_assert_str_eq(run.err.message, "no image/encoded");
	opts.skip_bad = true;
	run_feed_on(&run, "p-0", opts);
	cr_assert_eq(run.end, TFR_END);
	cr_assert_eq(run.batches, 3);
	cr_assert_eq(run.records[0], 4);
	cr_assert_eq(run.records[2], 1);
	cr_assert_eq(run.stats.skipped, 1);
}

Test(faults, nothing_but_broken_images_makes_no_batch)
{
	struct tfr_pipeline_opts opts = plain;
	struct run run;

	make_images("p", 1, 1, 0, -1);
	opts.skip_bad = true;
	run_feed_on(&run, "p-0", opts);
	cr_assert_eq(run.end, TFR_END);
	cr_assert_eq(run.batches, 0);
	cr_assert_eq(run.stats.skipped, 1);
}

static void flip_byte(const char *path, long at)
{
	FILE *f = fopen(path, "r+b");
	int c;

	fseek(f, at, SEEK_SET);
	c = fgetc(f);
	fseek(f, at, SEEK_SET);
	fputc(c ^ 1, f);
	fclose(f);
}

Test(faults, damage_ends_the_feed_when_what_came_before_is_delivered)
{
	struct tfr_pipeline_opts opts = plain;
	struct tfr_record rec;
	struct tfr_reader *r;
	struct run run;
	uint64_t offset;

	make_images("p", 2, 10, -1, -1);
	cr_assert_eq(tfr_reader_open(&r, "p-1", NULL, NULL), TFR_OK);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_OK);
	offset = rec.offset;
	tfr_reader_close(r);
	flip_byte("p-1", (long)offset + 20);
	opts.skip_bad = true;
	opts.stages = "read=1,parse,shuffle=7,decode,resize=8,batch=4,upload";
	run_feed_on(&run, "p-*", opts);
	cr_assert_eq(run.end, TFR_EDATA);
	cr_assert_str_eq(tfr_error_path(&run.err), "p-1");
	cr_assert_eq(run.err.record, 3);
	cr_assert_eq(run.stats.records, 13);
}

Test(faults, a_file_that_is_none_and_a_set_without_records_fail_to_open)
{
	struct run run;

	temp_write("text", "this is a text and no TFRecord file at all", 42);
	run_feed_on(&run, "text", plain);
	cr_assert_eq(run.end, TFR_EFORMAT);
	cr_assert_eq(run.batches, 0);
	make_payloads("empty", 0);
	run_feed_on(&run, "empty", plain);
	cr_assert_eq(run.end, TFR_EDATA);
	cr_assert_str_eq(run.err.message, "no records to feed");
}

Test(faults, what_cannot_fit_is_refused_with_the_sizes)
{
	struct tfr_pipeline_opts opts = {
		.stages = "read,parse,shuffle=100000,decode,random-resized-crop=224,flip,normalise,"
			  "batch=64,upload",
		.epochs = 1,
		.memory = 64 << 20
	};
	struct run run;

	make_images("p", 1, 10, -1, -1);
	run_feed_on(&run, "p-0", opts);
	cr_assert_eq(run.end, TFR_ENOMEM);
	cr_assert_not_null(strstr(run.err.message, "the limit is 64.0 MiB"), "%s", run.err.message);
	cr_assert_not_null(strstr(tfr_error_hint_text(&run.err), "Lower --batch"), "%s", tfr_error_hint_text(&run.err));
	opts.memory = 256 << 20;
	run_feed_on(&run, "p-0", opts);
	cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
	cr_assert_leq(run.plan.total, 256u << 20);
}

Test(faults, stages_that_make_no_sense_with_these_records_are_refused)
{
	static const struct {
		const char *list, *where, *message;
	} cases[] = {
		{ "read,parse,decode,resize=8,batch=4,upload", NULL, "'decode'" },
		{ "read,parse,filter,batch=4,upload", NULL, "'filter'" },
		{ "read,parse,batch=4,upload", "x == 1", "'filter'" },
		{ "read,parse,batch=2000000,upload", NULL, "'batch'" },
		{ "read=2000,batch=4,upload", NULL, "'read'" },
		{ "read,blur", NULL, "'blur'" },
	};
	struct tfr_pipeline_opts opts = { .epochs = 1 };
	struct run run;

	make_sparse("sparse", 10);
	make_payloads("payloads", 10);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		opts.stages = cases[i].list;
		opts.where = cases[i].where;
		run_feed_on(&run, "sparse", opts);
		cr_assert_eq(run.end, TFR_EUSAGE, "%s", cases[i].list);
		cr_assert_not_null(strstr(run.err.message, cases[i].message), "%s: %s",
			cases[i].list, run.err.message);
	}
	opts.stages = "read,parse,decode,resize=8,batch=4,upload";
	opts.where = NULL;
	run_feed_on(&run, "payloads", opts);
	cr_assert_eq(run.end, TFR_EDATA);
	cr_assert_str_eq(run.err.message,
		"'payloads' holds no Examples: the records are not protobuf messages");
}

static bool at_once(void *ctx)
{
	(void)ctx;
	return true;
}

static bool after_some(void *ctx)
{
	static int calls;

	(void)ctx;
	return ++calls > 50;
}

Test(faults, it_stops_when_told)
{
	struct tfr_pipeline_opts opts = plain;
	struct run run;

	make_images("p", 1, 10, -1, -1);
	opts.epochs = 0;
	opts.cancelled = after_some;
	run_feed_on(&run, "p-0", opts);
	cr_assert_eq(run.end, TFR_ECANCELLED);
	opts.cancelled = NULL;
	opts.seconds = 0.2;
	run_feed_on(&run, "p-0", opts);
	cr_assert_eq(run.end, TFR_END);
	cr_assert(run.stats.seconds > 0.19 && run.stats.seconds < 5, "%g", run.stats.seconds);
	cr_assert_gt(run.stats.epochs, 1);
}

/* No process ever opens the other end. */
Test(faults, a_source_that_hangs_is_left)
{
	struct tfr_pipeline_opts opts = plain;
	struct run run;

	cr_assert_eq(mkfifo("pipe", 0600), 0);
	opts.cancelled = at_once;
	run_feed_on(&run, "pipe", opts);
	cr_assert_eq(run.end, TFR_ECANCELLED);
}

/* The writer has written six records and a part of the seventh, and keeps the
 * pipe open.  Closing the feed must not wait for it, and frees what its reader holds. */
static void end_of_a_silent_pipe(const char *path)
{
	struct tfr_pipeline_opts opts = plain;
	uint64_t start = tfr_clock_ns();
	struct run run;
	static uint8_t bytes[50000]; /* which a pipe holds */
	size_t size = temp_read(path, bytes, sizeof(bytes));
	int fd;

	cr_assert_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDWR | O_NONBLOCK);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bytes, size - size / 3), (ssize_t)(size - size / 3));
	opts.stages = "read=1,parse,decode,resize=8,batch=2,upload";
	opts.seconds = 0.3;
	run_feed_on(&run, "pipe", opts);
	cr_assert_eq(run.end, TFR_END, "%s", run.err.message);
	cr_assert_geq(run.batches, 1);
	cr_assert_lt((double)(tfr_clock_ns() - start) * 1e-9, 1.2);
	close(fd);
	unlink("pipe");
}

Test(faults, a_silent_pipe_does_not_keep_the_feed_open)
{
	make_images("p", 1, 10, -1, -1);
	end_of_a_silent_pipe("p-0");
}
