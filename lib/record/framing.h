/* record/framing.h - the 12 bytes before a payload and the 4 after it, and loops over headers. */
#ifndef TFR_RECORD_FRAMING_H
#define TFR_RECORD_FRAMING_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include <tfr-private/record.h>

#include "base/crc32c.h"

static inline uint32_t tfr_load32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t tfr_load64(const uint8_t *p)
{
	return tfr_load32(p) | (uint64_t)tfr_load32(p + 4) << 32;
}

static inline void tfr_store32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline void tfr_store64(uint8_t *p, uint64_t v)
{
	tfr_store32(p, (uint32_t)v);
	tfr_store32(p + 4, (uint32_t)(v >> 32));
}

/* Whether the 12 bytes at `p` are a header whose CRC verifies. */
bool tfr_header_verifies(const uint8_t *p);

/* A length that no file has: adding the framing to it would overflow a file offset. */
#define TFR_LENGTH_MAX (((uint64_t)1 << 62) - TFR_RECORD_OVERHEAD)

/* The length of the record whose header is at `p`: the only way to get one from bytes of a file.
 * False if the CRC does not verify, and then *length is 0, or if no file has such a length. */
bool tfr_header_length(const uint8_t *p, uint64_t *length);

/* The same again of a header that a function of this file verified or wrote. */
static inline uint64_t tfr_known_length(const uint8_t *p)
{
	uint64_t length = tfr_load64(p);

	assert(length <= TFR_LENGTH_MAX);
	return length;
}

/* Writes the 12 bytes before a payload of `length` bytes. */
void tfr_put_header(uint8_t *p, uint64_t length);

/* Finds the first 12 of the `size` bytes at `p` that verify as a header.  Returns `size` if there
 * are none. */
size_t tfr_find_header(const uint8_t *p, size_t size);

/* Follows headers from `p` on, as long as they are complete within `size` bytes and verify.  *next
 * is the end of the last record, which may be after `size`.  Returns the number of records.  *bad:
 * the header at *next is within `size` and does not verify, or its length is impossible. */
uint64_t tfr_follow_headers(const uint8_t *p, size_t size, uint64_t *next, bool *bad);

/* Counts the complete records from `p` on that begin within the first `limit` of `size` bytes.
 * Their headers are verified.  *end: the bytes of these records.  *bad: the header at *end does not
 * verify, or its length is impossible. */
uint64_t tfr_count_complete(const uint8_t *p, size_t size, uint64_t limit, size_t *end, bool *bad);
/* The same with each payload verified; *bad may be for that at *end. */
uint64_t tfr_count_intact(const uint8_t *p, size_t size, uint64_t limit, size_t *end, bool *bad);

/* Of every payload whose checksum does not verify. */
#define TFR_PAYLOAD_FAULT "data checksum mismatch"

#endif
