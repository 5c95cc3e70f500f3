/* convert/number_text.c - decimal texts to doubles; most numbers of annotations have few digits,
 * which is one exact division. */
#include "convert/number_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

enum { LONGEST = 400, EXACT_DIGITS = 15, EXACT_POWER = 22 };

static const double powers[EXACT_POWER + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

struct digits {
	uint64_t value;
	size_t n, behind; /* digits, and those after the point */
};

static const char *take_digits(const char *p, const char *end, struct digits *d)
{
	for (; p < end && *p >= '0' && *p <= '9'; p++, d->n++)
		if (d->n < EXACT_DIGITS)
			d->value = d->value * 10 + (uint64_t)(*p - '0');
	return p;
}

/* Parses an exponent and returns its end; NULL: it has no digits. */
static const char *pass_exponent(const char *p, const char *end)
{
	struct digits d = { 0 };
	const char *from;

	p++;
	p += p < end && (*p == '-' || *p == '+');
	from = p;
	p = take_digits(p, end, &d);
	return p > from ? p : NULL;
}

/* The result of strtod() in the C locale. */
static bool convert(const char *text, size_t size, double *value)
{
	char copy[LONGEST + 1];

	memcpy(copy, text, size);
	copy[size] = '\0';
	*value = tfr_text_f64(copy, NULL);
	return isfinite(*value);
}

bool tfr_number(const char *text, size_t size, double *value)
{
	const char *p = text, *end = text + size;
	bool negative = size && *p == '-';
	struct digits d = { 0 };

	if (!size || size > LONGEST)
		return false;
	p += negative || *p == '+';
	p = take_digits(p, end, &d);
	if (p < end && *p == '.') {
		size_t before = d.n;

		p = take_digits(p + 1, end, &d);
		d.behind = d.n - before;
	}
	if (!d.n)
		return false;
	if (p == end && d.n <= EXACT_DIGITS) {
		*value = (double)d.value / powers[d.behind];
		*value = negative ? -*value : *value;
		return true;
	}
	if (p < end && (*p == 'e' || *p == 'E'))
		p = pass_exponent(p, end);
	return p == end && convert(text, size, value);
}
