/* base/decimal.h - numbers in decimal, many times faster than printf, independent of the locale.
 *
 * A float is written as the shortest decimal that reads back as the same float; of several, as
 * the one nearest to it.  The form is that of "%.*g" with as many digits: "0.1", "1e-05",
 * "16777216".  Zero is "0" or "-0.0", which a JSON reader would otherwise read as an integer. */
#ifndef TFR_BASE_DECIMAL_H
#define TFR_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum {
	F32_EXPONENT = 255, /* of NaN and infinities */
	F32_FRACTION = 0x7fffff,
};

/* Bytes needed at `out` for one value.  The returned end is within them; the bytes after it may
 * be overwritten. */
enum { TFR_DECIMAL_ROOM = 40 };

char *tfr_decimal_u64(char *out, uint64_t value);
char *tfr_decimal_i64(char *out, int64_t value);
/* The value is finite. */
char *tfr_decimal_f32(char *out, float value);
char *tfr_decimal_f64(char *out, double value);

/* Values for JSON, each followed by ", ".  NaN and infinities are "NaN", "Infinity" or
 * "-Infinity" in quotes. */
char *tfr_decimal_i64s(char *out, const int64_t *values, size_t n);
/* The float with these bits, for JSON, with nothing after it. */
char *tfr_decimal_f32_bits(char *out, uint32_t bits);
/* The floats need not be aligned. */
char *tfr_decimal_f32s(char *out, const void *values, size_t n);
/* The portable version, which converts one value at a time. */
char *tfr_decimal_f32s_plain(char *out, const void *values, size_t n);

/* digits * 10^exponent: the shortest decimal in the rounding interval of c * 2^q.  If `closer`,
 * the lower neighbour is half as far away; c < 2^53. */
struct tfr_decimal {
	uint64_t digits;
	int exponent;
};
struct tfr_decimal tfr_decimal_shortest(uint64_t c, int q, int closer);

#endif
