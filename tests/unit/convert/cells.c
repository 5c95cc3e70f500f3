/* Values of arrays: every size and byte order as int64, float or bytes, and what does not fit. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "convert/array/arrays.h"

/* Puts a row and parses the Example.  NULL: refused, and `err` says why. */
static struct tfr_example *put(
	struct tfr_cells *c, const void *row, struct tfr_buf *record, struct tfr_error *err)
{
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_example *ex = tfr_example_new();
	TFR_AUTO_BUF scratch = { 0 };
	const uint8_t *data;
	size_t size;

	c->name = (char *)(uintptr_t)"a";
	cr_assert(b && ex);
	if (tfr_cells_put(c, row, &scratch, b, err)) {
		tfr_example_free(ex);
		tfr_builder_free(b);
		return NULL;
	}
	cr_assert_eq(tfr_builder_flatten(b, &data, &size, NULL), TFR_OK);
	record->size = 0;
	cr_assert(tfr_buf_append(record, data, size));
	cr_assert_eq(tfr_example_parse(ex, record->data, record->size, NULL), TFR_OK);
	tfr_builder_free(b);
	return ex;
}

static struct tfr_cells cells_of(enum tfr_cell_type cell, unsigned size, bool swapped, size_t n)
{
	return (struct tfr_cells){ .cell = cell,
		.size = size,
		.swapped = swapped,
		.kind = tfr_cell_kind(cell),
		.outer = 1,
		.inner = n };
}

/* The number at place `i` of a row of integers. */
static int64_t integer(struct tfr_cells c, const void *row, uint64_t i)
{
	TFR_AUTO_BUF record = { 0 };
	struct tfr_error err = { 0 };
	struct tfr_example *ex = put(&c, row, &record, &err);
	int64_t value = 0;

	cr_assert_not_null(ex, "%s", err.message);
	cr_assert(tfr_feature_int64(tfr_example_get(ex, "a"), i, &value));
	tfr_example_free(ex);
	return value;
}

static float real(struct tfr_cells c, const void *row, uint64_t i)
{
	TFR_AUTO_BUF record = { 0 };
	struct tfr_error err = { 0 };
	struct tfr_example *ex = put(&c, row, &record, &err);
	float value = 0;

	cr_assert_not_null(ex, "%s", err.message);
	cr_assert(tfr_feature_float(tfr_example_get(ex, "a"), i, &value));
	tfr_example_free(ex);
	return value;
}

static void expect_bytes(struct tfr_cells c, const void *row, uint64_t i, const char *expected)
{
	TFR_AUTO_BUF record = { 0 };
	struct tfr_error err = { 0 };
	struct tfr_example *ex = put(&c, row, &record, &err);
	struct tfr_bytes v = { 0 };

	cr_assert_not_null(ex, "%s", err.message);
	cr_assert(tfr_feature_bytes(tfr_example_get(ex, "a"), i, &v));
	cr_expect(v.size == strlen(expected) && !memcmp(v.data, expected, v.size),
		"'%.*s', not '%s'", (int)v.size, (const char *)v.data, expected);
	tfr_example_free(ex);
}

Test(cells, integers_of_every_size)
{
	/* -2 and 300 in both orders of bytes; the last byte of a row is not read too far. */
	for (unsigned size = 1; size <= 8; size *= 2)
		for (int swapped = 0; swapped < 2; swapped++) {
			uint8_t row[16];

			memset(row, 0xff, sizeof(row));
			row[swapped ? size - 1 : 0] = 0xfe;
			cr_expect_eq(integer(cells_of(TFR_CELL_INT, size, swapped, 1), row, 0), -2);
			if (size < 8)
				cr_expect_eq(integer(cells_of(TFR_CELL_UINT, size, swapped, 1), row, 0),
					(INT64_C(1) << 8 * size) - 2);
			memset(row, 0, sizeof(row));
			row[size + (swapped ? size - 1 : 0)] = 44;
			if (size > 1)
				row[size + (swapped ? size - 2 : 1)] = 1;
			cr_expect_eq(integer(cells_of(TFR_CELL_INT, size, swapped, 2), row, 1),
				size > 1 ? 300 : 44);
			cr_expect_eq(integer(cells_of(TFR_CELL_INT, size, swapped, 2), row, 0), 0);
		}
	cr_expect_eq(integer(cells_of(TFR_CELL_BOOL, 1, false, 3), "\0\1\2", 2), 1);
	cr_expect_eq(integer(cells_of(TFR_CELL_BOOL, 1, false, 3), "\0\1\2", 0), 0);
}

Test(cells, integers_that_do_not_fit)
{
	struct tfr_cells c = cells_of(TFR_CELL_UINT, 8, false, 1);
	TFR_AUTO_BUF record = { 0 };
	struct tfr_error err = { 0 };
	uint64_t v = (uint64_t)INT64_MAX + 1;

	cr_expect_null(put(&c, &v, &record, &err));
	cr_expect_eq(err.status, TFR_EDATA);
	cr_expect_str_eq(err.message, "'a' has 9223372036854775808, which int64 cannot hold");
	v--;
	cr_expect_eq(integer(c, &v, 0), INT64_MAX);
}

Test(cells, floats)
{
	static const uint8_t halves[] = { 0x00, 0x3c, 0x00, 0xc0 }, big_half[] = { 0x3c, 0x00 };
	double wide[3] = { 0.1, -INFINITY, 1e-300 }, huge = 1e39;
	struct tfr_cells c = cells_of(TFR_CELL_FLOAT, 8, false, 1);
	TFR_AUTO_BUF record = { 0 };
	struct tfr_error err = { 0 };
	uint8_t swapped[8];
	float f = 1.5f;

	cr_expect_eq(real(cells_of(TFR_CELL_FLOAT, 2, false, 2), halves, 0), 1.0f);
	cr_expect_eq(real(cells_of(TFR_CELL_FLOAT, 2, false, 2), halves, 1), -2.0f);
	cr_expect_eq(real(cells_of(TFR_CELL_FLOAT, 2, true, 1), big_half, 0), 1.0f);
	cr_expect_eq(real(cells_of(TFR_CELL_FLOAT, 4, false, 1), &f, 0), 1.5f);
	cr_expect_eq(real(cells_of(TFR_CELL_FLOAT, 8, false, 3), wide, 0), 0.1f);
	cr_expect_eq(real(cells_of(TFR_CELL_FLOAT, 8, false, 3), wide, 1), -INFINITY);
	cr_expect_eq(real(cells_of(TFR_CELL_FLOAT, 8, false, 3), wide, 2), 0.0f);
	for (int i = 0; i < 8; i++)
		swapped[i] = ((uint8_t *)wide)[7 - i];
	cr_expect_eq(real(cells_of(TFR_CELL_FLOAT, 8, true, 1), swapped, 0), 0.1f);
	cr_expect_null(put(&c, &huge, &record, &err));
	cr_expect_str_eq(err.message, "'a' has 1e+39, which float cannot hold");
}

/* Fields of a structured array, and a row in Fortran order, are groups with gaps between them. */
Test(cells, groups)
{
	static const uint8_t row[] = { 9, 1, 2, 9, 9, 3, 4, 9, 9, 5, 6, 9 };
	struct tfr_cells c = cells_of(TFR_CELL_UINT, 1, false, 2);

	c.at = 1;
	c.outer = 3;
	c.stride = 4;
	for (uint64_t i = 0; i < 6; i++)
		cr_expect_eq(integer(c, row, i), (int64_t)i + 1);
	c.raw = true;
	c.kind = TFR_KIND_BYTES;
	expect_bytes(c, row, 0, "\1\2\3\4\5\6");
}

Test(cells, other_kinds)
{
	struct tfr_cells c = cells_of(TFR_CELL_INT, 2, true, 2);
	struct tfr_error err = { 0 };

	c.name = (char *)(uintptr_t)"a";
	cr_expect_eq(tfr_cells_become(&c, TFR_KIND_FLOAT, &err), TFR_OK);
	cr_expect_eq(real(c, "\xff\xfe\1\0", 0), -2.0f);
	cr_expect_eq(real(c, "\xff\xfe\1\0", 1), 256.0f);
	c = cells_of(TFR_CELL_INT, 2, true, 2);
	c.name = (char *)(uintptr_t)"a";
	cr_expect_eq(tfr_cells_become(&c, TFR_KIND_BYTES, &err), TFR_OK);
	expect_bytes(c, "ab" "cd", 0, "badc");
	c = cells_of(TFR_CELL_FLOAT, 4, false, 1);
	c.name = (char *)(uintptr_t)"a";
	cr_expect_eq(tfr_cells_become(&c, TFR_KIND_INT64, &err), TFR_EUSAGE);
	cr_expect_str_eq(err.message, "'a' has floats, which int64 cannot hold");
	c = cells_of(TFR_CELL_BYTES, 4, false, 1);
	c.name = (char *)(uintptr_t)"a";
	cr_expect_eq(tfr_cells_become(&c, TFR_KIND_FLOAT, &err), TFR_EUSAGE);
	cr_expect_str_eq(err.message, "'a' has texts, which float cannot hold");
	cr_expect_eq(tfr_cells_become(&c, TFR_KIND_BYTES, &err), TFR_OK);
	cr_expect_not(c.raw);
}

Test(cells, texts)
{
	static const uint32_t wide[] = { 'A', 0xe9, 0x20ac, 0x1f600, 0, 0 };
	uint32_t bad[] = { 'x', 0xd800 };
	struct tfr_bytes views[] = { { (const uint8_t *)"one", 3 }, { NULL, 0 } };
	struct tfr_cells c = cells_of(TFR_CELL_UCS4, sizeof(bad), false, 1);
	TFR_AUTO_BUF record = { 0 };
	struct tfr_error err = { 0 };

	/* NULs or spaces at the end are padding; within a text they are not. */
	expect_bytes(cells_of(TFR_CELL_BYTES, 4, false, 2), "ab\0\0cdef", 0, "ab");
	expect_bytes(cells_of(TFR_CELL_BYTES, 4, false, 2), "ab\0\0cdef", 1, "cdef");
	expect_bytes(cells_of(TFR_CELL_BYTES, 4, false, 1), "ab  ", 0, "ab  ");
	expect_bytes(cells_of(TFR_CELL_BLANK, 4, false, 1), " b  ", 0, " b");
	expect_bytes(cells_of(TFR_CELL_BLANK, 4, false, 1), "    ", 0, "");
	expect_bytes(cells_of(TFR_CELL_FIRST, 4, false, 1), "a\0b\0", 0, "a");
	expect_bytes(cells_of(TFR_CELL_FIRST, 4, false, 1), "abcd", 0, "abcd");
	expect_bytes(cells_of(TFR_CELL_TEXT, sizeof(*views), false, 2), views, 0, "one");
	expect_bytes(cells_of(TFR_CELL_TEXT, sizeof(*views), false, 2), views, 1, "");
	expect_bytes(cells_of(TFR_CELL_UCS4, sizeof(wide), false, 1), wide, 0,
		"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_bytes(cells_of(TFR_CELL_UCS4, 8, true, 1), "\0\0\0B\0\0\x20\xac", 0, "B\xe2\x82\xac");
	cr_expect_null(put(&c, bad, &record, &err));
	cr_expect_str_eq(err.message, "'a' has the code point 0xd800, which is not a character");
	bad[1] = 0x110000;
	cr_expect_null(put(&c, bad, &record, &err));
	cr_expect_str_eq(err.message, "'a' has the code point 0x110000, which is not a character");
}

Test(cells, shape)
{
	struct tfr_cells c = cells_of(TFR_CELL_UINT, 1, false, 6);
	TFR_AUTO_BUF record = { 0 };
	struct tfr_example *ex;
	int64_t dim = 0;

	c.shape_name = (char *)(uintptr_t)"a/shape";
	c.dims = 2;
	c.shape[0] = 2;
	c.shape[1] = 3;
	ex = put(&c, "\1\2\3\4\5\6", &record, NULL);
	cr_assert_not_null(ex);
	cr_expect_eq(tfr_example_get(ex, "a/shape")->count, 2);
	cr_assert(tfr_feature_int64(tfr_example_get(ex, "a/shape"), 1, &dim));
	cr_expect_eq(dim, 3);
	cr_expect_eq(tfr_example_get(ex, "a")->count, 6);
	tfr_example_free(ex);
}
