/* tests/fuzz/kept.c - any bytes as the state of a shuffle: refused, or buckets that hold together
 * and are written again as the same bytes. */
#include "rewrite/shuffle/saved_pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct tfr_kept *kept, const struct tfr_buckets *buckets)
{
	uint64_t records = 0;

	for (uint32_t k = 0; k < buckets->count; k++) {
		const struct tfr_bucket *b = &buckets->b[k];
		uint64_t bytes = 0;

		if (b->first != records || b->depth < 1 || b->depth > TFR_BUCKET_DEPTH)
			abort();
		records += b->records;
		for (uint32_t i = 0; i < b->part_count; i++) {
			const struct tfr_chunk_lists *of = b->parts[i].of;
			uint32_t c = of->lists[b->parts[i].list].first;

			for (; c; c = of->chunks[c].next)
				bytes += of->chunks[c].spot.size;
		}
		if (bytes != b->bytes || tfr_bucket_memory(b) < bytes)
			abort();
	}
	if (records != kept->report.common.taken)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_unread bytes = { data, data + size };
	struct tfr_buckets buckets = { 0 };
	struct tfr_dealt dealt = { 0 };
	struct tfr_error err = { 0 };
	TFR_AUTO_BUF again = { 0 };
	struct tfr_kept kept;

	if (tfr_kept_unpack(&kept, bytes, &dealt, &buckets, &err)) {
		if (err.status != TFR_EDATA || !err.message[0] || buckets.b || dealt.lists)
			abort();
		return 0;
	}
	look(&kept, &buckets);
	if (!tfr_kept_pack(&kept, &buckets, &again) || again.size != size ||
		memcmp(again.data, data, size))
		abort();
	tfr_buckets_clear(&buckets);
	tfr_dealt_clear(&dealt);
	return 0;
}
