/* Samples of a tar archive, read back by a reader of USTAR and pax of its own: names, contents,
 * checksums of headers, and the padding of the end. */
#include "unit/export/export_run.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(archive, .init = setup, .fini = teardown);

struct member {
	char name[1200];
	const char *data;
	size_t size;
};

struct members {
	char *bytes;
	struct member list[32];
	size_t n;
};

static uint64_t octal(const char *field, size_t size)
{
	char text[16] = "";

	memcpy(text, field, size);
	return strtoull(text, NULL, 8);
}

/* The sum of all bytes of a header, with blanks in place of the sum itself. */
static unsigned sum_of(const char *h)
{
	unsigned sum = 0;

	for (size_t i = 0; i < 512; i++)
		sum += i >= 148 && i < 156 ? ' ' : (uint8_t)h[i];
	return sum;
}

static struct members read_tar(const char *path)
{
	struct members all = { 0 };
	char pax[1200] = "";
	size_t size, at = 0;

	all.bytes = examples_slurp(path, &size);
	cr_assert_eq(size % 10240, 0, "%zu", size);
	for (; all.bytes[at];) {
		const char *h = all.bytes + at;
		size_t n = octal(h + 124, 12);

		cr_assert_eq(memcmp(h + 257,
				     "ustar\0"
				     "00",
				     8),
			0);
		cr_assert_eq(octal(h + 148, 7), sum_of(h));
		cr_assert_eq(octal(h + 136, 12), 0, "the same records give the same bytes");
		for (size_t i = at + 512 + n; i % 512; i++)
			cr_assert_eq(all.bytes[i], 0);
		if (h[156] == 'x') {
			const char *path_of = strstr(h + 512, " path=");

			cr_assert_eq(strtoull(h + 512, NULL, 10), n, "the length counts itself");
			cr_assert_eq(h[512 + n - 1], '\n');
			snprintf(pax, sizeof(pax), "%.*s", (int)(h + 512 + n - 1 - (path_of + 6)),
				path_of + 6);
		} else {
			struct member *m = &all.list[all.n++];

			cr_assert_eq(h[156], '0');
			cr_assert_eq(octal(h + 100, 8), 0444);
			snprintf(m->name, sizeof(m->name), "%.*s",
				*pax ? (int)sizeof(m->name) : 100, *pax ? pax : h);
			m->data = h + 512;
			m->size = n;
			pax[0] = '\0';
		}
		at += 512 + (n + 511) / 512 * 512;
	}
	cr_assert_leq(at + 1024, size, "two blocks of zeros end it");
	for (size_t i = at; i < size; i++)
		cr_assert_eq(all.bytes[i], 0);
	return all;
}

static struct members archive(bool skip_damaged)
{
	struct tfr_export_opts o = { .target = "o.tar", .force = true, .threads = 2 };
	struct exported e = export_of("in", o, skip_damaged);
	struct members all;
	struct stat st;

	cr_assert_eq(e.status, TFR_OK, "%s", e.err.message);
	all = read_tar("o.tar");
	cr_assert_eq(stat("o.tar", &st), 0);
	cr_assert_eq(e.report.output_bytes, (uint64_t)st.st_size);
	return all;
}

static void expect_member(
	const struct members *all, size_t i, const char *name, const void *data, size_t size)
{
	cr_assert_lt(i, all->n);
	cr_assert_str_eq(all->list[i].name, name);
	cr_assert_eq(all->list[i].size, size, "%s: %zu", name, all->list[i].size);
	cr_assert_eq(memcmp(all->list[i].data, data, size), 0, "%s", name);
}

static const char jpeg[] = "\xff\xd8\xff\xe0 not decoded";
static const char png[] = "\x89PNG\r\n\x1a\n not decoded";

Test(archive, a_sample_is_its_image_its_class_and_its_texts)
{
	struct examples x = examples_open("in");
	struct members all;

	examples_bytes(&x, "image/encoded", png, sizeof(png));
	examples_text(&x, "image/filename", "cats/1.b.png");
	examples_text(&x, "image/format", "png");
	examples_int64(&x, "image/height", 5);
	examples_int64(&x, "image/class/label", -7);
	examples_text(&x, "image/class/text", "cats");
	examples_text(&x, "note", "words");
	examples_end(&x);
	examples_close(&x);
	all = archive(false);
	cr_assert_eq(all.n, 3, "%zu", all.n);
	expect_member(&all, 0, "cats/1.cls", "-7", 2);
	expect_member(&all, 1, "cats/1.note", "words", 5);
	expect_member(&all, 2, "cats/1.png", png, sizeof(png));
	free(all.bytes);
}

/* What one file of a sample cannot hold is in features.json. */
Test(archive, other_features_are_json)
{
	static const char json[] =
		"{\"Upper\": [\"u\"], \"a/b\": [\"slash\"], \"cls\": [\"c\"], \"n\": [1, 2]}";
	const int64_t numbers[] = { 1, 2 };
	struct examples x = examples_open("in");
	struct members all;

	cr_assert_eq(tfr_builder_int64s(x.b, "n", numbers, 2, NULL), TFR_OK);
	examples_text(&x, "Upper", "u");
	examples_text(&x, "a/b", "slash");
	examples_text(&x, "cls", "c");
	examples_bytes(&x, "raw", "\xff\0", 2);
	examples_end(&x);
	examples_close(&x);
	all = archive(false);
	cr_assert_eq(all.n, 2);
	expect_member(&all, 0, "00000000.features.json", json, strlen(json));
	expect_member(&all, 1, "00000000.raw", "\xff\0", 2);
	free(all.bytes);
}

Test(archive, keys_come_from_the_record)
{
	static const struct {
		const char *key, *filename, *is;
	} cases[] = {
		{ "k", "f.jpg", "k.t" },
		{ NULL, "f.tar.gz", "f.t" },
		{ NULL, "d.e/f.jpg", "d.e/f.t" },
		{ "a.b", NULL, "a_b.t" },
		{ "x/.b", NULL, "x/_b.t" },
		{ NULL, ".hidden.jpg", "_hidden.t" },
		{ NULL, "../../up", "_/_/up.t" },
		{ NULL, NULL, "00000007.t" },
		{ NULL, "/", "00000008.t" },
		/* In use: they are numbered in the order of the records. */
		{ "k", NULL, "k-2.t" },
		{ NULL, "k.png", "k-3.t" },
	};
	enum { N = sizeof(cases) / sizeof(*cases) };
	struct examples x = examples_open("in");
	struct members all;
	size_t member = 0;

	for (size_t i = 0; i < N; i++) {
		if (cases[i].key)
			examples_text(&x, "image/key", cases[i].key);
		if (cases[i].filename)
			examples_text(&x, "image/filename", cases[i].filename);
		examples_text(&x, "t", "t");
		examples_end(&x);
	}
	examples_close(&x);
	all = archive(false);
	for (size_t i = 0; i < N; i++) {
		/* Without an image, the name of its file is a feature like any other:
		 * features.json. */
		member += cases[i].filename != NULL;
		expect_member(&all, member++, cases[i].is, "t", 1);
	}
	cr_assert_eq(all.n, member);
	free(all.bytes);
}

Test(archive, names_that_a_header_cannot_hold_are_in_a_pax_header)
{
	char key[121], name[128];
	struct examples x = examples_open("in");
	struct members all;

	memset(key, 'k', sizeof(key));
	for (size_t n = 96; n <= 120; n++) {
		key[n] = '\0';
		examples_text(&x, "image/key", key);
		examples_text(&x, "t", "t");
		examples_end(&x);
		key[n] = 'k';
	}
	examples_text(&x, "image/key", "\xc3\xbc");
	examples_text(&x, "t", "t");
	examples_end(&x);
	examples_close(&x);
	all = archive(false);
	cr_assert_eq(all.n, 26);
	for (size_t i = 0; i < 25; i++) {
		key[96 + i] = '\0';
		snprintf(name, sizeof(name), "%s.t", key);
		key[96 + i] = 'k';
		expect_member(&all, i, name, "t", 1);
	}
	expect_member(&all, 25, "\xc3\xbc.t", "t", 1);
	free(all.bytes);
}

/* The extension follows the file name, otherwise the first bytes, otherwise image/format. */
Test(archive, extensions_of_images)
{
	static const struct {
		const char *image, *filename, *format, *is;
	} cases[] = {
		{ jpeg, NULL, NULL, "00000000.jpg" },
		{ png, NULL, NULL, "00000001.png" },
		{ jpeg, "a.JPEG", NULL, "a.jpeg" },
		{ png, "b.jpg", NULL, "b.jpg" },
		{ jpeg, "c.webp", NULL, "c.jpg" },
		{ "unknown", NULL, "jpeg", "00000005.jpg" },
		{ "unknown", NULL, "tiff", "00000006.img" },
		{ "unknown", NULL, NULL, "00000007.img" },
	};
	enum { N = sizeof(cases) / sizeof(*cases) };
	struct examples x = examples_open("in");
	struct members all;

	for (size_t i = 0; i < N; i++) {
		examples_text(&x, "image/encoded", cases[i].image);
		if (cases[i].filename)
			examples_text(&x, "image/filename", cases[i].filename);
		if (cases[i].format)
			examples_text(&x, "image/format", cases[i].format);
		examples_end(&x);
	}
	examples_close(&x);
	all = archive(false);
	cr_assert_eq(all.n, N);
	for (size_t i = 0; i < N; i++)
		expect_member(&all, i, cases[i].is, cases[i].image, strlen(cases[i].image));
	free(all.bytes);
}

/* Sizes around a block of 512 bytes, and an empty value. */
Test(archive, values_of_every_size)
{
	static const size_t sizes[] = { 0, 1, 511, 512, 513, 1024, 100000 };
	enum { N = sizeof(sizes) / sizeof(*sizes) };
	static char value[100000];
	struct examples x = examples_open("in");
	struct members all;

	for (size_t i = 0; i < sizeof(value); i++)
		value[i] = (char)(i * 31);
	for (size_t i = 0; i < N; i++) {
		examples_bytes(&x, "v", value, sizes[i]);
		examples_end(&x);
	}
	examples_close(&x);
	all = archive(false);
	cr_assert_eq(all.n, N);
	for (size_t i = 0; i < N; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%08zu.v", i);
		expect_member(&all, i, name, value, sizes[i]);
	}
	free(all.bytes);
}

Test(archive, a_record_without_a_feature_is_no_sample)
{
	struct examples x = examples_open("in");
	struct members all;
	struct exported e;

	examples_text(&x, "t", "t");
	examples_end(&x);
	examples_end(&x);
	examples_text(&x, "image/key", "only a key");
	examples_end(&x);
	examples_text(&x, "t", "u");
	examples_end(&x);
	examples_close(&x);
	e = export_of("in", (struct tfr_export_opts){ .target = "o.tar" }, false);
	cr_assert_eq(e.status, TFR_EDATA);
	cr_assert_eq(e.err.record, 1);
	cr_assert_eq(access("o.tar", F_OK), -1);
	all = archive(true);
	cr_assert_eq(all.n, 2);
	expect_member(&all, 1, "00000001.t", "u", 1);
	free(all.bytes);
}

/* --- a folder --- */

Test(archive, a_folder_has_one_file_per_image)
{
	struct examples x = examples_open("in");
	struct exported e;

	examples_bytes(&x, "image/encoded", png, sizeof(png) - 1);
	examples_text(&x, "image/filename", "1.png");
	examples_text(&x, "image/class/text", "../cat");
	examples_end(&x);
	examples_bytes(&x, "image/encoded", jpeg, sizeof(jpeg) - 1);
	examples_int64(&x, "image/class/label", 7);
	examples_end(&x);
	examples_bytes(&x, "image/encoded", jpeg, sizeof(jpeg) - 1);
	examples_text(&x, "image/filename", "train/dog/1.jpg");
	examples_text(&x, "image/class/text", "dog");
	examples_end(&x);
	examples_close(&x);
	e = export_of("in", (struct tfr_export_opts){ .target = "d" }, false);
	cr_assert_eq(e.status, TFR_OK, "%s", e.err.message);
	cr_assert_eq(e.report.output_bytes, sizeof(png) - 1 + 2 * (sizeof(jpeg) - 1));
	expect_file("d/__cat/1.png", png);
	expect_file("d/7/00000001.jpg", jpeg);
	expect_file("d/dog/1.jpg", jpeg);
	cr_assert_eq(temp_count("d"), 3);
	cr_assert_eq(temp_count("."), 2, "no temporary folder is left");
}

Test(archive, an_existing_folder_is_moved_aside)
{
	struct examples x = examples_open("in");
	struct exported e;

	examples_bytes(&x, "image/encoded", png, sizeof(png) - 1);
	examples_end(&x);
	examples_close(&x);
	cr_assert_eq(mkdir("d", 0777), 0);
	temp_write("d/precious", "p", 1);
	e = export_of("in", (struct tfr_export_opts){ .target = "d" }, false);
	cr_assert_eq(e.status, TFR_EEXIST);
	e = export_of("in", (struct tfr_export_opts){ .target = "d/", .force = true }, false);
	cr_assert_eq(e.status, TFR_OK, "%s", e.err.message);
	expect_file("d.old/precious", "p");
	expect_file("d/00000000.png", png);
	cr_assert_eq(e.warnings, 1);
	e = export_of("in", (struct tfr_export_opts){ .target = "d", .force = true }, false);
	cr_assert_eq(e.status, TFR_EEXIST, "the name of the old folder is taken");
	expect_file("d.old/precious", "p");
}

/* A link in what a killed run left is removed, not followed. */
Test(archive, what_a_killed_run_left_is_taken_over)
{
	struct examples x = examples_open("in");

	examples_bytes(&x, "image/encoded", png, sizeof(png) - 1);
	examples_text(&x, "image/filename", "trap/1.png");
	examples_end(&x);
	examples_close(&x);
	cr_assert_eq(mkdir(".d.tmp", 0777), 0);
	cr_assert_eq(mkdir("precious", 0777), 0);
	temp_write("precious/file", "p", 1);
	cr_assert_eq(symlink("../precious", ".d.tmp/trap"), 0);
	temp_write(".d.tmp/junk", "j", 1);
	cr_assert_eq(
		export_of("in", (struct tfr_export_opts){ .target = "d" }, false).status, TFR_OK);
	expect_file("d/trap/1.png", png);
	cr_assert_eq(temp_count("precious"), 1);
	cr_assert_eq(temp_count("d"), 1);
}

Test(archive, names_of_no_folder_are_refused)
{
	static const char *const targets[] = { ".", "..", "/", "d/..", "-" };
	struct examples x = examples_open("in");

	examples_bytes(&x, "image/encoded", png, sizeof(png) - 1);
	examples_end(&x);
	examples_close(&x);
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		struct tfr_export_opts o = { .target = targets[i], .to = "folder" };

		cr_assert_eq(export_of("in", o, false).status, TFR_EUSAGE, "%s", targets[i]);
	}
	cr_assert_eq(temp_count("."), 1);
}
