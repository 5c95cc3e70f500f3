/* example/varint.h - packed varints into numbers, a word at a time.
 *
 * Both functions below do the same; the plain one is what the other is tested against. */
#ifndef TFR_EXAMPLE_VARINT_H
#define TFR_EXAMPLE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TFR_VARINT_MORE 0x8080808080808080u /* the bit of each byte that says that more follow */

/* The varints that end in these bytes. */
size_t tfr_varints_count(const uint8_t *p, size_t size);

/* Decodes the varints of [*p, end) to `out`, which has room for tfr_varints_count() of them, and
 * returns the end of what it wrote; `limit` is where reading must stop, at or behind `end`.  *p
 * becomes `end`, unless there is a fault, a varint cut short or longer than ten bytes, which begins
 * there. */
int64_t *tfr_varints_decode(
	const uint8_t **p, const uint8_t *end, const uint8_t *limit, int64_t *out);
int64_t *tfr_varints_decode_plain(const uint8_t **p, const uint8_t *end, int64_t *out);

/* Eight groups of seven bits, each in a byte whose highest bit is 0, pushed together. */
static inline uint64_t tfr_varint_squeeze(uint64_t x)
{
	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

static inline uint64_t tfr_varint_word(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, 8);
	return word;
}

#endif
