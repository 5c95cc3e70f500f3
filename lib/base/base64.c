/* base/base64.c - each three bytes become four digits; a shorter remainder is padded with '='.
 *
 * Every byte string has one encoding only: if the bits that padding cuts off are not 0, the text
 * is refused. */
#include "base/base64.h"

#include <string.h>

#include <tfr-private/text.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void tfr_base64_digits(char *text, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < size; i += 3) {
		size_t n = size - i;
		uint32_t v = (uint32_t)p[i] << 16 | (n > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
			     (n > 2 ? p[i + 2] : 0);

		*text++ = digits[v >> 18];
		*text++ = digits[v >> 12 & 63];
		*text++ = n > 1 ? digits[v >> 6 & 63] : '=';
		*text++ = n > 2 ? digits[v & 63] : '=';
	}
}

bool tfr_base64_encode(struct tfr_buf *out, const void *bytes, size_t size)
{
	if (!tfr_buf_reserve(out, size / 3 * 4 + 4))
		return false;
	tfr_base64_digits((char *)out->data + out->size, bytes, size);
	out->size += (size + 2) / 3 * 4;
	return true;
}

bool tfr_base64_decode(struct tfr_buf *out, const char *text, size_t n)
{
	uint32_t group = 0;
	unsigned bits = 0;
	size_t padding = 0;

	if (n % 4 || !tfr_buf_reserve(out, n))
		return false;
	while (padding < 2 && padding < n && text[n - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < n - padding; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

		if (!digit)
			return false;
		group = group << 6 | (uint32_t)(digit - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out->data[out->size++] = (uint8_t)(group >> bits);
		}
	}
	return !(group & ((1u << bits) - 1));
}
