/* base/decimal.c - the shortest decimals of floats, and integers, eight digits per step.
 *
 * tfr_decimal_shortest() is Schubfach (Raffaello Giulietti, "The Schubfach way to render
 * doubles", 2020), for floats and doubles alike. base/decimal_many.c converts many float32 at
 * once. */
#include "base/decimal.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "decimal_powers.h"
#include "decimal_small.h"

__extension__ typedef unsigned __int128 u128;

enum {
	F64_EXPONENT = 2047,
};

/* ---- Integers ---- */

/* Eight digits, each as a number; the first digit is in the lowest byte. */
static inline uint64_t eight(uint32_t v)
{
	uint64_t fours = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t twos = (fours * 10486) >> 20 & 0x0000007f0000007fu; /* hundreds: / 100 */
	uint64_t ones;

	twos |= (fours - 100 * twos) << 16;
	ones = (twos * 103) >> 10 & 0x000f000f000f000fu; /* tens: / 10 */
	return ones | (twos - 10 * ones) << 8;
}

static const uint64_t zeros = 0x3030303030303030u; /* '0' eight times */

static inline char *put_eight(char *out, uint32_t v)
{
	uint64_t digits = eight(v) | zeros;

	memcpy(out, &digits, 8);
	return out + 8;
}

/* A number below 10^8, without leading zeros. */
static inline char *put_upto_eight(char *out, uint32_t v)
{
	uint64_t digits = eight(v);
	unsigned leading = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;

	digits = (digits | zeros) >> 8 * leading;
	memcpy(out, &digits, 8);
	return out + 8 - leading;
}

static inline char *put_u64(char *out, uint64_t v)
{
	enum { STEP = 100000000 };

	if (v < 10) {
		*out = (char)('0' + v);
		return out + 1;
	}
	if (v < STEP)
		return put_upto_eight(out, (uint32_t)v);
	if (v < (uint64_t)STEP * STEP) {
		out = put_upto_eight(out, (uint32_t)(v / STEP));
		return put_eight(out, (uint32_t)(v % STEP));
	}
	out = put_upto_eight(out, (uint32_t)(v / STEP / STEP));
	out = put_eight(out, (uint32_t)(v / STEP % STEP));
	return put_eight(out, (uint32_t)(v % STEP));
}

static inline char *put_i64(char *out, int64_t value)
{
	*out = '-';
	return put_u64(out + (value < 0), value < 0 ? -(uint64_t)value : (uint64_t)value);
}

char *tfr_decimal_u64(char *out, uint64_t value)
{
	return put_u64(out, value);
}

char *tfr_decimal_i64(char *out, int64_t value)
{
	return put_i64(out, value);
}

char *tfr_decimal_i64s(char *out, const int64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t v = (uint64_t)values[i];

		if (v < SMALL) { /* little-endian, as records are */
			memcpy(out, &small[v], 8);
			out += small[v] >> 56;
			continue;
		}
		out = put_i64(out, values[i]);
		memcpy(out, ", ", 2);
		out += 2;
	}
	return out;
}

/* ---- Digits ---- */

static inline int floor_log2_pow10(int n) /* |n| < 1233 */
{
	return (n * 1741647) >> 19;
}

/* floor(log10(2^q)), or of 3/4 of 2^q. */
static inline int floor_log10_pow2(int q, bool three_quarters)
{
	return (q * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

/* The upper 64 bits of the product of a 128-bit and a 64-bit number.  The lowest bit is set if a
 * significant bit was cut off. */
static uint64_t round_to_odd(const uint64_t g[2], uint64_t c)
{
	u128 low = (u128)g[1] * c, high = (u128)g[0] * c + (uint64_t)(low >> 64);

	return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

struct tfr_decimal tfr_decimal_shortest(uint64_t c, int q, int closer)
{
	int k = floor_log10_pow2(q, closer), h = q + floor_log2_pow10(-k) + 1;
	const uint64_t *g = powers[-k - POWERS_FIRST];
	uint64_t low = round_to_odd(g, (4 * c - 2 + (uint64_t)closer) << h) + (c & 1);
	uint64_t high = round_to_odd(g, (4 * c + 2) << h) - (c & 1);
	uint64_t v = round_to_odd(g, 4 * c << h), s = v / 4, tens = s / 10, middle = 4 * s + 2;
	bool below = low <= 40 * tens, above = 40 * tens + 40 <= high;

	if (s >= 10 && below != above)
		return (struct tfr_decimal){ tens + above, k + 1 };
	below = low <= 4 * s;
	above = 4 * s + 4 <= high;
	if (below != above)
		return (struct tfr_decimal){ s + above, k };
	return (struct tfr_decimal){ s + (v > middle || (v == middle && s & 1)), k };
}

/* ---- Text ---- */

/* Writes the digits in the form of "%.*g". */
static char *put_decimal(char *out, struct tfr_decimal d)
{
	char digits[TFR_DECIMAL_ROOM];
	int n, x;

	while (d.digits % 10 == 0) {
		d.digits /= 10;
		d.exponent++;
	}
	n = (int)(put_u64(digits, d.digits) - digits);
	x = d.exponent + n - 1; /* of the first digit */
	if (x >= -4 && x < (n > 6 ? n : 6)) {
		int whole = x < 0 ? 0 : x + 1; /* digits before the point */

		memset(out, '0', 8);
		memcpy(out, digits, (size_t)(n < whole ? n : whole));
		if (n <= whole)
			return out + whole;
		out += whole ? whole : 1;
		*out++ = '.';
		memset(out, '0', 4);
		out += x < 0 ? -x - 1 : 0;
		memcpy(out, digits + whole, (size_t)(n - whole));
		return out + n - whole;
	}
	*out++ = digits[0];
	if (n > 1) {
		*out++ = '.';
		memcpy(out, digits + 1, (size_t)n - 1);
		out += n - 1;
	}
	*out++ = 'e';
	*out++ = x < 0 ? '-' : '+';
	x = x < 0 ? -x : x;
	if (x < 10)
		*out++ = '0';
	return put_u64(out, (uint64_t)x);
}

static inline char *put_zero(char *out, bool negative)
{
	memcpy(out, negative ? "-0.0" : "0\0\0", 4);
	return out + (negative ? 4 : 1);
}

char *tfr_decimal_f64(char *out, double value)
{
	uint64_t bits, c;
	int exponent;

	memcpy(&bits, &value, 8);
	exponent = bits >> 52 & F64_EXPONENT;
	c = bits & ((UINT64_C(1) << 52) - 1);
	assert(exponent < F64_EXPONENT);
	if (!exponent && !c)
		return put_zero(out, bits >> 63);
	*out = '-';
	out += bits >> 63;
	return put_decimal(out, tfr_decimal_shortest(exponent ? c | UINT64_C(1) << 52 : c,
					(exponent ? exponent : 1) - 1075, exponent > 1 && !c));
}

static char *put_not_finite(char *out, uint32_t bits)
{
	const char *word = bits & F32_FRACTION ? "\"NaN\""
			   : bits >> 31	       ? "\"-Infinity\""
					       : "\"Infinity\"";

	memcpy(out, word, strlen(word));
	return out + strlen(word);
}

/* Converts any float by the general algorithm. */
char *tfr_decimal_f32_bits(char *out, uint32_t bits)
{
	uint32_t exponent = bits >> 23 & F32_EXPONENT, c = bits & F32_FRACTION;
	float value;

	if (exponent == F32_EXPONENT)
		return put_not_finite(out, bits);
	if (!exponent && !c)
		return put_zero(out, bits >> 31);
	memcpy(&value, &bits, 4);
	if (value > -1e6f && value < 1e6f && value == (float)(int)value) /* 1, 2, 4: common */
		return put_i64(out, (int)value);
	*out = '-';
	out += bits >> 31;
	return put_decimal(out, tfr_decimal_shortest(exponent ? c | (F32_FRACTION + 1) : c,
					(exponent ? (int)exponent : 1) - 150, exponent > 1 && !c));
}

char *tfr_decimal_f32(char *out, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, 4);
	return tfr_decimal_f32_bits(out, bits);
}

char *tfr_decimal_f32s_plain(char *out, const void *values, size_t n)
{
	const uint8_t *p = values;

	for (size_t i = 0; i < n; i++, p += 4) {
		uint32_t bits;

		memcpy(&bits, p, 4);
		out = tfr_decimal_f32_bits(out, bits);
		memcpy(out, ", ", 2);
		out += 2;
	}
	return out;
}
