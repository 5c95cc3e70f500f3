/* tests/stress/decimal.c - every float32 in decimal, against the C library.
 *
 *   stress-decimal [STEP]
 *
 * Of each STEP-th (1: all 2^32, which takes an hour): many at once and one by one give the same
 * text, it reads back as the float, and the nearest decimal of a digit less does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum { BLOCK = 4096 };

static int fail(uint32_t bits, const char *what, const char *text)
{
	fprintf(stderr, "stress-decimal: %08x: %s: %.20s\n", bits, what, text);
	return 1;
}

static unsigned count_digits(const char *text, const char *end)
{
	unsigned n = 0, zeros = 0;

	for (; text < end && *text != 'e'; text++) {
		if (*text < '0' || *text > '9' || (!n && *text == '0'))
			continue;
		n++;
		zeros = *text == '0' ? zeros + 1 : 0;
	}
	return n - zeros;
}

/* `text` up to the comma, what is not finite being left out. */
static int check(uint32_t bits, char *text, char *end)
{
	char shorter[64];
	uint32_t back;
	unsigned n;
	float f;

	*end = '\0';
	f = strtof(text, NULL);
	memcpy(&back, &f, 4);
	if (back != bits && bits << 1)
		return fail(bits, "reads back as another", text);
	n = count_digits(text, end);
	memcpy(&f, &bits, 4);
	snprintf(shorter, sizeof(shorter), "%.*e", n > 1 ? (int)n - 2 : 0, (double)f);
	if (n > 1 && strtof(shorter, NULL) == f)
		return fail(bits, "longer than it need be", text);
	return 0;
}

static int check_block(const uint32_t *bits, size_t n)
{
	static char fast[BLOCK * TFR_DECIMAL_ROOM], plain[BLOCK * TFR_DECIMAL_ROOM];
	char *end = tfr_decimal_f32s(fast, bits, n), *plain_end;
	char *text = fast;

	plain_end = tfr_decimal_f32s_plain(plain, bits, n);
	if (end - fast != plain_end - plain || memcmp(fast, plain, (size_t)(end - fast)))
		return fail(bits[0], "two ways differ, in the block from here", plain);
	for (size_t i = 0; i < n; i++) {
		char *comma = memchr(text, ',', (size_t)(end - text));

		if ((bits[i] >> 23 & 255) != 255 && check(bits[i], text, comma))
			return 1;
		text = comma + 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint32_t bits[BLOCK];
	size_t n = 0;

	for (uint64_t b = 0; step && b <= UINT32_MAX; b += step) {
		bits[n++] = (uint32_t)b;
		if (n == BLOCK || b + step > UINT32_MAX) {
			if (check_block(bits, n))
				return 1;
			n = 0;
		}
	}
	return step ? 0 : 2;
}
