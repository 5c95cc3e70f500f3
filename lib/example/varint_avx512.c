/* example/varint_avx512.c - packed varints, eight per step whatever their lengths.
 *
 * 64 bytes are loaded, or the rest.  The positions of the bytes that end a varint are compacted:
 * they give the end of the first eight varints and, shifted by one, the start of each.  One
 * permutation then moves the bytes of each varint into its own lane, and two multiplications join
 * the seven bits of each byte.  A second permutation handles the ninth and tenth bytes, which
 * negative numbers have.
 *
 * No branch depends on data that a list of a few numbers would make unpredictable: the number of
 * varints only says how far to advance.  The word decoder handles damaged input. */
#include "example/varint.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "base/cpu.h"

#define AVX512                                                                                     \
	__attribute__((                                                                            \
		target("bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")))

/* The bytes 0, 1 and so on of a vector: one per lane, or repeated within each lane. */
AVX512 static inline __m512i ramp(void)
{
	const __m512i eight = _mm512_setr_epi64(0x0706050403020100, 0x0f0e0d0c0b0a0908,
		0x1716151413121110, 0x1f1e1d1c1b1a1918, 0x2726252423222120, 0x2f2e2d2c2b2a2928,
		0x3736353433323130, 0x3f3e3d3c3b3a3938);

	return eight;
}

/* Copies byte i of eight to all bytes of lane i. */
AVX512 static inline __m512i spread(__m128i eight)
{
	const __m512i lane = _mm512_setr_epi64(0, 0x0101010101010101, 0x0202020202020202,
		0x0303030303030303, 0x0404040404040404, 0x0505050505050505, 0x0606060606060606,
		0x0707070707070707);

	return _mm512_permutexvar_epi8(lane, _mm512_castsi128_si512(eight));
}

/* The positions of the first eight varints of a vector, in the bytes of one lane each. */
struct places {
	__m512i begins, ends;
};

AVX512 static inline struct places first_places(__mmask64 stops)
{
	__m128i ends = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(stops, ramp()));
	__m128i begins =
		_mm_add_epi8(_mm_slli_epi64(ends, 8), _mm_cvtsi64_si128(0x0101010101010100));

	return (struct places){ spread(begins), spread(ends) };
}

/* The bytes at offset `steps` of each varint, zero where the varint is shorter. */
AVX512 static inline __m512i pick(struct places at, __m512i bytes, int64_t steps)
{
	__m512i from = _mm512_add_epi8(at.begins, _mm512_set1_epi64(steps));
	__mmask64 within = _mm512_cmple_epu8_mask(from, at.ends);

	return _mm512_and_si512(
		_mm512_maskz_permutexvar_epi8(within, from, bytes), _mm512_set1_epi8(0x7f));
}

/* The first eight varints whose last bytes are marked in `stops`, up to eight bytes each; if
 * there are fewer, the rest is arbitrary. */
AVX512 static inline __m512i first_eight(struct places at, __m512i bytes)
{
	__m512i v = pick(at, bytes, 0x0706050403020100);

	v = _mm512_maddubs_epi16(_mm512_set1_epi16((short)0x8001), v);
	v = _mm512_madd_epi16(v, _mm512_set1_epi32(0x40000001));
	return _mm512_or_si512(
		_mm512_maskz_mov_epi32(0x5555, v), _mm512_slli_epi64(_mm512_srli_epi64(v, 32), 28));
}

/* The bits of the ninth and tenth bytes: only the lowest bit of the tenth. */
AVX512 static inline __m512i ninth_and_tenth(struct places at, __m512i bytes)
{
	__m512i v = pick(at, bytes, 0x4040404040400908); /* offset 64 is outside every varint */

	return _mm512_or_si512(
		_mm512_slli_epi64(v, 56), _mm512_slli_epi64(_mm512_srli_epi64(v, 8), 63));
}

/* Where at least eight, or ten, consecutive bytes have the continuation bit. */
struct runs {
	uint64_t eight, ten;
};

static inline struct runs runs_of(uint64_t more)
{
	uint64_t two = more & more >> 1, four = two & two >> 2, eight = four & four >> 4;

	return (struct runs){ eight, eight & two >> 8 };
}

/* Stores `n` varints of one byte each, at `p`. */
AVX512 static inline void put_bytes(const uint8_t *p, size_t n, __mmask64 there, int64_t *out)
{
	for (size_t i = 0; i < n; i += 8)
		_mm512_storeu_si512(out + i,
			_mm512_cvtepu8_epi64(_mm_maskz_loadu_epi8((__mmask16)(there >> i), p + i)));
}

AVX512 int64_t *tfr_varints_decode_avx512(
	const uint8_t **from, const uint8_t *end, const uint8_t *limit, int64_t *out)
{
	const uint8_t *p = *from;

	while (p < end) {
		size_t left = (size_t)(end - p);
		__mmask64 there = left < 64 ? _bzhi_u64(UINT64_MAX, (unsigned)left) : UINT64_MAX;
		__m512i bytes = _mm512_maskz_loadu_epi8(there, p);
		uint64_t more = (uint64_t)_mm512_movepi8_mask(bytes), stops = ~more & there;
		size_t n = (size_t)_mm_popcnt_u64(stops);

		struct runs longs = runs_of(more);
		struct places at;
		__m512i v;

		if (!n || longs.ten)
			break;
		if (n > 8 && !more) {
			put_bytes(p, n, there, out);
			p += n;
			out += n;
			continue;
		}
		at = first_places(stops);
		v = first_eight(at, bytes);
		if (longs.eight)
			v = _mm512_or_si512(v, ninth_and_tenth(at, bytes));
		_mm512_storeu_si512(out, v);
		if (n > 8) {
			p += 1 + (unsigned)_tzcnt_u64(_pdep_u64(1 << 7, stops));
			out += 8;
		} else {
			p += 64 - (unsigned)_lzcnt_u64(stops);
			out += n;
		}
	}
	*from = p;
	return p < end ? tfr_varints_decode_word(from, end, limit, out) : out;
}

bool tfr_varints_have_avx512(void)
{
	return tfr_cpu_allows(TFR_CPU_AVX512) && __builtin_cpu_supports("avx512vbmi2") &&
	       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}

#else

int64_t *tfr_varints_decode_avx512(
	const uint8_t **p, const uint8_t *end, const uint8_t *limit, int64_t *out)
{
	return tfr_varints_decode_word(p, end, limit, out);
}

bool tfr_varints_have_avx512(void)
{
	return false;
}

#endif
