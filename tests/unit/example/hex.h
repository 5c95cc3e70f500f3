/* Records written as hex in a test: blanks are skipped. */
#ifndef TESTS_HEX_H
#define TESTS_HEX_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct hex {
	uint8_t data[512];
	size_t size;
};

static inline struct hex hex(const char *text)
{
	struct hex h = { .size = 0 };

	while (*text) {
		char pair[3] = { text[0], text[1], '\0' };

		if (*text == ' ') {
			text++;
			continue;
		}
		h.data[h.size++] = (uint8_t)strtoul(pair, NULL, 16);
		text += 2;
	}
	return h;
}

/* Wraps: a field of number `n` with the bytes of `inner`. */
static inline struct hex field(unsigned n, struct hex inner)
{
	struct hex h = { .size = 0 };

	h.data[h.size++] = (uint8_t)(n << 3 | 2);
	if (inner.size >= 0x80)
		h.data[h.size++] = (uint8_t)(inner.size | 0x80);
	h.data[h.size++] = (uint8_t)(inner.size >= 0x80 ? inner.size >> 7 : inner.size);
	memcpy(h.data + h.size, inner.data, inner.size);
	h.size += inner.size;
	return h;
}

static inline struct hex join(struct hex a, struct hex b)
{
	memcpy(a.data + a.size, b.data, b.size);
	a.size += b.size;
	return a;
}

/* An Example of one entry, key "a", whose Feature has the bytes `feature`. */
static inline struct hex example_a(const char *feature)
{
	return field(1, field(1, join(hex("0a0161"), field(2, hex(feature)))));
}

#endif
