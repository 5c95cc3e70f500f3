/* convert/number_text.c - decimal texts to doubles, without strtod() where the result is certain.
 */
#include "convert/number_text.h"

#include <math.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/decimal_read.h"

enum { LONGEST = 400 };

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

const char *tfr_decimal_end(const char *p, const char *end)
{
	const char *from, *point;

	p += p < end && (*p == '-' || *p == '+');
	from = p;
	p = skip_digits(p, end);
	point = p < end && *p == '.' ? p : NULL;
	if (point)
		p = skip_digits(p + 1, end);
	if (p - from == (point ? 1 : 0))
		return NULL;
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < end && (*p == '-' || *p == '+');
		from = p;
		p = skip_digits(p, end);
		if (p == from)
			return NULL;
	}
	return p;
}

/* The result of strtod() in the C locale.  A function of its own, because its array is set to zeros
 * at each call. */
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
	const char *end = text + size;
	struct tfr_scanned n;

	if (!size || size > LONGEST)
		return false;
	if (tfr_decimal_scan(text, end, &n) == end && tfr_scanned_f64(&n, value))
		return true;
	return tfr_decimal_end(text, end) == end && convert(text, size, value);
}

bool tfr_text_int64(const char *text, size_t size, int64_t *value)
{
	bool negative = size && text[0] == '-';
	size_t i = negative;
	uint64_t n = 0;

	while (size > i + 19 && text[i] == '0')
		i++;
	if (size < 1u + negative || size > i + 19)
		return false;
	for (; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(text[i] - '0');
	}
	if (n > (uint64_t)INT64_MAX + negative)
		return false;
	*value = negative ? (int64_t)-n : (int64_t)n;
	return true;
}
