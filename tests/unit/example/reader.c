/* The reader against what upb does with the same bytes: each case is a row that was run there. */
#include <criterion/criterion.h>
#include <stdio.h>

#include <tfr-private/example.h>

#include "unit/example/hex.h"

static char *dump(struct tfr_example *ex)
{
	static char text[1024];
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);
		struct tfr_cursor c;
		struct tfr_bytes b;
		int64_t v;
		float x;

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s:%s(", n ? " " : "",
			(int)f->key_size, f->key, tfr_kind_name(f->kind));
		tfr_cursor_init(&c, f);
		while (tfr_cursor_bytes(&c, &b))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s,", (int)b.size,
				(const char *)b.data);
		while (tfr_cursor_float(&c, &x))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%g,", (double)x);
		while (tfr_cursor_int64(&c, &v))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%lld,", (long long)v);
		n += (size_t)snprintf(
			text + n, sizeof(text) - n, "%llu)", (unsigned long long)f->count);
	}
	return text;
}

static void expect(struct hex record, const char *expected)
{
	struct tfr_example *ex = tfr_example_new();
	struct tfr_error err = { 0 };
	uint8_t *exact =
		malloc(record.size ? record.size : 1); /* so that reading past the end is seen */

	memcpy(exact, record.data, record.size);
	if (tfr_example_parse(ex, exact, record.size, &err))
		cr_assert_str_eq(err.message, expected);
	else
		cr_assert_str_eq(dump(ex), expected);
	free(exact);
	tfr_example_free(ex);
}

Test(reader, golden_bytes_of_tensorflow)
{
	expect(hex("0a150a130a0161120e1a0c0a0affffffffffffffffff01"), "a:int64(-1,1)");
	expect(hex("0a0f0a0d0a0161120812060a040000803f"), "a:float(1,1)");
	expect(hex("0a0e0a0c0a016112070a050a000a0178"), "a:bytes(,x,2)");
	expect(hex("0a070a050a01611200"), "a:unset(0)");
	expect(hex("0a090a070a016112021a00"), "a:int64(0)");
	expect(hex(""), "");
}

Test(reader, packed_unpacked_and_both)
{
	expect(example_a("1a04 0801 0802"), "a:int64(1,2,2)");
	expect(example_a("1a08 0a020102 0a020304"), "a:int64(1,2,3,4,4)");
	expect(example_a("1a06 0a020102 0803"), "a:int64(1,2,3,3)");
	expect(example_a("1a06 0801 0a020203"), "a:int64(1,2,3,3)");
	expect(example_a("1a04 0a020102 1a03 0a0103"), "a:int64(1,2,3,3)");
	expect(example_a("1a04 0a020102 1a00"), "a:int64(1,2,2)");
	expect(example_a("1a00 1a04 0a020102"), "a:int64(1,2,2)");
	expect(example_a("1a03 0a0101 1a03 0a0102 1a03 0a0103"), "a:int64(1,2,3,3)");
	expect(example_a("120a 0d0000803f 0d00000040"), "a:float(1,2,2)");
	expect(example_a("120b 0a040000803f 0d00000040"), "a:float(1,2,2)");
	expect(example_a("1a02 0a00"), "a:int64(0)");
}

Test(reader, two_kinds_the_last_wins)
{
	expect(example_a("1a03 0a0101 0a03 0a0178"), "a:bytes(x,1)");
	expect(example_a("0a03 0a0178 1a03 0a0101 0a03 0a0179"), "a:bytes(y,1)");
	expect(example_a("1a03 0a0101 1a03 0a0102 1200"), "a:float(0)");
	expect(example_a("1a03 0a0101 1a03 0a0102 1200 1a00"), "a:int64(0)");
}

Test(reader, keys_and_entries)
{
	struct hex one = example_a("1a03 0a0101"), two = example_a("1a03 0a0102");

	expect(join(one, two), "a:int64(2,1)");		/* Example + Example */
	expect(join(one, example_a("")), "a:unset(0)"); /* the last has kind unset */
	expect(field(1, join(hex("0a0a 0a0162 1205 1a030a0102"),
				hex("0a0a 0a0161 1205 1a030a0101"))),
		"a:int64(1,1) b:int64(2,1)");
	expect(field(1, field(1, hex("1205 1a030a0101 0a0161"))),
		"a:int64(1,1)");					   /* value before key */
	expect(field(1, field(1, hex("1205 1a030a0101"))), ":int64(1,1)"); /* no key */
	expect(field(1, join(field(1, hex("1205 1a030a0101")), field(1, hex("1205 1a030a0102")))),
		":int64(2,1)");						   /* the same key */
	expect(field(1, field(1, hex("0a0161"))), "a:unset(0)");	   /* no value */
	expect(field(1, field(1, hex(""))), ":unset(0)");
	expect(field(1, field(1, hex("0a0161 0a0162 1205 1a030a0101"))), "b:int64(1,1)");
	expect(field(1, field(1, hex("0a0161 1205 1a030a0101 1205 1a030a0102"))), "a:int64(1,2,2)");
	expect(field(1, field(1, hex("0a0161 1205 1a030a0101 1800"))),
		"");					    /* unknown field: dropped */
	expect(field(1, field(1, hex("0801 0a0161"))), ""); /* key of another wire type: unknown */
	expect(field(1, join(field(1, hex("0a0162 1800")), field(1, hex("0a0161")))), "a:unset(0)");
}

Test(reader, unknown_fields_are_skipped)
{
	expect(join(hex("1801 2500000000 29 0000000000000000 3201ff"), example_a("1a030a0101")),
		"a:int64(1,1)");
	expect(join(hex("1b 0801 23 24 1c"), example_a("1a030a0101")), "a:int64(1,1)"); /* groups */
	expect(field(1, join(hex("1001"), field(1, hex("0a0161")))),
		"a:unset(0)");					     /* in Features */
	expect(example_a("2001 1a030a0101 2201ff"), "a:int64(1,1)"); /* in Feature */
	expect(example_a("0801 1a030a0101"), "a:int64(1,1)");	     /* kind of another wire type */
	expect(example_a("1a07 1001 0a0101 1001"), "a:int64(1,1)");  /* in the list */
	expect(example_a("1a05 0d01000000"), "a:int64(0)"); /* value of another wire type */
	expect(example_a("0a05 0801 0a0178"), "a:bytes(x,1)");
	expect(join(hex("8a00 07"), hex("0a050a0161 1200")), "a:unset(0)"); /* non-minimal tag */
}

Test(reader, keys_that_are_not_utf8_are_read)
{
	struct tfr_example *ex = tfr_example_new();
	struct hex r = field(1, field(1, hex("0a02ff00 1205 1a030a0107")));
	int64_t v = 0;

	cr_assert_eq(tfr_example_parse(ex, r.data, r.size, NULL), TFR_OK);
	cr_assert(tfr_feature_int64(tfr_example_find(ex, "\xff\0", 2), 0, &v));
	cr_assert_eq(v, 7);
	cr_assert_null(tfr_example_get(ex, "\xff"));
	tfr_example_free(ex);
}

Test(reader, faults_name_their_byte)
{
	expect(hex("0a150a130a0161120e1a0c0a0bffffffffffffffffffff01"),
		"not an Example: field runs past the end of what holds it, at byte 11");
	expect(example_a("1a0d 0a0b ffffffffffffffffffff01"),
		"not an Example: number longer than 10 bytes, at byte 13");
	expect(example_a("1a0c 08 ffffffffffffffffffff01"),
		"not an Example: number longer than 10 bytes, at byte 12");
	expect(example_a("1a03 0a0180"), "not an Example: number cut short, at byte 13");
	expect(example_a("1207 0a05 0000803f00"),
		"not an Example: packed floats whose length is not a multiple of 4, at byte 13");
	expect(hex("00"), "not an Example: field number 0, at byte 0");
	expect(hex("0a000f"), "not an Example: wire type that does not exist, at byte 2");
	expect(hex("0c"), "not an Example: end of a group that was never opened, at byte 0");
	expect(hex("1b 0801"), "not an Example: group without an end, at byte 3");
	expect(hex("1b 24"),
		"not an Example: end of another group than the one it is in, at byte 1");
	expect(hex("ffffffffff7f"), "not an Example: tag or length out of range, at byte 0");
	expect(join(example_a("1a030a0101"), hex("00")),
		"not an Example: field number 0, at byte 14");
}

Test(reader, every_truncation_is_seen_or_an_example)
{
	struct hex r = join(join(example_a("1a04 0a020102"), hex("1b 0801 1c")),
		example_a("120b 0a040000803f 0d00000040"));
	struct tfr_example *ex = tfr_example_new();

	for (size_t n = 0; n < r.size; n++) {
		uint8_t *exact = malloc(n ? n : 1);

		memcpy(exact, r.data, n);
		if (n == 0 || n == 15 || n == 19) /* the ends of the three parts */
			cr_assert_eq(tfr_example_parse(ex, exact, n, NULL), TFR_OK, "at %zu", n);
		else
			cr_assert_eq(tfr_example_parse(ex, exact, n, NULL), TFR_EDATA, "at %zu", n);
		free(exact);
	}
	tfr_example_free(ex);
}

Test(reader, values_are_copied_out_from_any_place)
{
	struct hex packed = example_a("1a06 0a04 01 02 8001"),
		   loose = example_a("1a08 0801 0802 0a028001");
	struct tfr_example *ex = tfr_example_new();
	int64_t out[4];
	float f;

	for (int i = 0; i < 2; i++) {
		struct hex *r = i ? &loose : &packed;
		const struct tfr_feature *a;

		cr_assert_eq(tfr_example_parse(ex, r->data, r->size, NULL), TFR_OK);
		a = tfr_example_get(ex, "a");
		cr_assert_eq(tfr_feature_int64s(a, 0, out, 4), 3);
		cr_assert(out[0] == 1 && out[1] == 2 && out[2] == 128);
		cr_assert_eq(tfr_feature_int64s(a, 1, out, 1), 1);
		cr_assert_eq(out[0], 2);
		cr_assert_eq(tfr_feature_int64s(a, 3, out, 4), 0);
		cr_assert_not(tfr_feature_float(a, 0, &f));
		cr_assert_not(tfr_feature_int64(a, 3, out));
		cr_assert_eq(tfr_feature_int64s(NULL, 0, out, 4), 0);
	}
	tfr_example_free(ex);
}

Test(reader, bytes_are_viewed_from_any_place)
{
	struct hex r = example_a("0a08 0a0161 0a00 0a0162");
	struct tfr_example *ex = tfr_example_new();
	const struct tfr_feature *a;
	struct tfr_bytes out[4];

	cr_assert_eq(tfr_example_parse(ex, r.data, r.size, NULL), TFR_OK);
	a = tfr_example_find(ex, "a", 1);
	cr_assert_eq(tfr_feature_bytes_list(a, 0, out, 4), 3);
	cr_assert(out[0].size == 1 && *out[0].data == 'a' && !out[1].size && *out[2].data == 'b');
	cr_assert_eq(tfr_feature_bytes_list(a, 2, out, 1), 1);
	cr_assert_eq(*out[0].data, 'b');
	cr_assert_eq(tfr_feature_bytes_list(a, 3, out, 4), 0);
	cr_assert_eq(tfr_feature_bytes_list(NULL, 0, out, 4), 0);
	tfr_example_free(ex);
}

/* Twice as many must not take four times as long: 100,000 features in falling order, and 10 million
 * values. */
Test(reader, large_records, .timeout = 60)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_example *ex = tfr_example_new();
	const size_t n = 10000000;
	int64_t *values = malloc(n * sizeof(*values));
	const uint8_t *data;
	size_t size;
	char key[16];
	int64_t v;

	for (size_t i = 0; i < n; i++)
		values[i] = (int64_t)(i % 300);
	for (int i = 100000; i-- > 0;) {
		snprintf(key, sizeof(key), "%06d", i);
		cr_assert_eq(tfr_builder_int64(b, key, i, NULL), TFR_OK);
	}
	cr_assert_eq(tfr_builder_int64s(b, "values", values, n, NULL), TFR_OK);
	cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
	cr_assert_eq(tfr_example_parse(ex, data, size, NULL), TFR_OK);
	cr_assert_eq(tfr_example_count(ex), 100001);
	cr_assert(tfr_feature_int64(tfr_example_get(ex, "031415"), 0, &v));
	cr_assert_eq(v, 31415);
	cr_assert_eq(tfr_feature_int64s(tfr_example_get(ex, "values"), 0, values, n), n);
	cr_assert_eq(values[n - 1], (int64_t)((n - 1) % 300));
	free(values);
	tfr_builder_free(b);
	tfr_example_free(ex);
}

Test(reader, sequence_examples_are_told_by_field_2)
{
	struct hex e = example_a("1a030a0101");

	cr_assert_not(tfr_is_sequence_example(e.data, e.size));
	e = join(e, hex("1200"));
	cr_assert(tfr_is_sequence_example(e.data, e.size));
	cr_assert_not(tfr_is_sequence_example(e.data, e.size - 1));
	cr_assert_not(tfr_is_sequence_example(NULL, 0));
}
