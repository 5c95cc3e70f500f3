/* media/pixels/kernels_avx512.c - the inner loops for AVX-512 with byte permutes, if they are
 * faster than those for AVX2; the other loops are those for AVX2.
 *
 * A permute takes bytes from anywhere in 128 of them.  The rest that does not fill a register is
 * masked: a masked load reads nothing outside its mask.
 *
 * A division of 16 floats occupies its unit for 16 cycles, so products replace it where possible:
 * see divide(). */
#include "media/pixels/kernels.h"

#ifdef __x86_64__
#include <immintrin.h>

#include "base/cpu.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

static bool usable(void)
{
	return tfr_cpu_allows(TFR_CPU_AVX512) && __builtin_cpu_supports("avx512vbmi") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

/* A mask of the lower `n` lanes of 64 or of 16. */
AVX512 static inline __mmask64 first64(size_t n)
{
	return n >= 64 ? ~0ull : (1ull << n) - 1;
}

AVX512 static inline __mmask16 first16(size_t n)
{
	return n >= 16 ? 0xffff : (__mmask16)((1u << n) - 1);
}

AVX512 static inline __m512i count64(void)
{
	uint8_t n[64];

	for (unsigned i = 0; i < 64; i++)
		n[i] = (uint8_t)i;
	return _mm512_loadu_si512(n);
}

/* --- mirror --- */

/* The opposite order for the complete pixels that fit in a register. */
AVX512 static inline __m512i opposite(size_t pixel, size_t bytes)
{
	uint8_t order[64] = { 0 };

	for (size_t i = 0; i < bytes; i++)
		order[i] = (uint8_t)(bytes - pixel - i / pixel * pixel + i % pixel);
	return _mm512_loadu_si512(order);
}

AVX512 static inline void mirror_groups(const uint8_t *in, uint8_t *out, size_t n, size_t pixel)
{
	size_t bytes = 64 / pixel * pixel, left = 0, right = n * pixel;
	const __m512i order = opposite(pixel, bytes);
	const __mmask64 whole = first64(bytes);

	for (; right - left >= 2 * bytes; left += bytes, right -= bytes) {
		__m512i a = _mm512_maskz_loadu_epi8(whole, in + left);
		__m512i b = _mm512_maskz_loadu_epi8(whole, in + right - bytes);

		_mm512_mask_storeu_epi8(
			out + right - bytes, whole, _mm512_permutexvar_epi8(order, a));
		_mm512_mask_storeu_epi8(out + left, whole, _mm512_permutexvar_epi8(order, b));
	}
	tfr_avx2_mirror(in + left, out + left, (right - left) / pixel, pixel);
}

AVX512 static void mirror(const uint8_t *in, uint8_t *out, size_t n, size_t pixel)
{
	/* Fewer groups do not repay computing their order. */
	if (n * pixel < 4 * 64) {
		tfr_avx2_mirror(in, out, n, pixel);
		return;
	}
	switch (pixel) {
	case 1:
		mirror_groups(in, out, n, 1);
		break;
	case 3:
		mirror_groups(in, out, n, 3);
		break;
	case 12:
		mirror_groups(in, out, n, 12);
		break;
	default:
		mirror_groups(in, out, n, pixel);
	}
}

/* --- (x - mean) / std --- */

/* divide() is correct between these sizes: every intermediate result is a normal number. */
#define LEAST 0x1p-60f
#define MOST 0x1p60f
#define LEAST_MEAN 0x1p-36f

/* The divisors of a pattern's samples, sixteen at a time. */
struct divisor {
	__m512 mean[3], std[3], by[3]; /* by: the divisor's reciprocal, rounded */
	bool good;		       /* divide() may be used */
};

AVX512 static inline __mmask16 between(__m512 v, float low)
{
	__m512 size = _mm512_abs_ps(v);

	return _mm512_cmp_ps_mask(size, _mm512_set1_ps(low), _CMP_GE_OQ) &
	       _mm512_cmp_ps_mask(size, _mm512_set1_ps(MOST), _CMP_LE_OQ);
}

AVX512 static inline __mmask16 zero(__m512 v)
{
	return _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_EQ_OQ);
}

/* Returns a / d, rounded as division rounds it, for 0 and for sizes between LEAST and MOST.  The
 * quotient by the rounded reciprocal is off by at most two units in the last place.  A fused
 * operation gives its remainder, which corrects it to within one unit; a second step rounds it to
 * the nearest (Markstein 1990, theorem 8.1: the reciprocal is rounded, the quotient within one
 * unit, its remainder exact). */
AVX512 static inline __m512 divide(__m512 a, __m512 d, __m512 by)
{
	__m512 q = _mm512_mul_ps(a, by);

	q = _mm512_fmadd_ps(_mm512_fnmadd_ps(q, d, a), by, q);
	return _mm512_fmadd_ps(_mm512_fnmadd_ps(q, d, a), by, q);
}

AVX512 static inline void set_divisor(struct divisor *v, const float *mean, const float *std)
{
	__mmask16 good = 0xffff;

	for (int j = 0; j < 3; j++) {
		v->mean[j] = _mm512_loadu_ps(mean + 16 * (size_t)j);
		v->std[j] = _mm512_loadu_ps(std + 16 * (size_t)j);
		v->by[j] = _mm512_div_ps(_mm512_set1_ps(1), v->std[j]);
		good &= between(v->std[j], LEAST);
		/* An integer minus such a mean is 0 or at least LEAST: with 8 bits, differences
		 * need no check. */
		good &= between(v->mean[j], LEAST_MEAN) | zero(v->mean[j]);
	}
	v->good = good == 0xffff;
}

/* Divides sixteen samples; `j` selects the third of the pattern. */
AVX512 static inline __m512 normalise(const struct divisor *v, int j, __m512 x, bool whole_numbers)
{
	__m512 a = _mm512_sub_ps(x, v->mean[j]);

	if (!v->good || (!whole_numbers && (between(a, LEAST) | zero(a)) != 0xffff))
		return _mm512_div_ps(a, v->std[j]);
	return divide(a, v->std[j], v->by[j]);
}

AVX512 static inline __m512 load_u8(const uint8_t *in, __mmask16 some)
{
	return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(some, in)));
}

AVX512 static inline __m512 load_f32(const float *in, __mmask16 some)
{
	return _mm512_maskz_loadu_ps(some, in);
}

AVX512 static inline void put(float *out, __m512 v, bool stream)
{
	if (stream)
		_mm512_stream_ps(out, v);
	else
		_mm512_storeu_ps(out, v);
}

/* Samples before `out` is at a multiple of 64 bytes, where streaming can begin. */
static size_t before_aligned(const float *out, size_t n)
{
	size_t head = (size_t)(-(uintptr_t)out % 64) / sizeof(float);

	return head < n ? head : n;
}

#define NORMALISE(name, type, load, whole)                                                         \
	AVX512 static void name(const type *in, float *out, size_t n, const float *mean,           \
		const float *std, bool stream)                                                     \
	{                                                                                          \
		size_t i = stream ? before_aligned(out, n) : 0;                                    \
		struct divisor v;                                                                  \
                                                                                                   \
		tfr_pixels_plain.name(in, out, i, mean, std, false);                               \
		set_divisor(&v, mean + i, std + i);                                                \
		for (; i + TFR_PATTERN <= n; i += TFR_PATTERN)                                     \
			for (int j = 0; j < 3; j++) {                                              \
				__m512 x = load(in + i + 16 * j, 0xffff);                          \
				put(out + i + 16 * j, normalise(&v, j, x, whole), stream);         \
			}                                                                          \
		for (int j = 0; i < n; j++, i += 16) {                                             \
			__mmask16 some = first16(n - i);                                           \
			_mm512_mask_storeu_ps(                                                     \
				out + i, some, normalise(&v, j, load(in + i, some), whole));       \
		}                                                                                  \
	}

NORMALISE(normalise_u8, uint8_t, load_u8, true)
NORMALISE(normalise_f32, float, load_f32, false)

/* --- other types --- */

AVX512 static inline __m256i half(__m512 v)
{
	return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

AVX512 static void u8_to_f16(const uint8_t *in, uint16_t *out, size_t n)
{
	for (size_t i = 0; i < n; i += 16) {
		__mmask16 some = first16(n - i);

		_mm256_mask_storeu_epi16(out + i, some, half(load_u8(in + i, some)));
	}
}

/* --- planes --- */

/* Stores `n` samples of a plane from the 64 * channels at `block`. */
AVX512 static inline __m512i load_block(const uint8_t *in, size_t n, size_t block)
{
	size_t from = 64 * block;

	return _mm512_maskz_loadu_epi8(n > from ? first64(n - from) : 0, in + from);
}

AVX512 static inline void planes_of(
	const uint8_t *in, uint8_t *const planes[], size_t n, unsigned channels)
{
	__m512i orders[4];
	__mmask64 upper[4]; /* the bytes from the third and the fourth register */

	for (unsigned c = 0; c < channels; c++) {
		__m512i order = _mm512_set1_epi8((char)c);

		for (unsigned k = 0; k < channels; k++)
			order = _mm512_add_epi8(order, count64());
		orders[c] = order;
		upper[c] = _mm512_movepi8_mask(order);
	}
	for (size_t i = 0; i < n; i += 64) {
		size_t left = (n - i) * channels;
		const uint8_t *from = in + i * channels;
		__m512i block[4] = { load_block(from, left, 0), load_block(from, left, 1) };

		if (channels > 2)
			block[2] = load_block(from, left, 2);
		block[3] = channels > 3 ? load_block(from, left, 3) : block[1];
		for (unsigned c = 0; c < channels; c++) {
			__m512i all = _mm512_permutex2var_epi8(block[0], orders[c], block[1]);

			if (channels > 2)
				all = _mm512_mask_blend_epi8(upper[c], all,
					_mm512_permutex2var_epi8(block[2], orders[c], block[3]));
			_mm512_mask_storeu_epi8(planes[c] + i, first64(n - i), all);
		}
	}
}

AVX512 static void planes_u8(
	const uint8_t *in, uint8_t *const planes[], size_t n, unsigned channels)
{
	TFR_BY_CHANNELS(planes_of, in, planes, n, channels);
}

AVX512 static inline __m512 load_floats(const float *in, size_t n, size_t block)
{
	size_t from = 16 * block;

	return _mm512_maskz_loadu_ps(n > from ? first16(n - from) : 0, in + from);
}

AVX512 static inline void float_planes_of(
	const float *in, float *const planes[], size_t n, unsigned channels)
{
	const __m512i count =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m512i orders[4];
	__mmask16 upper[4];

	for (unsigned c = 0; c < channels; c++) {
		orders[c] = _mm512_add_epi32(
			_mm512_mullo_epi32(count, _mm512_set1_epi32((int)channels)),
			_mm512_set1_epi32((int)c));
		upper[c] = _mm512_cmpge_epi32_mask(orders[c], _mm512_set1_epi32(32));
	}
	for (size_t i = 0; i < n; i += 16) {
		size_t left = (n - i) * channels;
		const float *from = in + i * channels;
		__m512 block[4] = { load_floats(from, left, 0), load_floats(from, left, 1) };

		if (channels > 2)
			block[2] = load_floats(from, left, 2);
		block[3] = channels > 3 ? load_floats(from, left, 3) : block[1];
		for (unsigned c = 0; c < channels; c++) {
			__m512 all = _mm512_permutex2var_ps(block[0], orders[c], block[1]);

			if (channels > 2)
				all = _mm512_mask_blend_ps(upper[c], all,
					_mm512_permutex2var_ps(block[2], orders[c], block[3]));
			_mm512_mask_storeu_ps(planes[c] + i, first16(n - i), all);
		}
	}
}

AVX512 static void planes_f32(const float *in, float *const planes[], size_t n, unsigned channels)
{
	TFR_BY_CHANNELS(float_planes_of, in, planes, n, channels);
}

const struct tfr_pixel_kernel tfr_pixels_avx512 = {
	.name = "avx512",
	.usable = usable,
	.mirror = mirror,
	.normalise_u8 = normalise_u8,
	.normalise_f32 = normalise_f32,
	.u8_to_f32 = tfr_avx2_u8_to_f32,
	.u8_to_f16 = u8_to_f16,
	.f32_to_f16 = tfr_avx2_f32_to_f16,
	.f32_to_u8 = tfr_avx2_f32_to_u8,
	.planes_u8 = planes_u8,
	.planes_f32 = planes_f32,
	.sums_u8 = tfr_avx2_sums_u8,
	.sums_f32 = tfr_avx2_sums_f32,
	.squares_f32 = tfr_avx2_squares_f32,
	.finish = tfr_avx2_fence,
};
#endif
