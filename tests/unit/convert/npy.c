/* Headers of NPY files: what NumPy writes, and what nobody should; values of every kind. */
#include <math.h>

#include "support/temp.h"

#include "convert/array/arrays.h"

static struct tfr_buf file_of(const char *literal)
{
	struct tfr_buf b = { 0 };
	uint8_t start[] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0 };

	start[8] = (uint8_t)strlen(literal);
	start[9] = (uint8_t)(strlen(literal) >> 8);
	cr_assert(tfr_buf_append(&b, start, sizeof(start)));
	cr_assert(tfr_buf_append(&b, literal, strlen(literal)));
	return b;
}

static enum tfr_status parse(const char *literal, struct tfr_npy *h, struct tfr_error *err)
{
	TFR_AUTO_BUF file = file_of(literal);

	*h = (struct tfr_npy){ 0 };
	return tfr_npy_parse(h, file.data, file.size, err);
}

Test(npy, plain_and_structured)
{
	struct tfr_npy h;
	struct tfr_error err = { 0 };
	const struct tfr_cells *f;

	cr_assert_eq(parse("{'descr': '>f8', 'fortran_order': True, 'shape': (3, 4, 5), }  \n", &h,
			     &err),
		TFR_OK, "%s", err.message);
	f = h.fields;
	cr_assert(h.fortran && !h.structured && h.n_dims == 3 && h.dims[2] == 5 && h.element == 8);
	cr_assert(f->cell == TFR_CELL_FLOAT && f->swapped && f->size == 8 && !f->name);
	cr_assert(f->outer == 20 && f->inner == 1 && f->stride == 8 && f->dims == 2);
	tfr_npy_clear(&h);

	cr_assert_eq(parse("{\"shape\":(10L,),'fortran_order':False,'descr':[('a','<i4'),(('title',"
			   "'b'),'|S3',(2,)),('','|V5'),('in',[('x','|u1'),('y','<U2',3)])]}",
			     &h, &err),
		TFR_OK, "%s", err.message);
	f = h.fields;
	cr_assert(h.structured && h.n_fields == 4 && h.element == 4 + 6 + 5 + 1 + 24);
	cr_assert_str_eq(f[0].name, "a");
	cr_assert_str_eq(f[1].name, "b");
	cr_assert_str_eq(f[2].name, "in/x");
	cr_assert_str_eq(f[3].name, "in/y");
	cr_assert(f[1].at == 4 && f[1].inner == 2 && f[1].dims == 1 && f[1].shape[0] == 2);
	cr_assert(f[2].at == 15 && f[3].at == 16 && f[3].size == 8 && f[3].inner == 3);
	tfr_npy_clear(&h);
}

Test(npy, what_is_wrong_is_told)
{
	static const char *const rows[][2] = {
		{ "", "its header is truncated" },
		{ "{'descr': '<f4', 'fortran_order': False, }",
			"its header has too few members where 0 bytes are left" },
		{ "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
			"its header has a value that is neither True nor False where 17 bytes are "
			"left" },
		{ "{'descr': '<f4', 'descr': '<f4'}",
			"its header has a repeated member where 7 bytes are left" },
		{ "{'x': 1}", "its header has an unknown member where 3 bytes are left" },
		{ "{'shape': (-1,)}",
			"its header has a value that is not a number where 5 bytes are left" },
		{ "{'shape': (9223372036854775808,)}",
			"its header has a number that is too large where 4 bytes are left" },
		{ "{'shape': (1 2)}", "its header has no ')' where 3 bytes are left" },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1",
			"its header has more than a dictionary where 3 bytes are left" },
		{ "{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
			"it is a single value, without rows" },
		{ "{'descr': [], 'fortran_order': False, 'shape': (1,)}",
			"its elements have no fields" },
		{ "{'descr': '<f3'}", "it has elements of the type '<f3'" },
		{ "{'descr': '<f'}", "it has elements of the type '<f'" },
		{ "{'descr': ''}", "it has elements of the type ''" },
		{ "{'descr': '<i16'}", "it has elements of the type '<i16'" },
		{ "{'descr': '|b2'}", "it has elements of the type '|b2'" },
		{ "{'descr': '<f4x'}", "it has elements of the type '<f4x'" },
		{ "{'descr': '<c8'}", "it has complex numbers ('<c8')" },
		{ "{'descr': '|O'}", "it has Python objects, which are pickled ('|O')" },
		{ "{'descr': '<m8[s]'}", "it has spans of time (timedelta64) ('<m8[s]')" },
		{ "{'descr': '|S2147483648'}", "it has elements of the type '|S2147483648'" },
		{ "{'descr': [('a', '|S1', (100000, 100000))]}",
			"an element of it is larger than 2 GiB" },
		{ "{'descr': [('a', '|S0', (1152921504606846976,))]}",
			"an element of it is larger than 2 GiB" },
		{ "{'descr': [('a', [('b', '<f4')], (2,))]}",
			"its field 'a' is an array of fields" },
		{ "{'descr': [('a', [('b', [('c', [('d', [('e', [('f', [('g', [('h', [('i', '<f4')]"
		  ")])])])])])])])]}",
			"its header has fields nested too deep where 30 bytes are left" },
		{ "{'desc\\x72': 1}", "its header has an unknown escape where 8 bytes are left" },
		{ "{'descr", "its header has a text that does not end where 0 bytes are left" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tfr_npy h;
		struct tfr_error err = { 0 };

		cr_assert_eq(parse(rows[i][0], &h, &err), TFR_EDATA, "%s", rows[i][0]);
		cr_expect_str_eq(err.message, rows[i][1]);
		tfr_npy_clear(&h);
	}
}

Test(npy, every_cut_is_refused)
{
	TFR_AUTO_BUF file = file_of("{'descr': [('a', '<i4'), ('b', '>f8', (2, 3)), ('', '|V4')], "
				    "'fortran_order': False, 'shape': (3, 4), }");

	for (size_t n = 0; n <= file.size; n++) {
		uint8_t *cut = malloc(n + 1);
		struct tfr_npy h = { 0 };
		struct tfr_error err = { 0 };

		memcpy(cut, file.data, n);
		cr_assert_eq(tfr_npy_parse(&h, cut, n, &err), n < file.size ? TFR_EDATA : TFR_OK);
		/* A header that says that it is shorter is one, too. */
		if (n >= 10) {
			cut[8] = (uint8_t)(n - 10);
			tfr_npy_clear(&h);
			cr_assert_eq(tfr_npy_parse(&h, cut, n, &err),
				n < file.size ? TFR_EDATA : TFR_OK, "%zu", n);
		}
		tfr_npy_clear(&h);
		free(cut);
	}
}

Test(npy, halves_are_what_the_compiler_makes_of_them)
{
#ifdef __FLT16_MAX__
	for (uint32_t bits = 0; bits < 0x10000; bits++) {
		uint16_t half = (uint16_t)bits;
		_Float16 theirs;
		float ours = tfr_half(half), wanted;

		memcpy(&theirs, &half, sizeof(half));
		wanted = (float)theirs;
		cr_assert(isnan(wanted) ? isnan(ours) : !memcmp(&ours, &wanted, sizeof(ours)),
			"0x%x: %g, not %g", bits, (double)ours, (double)wanted);
	}
#else
	cr_skip_test("this compiler has no floats of 16 bits");
#endif
}
