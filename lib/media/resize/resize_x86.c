/* media/resize/resize_x86.c - resize kernels for AVX2 and for AVX-512 with byte permutes.
 *
 * Horizontally, a group of neighbouring elements needs samples that are close together.  One load
 * fetches them all, and two byte shuffles place the lower and the upper neighbour of each element
 * in its own 32-bit lane, ready to become floats.  A group is 4 elements in 16 bytes (AVX2: two
 * groups per register), or 16 elements in 64 bytes.  If an image shrinks so much that the samples
 * of a group are farther apart, prepare() declines and the plain kernel is used.
 *
 * Loads never pass the end of the source row: a group near it starts earlier instead. */
#include "media/pixels/kernels.h"
#include "media/resize/kernels.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <string.h>

#include "base/cpu.h"

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

/* The start of a load of `window` bytes for elements [i, i + count); false: their samples do not
 * fit in it. */
static bool find_base(
	const struct tfr_resize_columns *c, size_t i, size_t count, size_t window, uint32_t *base)
{
	uint32_t first = c->low[i], last = c->high[i];

	for (size_t k = i + 1; k < i + count; k++) {
		first = c->low[k] < first ? c->low[k] : first;
		last = c->high[k] > last ? c->high[k] : last;
	}
	if (c->row_bytes < window || last - first >= window)
		return false;
	*base = first <= c->row_bytes - window ? first : (uint32_t)(c->row_bytes - window);
	return true;
}

/* AVX2: two groups of four elements. */
struct pair {
	/* Shuffles of each group's 16 bytes: byte 4k is element k's sample, the rest zero (0x80).
	 */
	uint8_t low[32], high[32];
	uint32_t base[2];
	uint32_t unused[6];
};

static bool avx2_usable(void)
{
	return tfr_cpu_allows(TFR_CPU_AVX2) && __builtin_cpu_supports("avx2") &&
	       __builtin_cpu_supports("fma");
}

static bool avx2_prepare(struct tfr_resize_columns *c)
{
	struct pair *p = c->tables;

	for (size_t i = 0; i < c->padded; i += 8, p++) {
		memset(p->low, 0x80, sizeof(p->low));
		memset(p->high, 0x80, sizeof(p->high));
		for (size_t group = 0; group < 2; group++) {
			size_t first = i + group * 4;
			uint32_t base;

			if (!find_base(c, first, 4, 16, &base))
				return false;
			p->base[group] = base;
			for (size_t k = 0; k < 4; k++) {
				p->low[group * 16 + k * 4] = (uint8_t)(c->low[first + k] - base);
				p->high[group * 16 + k * 4] = (uint8_t)(c->high[first + k] - base);
			}
		}
	}
	return true;
}

AVX2 static inline __m256 avx2_samples(__m256i bytes, const uint8_t *index)
{
	__m256i shuffle = _mm256_load_si256((const __m256i *)index);

	return _mm256_cvtepi32_ps(_mm256_shuffle_epi8(bytes, shuffle));
}

AVX2 static void avx2_horizontal(const struct tfr_resize_columns *c, const uint8_t *row, float *out)
{
	const struct pair *p = c->tables;

	for (size_t i = 0; i < c->padded; i += 8, p++) {
		__m128i first = _mm_loadu_si128((const __m128i *)(row + p->base[0]));
		__m128i second = _mm_loadu_si128((const __m128i *)(row + p->base[1]));
		__m256i bytes = _mm256_set_m128i(second, first);
		__m256 low = avx2_samples(bytes, p->low), high = avx2_samples(bytes, p->high);
		__m256 w = _mm256_load_ps(c->weight + i),
		       step = _mm256_mul_ps(_mm256_sub_ps(high, low), w);

		_mm256_store_ps(out + i, _mm256_add_ps(low, step));
	}
}

/* Division by 127.5, rounded as division is, in a tenth of the time.  The quotient by the
 * reciprocal is off by at most one unit in the last place; a fused operation gives its exact
 * remainder, which corrects it (Markstein 1990).  All 620 million possible operands were tested. */
#define BY_127_5 (1.0f / 127.5f)

/* The elements that do not fill a register. */
static void vertical_rest(const float *top, const float *bottom, float weight, size_t i, size_t n,
	unsigned flags, float *out)
{
	for (; i < n; i++) {
		float v = top[i] + (bottom[i] - top[i]) * weight;

		out[i] = flags & TFR_RESIZE_NORMALISE ? (v - 127.5f) / 127.5f : v;
	}
}

/* The vertical kernel with registers of `bits`. */
#define VERTICAL(name, target, bits)                                                               \
	target static inline __m##bits name##_normalise(__m##bits v)                               \
	{                                                                                          \
		__m##bits half = _mm##bits##_set1_ps(127.5f), by = _mm##bits##_set1_ps(BY_127_5);  \
		__m##bits quotient;                                                                \
                                                                                                   \
		v = _mm##bits##_sub_ps(v, half);                                                   \
		quotient = _mm##bits##_mul_ps(v, by);                                              \
		return _mm##bits##_fmadd_ps(                                                       \
			_mm##bits##_fnmadd_ps(quotient, half, v), by, quotient);                   \
	}                                                                                          \
                                                                                                   \
	target static void name##_vertical(const float *top, const float *bottom, float weight,    \
		size_t n, unsigned flags, float *out)                                              \
	{                                                                                          \
		enum { LANES = bits / 32 };                                                        \
		bool stream = (flags & TFR_RESIZE_STREAM) && (uintptr_t)out % (bits / 8) == 0;     \
		bool normalise = flags & TFR_RESIZE_NORMALISE;                                     \
		__m##bits w = _mm##bits##_set1_ps(weight);                                         \
		size_t i = 0;                                                                      \
                                                                                                   \
		for (; i + LANES <= n; i += LANES) {                                               \
			__m##bits t = _mm##bits##_load_ps(top + i);                                \
			__m##bits b = _mm##bits##_load_ps(bottom + i);                             \
			__m##bits step = _mm##bits##_mul_ps(_mm##bits##_sub_ps(b, t), w);          \
			__m##bits v = _mm##bits##_add_ps(t, step);                                 \
                                                                                                   \
			if (normalise)                                                             \
				v = name##_normalise(v);                                           \
			if (stream)                                                                \
				_mm##bits##_stream_ps(out + i, v);                                 \
			else                                                                       \
				_mm##bits##_storeu_ps(out + i, v);                                 \
		}                                                                                  \
		vertical_rest(top, bottom, weight, i, n, flags, out);                              \
	}

VERTICAL(avx2, AVX2, 256)

const struct tfr_resize_kernel tfr_resize_avx2 = {
	.name = "avx2",
	.usable = avx2_usable,
	.prepare = avx2_prepare,
	.table_size = TFR_RESIZE_PAD / 8 * sizeof(struct pair),
	.horizontal = avx2_horizontal,
	.vertical = avx2_vertical,
	.finish = tfr_avx2_fence,
};

/* AVX-512: one group of sixteen elements. */
struct group {
	/* Permutes: byte 4k is element k's sample; the other bytes are masked off. */
	uint8_t low[64], high[64];
	uint32_t base;
	uint32_t unused[15];
};

#define LANE_BYTE 0x1111111111111111u

static bool avx512_usable(void)
{
	return tfr_cpu_allows(TFR_CPU_AVX512) && __builtin_cpu_supports("avx512vbmi") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

static bool avx512_prepare(struct tfr_resize_columns *c)
{
	struct group *g = c->tables;

	for (size_t i = 0; i < c->padded; i += 16, g++) {
		if (!find_base(c, i, 16, 64, &g->base))
			return false;
		for (size_t k = 0; k < 16; k++) {
			g->low[k * 4] = (uint8_t)(c->low[i + k] - g->base);
			g->high[k * 4] = (uint8_t)(c->high[i + k] - g->base);
		}
	}
	return true;
}

AVX512 static inline __m512 avx512_samples(__m512i bytes, const uint8_t *index)
{
	__m512i chosen = _mm512_maskz_permutexvar_epi8(LANE_BYTE, _mm512_load_si512(index), bytes);

	return _mm512_cvtepi32_ps(chosen);
}

AVX512 static void avx512_horizontal(
	const struct tfr_resize_columns *c, const uint8_t *row, float *out)
{
	const struct group *g = c->tables;

	for (size_t i = 0; i < c->padded; i += 16, g++) {
		__m512i bytes = _mm512_loadu_si512(row + g->base);
		__m512 low = avx512_samples(bytes, g->low), high = avx512_samples(bytes, g->high);
		__m512 w = _mm512_load_ps(c->weight + i),
		       step = _mm512_mul_ps(_mm512_sub_ps(high, low), w);

		_mm512_store_ps(out + i, _mm512_add_ps(low, step));
	}
}

VERTICAL(avx512, AVX512, 512)

const struct tfr_resize_kernel tfr_resize_avx512 = {
	.name = "avx512",
	.usable = avx512_usable,
	.prepare = avx512_prepare,
	.table_size = TFR_RESIZE_PAD / 16 * sizeof(struct group),
	.horizontal = avx512_horizontal,
	.vertical = avx512_vertical,
	.finish = tfr_avx2_fence,
};
#endif
