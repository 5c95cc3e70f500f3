/* tests/fuzz/text.c - any text as a number, a size, base64 and UTF-8, against the plain way to read
 * each: strtod() of the C library, a decoder bit by bit, one that looks at code points. */
#include <ctype.h>
#include <math.h>

#include <tfr-private/text.h>

#include "base/base64.h"
#include "base/decimal.h"
#include "convert/number_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* [-+]digits[.][digits][e[-+]digits], or with digits after the point only */
static bool is_decimal(const char *p)
{
	size_t n;

	p += *p == '-' || *p == '+';
	n = strspn(p, "0123456789");
	p += n;
	if (*p == '.') {
		n += strspn(++p, "0123456789");
		p += strspn(p, "0123456789");
	}
	if (!n)
		return false;
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '-' || *p == '+';
		if (!isdigit((unsigned char)*p))
			return false;
		p += strspn(p, "0123456789");
	}
	return !*p;
}

static void check_number(const char *text, size_t size)
{
	double value = 0, plain = strtod(text, NULL);
	char *end, *same;

	if (tfr_number(text, size, &value)) {
		if (strlen(text) != size || !is_decimal(text) || value != plain)
			abort();
	} else if (size <= 400 && strlen(text) == size && is_decimal(text) && isfinite(plain)) {
		abort();
	}
	value = tfr_text_f64(text, &end);
	plain = strtod(text, &same);
	if (end != same || memcmp(&value, &plain, sizeof(value)))
		abort();
}

/* Numbers out, and back through the C library. */
static void check_decimal(const uint8_t *data, size_t size)
{
	char text[TFR_DECIMAL_ROOM + 1];
	double wide;
	float narrow;
	int64_t whole;

	if (size < sizeof(wide))
		return;
	memcpy(&wide, data, sizeof(wide));
	memcpy(&narrow, data, sizeof(narrow));
	memcpy(&whole, data, sizeof(whole));
	if (isfinite(wide)) {
		*tfr_decimal_f64(text, wide) = '\0';
		if (strtod(text, NULL) != wide)
			abort();
	}
	if (isfinite(narrow)) {
		*tfr_decimal_f32(text, narrow) = '\0';
		if (strtof(text, NULL) != narrow)
			abort();
	}
	*tfr_decimal_i64(text, whole) = '\0';
	if (strtoll(text, NULL, 10) != whole)
		abort();
}

static int base64_digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

/* RFC 4648, section 4: groups of four digits, the last one padded, no bits left over. */
static bool is_base64(const char *text, size_t n)
{
	size_t pad = n && text[n - 1] == '=' ? 1 + (n > 1 && text[n - 2] == '=') : 0;

	if (n % 4 || pad > n)
		return false;
	for (size_t i = 0; i < n - pad; i++)
		if (base64_digit(text[i]) < 0)
			return false;
	return !pad || !(base64_digit(text[n - pad - 1]) & (pad == 2 ? 15 : 3));
}

static void check_base64(const char *text, size_t size)
{
	TFR_AUTO_BUF bytes = { 0 }, again = { 0 };
	bool good = tfr_base64_decode(&bytes, text, size);

	if (good != is_base64(text, size))
		abort();
	if (good && (!tfr_base64_encode(&again, bytes.data, bytes.size) || again.size != size ||
			    (size && again.data && memcmp(again.data, text, size))))
		abort();
}

static bool is_utf8(const uint8_t *p, const uint8_t *end)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	while (p < end) {
		unsigned n = *p < 0x80	     ? 1
			     : *p >> 5 == 6  ? 2
			     : *p >> 4 == 14 ? 3
			     : *p >> 3 == 30 ? 4
					     : 0;
		uint32_t c = n > 1 ? *p & (0x7fu >> n) : *p;

		if (!n || (size_t)(end - p) < n)
			return false;
		for (unsigned i = 1; i < n; i++) {
			if (p[i] >> 6 != 2)
				return false;
			c = c << 6 | (p[i] & 0x3f);
		}
		if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return false;
		p += n;
	}
	return true;
}

static void check_line(const char *text)
{
	char line[300];

	tfr_escape_line(line, sizeof(line), text);
	if (strlen(line) >= sizeof(line))
		abort();
	for (const char *p = line; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	uint64_t bytes;

	memcpy(text, data, size);
	text[size] = '\0';
	check_number(text, size);
	check_decimal(data, size);
	check_base64(text, size);
	check_line(text);
	if (tfr_is_utf8(data, size) != is_utf8(data, data + size))
		abort();
	if (!tfr_parse_size(text, &bytes, NULL) && bytes > (uint64_t)1 << 63)
		abort();
	free(text);
	return 0;
}
