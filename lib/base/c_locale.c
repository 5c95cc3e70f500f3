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

double tfr_text_f64(const char *text, char **end)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double value;

	assert(c);
	value = strtod_l(text, end, c);
	freelocale(c);
	return value;
}

float tfr_text_f32(const char *text, char **end)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	float value;

	assert(c);
	value = strtof_l(text, end, c);
	freelocale(c);
	return value;
}

long double tfr_number_long(const char *text, char **end)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	long double value;

	assert(c);
	value = strtold_l(text, end, c);
	freelocale(c);
	return value;
}
