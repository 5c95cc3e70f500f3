/* tfr/lzf.c - LZF unpacked.
 *
 * A byte below 32 is followed by one byte more than it says, as they are.  Any other has a length
 * in its upper three bits, to which 7 adds another byte, and with the next byte a distance back;
 * 2 more than the length are copied from there (liblzf, lzf_d.c).  It is measured before it is
 * unpacked, so that memory is that of what comes out, whatever a file claims of it. */
#include "lzf.h"

#include <assert.h>
#include <string.h>

enum { LITERAL = 32, LONG = 7 };

/* Walks all of it; `out` NULL: only to measure. */
static bool walk(const uint8_t *p, size_t n, uint8_t *out, size_t *size)
{
	const uint8_t *end = p + n;
	size_t at = 0;

	while (p < end) {
		unsigned control = *p++;
		size_t count = control < LITERAL ? control + 1 : control >> 5, back;

		if (control < LITERAL) {
			if ((size_t)(end - p) < count)
				return false;
			if (out)
				memcpy(out + at, p, count);
			p += count;
			at += count;
			continue;
		}
		if (count == LONG && p < end)
			count += *p++;
		if (p == end)
			return false;
		back = ((control & 0x1f) << 8) + *p++ + 1u;
		if (back > at)
			return false;
		/* Byte by byte: where it is near, what is copied is made on the way. */
		count += 2;
		for (size_t i = 0; out && i < count; i++)
			out[at + i] = out[at + i - back];
		at += count;
	}
	*size = at;
	return true;
}

bool tfr_lzf_measure(const uint8_t *packed, size_t n, size_t *size)
{
	return walk(packed, n, NULL, size);
}

void tfr_lzf_unpack(const uint8_t *packed, size_t n, uint8_t *out)
{
	size_t size;
	bool whole = walk(packed, n, out, &size);

	assert(whole);
	(void)whole;
}
