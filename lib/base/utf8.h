/* base/utf8.h - one character at a time, for what must escape or replace. */
#ifndef TFR_BASE_UTF8_H
#define TFR_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length (1..4) of the well-formed UTF-8 character that starts at `p`, of which `n` > 0 bytes
 * are there; 0: none. */
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
		low = 0xa0; /* shorter forms exist */
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

#endif
