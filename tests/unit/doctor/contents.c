/* What the doctor finds in the contents of records: copies within a set and between sets, classes
 * and their order, features that vary, and numbers and sizes of files.  Each threshold is tested on
 * both sides. */
#include <tfr-private/doctor.h>

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

TestSuite(contents, .init = setup, .fini = teardown, .timeout = 120);

/* --- helpers --- */

static struct tfr_doctor *examine(const char *path, struct tfr_doctor_opts opts)
{
	struct tfr_doctor *d = NULL;
	struct tfr_error err = { 0 };

	opts.paths = &path;
	opts.count = 1;
	opts.threads = 2;
	cr_assert_eq(tfr_doctor_run(&d, &opts, &err), TFR_OK, "%s", err.message);
	return d;
}

/* The findings, except the note that a set has no manifest. */
static void names_of(const struct tfr_doctor *d, char names[1000])
{
	names[0] = '\0';
	for (size_t i = 0; i < tfr_doctor_count(d); i++)
		if (strcmp(tfr_doctor_finding(d, i)->name, "no-manifest") != 0)
			strcat(strcat(names, tfr_doctor_finding(d, i)->name), " ");
}

static void expect_with(struct tfr_doctor_opts opts, const char *expected)
{
	struct tfr_doctor *d = examine("d", opts);
	char names[1000];

	names_of(d, names);
	cr_assert_str_eq(names, expected);
	tfr_doctor_free(d);
}

static void expect(const char *expected)
{
	expect_with((struct tfr_doctor_opts){ 0 }, expected);
}

static const struct tfr_doctor_finding *first(const struct tfr_doctor *d)
{
	cr_assert_gt(tfr_doctor_count(d), 0);
	return tfr_doctor_finding(d, 0);
}

static void put_text(struct examples *x, int id)
{
	char text[48];

	snprintf(text, sizeof(text), "the text of record %d", id);
	examples_text(x, "x", text);
}

/* Records first .. first + n - 1. */
static void write_range(const char *path, int begin, int n)
{
	struct examples x = examples_open(path);

	for (int i = 0; i < n; i++) {
		put_text(&x, begin + i);
		examples_end(&x);
	}
	examples_close(&x);
}

/* --- copies --- */

Test(contents, records_that_are_doubled)
{
	struct examples x = examples_open("d/a.tfrecord");
	struct tfr_doctor *d;

	for (int i = 0; i < 30; i++) {
		put_text(&x, i < 27 ? i : i - 27); /* 0, 1 and 2 twice */
		examples_end(&x);
	}
	for (int i = 0; i < 5; i++) /* records without a feature are equal by nature */
		examples_end(&x);
	examples_close(&x);
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_eq(tfr_doctor_count(d), 1);
	cr_assert_str_eq(first(d)->name, "duplicates");
	cr_assert(strstr(first(d)->text, "3 records") && strstr(first(d)->text, "35"), "%s",
		first(d)->text);
	cr_assert_str_eq(first(d)->command, "tfr dedup -o d/a-unique.tfrecord d/a.tfrecord");
	tfr_doctor_free(d);
}

/* Copies in two files of a set are found too. */
Test(contents, records_that_are_doubled_in_two_shards)
{
	write_range("d/a-00000-of-00002", 0, 20);
	write_range("d/a-00001-of-00002", 19, 20);
	expect("duplicates ");
}

Test(contents, small_records_in_two_sets)
{
	static const struct {
		const char *a, *b;
		int size, shared;
		const char *expected;
	} cases[] = {
		/* Sets of unknown purpose: at least ten, and a twentieth or nine tenths. */
		{ "a", "b", 100, 9, "" },
		{ "a", "b", 100, 10, "overlap " },
		{ "a", "b", 200, 10, "overlap " },
		{ "a", "b", 220, 10, "" },
		{ "a", "b", 100, 89, "overlap " },
		{ "a", "b", 100, 90, "copies " },
		{ "a", "b", 8, 8, "" },
		/* Splits: a twentieth. */
		{ "train", "test", 100, 4, "" },
		{ "train", "test", 100, 5, "leak " },
		{ "train", "test", 20, 1, "leak " },
		{ "train", "test", 300, 10, "overlap " },
		{ "x_train", "y-val2017", 100, 5, "leak " },
		{ "training", "eval", 100, 5, "leak " },
		/* Two sets of one role are not splits, and words are complete. */
		{ "train-a", "train-b", 100, 5, "" },
		{ "valid", "validation", 100, 5, "" },
		{ "trained", "testers", 100, 5, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char a[64], b[64], names[1000];
		struct tfr_doctor *d;

		snprintf(a, sizeof(a), "d/%s.tfrecord", cases[i].a);
		snprintf(b, sizeof(b), "d/%s.tfrecord", cases[i].b);
		write_range(a, 0, cases[i].size);
		write_range(b, cases[i].size - cases[i].shared, cases[i].size);
		d = examine("d", (struct tfr_doctor_opts){ 0 });
		names_of(d, names);
		cr_assert_str_eq(names, cases[i].expected, "%s, %s, %d of %d: %s", cases[i].a,
			cases[i].b, cases[i].shared, cases[i].size, names);
		if (*names) {
			const char *x = cases[i].a, *y = cases[i].b;
			char command[200];

			snprintf(command, sizeof(command),
				"tfr diff --overlap d/%s.tfrecord d/%s.tfrecord",
				strcmp(x, y) < 0 ? x : y, strcmp(x, y) < 0 ? y : x);
			cr_assert_str_eq(first(d)->command, command);
			cr_assert_not(first(d)->fixes, "no program knows which set is right");
		}
		tfr_doctor_free(d);
		unlink(a);
		unlink(b);
	}
}

static void write_images(const char *path, int begin, int n, size_t size)
{
	struct examples x = examples_open(path);
	static char image[4000];

	for (int i = 0; i < n; i++) {
		memset(image, begin + i, sizeof(image));
		examples_bytes(&x, "image/encoded", image, size);
		examples_text(&x, "image/filename", path); /* the records differ */
		examples_end(&x);
	}
	examples_close(&x);
}

/* One image is enough between splits, under whatever name; a small value is equal by chance. */
Test(contents, an_image_in_two_splits)
{
	write_images("d/train.tfrecord", 0, 100, 3000);
	write_images("d/test.tfrecord", 99, 100, 3000);
	expect("leak ");
	write_images("d/test.tfrecord", 100, 100, 3000);
	expect("");
	write_images("d/train.tfrecord", 0, 100, 127);
	write_images("d/test.tfrecord", 99, 100, 127);
	expect("");
}

/* --- classes --- */

/* Classes in the order given by `next`. */
static void write_classes(const char *path, const char *label, int n, int (*next)(int i))
{
	struct examples x = examples_open(path);

	for (int i = 0; i < n; i++) {
		put_text(&x, i + path[2] * 100000);
		if (next(i) >= 0)
			examples_int64(&x, label, next(i));
		examples_end(&x);
	}
	examples_close(&x);
}

static int always_five(int i)
{
	(void)i;
	return 5;
}

static int one_in_ten(int i)
{
	return i % 11 == 0;
}

static int one_in_nine(int i)
{
	return i % 10 == 0;
}

static int by_thirds(int i)
{
	return i / 3000;
}

static int in_turn(int i)
{
	return i % 3;
}

static int all_different(int i)
{
	return i;
}

static int with_gaps(int i)
{
	return i % 10 == 7 ? -1 : i % 3;
}

Test(contents, a_label_with_one_value)
{
	write_classes("d/a.tfrecord", "label", 15, always_five);
	expect("");
	write_classes("d/a.tfrecord", "label", 16, always_five);
	expect("one-class ");
	write_classes("d/a.tfrecord", "height", 16, always_five);
	expect("");
	expect_with((struct tfr_doctor_opts){ .label = "height" }, "one-class ");
}

Test(contents, classes_of_very_different_sizes)
{
	struct tfr_doctor *d;

	write_classes("d/a.tfrecord", "label", 1000, one_in_nine);
	expect("");
	write_classes("d/a.tfrecord", "label", 1100, one_in_ten);
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_eq(tfr_doctor_count(d), 1);
	cr_assert_str_eq(first(d)->name, "skew");
	cr_assert(strstr(first(d)->text, "1000 of 1100") && strstr(first(d)->text, "100,"), "%s",
		first(d)->text);
	cr_assert_str_eq(first(d)->command, "tfr count --by label d/a.tfrecord");
	tfr_doctor_free(d);
}

Test(contents, classes_in_their_order)
{
	struct tfr_doctor *d;

	write_classes("d/a.tfrecord", "label", 9000, in_turn);
	expect("");
	write_classes("d/a.tfrecord", "label", 9000, by_thirds);
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_str_eq(first(d)->name, "order");
	cr_assert_not_null(strstr(first(d)->text, "3000"), "%s", first(d)->text);
	cr_assert_str_eq(first(d)->command, "tfr shuffle-to-disk -f -o d/a.tfrecord d/a.tfrecord");
	cr_assert(first(d)->fixes);
	tfr_doctor_free(d);
	/* Values that are nearly all different are no classes. */
	write_classes("d/a.tfrecord", "label", 9000, all_different);
	expect("");
}

Test(contents, records_without_a_label)
{
	struct tfr_doctor *d;

	write_classes("d/a.tfrecord", "label", 100, with_gaps);
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_eq(tfr_doctor_count(d), 1);
	cr_assert_str_eq(first(d)->name, "unlabelled");
	cr_assert(strstr(first(d)->text, "10 records") && strstr(first(d)->text, "of 100"), "%s",
		first(d)->text);
	cr_assert_str_eq(first(d)->command, "tfr count --where 'len(label) == 0' d/a.tfrecord");
	tfr_doctor_free(d);
	expect_with((struct tfr_doctor_opts){ .label = "lable" }, "no-label ");
	/* An image without objects has no classes of objects. */
	write_classes("d/a.tfrecord", "image/object/class/label", 100, with_gaps);
	expect_with((struct tfr_doctor_opts){ .label = "image/object/class/label" }, "");
}

Test(contents, numbers_of_classes_of_a_set)
{
	struct tfr_doctor *d;

	write_classes("d/a.tfrecord", "image/class/label", 90, in_turn);
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_str_eq(tfr_doctor_set(d, 0).label, "image/class/label");
	cr_assert_eq(tfr_doctor_set(d, 0).classes, 3);
	tfr_doctor_free(d);
	write_range("d/a.tfrecord", 0, 90);
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_null(tfr_doctor_set(d, 0).label);
	tfr_doctor_free(d);
}

Test(contents, one_class_with_two_numbers)
{
	static const char ab[] = "0:a\n1:b\n2:c\n", ba[] = "0:b\n1:a\n2:c\n";

	write_range("d/a.tfrecord", 0, 20);
	write_range("d/b.tfrecord", 20, 20);
	temp_write("d/a.file-tfrecord.labels.txt", ab, strlen(ab));
	temp_write("d/b.file-tfrecord.labels.txt", ab, strlen(ab));
	expect("");
	temp_write("d/b.file-tfrecord.labels.txt", ba, strlen(ba));
	expect("class-numbers ");
}

/* Without a map in a file, the records tell the numbers. */
Test(contents, one_class_with_two_numbers_in_records)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		for (int k = 0; k < 2; k++) {
			struct examples x = examples_open(k ? "d/b.tfrecord" : "d/a.tfrecord");

			for (int i = 0; i < 20; i++) {
				put_text(&x, 100 * k + i);
				examples_int64(&x, "image/class/label", i % 2);
				examples_text(&x, "image/class/text",
					(i + (k && swapped)) % 2 ? "cat" : "dog");
				examples_end(&x);
			}
			examples_close(&x);
		}
		expect(swapped ? "class-numbers " : "");
	}
}

/* --- features --- */

Test(contents, a_feature_of_two_kinds)
{
	struct examples x = examples_open("d/a.tfrecord");
	struct tfr_doctor *d;

	for (int i = 0; i < 20; i++) {
		put_text(&x, i);
		if (i == 13)
			examples_float(&x, "v", 1.5f);
		else
			examples_int64(&x, "v", i);
		examples_end(&x);
	}
	examples_close(&x);
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_eq(tfr_doctor_count(d), 1);
	cr_assert_str_eq(first(d)->name, "two-kinds");
	cr_assert(strstr(first(d)->text, "'v'") && strstr(first(d)->text, "record 13") &&
			  strstr(first(d)->text, "record 0"),
		"%s", first(d)->text);
	tfr_doctor_free(d);
}

static void write_shards_with(const char *feature, int in, int values)
{
	for (int k = 0; k < 4; k++) {
		struct examples x;
		char path[64];
		const int64_t more[3] = { 1, 2, 3 };

		snprintf(path, sizeof(path), "d/s-%05d-of-00004", k);
		x = examples_open(path);
		for (int i = 0; i < 20; i++) {
			put_text(&x, 100 * k + i);
			if (k < in)
				cr_assert_eq(tfr_builder_int64s(x.b, feature, more,
						     k ? 1 : (size_t)values, NULL),
					TFR_OK);
			examples_end(&x);
		}
		examples_close(&x);
	}
}

Test(contents, a_file_that_differs_from_the_others)
{
	struct tfr_doctor *d;

	write_shards_with("v", 4, 1);
	expect("");
	write_shards_with("v", 3, 1); /* absent from the last file */
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_str_eq(first(d)->name, "drift");
	cr_assert(strstr(first(d)->text, "'v'") && strstr(first(d)->text, "d/s-00003-of-00004"),
		"%s", first(d)->text);
	tfr_doctor_free(d);
	write_shards_with("v", 4, 3); /* three values in the first file */
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_str_eq(first(d)->name, "drift");
	cr_assert_not_null(strstr(first(d)->text, "d/s-00000-of-00004"), "%s", first(d)->text);
	tfr_doctor_free(d);
	/* All images of a file may be without objects. */
	write_shards_with("image/object/id", 3, 1);
	expect("");
}

/* --- numbers and sizes of files --- */

static void empty_folder(void)
{
	nftw("d", temp_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	cr_assert_eq(mkdir("d", 0777), 0);
}

static void write_shards(int n)
{
	char path[64];

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "d/s-%05d-of-%05d", i, n);
		write_range(path, 10 * i, 10);
	}
}

Test(contents, many_small_files)
{
	struct tfr_doctor *d;

	write_shards(15);
	expect("");
	empty_folder();
	write_shards(16);
	d = examine("d", (struct tfr_doctor_opts){ 0 });
	cr_assert_eq(tfr_doctor_count(d), 2); /* after the note that there is no manifest */
	cr_assert_str_eq(tfr_doctor_finding(d, 1)->name, "tiny");
	cr_assert_str_eq(tfr_doctor_finding(d, 1)->command, "tfr cat -o d/s-dealt@1 d/s@16");
	tfr_doctor_free(d);
}

static void write_bytes(const char *path, size_t size)
{
	struct examples x = examples_open(path);
	char *bytes = malloc(size);

	memset(bytes, path[strlen(path) - 10], size);
	examples_bytes(&x, "v", bytes, size);
	examples_end(&x);
	examples_close(&x);
	free(bytes);
}

/* Twice as large, and by a MiB. */
Test(contents, files_of_very_different_sizes)
{
	write_bytes("d/s-00000-of-00002", 2000000);
	write_bytes("d/s-00001-of-00002", 4100000);
	expect("uneven ");
	write_bytes("d/s-00001-of-00002", 3900000);
	expect("");
	write_bytes("d/s-00000-of-00002", 200000);
	write_bytes("d/s-00001-of-00002", 1200000);
	expect("");
}

/* A sample finds the same sets and says that it was one; `full` reads everything. */
Test(contents, a_sample_says_so)
{
	struct tfr_doctor *d;

	write_classes("d/a.tfrecord", "label", 9000, in_turn);
	d = examine("d", (struct tfr_doctor_opts){ .sample = 100 << 10 });
	cr_assert_str_eq(first(d)->name, "sampled");
	cr_assert_str_eq(first(d)->command, "tfr doctor --full d/a.tfrecord");
	cr_assert_not(tfr_doctor_set(d, 0).complete);
	cr_assert_lt(tfr_doctor_set(d, 0).records, 9000);
	tfr_doctor_free(d);
	d = examine("d", (struct tfr_doctor_opts){ .sample = 100 << 10, .full = true });
	cr_assert_eq(tfr_doctor_count(d), 0);
	cr_assert(tfr_doctor_set(d, 0).complete);
	cr_assert_eq(tfr_doctor_set(d, 0).records, 9000);
	tfr_doctor_free(d);
}
