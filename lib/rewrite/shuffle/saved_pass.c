/* rewrite/shuffle/saved_pass.c - packs and unpacks little-endian numbers, in this order:
 *
 *   u64 fingerprint, the 7 numbers of the report, temporary bytes; u32 passes, spill files,
 *   buckets
 *   per bucket: u32 depth, u32 number of divisions at each level, u32 parts
 *   per part:   u64 bytes, records, payload bytes, largest record; u32 chunks
 *   per chunk:  u64 offset, u32 file, u32 size */
#include "rewrite/shuffle/saved_pass.h"

#include <stdlib.h>

#include "record/framing.h"

enum {
	REPORT = 7,
	PART = 36, /* bytes, not counting its chunks */
	CHUNK = 16,
	ENTRY_LEAST = 6, /* bytes of an entry with an empty payload */
	FILES_MOST = 1024,
};

/* No bucket and no spill may be larger, so that no sum of sizes overflows. */
#define BYTES_MOST ((uint64_t)1 << 52)

/* --- packing --- */

static bool put32(struct tfr_buf *b, uint32_t v)
{
	uint8_t bytes[4];

	tfr_store32(bytes, v);
	return tfr_buf_append(b, bytes, sizeof(bytes));
}

static bool put64(struct tfr_buf *b, uint64_t v)
{
	uint8_t bytes[8];

	tfr_store64(bytes, v);
	return tfr_buf_append(b, bytes, sizeof(bytes));
}

static bool put_part(struct tfr_buf *b, const struct tfr_bucket_part *part)
{
	const struct tfr_chunk_list *s = &part->of->lists[part->list];
	const struct tfr_chunk *chunks = part->of->chunks;
	uint32_t count = 0;
	bool good;

	for (uint32_t i = s->first; i; i = chunks[i].next)
		count++;
	good = put64(b, s->bytes) && put64(b, s->records) && put64(b, s->payload_bytes) &&
	       put64(b, s->largest) && put32(b, count);
	for (uint32_t i = s->first; good && i; i = chunks[i].next)
		good = put64(b, chunks[i].spot.offset) && put32(b, chunks[i].spot.file) &&
		       put32(b, chunks[i].spot.size);
	return good;
}

static bool put_bucket(struct tfr_buf *b, const struct tfr_bucket *bucket)
{
	bool good = put32(b, bucket->depth);

	for (uint32_t level = 0; good && level < bucket->depth; level++)
		good = put32(b, bucket->divided[level]);
	good = good && put32(b, bucket->part_count);
	for (uint32_t k = 0; good && k < bucket->part_count; k++)
		good = put_part(b, &bucket->parts[k]);
	return good;
}

bool tfr_kept_pack(
	const struct tfr_kept *k, const struct tfr_buckets *buckets, struct tfr_buf *bytes)
{
	const struct tfr_rewrite_report *r = &k->report.common;
	const uint64_t report[REPORT] = { r->records, r->bad, r->taken, r->written, r->bytes,
		r->taken_sum, r->sum };
	bool good = put64(bytes, k->fingerprint);

	for (int i = 0; good && i < REPORT; i++)
		good = put64(bytes, report[i]);
	good = good && put64(bytes, k->report.temp_bytes) && put32(bytes, k->report.passes) &&
	       put32(bytes, k->spill_files) && put32(bytes, buckets->count);
	for (uint32_t i = 0; good && i < buckets->count; i++)
		good = put_bucket(bytes, &buckets->b[i]);
	return good;
}

/* --- unpacking --- */

static bool take32(struct tfr_unread *u, uint32_t *v)
{
	const uint8_t *p = tfr_unread_take(u, 4);

	*v = p ? tfr_load32(p) : 0;
	return p;
}

static bool take64(struct tfr_unread *u, uint64_t *v)
{
	const uint8_t *p = tfr_unread_take(u, 8);

	*v = p ? tfr_load64(p) : 0;
	return p;
}

static bool is_left(const struct tfr_unread *u, uint64_t count, uint64_t each)
{
	return count <= (uint64_t)(u->end - u->p) / each;
}

/* Counts the chunks of all parts of a bucket, so that its table is allocated once. */
static bool count_chunks(struct tfr_unread u, uint32_t parts, uint32_t *chunks)
{
	uint32_t n;

	*chunks = 1; /* [0] belongs to no list */
	for (uint32_t k = 0; k < parts; k++) {
		if (!tfr_unread_take(&u, PART - sizeof(n)) || !take32(&u, &n) ||
			!is_left(&u, n, CHUNK) || !tfr_unread_take(&u, (uint64_t)n * CHUNK) ||
			__builtin_add_overflow(*chunks, n, chunks))
			return false;
	}
	return true;
}

static bool take_chunks(struct tfr_unread *u, struct tfr_chunk_lists *table,
	struct tfr_chunk_list *s, uint32_t count)
{
	uint64_t bytes = 0;

	if (!count)
		return false;
	s->first = table->chunk_count;
	s->last = s->first + count - 1;
	for (uint32_t i = s->first; i <= s->last; i++) {
		struct tfr_chunk *c = &table->chunks[i];

		if (!take64(u, &c->spot.offset) || !take32(u, &c->spot.file) ||
			!take32(u, &c->spot.size) || !c->spot.size)
			return false;
		c->next = i < s->last ? i + 1 : 0;
		bytes += c->spot.size;
	}
	table->chunk_count += count;
	return bytes == s->bytes;
}

/* Whether a chunk list can have these sizes. */
static bool is_possible(const struct tfr_chunk_list *s)
{
	return s->records && s->bytes <= BYTES_MOST && s->records <= s->bytes / ENTRY_LEAST &&
	       s->payload_bytes <= s->bytes - s->records * ENTRY_LEAST &&
	       s->largest <= s->payload_bytes;
}

static bool take_part(struct tfr_unread *u, struct tfr_chunk_lists *table, struct tfr_bucket *b)
{
	struct tfr_chunk_list *s = &table->lists[b->part_count];
	uint32_t chunks;

	*s = (struct tfr_chunk_list){ 0 };
	if (!take64(u, &s->bytes) || !take64(u, &s->records) || !take64(u, &s->payload_bytes) ||
		!take64(u, &s->largest) || !take32(u, &chunks) || !is_possible(s) ||
		!take_chunks(u, table, s, chunks))
		return false;
	b->parts[b->part_count] = (struct tfr_bucket_part){ table, b->part_count };
	b->part_count++;
	b->bytes += s->bytes;
	b->records += s->records;
	b->payload_bytes += s->payload_bytes;
	b->largest = b->largest > s->largest ? b->largest : s->largest;
	return b->bytes <= BYTES_MOST;
}

static bool take_levels(struct tfr_unread *u, struct tfr_bucket *b)
{
	if (!take32(u, &b->depth) || !b->depth || b->depth > TFR_BUCKET_DEPTH)
		return false;
	for (uint32_t level = 0; level < b->depth; level++)
		if (!take32(u, &b->divided[level]) || !b->divided[level])
			return false;
	return true;
}

static enum tfr_status refused(struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "the state of a finished pass is damaged");
}

static enum tfr_status take_bucket(struct tfr_unread *u, struct tfr_chunk_lists *table,
	struct tfr_bucket *b, struct tfr_error *err)
{
	uint32_t parts, chunks;

	if (!take_levels(u, b) || !take32(u, &parts) || !is_left(u, parts, PART) ||
		!count_chunks(*u, parts, &chunks))
		return refused(err);
	b->parts = calloc((size_t)parts + 1, sizeof(*b->parts));
	table->lists = aligned_alloc(64, ((size_t)parts + 1) * sizeof(*table->lists));
	table->chunks = calloc(chunks, sizeof(*table->chunks));
	if (!b->parts || !table->lists || !table->chunks)
		return tfr_fail_nomem(err, "reading the state of a finished pass");
	table->count = parts;
	table->chunk_count = 1;
	table->chunk_cap = chunks;
	for (uint32_t k = 0; k < parts; k++)
		if (!take_part(u, table, b))
			return refused(err);
	return TFR_OK;
}

/* Unpacks all buckets.  Their totals must match the records taken in the report. */
static enum tfr_status take_buckets(struct tfr_unread *u, const struct tfr_kept *k, uint32_t count,
	struct tfr_dealt *dealt, struct tfr_buckets *buckets, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint64_t records = 0, bytes = 0;

	dealt->lists = calloc(count, sizeof(*dealt->lists));
	buckets->b = calloc(count, sizeof(*buckets->b));
	if (!dealt->lists || !buckets->b)
		return tfr_fail_nomem(err, "reading the state of a finished pass");
	while (!status && buckets->count < count) {
		struct tfr_bucket *b = &buckets->b[buckets->count++];
		struct tfr_chunk_lists *table = calloc(1, sizeof(*table));

		if (!table)
			return tfr_fail_nomem(err, "reading the state of a finished pass");
		dealt->lists[dealt->count++] = table;
		status = take_bucket(u, table, b, err);
		b->first = records;
		records += b->records;
		bytes += b->bytes;
		if (!status && bytes > BYTES_MOST)
			status = refused(err);
	}
	if (!status && (records != k->report.common.taken || u->p != u->end))
		status = refused(err);
	return status;
}

static bool take_head(struct tfr_unread *u, struct tfr_kept *k, uint32_t *buckets)
{
	struct tfr_rewrite_report *r = &k->report.common;
	uint64_t *const report[REPORT] = { &r->records, &r->bad, &r->taken, &r->written, &r->bytes,
		&r->taken_sum, &r->sum };
	uint32_t passes;
	bool good = take64(u, &k->fingerprint);

	for (int i = 0; good && i < REPORT; i++)
		good = take64(u, report[i]);
	good = good && take64(u, &k->report.temp_bytes) && take32(u, &passes) &&
	       take32(u, &k->spill_files) && take32(u, buckets);
	if (!good)
		return false;
	k->report.passes = passes;
	return k->spill_files && k->spill_files <= FILES_MOST && *buckets &&
	       is_left(u, *buckets, 3 * sizeof(uint32_t));
}

bool tfr_kept_fingerprint(struct tfr_unread bytes, uint64_t *fingerprint)
{
	return take64(&bytes, fingerprint);
}

enum tfr_status tfr_kept_unpack(struct tfr_kept *k, struct tfr_unread bytes,
	struct tfr_dealt *dealt, struct tfr_buckets *buckets, struct tfr_error *err)
{
	enum tfr_status status;
	uint32_t count;

	*k = (struct tfr_kept){ 0 };
	if (!take_head(&bytes, k, &count))
		return refused(err);
	status = take_buckets(&bytes, k, count, dealt, buckets, err);
	if (status) {
		tfr_buckets_clear(buckets);
		tfr_dealt_clear(dealt);
	}
	return status;
}

/* Checks that each byte of the spill belongs to at most one chunk: all chunks together are then
 * no larger than its files. */
bool tfr_kept_fits(const struct tfr_buckets *buckets, const struct tfr_spill *spill)
{
	uint64_t left = tfr_spill_held(spill);

	for (uint32_t k = 0; k < buckets->count; k++) {
		const struct tfr_bucket *b = &buckets->b[k];

		if (b->bytes > left)
			return false;
		left -= b->bytes;
		for (uint32_t i = 0; i < b->part_count; i++) {
			const struct tfr_chunk_lists *of = b->parts[i].of;
			uint32_t c = of->lists[b->parts[i].list].first;

			for (; c; c = of->chunks[c].next)
				if (!tfr_spill_holds(spill, &of->chunks[c].spot))
					return false;
		}
	}
	return true;
}
