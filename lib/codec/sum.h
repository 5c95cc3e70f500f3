/* codec/sum.h - the CRC-32 of GZIP.  ISA-L, where it is built in, computes it at the speed of
 * memory; zlib at a tenth of that. */
#ifndef TFR_CODEC_SUM_H
#define TFR_CODEC_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"

#if TFR_HAVE_ISAL
#include <isa-l/crc.h>

static inline uint32_t tfr_crc32(uint32_t crc, const uint8_t *data, size_t size)
{
	return size ? crc32_gzip_refl(crc, data, size) : crc;
}
#else
#include <zlib.h>

static inline uint32_t tfr_crc32(uint32_t crc, const uint8_t *data, size_t size)
{
	return size ? (uint32_t)crc32_z(crc, data, size) : crc;
}
#endif

#endif
