/* A sweep over files: one result per file in file order, the same for any number of threads, also
 * where threads share a file that is truncated meanwhile; and the count that runs on it. */
#include "sweep/file_sweep.h"

#include <unistd.h>

#include "base/error.h"
#include "unit/rewrite/made.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(file_sweep, .init = setup, .fini = teardown);

/* Payloads have up to SIZE bytes, half of that on average. */
enum { LARGE = 5 << 20, SIZE = 2000, RECORDS = LARGE / (SIZE / 2) };

struct result {
	uint64_t records, faults;
	bool cut;
};

struct seen {
	const struct tfr_set *set;
	uint64_t file; /* the next to be delivered */
	uint64_t records, faults, merged;
	uint64_t stop_at; /* records of a file; 0: all */
	off_t cut;	  /* truncate the file to this when the first piece is merged */
	bool was_cut;
};

static void start(void *ctx, uint64_t file, void *result)
{
	(void)ctx, (void)file;
	*(struct result *)result = (struct result){ 0 };
}

static enum tfr_status prepare(void *ctx, unsigned worker, unsigned threads, uint64_t file,
	void *result, struct tfr_file_start *from, struct tfr_error *err)
{
	(void)ctx, (void)worker, (void)file, (void)result, (void)from, (void)err;
	cr_assert_gt(threads, 0);
	return TFR_OK;
}

static enum tfr_status records(
	void *ctx, unsigned worker, void *result, struct tfr_record_run *run, struct tfr_error *err)
{
	const struct seen *seen = ctx;
	struct result *p = result;
	struct tfr_record rec;

	(void)worker;
	while (!tfr_record_run_next(run, &rec, err)) {
		if (seen->stop_at && rec.index == seen->stop_at)
			return TFR_END;
		p->records++;
	}
	return TFR_OK;
}

static enum tfr_status fault(
	struct tfr_fault_policy *policy, const struct tfr_fault_met *met, struct tfr_error *err)
{
	struct result *p = met->result;

	(void)policy, (void)err;
	p->faults++;
	p->cut = met->why->status == TFR_ESYS ||
		 (met->why->status == TFR_EDATA && tfr_reader_fault(met->reader) == TFR_FAULT_CUT);
	return TFR_END;
}

static const char *path(void *ctx, uint64_t file)
{
	return tfr_set_path(((struct seen *)ctx)->set, file);
}

static enum tfr_status merge(void *ctx, void *file, void *piece, struct tfr_error *err)
{
	struct seen *seen = ctx;
	struct result *all = file, *p = piece;

	(void)err;
	if (!seen->merged++ && seen->cut)
		cr_assert_eq(truncate("f0", seen->cut), 0);
	all->records += p->records;
	all->faults += p->faults;
	all->cut = p->cut;
	return TFR_OK;
}

static enum tfr_status deliver(void *ctx, uint64_t file, void *result, struct tfr_error *err)
{
	struct seen *seen = ctx;
	const struct result *p = result;

	(void)err;
	cr_assert_eq(file, seen->file++);
	seen->records += p->records;
	seen->faults += p->faults;
	seen->was_cut = p->cut;
	return TFR_OK;
}

static void run(const char *const *names, unsigned files, unsigned threads, struct seen *seen)
{
	struct tfr_set *set = made_open(names, files);
	struct tfr_fault_policy faults = { .meet = fault };
	struct tfr_file_sweep sweep = { .files = files,
		.path = path,
		.faults = &faults,
		.threads = threads,
		.divides = true,
		.result_size = sizeof(struct result),
		.start = start,
		.prepare = prepare,
		.records = records,
		.merge = merge,
		.deliver = deliver };

	seen->set = set;
	cr_assert_eq(tfr_file_sweep_run(&sweep, seen, NULL), TFR_OK);
	cr_assert_eq(seen->file, files);
	tfr_set_close(set);
}

Test(file_sweep, delivers_each_file_in_order)
{
	static const char *const names[] = { "f0", "f1", "f2" };

	made_file("f0", 0, 100, 10);
	made_file("f1", 1, 0, 10);
	made_file("f2", 2, RECORDS, SIZE);
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		struct seen seen = { 0 };

		run(names, 3, threads, &seen);
		cr_assert_eq(seen.records, 100 + RECORDS);
		cr_assert_eq(seen.faults, 0);
		cr_assert_eq(seen.merged > 0, threads > 3, "the large file is shared");
	}
}

Test(file_sweep, a_file_ends_where_nothing_more_is_wanted)
{
	static const char *const names[] = { "f0", "f1" };

	made_file("f0", 0, RECORDS, SIZE);
	made_file("f1", 1, 10, SIZE);
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		struct seen seen = { .stop_at = RECORDS / 2 };

		run(names, 2, threads, &seen);
		cr_assert_eq(seen.records, RECORDS / 2 + 10);
	}
}

Test(file_sweep, a_shared_file_is_truncated)
{
	struct seen seen = { .cut = 3 << 20 };

	/* Much larger than what threads read ahead before the first piece is merged. */
	made_file("f0", 0, 8 * RECORDS, SIZE);
	run((const char *[]){ "f0" }, 1, 3, &seen);
	cr_assert(seen.records > 0 && seen.records < 8 * RECORDS);
	cr_assert(seen.faults == 1 && seen.was_cut, "%llu faults", (unsigned long long)seen.faults);
}

static void add_up(
	void *ctx, const char *path, uint64_t n, uint64_t sum, const struct tfr_error *err)
{
	uint64_t *totals = ctx;

	(void)path;
	cr_assert_null(err);
	totals[0] += n;
	totals[1] += sum;
}

Test(file_sweep, the_content_sum_depends_neither_on_files_nor_on_threads)
{
	static const char *const names[] = { "f0", "f1" };
	uint64_t first = 0;

	made_file("f0", 0, RECORDS, SIZE);
	made_file("f1", 1, 10, 20);
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		uint64_t totals[2] = { 0 };
		struct tfr_set *set = made_open(names, 2);
		struct tfr_count_opts opts = {
			.threads = threads, .sum = true, .file = add_up, .ctx = totals
		};

		cr_assert_eq(tfr_set_count_records(set, &opts, NULL), TFR_OK);
		cr_assert_eq(totals[0], RECORDS + 10);
		first = first ? first : totals[1];
		cr_assert_eq(totals[1], first);
		opts.sum = false;
		totals[0] = 0;
		cr_assert_eq(tfr_set_count_records(set, &opts, NULL), TFR_OK);
		cr_assert_eq(totals[0], RECORDS + 10);
		tfr_set_close(set);
	}
}
