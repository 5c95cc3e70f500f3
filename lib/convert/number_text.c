/* convert/number_text.c - decimal texts to doubles, without strtod() where the result is certain.
 */
#include "convert/number_text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

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

/* Calls strtod() or strtof() of the C locale.  A function of its own, because its array is set to
 * zeros at each call. */
static bool convert(const char *text, size_t size, double *f64, float *f32)
{
	char copy[LONGEST + 1];

	if (!size || size > LONGEST || tfr_decimal_end(text, text + size) != text + size)
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (f64)
		*f64 = tfr_text_f64(copy, NULL);
	else
		*f32 = tfr_text_f32(copy, NULL);
	return f64 ? isfinite(*f64) : isfinite(*f32);
}

bool tfr_number(const char *text, size_t size, double *value)
{
	struct tfr_scanned n;

	return size <= LONGEST && ((tfr_decimal_scan(text, text + size, &n) == text + size &&
					   tfr_scanned_f64(&n, value)) ||
					  convert(text, size, value, NULL));
}

bool tfr_text_special(const char *text, size_t size, float *value)
{
	static const struct {
		const char *text;
		float value;
	} words[] = { { "nan", NAN }, { "inf", INFINITY }, { "infinity", INFINITY },
		{ "-inf", -INFINITY }, { "-infinity", -INFINITY } };

	if (!size || !strchr("-iInN", *text))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (size == strlen(words[i].text) && !strncasecmp(text, words[i].text, size)) {
			*value = words[i].value;
			return true;
		}
	return false;
}

bool tfr_text_float(const char *text, size_t size, float *value)
{
	struct tfr_scanned n;

	return (tfr_decimal_scan(text, text + size, &n) == text + size &&
		       tfr_scanned_f32(&n, value)) ||
	       tfr_text_special(text, size, value) || convert(text, size, NULL, value);
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
