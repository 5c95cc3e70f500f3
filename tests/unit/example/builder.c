#include <criterion/criterion.h>
#include <stdio.h>

#include <tfr-private/example.h>

#include "unit/example/hex.h"

static void expect_bytes(struct tfr_builder *b, const char *expected)
{
	struct hex h = hex(expected);
	const uint8_t *data;
	size_t size;

	cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
	cr_assert_eq(size, h.size);
	cr_assert_arr_eq(data, h.data, size);
	tfr_builder_reset(b);
}

Test(builder, golden_bytes_of_tensorflow)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_bytes two[] = { { (const uint8_t *)"", 0 }, { (const uint8_t *)"x", 1 } };
	struct tfr_feature unset = { .key = "a", .key_size = 1 };

	expect_bytes(b, "");
	tfr_builder_int64(b, "a", -1, NULL);
	expect_bytes(b, "0a150a130a0161120e1a0c0a0affffffffffffffffff01");
	tfr_builder_floats(b, "a", &(float){ 1 }, 1, NULL);
	expect_bytes(b, "0a0f0a0d0a0161120812060a040000803f");
	tfr_builder_bytes(b, "a", two, 2, NULL);
	expect_bytes(b, "0a0e0a0c0a016112070a050a000a0178");
	tfr_builder_feature(b, &unset, NULL);
	expect_bytes(b, "0a070a050a01611200");
	tfr_builder_int64s(b, "a", NULL, 0, NULL);
	expect_bytes(b, "0a090a070a016112021a00");
	tfr_builder_int64s(b, "", NULL, 0, NULL);
	expect_bytes(b, "0a080a060a0012021a00");
	tfr_builder_free(b);
}

/* The bytes are SerializeToString(deterministic=True)'s of tf.train.SequenceExample. */
Test(builder, frames_make_a_sequence_example)
{
	struct tfr_builder *b = tfr_builder_new();
	float ones[40];

	for (size_t i = 0; i < 40; i++)
		ones[i] = 1;
	tfr_builder_frames(b, "w", (const float[]){ 1, 2, 0.5f }, 3, 2, NULL);
	tfr_builder_int64(b, "a", 1, NULL);
	expect_bytes(b, "0a0c0a0a0a016112051a030a0101121f0a1d0a017712180a0c120a0a080000803f00000040"
			"0a0812060a040000003f");
	tfr_builder_frames(b, "w", NULL, 0, 2, NULL);
	expect_bytes(b, "12070a050a01771200");
	tfr_builder_frames(b, "w", ones, 40, 40, NULL);
	expect_bytes(b, "12b2010aaf010a017712a9010aa60112a3010aa001"
			"0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f"
			"0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f"
			"0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f"
			"0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f"
			"0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f");
	expect_bytes(b, "");
	tfr_builder_free(b);
}

Test(builder, trimmed_it_is_as_new)
{
	static float values[100000];
	struct tfr_builder *b = tfr_builder_new();

	for (int again = 0; again < 2; again++) {
		const uint8_t *data;
		size_t size;

		tfr_builder_floats(b, "f", values, 100000, NULL);
		tfr_builder_frames(b, "w", values, 100000, 300, NULL);
		cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
		cr_assert_gt(size, 800000);
		cr_assert(tfr_builder_trim(b, again ? SIZE_MAX : 1000));
		expect_bytes(b, "");
		tfr_builder_floats(b, "a", &(float){ 1 }, 1, NULL);
		expect_bytes(b, "0a0f0a0d0a0161120812060a040000803f");
	}
	tfr_builder_free(b);
}

Test(builder, order_and_repetition_do_not_show)
{
	struct tfr_builder *b = tfr_builder_new();

	tfr_builder_int64(b, "b", 2, NULL);
	tfr_builder_text(b, "a", "old", NULL);
	tfr_builder_int64(b, "ab", 3, NULL);
	tfr_builder_int64(b, "a", 1, NULL);
	expect_bytes(b, "0a25 0a0a0a0161 1205 1a030a0101  0a0b0a026162 1205 1a030a0103  0a0a0a0162 "
			"1205 1a030a0102");
	tfr_builder_free(b);
}

Test(builder, a_large_value_is_a_piece_of_its_own)
{
	static uint8_t image[5000];
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_bytes values[] = { { image, sizeof(image) }, { image, 10 },
		{ image + 7, 300 } };
	struct tfr_example *ex = tfr_example_new();
	const struct iovec *pieces;
	const uint8_t *data;
	size_t size, flat_size, sum = 0, own = 0;
	int n;

	for (size_t i = 0; i < sizeof(image); i++)
		image[i] = (uint8_t)(i * 7);
	tfr_builder_int64(b, "z", 1, NULL);
	tfr_builder_bytes_ref(b, "image", values, 3, NULL);
	cr_assert_eq(tfr_builder_gather(b, &pieces, &n, &size, NULL), TFR_OK);
	cr_assert_eq(n, 5);
	cr_assert_eq(pieces[1].iov_base, (void *)image);
	cr_assert_eq(pieces[3].iov_base, (void *)(image + 7));
	for (int i = 0; i < n; i++) {
		sum += pieces[i].iov_len;
		own += i % 2 ? 0 : pieces[i].iov_len;
	}
	cr_assert_eq(sum, size);
	cr_assert_lt(own, 100);

	cr_assert_eq(tfr_builder_flatten(b, &data, &flat_size, NULL), TFR_OK);
	cr_assert_eq(flat_size, size);
	cr_assert_eq(tfr_example_parse(ex, data, flat_size, NULL), TFR_OK);
	for (size_t i = 0; i < 3; i++) {
		struct tfr_bytes got;

		cr_assert(tfr_feature_bytes(tfr_example_get(ex, "image"), i, &got));
		cr_assert_eq(got.size, values[i].size);
		cr_assert_arr_eq(got.data, values[i].data, got.size);
	}
	tfr_example_free(ex);
	tfr_builder_free(b);
}

/* What was read is written in the one form there is: unpacked values packed, long varints short. */
Test(builder, features_as_read_are_normalised)
{
	struct hex r = field(1,
		join(field(1, join(hex("0a0162"), field(2, hex("1a06 0a028100 0802")))),
			join(field(1, join(hex("0a0161"), field(2, hex("1205 0d0000803f")))),
				field(1, join(hex("0a0163"), field(2, hex("0a05 1001 0a0178")))))));
	struct tfr_example *ex = tfr_example_new();
	struct tfr_builder *b = tfr_builder_new();

	cr_assert_eq(tfr_example_parse(ex, r.data, r.size, NULL), TFR_OK);
	for (size_t i = tfr_example_count(ex); i-- > 0;)
		cr_assert_eq(tfr_builder_feature(b, tfr_example_at(ex, i), NULL), TFR_OK);
	expect_bytes(b, "0a28 0a0d0a0161 1208 12060a040000803f  0a0b0a0162 1206 1a040a020102  "
			"0a0a0a0163 1205 0a030a0178");
	tfr_builder_free(b);
	tfr_example_free(ex);
}
