/* convert/number_text.h - decimal texts of annotations as doubles, in any locale. */
#ifndef TFR_CONVERT_NUMBER_TEXT_H
#define TFR_CONVERT_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* [-+]digits[.][digits][e[-+]digits], or with digits after the point only, all of it; false: it is
 * another text, or over 400 bytes, or no finite number.  Equal to strtod() in the C locale. */
bool tfr_number(const char *text, size_t size, double *value);

#endif
