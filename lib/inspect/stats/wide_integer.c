/* inspect/stats/wide_integer.c - schoolbook arithmetic on words of 64 bits. */
#include "inspect/stats/wide_integer.h"

#include <assert.h>
#include <math.h>

static void add_word(struct tfr_wide *a, unsigned at, uint64_t word)
{
	while (word) {
		assert(at < TFR_WIDE_WORDS);
		word = __builtin_add_overflow(a->w[at], word, &a->w[at]);
		at++;
	}
}

void tfr_wide_add(struct tfr_wide *a, tfr_u128 value, unsigned shift)
{
	unsigned at = shift / 64, bits = shift % 64;
	uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;

	add_word(a, at, low << bits);
	add_word(a, at + 1, high << bits);
	if (bits) {
		add_word(a, at + 1, low >> (64 - bits));
		add_word(a, at + 2, high >> (64 - bits));
	}
}

void tfr_wide_multiply(struct tfr_wide *a, uint64_t factor)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < TFR_WIDE_WORDS; i++) {
		tfr_u128 product = (tfr_u128)a->w[i] * factor + carry;

		a->w[i] = (uint64_t)product;
		carry = (uint64_t)(product >> 64);
	}
	assert(!carry);
}

struct tfr_wide tfr_wide_square(const struct tfr_wide *a)
{
	struct tfr_wide s = { 0 };

	for (unsigned i = 0; i < TFR_WIDE_WORDS / 2; i++)
		for (unsigned k = 0; k < TFR_WIDE_WORDS / 2; k++)
			if (a->w[i] && a->w[k])
				tfr_wide_add(&s, (tfr_u128)a->w[i] * a->w[k], 64 * (i + k));
	return s;
}

int tfr_wide_compare(const struct tfr_wide *a, const struct tfr_wide *b)
{
	for (unsigned i = TFR_WIDE_WORDS; i--;)
		if (a->w[i] != b->w[i])
			return a->w[i] < b->w[i] ? -1 : 1;
	return 0;
}

struct tfr_wide tfr_wide_subtract(const struct tfr_wide *a, const struct tfr_wide *b)
{
	struct tfr_wide d = { 0 };
	uint64_t borrow = 0;

	for (unsigned i = 0; i < TFR_WIDE_WORDS; i++) {
		tfr_u128 x = (tfr_u128)a->w[i] - b->w[i] - borrow;

		d.w[i] = (uint64_t)x;
		borrow = x >> 64 != 0;
	}
	assert(!borrow);
	return d;
}

/* The 64 bits from bit `from` on. */
static uint64_t bits_at(const struct tfr_wide *a, unsigned from)
{
	unsigned at = from / 64, bits = from % 64;
	uint64_t v = at < TFR_WIDE_WORDS ? a->w[at] >> bits : 0;

	if (bits && at + 1 < TFR_WIDE_WORDS)
		v |= a->w[at + 1] << (64 - bits);
	return v;
}

double tfr_wide_double(const struct tfr_wide *a, int exponent)
{
	unsigned top = TFR_WIDE_WORDS, shift, below;
	uint64_t mantissa;

	while (top && !a->w[top - 1])
		top--;
	if (!top)
		return 0;
	top = top * 64 - (unsigned)__builtin_clzll(a->w[top - 1]); /* bits */
	if (top <= 53)
		return ldexp((double)a->w[0], exponent);
	/* 55 bits: two more than a double has; the last one also stands for all lower bits. */
	shift = top > 55 ? top - 55 : 0;
	mantissa = bits_at(a, shift) & (((uint64_t)1 << 55) - 1);
	below = 0;
	for (unsigned i = 0; i < shift / 64; i++)
		below |= a->w[i] != 0;
	if (shift % 64)
		below |= (a->w[shift / 64] << (64 - shift % 64)) != 0;
	return ldexp((double)(mantissa | below), exponent + (int)shift);
}

double tfr_wide_quotient(const struct tfr_wide *a, uint64_t divisor, int exponent)
{
	struct tfr_wide q = { 0 };
	tfr_u128 rest = 0;

	/* The dividend has 128 bits more than `a`, so the quotient has more than 64 for any
	 * divisor. */
	for (unsigned i = TFR_WIDE_WORDS; i--;) {
		rest = rest << 64 | (i >= 2 ? a->w[i - 2] : 0);
		q.w[i] = (uint64_t)(rest / divisor);
		rest %= divisor;
	}
	q.w[0] |= rest != 0; /* lower bits only break ties */
	return tfr_wide_double(&q, exponent - 128);
}
