/* base/crc32c.h - CRC-32C, and the mask that TFRecord applies to it.
 *
 * crc32c("123456789") = e3069283.  Long data goes to ISA-L if it is built in (about 55 GB/s per
 * core), short data to code with less overhead. */
#ifndef TFR_BASE_CRC32C_H
#define TFR_BASE_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Continues `crc` (0 to start) over `size` bytes. */
uint32_t tfr_crc32c(uint32_t crc, const void *data, size_t size);
/* The plain twin, by tables, which tests compare with the others. */
uint32_t tfr_crc32c_plain(uint32_t crc, const void *data, size_t size);
/* Below so many bytes, carry-less multiplication of vectors is the fastest, on processors that
 * have it. */
enum { TFR_CRC32C_SHORT = 1024 };
uint32_t tfr_crc32c_avx512(uint32_t crc, const void *data, size_t size);
bool tfr_crc32c_have_avx512(void);
/* For short data: by the SSE4.2 instruction, or by tables. */
uint32_t tfr_crc32c_sse42(uint32_t crc, const void *data, size_t size);
bool tfr_crc32c_have_sse42(void);
/* CRC-32C of the 8 bytes of a little-endian u64, by tables. */
uint32_t tfr_crc32c_u64_plain(uint64_t value);

static inline uint32_t tfr_crc_mask(uint32_t crc)
{
	return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static inline uint32_t tfr_crc_unmask(uint32_t masked)
{
	uint32_t rotated = masked - 0xa282ead8u;

	return rotated >> 17 | rotated << 15;
}

#endif
