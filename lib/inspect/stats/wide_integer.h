/* inspect/stats/wide_integer.h - unsigned integers of 1024 bits: sums of floats and of squares
 * without rounding.
 *
 * The sum does not depend on the order of the values, nor on how they are divided among workers and
 * files.  It is rounded once, when it is shown. */
#ifndef TFR_INSPECT_STATS_WIDE_INTEGER_H
#define TFR_INSPECT_STATS_WIDE_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

enum { TFR_WIDE_WORDS = 16 };

typedef unsigned __int128 tfr_u128;

/* Little-endian; zero-initialised is 0.  No result may reach 2^1024. */
struct tfr_wide {
	uint64_t w[TFR_WIDE_WORDS];
};

/* Adds value * 2^shift. */
void tfr_wide_add(struct tfr_wide *a, tfr_u128 value, unsigned shift);
void tfr_wide_multiply(struct tfr_wide *a, uint64_t factor);
/* The square of a number below 2^512. */
struct tfr_wide tfr_wide_square(const struct tfr_wide *a);
int tfr_wide_compare(const struct tfr_wide *a, const struct tfr_wide *b);
/* a - b; b must not exceed a. */
struct tfr_wide tfr_wide_subtract(const struct tfr_wide *a, const struct tfr_wide *b);
/* a * 2^exponent, to the nearest double, ties to even. */
double tfr_wide_double(const struct tfr_wide *a, int exponent);
/* a / divisor * 2^exponent, also rounded once; a must be below 2^896, and the divisor not 0. */
double tfr_wide_quotient(const struct tfr_wide *a, uint64_t divisor, int exponent);

#endif
