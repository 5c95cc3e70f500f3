/* rewrite/shuffle/scatter.c - deals records into buckets.  Each worker has its own chunk lists,
 * so that no worker waits for another. */
#include "rewrite/shuffle/scatter.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "record/writer.h"
#include "thread/lanes.h"

void tfr_buckets_clear(struct tfr_buckets *b)
{
	for (uint32_t k = 0; k < b->count; k++)
		free(b->b[k].parts);
	free(b->b);
	*b = (struct tfr_buckets){ 0 };
}

void tfr_dealt_clear(struct tfr_dealt *d)
{
	for (uint32_t k = 0; k < d->count; k++) {
		tfr_chunk_lists_clear(d->lists[k]);
		free(d->lists[k]);
	}
	free(d->lists);
	tfr_arena_clear(&d->arena);
	*d = (struct tfr_dealt){ 0 };
}

/* Makes room for `n` more tables of chunk lists, each a zeroed struct. */
static enum tfr_status add_lists(struct tfr_dealt *d, uint32_t n, struct tfr_error *err)
{
	for (uint32_t k = 0; k < n; k++) {
		struct tfr_chunk_lists *more = NULL;

		if (!TFR_ARRAY_ONE_MORE(d->lists, d->count))
			more = d->lists[d->count] = calloc(1, sizeof(*more));
		if (!more)
			return tfr_fail_nomem(err, "sorting records into buckets");
		d->count++;
	}
	return TFR_OK;
}

/* Makes list `number` of each of `n` tables a part of the bucket. */
static enum tfr_status fill_bucket(struct tfr_bucket *b, struct tfr_chunk_lists *const *of,
	uint32_t n, uint32_t number, struct tfr_error *err)
{
	b->parts = calloc(n, sizeof(*b->parts));
	if (!b->parts)
		return tfr_fail_nomem(err, "sorting records into buckets");
	for (uint32_t k = 0; k < n; k++) {
		const struct tfr_chunk_list *s = &of[k]->lists[number];

		if (!s->records)
			continue;
		b->parts[b->part_count++] = (struct tfr_bucket_part){ of[k], number };
		b->bytes += s->bytes;
		b->records += s->records;
		b->payload_bytes += s->payload_bytes;
		b->largest = b->largest > s->largest ? b->largest : s->largest;
	}
	return TFR_OK;
}

static void number_positions(struct tfr_buckets *all)
{
	uint64_t position = 0;

	for (uint32_t k = 0; k < all->count; k++) {
		all->b[k].first = position;
		position += all->b[k].records;
	}
}

/* --- records --- */

struct first_pass {
	uint64_t seed;
	uint32_t buckets;
	struct tfr_chunk_lists **workers;
	struct {
		_Alignas(64) uint64_t sum; /* one cache line each */
	} * sums;
};

static enum tfr_status put_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	const struct first_pass *p = ctx;
	const struct tfr_record *rec = &s->rec;
	uint64_t place = tfr_shuffle_key(p->seed, s->file, rec->index);
	uint32_t bucket = tfr_bucket_of(&place, p->buckets);

	(void)verdict;
	p->sums[worker].sum += tfr_content_sum(rec->data, rec->size);
	return tfr_chunk_lists_put(p->workers[worker], bucket, s->file, rec->index, rec->data,
		rec->size, tfr_crc_mask(rec->crc), err);
}

static enum tfr_status make_buckets(
	struct tfr_dealt *dealt, uint32_t count, struct tfr_buckets *buckets, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	buckets->b = calloc(count, sizeof(*buckets->b));
	if (!buckets->b)
		return tfr_fail_nomem(err, "sorting records into buckets");
	buckets->count = count;
	for (uint32_t k = 0; !status && k < count; k++) {
		struct tfr_bucket *b = &buckets->b[k];

		b->depth = 1;
		b->divided[0] = count;
		status = fill_bucket(b, dealt->lists, dealt->count, k, err);
	}
	number_positions(buckets);
	return status;
}

static enum tfr_status start_workers(const struct tfr_memory_plan *plan, struct tfr_spill *spill,
	struct tfr_dealt *dealt, struct tfr_error *err)
{
	uint64_t reserved = (uint64_t)plan->threads * plan->buckets;
	enum tfr_status status = add_lists(dealt, plan->threads, err);

	if (!status)
		status = tfr_arena_init(&dealt->arena, plan->chunk,
			plan->chunks > reserved ? plan->chunks : reserved, reserved, err);
	for (uint32_t k = 0; !status && k < plan->threads; k++)
		status = tfr_chunk_lists_init(dealt->lists[k], plan->buckets, &dealt->arena,
			(uint64_t)k * plan->buckets, spill, k, err);
	return status;
}

enum tfr_status tfr_scatter(const struct tfr_shuffle_opts *opts, const struct tfr_memory_plan *plan,
	struct tfr_spill *spill, struct tfr_dealt *dealt, struct tfr_buckets *buckets,
	struct tfr_rewrite_report *report, struct tfr_error *err)
{
	struct first_pass pass = { .seed = opts->common.seed, .buckets = plan->buckets };
	struct tfr_sweep sweep = {
		.opts = opts->common.sweep,
		.phase = "dealing",
		.max_record = plan->max_record,
		.block_size = plan->block,
		.last = true,
		.examine = put_record,
		.ctx = &pass,
	};
	enum tfr_status status = start_workers(plan, spill, dealt, err);

	sweep.opts.threads = plan->threads;
	pass.workers = dealt->lists;
	pass.sums = aligned_alloc(64, plan->threads * sizeof(*pass.sums));
	if (!status && !pass.sums)
		status = tfr_fail_nomem(err, "sorting records into buckets");
	if (!status) {
		memset(pass.sums, 0, plan->threads * sizeof(*pass.sums));
		status = tfr_pass_run(&sweep, report, err);
	}
	for (uint32_t k = 0; !status && k < plan->threads; k++) {
		report->taken_sum += pass.sums[k].sum;
		status = tfr_chunk_lists_end(dealt->lists[k], err);
	}
	free(pass.sums);
	return status ? status : make_buckets(dealt, plan->buckets, buckets, err);
}

static enum tfr_status flush_one(void *ctx, struct tfr_lanes_run *run, unsigned worker, uint64_t i,
	void *slot, struct tfr_error *err)
{
	struct tfr_dealt *d = ctx;

	(void)run;
	(void)worker;
	(void)slot;
	return tfr_chunk_lists_flush(d->lists[i], err);
}

enum tfr_status tfr_scatter_flush(struct tfr_dealt *dealt, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = dealt->count, .count = dealt->count, .work = flush_one
	};
	enum tfr_status status = tfr_lanes_run(&lanes, dealt, err);

	if (!status)
		tfr_arena_clear(&dealt->arena);
	return status;
}

/* --- buckets --- */

struct again {
	const struct tfr_shuffle_opts *opts;
	struct tfr_spill *spill;
	struct tfr_dealt *dealt;
	uint32_t first_lists; /* of bucket large[0]; one table per bucket */
	struct tfr_bucket **large;
	uint32_t into; /* number of buckets that each is divided into */
	struct tfr_arena arena;
	struct tfr_ticker ticker;
};

static enum tfr_status deal_entry(struct again *a, const struct tfr_bucket *b,
	struct tfr_chunk_lists *to, const struct tfr_entry *e, struct tfr_error *err)
{
	uint64_t place = tfr_shuffle_key(a->opts->common.seed, e->file, e->record);
	const uint8_t *foot = e->payload + e->size;

	for (uint32_t level = 0; level < b->depth; level++)
		tfr_bucket_of(&place, b->divided[level]);
	return tfr_chunk_lists_put(to, tfr_bucket_of(&place, a->into), e->file, e->record,
		e->payload, e->size,
		(uint32_t)foot[0] | (uint32_t)foot[1] << 8 | (uint32_t)foot[2] << 16 |
			(uint32_t)foot[3] << 24,
		err);
}

/* Reads a chunk list chunk by chunk.  An entry that continues in the next chunk is read with
 * that chunk. */
static enum tfr_status deal_list(struct again *a, const struct tfr_bucket *b,
	const struct tfr_bucket_part *part, struct tfr_chunk_lists *to, struct tfr_error *err)
{
	const struct tfr_chunk_lists *of = part->of;
	struct tfr_entries entries = { 0 };
	enum tfr_status status = TFR_OK;
	TFR_AUTO_BUF buf = { 0 };
	struct tfr_entry e;

	for (uint32_t i = of->lists[part->list].first; !status && i; i = of->chunks[i].next) {
		const struct tfr_chunk *c = &of->chunks[i];

		if (!tfr_buf_reserve(&buf, c->spot.size))
			return tfr_fail_nomem(err, "dividing a bucket");
		status = tfr_chunk_load(c, a->spill, buf.data + buf.size, err);
		buf.size += c->spot.size;
		entries.p = buf.data;
		entries.end = buf.data + buf.size;
		while (!status && tfr_entries_next(&entries, &e))
			status = deal_entry(a, b, to, &e, err);
		buf.size = (size_t)(entries.end - entries.p);
		if (entries.p != buf.data)
			memmove(buf.data, entries.p, buf.size);
	}
	if (!status && buf.size)
		status = tfr_fail(err, TFR_EDATA, "temporary records came back damaged");
	return status;
}

static enum tfr_status divide_bucket(void *ctx, struct tfr_lanes_run *run, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	struct again *a = ctx;
	struct tfr_bucket *b = a->large[i];
	struct tfr_chunk_lists *to = a->dealt->lists[a->first_lists + i];
	enum tfr_status status = tfr_ticker_check(&a->ticker, err);

	(void)run;
	(void)slot;
	if (!status)
		status = tfr_chunk_lists_init(
			to, a->into, &a->arena, (uint64_t)worker * a->into, a->spill, worker, err);
	for (uint32_t k = 0; !status && k < b->part_count; k++)
		status = deal_list(a, b, &b->parts[k], to, err);
	if (!status)
		status = tfr_chunk_lists_end(to, err);
	if (!status)
		status = tfr_chunk_lists_flush(to, err);
	for (uint32_t k = 0; !status && k < b->part_count; k++)
		tfr_chunk_list_release(b->parts[k].of, b->parts[k].list, a->spill);
	tfr_ticker_add(&a->ticker, b->records, b->bytes);
	return status;
}

/* Replaces each divided bucket with its parts. */
static enum tfr_status replace_buckets(
	struct again *a, struct tfr_buckets *buckets, uint32_t divided, struct tfr_error *err)
{
	uint64_t many = buckets->count + (uint64_t)divided * (a->into - 1);
	uint32_t count = many < UINT32_MAX ? (uint32_t)many : 0, from = 0, done = 0;
	struct tfr_buckets made = { .b = count ? calloc(count, sizeof(*made.b)) : NULL };
	enum tfr_status status = made.b ? TFR_OK : tfr_fail_nomem(err, "dividing a bucket");

	made.count = status ? 0 : count;
	for (uint32_t k = 0; !status && k < count; from++) {
		struct tfr_bucket *b = &buckets->b[from];

		if (done == divided || a->large[done] != b) {
			made.b[k++] = *b;
			b->parts = NULL;
			continue;
		}
		for (uint32_t i = 0; !status && i < a->into; i++, k++) {
			memcpy(made.b[k].divided, b->divided, sizeof(b->divided));
			made.b[k].depth = b->depth + 1;
			made.b[k].divided[b->depth] = a->into;
			status = fill_bucket(
				&made.b[k], &a->dealt->lists[a->first_lists + done], 1, i, err);
		}
		done++;
	}
	tfr_buckets_clear(buckets);
	*buckets = made;
	number_positions(buckets);
	return status;
}

/* Whether a bucket must be divided, so that two can be sorted at a time, and dividing helps. */
static bool is_too_large(const struct tfr_bucket *b, uint64_t gather)
{
	uint64_t need = tfr_bucket_memory(b);

	return b->depth < TFR_BUCKET_DEPTH && b->records > 1 &&
	       (need > gather || (need > gather / 2 && b->largest < need / 4));
}

static enum tfr_status divide_all(struct again *a, const struct tfr_memory_plan *plan,
	uint32_t divided, uint64_t largest_record, uint64_t largest_bucket, struct tfr_error *err)
{
	uint64_t arena = plan->chunk * plan->chunks, into,
		 most_threads = plan->max_record / (largest_record + plan->block);
	struct tfr_lanes lanes = { .count = divided, .work = divide_bucket };
	enum tfr_status status;
	size_t chunk;

	lanes.threads = most_threads < 1	       ? 1
			: most_threads > plan->threads ? plan->threads
						       : (unsigned)most_threads;
	into = 4 * largest_bucket / plan->gather * (plan->threads + 1) + 2;
	if (into > arena / lanes.threads / (16 << 10))
		into = arena / lanes.threads / (16 << 10);
	a->into = (uint32_t)into;
	chunk = arena / lanes.threads / a->into / 4096 * 4096;
	chunk = chunk > 1 << 20 ? 1 << 20 : chunk;
	a->first_lists = a->dealt->count;
	status = add_lists(a->dealt, divided, err);
	if (!status)
		status = tfr_arena_init(&a->arena, chunk, (uint64_t)lanes.threads * a->into,
			(uint64_t)lanes.threads * a->into, err);
	if (!status)
		status = tfr_lanes_run(&lanes, a, err);
	tfr_arena_clear(&a->arena);
	return status;
}

enum tfr_status tfr_scatter_again(const struct tfr_shuffle_opts *opts,
	const struct tfr_memory_plan *plan, struct tfr_spill *spill, struct tfr_dealt *dealt,
	struct tfr_buckets *buckets, uint32_t *divided, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_bucket **large =
		calloc(buckets->count + 1, sizeof(struct tfr_bucket *));
	struct again a = { .opts = opts, .spill = spill, .dealt = dealt, .large = large };
	uint64_t largest_record = 0, largest_bucket = 0, records = 0, bytes = 0;
	enum tfr_status status;

	*divided = 0;
	if (!large)
		return tfr_fail_nomem(err, "dividing a bucket");
	for (uint32_t k = 0; k < buckets->count; k++) {
		struct tfr_bucket *b = &buckets->b[k];

		if (!is_too_large(b, plan->gather))
			continue;
		large[(*divided)++] = b;
		records += b->records;
		bytes += b->bytes;
		largest_record = b->largest > largest_record ? b->largest : largest_record;
		if (tfr_bucket_memory(b) > largest_bucket)
			largest_bucket = tfr_bucket_memory(b);
	}
	if (!*divided)
		return TFR_OK;
	tfr_ticker_init(&a.ticker, opts->common.sweep, "dealing again", records, bytes);
	status = divide_all(&a, plan, *divided, largest_record, largest_bucket, err);
	tfr_ticker_clear(&a.ticker);
	return status ? status : replace_buckets(&a, buckets, *divided, err);
}
