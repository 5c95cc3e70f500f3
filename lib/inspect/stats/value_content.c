/* inspect/stats/value_content.c - what a bytes value holds: text, a message, or other bytes.
 *
 * Noise is the costly case: each test of a random byte is a branch that the processor mispredicts.
 * So text is examined in blocks, and a field of a message is stepped over with arithmetic and one
 * branch for all its possible faults.  The ends and rare cases are left to the plain twins. */
#include <endian.h>
#include <string.h>

#include "base/utf8.h"
#include "example/content.h"
#include "example/wire.h"
#include "inspect/stats/facts.h"

/* --- text --- */

bool tfr_is_text_plain(const uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size;) {
		size_t n;

		if (p[i] < 0x20 || p[i] == 0x7f) {
			if (p[i] < '\t' || p[i] > '\r')
				return false;
			i++;
			continue;
		}
		n = tfr_utf8_length(p + i, size - i);
		if (!n)
			return false;
		i += n;
	}
	return true;
}

typedef uint8_t block __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

static bool any_set(block flags)
{
	halves h = (halves)flags;

	return h[0] | h[1];
}

/* Bytes that occur in no text. */
static block not_in_text(block c)
{
	block control = (block)(c < 0x20) & (block)(c - '\t' > '\r' - '\t');

	return control | (block)(c == 0x7f) | (block)((c & 0xfe) == 0xc0) | (block)(c >= 0xf5);
}

bool tfr_is_text(const uint8_t *p, size_t size)
{
	size_t i = 0;

	while (size - i >= sizeof(block)) {
		size_t end = i + sizeof(block);
		block c;

		memcpy(&c, p + i, sizeof(c));
		if (any_set(not_in_text(c)))
			return false;
		if (!any_set(c & 0x80))
			i = end;
		while (i < end) {
			size_t n = tfr_utf8_length(p + i, size - i);

			if (!n)
				return false;
			i += n;
		}
	}
	return tfr_is_text_plain(p + i, size - i);
}

/* --- messages --- */

bool tfr_is_message_plain(const uint8_t *p, size_t size)
{
	struct tfr_wire w = { .p = p, .end = p + size };
	struct tfr_wire_field f;

	while (w.p < w.end && (*w.p & 7) != TFR_WIRE_GROUP && tfr_wire_next(&w, &f))
		;
	return !w.fault && w.p == w.end;
}

static uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return le64toh(v);
}

/* The length of the varint at the start of the 8 bytes of `v`; 8: at least 8 bytes. */
static unsigned varint_length(uint64_t v)
{
	uint64_t ends = ~v & 0x8080808080808080u;

	return ((unsigned)__builtin_ctzll(ends | (uint64_t)1 << 63) >> 3) + 1;
}

/* The value of a varint of up to 4 bytes. */
static uint64_t varint_value(uint64_t v, unsigned length)
{
	v &= UINT64_MAX >> (64 - 8 * length);
	return (v & 0x7f) | (v >> 1 & 0x3f80) | (v >> 2 & 0x1fc000) | (v >> 3 & 0xfe00000);
}

/* A step reads both words, so LOOK bytes must be left. */
enum {
	LOOK = 4 + 8,
	LONG = 4,
	TYPES = 1 << TFR_WIRE_VARINT | 1 << TFR_WIRE_FIXED64 | 1 << TFR_WIRE_BYTES |
		1 << TFR_WIRE_FIXED32
};

bool tfr_is_message(const uint8_t *p, size_t size)
{
	const uint8_t *end = p + size;

	while (end - p >= LOOK) {
		uint64_t word = load64(p), content, tag, bytes;
		unsigned head = varint_length(word), length;

		if (!(TYPES >> (word & 7) & 1))
			return false;
		if (head > LONG)
			break;
		tag = varint_value(word, head);
		content = load64(p + head);
		length = varint_length(content);
		bytes = length + varint_value(content, length < LONG ? length : LONG);
		/* Either may be longer than what is examined of it. */
		if (length == 8 || (length > LONG && (tag & 7) == TFR_WIRE_BYTES))
			break;
		if (tag & 1)
			bytes = tag & 4 ? 4 : 8;
		else
			bytes = tag & 2 ? bytes : length;
		bytes |= 0 - (uint64_t)(tag < 8); /* field number 0 does not exist */
		if (bytes > (uint64_t)(end - p) - head)
			return false;
		p += head + bytes;
	}
	return tfr_is_message_plain(p, (size_t)(end - p));
}

/* --- both --- */

enum tfr_value_content tfr_value_content_of(const uint8_t *p, size_t size)
{
	if (!size)
		return TFR_VALUE_EMPTY;
	if (tfr_is_text(p, size))
		return TFR_VALUE_TEXT;
	if (!tfr_is_message(p, size))
		return TFR_VALUE_BINARY;
	return tfr_content_of(p, size) == TFR_CONTENT_TENSOR ? TFR_VALUE_TENSOR : TFR_VALUE_MESSAGE;
}
