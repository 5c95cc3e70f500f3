/* record/crc32c_avx512.c - CRC-32C of what is short, by multiplying without carries.
 *
 * 64 bytes are four times 128 bits; each is moved over the 512 bits that follow it by two
 * multiplications and added to those, until what is left moves together and goes through the
 * instruction for CRC-32C.  ISA-L's way is faster where there are a thousand bytes and more; below,
 * it spends more on beginning and ending. */
#include "record/crc32c.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "crc32c_table.h"

#define AVX512                                                                                     \
	__attribute__((target("sse4.2,pclmul,avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")))

/* Less than 64 bytes. */
AVX512 static inline uint32_t rest(uint64_t crc, const uint8_t *p, size_t size)
{
	uint64_t word;

	for (; size >= 8; p += 8, size -= 8) {
		memcpy(&word, p, 8);
		crc = _mm_crc32_u64(crc, word);
	}
	if (size & 4) {
		memcpy(&word, p, 4);
		crc = _mm_crc32_u32((uint32_t)crc, (uint32_t)word);
		p += 4;
	}
	for (size &= 3; size; p++, size--)
		crc = _mm_crc32_u8((uint32_t)crc, *p);
	return (uint32_t)crc;
}

/* `at` moved: its halves by the two factors of each lane. */
AVX512 static inline __m512i moved(__m512i at, __m512i factors)
{
	return _mm512_xor_si512(_mm512_clmulepi64_epi128(at, factors, 0x00),
		_mm512_clmulepi64_epi128(at, factors, 0x11));
}

/* The first size / 64 * 64 bytes. */
AVX512 static inline uint32_t fold(uint32_t crc, const uint8_t *p, size_t size)
{
	const __m512i step = _mm512_loadu_si512(crc32c_step);
	const __m512i last = _mm512_loadu_si512(crc32c_last);
	__m512i at = _mm512_xor_si512(
		_mm512_loadu_si512(p), _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc)));
	__m256i half;
	__m128i one;

	for (size -= 64, p += 64; size >= 64; size -= 64, p += 64)
		at = _mm512_xor_si512(moved(at, step), _mm512_loadu_si512(p));
	at = _mm512_mask_mov_epi64(moved(at, last), 0xc0, at);
	half = _mm256_xor_si256(_mm512_castsi512_si256(at), _mm512_extracti64x4_epi64(at, 1));
	one = _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
	return (uint32_t)_mm_crc32_u64(_mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(one)),
		(uint64_t)_mm_extract_epi64(one, 1));
}

AVX512 uint32_t tfr_crc32c_avx512(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;

	crc = ~crc;
	if (size >= 64)
		crc = fold(crc, p, size);
	return ~rest(crc, p + size / 64 * 64, size % 64);
}

bool tfr_crc32c_have_avx512(void)
{
	return __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}

#else

uint32_t tfr_crc32c_avx512(uint32_t crc, const void *data, size_t size)
{
	return tfr_crc32c_plain(crc, data, size);
}

bool tfr_crc32c_have_avx512(void)
{
	return false;
}

#endif
