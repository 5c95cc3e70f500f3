/* Records into other shards, against the plainest way to do it; and runs that are resumed, through
 * the library. */
#include "support/temp.h"

#include <tfr-private/convert.h>

#include "base/rng.h"

static char *dir;

static void set_up(void)
{
	dir = temp_enter_fast();
	mkdir("in", 0755);
	mkdir("out", 0755);
	mkdir("plain", 0755);
}

static void tear_down(void)
{
	temp_leave(dir);
}

TestSuite(records, .init = set_up, .fini = tear_down);

/* A set of `n` records of up to `most` bytes, now and then one of a megabyte. */
static void make(const char *target, int n, size_t most, uint64_t seed)
{
	struct tfr_writer_opts opts = { .compression = TFR_COMPRESSION_AUTO };
	uint8_t *bytes = calloc(1, 3 << 20);
	struct tfr_set_writer *w = NULL;
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	cr_assert_eq(tfr_set_writer_open(&w, target, &opts, NULL, NULL, NULL), TFR_OK);
	for (int i = 0; i < n; i++) {
		bool large = !tfr_rng_below(&r, 300);
		struct iovec piece = { bytes, tfr_rng_below(&r, large ? 3 << 20 : most + 1) };

		for (size_t k = 0; k < piece.iov_len; k += 64)
			bytes[k] = (uint8_t)tfr_rng_below(&r, 256);
		cr_assert_eq(tfr_set_writer_put(w, (uint32_t)i % tfr_set_writer_shards(w), &piece,
				     1, NULL, NULL),
			TFR_OK);
	}
	cr_assert_eq(tfr_set_writer_publish(w, NULL, NULL), TFR_OK);
	tfr_set_writer_close(w);
	free(bytes);
}

/* Record k of the files to shard k mod N, one at a time. */
static void shard_plainly(const char *const *files, size_t count, const char *target)
{
	struct tfr_set_writer *w = NULL;
	struct tfr_record rec;
	uint64_t k = 0;

	cr_assert_eq(tfr_set_writer_open(&w, target, NULL, NULL, NULL, NULL), TFR_OK);
	for (size_t i = 0; i < count; i++) {
		struct tfr_reader *r;

		cr_assert_eq(tfr_reader_open(&r, files[i], NULL, NULL), TFR_OK);
		while (!tfr_reader_next(r, &rec, NULL)) {
			struct iovec piece = { (void *)(uintptr_t)rec.data, rec.size };

			cr_assert_eq(
				tfr_set_writer_put(w, (uint32_t)(k++ % tfr_set_writer_shards(w)),
					&piece, 1, NULL, NULL),
				TFR_OK);
		}
		tfr_reader_close(r);
	}
	cr_assert_eq(tfr_set_writer_publish(w, NULL, NULL), TFR_OK);
	tfr_set_writer_close(w);
}

static enum tfr_status shard(struct tfr_convert_opts o, const char *const *inputs, size_t count,
	const char *set, struct tfr_convert_report *report, struct tfr_error *err)
{
	struct tfr_share target = { .set = set };
	struct tfr_convert_report unused;

	o.input.paths = inputs;
	o.input.count = count;
	o.output.targets = &target;
	o.output.target_count = 1;
	return tfr_convert(&o, report ? report : &unused, err);
}

static void expect_same(const char *a, const char *b)
{
	char command[200];

	snprintf(command, sizeof(command), "diff -r -x '*.manifest.json' %s %s", a, b);
	cr_assert_eq(system(command), 0);
}

static const char *const files[] = { "in/a-00000-of-00002", "in/a-00001-of-00002",
	"in/b-00000-of-00001.gz", "in/none" };

static void make_files(uint64_t seed)
{
	make("in/a@2", 900, 3000, seed);
	make("in/b@1.gz", 400, 200, seed + 1);
	temp_write("in/none", "", 0);
}

Test(records, the_bytes_of_the_plainest_way)
{
	char plain[32], out[32];

	for (unsigned threads = 1; threads < 6; threads += 2) {
		snprintf(plain, sizeof(plain), "plain/%u@%u", threads, 3 * threads);
		snprintf(out, sizeof(out), "out/%u@%u", threads, 3 * threads);
		make_files(threads);
		shard_plainly(files, 4, plain);
		cr_assert_eq(shard((struct tfr_convert_opts){ .run.threads = threads,
					   .run.memory = threads == 3 ? 4096 : 0 },
				     files, 4, out, NULL, NULL),
			TFR_OK);
		expect_same("plain", "out");
		for (int i = 0; i < 3; i++)
			unlink(files[i]);
		cr_assert_eq(system("rm in/*"), 0);
	}
}

/* Every byte of a small file flipped: the fault ends the run, or takes up one place and no more. */
Test(records, every_byte_flipped)
{
	const char *bad = "in/bad";
	struct tfr_convert_report r;
	enum tfr_status status;
	uint8_t good[4096];
	size_t size;

	make("in/good", 8, 30, 1);
	size = temp_read("in/good", good, sizeof(good));
	for (size_t at = 0; at < size; at++) {
		good[at] ^= 0x10;
		temp_write(bad, good, size);
		good[at] ^= 0x10;
		status = shard((struct tfr_convert_opts){ .input.from = "records" }, &bad, 1,
			"out/x@2", NULL, NULL);
		cr_assert(status == TFR_EDATA || (at < 12 && status == TFR_EFORMAT), "byte %zu: %d",
			at, status);
		cr_assert_eq(temp_count("out"), 0);
		if (at < 12)
			continue;
		cr_assert_eq(shard((struct tfr_convert_opts){ .input.from = "records",
					   .run.on_error = TFR_ON_ERROR_SKIP },
				     &bad, 1, "out/x@2", &r, NULL),
			TFR_OK, "byte %zu", at);
		cr_assert(r.files == 8 && r.skipped == 1 && r.records == 7,
			"byte %zu: %d files, %d skipped, %d records", at, (int)r.files,
			(int)r.skipped, (int)r.records);
		cr_assert_eq(system("rm out/*"), 0);
	}
}

Test(records, a_failed_run_is_gone_on_with)
{
	const struct tfr_convert_opts o = {
		.run.resume = true, .run.checkpoint = 1e-9, .run.threads = 2
	};
	struct tfr_convert_report r;
	struct tfr_error err = { 0 };
	uint8_t *all = malloc(8 << 20);
	size_t size;

	make_files(7);
	shard_plainly(files, 4, "plain/t@5");
	/* The last plain file is cut short: the run fails behind notes, and is resumed when the
	 * file is whole again, its time and size as they were when the run began. */
	size = temp_read(files[1], all, 8 << 20);
	cr_assert_lt(size, 8 << 20);
	all[size - 3] ^= 1;
	temp_write(files[1], all, size);
	cr_assert_eq(system("touch -d @1000000000 in/*"), 0);
	cr_assert_eq(shard(o, files, 4, "out/t@5", NULL, &err), TFR_EDATA);
	cr_assert_eq(access("out/.t@5.resume", F_OK), 0);
	cr_assert_eq(temp_count("out"), 6);
	cr_assert_eq(shard((struct tfr_convert_opts){ .run.resume = true, .order.seed = 3 }, files,
			     4, "out/t@5", NULL, &err),
		TFR_EUSAGE);
	cr_assert_not_null(strstr(err.message, "seed 3"));
	cr_assert_eq(shard(o, files, 3, "out/t@5", NULL, &err), TFR_EUSAGE);
	all[size - 3] ^= 1;
	temp_write(files[1], all, size);
	cr_assert_eq(shard(o, files, 4, "out/t@5", NULL, &err), TFR_EDATA);
	cr_assert_not_null(strstr(err.message, "changed"));
	cr_assert_eq(system("touch -d @1000000000 in/*"), 0);
	cr_assert_eq(shard(o, files, 4, "out/t@5", &r, &err), TFR_OK, "%s", err.message);
	cr_assert_gt(r.resumed, 0);
	cr_assert(r.records == 1300 && r.files == 1300);
	expect_same("plain", "out");
	free(all);
}

/* Bad records inside and at the ends of runs keep their places, also in a run that is resumed,
 * after one that expected another number of records. */
Test(records, damage_keeps_its_places)
{
	static const char *const inputs[] = { "in/a", "in/b" };
	struct tfr_convert_opts o = { .input.from = "records",
		.run.on_error = TFR_ON_ERROR_SKIP,
		.run.max_skipped = 1,
		.run.checkpoint = 1e-9 };
	struct tfr_convert_report once, again;
	uint8_t *all = malloc(8 << 20);
	struct tfr_reader *r;
	struct tfr_record rec;
	size_t size;
	uint64_t bad = 0;

	make("in/a", 700, 1500, 11);
	make("in/b", 50, 100, 12);
	size = temp_read("in/a", all, 8 << 20);
	cr_assert_eq(tfr_reader_open(&r, "in/a", NULL, NULL), TFR_OK);
	while (!tfr_reader_next(r, &rec, NULL))
		if (rec.size && (rec.index % 5 == 0 || rec.index > 695)) {
			all[rec.offset + 12] ^= 1;
			bad++;
		}
	tfr_reader_close(r);
	temp_write("in/a", all, size);
	for (o.run.threads = 1; o.run.threads < 4; o.run.threads += 2) {
		cr_assert_eq(shard(o, inputs, 2, "plain/x@3", &once, NULL), TFR_OK);
		cr_assert_eq(once.skipped, bad);
		cr_assert_eq(once.records, 750 - bad);
		o.run.resume = true;
		o.output.expect = (struct tfr_expect){ .has_records = true, .records = 1 };
		cr_assert_eq(shard(o, inputs, 2, "out/x@3", &again, NULL), TFR_EDATA);
		o.output.expect.records = once.records;
		cr_assert_eq(shard(o, inputs, 2, "out/x@3", &again, NULL), TFR_OK);
		o.output.expect.has_records = false;
		o.run.resume = false;
		cr_assert_gt(again.resumed, 500);
		cr_assert(again.records == once.records && again.skipped == once.skipped &&
			  again.sum == once.sum);
		expect_same("plain", "out");
		cr_assert_eq(system("rm out/* plain/*"), 0);
	}
	free(all);
}
