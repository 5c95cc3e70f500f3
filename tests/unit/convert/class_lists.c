/* Classes: from files of labels and manifests, from ImageNet's lists, and from the names in
 * annotations of several splits. */
#include "support/temp.h"

#include "convert/annotations/kinds.h"
#include "convert/input.h"

static char *dir;

static void set_up(void)
{
	dir = temp_enter();
}

static void tear_down(void)
{
	temp_leave(dir);
}

TestSuite(class_lists, .init = set_up, .fini = tear_down);

static void put(const char *path, const char *text)
{
	temp_write(path, text, strlen(text));
}

/* --- files of labels --- */

static void expect_map(const char *text, int64_t base, size_t n, const int64_t *labels,
	const char *const *names)
{
	struct tfr_label_map m;
	struct tfr_error err = { 0 };

	put("labels.txt", text);
	cr_assert_eq(tfr_label_map_read(&m, "labels.txt", base, &err), TFR_OK, "%s", err.message);
	cr_assert_eq(m.n, n, "%zu classes in %s", m.n, text);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(m.classes[i].label, labels[i]);
		cr_assert_str_eq(m.classes[i].text, names[i]);
		cr_assert_eq(tfr_label_map_find(&m, names[i]), i);
	}
	cr_assert_eq(tfr_label_map_find(&m, "no such class"), TFR_NO_CLASS);
	tfr_label_map_clear(&m);
}

Test(class_lists, lines_are_numbered_from_the_base)
{
	expect_map("dog\r\n\ncat\n", 0, 2, (int64_t[]){ 0, 1 }, (const char *[]){ "dog", "cat" });
	expect_map("dog\ncat", 1, 2, (int64_t[]){ 1, 2 }, (const char *[]){ "dog", "cat" });
	expect_map(" a b \n", -3, 1, (int64_t[]){ -3 }, (const char *[]){ " a b " });
	/* the first line has no label, so that the second one is a name */
	expect_map("dog\n5:cat\n", 0, 2, (int64_t[]){ 0, 1 }, (const char *[]){ "dog", "5:cat" });
	expect_map("5:\n", 0, 1, (int64_t[]){ 0 }, (const char *[]){ "5:" });
	expect_map("\xff\xfe\n", 0, 1, (int64_t[]){ 0 }, (const char *[]){ "\xff\xfe" });
}

Test(class_lists, labels_sort_the_classes)
{
	expect_map("7:dog\n-2:cat\n", 0, 2, (int64_t[]){ -2, 7 }, (const char *[]){ "cat", "dog" });
	expect_map("1:5:a\n", 0, 1, (int64_t[]){ 1 }, (const char *[]){ "5:a" });
	expect_map("9223372036854775807:a\n-9223372036854775808:b\n", 0, 2,
		(int64_t[]){ INT64_MIN, INT64_MAX }, (const char *[]){ "b", "a" });
}

Test(class_lists, malformed_labels_are_named)
{
	static const struct {
		const char *text;
		int64_t base;
		const char *message;
	} rows[] = {
		{ "", 0, "no labels in 'labels.txt'" },
		{ "\n\r\n", 0, "no labels in 'labels.txt'" },
		{ "1:a\nb\n", 0, "no LABEL:NAME in 'labels.txt', line 2" },
		{ "1:a\n\n2:\n", 0, "no LABEL:NAME in 'labels.txt', line 3" },
		{ "1:a\n9223372036854775808:b\n", 0, "no LABEL:NAME in 'labels.txt', line 2" },
		{ "1:a\n1:b\n", 0, "the label 1 is repeated in 'labels.txt'" },
		{ "1:a\n2:a\n", 0, "the name 'a' is repeated in 'labels.txt'" },
		{ "a\nb\na\n", 0, "the name 'a' is repeated in 'labels.txt'" },
		{ "1:a\n", 1,
			"--label-base has no effect: 'labels.txt' gives each name a label" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tfr_label_map m;
		struct tfr_error err = { 0 };

		put("labels.txt", rows[i].text);
		cr_assert(tfr_label_map_read(&m, "labels.txt", rows[i].base, &err));
		cr_assert_str_eq(err.message, rows[i].message, "row %zu: %s", i, err.message);
		tfr_label_map_clear(&m);
	}
	temp_write("nul", "a\0b\n", 4);
	struct tfr_label_map m;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_label_map_read(&m, "nul", 0, &err), TFR_EDATA);
	cr_assert(strstr(err.message, "NUL bytes"), "%s", err.message);
	tfr_label_map_clear(&m);
	cr_assert_eq(tfr_label_map_read(&m, "absent", 0, &err), TFR_ESYS);
	tfr_label_map_clear(&m);
}

/* --- ImageNet --- */

Test(class_lists, synsets)
{
	struct tfr_names s = { 0 };
	struct tfr_error err = { 0 };

	put("s.txt", "n02\tdog, hound\r\n\nn01 \t cat\nn03 a b\n");
	cr_assert_eq(tfr_synsets_read(&s, "s.txt", &err), TFR_OK, "%s", err.message);
	cr_assert_eq(s.n, 3);
	cr_assert_str_eq(tfr_synsets_find(&s, "n02"), "dog, hound");
	cr_assert_str_eq(tfr_synsets_find(&s, "n01"), "cat");
	cr_assert_str_eq(tfr_synsets_find(&s, "n03"), "a b");
	cr_assert_null(tfr_synsets_find(&s, "n0"));
	cr_assert_null(tfr_synsets_find(&s, "n04"));
	tfr_names_clear(&s);
}

Test(class_lists, malformed_synsets_are_named)
{
	static const char *const rows[][2] = {
		{ "", "no synsets in 's.txt'" },
		{ "n01\tcat\nn02\n", "not a class and its text in 's.txt', line 2" },
		{ "n01\t \n", "not a class and its text in 's.txt', line 1" },
		{ " cat\n", "not a class and its text in 's.txt', line 1" },
		{ "n01 cat\nn02 dog\nn01 bird\n", "the class 'n01' is repeated in 's.txt'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tfr_names s = { 0 };
		struct tfr_error err = { 0 };

		put("s.txt", rows[i][0]);
		cr_assert_eq(tfr_synsets_read(&s, "s.txt", &err), TFR_EDATA, "%s", rows[i][0]);
		cr_assert_str_eq(err.message, rows[i][1], "%s", err.message);
		tfr_names_clear(&s);
	}
}

Test(class_lists, a_class_per_line)
{
	struct tfr_names l = { 0 };
	struct tfr_error err = { 0 };

	put("l.txt", "n02\nn01\r\nn02\n\n\n");
	cr_assert_eq(tfr_class_list_read(&l, "l.txt", &err), TFR_OK, "%s", err.message);
	cr_assert_eq(l.n, 3);
	cr_assert_str_eq(l.list[0], "n02");
	cr_assert_str_eq(l.list[1], "n01");
	cr_assert_str_eq(l.list[2], "n02");
	tfr_names_clear(&l);
	put("l.txt", "n02\n\nn01\n");
	cr_assert_eq(tfr_class_list_read(&l, "l.txt", &err), TFR_EDATA);
	cr_assert_str_eq(err.message, "no class in 'l.txt', line 2", "%s", err.message);
	tfr_names_clear(&l);
}

/* --- objects --- */

static uint32_t name(struct tfr_table *t, const char *text)
{
	uint32_t class;

	cr_assert_eq(tfr_table_class(t, text, strlen(text), &class, NULL), TFR_OK);
	return class;
}

Test(class_lists, names_are_numbered_in_their_order)
{
	static const char *const sorted[] = { "bird", "cat", "dog" };
	struct tfr_convert_opts opts = { .classes.base = 1 };
	struct tfr_table t = { .opts = &opts, .by_name = true };
	uint32_t dog = name(&t, "dog"), bird = name(&t, "bird"), cat;

	cr_assert_eq(name(&t, "dog"), dog);
	cat = name(&t, "cat");
	cr_assert_eq(name(&t, "bird"), bird);
	cr_assert_eq(tfr_table_finish(&t, NULL), TFR_OK);
	cr_assert_eq(t.n_sorted, 3);
	for (int i = 0; i < 3; i++) {
		cr_assert_str_eq(t.sorted[i].text, sorted[i]);
		cr_assert_eq(t.sorted[i].label, i + 1);
	}
	cr_assert(t.classes[dog].label == 3 && t.classes[bird].label == 1 &&
		  t.classes[cat].label == 2);
	tfr_table_clear(&t);
}

Test(class_lists, labels_replace_the_names)
{
	struct tfr_convert_opts opts = { .classes.labels = "labels.txt" };
	struct tfr_table t = { .opts = &opts, .by_name = true };
	uint32_t dog = name(&t, "dog"), bird = name(&t, "bird");

	put("labels.txt", "90:dog\n3:cat\n");
	cr_assert_eq(tfr_table_finish(&t, NULL), TFR_OK);
	cr_assert_eq(t.map.n, 2);
	cr_assert(t.classes[dog].numbered && t.classes[dog].label == 90);
	cr_assert_not(t.classes[bird].numbered);
	tfr_table_clear(&t);
}
