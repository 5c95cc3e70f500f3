/* convert/number_text.h - decimal texts of lists and annotations as numbers, in any locale. */
#ifndef TFR_CONVERT_NUMBER_TEXT_H
#define TFR_CONVERT_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The end of [-+]digits[.][digits][e[-+]digits], or the same with digits only after the point, at
 * the beginning of a text.  NULL: there is no number. */
const char *tfr_decimal_end(const char *text, const char *end);
/* Parses all of [-+]digits[.][digits][e[-+]digits], or the same with digits only after the
 * point.  False: another text, over 400 bytes, or not finite.  Equal to strtod() in the C
 * locale. */
bool tfr_number(const char *text, size_t size, double *value);
/* Parses nan, inf, infinity, -inf and -infinity, in any case. */
bool tfr_text_special(const char *text, size_t size, float *value);
/* The same as a float, and nan and infinities.  False: also a number that float32 cannot hold. */
bool tfr_text_float(const char *text, size_t size, float *value);
/* Parses all of [-]digits.  False: another text, or a number beyond int64. */
bool tfr_text_int64(const char *text, size_t size, int64_t *value);

#endif
