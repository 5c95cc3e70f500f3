/* base/utf8.h - UTF-8 one character at a time, for code that escapes or replaces characters. */
#ifndef TFR_BASE_UTF8_H
#define TFR_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length (1..4) of the well-formed UTF-8 character that starts at `p`, where `n` > 0 bytes
 * are available; 0: not well-formed. */
static inline size_t tfr_utf8_length(const uint8_t *p, size_t n)
{
	uint8_t low = 0x80, high = 0xbf;
	size_t len;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (p[0] == 0xe0)
		low = 0xa0; /* shorter encodings exist */
	else if (p[0] == 0xed)
		high = 0x9f; /* surrogates */
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f; /* past U+10FFFF */
	if (n < len || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* The code point of the well-formed character at `p` of `len` bytes. */
static inline uint32_t tfr_utf8_code_point(const uint8_t *p, size_t len)
{
	uint32_t code = len == 1 ? p[0] : p[0] & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		code = code << 6 | (p[i] & 0x3f);
	return code;
}

/* Writes a code point up to U+10FFFF and returns its length (1..4). */
static inline size_t tfr_utf8_put(uint8_t *to, uint32_t code)
{
	if (code < 0x80) {
		to[0] = (uint8_t)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (uint8_t)(0xc0 | code >> 6);
		to[1] = (uint8_t)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (uint8_t)(0xe0 | code >> 12);
		to[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
		to[2] = (uint8_t)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (uint8_t)(0xf0 | code >> 18);
	to[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
	to[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	to[3] = (uint8_t)(0x80 | (code & 0x3f));
	return 4;
}

/* Whether the well-formed character at `p` of `len` bytes can be printed without side effects.  The
 * others are:
 *
 *   - controls (C0, DEL, C1)
 *   - direction marks (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)
 *   - line breaks (U+2028, U+2029)
 *   - the invisible tags (U+E0000 to U+E007F)
 *   - U+FFFE and U+FFFF, which XML cannot hold
 *
 * `len` 0: false. */
static inline bool tfr_utf8_harmless(const uint8_t *p, size_t len)
{
	switch (len) {
	case 1:
		return p[0] >= 0x20 && p[0] != 0x7f;
	case 2:
		return !(p[0] == 0xc2 && p[1] < 0xa0) && !(p[0] == 0xd8 && p[1] == 0x9c);
	case 3:
		if (p[0] == 0xef)
			return !(p[1] == 0xbf && p[2] >= 0xbe);
		if (p[0] != 0xe2 || p[1] > 0x81)
			return true;
		return p[1] == 0x80 ? !((p[2] & 0xfe) == 0x8e || (p[2] >= 0xa8 && p[2] <= 0xae))
				    : !(p[2] >= 0xa6 && p[2] <= 0xa9);
	case 4:
		return !(p[0] == 0xf3 && p[1] == 0xa0 && p[2] <= 0x81);
	default:
		return false;
	}
}

#endif
