/* base/c_locale.c - strtod() of the C locale.  A program that links the library may have called
 * setlocale(), after which strtod() reads "1.5" as 1 where a comma is the decimal point.
 *
 * In glibc and musl the C locale is an object of the C library: newlocale() allocates nothing and
 * cannot fail. */
#include <assert.h>
#include <locale.h>
#include <stdlib.h>

#include <tfr-private/text.h>

#include "base/c_locale.h"

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
