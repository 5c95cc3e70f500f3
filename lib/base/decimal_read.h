/* base/decimal_read.h - converts decimal text into numbers, without strtod() where the result is
 * certain.
 *
 * strtod() needs a terminated string and the C locale, which together cost more than the
 * conversion.  If this reader cannot decide, its caller uses strtod() in the C locale:
 * tfr_text_f64() and tfr_text_f32() of <tfr-private/text.h>, or tfr_number_long(). */
#ifndef TFR_BASE_DECIMAL_READ_H
#define TFR_BASE_DECIMAL_READ_H

#include <stdbool.h>
#include <stdint.h>

/* A number as written: digits * 10^exponent. */
struct tfr_scanned {
	uint64_t digits; /* without the point; up to 19 of them */
	int32_t exponent;
	uint8_t before, after; /* digits before and after the point */
	char sign;	       /* '-', '+' or 0 */
	char first;	       /* digit */
	bool point, e;	       /* whether it has a point, and an exponent */
};

/* Reads [-+]digits[.digits][e[-+]digits] from `p` as far as it goes, with digits on at least one
 * side of the point.  Returns its end, or NULL if there is no such number or it is too long for
 * struct tfr_scanned. */
const char *tfr_decimal_scan(const char *p, const char *end, struct tfr_scanned *n);

/* Whether it is written as an integer. */
static inline bool tfr_scanned_is_integer(const struct tfr_scanned *n)
{
	return !n->point && !n->e;
}

/* Whether an integer fits in int64; if so, stores it in *value. */
bool tfr_scanned_int64(const struct tfr_scanned *n, int64_t *value);
/* The nearest double, as strtod() rounds.  False: undecided. */
bool tfr_scanned_f64(const struct tfr_scanned *n, double *value);
/* The nearest float, as strtof() rounds.  False: undecided, or beyond float32. */
bool tfr_scanned_f32(const struct tfr_scanned *n, float *value);

/* strtold() in the C locale. */
long double tfr_number_long(const char *text, char **end);

#endif
