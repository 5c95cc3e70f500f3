/* What a text looks like, and what it is as a value. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "convert/list/list.h"

Test(columns, looks)
{
	static const struct {
		const char *text;
		enum tfr_look look;
	} cases[] = {
		{ "0", TFR_LOOK_INT },
		{ "-0", TFR_LOOK_INT },
		{ "-9223372036854775808", TFR_LOOK_INT },
		{ "9223372036854775807", TFR_LOOK_INT },
		{ "9223372036854775808", TFR_LOOK_BIG }, /* as float it would lose digits */
		{ "-9223372036854775809", TFR_LOOK_BIG },
		{ "99999999999999999999999999", TFR_LOOK_BIG },
		{ "01", TFR_LOOK_TEXT }, /* a postal code */
		{ "-01.5", TFR_LOOK_TEXT },
		{ "+1", TFR_LOOK_TEXT },
		{ "", TFR_LOOK_TEXT },
		{ "-", TFR_LOOK_TEXT },
		{ " 1", TFR_LOOK_TEXT },
		{ "1 ", TFR_LOOK_TEXT },
		{ "+9223372036854775808", TFR_LOOK_TEXT },
		{ "0x10", TFR_LOOK_TEXT },
		{ "1e", TFR_LOOK_TEXT },
		{ "1e+", TFR_LOOK_TEXT },
		{ ".", TFR_LOOK_TEXT },
		{ "1_000", TFR_LOOK_TEXT },
		{ "1,5", TFR_LOOK_TEXT },
		{ "1e39", TFR_LOOK_HUGE }, /* float32 ends at 3.4e38 */
		{ "1e38", TFR_LOOK_FLOAT },
		{ "0.5", TFR_LOOK_FLOAT },
		{ ".5", TFR_LOOK_FLOAT },
		{ "5.", TFR_LOOK_FLOAT },
		{ "-1.5E-3", TFR_LOOK_FLOAT },
		{ "1e-400", TFR_LOOK_FLOAT },
		{ "NaN", TFR_LOOK_SPECIAL },
		{ "inf", TFR_LOOK_SPECIAL },
		{ "-Infinity", TFR_LOOK_SPECIAL },
		{ "nano", TFR_LOOK_TEXT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(tfr_look_at(cases[i].text, strlen(cases[i].text)), cases[i].look,
			"'%s'", cases[i].text);
}

Test(columns, values)
{
	int64_t whole = 0;
	float real = 0;

	cr_assert(tfr_text_int64("-9223372036854775808", 20, &whole));
	cr_assert_eq(whole, INT64_MIN);
	cr_assert_not(tfr_text_int64("9223372036854775808", 19, &whole));
	cr_assert(tfr_text_float("0.1", 3, &real));
	cr_assert_eq(real, 0.1f);
	cr_assert(tfr_text_float("16777217", 8, &real)); /* given as float: rounded */
	cr_assert_eq(real, 16777216.0f);
	cr_assert(tfr_text_float("-inf", 4, &real));
	cr_assert(isinf(real) && real < 0);
	cr_assert_not(tfr_text_float("1e39", 4, &real));
	cr_assert_not(tfr_text_float("1", 0, &real));
}

Test(columns, kinds)
{
	static const struct {
		unsigned looks;
		bool texts;
		enum tfr_kind kind;
	} cases[] = {
		{ TFR_LOOK_INT, true, TFR_KIND_INT64 },
		{ TFR_LOOK_INT | TFR_LOOK_FLOAT, true, TFR_KIND_FLOAT },
		{ TFR_LOOK_INT | TFR_LOOK_SPECIAL, true, TFR_KIND_FLOAT },
		{ TFR_LOOK_SPECIAL, true, TFR_KIND_FLOAT },
		{ TFR_LOOK_SPECIAL, false, TFR_KIND_BYTES },
		{ TFR_LOOK_SPECIAL | TFR_LOOK_FLOAT, false, TFR_KIND_FLOAT },
		{ TFR_LOOK_TEXT | TFR_LOOK_SPECIAL, false, TFR_KIND_BYTES },
		{ TFR_LOOK_TEXT | TFR_LOOK_INT, true, TFR_KIND_BYTES },
		{ 0, true, TFR_KIND_UNSET },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tfr_list_column col = { .looks = cases[i].looks };

		cr_expect_eq(tfr_column_decide(&col, cases[i].texts, "x", NULL), TFR_OK);
		cr_expect_eq(col.kind, cases[i].kind, "case %zu", i);
	}
}

/* Names are found at once, in any order: as many as this, each compared with all others, would be
 * 10^11 comparisons. */
Test(columns, a_list_of_very_many)
{
	enum { N = 500000 };
	struct tfr_convert_opts opts = { 0 };
	struct tfr_columns c = { .tables = &opts.tables };
	size_t guess = 0;
	char name[16];

	for (size_t i = 0; i < N; i++) {
		const struct tfr_list_column *col;
		size_t n = (size_t)snprintf(name, sizeof(name), "c%zu", i * 7 % N);

		col = tfr_columns_add(&c, name, n);
		cr_assert_eq(c.n, i + 1);
		cr_assert(col == &c.list[i]);
	}
	for (size_t i = N; i--;) {
		size_t n = (size_t)snprintf(name, sizeof(name), "c%zu", i * 7 % N);

		cr_assert(tfr_columns_find(&c, name, n, &guess) == &c.list[i]);
		cr_assert(tfr_columns_add(&c, name, n) == &c.list[i]);
	}
	cr_assert_null(tfr_columns_find(&c, "c", 1, &guess));
	cr_assert_null(tfr_columns_find(&c, "", 0, &guess));
	tfr_columns_clear(&c);
}
