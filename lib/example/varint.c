/* example/varint.c - packed varints: eight bytes are loaded, and what ends in them is taken apart.
 *
 * A varint ends in the first byte without its highest bit, so the lowest such bit of a word says
 * how long it is, and masking, not looping, gives its value.  Only one of nine or ten bytes, and
 * the last bytes before `limit`, are read byte by byte. */
#include "example/varint.h"

size_t tfr_varints_count(const uint8_t *p, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += p[i] < 0x80;
	return n;
}

/* One varint, by bytes.  NULL: it is cut short or too long. */
static const uint8_t *decode_one(const uint8_t *p, const uint8_t *end, int64_t *out)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70 && p < end; shift += 7) {
		uint8_t byte = *p++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = (int64_t)v;
			return p;
		}
	}
	return NULL;
}

int64_t *tfr_varints_decode_plain(const uint8_t **p, const uint8_t *end, int64_t *out)
{
	while (*p < end) {
		const uint8_t *next = decode_one(*p, end, out);

		if (!next)
			break;
		*p = next;
		out++;
	}
	return out;
}

/* Those that end in a word and before `end`.  Returns how many bytes they are; the last of them may
 * be all eight. */
static inline size_t decode_word(uint64_t word, uint64_t stops, int64_t **out)
{
	size_t used = 0;

	do {
		uint64_t mask = stops ^ (stops - 1); /* up to and with the lowest stop */
		unsigned bits = (unsigned)__builtin_ctzll(stops) + 1;

		*(*out)++ = (int64_t)tfr_varint_squeeze(word & mask & ~TFR_VARINT_MORE);
		used += bits / 8;
		if (bits == 64)
			break;
		word >>= bits;
		stops >>= bits;
	} while (stops);
	return used;
}

int64_t *tfr_varints_decode(
	const uint8_t **from, const uint8_t *end, const uint8_t *limit, int64_t *out)
{
	const uint8_t *p = *from;

	while (p < end && limit - p >= 8) {
		uint64_t word = tfr_varint_word(p), stops = ~word & TFR_VARINT_MORE;

		if (end - p < 8)
			stops &= ((uint64_t)1 << 8 * (end - p)) - 1;
		if (stops == TFR_VARINT_MORE) {
			for (int i = 0; i < 8; i++)
				*out++ = p[i];
			p += 8;
		} else if (stops) {
			p += decode_word(word, stops, &out);
		} else {
			const uint8_t *next = decode_one(p, end, out);

			if (!next)
				break;
			p = next;
			out++;
		}
	}
	*from = p;
	return tfr_varints_decode_plain(from, end, out);
}
