/* media/pixels/rotate_x86.c - eight pixels of a rotated RGB image at once, for AVX2.
 *
 * Their places are computed in parallel, the four pixels around each are gathered as 32 bits, and
 * each channel is blended separately, in the order of rotate.c.  The fourth byte belongs to the
 * next pixel, which is within the row.  The loop stops if one of the eight is near an edge. */
#include "media/pixels/kernels.h"

#ifdef __x86_64__
#include <immintrin.h>

#include "base/cpu.h"

#define AVX2 __attribute__((target("avx2")))

/* Eight pixels: the upper left of the four source pixels of each, as an offset, and the weights of
 * the four. */
struct eight {
	__m256i at;
	__m256 weights[4];
	__m256 cover; /* their sum */
};

bool tfr_rotate_avx2_usable(void)
{
	return tfr_cpu_allows(TFR_CPU_AVX2) && __builtin_cpu_supports("avx2");
}

AVX2 static inline __m256 places_of(__m256 from, float by, float add, float half)
{
	__m256 v = _mm256_add_ps(_mm256_mul_ps(from, _mm256_set1_ps(by)), _mm256_set1_ps(add));

	v = _mm256_mul_ps(_mm256_add_ps(v, _mm256_set1_ps(1)), _mm256_set1_ps(half));
	return _mm256_sub_ps(v, _mm256_set1_ps(0.5f));
}

/* Lanes whose number is between 0 and `last`. */
AVX2 static inline __m256 within(__m256 v, float last)
{
	return _mm256_and_ps(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_GE_OQ),
		_mm256_cmp_ps(v, _mm256_set1_ps(last), _CMP_LE_OQ));
}

/* False: one of them is too close to an edge. */
AVX2 static inline bool find(const struct tfr_rotate_run *run, uint32_t x, struct eight *e)
{
	const struct tfr_rotate_line *l = &run->line;
	const __m256 one = _mm256_set1_ps(1);
	__m256i count = _mm256_add_epi32(
		_mm256_set1_epi32((int)x), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
	__m256 from = _mm256_sub_ps(_mm256_cvtepi32_ps(count), _mm256_set1_ps(l->middle));
	__m256 u = places_of(from, l->x_by_x, l->x_by_row, l->half_width),
	       v = places_of(from, l->y_by_x, l->y_by_row, l->half_height);
	__m256 left = _mm256_floor_ps(u), top = _mm256_floor_ps(v);
	__m256 good = _mm256_and_ps(
		within(left, (float)run->in.width - 3), within(top, (float)run->in.height - 2));
	__m256 w = _mm256_sub_ps(u, left), n = _mm256_sub_ps(v, top);
	__m256 east = _mm256_sub_ps(one, w), s = _mm256_sub_ps(one, n);

	if (_mm256_movemask_ps(good) != 0xff)
		return false;
	e->at = _mm256_add_epi32(
		_mm256_mullo_epi32(_mm256_cvttps_epi32(left), _mm256_set1_epi32(3)),
		_mm256_mullo_epi32(
			_mm256_cvttps_epi32(top), _mm256_set1_epi32((int)run->in.stride)));
	e->weights[0] = _mm256_mul_ps(s, east);
	e->weights[1] = _mm256_mul_ps(s, w);
	e->weights[2] = _mm256_mul_ps(n, east);
	e->weights[3] = _mm256_mul_ps(n, w);
	e->cover = _mm256_add_ps(
		_mm256_add_ps(_mm256_add_ps(e->weights[0], e->weights[1]), e->weights[2]),
		e->weights[3]);
	return true;
}

/* Computes one channel of the eight, as integers from 0 to 255. */
AVX2 static inline __m256i blend(
	const struct eight *e, const __m256i corners[4], int shift, const float *fill)
{
	const __m256i low = _mm256_set1_epi32(255);
	__m256 sum = _mm256_setzero_ps();

	for (int k = 0; k < 4; k++) {
		__m256i sample = _mm256_and_si256(_mm256_srli_epi32(corners[k], shift), low);
		__m256 term = _mm256_mul_ps(_mm256_cvtepi32_ps(sample), e->weights[k]);

		sum = k ? _mm256_add_ps(sum, term) : term;
	}
	if (fill) {
		__m256 rest = _mm256_sub_ps(_mm256_set1_ps(1), e->cover);

		sum = _mm256_add_ps(
			_mm256_mul_ps(sum, e->cover), _mm256_mul_ps(rest, _mm256_set1_ps(*fill)));
		/* A NaN becomes 0: max() returns its second operand then. */
		sum = _mm256_max_ps(sum, _mm256_setzero_ps());
		sum = _mm256_min_ps(sum, _mm256_set1_ps(255));
	}
	return _mm256_cvtps_epi32(sum);
}

/* Stores three bytes of each lane: exactly 24 bytes. */
AVX2 static inline void store(uint8_t *out, __m256i pixels)
{
	const __m256i order = _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1,
		-1, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
	__m256i dense = _mm256_shuffle_epi8(pixels, order);
	__m128i first = _mm256_castsi256_si128(dense), second = _mm256_extracti128_si256(dense, 1);

	_mm_storel_epi64((__m128i *)out, first);
	_mm_storel_epi64((__m128i *)(out + 4), _mm_srli_si128(first, 4));
	_mm_storel_epi64((__m128i *)(out + 12), second);
	_mm_storel_epi64((__m128i *)(out + 16), _mm_srli_si128(second, 4));
}

AVX2 uint32_t tfr_rotate_avx2(const struct tfr_rotate_run *run, uint32_t x)
{
	const uint8_t *in = run->in.data;
	size_t stride = run->in.stride;
	struct eight e;

	/* Offsets are signed 32-bit numbers. */
	if (stride * run->in.height > INT32_MAX)
		return x;
	for (; x + 8 <= run->width && find(run, x, &e); x += 8) {
		const __m256i corners[4] = {
			_mm256_i32gather_epi32((const int *)(const void *)in, e.at, 1),
			_mm256_i32gather_epi32((const int *)(const void *)(in + 3), e.at, 1),
			_mm256_i32gather_epi32((const int *)(const void *)(in + stride), e.at, 1),
			_mm256_i32gather_epi32(
				(const int *)(const void *)(in + stride + 3), e.at, 1),
		};
		__m256i all = _mm256_setzero_si256();

		for (int c = 0; c < 3; c++) {
			__m256i channel =
				blend(&e, corners, 8 * c, run->fill ? run->fill + c : NULL);

			all = _mm256_or_si256(all, _mm256_slli_epi32(channel, 8 * c));
		}
		store(run->out + 3 * (size_t)x, all);
	}
	return x;
}
#endif
