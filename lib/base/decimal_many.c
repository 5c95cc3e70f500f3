/* base/decimal_many.c - many float32 in decimal, four per step.
 *
 * Let 10^k be the largest power of ten not above the distance between neighbours of v.  One product
 * gives v / 10^(k+1) with 32 bits after the point.  If one of the two integers around it is within
 * half a distance, it is the answer, with one digit less.  Otherwise the answer has the next digit,
 * rounded.
 *
 * Where 32 bits cannot decide a comparison, and for values that are not normal numbers,
 * tfr_decimal_f32_bits() converts, so this code is correct if that is; tests/stress/decimal.c
 * tries all floats.  No branch depends on the values, because a branch predictor cannot predict
 * them. */
#include <string.h>

#include "base/cpu.h"
#include "base/decimal.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "decimal_f32.h"

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static const uint64_t zeros = 0x3030303030303030u; /* '0' eight times */

/* Eight digits, each as a number, the first in the lowest byte, and a ninth.  The first digit
 * counts 10^(row - ROW_0). */
struct nine {
	uint64_t raw;
	uint32_t row;
	uint16_t ninth, full; /* full: 8 where the ninth is not 0 */
};
enum { ROW_0 = 4, ROW_ODD = 256 }; /* a row without information */

/* The layout of a number, by the row of its first digit.  It says where the digits are stored
 * first, and where those after the point are then moved.  It also gives the number of bits of
 * the digits before the point, and the positions of the point and the ninth digit.  The length
 * of the text depends on the number of trailing zeros, and on whether there is a ninth digit. */
struct layout {
	uint8_t digits, fraction, before, point, ninth, length[16];
};
enum { LAYOUTS = 10 };
static const struct layout layouts[LAYOUTS] = {
	{ 5, 5, 0, 1, 13, { 13, 12, 11, 10, 9, 8, 7, 6, 14, 14, 14, 14, 14, 14, 14, 14 } },
	{ 4, 4, 0, 1, 12, { 12, 11, 10, 9, 8, 7, 6, 5, 13, 13, 13, 13, 13, 13, 13, 13 } },
	{ 3, 3, 0, 1, 11, { 11, 10, 9, 8, 7, 6, 5, 4, 12, 12, 12, 12, 12, 12, 12, 12 } },
	{ 2, 2, 0, 1, 10, { 10, 9, 8, 7, 6, 5, 4, 3, 11, 11, 11, 11, 11, 11, 11, 11 } },
	{ 0, 2, 8, 1, 9, { 9, 8, 7, 6, 5, 4, 3, 1, 10, 10, 10, 10, 10, 10, 10, 10 } },
	{ 0, 3, 16, 2, 9, { 9, 8, 7, 6, 5, 4, 2, 2, 10, 10, 10, 10, 10, 10, 10, 10 } },
	{ 0, 4, 24, 3, 9, { 9, 8, 7, 6, 5, 3, 3, 3, 10, 10, 10, 10, 10, 10, 10, 10 } },
	{ 0, 5, 32, 4, 9, { 9, 8, 7, 6, 4, 4, 4, 4, 10, 10, 10, 10, 10, 10, 10, 10 } },
	{ 0, 6, 40, 5, 9, { 9, 8, 7, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10, 10, 10 } },
	{ 0, 7, 48, 6, 9, { 9, 8, 6, 6, 6, 6, 6, 6, 10, 10, 10, 10, 10, 10, 10, 10 } },
};

/* The number of trailing zeros among eight digits. */
AVX2 static inline unsigned count_zeros(uint64_t raw)
{
	return (unsigned)__builtin_clzll(raw) / 8;
}

AVX2 static inline char *put_nine(char *out, struct nine v)
{
	const struct layout *l = &layouts[v.row];
	uint64_t digits = v.raw | zeros, fraction = digits >> l->before;
	unsigned end = count_zeros(v.raw);

	memcpy(out, "0.000000", 8);
	memcpy(out + l->digits, &digits, 8);
	memcpy(out + l->fraction, &fraction, 8);
	out[l->point] = '.';
	out[l->ninth] = (char)('0' + v.ninth);
	return out + l->length[v.full | end];
}

AVX2 static char *put_nine_scientific(char *out, struct nine v)
{
	uint64_t digits = v.raw | zeros, rest = digits >> 8;
	int x = (int)v.row - ROW_0, size = x < 0 ? -x : x;
	unsigned n = v.full ? 9 : 8 - count_zeros(v.raw);

	out[0] = (char)digits;
	out[1] = '.';
	memcpy(out + 2, &rest, 8);
	out[9] = (char)('0' + v.ninth);
	out += n > 1 ? n + 1 : 1;
	out[0] = 'e';
	out[1] = x < 0 ? '-' : '+';
	out[2] = (char)('0' + size / 10);
	out[3] = (char)('0' + size % 10);
	return out + 4;
}

/* ---- Four per step: numbers in lanes of 64 bits ---- */

enum { AT_ONCE = 4 };

typedef __m256i lanes;

AVX2 static inline lanes all(int64_t x)
{
	return _mm256_set1_epi64x(x);
}

/* Multiplies the lower halves. */
AVX2 static inline lanes times(lanes a, int64_t b)
{
	return _mm256_mul_epu32(a, all(b));
}

AVX2 static inline lanes above(lanes a, lanes b)
{
	return _mm256_cmpgt_epi64(a, b);
}

/* Whether a <= b; *near is set where the two differ by at most two. */
AVX2 static inline lanes upto(lanes a, lanes b, lanes *near)
{
	lanes surely = above(_mm256_sub_epi64(b, all(2)), a);
	lanes perhaps = above(_mm256_add_epi64(b, all(3)), a);

	*near = _mm256_or_si256(*near, _mm256_xor_si256(surely, perhaps));
	return surely;
}

/* Eight digits of each lane, in the form of struct nine. */
AVX2 static inline lanes eight(lanes v)
{
	lanes high = _mm256_srli_epi64(times(v, 0xd1b71759), 45); /* / 10000 */
	lanes low = _mm256_sub_epi64(v, times(high, 10000));
	lanes fours = _mm256_or_si256(high, _mm256_slli_epi64(low, 32));
	lanes hundreds = _mm256_srli_epi16(_mm256_mulhi_epu16(fours, _mm256_set1_epi16(5243)), 3);
	lanes rest = _mm256_sub_epi16(fours, _mm256_mullo_epi16(hundreds, _mm256_set1_epi16(100)));
	lanes twos = _mm256_or_si256(hundreds, _mm256_slli_epi32(rest, 16));
	lanes tens = _mm256_mulhi_epu16(twos, _mm256_set1_epi16(6554));

	rest = _mm256_sub_epi16(twos, _mm256_mullo_epi16(tens, _mm256_set1_epi16(10)));
	return _mm256_or_si256(tens, _mm256_slli_epi16(rest, 8));
}

/* For normal numbers c * 2^(e - 150): the shortest digits, seven to nine of them, as whole * 10
 * + digit.  Returns `near`: the lanes whose result is uncertain. */
AVX2 static inline lanes find_digits(lanes c, lanes e, lanes *whole, lanes *digit)
{
	const lanes low = all(UINT32_MAX);
	lanes scale = _mm256_i64gather_epi64((const long long *)f32_scale, e, 8);
	lanes v = _mm256_add_epi64(_mm256_mul_epu32(c, _mm256_srli_epi64(scale, 32)),
		_mm256_srli_epi64(_mm256_mul_epu32(c, scale), 32));
	lanes fraction = _mm256_and_si256(v, low), half = _mm256_srli_epi64(scale, 33);
	lanes next = times(fraction, 10), rest = _mm256_and_si256(next, low);
	lanes near = _mm256_setzero_si256();
	lanes down = upto(fraction, half, &near);
	lanes up = upto(_mm256_sub_epi64(all(INT64_C(1) << 32), fraction), half, &near);
	lanes middle = all(INT64_C(1) << 31);

	*whole = _mm256_sub_epi64(_mm256_srli_epi64(v, 32), up);
	*digit = _mm256_sub_epi64(_mm256_srli_epi64(next, 32), above(rest, middle));
	*digit = _mm256_andnot_si256(_mm256_or_si256(up, down), *digit);
	/* Ten times the fraction has ten times its error, and never an error upwards. */
	return _mm256_or_si256(near, _mm256_andnot_si256(above(rest, middle),
					     above(rest, _mm256_sub_epi64(middle, all(12)))));
}

AVX2 static inline void find_nines(const uint8_t *p, struct nine *nines)
{
	lanes bits = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)p));
	lanes e = _mm256_and_si256(_mm256_srli_epi64(bits, 23), all(F32_EXPONENT));
	lanes f = _mm256_and_si256(bits, all(F32_FRACTION)), none = _mm256_setzero_si256();
	/* floor(log10(2^(e - 150))) and 64 */
	lanes k = _mm256_srli_epi64(
		_mm256_add_epi64(times(e, 1262611), all(64 * (INT64_C(1) << 22) - 150 * 1262611)),
		22);
	lanes whole, digit, all_digits, nine, few, first, row, ninth, full;
	lanes odd = find_digits(_mm256_or_si256(f, all(F32_FRACTION + 1)), e, &whole, &digit);

	odd = _mm256_or_si256(odd, _mm256_cmpeq_epi64(f, none));
	odd = _mm256_or_si256(odd, _mm256_cmpeq_epi64(e, none));
	odd = _mm256_or_si256(odd, _mm256_cmpeq_epi64(e, all(F32_EXPONENT)));

	all_digits = _mm256_add_epi64(times(whole, 10), digit);
	nine = above(all_digits, all(99999999));
	few = above(all(10000000), all_digits);
	first = _mm256_add_epi64(all_digits, _mm256_and_si256(few, times(all_digits, 9)));
	first = eight(_mm256_blendv_epi8(first, whole, nine));
	ninth = _mm256_and_si256(digit, nine);
	full = _mm256_andnot_si256(_mm256_cmpeq_epi64(ninth, none), all(8));
	row = _mm256_add_epi64(k, all(7 + ROW_0 - 64));
	row = _mm256_add_epi64(_mm256_sub_epi64(row, nine), few);
	row = _mm256_and_si256(_mm256_blendv_epi8(row, all(ROW_ODD), odd), all(UINT32_MAX));
	row = _mm256_or_si256(row, _mm256_slli_epi64(ninth, 32));
	row = _mm256_or_si256(row, _mm256_slli_epi64(full, 48));

	/* In order: the lower halves of both are 0 and 2, the upper halves 1 and 3. */
	whole = _mm256_unpacklo_epi64(first, row);
	digit = _mm256_unpackhi_epi64(first, row);
	_mm256_storeu_si256((lanes *)nines, _mm256_permute2x128_si256(whole, digit, 0x20));
	_mm256_storeu_si256((lanes *)(nines + 2), _mm256_permute2x128_si256(whole, digit, 0x31));
}

/* The digits of a block are computed before they are written: both loops are so short that the
 * processor executes several iterations at once. */
AVX2 static char *put_f32s_avx2(char *out, const void *values, size_t n)
{
	enum { BLOCK = 64 };
	const uint8_t *p = values;
	struct nine nines[BLOCK];

	while (n >= AT_ONCE) {
		size_t some = n < BLOCK ? n - n % AT_ONCE : BLOCK;

		for (size_t i = 0; i < some; i += AT_ONCE)
			find_nines(p + 4 * i, nines + i);
		for (size_t i = 0; i < some; i++, p += 4) {
			struct nine v = nines[i];
			uint32_t bits;

			memcpy(&bits, p, 4);
			*out = '-';
			if (!UNLIKELY(v.row >= LAYOUTS))
				out = put_nine(out + (bits >> 31), v);
			else if (v.row > LAYOUTS + 2 && v.row != ROW_ODD)
				out = put_nine_scientific(out + (bits >> 31), v);
			else
				out = tfr_decimal_f32_bits(out, bits);
			memcpy(out, ", ", 2);
			out += 2;
		}
		n -= some;
	}
	return tfr_decimal_f32s_plain(out, p, n);
}

char *tfr_decimal_f32s(char *out, const void *values, size_t n)
{
	return tfr_cpu_allows(TFR_CPU_AVX2) && __builtin_cpu_supports("avx2")
		       ? put_f32s_avx2(out, values, n)
		       : tfr_decimal_f32s_plain(out, values, n);
}

#else

char *tfr_decimal_f32s(char *out, const void *values, size_t n)
{
	return tfr_decimal_f32s_plain(out, values, n);
}

#endif
