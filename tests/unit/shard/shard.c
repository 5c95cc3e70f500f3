#include <fnmatch.h>

#include <tfr-private/shard.h>

#include "shard/set_name.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(shard, .init = setup, .fini = teardown);

Test(shard, names)
{
	struct tfr_set_name n;
	char *file;

	cr_assert_eq(tfr_set_name_parse(&n, "out/train@16.tfrecord", NULL), TFR_OK);
	cr_assert_str_eq(n.base, "out/train");
	cr_assert_str_eq(n.extension, ".tfrecord");
	file = tfr_set_name_file(&n, 3);
	cr_assert_str_eq(file, "out/train-00003-of-00016.tfrecord");
	free(file);
	tfr_set_name_clear(&n);
	cr_assert_eq(tfr_set_name_parse(&n, "x@200000", NULL), TFR_OK);
	file = tfr_set_name_file(&n, 7);
	cr_assert_str_eq(file, "x-00007-of-200000");
	free(file);
	tfr_set_name_clear(&n);
	cr_assert_eq(tfr_set_name_parse(&n, "x@auto.tfrecord", NULL), TFR_OK);
	cr_assert(n.automatic && !n.count);
	cr_assert_str_eq(n.extension, ".tfrecord");
	tfr_set_name_clear(&n);
	cr_assert_eq(tfr_set_name_parse(&n, "x@automatic", NULL), TFR_END);
	cr_assert_eq(tfr_set_name_parse(&n, "train.tfrecord", NULL), TFR_END);
	cr_assert_eq(tfr_set_name_parse(&n, "me@home.tfrecord", NULL), TFR_END);
	cr_assert_eq(tfr_set_name_parse(&n, "@list.txt", NULL), TFR_END);
	cr_assert_eq(tfr_set_name_parse(&n, "dir@4/file", NULL), TFR_END);
	cr_assert_eq(tfr_set_name_parse(&n, "x@0", NULL), TFR_EUSAGE);
}

Test(shard, names_beside_a_set_are_its_own_and_match_no_pattern)
{
	static const char *const cases[][2] = {
		{ "out/train@16.tfrecord", "out/train.16-tfrecord.manifest.json" },
		{ "train@4.tfrecord.gz", "train.4-tfrecord-gz.manifest.json" },
		{ "train@16", "train.16.manifest.json" },
		{ "v1.2/a.b@16.tfrec", "v1.2/a.b.16-tfrec.manifest.json" },
		{ "mnist-train.tfrecord@4", "mnist-train.4_tfrecord.manifest.json" },
		{ "d.records/x.records@200000.gz", "d.records/x.200000_records-gz.manifest.json" },
	};
	static const char *const files[][2] = {
		{ "out/x.tfrecord", "out/x.file-tfrecord.labels.txt" },
		{ "x.tfrecord.gz", "x.file-tfrecord-gz.labels.txt" },
		{ "d.e/x", "d.e/x.file.labels.txt" },
		{ "v1.2.dat", "v1.2.file-dat.labels.txt" },
		{ ".hidden", ".hidden.file.labels.txt" },
	};
	static const char *const patterns[] = { "*.tfrecord", "*.tfrecord*", "*.tfrec*", "*.gz",
		"*-of-*", "*.record*", "train-*", "mnist-train.tfrecord*", "x.records*", "a.b-*" };
	struct tfr_set_name n;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *path, *file;

		cr_assert_eq(tfr_set_name_parse(&n, cases[i][0], NULL), TFR_OK);
		path = tfr_set_name_manifest(&n);
		cr_assert_str_eq(path, cases[i][1]);
		file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
		for (size_t k = 0; k < sizeof(patterns) / sizeof(*patterns); k++)
			cr_assert_eq(fnmatch(patterns[k], file, 0), FNM_NOMATCH, "%s", file);
		tfr_set_name_clear(&n);
		free(path);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = tfr_file_name_beside(files[i][0], "labels.txt");

		cr_assert_str_eq(path, files[i][1]);
		free(path);
	}
}

Test(shard, file_names_are_read_back)
{
	struct tfr_shard_file f;

	cr_assert(tfr_shard_file_parse("a/train-00003-of-00016.tfrecord.gz", &f));
	cr_assert(f.shard == 3 && f.count == 16 && f.base_size == 7);
	cr_assert_str_eq(f.extension, ".tfrecord.gz");
	cr_assert(tfr_shard_file_parse("a-b-00000-of-00001", &f));
	cr_assert_not(tfr_shard_file_parse("a-00001-of-00001", &f));
	cr_assert_not(tfr_shard_file_parse("a-1-of-2", &f));
	cr_assert_not(tfr_shard_file_parse("a-00000-of-00002x", &f));
}

static enum tfr_status open_set(
	struct tfr_set **set, const char *input, bool allow_missing, struct tfr_error *err)
{
	struct tfr_set_opts opts = { .inputs = &input, .count = 1, .allow_missing = allow_missing };

	return tfr_set_open(set, &opts, err);
}

static void write_set(const char *target, int records, bool force)
{
	struct tfr_writer_opts opts = { .force = force };
	struct tfr_set_writer *w = NULL;
	char text[16];

	cr_assert_eq(tfr_set_writer_open(&w, target, &opts, NULL, NULL, NULL), TFR_OK);
	for (int i = 0; i < records; i++) {
		struct iovec piece = { text, (size_t)sprintf(text, "record %d", i) };

		cr_assert_eq(tfr_set_writer_put(w, (uint32_t)i % tfr_set_writer_shards(w), &piece,
				     1, NULL, NULL),
			TFR_OK);
	}
	cr_assert_eq(tfr_set_writer_publish(w, NULL, NULL), TFR_OK);
	tfr_set_writer_close(w);
}

Test(shard, a_set_is_written_and_listed)
{
	struct tfr_set *set = NULL;

	write_set("train@3.tfrecord", 10, false);
	cr_assert_eq(access("train.3-tfrecord.manifest.json", F_OK), 0);
	cr_assert_eq(temp_count("."), 4);
	for (int i = 0; i < 4; i++) {
		cr_assert_eq(open_set(&set,
				     (const char *[]){ "train@3.tfrecord", "train@*.tfrecord", ".",
					     "train-*" }[i],
				     false, NULL),
			TFR_OK);
		cr_assert_eq(tfr_set_count(set), 3);
		if (i < 2)
			cr_assert_str_eq(tfr_set_path(set, 2), "train-00002-of-00003.tfrecord");
		tfr_set_close(set);
	}
}

Test(shard, a_gap_is_an_error_where_a_whole_set_was_asked_for)
{
	struct tfr_set *set = NULL;
	struct tfr_error err = { 0 };

	write_set("train@3.tfrecord", 10, false);
	unlink("train-00001-of-00003.tfrecord");
	for (int i = 0; i < 3; i++) {
		const char *input =
			(const char *[]){ "train@3.tfrecord", "train@*.tfrecord", "." }[i];

		cr_assert_eq(open_set(&set, input, false, &err), TFR_EDATA, "%s", input);
		cr_assert_not_null(strstr(err.message, "train-00001-of-00003.tfrecord"));
		cr_assert_eq(open_set(&set, input, true, &err), TFR_OK);
		cr_assert_eq(tfr_set_count(set), 2);
		tfr_set_close(set);
	}
	cr_assert_eq(open_set(&set, "train-*.tfrecord", false, &err), TFR_OK);
	tfr_set_close(set);
}

Test(shard, another_size_beside_it_is_refused)
{
	struct tfr_set_writer *w = NULL;
	struct tfr_error err = { 0 };

	write_set("train@3.tfrecord", 3, false);
	cr_assert_eq(
		tfr_set_writer_open(&w, "train@4.tfrecord", NULL, NULL, NULL, &err), TFR_EEXIST);
	cr_assert_eq(
		tfr_set_writer_open(&w, "train@3.tfrecord", NULL, NULL, NULL, &err), TFR_EEXIST);
	cr_assert_eq(temp_count("."), 4);
	write_set("train@4.tfrecord", 4, true);
	cr_assert_eq(temp_count("."), 9);
}

Test(shard, an_aborted_set_leaves_nothing)
{
	struct tfr_set_writer *w = NULL;

	cr_assert_eq(tfr_set_writer_open(&w, "train@5", NULL, NULL, NULL, NULL), TFR_OK);
	cr_assert_eq(temp_count("."), 1); /* the lock */
	tfr_set_writer_close(w);
	cr_assert_eq(temp_count("."), 0);
}

Test(shard, inputs_that_are_not_there)
{
	struct tfr_set *set = NULL;
	struct tfr_error err = { 0 };

	mkdir("empty", 0777);
	cr_assert_eq(open_set(&set, "nothing", false, &err), TFR_ESYS);
	cr_assert_eq(open_set(&set, "no*", false, &err), TFR_ESYS);
	cr_assert_eq(open_set(&set, "no@*", false, &err), TFR_ESYS);
	cr_assert_eq(open_set(&set, "@nolist", false, &err), TFR_ESYS);
	cr_assert_eq(open_set(&set, "empty", false, &err), TFR_EDATA);
}

Test(shard, standard_input_is_read_once)
{
	struct tfr_set_opts opts = { .inputs = (const char *[]){ "-", "-" }, .count = 2 };
	struct tfr_set *set = NULL;

	cr_assert_eq(tfr_set_open(&set, &opts, NULL), TFR_EUSAGE);
}

Test(shard, a_directory_gives_what_looks_like_records)
{
	struct tfr_set *set = NULL;

	mkdir("d", 0777);
	mkdir("d/sub.tfrecord", 0777);
	write_set("d/no-extension", 2, false);
	write_set("d/a.tfrec", 1, false);
	temp_write("d/broken.tfrecord", "x", 1);
	temp_write("d/notes.txt", "x", 1);
	temp_write("d/image.jpg", "\xff\xd8\xff\xe0 pixels, as it were", 20);
	temp_write("d/.hidden.tfrecord", "x", 1);
	cr_assert_eq(open_set(&set, "d", false, NULL), TFR_OK);
	cr_assert_eq(tfr_set_count(set), 3);
	cr_assert_str_eq(tfr_set_path(set, 0), "d/a.tfrec");
	cr_assert_str_eq(tfr_set_path(set, 1), "d/broken.tfrecord");
	cr_assert_str_eq(tfr_set_path(set, 2), "d/no-extension");
	tfr_set_close(set);
}

Test(shard, an_existing_path_wins_over_a_set_name_and_lists_name_files)
{
	struct tfr_set *set = NULL;

	write_set("a-00000-of-00001", 1, false);
	write_set("b@1", 1, false);
	temp_write("list.txt", "a-00000-of-00001\r\n\nb@1\n", 23);
	cr_assert_eq(open_set(&set, "@list.txt", false, NULL), TFR_OK);
	cr_assert_eq(tfr_set_count(set), 2);
	tfr_set_close(set);
	temp_write("b@2", "", 0);
	cr_assert_eq(open_set(&set, "b@2", false, NULL), TFR_OK);
	cr_assert_str_eq(tfr_set_path(set, 0), "b@2");
	tfr_set_close(set);
}
