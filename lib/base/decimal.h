/* base/decimal.h - numbers in decimal, many times faster than printf, whatever the locale.
 *
 * A float is the shortest decimal that reads back as it, and of those the nearest to it, in the
 * form that "%.*g" gives to as many digits: "0.1", "1e-05", "16777216".  Zero is "0" or "-0.0",
 * which a reader of JSON would else take for an integer. */
#ifndef TFR_BASE_DECIMAL_H
#define TFR_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum {
	F32_EXPONENT = 255, /* of what is not finite */
	F32_FRACTION = 0x7fffff,
};

/* What is written at `out` by one call, or for each value: the end that is returned lies within,
 * and what is behind it is scribbled on. */
enum { TFR_DECIMAL_ROOM = 40 };

char *tfr_decimal_u64(char *out, uint64_t value);
char *tfr_decimal_i64(char *out, int64_t value);
/* The value is finite. */
char *tfr_decimal_f32(char *out, float value);
char *tfr_decimal_f64(char *out, double value);

/* Values for JSON, each with ", " behind it; what is not finite is "NaN", "Infinity" or "-Infinity"
 * in quotes. */
char *tfr_decimal_i64s(char *out, const int64_t *values, size_t n);
/* Any float that lies in these bits, for JSON, nothing behind it. */
char *tfr_decimal_f32_bits(char *out, uint32_t bits);
/* The floats need not be aligned. */
char *tfr_decimal_f32s(char *out, const void *values, size_t n);
/* What it is where the processor cannot do several at once: the one by one. */
char *tfr_decimal_f32s_plain(char *out, const void *values, size_t n);

/* digits * 10^exponent: the shortest decimal between the middles of c * 2^q and its neighbours, of
 * which the lower one is half as far where `closer`; c < 2^53. */
struct tfr_decimal {
	uint64_t digits;
	int exponent;
};
struct tfr_decimal tfr_decimal_shortest(uint64_t c, int q, int closer);

#endif
