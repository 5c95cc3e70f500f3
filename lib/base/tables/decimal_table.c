/* base/tables/decimal_table.c - a program run at build time: prints the tables of base/decimal.c and
 * base/decimal_many.c, which are mostly powers of ten.
 *
 * 10^n = g * 2^(floor(log2(10^n)) - 127), with g of 128 bits, rounded up; each row has its two
 * halves.  A power is a large integer here: 10^n itself, or 2^SHIFT divided n times by ten,
 * whose upper bits are exact. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 64, SHIFT = 32 * (WORDS - 1), FIRST = -292, LAST = 324 };

struct number {
	uint32_t word[WORDS]; /* the lowest word first */
};

static void multiply(struct number *x, uint32_t by)
{
	uint64_t carry = 0;

	for (int i = 0; i < WORDS; i++) {
		carry += (uint64_t)x->word[i] * by;
		x->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

/* Returns whether there is a remainder. */
static bool divide(struct number *x, uint32_t by)
{
	uint64_t rest = 0;

	for (int i = WORDS - 1; i >= 0; i--) {
		rest = rest << 32 | x->word[i];
		x->word[i] = (uint32_t)(rest / by);
		rest %= by;
	}
	return rest;
}

static int bit(const struct number *x, int i)
{
	return i >= 0 && x->word[i / 32] >> i % 32 & 1;
}

/* The uppermost 128 bits, rounded up if `inexact` or if any lower bit is set. */
static void find_row(const struct number *x, bool inexact, uint64_t half[2])
{
	int top = 32 * WORDS - 1;

	while (!bit(x, top))
		top--;
	for (int i = 0; i < 128; i++)
		half[i / 64] = half[i / 64] << 1 | (uint64_t)bit(x, top - i);
	for (int i = top - 128; i >= 0; i--)
		inexact |= bit(x, i);
	half[1] += inexact;
	half[0] += inexact && !half[1];
}

static int floor_log2_pow10(int n)
{
	return (n * 1741647) >> 19;
}

/* For each exponent of a float32: 2^(exponent - 150) / 10^(k + 1) in units of 2^-64, rounded
 * down.  10^k is the largest power of ten not above 2^(exponent - 150). */
static void print_f32_scale(uint64_t powers[][2])
{
	printf("static const uint64_t f32_scale[256] = {\n");
	for (int e = 0; e < 256; e++) {
		int q = e - 150, n = -1 - ((q * 1262611) >> 22);

		printf("\t0x%016llxu,\n", (unsigned long long)(powers[n - FIRST][0] >>
							       (-1 - q - floor_log2_pow10(n))));
	}
	printf("};\n");
}

/* Small numbers as text, followed by ", ", in seven bytes; the last byte is the length. */
static void print_small(void)
{
	printf("enum { SMALL = 128 };\nstatic const uint64_t small[SMALL] = {\n");
	for (int v = 0; v < 128; v++) {
		uint64_t row = 0;
		char text[8];
		int n = snprintf(text, sizeof(text), "%d, ", v);

		for (int i = 0; i < n; i++)
			row |= (uint64_t)text[i] << 8 * i;
		printf("\t0x%016llxu,\n", (unsigned long long)(row | (uint64_t)n << 56));
	}
	printf("};\n");
}

static void find_powers(uint64_t powers[][2])
{
	for (int n = FIRST; n <= LAST; n++) {
		struct number x = { { 0 } };
		bool inexact = false;

		x.word[n < 0 ? SHIFT / 32 : 0] = 1;
		for (int i = 0; i < n; i++)
			multiply(&x, 10);
		for (int i = 0; i > n; i--)
			inexact |= divide(&x, 10);
		find_row(&x, inexact, powers[n - FIRST]);
	}
}

static void print_powers(uint64_t powers[][2])
{
	printf("enum { POWERS_FIRST = %d };\nstatic const uint64_t powers[%d][2] = {\n", FIRST,
		LAST - FIRST + 1);
	for (int n = FIRST; n <= LAST; n++)
		printf("\t{ 0x%016llxu, 0x%016llxu },\n", (unsigned long long)powers[n - FIRST][0],
			(unsigned long long)powers[n - FIRST][1]);
	printf("};\n");
}

int main(int argc, char **argv)
{
	static uint64_t powers[LAST - FIRST + 1][2];
	const char *which = argc > 1 ? argv[1] : "";

	find_powers(powers);
	if (!strcmp(which, "powers"))
		print_powers(powers);
	else if (!strcmp(which, "f32"))
		print_f32_scale(powers);
	else if (!strcmp(which, "small"))
		print_small();
	return 0;
}
