/* tfr/lzf.c - decompresses LZF.
 *
 * A byte n below 32 is followed by n + 1 literal bytes.  Any other byte has a length in its upper
 * three bits; if the length is 7, another byte is added to it.  With the next byte it has a
 * distance back; 2 more bytes than the length are copied from there (liblzf, lzf_d.c).  The output
 * is measured first, so that memory does not depend on what a file claims. */
#include "lzf.h"

#include <assert.h>
#include <string.h>

enum { LITERAL = 32, LONG = 7 };

/* Decodes all of it; `out` NULL: only measures the output. */
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
		/* Byte by byte: if the distance is small, the copy overlaps its source. */
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
