/* base/crc32c_fold.h - CRC-32C of short data by carry-less multiplication (folding).
 *
 * 64 bytes are four lanes of 128 bits.  Two multiplications fold a lane over the next 512 bits,
 * until the rest is folded together and the CRC-32C instruction finishes it.  ISA-L is faster from
 * a thousand bytes on.  Below, its start and end cost more.  This is a header because a loop over
 * records that calls a function for each takes half as long again. */
#ifndef TFR_BASE_CRC32C_FOLD_H
#define TFR_BASE_CRC32C_FOLD_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "crc32c_table.h"

#define TFR_FOLDING                                                                                \
	__attribute__((target("sse4.2,pclmul,avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")))

/* Less than 64 bytes. */
TFR_FOLDING static inline uint32_t tfr_fold_rest(uint64_t crc, const uint8_t *p, size_t size)
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
TFR_FOLDING static inline __m512i tfr_fold_moved(__m512i at, __m512i factors)
{
	return _mm512_xor_si512(_mm512_clmulepi64_epi128(at, factors, 0x00),
		_mm512_clmulepi64_epi128(at, factors, 0x11));
}

/* The first size / 64 * 64 bytes. */
TFR_FOLDING static inline uint32_t tfr_fold_blocks(uint32_t crc, const uint8_t *p, size_t size)
{
	const __m512i step = _mm512_loadu_si512(crc32c_step);
	const __m512i last = _mm512_loadu_si512(crc32c_last);
	__m512i at = _mm512_xor_si512(
		_mm512_loadu_si512(p), _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc)));
	__m256i half;
	__m128i one;

	for (size -= 64, p += 64; size >= 64; size -= 64, p += 64)
		at = _mm512_xor_si512(tfr_fold_moved(at, step), _mm512_loadu_si512(p));
	at = _mm512_mask_mov_epi64(tfr_fold_moved(at, last), 0xc0, at);
	half = _mm256_xor_si256(_mm512_castsi512_si256(at), _mm512_extracti64x4_epi64(at, 1));
	one = _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
	return (uint32_t)_mm_crc32_u64(_mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(one)),
		(uint64_t)_mm_extract_epi64(one, 1));
}

TFR_FOLDING static inline uint32_t tfr_fold_crc32c(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;

	crc = ~crc;
	if (size >= 64)
		crc = tfr_fold_blocks(crc, p, size);
	return ~tfr_fold_rest(crc, p + size / 64 * 64, size % 64);
}

#endif
