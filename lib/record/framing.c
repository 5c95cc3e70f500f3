/* record/framing.c - loops over headers, compiled with the SSE4.2 instruction and with tables.
 *
 * The loop over payloads is compiled a third time, with the CRC of payloads inlined.  With records
 * of 192 bytes, counting and checking are bound by these loops. */
#include "record/framing.h"

#if defined(__x86_64__)
#include "base/crc32c_fold.h"
#endif

/* The loops are written once, over the checksum they use. */
#define DEFINE_LOOPS(suffix, attribute, crc_u64)                                                   \
	attribute static bool verifies_##suffix(const uint8_t *p)                                  \
	{                                                                                          \
		return tfr_load32(p + 8) == tfr_crc_mask(crc_u64(tfr_load64(p)));                  \
	}                                                                                          \
	attribute static void put_##suffix(uint8_t *p, uint64_t length)                            \
	{                                                                                          \
		tfr_store64(p, length);                                                            \
		tfr_store32(p + 8, tfr_crc_mask(crc_u64(length)));                                 \
	}                                                                                          \
	attribute static size_t find_##suffix(const uint8_t *p, size_t size)                       \
	{                                                                                          \
		for (size_t i = 0; i + TFR_RECORD_HEADER <= size; i++)                             \
			if (verifies_##suffix(p + i))                                              \
				return i;                                                          \
		return size;                                                                       \
	}                                                                                          \
	attribute static uint64_t hop_##suffix(                                                    \
		const uint8_t *p, size_t size, uint64_t *next, bool *bad)                          \
	{                                                                                          \
		uint64_t at = 0, hops = 0;                                                         \
		*bad = false;                                                                      \
		while (size >= TFR_RECORD_HEADER && at <= size - TFR_RECORD_HEADER) {              \
			uint64_t length = tfr_load64(p + at);                                      \
			if (!verifies_##suffix(p + at) || length > TFR_LENGTH_MAX) {               \
				*bad = true;                                                       \
				break;                                                             \
			}                                                                          \
			at += TFR_RECORD_OVERHEAD + length;                                        \
			hops++;                                                                    \
		}                                                                                  \
		*next = at;                                                                        \
		return hops;                                                                       \
	}

/* Whether the checksum of a complete payload verifies. */
#define FITS(payload, length, payload_crc)                                                         \
	(tfr_load32((payload) + (length)) == tfr_crc_mask(payload_crc(0, payload, (size_t)length)))

#define DEFINE_INTACT(suffix, attribute, verifies, payload_crc)                                    \
	attribute static uint64_t intact_##suffix(const uint8_t *p, size_t size, uint64_t limit,   \
		bool payloads, size_t *end, bool *bad)                                             \
	{                                                                                          \
		uint64_t records = 0;                                                              \
		size_t at = 0;                                                                     \
		*bad = false;                                                                      \
		while (at < limit && size - at >= TFR_RECORD_OVERHEAD) {                           \
			uint64_t length = tfr_load64(p + at);                                      \
			*bad = !verifies(p + at) || length > TFR_LENGTH_MAX;                       \
			if (*bad || length > size - at - TFR_RECORD_OVERHEAD)                      \
				break;                                                             \
			*bad = payloads && !FITS(p + at + TFR_RECORD_HEADER, length, payload_crc); \
			if (*bad)                                                                  \
				break;                                                             \
			at += TFR_RECORD_OVERHEAD + (size_t)length;                                \
			records++;                                                                 \
		}                                                                                  \
		*end = at;                                                                         \
		return records;                                                                    \
	}

DEFINE_LOOPS(plain, , tfr_crc32c_u64_plain)
DEFINE_INTACT(plain, , verifies_plain, tfr_crc32c)

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static inline uint32_t crc_u64_sse42(uint64_t value)
{
	return ~(uint32_t)_mm_crc32_u64(0xffffffffu, value);
}

TFR_FOLDING static inline uint32_t payload_crc(uint32_t crc, const void *data, size_t size)
{
	return size < TFR_CRC32C_SHORT ? tfr_fold_crc32c(crc, data, size)
				       : tfr_crc32c(crc, data, size);
}

DEFINE_LOOPS(sse42, __attribute__((target("sse4.2"))), crc_u64_sse42)
DEFINE_INTACT(sse42, __attribute__((target("sse4.2"))), verifies_sse42, tfr_crc32c)
DEFINE_INTACT(folding, TFR_FOLDING, verifies_sse42, payload_crc)

#define CHOOSE(call, ...)                                                                          \
	(tfr_crc32c_have_sse42() ? call##_sse42(__VA_ARGS__) : call##_plain(__VA_ARGS__))
#else
#define CHOOSE(call, ...) call##_plain(__VA_ARGS__)
#endif

bool tfr_header_verifies(const uint8_t *p)
{
	return CHOOSE(verifies, p);
}

bool tfr_header_length(const uint8_t *p, uint64_t *length)
{
	bool verifies = tfr_header_verifies(p);

	*length = verifies ? tfr_load64(p) : 0;
	return verifies && *length <= TFR_LENGTH_MAX;
}

size_t tfr_find_header(const uint8_t *p, size_t size)
{
	return CHOOSE(find, p, size);
}

uint64_t tfr_follow_headers(const uint8_t *p, size_t size, uint64_t *next, bool *bad)
{
	return CHOOSE(hop, p, size, next, bad);
}

uint64_t tfr_count_complete(const uint8_t *p, size_t size, uint64_t limit, size_t *end, bool *bad)
{
	return CHOOSE(intact, p, size, limit, false, end, bad);
}

uint64_t tfr_count_intact(const uint8_t *p, size_t size, uint64_t limit, size_t *end, bool *bad)
{
#if defined(__x86_64__)
	if (tfr_crc32c_have_avx512())
		return intact_folding(p, size, limit, true, end, bad);
#endif
	return CHOOSE(intact, p, size, limit, true, end, bad);
}

void tfr_put_header(uint8_t *p, uint64_t length)
{
	CHOOSE(put, p, length);
}
