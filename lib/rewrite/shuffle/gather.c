/* rewrite/shuffle/gather.c - reads buckets back, sorts them and writes them in key order.
 *
 * The shards are divided into as many lanes as there are workers, if there are enough shards.
 * Lanes are written in parallel, and each of them in order.  Any worker may sort the next buckets
 * of a lane ahead of time, as far as memory allows.  A bucket that two lanes share is read twice.
 *
 * Small records are copied in key order into one framed piece.  Large ones are written from
 * where they were loaded, each with its own header. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "example/wire.h"
#include "record/framing.h"
#include "record/writer.h"
#include "rewrite/shuffle/chunks.h"
#include "rewrite/shuffle/shuffle.h"
#include "shard/set_writer.h"
#include "sweep/progress_ticker.h"
#include "thread/lanes.h"

enum {
	COPIED = 4 << 10, /* payloads up to this mean size are copied */
	AHEAD = 12,	  /* records prefetched before they are needed */
	LINE = 64,
};

/* A record of a loaded bucket: its position among the bucket's keys, and the address of its
 * length. */
struct item {
	uint64_t place, at;
};

/* The records of a bucket that belong to one shard. */
struct portion {
	uint32_t shard;
	bool ends;	  /* the shard ends with it */
	int first, count; /* pieces */
	struct tfr_totals totals;
};

struct slot {
	uint8_t *memory; /* holds everything below, except `portions` */
	uint64_t cap;
	const uint8_t *bytes; /* the chunk lists, concatenated */
	struct item *items, *sorted;
	uint32_t *starts; /* of the bins */
	uint8_t *framed;  /* all records, or only their headers */
	struct iovec *pieces;
	int piece_count;
	struct portion *portions;
	uint32_t portion_count;
	size_t portion_cap;
	struct tfr_bucket *bucket; /* NULL: nothing to write */
	uint64_t written_bytes;
};

struct gather_run {
	const struct tfr_gather *g;
	struct tfr_ticker ticker;
	uint32_t shards, lanes;
};

static bool is_copied(const struct tfr_bucket *b)
{
	return b->payload_bytes / COPIED < b->records;
}

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + LINE - 1) / LINE * LINE;
}

static uint64_t framed_bytes(const struct tfr_bucket *b)
{
	return is_copied(b) ? b->payload_bytes + TFR_RECORD_OVERHEAD * b->records
			    : TFR_RECORD_HEADER * b->records;
}

static uint64_t piece_room(const struct tfr_bucket *b)
{
	/* Copied: one piece per portion, and each portion has at least one record. */
	return (is_copied(b) ? b->records : 2 * b->records) * sizeof(struct iovec);
}

uint64_t tfr_bucket_memory(const struct tfr_bucket *b)
{
	return aligned(b->bytes) + 2 * aligned(b->records * sizeof(struct item)) +
	       aligned((b->records + 1) * sizeof(uint32_t)) + aligned(framed_bytes(b)) +
	       aligned(piece_room(b));
}

uint64_t tfr_buckets_largest(const struct tfr_buckets *b)
{
	uint64_t largest = 1;

	for (uint32_t k = 0; k < b->count; k++) {
		uint64_t need = tfr_bucket_memory(&b->b[k]);

		largest = need > largest ? need : largest;
	}
	return largest;
}

/* --- positions --- */

static uint64_t shard_start(const struct gather_run *r, uint64_t shard)
{
	return (uint64_t)((unsigned __int128)r->g->buckets->records * shard / r->shards);
}

static uint32_t first_shard(const struct gather_run *r, uint32_t lane)
{
	return (uint32_t)((uint64_t)r->shards * lane / r->lanes);
}

/* The shard that a position belongs to. */
static uint32_t shard_at(const struct gather_run *r, uint64_t position)
{
	uint32_t shard =
		(uint32_t)((unsigned __int128)position * r->shards / r->g->buckets->records);

	while (shard_start(r, shard + 1) <= position)
		shard++;
	return shard;
}

/* The first bucket with a record at or after `position`. */
static uint32_t bucket_at(const struct tfr_buckets *all, uint64_t position)
{
	uint32_t low = 0, high = all->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct tfr_bucket *b = &all->b[middle];

		if (b->first + b->records <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* --- sorting a bucket --- */

static uint8_t *carve(uint8_t **memory, uint64_t bytes)
{
	uint8_t *p = *memory;

	*memory += aligned(bytes);
	return p;
}

static enum tfr_status lay_out(struct slot *s, const struct tfr_bucket *b, struct tfr_error *err)
{
	uint64_t need = tfr_bucket_memory(b);
	uint8_t *p;

	if (b->records >= UINT32_MAX) /* the maximum count of a bin */
		return tfr_fail_nomem(err, "sorting a bucket");
	if (s->cap < need) {
		free(s->memory);
		s->cap = 0;
		s->memory = aligned_alloc(LINE, need);
		TFR_NEED_MEMORY(s->memory, err, "sorting a bucket");
		s->cap = need;
	}
	p = s->memory;
	s->bytes = carve(&p, b->bytes);
	s->items = (struct item *)carve(&p, b->records * sizeof(struct item));
	s->sorted = (struct item *)carve(&p, b->records * sizeof(struct item));
	s->starts = (uint32_t *)carve(&p, (b->records + 1) * sizeof(uint32_t));
	s->framed = carve(&p, framed_bytes(b));
	s->pieces = (struct iovec *)carve(&p, piece_room(b));
	return TFR_OK;
}

static enum tfr_status load_bucket(
	struct gather_run *r, struct slot *s, const struct tfr_bucket *b, struct tfr_error *err)
{
	uint8_t *to = (uint8_t *)(uintptr_t)s->bytes;

	for (uint32_t k = 0; k < b->list_count; k++) {
		const struct tfr_chunk_lists *of = b->lists[k].of;
		uint32_t i = of->lists[b->lists[k].number].first;

		for (; i; i = of->chunks[i].next) {
			TFR_TRY(tfr_chunk_load(&of->chunks[i], r->g->spill, to, err));
			to += of->chunks[i].spot.size;
		}
	}
	return TFR_OK;
}

static enum tfr_status fail_damaged(struct tfr_error *err)
{
	return tfr_fail_hint(err, TFR_EDATA,
		"The disk or the memory of this machine is not reliable.",
		"temporary records came back damaged");
}

/* The inputs' own checksum shows whether memory and temporary files returned the data unchanged. */
static bool entry_is_intact(const struct tfr_entry *e)
{
	return tfr_load32(e->payload + e->size) ==
	       tfr_crc_mask(tfr_crc32c(0, e->payload, (size_t)e->size));
}

/* Finds every record and recomputes its key.  The arrays have room for exactly the records and
 * payload bytes of the bucket. */
static enum tfr_status list_items(
	struct gather_run *r, struct slot *s, const struct tfr_bucket *b, struct tfr_error *err)
{
	uint64_t seed = r->g->opts->common.seed, left = b->payload_bytes, n = 0;
	const uint8_t *p = s->bytes;

	for (uint32_t k = 0; k < b->list_count; k++) {
		const struct tfr_chunk_list *list = &b->lists[k].of->lists[b->lists[k].number];
		struct tfr_entries entries = { .p = p, .end = p + list->bytes };
		struct tfr_entry e;

		while (entries.p < entries.end) {
			uint64_t place;

			if (n == b->records || !tfr_entries_next(&entries, &e) || e.size > left ||
				!entry_is_intact(&e))
				return fail_damaged(err);
			left -= e.size;
			place = tfr_shuffle_key(seed, e.file, e.record);
			for (uint32_t level = 0; level < b->depth; level++)
				tfr_bucket_of(&place, b->divided[level]);
			s->items[n++] = (struct item){ place,
				(uint64_t)(e.payload - s->bytes) - tfr_wire_varint_size(e.size) };
		}
		p = entries.end;
	}
	return n == b->records && !left ? TFR_OK : fail_damaged(err);
}

static int compare_payloads(const struct slot *s, const struct item *a, const struct item *b)
{
	uint64_t a_size, b_size;
	const uint8_t *p = tfr_entry_payload(s->bytes + a->at, &a_size),
		      *q = tfr_entry_payload(s->bytes + b->at, &b_size);

	if (a_size != b_size)
		return a_size < b_size ? -1 : 1;
	return memcmp(p, q, a_size);
}

/* Equal keys are extremely rare; they are ordered by their payloads, so that the order does not
 * depend on which worker read them. */
static bool comes_before(const struct slot *s, const struct item *a, const struct item *b)
{
	if (a->place != b->place)
		return a->place < b->place;
	return compare_payloads(s, a, b) < 0;
}

/* Keys are uniform: as many bins as records are counted and filled, then corrected by insertion. */
static void sort_items(struct slot *s, const struct tfr_bucket *b)
{
	uint32_t n = (uint32_t)b->records, *starts = s->starts;

	memset(starts, 0, (n + 1) * sizeof(*starts));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t place = s->items[i].place;

		starts[tfr_bucket_of(&place, n) + 1]++;
	}
	for (uint32_t i = 1; i < n; i++)
		starts[i] += starts[i - 1];
	for (uint32_t i = 0; i < n; i++) {
		uint64_t place = s->items[i].place;

		s->sorted[starts[tfr_bucket_of(&place, n)]++] = s->items[i];
	}
	for (uint32_t i = 1; i < n; i++) {
		struct item held = s->sorted[i];
		uint32_t k = i;

		for (; k && comes_before(s, &held, &s->sorted[k - 1]); k--)
			s->sorted[k] = s->sorted[k - 1];
		s->sorted[k] = held;
	}
}

/* --- framing, shard by shard --- */

static void ask_for(const struct slot *s, uint64_t i, uint64_t end, uint64_t mean)
{
	const uint8_t *p;

	if (i >= end)
		return;
	p = s->bytes + s->sorted[i].at;
	for (uint64_t line = 0; line < mean + LINE; line += LINE)
		__builtin_prefetch(p + line);
}

/* Copies records `from` to `to` of the sorted bucket one after another. */
static uint8_t *copy_records(struct slot *s, uint8_t *out, const struct tfr_bucket *b,
	uint64_t from, uint64_t to, struct tfr_totals *totals)
{
	uint64_t mean = b->payload_bytes / b->records, size;

	for (uint64_t i = from; i < to; i++) {
		const uint8_t *payload = tfr_entry_payload(s->bytes + s->sorted[i].at, &size);

		ask_for(s, i + AHEAD, to, mean < 8 * LINE ? mean : 8 * LINE);
		tfr_put_header(out, size);
		memcpy(out + TFR_RECORD_HEADER, payload, size + TFR_RECORD_FOOTER);
		totals->sum += tfr_content_sum(out + TFR_RECORD_HEADER, size);
		totals->payload_bytes += size;
		out += TFR_RECORD_OVERHEAD + size;
	}
	totals->records = to - from;
	return out;
}

/* The same records as pieces: a header, then payload and CRC in place. */
static uint8_t *point_at_records(
	struct slot *s, uint8_t *out, uint64_t from, uint64_t to, struct tfr_totals *totals)
{
	uint64_t size;

	for (uint64_t i = from; i < to; i++) {
		const uint8_t *payload = tfr_entry_payload(s->bytes + s->sorted[i].at, &size);

		tfr_put_header(out, size);
		s->pieces[s->piece_count++] = (struct iovec){ out, TFR_RECORD_HEADER };
		s->pieces[s->piece_count++] =
			(struct iovec){ (void *)(uintptr_t)payload, size + TFR_RECORD_FOOTER };
		totals->sum += tfr_content_sum(payload, size);
		totals->payload_bytes += size;
		out += TFR_RECORD_HEADER;
	}
	totals->records = to - from;
	return out;
}

/* Divides positions `from` to `to` of the bucket at the ends of shards. */
static enum tfr_status frame_bucket(struct gather_run *r, struct slot *s,
	const struct tfr_bucket *b, uint64_t from, uint64_t to, struct tfr_error *err)
{
	uint8_t *out = s->framed;

	s->portion_count = 0;
	s->piece_count = 0;
	s->written_bytes = 0;
	while (from < to) {
		uint32_t shard = shard_at(r, from);
		uint64_t end = shard_start(r, shard + 1), until = end < to ? end : to;
		uint8_t *start = out;
		struct portion *p;

		TFR_NEED_MEMORY(
			!TFR_ARRAY_RESERVE(s->portions, s->portion_cap, s->portion_count + 1u), err,
			"sorting a bucket");
		p = &s->portions[s->portion_count++];
		*p = (struct portion){ .shard = shard, .first = s->piece_count };
		p->ends = until == end;
		if (is_copied(b)) {
			out = copy_records(
				s, out, b, from - b->first, until - b->first, &p->totals);
			s->pieces[s->piece_count++] =
				(struct iovec){ start, (size_t)(out - start) };
		} else {
			out = point_at_records(
				s, out, from - b->first, until - b->first, &p->totals);
		}
		p->count = s->piece_count - p->first;
		s->written_bytes +=
			p->totals.payload_bytes + TFR_RECORD_OVERHEAD * p->totals.records;
		from = until;
	}
	return TFR_OK;
}

/* --- lanes --- */

static enum tfr_status sort_bucket(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *data, struct tfr_error *err)
{
	struct gather_run *r = ctx;
	struct slot *s = data;
	uint32_t lane = (uint32_t)(i % r->lanes);
	uint64_t from = shard_start(r, first_shard(r, lane)),
		 to = shard_start(r, first_shard(r, lane + 1)),
		 number = bucket_at(r->g->buckets, from) + i / r->lanes;
	struct tfr_bucket *b;

	(void)lanes;
	(void)worker;
	s->bucket = NULL;
	TFR_TRY(tfr_ticker_check(&r->ticker, err));
	if (from == to || number >= r->g->buckets->count)
		return TFR_OK;
	b = &r->g->buckets->b[number];
	from = from > b->first ? from : b->first;
	to = to < b->first + b->records ? to : b->first + b->records;
	if (from >= to)
		return TFR_OK;
	s->bucket = b;
	TFR_TRY(lay_out(s, b, err));
	TFR_TRY(load_bucket(r, s, b, err));
	TFR_TRY(list_items(r, s, b, err));
	sort_items(s, b);
	return frame_bucket(r, s, b, from, to, err);
}

static enum tfr_status write_bucket(void *ctx, uint64_t i, void *data, struct tfr_error *err)
{
	struct gather_run *r = ctx;
	struct slot *s = data;
	uint64_t records = 0;

	(void)i;
	if (!s->bucket)
		return TFR_OK;
	for (uint32_t k = 0; k < s->portion_count; k++) {
		struct portion *p = &s->portions[k];

		TFR_TRY(tfr_set_writer_put_framed(
			r->g->out, p->shard, s->pieces + p->first, p->count, &p->totals, err));
		if (p->ends)
			TFR_TRY(tfr_set_writer_finish(r->g->out, p->shard, err));
		records += p->totals.records;
	}
	if (__atomic_sub_fetch(&s->bucket->users, 1, __ATOMIC_ACQ_REL) == 0)
		for (uint32_t k = 0; k < s->bucket->list_count; k++)
			tfr_chunk_list_release(
				s->bucket->lists[k].of, s->bucket->lists[k].number, r->g->spill);
	tfr_ticker_add(&r->ticker, records, s->written_bytes);
	return TFR_OK;
}

static void clear_slot(void *data)
{
	struct slot *s = data;

	free(s->memory);
	free(s->portions);
}

/* The largest number of buckets of any lane; also counts the users of each bucket. */
static uint64_t longest_lane(struct gather_run *r)
{
	const struct tfr_buckets *all = r->g->buckets;
	uint64_t most = 0;

	for (uint32_t lane = 0; lane < r->lanes; lane++) {
		uint64_t from = shard_start(r, first_shard(r, lane)),
			 to = shard_start(r, first_shard(r, lane + 1));
		uint32_t first = bucket_at(all, from), k = first;

		for (; from < to && k < all->count && all->b[k].first < to; k++)
			all->b[k].users++;
		most = most > k - first ? most : k - first;
	}
	return most;
}

enum tfr_status tfr_gather_run(const struct tfr_gather *g, struct tfr_error *err)
{
	struct gather_run r = { .g = g, .shards = tfr_set_writer_shards(g->out) };
	struct tfr_lanes lanes = {
		.slot_size = sizeof(struct slot),
		.work = sort_bucket,
		.deliver = write_bucket,
		.clear_slot = clear_slot,
	};
	uint64_t bytes = 0, window = g->memory / tfr_buckets_largest(g->buckets);
	enum tfr_status status;

	for (uint32_t k = 0; k < g->buckets->count; k++)
		bytes += g->buckets->b[k].payload_bytes;
	window = window < 1 ? 1 : window > g->threads + 1 ? g->threads + 1 : window;
	lanes.window = window;
	lanes.threads = g->threads < window ? g->threads : (unsigned)window;
	r.lanes = lanes.lanes = r.shards < lanes.threads ? r.shards : lanes.threads;
	lanes.count = longest_lane(&r) * r.lanes;
	tfr_ticker_init(&r.ticker, g->opts->common.sweep, "writing", g->buckets->records,
		bytes + TFR_RECORD_OVERHEAD * g->buckets->records);
	status = tfr_lanes_run(&lanes, &r, err);
	tfr_ticker_clear(&r.ticker);
	return status;
}
