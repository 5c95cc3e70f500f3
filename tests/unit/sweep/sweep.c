/* Sweeps: every record once, in order where that is asked for, the first fault in input order
 * whatever the threads, one large record at a time, an end when the caller says so. */
#include "sweep/sweep.h"

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

TestSuite(sweep, .init = setup, .fini = teardown);

enum { FILES = 7, RECORDS = 900 };
static const char *const names[FILES] = { "f0", "f1", "f2", "f3", "f4", "f5", "f6" };

static void make_files(size_t size)
{
	for (unsigned k = 0; k < FILES; k++)
		made_file(names[k], k, k == 3 ? 0 : RECORDS + k, size);
}

struct seen {
	uint64_t examined, bytes;
	uint32_t file;	/* settle: of the last record, and its number */
	uint64_t index; /* of the next */
	uint64_t stop_at;
	bool gaps; /* damage was passed over */
};

static enum tfr_status look(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	struct seen *seen = ctx;
	char text[64];

	(void)worker;
	(void)err;
	cr_assert_eq(s->path[1], '0' + (char)s->file);
	made_payload(text, sizeof(text), s->file, s->rec.index, 0);
	cr_assert_eq(memcmp(s->rec.data, text, strlen(text)), 0);
	__atomic_fetch_add(&seen->examined, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&seen->bytes, s->rec.size, __ATOMIC_RELAXED);
	if (verdict)
		memcpy(verdict, &s->rec.offset, sizeof(s->rec.offset));
	return TFR_OK;
}

static enum tfr_status follow(
	void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err)
{
	struct seen *seen = ctx;
	uint64_t offset;

	(void)err;
	memcpy(&offset, verdict, sizeof(offset));
	cr_assert_eq(offset, s->rec.offset);
	if (s->file != seen->file) {
		cr_assert_gt(s->file, seen->file);
		seen->index = 0;
	}
	seen->file = s->file;
	cr_assert_geq(s->rec.index, seen->index);
	cr_assert(seen->gaps || s->rec.index == seen->index);
	seen->index = s->rec.index + 1;
	return seen->stop_at && seen->stop_at == seen->index ? TFR_END : TFR_OK;
}

static enum tfr_status sweep(struct tfr_sweep_opts *o, struct seen *seen, bool ordered,
	struct tfr_sweep_report *report, struct tfr_error *err)
{
	struct tfr_sweep s = {
		.opts = *o,
		.phase = "looking",
		.verdict_size = sizeof(uint64_t),
		.examine = look,
		.settle = ordered ? follow : NULL,
		.block_size = 4096,
		.ctx = seen,
	};

	return tfr_sweep_run(&s, report, err);
}

Test(sweep, sees_every_record_once)
{
	const size_t sizes[] = { 0, 200, 20000 };

	for (unsigned n = 0; n < 3 * 4 * 2; n++) {
		struct tfr_sweep_report report;
		struct tfr_sweep_opts o = { .threads = 1u << n / 2 % 4 };
		struct seen seen = { 0 };

		if (n % 8 == 0)
			make_files(sizes[n / 8]);
		o.input = made_open(names, FILES);
		cr_assert_eq(sweep(&o, &seen, n % 2, &report, NULL), TFR_OK);
		cr_assert_eq(seen.examined, 6 * RECORDS + 18);
		cr_assert_eq(report.records, seen.examined);
		cr_assert_eq(report.taken, seen.examined);
		cr_assert_eq(report.bad, 0);
		tfr_set_close((struct tfr_set *)o.input);
	}
}

Test(sweep, settle_can_end_it)
{
	struct tfr_sweep_report report;
	struct tfr_sweep_opts o = { .threads = 4 };
	struct seen seen = { .stop_at = 40 };

	make_files(3000);
	o.input = made_open(names, FILES);
	cr_assert_eq(sweep(&o, &seen, true, &report, NULL), TFR_OK);
	cr_assert_eq(seen.index, 40);
	cr_assert_lt(seen.examined, 6 * RECORDS);
	tfr_set_close((struct tfr_set *)o.input);
}

static void flip(const char *path, long at)
{
	FILE *f = fopen(path, "r+b");
	int c;

	cr_assert_eq(fseek(f, at, SEEK_SET), 0);
	c = fgetc(f);
	fseek(f, at, SEEK_SET);
	fputc(c ^ 1, f);
	fclose(f);
}

static void count_warning(void *ctx, const char *text)
{
	if (!strstr(text, "holds no records"))
		++*(int *)ctx;
}

Test(sweep, the_first_fault_in_order_is_reported)
{
	make_files(300);
	flip("f5", 12);	  /* a payload, early in a late file */
	flip("f2", 9000); /* the middle of an early one */
	flip("f2", 30000);
	for (unsigned n = 0; n < 40; n++) {
		struct tfr_sweep_report report;
		struct tfr_sweep_opts o = { .threads = 1 + n % 8 };
		struct tfr_error err = { 0 };
		struct seen seen = { 0 };
		int warnings = 0;

		o.input = made_open(names, FILES);
		cr_assert_eq(sweep(&o, &seen, n & 1, &report, &err), TFR_EDATA);
		cr_assert_str_eq(tfr_error_path(&err), "f2");
		cr_assert(err.offset <= 9000 && err.offset > 8600, "%llu",
			(unsigned long long)err.offset);
		o.on_fault = TFR_ON_FAULT_SKIP;
		o.warn = count_warning;
		o.ctx = &warnings;
		seen = (struct seen){ 0 };
		struct tfr_sweep all = { .opts = o, .examine = look, .ctx = &seen };
		cr_assert_eq(tfr_sweep_run(&all, &report, &err), TFR_OK);
		cr_assert_eq(report.bad, 3);
		cr_assert_eq(warnings, 3);
		cr_assert_eq(report.records, 6 * RECORDS + 18 - 3);
		tfr_set_close((struct tfr_set *)o.input);
	}
}

static void gather_text(void *ctx, const char *text)
{
	char *all = ctx;

	if (!strstr(text, "holds no records"))
		strcat(strcat(all, text), "\n");
}

/* In order, warnings are in order too, the last of them behind the last record. */
Test(sweep, warnings_come_in_order)
{
	static char one[1 << 16], other[1 << 16];
	const char *const f6 = "f6";

	make_files(300);
	for (long at = 2000; at < 100000; at += 1717)
		flip(at % 2 ? "f1" : "f4", at);
	cr_assert_eq(truncate(f6, 50000), 0);
	for (unsigned n = 1; n < 20; n++) {
		struct tfr_sweep_report report;
		char *all = n == 1 ? one : other;
		struct tfr_sweep_opts o = {
			.threads = n, .on_fault = TFR_ON_FAULT_SKIP, .warn = gather_text, .ctx = all
		};
		struct tfr_error err = { 0 };
		struct seen seen = { .gaps = true };

		*all = 0;
		o.input = made_open(names, FILES);
		cr_assert_eq(sweep(&o, &seen, true, &report, &err), TFR_OK);
		cr_assert_gt(report.bad, 40);
		cr_assert(strstr(all, "truncated record"));
		if (n > 1)
			cr_assert_str_eq(other, one);
		tfr_set_close((struct tfr_set *)o.input);
	}
}

Test(sweep, a_record_larger_than_allowed_is_refused_by_name)
{
	struct tfr_sweep_report report;
	struct tfr_sweep_opts o = { .threads = 2 };
	struct tfr_error err = { 0 };
	struct seen seen = { 0 };
	struct tfr_sweep s = {
		.examine = look, .ctx = &seen, .block_size = 4096, .max_record = 8000
	};

	make_files(20000);
	o.input = made_open(names, FILES);
	s.opts = o;
	cr_assert_eq(tfr_sweep_run(&s, &report, &err), TFR_ENOMEM);
	cr_assert_str_eq(tfr_error_path(&err), "f0");
	cr_assert(err.has_record);
	cr_assert(strstr(err.message, "larger than the 7.81 KiB that the memory allows"));
	tfr_set_close((struct tfr_set *)o.input);
}

static bool stop_now(void *ctx, const char *phase, const struct tfr_progress *p)
{
	(void)p;
	cr_assert_str_eq(phase, "looking");
	++*(int *)ctx;
	return false;
}

Test(sweep, a_caller_can_cancel)
{
	for (unsigned n = 0; n < 4; n++) {
		struct tfr_sweep_report report;
		int calls = 0;
		struct tfr_sweep_opts o = { .threads = 1 + n, .progress = stop_now, .ctx = &calls };
		struct seen seen = { 0 };

		make_files(3000);
		o.input = made_open(names, FILES);
		cr_assert_eq(sweep(&o, &seen, n & 1, &report, NULL), TFR_ECANCELLED);
		cr_assert_gt(calls, 0);
		cr_assert_lt(seen.examined, 6 * RECORDS);
		tfr_set_close((struct tfr_set *)o.input);
	}
}
