/* media/resize/scale_x86.c - scaling with AVX2: four weights at once across, two down.
 *
 * pmaddwd adds the products of two pairs of 16 bits.  A weight has 23 bits and more, so it is split
 * into high * 4096 + low, and the two sums are combined at the end: the same sum modulo 2^32, which
 * fits. */
#include "media/resize/kernels.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <string.h>

#include "base/cpu.h"

#define AVX2 __attribute__((target("avx2")))

static bool usable(void)
{
	return tfr_cpu_allows(TFR_CPU_AVX2) && __builtin_cpu_supports("avx2");
}

/* For each number of channels: a shuffle that takes pixels 0 and 1 (and 2 and 3, in the other half)
 * from 16 bytes, as one pair of 16 bits per channel. */
#define Z -1
static const int8_t pairs[5][32] = {
	[1] = { 0, Z, 1, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, 2, Z, 3, Z, Z, Z, Z, Z, Z, Z, Z, Z,
		Z, Z, Z, Z },
	[2] = { 0, Z, 2, Z, 1, Z, 3, Z, Z, Z, Z, Z, Z, Z, Z, Z, 4, Z, 6, Z, 5, Z, 7, Z, Z, Z, Z, Z,
		Z, Z, Z, Z },
	[3] = { 0, Z, 3, Z, 1, Z, 4, Z, 2, Z, 5, Z, Z, Z, Z, Z, 6, Z, 9, Z, 7, Z, 10, Z, 8, Z, 11,
		Z, Z, Z, Z, Z },
	[4] = { 0, Z, 4, Z, 1, Z, 5, Z, 2, Z, 6, Z, 3, Z, 7, Z, 8, Z, 12, Z, 9, Z, 13, Z, 10, Z, 14,
		Z, 11, Z, 15, Z },
};
#undef Z

/* Four 16-bit weights: the first two for one half, the others for the other. */
AVX2 static inline __m256i spread(const int16_t *weights)
{
	const __m256i halves = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
	int64_t four;

	memcpy(&four, weights, sizeof(four));
	return _mm256_permutevar8x32_epi32(_mm256_set1_epi64x(four), halves);
}

AVX2 static inline __m128i join(__m256i high, __m256i low)
{
	__m256i sum = _mm256_add_epi32(_mm256_slli_epi32(high, 12), low);
	__m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));

	four = _mm_add_epi32(four, _mm_set1_epi32(1 << (TFR_SCALE_BITS - 1)));
	return _mm_srai_epi32(four, TFR_SCALE_BITS);
}

AVX2 static void across(const struct tfr_axis *axis, unsigned channels, const uint8_t *row,
	const uint8_t *row_end, uint8_t *out)
{
	const __m256i order = _mm256_loadu_si256((const __m256i *)(const void *)pairs[channels]);

	for (uint32_t i = 0; i < axis->out; i++, out += channels) {
		const int16_t *wh = axis->high + i * axis->stride;
		const int16_t *wl = axis->low + i * axis->stride;
		const uint8_t *from = row + (size_t)axis->first[i] * channels;
		__m256i high = _mm256_setzero_si256(), low = high;
		uint32_t n = axis->count[i];
		__m128i four;
		uint32_t bytes;

		for (uint32_t k = 0; k < n; k += 4, from += (size_t)4 * channels) {
			uint8_t last[16] = { 0 };
			__m256i p;

			if (row_end - from < 16) {
				memcpy(last, from, (size_t)(row_end - from));
				p = _mm256_broadcastsi128_si256(
					_mm_loadu_si128((const __m128i *)(const void *)last));
			} else {
				p = _mm256_broadcastsi128_si256(
					_mm_loadu_si128((const __m128i *)(const void *)from));
			}
			p = _mm256_shuffle_epi8(p, order);
			high = _mm256_add_epi32(high, _mm256_madd_epi16(p, spread(wh + k)));
			low = _mm256_add_epi32(low, _mm256_madd_epi16(p, spread(wl + k)));
		}
		four = join(high, low);
		four = _mm_packus_epi16(_mm_packs_epi32(four, four), four);
		bytes = (uint32_t)_mm_cvtsi128_si32(four);
		memcpy(out, &bytes, channels);
	}
}

/* Sixteen samples of two rows, as pairs of 16 bits, in the order of unpacking, which packing in
 * down_16() reverses. */
AVX2 static inline void add_rows(
	const uint8_t *a, const uint8_t *b, __m256i wh, __m256i wl, __m256i high[2], __m256i low[2])
{
	__m256i pa = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)a));
	__m256i pb = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)b));
	__m256i near = _mm256_unpacklo_epi16(pa, pb), far = _mm256_unpackhi_epi16(pa, pb);

	high[0] = _mm256_add_epi32(high[0], _mm256_madd_epi16(near, wh));
	high[1] = _mm256_add_epi32(high[1], _mm256_madd_epi16(far, wh));
	low[0] = _mm256_add_epi32(low[0], _mm256_madd_epi16(near, wl));
	low[1] = _mm256_add_epi32(low[1], _mm256_madd_epi16(far, wl));
}

AVX2 static inline __m256i finish(__m256i high, __m256i low)
{
	__m256i sum = _mm256_add_epi32(_mm256_slli_epi32(high, 12), low);

	sum = _mm256_add_epi32(sum, _mm256_set1_epi32(1 << (TFR_SCALE_BITS - 1)));
	return _mm256_srai_epi32(sum, TFR_SCALE_BITS);
}

AVX2 static inline __m256i two(const int16_t *weights)
{
	int32_t both;

	memcpy(&both, weights, sizeof(both));
	return _mm256_set1_epi32(both);
}

AVX2 static inline void down_16(
	const struct tfr_axis *axis, uint32_t y, const uint8_t *rows, size_t stride, uint8_t *out)
{
	const int16_t *wh = axis->high + y * axis->stride, *wl = axis->low + y * axis->stride;
	__m256i high[2] = { _mm256_setzero_si256(), _mm256_setzero_si256() };
	__m256i low[2] = { _mm256_setzero_si256(), _mm256_setzero_si256() }, packed;
	uint32_t n = axis->count[y];

	for (uint32_t k = 0; k < n; k += 2) {
		/* The weight of a row beyond the last is 0. */
		const uint8_t *a = rows + k * stride, *b = k + 1 < n ? a + stride : a;

		add_rows(a, b, two(wh + k), two(wl + k), high, low);
	}
	packed = _mm256_packs_epi32(finish(high[0], low[0]), finish(high[1], low[1]));
	packed = _mm256_packus_epi16(packed, packed);
	packed = _mm256_permute4x64_epi64(packed, 0x08);
	_mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(packed));
}

AVX2 static void down(const struct tfr_axis *axis, uint32_t y, const uint8_t *rows, size_t stride,
	size_t n, uint8_t *out)
{
	size_t i = 0;

	if (n < 16) {
		tfr_scale_plain.down(axis, y, rows, stride, n, out);
		return;
	}
	rows += axis->first[y] * stride;
	for (; i + 16 <= n; i += 16)
		down_16(axis, y, rows + i, stride, out + i);
	/* The last sixteen again, overlapping: nothing is written past the end of a row. */
	if (i < n)
		down_16(axis, y, rows + n - 16, stride, out + n - 16);
}

const struct tfr_scale_kernel tfr_scale_avx2 = { usable, across, down };
#endif
