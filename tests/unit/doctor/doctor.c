/* What the doctor gathers and how it words a command: the small containers against plain code,
 * words through a real shell, names of labels, and that damage anywhere is found, read whole or in
 * stretches. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/doctor.h>
#include <tfr-private/example.h>

#include "base/rng.h"
#include "doctor/doctor.h"
#include "support/temp.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(doctor, .init = setup, .fini = teardown);

/* --- containers --- */

Test(doctor, classes_are_counted)
{
	struct tfr_dclasses c = { 0 };
	uint64_t counts[500] = { 0 }, all = 0;
	struct tfr_rng rng;

	tfr_rng_init(&rng, 1, 1);
	for (int i = 0; i < 20000; i++) {
		uint64_t k = tfr_rng_below(&rng, 500);
		struct tfr_dclass class = { .hash = k * k * k, .records = 1 + k % 3 };

		snprintf(class.text, sizeof(class.text), "%d", (int)k);
		counts[k] += class.records;
		cr_assert(tfr_dclasses_add(&c, &class));
	}
	for (size_t i = 0; i < c.n; i++) {
		cr_assert_eq(c.list[i].records, counts[atoi(c.list[i].text)]);
		all += c.list[i].records;
	}
	for (int i = 0; i < 500; i++)
		all -= counts[i];
	cr_assert_eq(all, 0);
	cr_assert(!c.over);
	for (uint64_t k = 0; k < 2 * TFR_DCLASSES_MAX; k++)
		cr_assert(tfr_dclasses_add(
			&c, &(struct tfr_dclass){ .hash = k * 0x9e3779b97f4a7c15u, .records = 1 }));
	cr_assert_eq(c.n, TFR_DCLASSES_MAX);
	cr_assert(c.over);
	tfr_dclasses_clear(&c);
}

/* Of all hashes those are kept that are below a threshold, whatever order and parts they come in.
 */
Test(doctor, hashes_keep_the_same_of_every_file)
{
	enum { N = 3 * TFR_DHASHES_MAX };
	struct tfr_dhashes one = { 0 }, parts[3] = { 0 }, all = { 0 };
	struct tfr_rng rng;
	size_t below = 0;

	tfr_rng_init(&rng, 1, 1);
	for (int i = 0; i < N; i++) {
		uint64_t h = tfr_rng_u64(&rng);

		cr_assert(tfr_dhashes_add(&one, h));
		cr_assert(tfr_dhashes_add(&parts[i % 7 % 3], h));
		below += h >> 62 == 0;
	}
	for (int i = 2; i >= 0; i--)
		cr_assert(tfr_dhashes_merge(&all, &parts[i]));
	cr_assert_eq(one.bits, 2);
	cr_assert_eq(one.n, below);
	tfr_dhashes_settle(&one, 3);
	tfr_dhashes_settle(&all, 3);
	cr_assert_eq(one.n, all.n);
	cr_assert_eq(memcmp(one.list, all.list, one.n * sizeof(*one.list)), 0);
	for (size_t i = 1; i < one.n; i++)
		cr_assert(one.list[i - 1] <= one.list[i] && !(one.list[i] >> 61));
	for (int i = 0; i < 3; i++)
		tfr_dhashes_clear(&parts[i]);
	tfr_dhashes_clear(&one);
	tfr_dhashes_clear(&all);
}

/* --- words --- */

Test(doctor, a_shell_reads_words_back)
{
	static const char *const words[] = { "plain", "", "two words", "it's", "$HOME `x` \"y\" \\",
		"a\nb\tc\x1b[1m'\\", "~", "*?[a]", "caf\xc3\xa9", "caf\xe9", "#x", "a;b&c|d", "!!",
		"x@3.tfrecord=0.9" };
	char got[512];

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct tfr_command c = { 0 };
		char *line = NULL;
		size_t n;
		FILE *f;

		tfr_command_add(&c, "printf", "%s|%s", words[i], "end", NULL);
		cr_assert(asprintf(&line, "%.*s", (int)c.text.size, (char *)c.text.data) > 0);
		for (char *p = line; *p; p++)
			cr_assert((unsigned char)*p >= 0x20 && *p != 0x7f, "%s", line);
		temp_write("command", line, strlen(line));
		f = popen("bash command", "r");
		n = fread(got, 1, sizeof(got) - 1, f);
		pclose(f);
		got[n] = '\0';
		cr_assert_eq(n, strlen(words[i]) + 4, "%s gave %s", line, got);
		cr_assert_eq(memcmp(got, words[i], strlen(words[i])), 0, "%s gave %s", line, got);
		free(line);
		tfr_buf_clear(&c.text);
	}
}

Test(doctor, names_beside)
{
	static const struct {
		const char *name, *base, *ext;
		uint32_t count;
		size_t files;
		uint64_t shards;
		const char *is;
	} cases[] = {
		{ "d/t@4.tfrecord", "d/t", ".tfrecord", 4, 4, 0, "d/t-new@4.tfrecord" },
		{ "t@4", "t", "", 4, 4, 9, "t-new@9" },
		{ "a.tfrecord.gz", NULL, NULL, 0, 1, 0, "a-new.tfrecord.gz" },
		{ "a.b.tfrecord", NULL, NULL, 0, 1, 3, "a.b-new@3.tfrecord" },
		{ "d.x/file", NULL, NULL, 0, 1, 0, "d.x/file-new" },
		{ "d/.tfrecord", NULL, NULL, 0, 1, 0, "d/.tfrecord-new" },
		{ "p-*.tfrec", NULL, NULL, 0, 7, 0, "p-N-new@7.tfrec" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_dset set = { .name = (char *)cases[i].name,
			.base = (char *)cases[i].base,
			.ext = (char *)cases[i].ext,
			.count = cases[i].count,
			.files = cases[i].files };
		char *name = tfr_doctor_beside(&set, "new", cases[i].shards);

		cr_assert_str_eq(name, cases[i].is);
		free(name);
	}
}

/* --- labels --- */

static void write_example(const char *path, const char *const *names, int64_t values)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_writer *w = NULL;
	const struct iovec *pieces;
	int64_t numbers[4] = { 1, 2, 3, 4 };
	size_t size;
	int n;

	cr_assert_eq(
		tfr_writer_open(&w, path, &(struct tfr_writer_opts){ .force = true }, NULL), 0);
	for (; *names; names++)
		cr_assert_eq(tfr_builder_int64s(b, *names, numbers, (size_t)values, NULL), 0);
	cr_assert_eq(tfr_builder_gather(b, &pieces, &n, &size, NULL), 0);
	cr_assert_eq(tfr_writer_put_pieces(w, pieces, n, NULL, NULL), 0);
	cr_assert_eq(tfr_writer_publish(w, NULL), 0);
	tfr_writer_close(w);
	tfr_builder_free(b);
}

Test(doctor, labels_are_found_by_their_names)
{
	static const struct {
		const char *names[4], *is;
	} cases[] = {
		{ { "height", "label" }, "label" },
		{ { "image/class/label", "image/label" }, "image/class/label" },
		{ { "image/height", "image/width" }, NULL },
		{ { "a/Target", "x" }, "a/Target" },
		{ { "clip/label/index", "a" }, "clip/label/index" },
		{ { "my_labels", "y" }, "y" },
		{ { "yes", "x" }, NULL },
	};
	struct tfr_error err = { 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *label;

		write_example("a", cases[i].names, 1);
		label = tfr_dlook_for_label("a", &err);
		cr_assert((label != NULL) == (cases[i].is != NULL), "%zu: %s", i, label);
		if (label)
			cr_assert_str_eq(label, cases[i].is);
		free(label);
		write_example("a", cases[i].names, 2);
		cr_assert_null(tfr_dlook_for_label("a", &err));
	}
	cr_assert_eq(err.status, TFR_OK, "%s", err.message);
	cr_assert_null(tfr_dlook_for_label("nosuch", &err));
	cr_assert_eq(err.sys_errno, ENOENT);
}

/* --- damage --- */

/* Records of random bytes; returns the size of the file. */
static size_t write_records(const char *path, int n, size_t size, uint8_t *all)
{
	struct tfr_writer *w = NULL;
	uint8_t *payload = malloc(size);
	struct tfr_rng rng;
	size_t total;

	tfr_rng_init(&rng, (uint64_t)n, size);
	cr_assert_eq(
		tfr_writer_open(&w, path, &(struct tfr_writer_opts){ .force = true }, NULL), 0);
	for (int i = 0; i < n; i++) {
		size_t own = size - tfr_rng_below(&rng, size / 2);

		for (size_t k = 0; k < own; k++)
			payload[k] = (uint8_t)tfr_rng_u64(&rng);
		cr_assert_eq(tfr_writer_put(w, payload, own, NULL), 0);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), 0);
	tfr_writer_close(w);
	total = temp_read(path, all, 1 << 20);
	free(payload);
	return total;
}

/* Whether something worse than a note is found of the file. */
static bool ails(const char *path)
{
	struct tfr_doctor_opts opts = { .paths = &path, .count = 1, .threads = 1 };
	struct tfr_doctor *d = NULL;
	bool found = false;

	cr_assert_eq(tfr_doctor_run(&d, &opts, NULL), TFR_OK);
	for (size_t i = 0; i < tfr_doctor_count(d); i++)
		found |= tfr_doctor_finding(d, i)->level > TFR_GRAVITY_NOTE;
	tfr_doctor_free(d);
	return found;
}

Test(doctor, every_flip_and_every_truncation_is_found)
{
	uint8_t *all = malloc(1 << 20);
	size_t n = write_records("a.tfrecord", 3, 40, all), whole = 0;

	cr_assert(!ails("a.tfrecord"));
	for (size_t i = 0; i < n; i++) {
		all[i] ^= 1 << i % 8;
		temp_write("a.tfrecord", all, n);
		cr_assert(ails("a.tfrecord"), "byte %zu", i);
		all[i] ^= 1 << i % 8;
	}
	for (size_t i = 0; i < n; i++) {
		temp_write("a.tfrecord", all, i);
		whole += !ails("a.tfrecord");
	}
	cr_assert_eq(whole, 2); /* behind a record */
	free(all);
}

static struct tfr_dlook look_at(const char *path, uint64_t share)
{
	struct tfr_doctor_opts opts = {
		.paths = &path, .count = 1, .sample = share, .full = share == UINT64_MAX
	};
	struct tfr_doctor *d = NULL;
	struct tfr_dlook look;

	cr_assert_eq(tfr_doctor_run(&d, &opts, NULL), TFR_OK);
	cr_assert_eq(d->file_count, 1);
	look = d->files[0].look;
	d->files[0].look = (struct tfr_dlook){ 0 };
	tfr_doctor_free(d);
	return look;
}

/* A sample of a file reads records of it, and no more than it was told to; at the end of the file
 * it finds all damage that reading everything finds, and it finds none in a file that is whole. */
Test(doctor, stretches_against_all_of_it)
{
	uint8_t *all = malloc(1 << 20);
	struct tfr_rng rng;
	size_t n = write_records("a", 600, 1500, all);

	tfr_rng_init(&rng, 1, 1);
	for (uint64_t share = 128 << 10; share < 600 << 10; share += 37 << 10) {
		struct tfr_dlook l = look_at("a", share);

		cr_assert(!l.faults && !l.complete && l.records, "%llu", (unsigned long long)share);
		cr_assert_leq(l.bytes, share + 4 * 2048);
		cr_assert_geq(l.bytes, share / 2);
		tfr_dlook_clear(&l);
	}
	for (int i = 0; i < 100; i++) {
		size_t at = n - 1 - tfr_rng_below(&rng, 50000), size = n;
		struct tfr_dlook part, full;
		uint8_t old = all[at];

		if (i % 3)
			all[at] ^= (uint8_t)(1 + tfr_rng_below(&rng, 255));
		else
			size = at;
		temp_write("b", all, size);
		part = look_at("b", 128 << 10);
		full = look_at("b", UINT64_MAX);
		cr_assert_eq(part.faults != 0, full.faults != 0, "%d: byte %zu", i, at);
		cr_assert_leq(part.records, full.records + 60);
		all[at] = old;
		tfr_dlook_clear(&part);
		tfr_dlook_clear(&full);
	}
	free(all);
}

/* A large file of zeros costs no more than a sample does. */
Test(doctor, holes)
{
	uint8_t *all = malloc(1 << 20);
	size_t n = write_records("a", 100, 1500, all);
	struct tfr_dlook l;

	temp_write("b", all, n);
	cr_assert_eq(truncate("b", 1L << 36), 0);
	l = look_at("b", 128 << 10);
	cr_assert(l.faults);
	cr_assert_leq(l.bytes, 128 << 10);
	tfr_dlook_clear(&l);
	free(all);
}
