/* record/crc32c.c - CRC-32C three ways: ISA-L; the SSE4.2 instruction; tables.  The best that this
 * build and this processor have is taken. */
#include "record/crc32c.h"

#include <string.h>

#include "config.h"
#include "crc32c_table.h"

#if TFR_HAVE_ISAL
#include <isa-l/crc.h>
#endif

uint32_t tfr_crc32c_u64_plain(uint64_t value)
{
	value ^= 0xffffffffu;
	return ~(crc32c_table[7][value & 255] ^ crc32c_table[6][value >> 8 & 255] ^
		 crc32c_table[5][value >> 16 & 255] ^ crc32c_table[4][value >> 24 & 255] ^
		 crc32c_table[3][value >> 32 & 255] ^ crc32c_table[2][value >> 40 & 255] ^
		 crc32c_table[1][value >> 48 & 255] ^ crc32c_table[0][value >> 56]);
}

uint32_t tfr_crc32c_plain(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;
	uint64_t word;

	for (; size >= 8; p += 8, size -= 8) {
		/* The running value takes the place of the all-ones start that
		 * tfr_crc32c_u64_plain() has built in. */
		word = (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
		       (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
		       (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
		crc = tfr_crc32c_u64_plain(word ^ crc);
	}
	crc = ~crc;
	for (; size; p++, size--)
		crc = crc >> 8 ^ crc32c_table[0][(crc ^ *p) & 255];
	return ~crc;
}

#if TFR_HAVE_ISAL

uint32_t tfr_crc32c(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *p = data;
	size_t n;

	crc = ~crc;
	for (; size; p += n, size -= n) { /* ISA-L counts in int */
		n = size < (size_t)1 << 30 ? size : (size_t)1 << 30;
		crc = crc32_iscsi((unsigned char *)(uintptr_t)p, (int)n, crc);
	}
	return ~crc;
}

#elif defined(__x86_64__)

#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(
	uint32_t crc, const uint8_t *p, size_t size)
{
	uint64_t c = ~crc, word;

	for (; size >= 8; p += 8, size -= 8) {
		memcpy(&word, p, 8);
		c = _mm_crc32_u64(c, word);
	}
	for (; size; p++, size--)
		c = _mm_crc32_u8((uint32_t)c, *p);
	return ~(uint32_t)c;
}

uint32_t tfr_crc32c(uint32_t crc, const void *data, size_t size)
{
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(crc, data, size);
	return tfr_crc32c_plain(crc, data, size);
}

#else

uint32_t tfr_crc32c(uint32_t crc, const void *data, size_t size)
{
	return tfr_crc32c_plain(crc, data, size);
}

#endif
