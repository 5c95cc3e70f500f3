/* Where readers differ, on records written byte by byte as protobuf allows and its writers avoid:
 * how many differences each has, and that a record without one has none.  The layout of files:
 * members of GZIP, streams of ZLIB, bytes after the end. */
#include <zlib.h>

#include <tfr-private/check.h>

#include "support/examples.h"

static char *dir;

static void setup(void)
{
	dir = temp_enter_fast();
}

static void teardown(void)
{
	temp_leave(dir);
}

TestSuite(strict, .init = setup, .fini = teardown);

struct told {
	char text[12][600];
	size_t faults;
	struct tfr_check_file file;
};

static void on_fault(
	void *ctx, const char *path, const struct tfr_error *err, const struct tfr_check_kind *kind)
{
	struct told *t = ctx;

	(void)path, (void)kind;
	cr_assert_lt(t->faults, 12);
	tfr_error_format(err, t->text[t->faults++], sizeof(*t->text));
}

static void on_file(void *ctx, const struct tfr_check_file *file)
{
	((struct told *)ctx)->file = *file;
}

static struct told check(const char *input, struct tfr_check_opts opts)
{
	struct tfr_set_opts inputs = { .inputs = &input, .count = 1 };
	struct tfr_set *set = NULL;
	struct told t = { 0 };

	opts.fault = on_fault;
	opts.file = on_file;
	opts.ctx = &t;
	cr_assert_eq(tfr_set_open(&set, &inputs, NULL), TFR_OK);
	cr_assert_eq(tfr_check_set(set, &opts, NULL), TFR_OK);
	tfr_set_close(set);
	return t;
}

/* --- records --- */

static const struct wire {
	const char *name, *bytes;
	size_t size, faults;
} wires[] = {
	{ "good", "\x0a\x0c\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x07", 14, 0 },
	{ "empty", "", 0, 0 },
	{ "no-features", "\x0a\x00", 2, 0 },
	{ "unpacked", "\x0a\x0d\x0a\x0b\x0a\x01\x61\x12\x06\x1a\x04\x08\x03\x08\x03", 15, 0 },
	{ "value-first", "\x0a\x0c\x0a\x0a\x12\x05\x1a\x03\x0a\x01\x01\x0a\x01\x61", 14, 0 },
	{ "two-chunks",
		"\x0a\x11\x0a\x0f\x0a\x01\x61\x12\x0a\x1a\x08\x0a\x02\x01\x02\x0a\x02\x01\x02", 19,
		1 },
	{ "packed-then-single",
		"\x0a\x0f\x0a\x0d\x0a\x01\x61\x12\x08\x1a\x06\x0a\x02\x01\x02\x08\x03", 17, 1 },
	{ "single-then-packed",
		"\x0a\x0f\x0a\x0d\x0a\x01\x61\x12\x08\x1a\x06\x08\x03\x0a\x02\x01\x02", 17, 1 },
	{ "two-float-chunks",
		"\x0a\x15\x0a\x13\x0a\x01\x61\x12\x0e\x12\x0c\x0a\x04\x00\x00\xc0?"
		"\x0a\x04\x00\x00\xc0?",
		23, 1 },
	{ "packed-then-fixed32",
		"\x0a\x14\x0a\x12\x0a\x01\x61\x12\x0d\x12\x0b\x0a\x04\x00\x00\xc0?"
		"\x0d\x00\x00\xc0?",
		22, 1 },
	{ "two-lists",
		"\x0a\x11\x0a\x0f\x0a\x01\x61\x12\x0a\x1a\x03\x0a\x01\x01\x1a\x03\x0a\x01\x02", 19,
		1 },
	{ "two-bytes-lists",
		"\x0a\x11\x0a\x0f\x0a\x01\x61\x12\x0a\x0a\x03\x0a\x01x\x0a\x03\x0a\x01y", 19, 1 },
	{ "mixed-kinds",
		"\x0a\x14\x0a\x12\x0a\x01\x61\x12\x0d\x1a\x03\x0a\x01\x01\x12\x06\x0a\x04\x00\x00"
		"\x00@",
		22, 1 },
	{ "name-twice",
		"\x0a$"
		"\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01\x0a\x0a\x0a\x01\x62\x12\x05\x1a"
		"\x03\x0a\x01\x02\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x03",
		38, 1 },
	{ "name-twice-unset",
		"\x0a\x13\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01\x0a\x05\x0a\x01\x61\x12"
		"\x00",
		21, 2 },
	{ "concatenated",
		"\x0a\x0c\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01\x0a\x0c\x0a\x0a\x0a\x01"
		"\x62\x12\x05\x1a\x03\x0a\x01\x02",
		28, 1 },
	{ "concatenated-same",
		"\x0a\x0c\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01\x0a\x0c\x0a\x0a\x0a\x01"
		"\x61\x12\x05\x1a\x03\x0a\x01\x02",
		28, 2 },
	{ "unset", "\x0a\x07\x0a\x05\x0a\x01\x61\x12\x00", 9, 1 },
	{ "no-value", "\x0a\x05\x0a\x03\x0a\x01\x61", 7, 1 },
	{ "no-name", "\x0a\x09\x0a\x07\x12\x05\x1a\x03\x0a\x01\x01", 11, 1 },
	{ "name-again", "\x0a\x0f\x0a\x0d\x0a\x01\x61\x0a\x01\x62\x12\x05\x1a\x03\x0a\x01\x01", 17,
		1 },
	{ "value-again",
		"\x0a\x13\x0a\x11\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01\x12\x05\x1a\x03\x0a\x01"
		"\x02",
		21, 2 },
	{ "unknown-in-entry", "\x0a\x0f\x0a\x0d\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01J\x01?", 17,
		1 },
	{ "unknown-in-example", "\x0a\x0c\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01J\x01?",
		17, 1 },
	{ "group-in-example", "\x0a\x0c\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01+,", 16, 1 },
	{ "unknown-in-features", "\x0a\x0f\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01J\x01?",
		17, 1 },
	{ "unknown-before-kind", "\x0a\x0f\x0a\x0d\x0a\x01\x61\x12\x08J\x01?\x1a\x03\x0a\x01\x01",
		17, 1 },
	{ "unknown-behind-kind", "\x0a\x0f\x0a\x0d\x0a\x01\x61\x12\x08\x1a\x03\x0a\x01\x01J\x01?",
		17, 1 },
	{ "unknown-before-values",
		"\x0a\x10\x0a\x0e\x0a\x01\x61\x12\x09\x1a\x07J\x01?\x0a\x02\x01\x02", 18, 1 },
	{ "unknown-behind-values",
		"\x0a\x10\x0a\x0e\x0a\x01\x61\x12\x09\x1a\x07\x0a\x02\x01\x02J\x01?", 18, 1 },
	{ "wrong-type-in-list",
		"\x0a\x12\x0a\x10\x0a\x01\x61\x12\x0b\x1a\x09\x0d\x00\x00\xc0?\x0a\x02\x01\x02", 20,
		1 },
	{ "not-utf8", "\x0a\x0f\x0a\x0d\x0a\x04\x63\x61\x66\xe9\x12\x05\x1a\x03\x0a\x01\x01", 17,
		1 },
	{ "nul-and-newline", "\x0a\x0b\x0a\x09\x0a\x05\x61\x00\x62\x0a\x63\x12\x00", 13, 1 },
	{ "long-tag", "\x8a\x00\x0c\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01", 15, 1 },
	{ "long-tag-in-entry", "\x0a\x0d\x0a\x0b\x8a\x00\x01\x61\x12\x05\x1a\x03\x0a\x01\x01", 15,
		1 },
	{ "long-tag-in-list", "\x0a\x0d\x0a\x0b\x0a\x01\x61\x12\x06\x1a\x04\x8a\x00\x01\x07", 15,
		1 },
	{ "several",
		"\x0a\x1f\x0a\x1d\x0a\x01\xff\x12\x18J\x01?"
		"\x1a\x0b\x0a\x02\x01\x02\x0a\x02\x01\x02J\x01?\x12\x06\x0a\x04\x00\x00\x80?J\x01?",
		36, 6 },
	{ "frames",
		"\x0a\x0c\x0a\x0a\x0a\x01\x61\x12\x05\x1a\x03\x0a\x01\x01\x12\x15\x0a\x13\x0a\x01s"
		"\x12\x0e\x0a\x05\x1a\x03\x0a\x01\x01\x0a\x05\x1a\x03\x0a\x01\x02",
		37, 0 },
	{ "frame-unset", "\x12\x09\x0a\x07\x0a\x01s\x12\x02\x0a\x00", 11, 1 },
	{ "frame-two-chunks",
		"\x12\x13\x0a\x11\x0a\x01s\x12\x0c\x0a\x0a\x1a\x08\x0a\x02\x01\x02\x0a\x02\x01\x02",
		21, 1 },
	{ "frames-twice",
		"\x12\x1c\x0a\x0c\x0a\x01s\x12\x07\x0a\x05\x1a\x03\x0a\x01\x01\x0a\x0c\x0a\x01s\x12"
		"\x07\x0a\x05\x1a\x03\x0a\x01\x02",
		30, 1 },
	{ "frames-unknown", "\x12\x11\x0a\x0f\x0a\x01s\x12\x0aJ\x01?\x0a\x05\x1a\x03\x0a\x01\x01",
		19, 1 },
	{ "raw", "just some bytes", 15, 0 },
	{ "event", "\x09\x00\x00\x00\x00\x00\x00\xf0?\x1a\x0d\x62rain.Event:2", 24, 0 },
	{ "snapshot", "\x08\x09\x12\x00\x22\x08\x00\x00\x00\x00\x00\x00\x00\x00", 14, 0 },
};

enum { WIRES = sizeof(wires) / sizeof(*wires) };

Test(strict, every_difference_of_a_record)
{
	for (size_t i = 0; i < WIRES; i++) {
		struct examples x = examples_open("in");
		struct told t;

		examples_raw(&x, wires[i].bytes, wires[i].size);
		examples_close(&x);
		t = check("in", (struct tfr_check_opts){ .strict = true });
		cr_assert_eq(t.faults, wires[i].faults, "%s: %zu, %s", wires[i].name, t.faults,
			t.text[0]);
		cr_assert_eq(
			check("in", (struct tfr_check_opts){ 0 }).faults, 0, "%s", wires[i].name);
	}
}

static void ignore(
	void *ctx, const char *path, const struct tfr_error *err, const struct tfr_check_kind *kind)
{
	(void)ctx, (void)path, (void)err, (void)kind;
}

/* All of them in one file: differences of one kind are one fault that counts its records. */
Test(strict, differences_do_not_depend_on_the_number_of_threads)
{
	struct tfr_check_file first = { 0 };
	struct examples x = examples_open("in");
	uint64_t all = 0;

	for (int n = 0; n < 50; n++)
		for (size_t i = 0; i < WIRES; i++) {
			examples_raw(&x, wires[i].bytes, wires[i].size);
			all += wires[i].faults;
		}
	examples_close(&x);
	for (unsigned threads = 1; threads <= 3; threads++) {
		struct tfr_check_opts opts = { .strict = true, .threads = threads };
		const char *input = "in";
		struct tfr_set_opts inputs = { .inputs = &input, .count = 1 };
		struct tfr_set *set = NULL;
		struct told t = { 0 };

		opts.file = on_file;
		opts.fault = ignore;
		opts.ctx = &t;
		cr_assert_eq(tfr_set_open(&set, &inputs, NULL), TFR_OK);
		cr_assert_eq(tfr_check_set(set, &opts, NULL), TFR_OK);
		tfr_set_close(set);
		cr_assert_eq(t.file.faults, all);
		if (threads == 1)
			first = t.file;
		cr_assert_eq(t.file.records, first.records);
	}
}

/* Known features of images have one kind. */
Test(strict, known_features_of_another_kind)
{
	struct examples x = examples_open("in");
	struct told t;

	examples_int64(&x, "image/height", 3);
	examples_text(&x, "image/encoded", "?");
	examples_float(&x, "image/else", 1);
	examples_end(&x);
	examples_close(&x);
	cr_assert_eq(check("in", (struct tfr_check_opts){ .strict = true }).faults, 0);
	x = examples_open("in");
	examples_float(&x, "image/height", 3);
	examples_int64(&x, "image/encoded", 3);
	examples_end(&x);
	examples_close(&x);
	t = check("in", (struct tfr_check_opts){ .strict = true });
	cr_assert_eq(t.faults, 2);
	cr_assert_not_null(strstr(t.text[0], "image/encoded"), "%s", t.text[0]);
	cr_assert_not_null(strstr(t.text[1], "image/height"), "%s", t.text[1]);
}

/* --- files --- */

static void write_ten(const char *path, enum tfr_compression compression)
{
	struct tfr_writer_opts opts = { .force = true, .compression = compression };
	struct examples x = { .b = tfr_builder_new() };

	cr_assert_eq(tfr_writer_open(&x.w, path, &opts, NULL), TFR_OK);
	for (int i = 0; i < 10; i++) {
		examples_int64(&x, "id", i);
		examples_end(&x);
	}
	examples_close(&x);
}

static void append(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "ab");

	cr_assert_eq(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

Test(strict, an_empty_file)
{
	temp_write("in", "", 0);
	cr_assert_eq(check("in", (struct tfr_check_opts){ 0 }).faults, 0);
	cr_assert_eq(check("in", (struct tfr_check_opts){ .strict = true }).faults, 1);
}

Test(strict, several_members_and_streams)
{
	static const enum tfr_compression both[] = { TFR_COMPRESSION_GZIP, TFR_COMPRESSION_ZLIB };

	for (int i = 0; i < 2; i++) {
		size_t size;
		struct told t;
		char *bytes;

		write_ten("in", both[i]);
		cr_assert_eq(check("in", (struct tfr_check_opts){ .strict = true }).faults, 0);
		bytes = examples_slurp("in", &size);
		append("in", bytes, size);
		t = check("in", (struct tfr_check_opts){ 0 });
		cr_assert(t.faults == 0 && t.file.records == 20);
		t = check("in", (struct tfr_check_opts){ .strict = true });
		cr_assert_eq(t.faults, 1);
		/* TensorFlow reads the first ZLIB stream only. */
		if (both[i] == TFR_COMPRESSION_ZLIB)
			cr_assert_not_null(strstr(t.text[0], "10 of 20"), "%s", t.text[0]);
		free(bytes);
	}
}

/* A member without content before another. */
Test(strict, an_empty_member)
{
	uint8_t member[64];
	z_stream z = { 0 };
	size_t size, empty;
	char *bytes;
	struct told t;

	cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = member;
	z.avail_out = sizeof(member);
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	empty = sizeof(member) - z.avail_out;
	deflateEnd(&z);
	write_ten("in", TFR_COMPRESSION_GZIP);
	bytes = examples_slurp("in", &size);
	temp_write("in", member, empty);
	append("in", bytes, size);
	t = check("in", (struct tfr_check_opts){ .strict = true });
	cr_assert_eq(t.file.records, 10);
	cr_assert_eq(t.faults, 2, "%s", t.text[0]);
	free(bytes);
}

/* Bytes after the last record, which TensorFlow takes for the end if there are fewer than 12. */
Test(strict, bytes_after_the_end)
{
	for (size_t n = 1; n <= 16; n++) {
		struct told t;

		write_ten("in", TFR_COMPRESSION_NONE);
		append("in", "0123456789abcdef", n);
		t = check("in", (struct tfr_check_opts){ .strict = true });
		cr_assert_eq(t.faults, 1, "%zu", n);
		cr_assert_eq(t.file.records, 10);
		cr_assert_eq(t.file.lost_bytes, n);
		cr_assert_eq(
			strstr(t.text[0], "TensorFlow fails") != NULL, n >= 12, "%s", t.text[0]);
	}
}

/* A record that is cut inside its payload is an error for TensorFlow too. */
Test(strict, a_record_that_is_cut)
{
	struct told t;
	struct stat st;

	write_ten("in", TFR_COMPRESSION_NONE);
	cr_assert_eq(stat("in", &st), 0);
	for (off_t cut = 1; cut < 8; cut++) {
		cr_assert_eq(truncate("in", st.st_size - cut), 0);
		t = check("in", (struct tfr_check_opts){ .strict = true });
		cr_assert_eq(t.faults, 1);
		cr_assert_eq(t.file.records, 9);
		cr_assert_null(strstr(t.text[0], "the end"), "%s", t.text[0]);
		cr_assert_not_null(strstr(t.text[0], "TensorFlow"), "%s", t.text[0]);
	}
}

/* --- manifests --- */

static void publish(const char *target, int n)
{
	struct tfr_writer_opts opts = { .force = true };
	struct tfr_set_writer *w = NULL;

	cr_assert_eq(tfr_set_writer_open(&w, target, &opts, NULL, NULL, NULL), TFR_OK);
	for (int i = 0; i < n; i++) {
		struct iovec piece = { &i, sizeof(i) };

		cr_assert_eq(tfr_set_writer_put(w, (uint32_t)i % tfr_set_writer_shards(w), &piece,
				     1, NULL, NULL),
			TFR_OK);
	}
	cr_assert_eq(tfr_set_writer_publish(w, &(struct tfr_set_info){ 0 }, NULL), TFR_OK);
	tfr_set_writer_close(w);
}

Test(strict, files_against_their_manifest)
{
	static const char path[] = "t-00001-of-00002";
	struct tfr_check_opts opts = { .manifest = true, .threads = 1 };
	struct told t;
	size_t size;
	char *bytes;

	publish("t@2", 20);
	cr_assert_eq(check("t@2", opts).faults, 0);
	bytes = examples_slurp(path, &size);
	/* A record less: records, bytes, sum and CRC differ, and that is one fault. */
	cr_assert_eq(truncate(path, (off_t)size - 20), 0);
	t = check("t@2", opts);
	cr_assert_eq(t.faults, 1);
	cr_assert(strstr(t.text[0], "9 records") && strstr(t.text[0], "CRC-32C"), "%s", t.text[0]);
	/* Two records in another order: the CRC alone differs. */
	for (int i = 0; i < 20; i++) {
		char c = bytes[i];

		bytes[i] = bytes[20 + i];
		bytes[20 + i] = c;
	}
	temp_write(path, bytes, size);
	t = check("t@2", opts);
	cr_assert_eq(t.faults, 1);
	cr_assert(!strstr(t.text[0], "records") && !strstr(t.text[0], "sum") &&
			  strstr(t.text[0], "CRC-32C"),
		"%s", t.text[0]);
	opts.quick = true;
	cr_assert_eq(check("t@2", opts).faults, 0, "the number and the size are right");
	free(bytes);
}

Test(strict, a_file_without_a_manifest)
{
	write_ten("in", TFR_COMPRESSION_NONE);
	cr_assert_eq(check("in", (struct tfr_check_opts){ .manifest = true }).faults, 1);
}

/* The sum of a file is that of its records, whatever their order. */
Test(strict, sums_of_files)
{
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	struct tfr_digest d;
	uint64_t sum = 0;

	write_ten("in", TFR_COMPRESSION_NONE);
	cr_assert_eq(tfr_reader_open(&r, "in", NULL, NULL), TFR_OK);
	while (!tfr_reader_next(r, &rec, NULL)) {
		tfr_digest_record(&rec, &d);
		sum += d.sum;
	}
	tfr_reader_close(r);
	cr_assert_eq(check("in", (struct tfr_check_opts){ .sum = true }).file.sum, sum);
}
