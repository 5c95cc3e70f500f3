/* What the doctor finds in folders of constructed data: exactly the findings expected and no
 * others, so a check that is silent fails as much as one that reports what is not there. */
#include <fcntl.h>
#include <sys/file.h>

#include <tfr-private/doctor.h>
#include <tfr-private/shard.h>

#include "base/rng.h"
#include "support/examples.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
	cr_assert_eq(mkdir("d", 0777), 0);
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(findings, .init = setup, .fini = teardown, .timeout = 120);

/* --- helpers --- */

static struct tfr_doctor *examine(const char *path, struct tfr_doctor_opts opts)
{
	struct tfr_doctor *d = NULL;
	struct tfr_error err = { 0 };

	opts.paths = &path;
	opts.count = 1;
	cr_assert_eq(tfr_doctor_run(&d, &opts, &err), TFR_OK, "%s", err.message);
	return d;
}

/* The finding with that name and, unless NULL, that subject; NULL: there is none. */
static const struct tfr_doctor_finding *found(
	const struct tfr_doctor *d, const char *name, const char *subject)
{
	for (size_t i = 0; i < tfr_doctor_count(d); i++) {
		const struct tfr_doctor_finding *f = tfr_doctor_finding(d, i);

		if (!strcmp(f->name, name) && (!subject || !strcmp(f->subject, subject)))
			return f;
	}
	return NULL;
}

/* All names in order, each followed by a blank. */
static void expect_names(const struct tfr_doctor *d, const char *expected)
{
	char all[1000] = "";

	for (size_t i = 0; i < tfr_doctor_count(d); i++)
		strcat(strcat(all, tfr_doctor_finding(d, i)->name), " ");
	cr_assert_str_eq(all, expected);
}

static void expect_found(const char *path, struct tfr_doctor_opts opts, const char *expected)
{
	struct tfr_doctor *d = examine(path, opts);

	expect_names(d, expected);
	tfr_doctor_free(d);
}

static void expect(const char *path, const char *expected)
{
	expect_found(path, (struct tfr_doctor_opts){ .threads = 1 }, expected);
}

/* The command of a finding, which must be there. */
static void expect_command(
	const struct tfr_doctor *d, const char *name, const char *command, bool fixes)
{
	const struct tfr_doctor_finding *f = found(d, name, NULL);

	cr_assert_not_null(f, "no finding '%s'", name);
	cr_assert_eq(!f->command, !command, "%s: %s", name, f->command);
	if (command)
		cr_assert_str_eq(f->command, command);
	cr_assert_eq(f->fixes, fixes);
}

static void put_record(struct examples *x, int id)
{
	char text[48];

	snprintf(text, sizeof(text), "the text of record %d", id);
	examples_text(x, "x", text);
	examples_end(x);
}

static void write_file(const char *path, int first, int n)
{
	struct examples x = examples_open(path);

	for (int i = 0; i < n; i++)
		put_record(&x, first + i);
	examples_close(&x);
}

/* `shards` files of ten records each, all different. */
static void write_set(const char *base, int shards, const char *extension, int first)
{
	char path[100];

	for (int i = 0; i < shards; i++) {
		snprintf(path, sizeof(path), "%s-%05d-of-%05d%s", base, i, shards, extension);
		write_file(path, first + 10 * i, 10);
	}
}

static void edit(const char *path, long offset, int xor)
{
	size_t size;
	char *bytes = examples_slurp(path, &size);

	cr_assert_lt((size_t)offset, size);
	bytes[offset] ^= (char)xor;
	temp_write(path, bytes, size);
	free(bytes);
}

/* --- bytes --- */

Test(findings, a_good_file_has_none)
{
	write_file("d/a.tfrecord", 0, 20);
	expect("d", "");
	expect("d/a.tfrecord", "");
}

Test(findings, a_set_of_shards_wants_a_manifest)
{
	struct tfr_doctor *d;
	struct tfr_doctor_set s;

	write_set("d/train", 4, ".tfrecord", 0);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "no-manifest ");
	expect_command(
		d, "no-manifest", "tfr cat -f -o d/train@4.tfrecord d/train@4.tfrecord", true);
	cr_assert_eq(tfr_doctor_sets(d), 1);
	s = tfr_doctor_set(d, 0);
	cr_assert_str_eq(s.name, "d/train@4.tfrecord");
	cr_assert(s.files == 4 && s.records == 40 && s.complete);
	cr_assert_eq(s.bytes, s.read);
	tfr_doctor_free(d);
}

Test(findings, damage_of_every_form)
{
	enum { FLIPPED_PAYLOAD, FLIPPED_LENGTH, CUT, APPENDED, FORMS };

	for (int form = 0; form < FORMS; form++) {
		static const char path[] = "d/t-00001-of-00003.tfrecord";
		const struct tfr_doctor_finding *f;
		struct tfr_doctor *d;
		struct stat st;

		write_set("d/t", 3, ".tfrecord", 0);
		cr_assert_eq(stat(path, &st), 0);
		if (form == FLIPPED_PAYLOAD)
			edit(path, 20, 4);
		else if (form == FLIPPED_LENGTH)
			edit(path, 1, 1);
		else
			cr_assert_eq(truncate(path, st.st_size + (form == CUT ? -3 : 5)), 0);
		d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
		f = found(d, "damage", "d/t@3.tfrecord");
		cr_assert_not_null(f, "form %d", form);
		cr_assert(f->level == TFR_GRAVITY_ERROR && !f->system);
		cr_assert_not_null(strstr(f->text, path), "%s", f->text);
		expect_command(
			d, "damage", "tfr repair -o d/t-repaired@3.tfrecord d/t@3.tfrecord", true);
		/* A command that reads damage would fail: the others have none. */
		expect_names(d, "damage no-manifest ");
		cr_assert_null(found(d, "no-manifest", NULL)->command);
		tfr_doctor_free(d);
	}
}

Test(findings, damaged_files_are_counted)
{
	struct tfr_doctor *d;

	write_set("d/t", 4, ".tfrecord", 0);
	edit("d/t-00000-of-00004.tfrecord", 20, 1);
	edit("d/t-00002-of-00004.tfrecord", 20, 1);
	edit("d/t-00003-of-00004.tfrecord", 20, 1);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	cr_assert_not_null(strstr(found(d, "damage", NULL)->text, "3 files"));
	cr_assert_not_null(strstr(found(d, "damage", NULL)->text, "t-00000-of-00004"));
	tfr_doctor_free(d);
}

static void write_compressed(const char *path, enum tfr_compression compression)
{
	struct tfr_writer_opts opts = { .force = true, .compression = compression };
	struct examples x = { .b = tfr_builder_new() };

	cr_assert_eq(tfr_writer_open(&x.w, path, &opts, NULL), TFR_OK);
	for (int i = 0; i < 10; i++)
		put_record(&x, path[4] * 100 + i);
	examples_close(&x);
}

Test(findings, compression_and_names)
{
	static const struct {
		const char *path;
		enum tfr_compression compression;
		const char *expected, *command;
	} cases[] = {
		{ "d/a.tfrecord", TFR_COMPRESSION_NONE, "", NULL },
		{ "d/a.tfrecord.gz", TFR_COMPRESSION_GZIP, "", NULL },
		{ "d/a.tfrecord.gz", TFR_COMPRESSION_NONE, "called-gz ",
			"tfr cat -z gzip -f -o d/a.tfrecord.gz d/a.tfrecord.gz" },
		{ "d/a.tfrecord", TFR_COMPRESSION_GZIP, "not-called-gz ",
			"tfr cat -z none -f -o d/a.tfrecord d/a.tfrecord" },
		{ "d/a.tfrecord", TFR_COMPRESSION_ZLIB, "not-called-gz ",
			"tfr cat -z none -f -o d/a.tfrecord d/a.tfrecord" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_doctor *d;

		write_compressed(cases[i].path, cases[i].compression);
		d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
		expect_names(d, cases[i].expected);
		if (cases[i].command)
			cr_assert_str_eq(tfr_doctor_finding(d, 0)->command, cases[i].command);
		tfr_doctor_free(d);
		unlink(cases[i].path);
	}
}

/* --- names and sets --- */

Test(findings, gaps_in_the_numbers_of_shards)
{
	const struct tfr_doctor_finding *f;
	struct tfr_doctor *d;

	write_set("d/train", 4, ".tfrecord", 0);
	cr_assert_eq(unlink("d/train-00001-of-00004.tfrecord"), 0);
	cr_assert_eq(unlink("d/train-00003-of-00004.tfrecord"), 0);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "missing no-manifest ");
	f = found(d, "missing", NULL);
	cr_assert_eq(f->level, TFR_GRAVITY_ERROR);
	cr_assert(strstr(f->text, "2 shards") && strstr(f->text, "d/train-00001-of-00004.tfrecord"),
		"%s", f->text);
	expect_command(d, "missing",
		"tfr cat --allow-missing -o d/train-rest@2.tfrecord d/train@4.tfrecord", true);
	cr_assert_null(found(d, "no-manifest", NULL)->command, "it would fail");
	tfr_doctor_free(d);
	/* The command that fixes damage allows for the gap. */
	edit("d/train-00000-of-00004.tfrecord", 20, 1);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_command(d, "damage",
		"tfr repair --allow-missing -o d/train-repaired@4.tfrecord d/train@4.tfrecord",
		true);
	tfr_doctor_free(d);
	/* Files that were named one by one need not be all. */
	expect("d/train-00002-of-00004.tfrecord", "no-manifest ");
}

Test(findings, two_sets_of_one_name_are_a_mixture)
{
	struct tfr_doctor *d;

	write_set("d/t", 2, ".tfrecord", 0);
	write_set("d/t", 10, ".tfrecord", 100);
	write_set("d/t-b", 2, ".tfrecord", 300);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "mixture no-manifest no-manifest no-manifest ");
	expect_command(d, "mixture", "tfr diff --overlap d/t@10.tfrecord d/t@2.tfrecord", false);
	tfr_doctor_free(d);
}

Test(findings, shards_that_are_there_twice)
{
	struct tfr_doctor *d;

	write_set("d/t", 2, "", 0);
	write_set("d/t", 2, ".tfrecord", 100);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "twice no-manifest no-manifest ");
	expect_command(d, "twice", "tfr diff --overlap d/t@2 d/t@2.tfrecord", false);
	tfr_doctor_free(d);
}

Test(findings, an_empty_file)
{
	struct tfr_doctor *d;

	write_set("d/t", 3, ".tfrecord", 0);
	temp_write("d/t-00001-of-00003.tfrecord", "", 0);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "empty no-manifest ");
	cr_assert_not_null(strstr(found(d, "empty", NULL)->text, "d/t-00001-of-00003.tfrecord"));
	expect_command(d, "empty", NULL, false);
	tfr_doctor_free(d);
}

/* Files that differ in digits alone are one set, unless a pattern would match others too. */
Test(findings, names_are_grouped)
{
	struct tfr_doctor *d;

	write_file("d/part-1.tfrecord", 0, 10);
	write_file("d/part-22.tfrecord", 10, 10);
	write_file("d/other.tfrecord", 20, 10);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	cr_assert_eq(tfr_doctor_sets(d), 2);
	cr_assert_str_eq(tfr_doctor_set(d, 0).name, "d/other.tfrecord");
	cr_assert_str_eq(tfr_doctor_set(d, 1).name, "d/part-*.tfrecord");
	cr_assert_eq(tfr_doctor_set(d, 1).files, 2);
	tfr_doctor_free(d);
	write_file("d/part-x.tfrecord", 30, 10);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	cr_assert_eq(tfr_doctor_sets(d), 4);
	tfr_doctor_free(d);
}

/* --- manifests --- */

static void publish_set(const char *target, int n)
{
	struct tfr_writer_opts opts = { .force = true };
	struct tfr_set_writer *w = NULL;
	struct tfr_builder *b = tfr_builder_new();

	cr_assert_eq(tfr_set_writer_open(&w, target, &opts, NULL, NULL, NULL), TFR_OK);
	for (int i = 0; i < n; i++) {
		struct iovec piece;
		const uint8_t *data;
		size_t size;

		tfr_builder_reset(b);
		cr_assert_eq(tfr_builder_int64(b, "id", i, NULL), TFR_OK);
		cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
		piece = (struct iovec){ (void *)(uintptr_t)data, size };
		cr_assert_eq(tfr_set_writer_put(w, (uint32_t)i % tfr_set_writer_shards(w), &piece,
				     1, NULL, NULL),
			TFR_OK);
	}
	cr_assert_eq(tfr_set_writer_publish(w, &(struct tfr_set_info){ 0 }, NULL), TFR_OK);
	tfr_set_writer_close(w);
	tfr_builder_free(b);
}

Test(findings, files_that_differ_from_their_manifest)
{
	static const char path[] = "d/t-00001-of-00002.tfrecord";
	struct tfr_doctor *d;
	size_t size;
	char *bytes;

	publish_set("d/t@2.tfrecord", 40);
	expect("d", "");
	/* A record more, at the end of a file. */
	bytes = examples_slurp(path, &size);
	bytes = realloc(bytes, 2 * size);
	memcpy(bytes + size, bytes, size);
	temp_write(path, bytes, 2 * size);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "manifest duplicates ");
	expect_command(d, "manifest", "tfr check --manifest d/t@2.tfrecord", false);
	cr_assert_not_null(strstr(found(d, "manifest", NULL)->text, path));
	tfr_doctor_free(d);
	/* As many bytes and records, in another order of the two halves. */
	memcpy(bytes + size / 2, bytes + size + size / 2, size - size / 2);
	temp_write(path, bytes, size);
	expect("d", "");
	free(bytes);
	/* Other records, of the same number and size. */
	cr_assert_eq(rename("d/t-00000-of-00002.tfrecord", "swap"), 0);
	cr_assert_eq(rename(path, "d/t-00000-of-00002.tfrecord"), 0);
	cr_assert_eq(rename("swap", path), 0);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "manifest ");
	cr_assert_eq(found(d, "manifest", NULL)->text[0], '2');
	tfr_doctor_free(d);
}

/* --- other files --- */

Test(findings, files_that_are_not_of_records)
{
	static const char *const company[] = { "d/labels.txt", "d/README.md", "d/t.json",
		"d/.hidden", "d/nothing", "d/x.idx" };
	struct tfr_doctor *d;

	write_file("d/a.tfrecord", 0, 10);
	for (size_t i = 0; i < sizeof(company) / sizeof(*company); i++)
		temp_write(company[i], "", 0);
	expect("d", "");
	temp_write("d/b.tfrecord", "<html>", 6);
	temp_write("d/c-00000-of-00001", "version https://git-lfs", 23);
	temp_write("d/1.jpg", "\xff\xd8\xff\xe0", 4);
	temp_write("d/2.jpg", "\xff\xd8\xff\xe0", 4);
	temp_write("d/it's.zip", "PK\x03\x04", 4);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "foreign foreign stranger stranger ");
	cr_assert_not_null(found(d, "foreign", "d/b.tfrecord"));
	cr_assert_not_null(found(d, "foreign", "d/c-00000-of-00001"));
	cr_assert_str_eq(found(d, "stranger", "d/1.jpg")->command,
		"mkdir -p d/others && mv -n d/1.jpg d/2.jpg d/others");
	cr_assert_str_eq(found(d, "stranger", "d/it's.zip")->command,
		"mkdir -p d/others && mv -n 'd/it'\\''s.zip' d/others");
	tfr_doctor_free(d);
}

/* A command that names many files is of no use. */
Test(findings, many_strangers_have_no_command)
{
	char path[32];

	write_file("d/a.tfrecord", 0, 10);
	for (int i = 1; i <= 9; i++) {
		struct tfr_doctor *d;

		snprintf(path, sizeof(path), "d/%d.png", i);
		temp_write(path, "\x89PNG\r\n\x1a\n", 8);
		d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
		expect_names(d, "stranger ");
		cr_assert_eq(!found(d, "stranger", NULL)->command, i > 8, "%d", i);
		tfr_doctor_free(d);
	}
}

Test(findings, temporary_files_that_no_process_writes)
{
	int fd;

	write_file("d/a.tfrecord", 0, 10);
	temp_write("d/.a.tfrecord.tmp", "half", 4);
	expect("d", "temporary ");
	fd = open("d/.a.tfrecord.tmp", O_RDWR);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	expect("d", "");
	close(fd);
	expect("d", "temporary ");
}

Test(findings, special_files)
{
	struct tfr_doctor *d;

	write_file("d/a.tfrecord", 0, 10);
	cr_assert_eq(mkfifo("d/fifo.tfrecord", 0666), 0);
	cr_assert_eq(symlink("nowhere", "d/link"), 0);
	cr_assert_eq(symlink("loop", "d/loop"), 0);
	cr_assert_eq(mkdir("d/folder.tfrecord", 0777), 0);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "special special special ");
	cr_assert_not_null(found(d, "special", "d/fifo.tfrecord"));
	cr_assert_not_null(found(d, "special", "d/link"));
	cr_assert_not_null(found(d, "special", "d/loop"));
	tfr_doctor_free(d);
}

Test(findings, folders_and_paths_that_cannot_be_examined)
{
	static const struct {
		const char *path;
		enum tfr_status status;
	} cases[] = { { "d", TFR_EDATA }, { "nosuch", TFR_ESYS }, { "-", TFR_EUSAGE } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_doctor_opts opts = { .paths = &cases[i].path, .count = 1 };
		struct tfr_doctor *d = NULL;
		struct tfr_error err = { 0 };

		cr_assert_eq(tfr_doctor_run(&d, &opts, &err), cases[i].status, "%s: %s",
			cases[i].path, err.message);
		cr_assert_null(d);
	}
}

/* --- results --- */

static char *json_of(const char *path, unsigned threads)
{
	struct tfr_doctor *d = examine(path, (struct tfr_doctor_opts){ .threads = threads });
	struct tfr_json *j = tfr_json_new();
	size_t size;
	char *text;

	tfr_json_open_object(j, NULL);
	tfr_doctor_json(d, j);
	tfr_json_close_object(j);
	text = strdup(tfr_json_text(j, &size));
	tfr_json_free(j);
	tfr_doctor_free(d);
	return text;
}

Test(findings, do_not_depend_on_the_number_of_threads)
{
	char *one;

	write_set("d/train", 7, ".tfrecord", 0);
	write_set("d/test", 3, ".tfrecord", 50);
	edit("d/train-00004-of-00007.tfrecord", 20, 1);
	unlink("d/train-00006-of-00007.tfrecord");
	temp_write("d/b.tfrecord", "<html>", 6);
	one = json_of("d", 1);
	for (unsigned threads = 2; threads <= 6; threads += 2) {
		char *many = json_of("d", threads);

		cr_assert_str_eq(many, one);
		free(many);
	}
	free(one);
}

Test(findings, the_worst_come_first)
{
	struct tfr_doctor *d;
	enum tfr_gravity last = TFR_GRAVITY_ERROR;

	write_set("d/train", 4, ".tfrecord", 0);
	edit("d/train-00001-of-00004.tfrecord", 20, 1);
	temp_write("d/.x.tmp", "", 0);
	temp_write("d/a.jpg", "\xff\xd8\xff\xe0", 4);
	d = examine("d", (struct tfr_doctor_opts){ .threads = 1 });
	expect_names(d, "damage temporary stranger no-manifest ");
	for (size_t i = 0; i < tfr_doctor_count(d); i++) {
		cr_assert_leq(tfr_doctor_finding(d, i)->level, last);
		last = tfr_doctor_finding(d, i)->level;
	}
	tfr_doctor_free(d);
}

/* A path that is named twice, or also as a part of a set, counts once. */
Test(findings, a_file_counts_once)
{
	const char *const paths[] = { "d", "./d/a.tfrecord", "d/a.tfrecord", "d/" };
	struct tfr_doctor_opts opts = { .paths = paths, .count = 4, .threads = 1 };
	struct tfr_doctor *d = NULL;

	write_file("d/a.tfrecord", 0, 10);
	cr_assert_eq(tfr_doctor_run(&d, &opts, NULL), TFR_OK);
	cr_assert_eq(tfr_doctor_sets(d), 1);
	cr_assert_eq(tfr_doctor_set(d, 0).records, 10);
	tfr_doctor_free(d);
}
