/* base/decimal_read.c - digits multiplied by a 128-bit power of ten: the algorithm of Eisel and
 * Lemire (Daniel Lemire, "Number parsing at a gigabyte per second", 2021).  For up to 19 digits
 * it has no product that could round either way.  Subnormal numbers and infinities are left to
 * strtod() of the C locale. */
#include "base/decimal_read.h"

#include <assert.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "decimal_powers.h"

__extension__ typedef unsigned __int128 u128;

enum {
	MOST_DIGITS = 19, /* that always fit in 64 bits */
	MOST_EXPONENT = 9999,
	POWERS_LAST = POWERS_FIRST + (int)(sizeof(powers) / sizeof(*powers)) - 1,
	FRACTION_BITS = 52,
	SPARE_BITS = 64 - FRACTION_BITS - 3, /* of the upper half of a product */
};

static inline bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Eight digits that are the bytes of a word; false: there are others. */
static inline bool eight_digits(const char *p, uint32_t *value)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	v ^= UINT64_C(0x3030303030303030);
	if ((v | (v + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080))
		return false;
	/* Pairs, fours and eights of digits; the first digit is the lowest byte. */
	v = v * 10 + (v >> 8);
	v = ((v & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
		    (v >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
	    32;
	*value = (uint32_t)v;
	return true;
}

static const char *scan_digits(const char *p, const char *end, uint64_t *digits)
{
	uint64_t n = *digits;
	uint32_t eight;

	for (; end - p >= 8 && eight_digits(p, &eight); p += 8)
		n = 100000000 * n + eight;
	for (; p < end && is_digit(*p); p++)
		n = 10 * n + (uint64_t)(*p - '0');
	*digits = n;
	return p;
}

/* Reads the exponent after the 'e'.  NULL: it has no digits, or is far out of range. */
static const char *scan_exponent(const char *p, const char *end, int32_t *exponent)
{
	bool negative = p < end && *p == '-';
	const char *from;
	int32_t n = 0;

	p += p < end && (*p == '-' || *p == '+');
	for (from = p; p < end && is_digit(*p); p++) {
		n = 10 * n + (*p - '0');
		if (n > MOST_EXPONENT)
			return NULL;
	}
	*exponent += negative ? -n : n;
	return p == from ? NULL : p;
}

const char *tfr_decimal_scan(const char *p, const char *end, struct tfr_scanned *n)
{
	const char *from;

	*n = (struct tfr_scanned){ 0 };
	if (p < end && (*p == '-' || *p == '+'))
		n->sign = *p++;
	if (p == end)
		return NULL;
	n->first = *p;
	from = p;
	p = scan_digits(p, end, &n->digits);
	if (p - from > MOST_DIGITS)
		return NULL;
	n->before = (uint8_t)(p - from);
	if (p < end && *p == '.') {
		n->point = true;
		from = ++p;
		p = scan_digits(p, end, &n->digits);
		if (p - from > MOST_DIGITS - n->before)
			return NULL;
		n->after = (uint8_t)(p - from);
		n->exponent = -n->after;
	}
	if (!(n->before + n->after))
		return NULL;
	if (p < end && (*p == 'e' || *p == 'E')) {
		n->e = true;
		p = scan_exponent(p + 1, end, &n->exponent);
	}
	return p;
}

bool tfr_scanned_int64(const struct tfr_scanned *n, int64_t *value)
{
	bool negative = n->sign == '-';

	assert(tfr_scanned_is_integer(n));
	if (n->digits > (uint64_t)INT64_MAX + negative)
		return false;
	*value = negative ? (int64_t)-n->digits : (int64_t)n->digits;
	return true;
}

/* The power of ten, truncated, except for those that the algorithm needs rounded up.  The table
 * has all inexact ones rounded up. */
static u128 power_of_ten(int exponent)
{
	const uint64_t *g = powers[exponent - POWERS_FIRST];
	u128 power = (u128)g[0] << 64 | g[1];

	return exponent >= -27 && exponent <= 55 ? power : power - 1;
}

/* The two upper words of digits * power, as exactly as the rounding needs. */
static u128 multiply(uint64_t digits, u128 power)
{
	const uint64_t mask = UINT64_MAX >> (FRACTION_BITS + 3);
	u128 product = (u128)digits * (uint64_t)(power >> 64);

	if (((uint64_t)(product >> 64) & mask) == mask)
		product += (u128)digits * (uint64_t)power >> 64;
	return product;
}

/* `digits` is not 0. */
static bool nearest(uint64_t digits, int exponent, double *value)
{
	int leading = __builtin_clzll(digits);
	uint64_t upper, lower, fraction;
	int carry, power;
	u128 product;

	if (exponent < POWERS_FIRST || exponent > POWERS_LAST)
		return false;
	product = multiply(digits << leading, power_of_ten(exponent));
	upper = (uint64_t)(product >> 64);
	lower = (uint64_t)product;
	carry = (int)(upper >> 63);
	fraction = upper >> (carry + SPARE_BITS);
	/* floor(log2(10^exponent)), and the bias of a double */
	power = ((217706 * exponent) >> 16) + 63 + carry - leading + 1023;
	if (power <= 0)
		return false;
	/* Exactly halfway between two doubles: choose the even one. */
	if (lower <= 1 && exponent >= -4 && exponent <= 23 && (fraction & 3) == 1 &&
		fraction << (carry + SPARE_BITS) == upper)
		fraction &= ~UINT64_C(1);
	fraction = (fraction + (fraction & 1)) >> 1;
	if (fraction >> (FRACTION_BITS + 1)) {
		fraction >>= 1;
		power++;
	}
	if (power >= 2047)
		return false;
	assert(fraction >> FRACTION_BITS == 1);
	fraction = (fraction & ((UINT64_C(1) << FRACTION_BITS) - 1)) | (uint64_t)power
									       << FRACTION_BITS;
	memcpy(value, &fraction, sizeof(fraction));
	return true;
}

bool tfr_scanned_f64(const struct tfr_scanned *n, double *value)
{
	static const double exact[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
		1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	int last = (int)(sizeof(exact) / sizeof(*exact)) - 1;
	double v = 0;

	/* If both factors are exact, the processor rounds once. */
	if (n->digits >> (FRACTION_BITS + 1) == 0 && n->exponent >= -last && n->exponent <= last)
		v = n->exponent < 0 ? (double)n->digits / exact[-n->exponent]
				    : (double)n->digits * exact[n->exponent];
	else if (n->digits && !nearest(n->digits, n->exponent, &v))
		return false;
	*value = n->sign == '-' ? -v : v;
	return true;
}

bool tfr_scanned_f32(const struct tfr_scanned *n, float *value)
{
	const uint64_t low = (UINT64_C(1) << 29) - 1, middle = UINT64_C(1) << 28;
	uint64_t bits;
	double v;

	if (!tfr_scanned_f64(n, &v))
		return false;
	/* Midpoints between floats are doubles: rounding twice fails only there. */
	memcpy(&bits, &v, sizeof(bits));
	if ((bits & low) == middle || (v != 0 && fabs(v) < (double)FLT_MIN))
		return false;
	*value = (float)v;
	return isfinite(*value);
}

/* ---- By the C library ---- */

/* A program that links the library may have called setlocale(), after which strtod() reads "1.5" as
 * 1 where a comma is the decimal point.  In glibc and musl the C locale is an object of the C
 * library: newlocale() allocates nothing and cannot fail. */
#define IN_C_LOCALE(type, name, function)                                                          \
	type name(const char *text, char **end)                                                    \
	{                                                                                          \
		locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);                             \
		type value;                                                                        \
                                                                                                   \
		assert(c);                                                                         \
		value = function(text, end, c);                                                    \
		freelocale(c);                                                                     \
		return value;                                                                      \
	}

IN_C_LOCALE(double, tfr_text_f64, strtod_l)
IN_C_LOCALE(float, tfr_text_f32, strtof_l)
IN_C_LOCALE(long double, tfr_number_long, strtold_l)
