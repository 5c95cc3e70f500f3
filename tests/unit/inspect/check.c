#include <tfr-private/check.h>
#include <tfr-private/example.h>

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

TestSuite(check, .init = setup, .fini = teardown);

struct told {
	char text[8][600];
	size_t faults, files;
	uint64_t of_kinds;
	struct tfr_check_file all;
};

static void on_fault(void *ctx, const char *path, const struct tfr_error *err,
	const struct tfr_check_kind *kind)
{
	(void)path;
	struct told *t = ctx;

	t->of_kinds += kind ? kind->records : 0;
	cr_assert_lt(t->faults, 8);
	tfr_error_format(err, t->text[t->faults++], sizeof(*t->text));
}

static void on_file(void *ctx, const struct tfr_check_file *file)
{
	struct told *t = ctx;

	t->files++;
	t->all.records += file->records;
	t->all.faults += file->faults;
	t->all.lost_bytes += file->lost_bytes;
	t->all.images += file->images;
}

static struct told check(const char *input, struct tfr_check_opts opts)
{
	struct tfr_set_opts set_opts = { .inputs = &input, .count = 1 };
	struct tfr_set *set = NULL;
	struct told t = { 0 };

	opts.fault = on_fault;
	opts.file = on_file;
	opts.ctx = &t;
	cr_assert_eq(tfr_set_open(&set, &set_opts, NULL), TFR_OK);
	cr_assert_eq(tfr_check_set(set, &opts, NULL), TFR_OK);
	tfr_set_close(set);
	return t;
}

/* Ten records of 40 bytes each, 56 with their framing. */
static void write_ten(const char *path)
{
	struct tfr_writer *w = NULL;
	char payload[40];

	cr_assert_eq(tfr_writer_open(&w, path, &(struct tfr_writer_opts){ .force = true }, NULL),
		TFR_OK);
	for (int i = 0; i < 10; i++) {
		memset(payload, 'a' + i, sizeof(payload));
		cr_assert_eq(tfr_writer_put(w, payload, sizeof(payload), NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
}

static void flip(const char *path, long offset)
{
	FILE *f = fopen(path, "r+b");
	int c;

	fseek(f, offset, SEEK_SET);
	c = fgetc(f);
	fseek(f, offset, SEEK_SET);
	fputc(c ^ 1, f);
	fclose(f);
}

Test(check, a_whole_file_is_silent)
{
	struct told t;

	write_ten("a.tfrecord");
	t = check("a.tfrecord", (struct tfr_check_opts){ 0 });
	cr_assert(t.faults == 0 && t.files == 1 && t.all.records == 10);
	t = check("a.tfrecord", (struct tfr_check_opts){ .quick = true });
	cr_assert(t.faults == 0 && t.all.records == 10);
}

Test(check, goes_on_behind_damaged_payloads_and_lengths)
{
	struct told t;

	write_ten("a.tfrecord");
	flip("a.tfrecord", 2 * 56 + 20); /* payload of record 2 */
	flip("a.tfrecord", 5 * 56 + 3);	 /* length of record 5 */
	cr_assert_eq(truncate("a.tfrecord", 9 * 56 + 30), 0);
	t = check("a.tfrecord", (struct tfr_check_opts){ 0 });
	cr_assert_eq(t.faults, 3);
	cr_assert_str_eq(t.text[0], "data checksum mismatch in 'a.tfrecord', record 2, offset 112");
	cr_assert_str_eq(t.text[1], "length checksum mismatch; 56 bytes passed over in "
				    "'a.tfrecord', record 5, offset 280");
	cr_assert_str_eq(t.text[2],
		"truncated record: 30 of 56 bytes in 'a.tfrecord', record 9, offset 504");
	cr_assert_eq(t.all.records, 7);
	cr_assert_eq(t.all.lost_bytes, 56 + 30);
}

Test(check, faults_come_in_file_order_for_any_number_of_threads)
{
	char name[32];

	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "s-%05d-of-00006", i);
		write_ten(name);
		flip(name, 56 * i + 20);
	}
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct told t = check("s@6", (struct tfr_check_opts){ .threads = threads });

		cr_assert_eq(t.faults, 6);
		for (int i = 0; i < 6; i++) {
			char want[100];

			snprintf(want, sizeof(want),
				"data checksum mismatch in 's-%05d-of-00006', record %d, offset %d",
				i, i, 56 * i);
			cr_assert_str_eq(t.text[i], want);
		}
	}
}

static void write_example(const char *path, const void *image, size_t size)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_bytes value = { image, size };
	struct tfr_writer *w = NULL;
	const uint8_t *data;
	size_t n;

	cr_assert_eq(tfr_builder_bytes(b, "image/encoded", &value, 1, NULL), TFR_OK);
	cr_assert_eq(tfr_builder_flatten(b, &data, &n, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_open(&w, path, &(struct tfr_writer_opts){ .force = true }, NULL),
		TFR_OK);
	cr_assert_eq(tfr_writer_put(w, data, n, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	tfr_builder_free(b);
}

Test(check, a_record_that_is_no_example_is_a_fault_on_request)
{
	struct tfr_writer *w = NULL;
	struct told t;

	cr_assert_eq(tfr_writer_open(&w, "raw", NULL, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_put(w, "\xff\xff", 2, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_put(w, "", 0, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	cr_assert_eq(check("raw", (struct tfr_check_opts){ 0 }).faults, 0);
	t = check("raw", (struct tfr_check_opts){ .example = true });
	cr_assert_eq(t.faults, 1);
	cr_assert_eq(t.of_kinds, 2, "the empty record is one of them");
	cr_assert_not_null(strstr(t.text[0], "holds no Examples"), "%s", t.text[0]);
	cr_assert_null(strstr(t.text[0], "record 0"), "%s", t.text[0]);
}

Test(check, faults_of_one_kind_are_counted_per_file)
{
	struct tfr_writer *w = NULL;
	struct told t;

	cr_assert_eq(tfr_writer_open(&w, "raw", NULL, NULL), TFR_OK);
	for (int i = 0; i < 5000; i++)
		cr_assert_eq(tfr_writer_put(w, "\xff\xff", 2, NULL), TFR_OK);
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	t = check("raw", (struct tfr_check_opts){ .example = true });
	cr_assert_eq(t.faults, 1);
	cr_assert_eq(t.of_kinds, 5000);
	cr_assert_eq(t.all.faults, 1);
}

Test(check, what_is_no_example_among_examples_is_counted_by_its_reason)
{
	struct tfr_writer *w = NULL;
	struct told t;

	cr_assert_eq(tfr_writer_open(&w, "mixed", NULL, NULL), TFR_OK);
	for (int i = 0; i < 900; i++) {
		cr_assert_eq(tfr_writer_put(w, "\xff\xff", 2, NULL), TFR_OK);
		cr_assert_eq(
			tfr_writer_put(w, "\x0a\x07\x0a\x05\x0a\x01\x61\x12\x00", 9, NULL), TFR_OK);
		cr_assert_eq(tfr_writer_put(w, "\x08\x09\x12\x00\x50\x01", 6, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_writer_publish(w, NULL), TFR_OK);
	tfr_writer_close(w);
	t = check("mixed", (struct tfr_check_opts){ .example = true });
	cr_assert_eq(t.faults, 2);
	cr_assert_eq(t.all.faults, 1800);
	cr_assert_not_null(
		strstr(t.text[0], "number cut short, at byte 0 in 'mixed', record 0, offset 0"),
		"%s", t.text[0]);
	cr_assert_not_null(strstr(t.text[1], "not an Example: a TensorProto in 'mixed', record 2"),
		"%s", t.text[1]);
}

Test(check, images_must_decode)
{
	struct told t;

	write_example("a", "no picture", 10);
	cr_assert_eq(check("a", (struct tfr_check_opts){ .example = true }).faults, 0);
	t = check("a", (struct tfr_check_opts){ .decode = true });
	cr_assert_eq(t.faults, 1);
	cr_assert_not_null(strstr(t.text[0], "image/encoded: "), "%s", t.text[0]);
	cr_assert_not_null(strstr(t.text[0], "in 'a', record 0, offset 0"), "%s", t.text[0]);
}
