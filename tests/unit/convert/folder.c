/* A folder into sets: what becomes a record, where it goes, what is said of the rest. */
#include "support/temp.h"

#include <tfr-private/convert.h>
#include <tfr-private/example.h>

static char *dir;
static uint8_t jpeg[1 << 16], png[1 << 16];
static size_t jpeg_size, png_size;
static char warnings[4096];

static void set_up(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/media/420.jpg", getenv("TFR_TEST_DATA"));
	jpeg_size = temp_read(path, jpeg, sizeof(jpeg));
	snprintf(path, sizeof(path), "%s/media/bit.png", getenv("TFR_TEST_DATA"));
	png_size = temp_read(path, png, sizeof(png));
	dir = temp_enter();
	mkdir("in", 0755);
	mkdir("out", 0755);
	warnings[0] = '\0';
}

static void tear_down(void)
{
	temp_leave(dir);
}

TestSuite(convert, .init = set_up, .fini = tear_down, .timeout = 60);

static void put_jpeg(const char *path)
{
	temp_write(path, jpeg, jpeg_size);
}

static void warn(void *ctx, const char *text)
{
	size_t n = strlen(warnings);

	(void)ctx;
	snprintf(warnings + n, sizeof(warnings) - n, "%s\n", text);
}

static enum tfr_status convert(struct tfr_convert_opts o, const char *set,
	struct tfr_convert_report *report, struct tfr_error *err)
{
	struct tfr_share target = { .set = set };
	const char *input = "in";
	struct tfr_convert_report unused;

	o.input.paths = &input;
	o.input.count = 1;
	o.run.warn = warn;
	o.order.keep = !o.order.shuffle;
	if (!o.output.targets) {
		o.output.targets = &target;
		o.output.target_count = 1;
	}
	return tfr_convert(&o, report ? report : &unused, err);
}

/* "a/1.jpg(0 a) b/2.jpg(1 b)": the records of a file, in order. */
static char *records(const char *path)
{
	static char text[4096];
	struct tfr_example *ex = tfr_example_new();
	struct tfr_record rec;
	struct tfr_reader *r;
	size_t n = 0;

	text[0] = '\0';
	cr_assert_eq(tfr_reader_open(&r, path, NULL, NULL), TFR_OK);
	while (!tfr_reader_next(r, &rec, NULL)) {
		struct tfr_bytes name, class;
		int64_t label;

		cr_assert_eq(tfr_example_parse(ex, rec.data, rec.size, NULL), TFR_OK);
		cr_assert(tfr_feature_bytes(tfr_example_get(ex, "image/filename"), 0, &name));
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s", n ? " " : "",
			(int)name.size, (const char *)name.data);
		if (tfr_feature_int64(tfr_example_get(ex, "image/class/label"), 0, &label) &&
			tfr_feature_bytes(tfr_example_get(ex, "image/class/text"), 0, &class))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "(%lld %.*s)",
				(long long)label, (int)class.size, (const char *)class.data);
	}
	tfr_reader_close(r);
	tfr_example_free(ex);
	return text;
}

static void expect_file(const char *path, const char *expected)
{
	char text[4096];
	size_t n = temp_read(path, text, sizeof(text) - 1);

	text[n] = '\0';
	cr_assert_str_eq(text, expected);
}

Test(convert, classes_in_order_item_k_to_shard_k)
{
	struct tfr_convert_report report;

	/* "a/x" before "a.b/x": by component, not by the path's bytes. */
	mkdir("in/a", 0755);
	mkdir("in/a.b", 0755);
	mkdir("in/a/deep", 0755);
	mkdir("in/.hidden", 0755);
	put_jpeg("in/a/1.jpg");
	temp_write("in/a/2.txt", "no", 2);
	put_jpeg("in/a/3.jpg");
	put_jpeg("in/a/deep/4.jpg");
	put_jpeg("in/a.b/5.jpg");
	put_jpeg("in/.hidden/6.jpg");
	put_jpeg("in/a/.7.jpg");
	cr_assert_eq(convert((struct tfr_convert_opts){ .classes.base = 1 }, "out/t@2.tfrecord",
			     &report, NULL),
		TFR_OK);
	cr_assert_str_eq(records("out/t-00000-of-00002.tfrecord"),
		"a/1.jpg(1 a) a/3.jpg(1 a) a.b/5.jpg(2 a.b)");
	cr_assert_str_eq(records("out/t-00001-of-00002.tfrecord"), "a/deep/4.jpg(1 a)");
	expect_file("out/t.2-tfrecord.labels.txt", "1:a\n2:a.b\n");
	cr_assert_str_eq(warnings, "skipped 'in/a/2.txt': not an image\n");
	cr_assert(report.files == 5 && report.skipped == 1 && report.records == 4);
	cr_assert_eq(report.bytes, 4 * jpeg_size + 2);
	cr_assert_eq(report.classes, 2);
}

Test(convert, a_record_has_the_features_of_the_others_readers)
{
	struct tfr_example *ex = tfr_example_new();
	struct tfr_reader *r;
	struct tfr_record rec;
	struct tfr_bytes b;
	int64_t v;

	mkdir("in/a", 0755);
	temp_write("in/a/x.jpg", png, png_size); /* content decides */
	cr_assert_eq(
		convert((struct tfr_convert_opts){ 0 }, "out/one.tfrecord", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_reader_open(&r, "out/one.tfrecord", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_reader_next(r, &rec, NULL), TFR_OK);
	cr_assert_eq(tfr_example_parse(ex, rec.data, rec.size, NULL), TFR_OK);
	cr_assert_eq(tfr_example_count(ex), 8);
	cr_assert(tfr_feature_bytes(tfr_example_get(ex, "image/encoded"), 0, &b));
	cr_assert_eq(b.size, png_size);
	cr_assert_arr_eq(b.data, png, png_size);
	cr_assert(tfr_feature_bytes(tfr_example_get(ex, "image/format"), 0, &b));
	cr_assert(b.size == 3 && !memcmp(b.data, "png", 3));
	cr_assert(tfr_feature_int64(tfr_example_get(ex, "image/channels"), 0, &v) && v == 1);
	cr_assert(tfr_feature_int64(tfr_example_get(ex, "image/height"), 0, &v) && v > 0);
	cr_assert(tfr_feature_int64(tfr_example_get(ex, "image/width"), 0, &v) && v > 0);
	tfr_reader_close(r);
	tfr_example_free(ex);
}

Test(convert, images_at_the_top_have_no_class)
{
	put_jpeg("in/2.jpg");
	put_jpeg("in/1.jpg");
	mkdir("in/empty", 0755);
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/a@1", NULL, NULL), TFR_OK);
	cr_assert_str_eq(records("out/a-00000-of-00001"), "1.jpg 2.jpg");
	cr_assert_neq(access("out/a.1.labels.txt", F_OK), 0);

	/* A text below makes no class; an image there does. */
	temp_write("in/empty/readme.txt", "no", 2);
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/b@1", NULL, NULL), TFR_OK);
	cr_assert_str_eq(records("out/b-00000-of-00001"), "1.jpg 2.jpg");
	put_jpeg("in/empty/3.jpg");
	warnings[0] = '\0';
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/c@1", NULL, NULL), TFR_EDATA);
	cr_assert_neq(access("out/c-00000-of-00001", F_OK), 0);
	warnings[0] = '\0';
	cr_assert_eq(
		convert((struct tfr_convert_opts){ .run.max_skipped = 1 }, "out/c@1", NULL, NULL),
		TFR_OK);
	cr_assert_str_eq(records("out/c-00000-of-00001"), "empty/3.jpg(0 empty)");
	cr_assert_str_eq(warnings,
		"skipped 'in/1.jpg', 'in/2.jpg': an image outside of the class folders\n"
		"skipped 'in/empty/readme.txt': not an image\n");
}

Test(convert, links_are_followed_and_loops_refused)
{
	mkdir("in/a", 0755);
	mkdir("elsewhere", 0755);
	put_jpeg("in/a/1.jpg");
	put_jpeg("elsewhere/2.jpg");
	cr_assert_eq(symlink("1.jpg", "in/a/link.jpg"), 0);
	cr_assert_eq(symlink("../elsewhere", "in/b"), 0);
	cr_assert_eq(symlink("..", "in/a/up"), 0);
	cr_assert_eq(symlink("gone", "in/a/dangling.jpg"), 0);
	cr_assert_eq(symlink("self", "in/a/self"), 0);
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/t@1", NULL, NULL), TFR_OK);
	cr_assert_str_eq(
		records("out/t-00000-of-00001"), "a/1.jpg(0 a) a/link.jpg(0 a) b/2.jpg(1 b)");
	cr_assert_str_eq(warnings,
		"skipped 'in/a/dangling.jpg': cannot open: No such file or directory\n"
		"skipped 'in/a/self': cannot open: Too many levels of symbolic links\n"
		"skipped 'in/a/up': a link to a folder that contains it\n");
}

Test(convert, what_is_no_file_or_no_whole_image_is_skipped)
{
	mkdir("in/a", 0755);
	put_jpeg("in/a/z.jpg");
	temp_write("in/a/1.jpg", jpeg, jpeg_size - 2);
	temp_write("in/a/2.jpg", "", 0);
	cr_assert_eq(mkfifo("in/a/3.jpg", 0644), 0);
	cr_assert_eq(symlink("/dev/zero", "in/a/4.jpg"), 0);
	cr_assert_eq(convert((struct tfr_convert_opts){ .run.on_error = TFR_ON_ERROR_QUARANTINE,
				     .run.quarantine = "out/bad.txt",
				     .run.max_skipped = 1 },
			     "out/t@1", NULL, NULL),
		TFR_OK);
	cr_assert_str_eq(records("out/t-00000-of-00001"), "a/z.jpg(0 a)");
	expect_file("out/bad.txt", "in/a/1.jpg\ttruncated JPEG: no end marker\n"
				   "in/a/2.jpg\tempty, not an image\n"
				   "in/a/3.jpg\tnot a regular file\n"
				   "in/a/4.jpg\tnot a regular file\n");
}

Test(convert, failing_leaves_nothing_behind)
{
	struct tfr_error err;

	mkdir("in/a", 0755);
	temp_write("in/a/1.txt", "no", 2);
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/t@3", NULL, &err), TFR_EDATA);
	cr_assert_str_eq(err.message, "no images in 'in'");
	put_jpeg("in/a/2.jpg");
	for (unsigned threads = 1; threads <= 4; threads++) {
		cr_assert_eq(convert((struct tfr_convert_opts){ .run.on_error = TFR_ON_ERROR_FAIL,
					     .run.threads = threads },
				     "out/t@3", NULL, &err),
			TFR_EDATA);
		cr_assert_str_eq(err.message, "not a usable image: 'in/a/1.txt': not an image");
	}
	cr_assert_eq(temp_count("out"), 0);
	cr_assert_eq(remove("in/a/1.txt"), 0);
	cr_assert_eq(remove("in/a/2.jpg"), 0);
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/t@3", NULL, &err), TFR_EDATA);
	cr_assert_eq(temp_count("out"), 0);
}

Test(convert, each_set_has_its_labels_and_those_of_others_are_not_overwritten)
{
	struct tfr_error err;

	mkdir("in/a", 0755);
	put_jpeg("in/a/1.jpg");
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/t@1", NULL, &err), TFR_OK);
	mkdir("in/b", 0755);
	put_jpeg("in/b/1.jpg");
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/v@1", NULL, &err), TFR_OK);
	expect_file("out/t.1.labels.txt", "0:a\n");
	expect_file("out/v.1.labels.txt", "0:a\n1:b\n");
	cr_assert_eq(temp_count("out"), 6); /* two sets, two manifests, two labels files */

	temp_write("out/w.1.labels.txt", "0:b\n", 4);
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/w@1", NULL, &err), TFR_EEXIST);
	cr_assert_str_eq(err.message, "other classes are in 'out/w.1.labels.txt'");
	cr_assert(*tfr_error_hint_text(&err));
	expect_file("out/w.1.labels.txt", "0:b\n");
	cr_assert_eq(convert((struct tfr_convert_opts){ .output.writer.force = true }, "out/w@1",
			     NULL, &err),
		TFR_OK);
	expect_file("out/w.1.labels.txt", "0:a\n1:b\n");
}

static void many(void)
{
	char path[64];

	for (int c = 0; c < 4; c++) {
		snprintf(path, sizeof(path), "in/c%d", c);
		mkdir(path, 0755);
		for (int i = 0; i < 50; i++) {
			snprintf(path, sizeof(path), "in/c%d/%02d", c, i);
			if (i % 9)
				temp_write(path, jpeg, jpeg_size);
			else
				temp_write(path, "bad", 3);
		}
	}
}

static size_t all_of(const char *format, int shards, uint8_t *data, size_t size)
{
	size_t n = 0;
	char path[64];

	for (int k = 0; k < shards; k++) {
		snprintf(path, sizeof(path), format, k);
		n += temp_read(path, data + n, size - n);
	}
	return n;
}

Test(convert, the_same_bytes_for_any_number_of_threads_and_any_memory)
{
	static uint8_t first[4 << 20], again[4 << 20];
	static char first_warnings[sizeof(warnings)];
	size_t n = 0;

	many();
	for (unsigned threads = 1; threads <= 8; threads++) {
		struct tfr_convert_opts o = { .run.threads = threads,
			.run.memory = threads % 3 ? 0 : 1,
			.output.writer.force = true,
			.order.shuffle = true,
			.order.seed = 7 };
		size_t m;

		warnings[0] = '\0';
		cr_assert_eq(convert(o, "out/t@5", NULL, NULL), TFR_OK);
		m = all_of("out/t-%05d-of-00005", 5, threads == 1 ? first : again, sizeof(first));
		if (threads == 1) {
			n = m;
			strcpy(first_warnings, warnings);
		} else {
			cr_assert_eq(m, n);
			cr_assert_arr_eq(first, again, n);
			cr_assert_str_eq(warnings, first_warnings);
		}
	}
}

Test(convert, fractions_divide_by_path_and_stay)
{
	struct tfr_share three[] = { { "out/a@1", 0.5 }, { "out/b@1", 0 }, { "out/c@1", 0.2 } };
	struct tfr_share two[] = { { "out/d@1", 0.5 }, { "out/e@1", 0.25 } };
	struct tfr_convert_report report;
	static char a[8192];

	many();
	cr_assert_eq(convert((struct tfr_convert_opts){ .output.targets = three,
				     .output.target_count = 3 },
			     NULL, &report, NULL),
		TFR_OK);
	cr_assert_eq(report.records, 176);
	cr_assert_eq(report.left, 0);
	strcpy(a, records("out/a-00000-of-00001"));
	cr_assert_eq(convert((struct tfr_convert_opts){ .output.targets = two,
				     .output.target_count = 2 },
			     NULL, &report, NULL),
		TFR_OK);
	cr_assert(report.left > 20 && report.left < 80);
	cr_assert_eq(report.files - report.left, report.records + report.skipped);
	cr_assert_str_eq(records("out/d-00000-of-00001"), a);
}

Test(convert, fractions_that_cannot_be_met)
{
	struct tfr_share over[] = { { "out/a@1", 0.7 }, { "out/b@1", 0.4 } };
	struct tfr_share rests[] = { { "out/a@1", 0 }, { "out/b@1", 0 } };
	struct tfr_share full[] = { { "out/a@1", 1 }, { "out/b@1", 0 } };
	struct tfr_share twice[] = { { "out/a@1", 0.5 }, { "out/a@1", 0.5 } };
	struct tfr_share *wrong[] = { over, rests, full, twice };
	double fraction;
	char *set;

	put_jpeg("in/1.jpg");
	for (size_t i = 0; i < 4; i++)
		cr_assert_eq(convert((struct tfr_convert_opts){ .output.targets = wrong[i],
					     .output.target_count = 2 },
				     NULL, NULL, NULL),
			TFR_EUSAGE);
	cr_assert_eq(tfr_share_parse("x=y@2=0.25", &set, &fraction, NULL), TFR_OK);
	cr_assert_str_eq(set, "x=y@2");
	cr_assert_float_eq(fraction, 0.25, 0);
	free(set);
	cr_assert_eq(tfr_share_parse("x=y@2", &set, &fraction, NULL), TFR_OK);
	cr_assert_str_eq(set, "x=y@2");
	free(set);
	cr_assert_eq(tfr_share_parse("x=1.5", &set, &fraction, NULL), TFR_EUSAGE);
	cr_assert_eq(tfr_share_parse("x=0", &set, &fraction, NULL), TFR_EUSAGE);
	/* A set's name ends where its fraction begins; a file's may hold a '='. */
	cr_assert_eq(tfr_share_parse("x@2.tfrecord=much", &set, &fraction, NULL), TFR_EUSAGE);
	cr_assert_eq(tfr_share_parse("x@2=", &set, &fraction, NULL), TFR_EUSAGE);
	cr_assert_eq(tfr_share_parse("x=much", &set, &fraction, NULL), TFR_OK);
	cr_assert_str_eq(set, "x=much");
	free(set);
}

Test(convert, a_folder_that_is_none)
{
	struct tfr_error err;

	cr_assert_eq(rmdir("in"), 0);
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/t@1", NULL, &err), TFR_ESYS);
	put_jpeg("in");
	cr_assert_eq(convert((struct tfr_convert_opts){ 0 }, "out/t@1", NULL, &err), TFR_EUSAGE);
	cr_assert_eq(temp_count("out"), 0);
}
