/* The state of a stopped shuffle, forged: whatever numbers it has, and whoever put it there, the
 * next run goes on from what is true, begins again, or refuses. */
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "made.h"
#include "rewrite/shuffle/resume.h"

#define MIB ((uint64_t)1 << 20)
enum { MAGIC = 8, SUM = 8 };

static char *dir, state[64], spill[64];
static const char *const input = "in", *const folder = "t";

static bool stop(void *ctx, const char *phase, const struct tfr_progress *p)
{
	(void)ctx;
	(void)p;
	return strcmp(phase, "writing") != 0;
}

static struct tfr_shuffle_opts options(void)
{
	return (struct tfr_shuffle_opts){
		.common = { .sweep = { .input = made_open(&input, 1), .threads = 2 },
			.writer.force = true },
		.output = "out",
		.memory = 8 * MIB,
		.tmpdirs = &folder,
		.tmpdir_count = 1,
		.resume = true,
	};
}

static enum tfr_status run(bool stopped, bool *resumed, struct tfr_error *err)
{
	struct tfr_shuffle_opts o = options();
	struct tfr_shuffle_report report;
	enum tfr_status status;

	*err = (struct tfr_error){ 0 };
	unlink("out");
	unlink("out.file.manifest.json");
	o.common.sweep.progress = stopped ? stop : NULL;
	status = tfr_shuffle(&o, &report, err);
	*resumed = report.resumed;
	tfr_set_close((struct tfr_set *)o.common.sweep.input);
	return status;
}

/* Leaves the state and the spill of a run that was stopped. */
static void leave_state(void)
{
	struct tfr_error err;
	bool resumed;
	char *name;

	cr_assert_eq(run(true, &resumed, &err), TFR_ECANCELLED);
	name = tfr_resume_name("out");
	snprintf(state, sizeof(state), "t/.%s-state", name);
	snprintf(spill, sizeof(spill), "t/.%s-0", name);
	free(name);
}

static void must_be_shuffled(void)
{
	static const char *const out = "out";
	struct tfr_totals in = made_totals(&input, 1), written = made_totals(&out, 1);

	cr_assert_eq(in.records, written.records);
	cr_assert_eq(in.sum, written.sum);
}

static void must_begin_again(void)
{
	struct tfr_error err;
	bool resumed;

	cr_assert_eq(run(false, &resumed, &err), TFR_OK, "%s", err.message);
	cr_assert_not(resumed);
	must_be_shuffled();
}

static void must_refuse(const char *why)
{
	struct tfr_error err;
	bool resumed;

	cr_assert_eq(run(false, &resumed, &err), TFR_EDATA);
	cr_assert(strstr(err.message, why), "%s", err.message);
	cr_assert(strstr(tfr_error_hint_text(&err), "to begin again"), "%s",
		tfr_error_hint_text(&err));
	cr_assert_neq(access("out", F_OK), 0);
	cr_assert_eq(unlink(state), 0);
	must_begin_again();
}

static void setup(void)
{
	dir = temp_enter_fast();
	mkdir("t", 0755);
	made_file(input, 0, 20000, 1000);
	leave_state();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(kept, .init = setup, .fini = teardown);

static uint8_t *read_state(size_t *size)
{
	struct stat st;
	uint8_t *bytes;
	FILE *f = fopen(state, "rb");

	cr_assert(f && fstat(fileno(f), &st) == 0);
	*size = (size_t)st.st_size;
	bytes = malloc(*size);
	cr_assert_eq(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

/* With the checksum that an enemy would give it. */
static void write_state(uint8_t *bytes, size_t size)
{
	uint64_t sum = XXH3_64bits(bytes + MAGIC, size - MAGIC - SUM);
	FILE *f = fopen(state, "wb");

	memcpy(bytes + size - SUM, &sum, SUM);
	cr_assert_eq(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

/* --- numbers --- */

static bool unpacks(const uint8_t *body, size_t size)
{
	struct tfr_buckets buckets = { 0 };
	struct tfr_dealt dealt = { 0 };
	struct tfr_error err = { 0 };
	struct tfr_unread bytes = { body, body + size };
	struct tfr_kept kept;
	enum tfr_status status = tfr_kept_unpack(&kept, bytes, &dealt, &buckets, &err);
	uint64_t records = 0;

	if (status) {
		cr_assert_eq(status, TFR_EDATA);
		cr_assert(!buckets.b && !dealt.lists && err.message[0]);
		return false;
	}
	for (uint32_t k = 0; k < buckets.count; k++) {
		cr_assert_eq(buckets.b[k].first, records);
		records += buckets.b[k].records;
	}
	cr_assert_eq(records, kept.report.common.taken);
	tfr_buckets_clear(&buckets);
	tfr_dealt_clear(&dealt);
	return true;
}

Test(kept, every_number_forged_and_every_truncation)
{
	static const uint32_t forged[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff };
	size_t size, body_size, good = 0;
	uint8_t *bytes = read_state(&size), *body = bytes + MAGIC, was[4];

	body_size = size - MAGIC - SUM;
	cr_assert(unpacks(body, body_size));
	for (size_t at = 0; at + 4 <= body_size; at += 4) {
		memcpy(was, body + at, 4);
		for (size_t i = 0; i < sizeof(forged) / sizeof(*forged); i++) {
			memcpy(body + at, &forged[i], 4);
			good += unpacks(body, body_size);
		}
		memcpy(body + at, was, 4);
	}
	cr_assert_gt(good, 0); /* a spot elsewhere, for one: that is for the spill to say */
	for (size_t cut = 0; cut < body_size; cut++) {
		uint8_t *exact = malloc(cut + 1);

		memcpy(exact, body, cut);
		cr_assert_not(unpacks(exact, cut));
		free(exact);
	}
	free(bytes);
}

/* Forgeries at random places, through the whole run. */
Test(kept, a_forged_state_never_writes_anything_else)
{
	static const uint32_t forged[] = { 0, 1, 4097, 0x7fffffff, 0xffffffff };
	size_t size;
	uint8_t *bytes = read_state(&size), *mine = malloc(size);

	for (unsigned n = 0; n < 30; n++) {
		size_t words = (size - MAGIC - SUM) / 4,
		       at = n < 21 ? n : 21 + n * (size_t)2654435761u % (words - 21);
		struct tfr_error err;
		bool resumed;

		memcpy(mine, bytes, size);
		memcpy(mine + MAGIC + 4 * at, &forged[n % 5], 4);
		leave_state();
		write_state(mine, size);
		if (run(false, &resumed, &err)) {
			cr_assert_eq(err.status, TFR_EDATA, "%s", err.message);
			cr_assert(strstr(tfr_error_hint_text(&err), "to begin again"), "%s",
				tfr_error_hint_text(&err));
			cr_assert_neq(access("out", F_OK), 0);
			cr_assert_eq(unlink(state), 0);
		} else {
			must_be_shuffled();
		}
	}
	free(mine);
	free(bytes);
}

/* Sizes that fit each other and not the records: there is room for what the state says only. */
Test(kept, payloads_larger_than_the_state_says)
{
	/* magic, head (84 bytes), depth, divided, parts, bytes, records */
	const size_t at = MAGIC + 84 + 12 + 16;
	struct tfr_error err;
	uint64_t payload;
	bool resumed;
	size_t size;
	uint8_t *bytes = read_state(&size);

	memcpy(&payload, bytes + at, 8);
	cr_assert_gt(payload, 1000);
	payload = 1000;
	memcpy(bytes + at, &payload, 8);
	memcpy(bytes + at + 8, &payload, 8); /* the largest record */
	write_state(bytes, size);
	cr_assert_eq(run(false, &resumed, &err), TFR_EDATA);
	cr_assert(strstr(err.message, "came back damaged"), "%s", err.message);
	free(bytes);
}

/* --- files --- */

Test(kept, a_state_that_others_could_have_made_is_refused)
{
	cr_assert_eq(link(state, "t/other"), 0);
	must_refuse("not a regular file with one name");
	leave_state();
	cr_assert_eq(rename(state, "t/real"), 0);
	cr_assert_eq(symlink("real", state), 0);
	must_refuse("a symbolic link");
	leave_state();
	cr_assert_eq(unlink(state), 0);
	cr_assert_eq(mkfifo(state, 0600), 0);
	must_refuse("not a regular file with one name");
	leave_state();
	cr_assert_eq(chmod("t", 0777), 0);
	must_refuse("other users could replace");
	cr_assert_eq(chmod("t", 01777), 0);
	leave_state();
	cr_assert_eq(chmod(state, 0666), 0);
	must_refuse("other users could replace");
	if (geteuid() != 0)
		return;
	leave_state();
	cr_assert_eq(chown(state, 12345, 0), 0);
	must_refuse("the file of another user");
}

Test(kept, a_sticky_folder_keeps_it)
{
	struct tfr_error err;
	bool resumed;

	cr_assert_eq(chmod("t", 01777), 0);
	cr_assert_eq(run(false, &resumed, &err), TFR_OK);
	cr_assert(resumed);
	must_be_shuffled();
}

static void put_victim(void)
{
	FILE *f = fopen("victim", "w");

	fputs("precious", f);
	fclose(f);
}

static void must_be_untouched(void)
{
	char text[16] = "";
	FILE *f = fopen("victim", "r");

	cr_assert_eq(fread(text, 1, sizeof(text), f), 8);
	cr_assert_str_eq(text, "precious");
	fclose(f);
}

/* A name of ours that leads elsewhere is removed, not written through. */
Test(kept, temporary_files_are_not_adopted)
{
	put_victim();
	cr_assert_eq(unlink(state), 0);
	unlink(spill);
	cr_assert_eq(link("victim", spill), 0);
	must_begin_again();
	must_be_untouched();
	cr_assert_eq(symlink("../victim", spill), 0);
	must_begin_again();
	must_be_untouched();
}

/* A spill file with a second name is not read again either. */
Test(kept, a_spill_with_two_names_begins_again)
{
	cr_assert_eq(link(spill, "t/other"), 0);
	must_begin_again();
	leave_state();
	cr_assert_eq(truncate(spill, 0), 0);
	must_begin_again();
}

/* Killed between the name of the output and the removal of what was kept. */
Test(kept, a_complete_run_removes_what_was_left)
{
	struct tfr_shuffle_opts o = options();
	struct tfr_shuffle_report report;
	struct tfr_error err;
	bool resumed;

	cr_assert_eq(system("cp -a t left"), 0);
	cr_assert_eq(run(false, &resumed, &err), TFR_OK);
	cr_assert_eq(temp_count("t"), 0);
	cr_assert_eq(system("cp -a left/. t"), 0);
	cr_assert_eq(tfr_shuffle(&o, &report, &err), TFR_OK, "%s", err.message);
	cr_assert(report.complete);
	cr_assert_eq(temp_count("t"), 0);
	tfr_set_close((struct tfr_set *)o.common.sweep.input);
}
