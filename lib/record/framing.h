/* record/framing.h - the 12 bytes before a payload and the 4 behind it, and hopping from header to
 * header. */
#ifndef TFR_RECORD_FRAMING_H
#define TFR_RECORD_FRAMING_H

#include <stdbool.h>
#include <string.h>

#include <tfr-private/record.h>

#include "record/crc32c.h"

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

/* Whether the 12 bytes at `p` are a header whose checksum fits. */
bool tfr_header_verifies(const uint8_t *p);

/* Writes the 12 bytes that go before a payload of `length` bytes. */
void tfr_put_header(uint8_t *p, uint64_t length);

/* The first place in the `size` bytes at `p` where 12 bytes verify as a header; `size` if there is
 * none. */
size_t tfr_find_header(const uint8_t *p, size_t size);

/* Hops from the header at `p` to the one behind it, and on, as long as headers lie whole within
 * `size` bytes and verify. *next is where it stopped: behind the last record hopped over, which may
 * lie past `size`.  Returns how many it hopped over.  *bad: the header at *next is within `size`
 * and does not verify, or its length is past every file. */
uint64_t tfr_hop(const uint8_t *p, size_t size, uint64_t *next, bool *bad);

/* The records that lie whole at the start of the `size` bytes at `p` and begin within the first
 * `limit`, each header verified, and with `payloads` each payload: how many there are, and in *end
 * their bytes.  *bad: what lies at *end does not verify, or its length is past every file. */
uint64_t tfr_sound_records(
	const uint8_t *p, size_t size, uint64_t limit, bool payloads, size_t *end, bool *bad);

/* A length that no file has: adding the framing to it would overflow a file offset. */
#define TFR_LENGTH_MAX (((uint64_t)1 << 62) - TFR_RECORD_OVERHEAD)

#endif
