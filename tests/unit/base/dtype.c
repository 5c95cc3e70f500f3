/* Every type has a name, its name means it, and its size is C's. */
#include <criterion/criterion.h>
#include <string.h>

#include <tfr-private/dtype.h>

static const struct {
	enum tfr_dtype dtype;
	const char *name;
	size_t size;
} expected[] = {
	{ TFR_UINT8, "uint8", sizeof(uint8_t) },
	{ TFR_FLOAT16, "float16", sizeof(uint16_t) },
	{ TFR_FLOAT32, "float32", sizeof(float) },
	{ TFR_INT64, "int64", sizeof(int64_t) },
	{ TFR_INT32, "int32", sizeof(int32_t) },
	{ TFR_INT16, "int16", sizeof(int16_t) },
	{ TFR_BFLOAT16, "bfloat16", 2 },
};

Test(dtype, names_and_sizes)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		enum tfr_dtype found = TFR_UINT8;

		cr_assert_str_eq(tfr_dtype_name(expected[i].dtype), expected[i].name);
		cr_assert_eq(tfr_dtype_size(expected[i].dtype), expected[i].size);
		cr_assert(tfr_dtype_parse(expected[i].name, &found));
		cr_assert_eq(found, expected[i].dtype);
	}
}

Test(dtype, other_names_are_none)
{
	static const char *const names[] = { "", "uint", "float", "Float32", "float32 ", "int8" };
	enum tfr_dtype dtype = TFR_INT64;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		cr_assert(!tfr_dtype_parse(names[i], &dtype), "%s", names[i]);
	cr_assert_eq(dtype, TFR_INT64);
}
