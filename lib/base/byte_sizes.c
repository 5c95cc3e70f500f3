/* base/byte_sizes.c - reads and writes sizes in bytes with units of powers of 1024, for all
 * commands. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include <tfr-private/text.h>

#include "base/error.h"

static const char *const units[] = { "", "K", "M", "G", "T", "P", "E" };

/* The power of 1024 of the unit after a number; -1: not a unit. */
static int unit_power(const char *letters)
{
	char with_suffix[8];

	for (int i = 0; i < (int)(sizeof(units) / sizeof(*units)); i++) {
		if (!strcasecmp(letters, units[i]))
			return i;
		snprintf(with_suffix, sizeof(with_suffix), "%sB", units[i]);
		if (!strcasecmp(letters, with_suffix))
			return i;
		snprintf(with_suffix, sizeof(with_suffix), "%siB", units[i]);
		if (i && !strcasecmp(letters, with_suffix))
			return i;
	}
	return -1;
}

enum tfr_status tfr_parse_size(const char *text, uint64_t *bytes, struct tfr_error *err)
{
	char *end;
	double number, product;
	int power;

	/* strtod() would also accept "nan", "inf", "0x10", signs and blanks. */
	if (!isdigit((unsigned char)text[0]) || ((text[1] | 32) == 'x'))
		return tfr_fail(
			err, TFR_EUSAGE, "'%s' is not a size such as 512, 64K or 1.5GiB", text);
	number = tfr_text_f64(text, &end);
	power = unit_power(end);
	if (power < 0)
		return tfr_fail(
			err, TFR_EUSAGE, "'%s' is not a size such as 512, 64K or 1.5GiB", text);
	product = ldexp(number, 10 * power);
	if (product >= 0x1p63)
		return tfr_fail(err, TFR_EUSAGE, "size '%s' is too large", text);
	*bytes = (uint64_t)product;
	return TFR_OK;
}

char *tfr_format_size(uint64_t bytes, char text[TFR_SIZE_TEXT])
{
	double value = (double)bytes;
	int power = 0;

	while (value >= 999.5 && power < 6) {
		value /= 1024;
		power++;
	}
	if (power == 0)
		snprintf(text, TFR_SIZE_TEXT, "%.0f byte%s", value, bytes == 1 ? "" : "s");
	else
		snprintf(text, TFR_SIZE_TEXT, "%.*f %siB",
			value < 9.995	? 2
			: value < 99.95 ? 1
					: 0,
			value, units[power]);
	return text;
}

char *tfr_format_counted(uint64_t n, const char *noun, char text[TFR_COUNTED_TEXT])
{
	snprintf(text, TFR_COUNTED_TEXT, "%llu %s%s", (unsigned long long)n, noun,
		n == 1 ? "" : "s");
	return text;
}

char *tfr_format_count(double number, char text[TFR_SIZE_TEXT])
{
	char digits[TFR_SIZE_TEXT];
	int n = snprintf(digits, sizeof(digits), "%.0f", number < 1e15 ? number : 1e15), k = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			text[k++] = ',';
		text[k++] = digits[i];
	}
	text[k] = '\0';
	return text;
}

char *tfr_format_grouped(uint64_t n, const char *noun, char text[TFR_COUNTED_TEXT])
{
	char figures[TFR_SIZE_TEXT];

	snprintf(text, TFR_COUNTED_TEXT, "%s %s%s", tfr_format_count((double)n, figures), noun,
		n == 1 ? "" : "s");
	return text;
}
