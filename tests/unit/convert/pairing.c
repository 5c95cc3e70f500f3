/* Pairs of images and masks: by their names without the extension, or by their first bytes. */
#include <errno.h>

#include "support/temp.h"

#include "convert/folder/stem_match.h"

static char *dir;
static struct tfr_scan scans[2];
static struct tfr_pairs pairs;

static void set_up(void)
{
	dir = temp_enter();
	mkdir("i", 0755);
	mkdir("i/deep", 0755);
	mkdir("m", 0755);
	mkdir("m/deep", 0755);
}

static void tear_down(void)
{
	tfr_pairs_clear(&pairs);
	tfr_scan_clear(&scans[0]);
	tfr_scan_clear(&scans[1]);
	temp_leave(dir);
}

TestSuite(pairing, .init = set_up, .fini = tear_down);

static void put_jpeg(const char *path)
{
	temp_write(path, "\xff\xd8\xff\xe0\0\020JFIF", 10);
}

static void put_text(const char *path)
{
	temp_write(path, "text", 4);
}

static void match(void)
{
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_scan_folder(&scans[0], "i", NULL, &err), TFR_OK);
	cr_assert_eq(tfr_scan_folder(&scans[1], "m", NULL, &err), TFR_OK);
	cr_assert_eq(tfr_pairs_match(&pairs, &scans[0], &scans[1], &err), TFR_OK);
}

/* Row `i`: the paths, "" for none, and why it is not a pair. */
static void expect(size_t i, const char *image, const char *mask, const char *why)
{
	const struct tfr_stem_pair *p = &pairs.list[i];
	const uint32_t items[2] = { p->image, p->mask };
	const char *const wanted[2] = { image, mask };

	cr_assert_lt(i, pairs.n);
	for (int side = 0; side < 2; side++) {
		TFR_AUTO_BUF path = { 0 };

		cr_assert_eq(items[side] == TFR_NO_PARTNER, !*wanted[side], "row %zu", i);
		if (!*wanted[side])
			continue;
		cr_assert(tfr_scan_path(
			&scans[side], &scans[side].items[items[side]], &path));
		cr_assert_str_eq((const char *)path.data, wanted[side], "row %zu", i);
	}
	if (why)
		cr_assert(p->why && !strcmp(p->why, why), "row %zu: %s", i, p->why ?: "a pair");
	else
		cr_assert_null(p->why, "row %zu: %s", i, p->why);
}

Test(pairing, equal_names_in_equal_folders)
{
	put_jpeg("i/a.jpg");
	put_jpeg("m/a.png");
	put_jpeg("i/deep/a.jpg");
	put_jpeg("m/deep/a.jpg");
	put_jpeg("i/no extension");
	put_jpeg("m/no extension.png");
	put_jpeg("i/v1.2.jpg");
	put_jpeg("m/v1.2.png");
	match();
	cr_assert_eq(pairs.n, 4);
	expect(0, "a.jpg", "a.png", NULL);
	expect(1, "deep/a.jpg", "deep/a.jpg", NULL);
	expect(2, "no extension", "no extension.png", NULL);
	expect(3, "v1.2.jpg", "v1.2.png", NULL);
}

Test(pairing, files_without_a_partner)
{
	put_jpeg("i/b.jpg");
	put_jpeg("i/deep/c.jpg");
	put_jpeg("m/c.png");
	put_jpeg("m/A.png");
	put_jpeg("i/a.jpg");
	match();
	cr_assert_eq(pairs.n, 5);
	/* images first, in their order, then the masks */
	expect(0, "a.jpg", "", "no mask has its name");
	expect(1, "b.jpg", "", "no mask has its name");
	expect(2, "deep/c.jpg", "", "no mask has its name");
	expect(3, "", "A.png", "no image has its name");
	expect(4, "", "c.png", "no image has its name");
}

Test(pairing, first_bytes_decide_among_equal_names)
{
	put_jpeg("i/a.jpg");
	put_text("i/a.txt");
	put_text("m/a.json");
	put_jpeg("m/a.png");
	match();
	cr_assert_eq(pairs.n, 3);
	expect(0, "a.jpg", "a.png", NULL);
	expect(1, "a.txt", "", "not an image");
	expect(2, "", "a.json", "not an image");
}

Test(pairing, ambiguous_names_are_no_pair)
{
	put_jpeg("i/a.jpg");
	put_jpeg("i/a.png");
	put_jpeg("m/a.png");
	put_jpeg("i/b.jpg");
	put_jpeg("m/b.jpg");
	put_jpeg("m/b.png");
	match();
	cr_assert_eq(pairs.n, 6);
	expect(0, "a.jpg", "", "several images have its name");
	expect(1, "a.png", "", "several images have its name");
	expect(2, "b.jpg", "", "several masks have its name");
	expect(3, "", "a.png", "several images have its name");
	expect(4, "", "b.jpg", "several masks have its name");
	expect(5, "", "b.png", "several masks have its name");
}

Test(pairing, without_any_image_both_have_no_partner)
{
	put_text("i/a.txt");
	put_text("i/a.json");
	put_jpeg("m/a.png");
	match();
	cr_assert_eq(pairs.n, 3);
	expect(0, "a.json", "", "not an image");
	expect(1, "a.txt", "", "not an image");
	expect(2, "", "a.png", "no image has its name");
}

Test(pairing, empty_folders)
{
	match();
	cr_assert_eq(pairs.n, 0);
}

Test(pairing, a_link_to_nothing_is_a_file_like_others)
{
	cr_assert_eq(symlink("nowhere", "i/a.jpg"), 0);
	put_jpeg("m/a.png");
	match();
	cr_assert_eq(pairs.n, 1);
	expect(0, "a.jpg", "a.png", NULL);
	cr_assert_eq(scans[0].items[0].fault, ENOENT);
}
