/* media/pixels/kernels_avx2.c - the inner loops for AVX2 and F16C.
 *
 * Byte shuffles within 16 bytes move pixels; numbers are computed eight at a time.  The plain loops
 * handle the rest that does not fill a register.  They continue at the right place, because the
 * samples of a register begin at a multiple of the period of patterns and sums.
 *
 * A loop that streams begins with plain samples up to an aligned address. */
#include "media/pixels/kernels.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

#include "base/cpu.h"

#define AVX2 __attribute__((target("avx2,f16c")))

/* clang before 16 and gcc before 11 do not know this feature by name.  The instruction that reports
 * it is slow in a virtual machine, so newer compilers do without. */
static bool has_f16c(void)
{
#if (defined(__clang__) && __clang_major__ < 16) || (!defined(__clang__) && __GNUC__ < 11)
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
#else
	return __builtin_cpu_supports("f16c");
#endif
}

static bool usable(void)
{
	return tfr_cpu_allows(TFR_CPU_AVX2) && __builtin_cpu_supports("avx2") && has_f16c();
}

/* --- mirror --- */

/* The complete pixels of 16 bytes in the opposite order; the rest is zero. */
static const uint8_t opposite[][16] = {
	[1] = { 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 },
	[2] = { 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1 },
	[3] = { 12, 13, 14, 9, 10, 11, 6, 7, 8, 3, 4, 5, 0, 1, 2, 0x80 },
	[4] = { 12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3 },
	[8] = { 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7 },
	[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x80, 0x80, 0x80, 0x80 },
	[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
};

/* Stores only the first `n` bytes (12, 15 or 16) of a register. */
AVX2 static inline void store_first(uint8_t *to, __m128i v, size_t n)
{
	if (n == 16) {
		_mm_storeu_si128((__m128i *)to, v);
	} else if (n == 15) {
		_mm_storel_epi64((__m128i *)to, v);
		_mm_storel_epi64((__m128i *)(to + 7), _mm_srli_si128(v, 7));
	} else {
		_mm_storel_epi64((__m128i *)to, v);
		_mm_storel_epi64((__m128i *)(to + 4), _mm_srli_si128(v, 4));
	}
}

/* Exchanges groups of pixels from both ends.  A load takes 16 bytes, which are within the row as
 * long as the two groups do not meet and 16 bytes follow the left one; the load of the right group
 * begins earlier. */
AVX2 static inline void mirror_groups(const uint8_t *in, uint8_t *out, size_t n, size_t pixel)
{
	size_t bytes = 16 / pixel * pixel, left = 0, right = n * pixel, spare = 16 - bytes;
	__m128i order = _mm_loadu_si128((const __m128i *)opposite[pixel]), late = order;

	if (spare) /* the right group is at the end of its load */
		late = _mm_add_epi8(order, _mm_set1_epi8((char)spare));
	for (; right - left >= 2 * bytes + spare; left += bytes, right -= bytes) {
		__m128i a = _mm_loadu_si128((const __m128i *)(in + left));
		__m128i b = _mm_loadu_si128((const __m128i *)(in + right - 16));

		store_first(out + right - bytes, _mm_shuffle_epi8(a, order), bytes);
		store_first(out + left, _mm_shuffle_epi8(b, late), bytes);
	}
	/* In place or not, the bytes between are still unchanged. */
	tfr_pixels_plain.mirror(in + left, out + left, (right - left) / pixel, pixel);
}

AVX2 void tfr_avx2_mirror(const uint8_t *in, uint8_t *out, size_t n, size_t pixel)
{
	switch (pixel) {
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

AVX2 static inline __m256 load_u8(const uint8_t *in)
{
	return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)in)));
}

AVX2 static inline void put(float *out, __m256 v, bool stream)
{
	if (stream)
		_mm256_stream_ps(out, v);
	else
		_mm256_storeu_ps(out, v);
}

/* Samples before `out` is at a multiple of 32 bytes, where streaming can begin. */
static size_t before_aligned(const float *out, size_t n)
{
	size_t head = (size_t)(-(uintptr_t)out % 32) / sizeof(float);

	return head < n ? head : n;
}

/* A register's part of the pattern begins anywhere in the first copy. */
#define NORMALISE(name, type, load)                                                                \
	AVX2 static void name(const type *in, float *out, size_t n, const float *mean,             \
		const float *std, bool stream)                                                     \
	{                                                                                          \
		size_t i = stream ? before_aligned(out, n) : 0;                                    \
                                                                                                   \
		tfr_pixels_plain.name(in, out, i, mean, std, false);                               \
		for (; i + 8 <= n; i += 8) {                                                       \
			size_t k = i % TFR_PATTERN;                                                \
			__m256 x = _mm256_sub_ps(load(in + i), _mm256_loadu_ps(mean + k));         \
			put(out + i, _mm256_div_ps(x, _mm256_loadu_ps(std + k)), stream);          \
		}                                                                                  \
		tfr_pixels_plain.name(in + i, out + i, n - i, mean + i % TFR_PATTERN,              \
			std + i % TFR_PATTERN, false);                                             \
	}

NORMALISE(normalise_u8, uint8_t, load_u8)
NORMALISE(normalise_f32, float, _mm256_loadu_ps)

/* --- other types --- */

AVX2 void tfr_avx2_u8_to_f32(const uint8_t *in, float *out, size_t n, bool stream)
{
	size_t i = stream ? before_aligned(out, n) : 0;

	tfr_pixels_plain.u8_to_f32(in, out, i, false);
	for (; i + 8 <= n; i += 8)
		put(out + i, load_u8(in + i), stream);
	tfr_pixels_plain.u8_to_f32(in + i, out + i, n - i, false);
}

AVX2 static inline void put_half(uint16_t *out, __m256 v)
{
	_mm_storeu_si128(
		(__m128i *)out, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

AVX2 static void u8_to_f16(const uint8_t *in, uint16_t *out, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		put_half(out + i, load_u8(in + i));
	tfr_pixels_plain.u8_to_f16(in + i, out + i, n - i);
}

AVX2 void tfr_avx2_f32_to_f16(const float *in, uint16_t *out, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		put_half(out + i, _mm256_loadu_ps(in + i));
	tfr_pixels_plain.f32_to_f16(in + i, out + i, n - i);
}

/* max() returns its second operand if the first is NaN. */
AVX2 static inline __m256i to_byte(const float *in)
{
	__m256 v = _mm256_max_ps(_mm256_loadu_ps(in), _mm256_setzero_ps());

	return _mm256_cvtps_epi32(_mm256_min_ps(v, _mm256_set1_ps(255)));
}

AVX2 void tfr_avx2_f32_to_u8(const float *in, uint8_t *out, size_t n)
{
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		__m256i a = _mm256_packus_epi32(to_byte(in + i), to_byte(in + i + 8));
		__m256i b = _mm256_packus_epi32(to_byte(in + i + 16), to_byte(in + i + 24));
		__m256i all = _mm256_packus_epi16(a, b);

		_mm256_storeu_si256((__m256i *)(out + i), _mm256_permutevar8x32_epi32(all, order));
	}
	tfr_pixels_plain.f32_to_u8(in + i, out + i, n - i);
}

/* --- planes --- */

/* The shuffle that takes the bytes of plane `plane` from 16-byte group `from` of a block. */
AVX2 static inline __m128i take(unsigned plane, unsigned from, unsigned channels)
{
	uint8_t order[16];

	for (unsigned i = 0; i < 16; i++) {
		unsigned at = i * channels + plane;

		order[i] = at / 16 == from ? (uint8_t)(at % 16) : 0x80;
	}
	return _mm_loadu_si128((const __m128i *)order);
}

AVX2 static inline void planes_of(
	const uint8_t *in, uint8_t *const planes[], size_t n, unsigned channels)
{
	__m128i orders[4][4];
	uint8_t *rest[4];
	size_t i = 0;

	for (unsigned c = 0; c < channels; c++)
		for (unsigned from = 0; from < channels; from++)
			orders[c][from] = take(c, from, channels);
	for (; i + 16 <= n; i += 16) {
		__m128i block[4];

		for (unsigned from = 0; from < channels; from++)
			block[from] = _mm_loadu_si128(
				(const __m128i *)(in + i * channels + 16 * (size_t)from));
		for (unsigned c = 0; c < channels; c++) {
			__m128i all = _mm_shuffle_epi8(block[0], orders[c][0]);

			for (unsigned from = 1; from < channels; from++)
				all = _mm_or_si128(
					all, _mm_shuffle_epi8(block[from], orders[c][from]));
			_mm_storeu_si128((__m128i *)(planes[c] + i), all);
		}
	}
	for (unsigned c = 0; c < channels; c++)
		rest[c] = planes[c] + i;
	tfr_pixels_plain.planes_u8(in + i * channels, rest, n - i, channels);
}

AVX2 static void planes_u8(const uint8_t *in, uint8_t *const planes[], size_t n, unsigned channels)
{
	TFR_BY_CHANNELS(planes_of, in, planes, n, channels);
}

/* The same with floats: eight of a plane from `channels` registers.  Each register is permuted as
 * if all of its floats were wanted, and the wanted ones are blended. */
AVX2 static inline void float_planes_of(
	const float *in, float *const planes[], size_t n, unsigned channels)
{
	__m256i orders[4], groups[4];
	float *rest[4];
	size_t i = 0;

	for (unsigned c = 0; c < channels; c++) {
		uint32_t at[8], group[8];

		for (unsigned k = 0; k < 8; k++) {
			at[k] = (k * channels + c) % 8;
			group[k] = (k * channels + c) / 8;
		}
		orders[c] = _mm256_loadu_si256((const __m256i *)at);
		groups[c] = _mm256_loadu_si256((const __m256i *)group);
	}
	for (; i + 8 <= n; i += 8)
		for (unsigned c = 0; c < channels; c++) {
			const float *from = in + i * channels;
			__m256 all = _mm256_permutevar8x32_ps(_mm256_loadu_ps(from), orders[c]);

			for (unsigned g = 1; g < channels; g++) {
				__m256 group_values = _mm256_permutevar8x32_ps(
					_mm256_loadu_ps(from + 8 * (size_t)g), orders[c]);
				__m256i wanted =
					_mm256_cmpeq_epi32(groups[c], _mm256_set1_epi32((int)g));

				all = _mm256_blendv_ps(
					all, group_values, _mm256_castsi256_ps(wanted));
			}
			_mm256_storeu_ps(planes[c] + i, all);
		}
	for (unsigned c = 0; c < channels; c++)
		rest[c] = planes[c] + i;
	tfr_pixels_plain.planes_f32(in + i * channels, rest, n - i, channels);
}

AVX2 static void planes_f32(const float *in, float *const planes[], size_t n, unsigned channels)
{
	TFR_BY_CHANNELS(float_planes_of, in, planes, n, channels);
}

/* --- sums --- */

AVX2 static inline uint64_t total_of(__m256i v)
{
	uint64_t sums[4];

	_mm256_storeu_si256((__m256i *)sums, v);
	return sums[0] + sums[1] + sums[2] + sums[3];
}

/* Squares are added in pairs to 32 bits, at most 2 * 255 * 255 per step and lane, and moved to 64
 * bits before these overflow. */
AVX2 void tfr_avx2_sums_u8(const uint8_t *in, size_t n, uint64_t *sum, uint64_t *squares)
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i sums = zero, wide = zero;
	size_t i = 0;

	while (i + 32 <= n) {
		size_t end = n - i > 32 * 8000 ? i + 32 * 8000 : n;
		__m256i narrow = zero;

		for (; i + 32 <= end; i += 32) {
			__m256i v = _mm256_loadu_si256((const __m256i *)(in + i));
			__m256i low = _mm256_unpacklo_epi8(v, zero);
			__m256i high = _mm256_unpackhi_epi8(v, zero);

			sums = _mm256_add_epi64(sums, _mm256_sad_epu8(v, zero));
			narrow = _mm256_add_epi32(narrow, _mm256_madd_epi16(low, low));
			narrow = _mm256_add_epi32(narrow, _mm256_madd_epi16(high, high));
		}
		wide = _mm256_add_epi64(wide, _mm256_unpacklo_epi32(narrow, zero));
		wide = _mm256_add_epi64(wide, _mm256_unpackhi_epi32(narrow, zero));
	}
	*sum += total_of(sums);
	*squares += total_of(wide);
	tfr_pixels_plain.sums_u8(in + i, n - i, sum, squares);
}

AVX2 static inline __m256d load_f64(const float *in)
{
	return _mm256_cvtps_pd(_mm_loadu_ps(in));
}

/* Adds x, or with a mean (x - mean) squared; returns the number of samples that were added. */
AVX2 static inline size_t add_up(
	const float *in, size_t n, const double *mean, double sums[TFR_SUMS])
{
	const __m256d m = _mm256_set1_pd(mean ? *mean : 0);
	__m256d s[4];
	size_t i = 0;

	for (int k = 0; k < 4; k++)
		s[k] = _mm256_loadu_pd(sums + 4 * k);
	for (; i + TFR_SUMS <= n; i += TFR_SUMS)
		for (size_t k = 0; k < 4; k++) {
			__m256d x = load_f64(in + i + 4 * k), d = _mm256_sub_pd(x, m);

			s[k] = _mm256_add_pd(s[k], mean ? _mm256_mul_pd(d, d) : x);
		}
	for (int k = 0; k < 4; k++)
		_mm256_storeu_pd(sums + 4 * k, s[k]);
	return i;
}

AVX2 void tfr_avx2_sums_f32(const float *in, size_t n, double sums[TFR_SUMS])
{
	size_t i = add_up(in, n, NULL, sums);

	tfr_pixels_plain.sums_f32(in + i, n - i, sums);
}

AVX2 void tfr_avx2_squares_f32(const float *in, size_t n, double mean, double sums[TFR_SUMS])
{
	size_t i = add_up(in, n, &mean, sums);

	tfr_pixels_plain.squares_f32(in + i, n - i, mean, sums);
}

void tfr_avx2_fence(void)
{
	_mm_sfence();
}

const struct tfr_pixel_kernel tfr_pixels_avx2 = {
	.name = "avx2",
	.usable = usable,
	.mirror = tfr_avx2_mirror,
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
