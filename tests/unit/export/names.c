/* Names out of records: safe, and each given once. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "export/form.h"

static void expect_clean(const char *bytes, size_t size, const char *expected)
{
	TFR_AUTO_BUF b = { 0 };

	cr_assert(tfr_unique_names_clean(&b, bytes, size) && tfr_buf_append(&b, "", 1));
	cr_assert_str_eq((char *)b.data, expected);
}

Test(names, stay_below_the_folder)
{
	expect_clean("a/b.png", 7, "a/b.png");
	expect_clean("/a//./b/", 8, "a/b");
	expect_clean("../..//...", 10, "_/_/...");
	expect_clean("a\0b\nc\x7f", 6, "a_b_c_");
	expect_clean("\xff.png", 5, "\xff.png");
	expect_clean("", 0, "");
	expect_clean("./", 2, "");
}

Test(names, of_bounded_length)
{
	TFR_AUTO_BUF b = { 0 };
	char name[8192];

	memset(name, 'x', sizeof(name));
	memcpy(name + sizeof(name) - 5, ".jpeg", 5);
	cr_assert(tfr_unique_names_clean(&b, name, sizeof(name)));
	cr_assert_eq(b.size, 200);
	cr_assert(!memcmp(b.data + 195, ".jpeg", 5));
	b.size = 0;
	for (size_t i = 100; i < sizeof(name); i += 150)
		name[i] = '/';
	cr_assert(tfr_unique_names_clean(&b, name, sizeof(name)));
	cr_assert_lt(b.size, 4096);
}

static char folders[4096];

static enum tfr_status note(void *ctx, const char *path, struct tfr_error *err)
{
	(void)ctx;
	(void)err;
	strcat(folders, path);
	strcat(folders, " ");
	return TFR_OK;
}

static void expect_taken(struct unique_names *names, const char *path, const char *expected)
{
	TFR_AUTO_BUF b = { 0 };

	cr_assert(tfr_buf_append(&b, path, strlen(path) + 1));
	cr_assert_eq(tfr_unique_names_take(names, &b, note, NULL, NULL), TFR_OK);
	cr_assert_str_eq((char *)b.data, expected);
}

Test(names, each_once)
{
	struct unique_names names = { 0 };

	folders[0] = '\0';
	expect_taken(&names, "a.png", "a.png");
	expect_taken(&names, "a.png", "a-2.png");
	expect_taken(&names, "a-3.png", "a-3.png");
	expect_taken(&names, "a.png", "a-4.png");
	expect_taken(&names, "d.x/e/1", "d.x/e/1");
	expect_taken(&names, "d.x/e/1", "d.x/e/1-2");
	expect_taken(&names, "d.x/e", "d.x/e-2");
	expect_taken(&names, "d.x", "d-2.x");
	/* A folder where a file is: the same other one for all that is in it. */
	expect_taken(&names, "a.png/1", "a.png-2/1");
	expect_taken(&names, "a.png/2", "a.png-2/2");
	expect_taken(&names, "a.png-2", "a-2.png-2");
	expect_taken(&names, ".h", ".h");
	expect_taken(&names, ".h", ".h-2");
	cr_assert_str_eq(folders, "d.x d.x/e a.png-2 ");
	tfr_unique_names_clear(&names);
}

/* Many of one name are numbered in a time that does not grow with their square. */
Test(names, very_many_of_one_name, .timeout = 60)
{
	struct unique_names names = { 0 };
	TFR_AUTO_BUF b = { 0 };

	for (int i = 0; i < 300000; i++) {
		b.size = 0;
		cr_assert(tfr_buf_append(&b, "image.jpg", 10));
		cr_assert_eq(tfr_unique_names_take(&names, &b, note, NULL, NULL), TFR_OK);
	}
	cr_assert_str_eq((char *)b.data, "image-300000.jpg");
	tfr_unique_names_clear(&names);
}
