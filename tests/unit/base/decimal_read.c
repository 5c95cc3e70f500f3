/* Decimal text as numbers: equal to strtod() and strtof() wherever the reader decides. */
#include <criterion/criterion.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal_read.h"
#include "base/rng.h"

static bool read(const char *text, struct tfr_scanned *n)
{
	return tfr_decimal_scan(text, text + strlen(text), n) == text + strlen(text);
}

/* Counts what was decided, and holds it to strtod(). */
static unsigned compare(const char *text)
{
	struct tfr_scanned n;
	double d = 0, d_expected = strtod(text, NULL);
	float f = 0, f_expected = strtof(text, NULL);
	unsigned decided = 0;

	if (!read(text, &n))
		return 0;
	if (tfr_scanned_f64(&n, &d)) {
		cr_assert(!memcmp(&d, &d_expected, sizeof(d)), "'%s' as a double", text);
		decided++;
	}
	if (tfr_scanned_f32(&n, &f)) {
		cr_assert(!memcmp(&f, &f_expected, sizeof(f)), "'%s' as a float", text);
		decided++;
	}
	return decided;
}

Test(decimal_read, forms)
{
	static const char *const refused[] = { "", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e-",
		"12345678901234567890", "0.1234567890123456789012", "1e10000", "x", " 1" };
	static const char *const taken[] = { "0", "-0", "+1", "1.", ".5", "-.5e3", "1E5", "1e-05",
		"1234567890123456789", "00012" };
	struct tfr_scanned n;

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		cr_expect_not(read(refused[i], &n), "'%s'", refused[i]);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		cr_expect(read(taken[i], &n), "'%s'", taken[i]);
	cr_assert(read("-12.50e3", &n));
	cr_expect_eq(n.digits, 1250);
	cr_expect_eq(n.exponent, 1);
	cr_expect_eq(n.before, 2);
	cr_expect_eq(n.after, 2);
	cr_expect(n.sign == '-' && n.first == '1' && n.point && n.e);
}

Test(decimal_read, stops_at_the_end_given)
{
	const char *text = "12345";
	struct tfr_scanned n;

	cr_expect_eq(tfr_decimal_scan(text, text + 3, &n), text + 3);
	cr_expect_eq(n.digits, 123);
	cr_expect_null(tfr_decimal_scan(text, text, &n));
}

Test(decimal_read, integers)
{
	struct tfr_scanned n;
	int64_t v = 1;

	cr_assert(read("9223372036854775807", &n) && tfr_scanned_int64(&n, &v));
	cr_expect_eq(v, INT64_MAX);
	cr_assert(read("-9223372036854775808", &n) && tfr_scanned_int64(&n, &v));
	cr_expect_eq(v, INT64_MIN);
	cr_assert(read("9223372036854775808", &n));
	cr_expect_not(tfr_scanned_int64(&n, &v));
	cr_assert(read("-9223372036854775809", &n));
	cr_expect_not(tfr_scanned_int64(&n, &v));
	cr_assert(read("-0", &n) && tfr_scanned_int64(&n, &v));
	cr_expect_eq(v, 0);
}

Test(decimal_read, edges)
{
	static const char *const texts[] = { "0", "-0.0", "0e300", "1e22", "1e23", "9007199254740993",
		"9007199254740992.5", "1.7976931348623157e308", "1.7976931348623159e308",
		"2.2250738585072014e-308", "4.9e-324", "1e-400", "3.4028234e38", "3.4028236e38",
		"1.17549435e-38", "1e-45", "16777217", "16777219", "8388608.5", "1.00000017881393432",
		"1.00000017881393421", "0.3", "2.5", "123456789012345678e-20", "1e308", "1e309",
		"9999999999999999999e-19", "6.103515625e-05", "5e-324", "1e-292", "1e-293", "1e-311" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		compare(texts[i]);
}

Test(decimal_read, random_texts)
{
	enum { TEXTS = 300000 };
	unsigned decided = 0;
	struct tfr_rng rng;
	char text[64];

	tfr_rng_init(&rng, 5, 0);
	for (int i = 0; i < TEXTS; i++) {
		uint64_t bits = tfr_rng_u64(&rng), digits = bits >> (bits & 63);
		int exponent = (int)(tfr_rng_u64(&rng) % 80) - 45;
		double d;
		float f;

		snprintf(text, sizeof(text), "%" PRIu64 "e%d", digits, exponent);
		decided += compare(text);
		memcpy(&d, &bits, sizeof(d));
		if (d - d != 0)
			continue;
		snprintf(text, sizeof(text), "%.17g", d);
		decided += compare(text);
		/* The middle of two floats, and what is next to it. */
		f = (float)(exponent * 1e-3) + (float)(bits >> 40);
		snprintf(text, sizeof(text), "%.18g", (double)f + (double)f * FLT_EPSILON / 2);
		decided += compare(text);
	}
	cr_assert_gt(decided, TEXTS * 3);
}
