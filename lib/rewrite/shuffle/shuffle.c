/* rewrite/shuffle/shuffle.c - runs a shuffle, from its plan to its published output.
 *
 * A first pass distributes the records to buckets.  Buckets that memory cannot hold are distributed
 * again, until it can.  Then gather.c sorts and writes them.
 *
 * The output is published only if the number and the content sum of the written records match
 * those of the records distributed. */
#include "rewrite/shuffle/shuffle.h"

#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "record/framing.h"
#include "record/writer.h"
#include "rewrite/pass.h"
#include "rewrite/shuffle/chunks.h"
#include "shard/set_writer.h"
#include "sweep/progress_ticker.h"
#include "thread/lanes.h"

/* All chunk lists that buckets refer to; their number grows when buckets are divided. */
struct distributed {
	struct tfr_chunk_lists **lists;
	uint32_t count;
	struct tfr_arena arena;
};

/* For each of 48 workers an input, a temporary file and two shards: fewer than 256 open files. */
enum { SHARDS_OPEN = 96, SPILLS_MAX = 48 };

struct shuffle {
	const struct tfr_shuffle_opts *o;
	struct tfr_shuffle_report *report;
	struct tfr_shuffle_plan plan; /* for the disk, and what memory may be used */
	struct tfr_memory_plan mem;   /* how that is divided */
	struct tfr_spill_folders folders;
	struct tfr_set_writer *out;
	struct tfr_spill *spill;
	struct distributed distributed;
	struct tfr_buckets buckets; /* which refer to the lists of `distributed` */
};

/* --- chunk lists and buckets --- */

void tfr_buckets_clear(struct tfr_buckets *b)
{
	for (uint32_t k = 0; k < b->count; k++)
		free(b->b[k].lists);
	free(b->b);
	*b = (struct tfr_buckets){ 0 };
}

static void distributed_clear(struct distributed *d)
{
	for (uint32_t k = 0; k < d->count; k++) {
		tfr_chunk_lists_clear(d->lists[k]);
		free(d->lists[k]);
	}
	free(d->lists);
	tfr_arena_clear(&d->arena);
	*d = (struct distributed){ 0 };
}

/* Makes room for `n` more tables of chunk lists, each a zeroed struct. */
static enum tfr_status add_lists(struct distributed *d, uint32_t n, struct tfr_error *err)
{
	for (uint32_t k = 0; k < n; k++) {
		struct tfr_chunk_lists *more = NULL;

		if (!TFR_ARRAY_ONE_MORE(d->lists, d->count))
			more = d->lists[d->count] = calloc(1, sizeof(*more));
		TFR_NEED_MEMORY(more, err, "sorting records into buckets");
		d->count++;
	}
	return TFR_OK;
}

/* Adds list `number` of each of `n` tables to the bucket. */
static enum tfr_status fill_bucket(struct tfr_bucket *b, struct tfr_chunk_lists *const *of,
	uint32_t n, uint32_t number, struct tfr_error *err)
{
	b->lists = calloc(n, sizeof(*b->lists));
	TFR_NEED_MEMORY(b->lists, err, "sorting records into buckets");
	for (uint32_t k = 0; k < n; k++) {
		const struct tfr_chunk_list *s = &of[k]->lists[number];

		if (!s->records)
			continue;
		b->lists[b->list_count++] = (struct tfr_bucket_list){ of[k], number };
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
	all->records = position;
}

/* --- the first pass --- */

/* Each worker has its own chunk lists, so that no worker waits for another. */

/* The content sum of a worker's records. */
struct TFR_APART worker_sum {
	uint64_t sum;
};

struct distribution {
	uint64_t seed;
	uint32_t buckets;
	struct tfr_chunk_lists **lists; /* one table per worker */
	struct worker_sum *sums;
};

static enum tfr_status put_record(
	void *ctx, unsigned worker, const struct tfr_swept *s, void *verdict, struct tfr_error *err)
{
	const struct distribution *p = ctx;
	const struct tfr_record *rec = &s->rec;
	uint64_t place = tfr_shuffle_key(p->seed, s->file, rec->index);
	uint32_t bucket = tfr_bucket_of(&place, p->buckets);

	(void)verdict;
	p->sums[worker].sum += tfr_content_sum(rec->data, rec->size);
	return tfr_chunk_lists_put(p->lists[worker], bucket, s->file, rec->index, rec->data,
		rec->size, tfr_crc_mask(rec->crc), err);
}

static enum tfr_status make_buckets(struct shuffle *s, struct tfr_error *err)
{
	uint32_t count = s->mem.buckets;

	s->buckets.b = calloc(count, sizeof(*s->buckets.b));
	TFR_NEED_MEMORY(s->buckets.b, err, "sorting records into buckets");
	s->buckets.count = count;
	for (uint32_t k = 0; k < count; k++) {
		struct tfr_bucket *b = &s->buckets.b[k];

		b->depth = 1;
		b->divided[0] = count;
		TFR_TRY(fill_bucket(b, s->distributed.lists, s->distributed.count, k, err));
	}
	number_positions(&s->buckets);
	return TFR_OK;
}

static enum tfr_status make_lists(struct shuffle *s, struct tfr_error *err)
{
	const struct tfr_memory_plan *mem = &s->mem;
	uint64_t reserved = (uint64_t)mem->threads * mem->buckets;

	TFR_TRY(add_lists(&s->distributed, mem->threads, err));
	TFR_TRY(tfr_arena_init(&s->distributed.arena, mem->chunk,
		mem->chunks > reserved ? mem->chunks : reserved, reserved, err));
	for (uint32_t k = 0; k < mem->threads; k++)
		TFR_TRY(tfr_chunk_lists_init(s->distributed.lists[k], mem->buckets,
			&s->distributed.arena, (uint64_t)k * mem->buckets, s->spill, k, err));
	return TFR_OK;
}

/* Reads the inputs and distributes their records. */
static enum tfr_status distribute(struct shuffle *s, struct tfr_error *err)
{
	TFR_AUTO_FREE struct worker_sum *sums = tfr_calloc_apart(s->mem.threads, sizeof(*sums));
	struct distribution pass = {
		.seed = s->o->common.seed, .buckets = s->mem.buckets, .sums = sums
	};
	struct tfr_sweep sweep = {
		.opts = s->o->common.sweep,
		.phase = "dealing",
		.max_record = s->mem.max_record,
		.block_size = s->mem.block,
		.last = true,
		.examine = put_record,
		.ctx = &pass,
	};

	TFR_NEED_MEMORY(sums, err, "sorting records into buckets");
	TFR_TRY(make_lists(s, err));
	sweep.opts.threads = s->mem.threads;
	pass.lists = s->distributed.lists;
	TFR_TRY(tfr_pass_run(&sweep, &s->report->common, err));
	for (uint32_t k = 0; k < s->mem.threads; k++) {
		s->report->common.taken_sum += sums[k].sum;
		TFR_TRY(tfr_chunk_lists_end(s->distributed.lists[k], err));
	}
	return make_buckets(s, err);
}

static enum tfr_status flush_one(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	struct distributed *d = ctx;

	(void)lanes;
	(void)worker;
	(void)slot;
	return tfr_chunk_lists_flush(d->lists[i], err);
}

/* Writes all data in memory to the spill, and frees the arena. */
static enum tfr_status flush_lists(struct distributed *distributed, struct tfr_error *err)
{
	struct tfr_lanes lanes = {
		.threads = distributed->count, .count = distributed->count, .work = flush_one
	};

	TFR_TRY(tfr_lanes_run(&lanes, distributed, err));
	tfr_arena_clear(&distributed->arena);
	return TFR_OK;
}

/* Keeps the data in memory while buckets are sorted, one per worker if the spill has more, and
 * gives the unused part of the arena to sorting.  False: memory is too small for that. */
static bool keep_in_memory(struct shuffle *s)
{
	const struct tfr_arena *a = &s->distributed.arena;
	uint64_t used = (a->next < a->chunks ? a->next : a->chunks) * a->chunk;
	bool spilled = tfr_spill_bytes(s->spill) > 0;
	uint64_t at_once = spilled ? s->mem.threads + 1 : 1;
	uint64_t memory =
		s->plan.memory / 16 * 15; /* the rest is for memory left over from reading */

	if (used + at_once * tfr_buckets_largest(&s->buckets) > memory)
		return false;
	s->mem.gather_bytes = memory - used;
	s->report->passes = spilled ? 2 : 1;
	return true;
}

static enum tfr_status first_pass(struct shuffle *s, struct tfr_error *err)
{
	TFR_TRY(distribute(s, err));
	if (keep_in_memory(s))
		return TFR_OK;
	s->report->passes = 2;
	return flush_lists(&s->distributed, err);
}

/* --- further passes --- */

struct division {
	struct shuffle *s;
	struct tfr_bucket **large; /* the buckets to be divided */
	uint32_t count;
	uint32_t into;			/* number of buckets that each is divided into */
	struct tfr_chunk_lists **lists; /* one table per bucket of `large` */
	struct tfr_arena arena;
	struct tfr_ticker ticker;
};

static enum tfr_status put_again(struct division *d, const struct tfr_bucket *b,
	struct tfr_chunk_lists *to, const struct tfr_entry *e, struct tfr_error *err)
{
	uint64_t place = tfr_shuffle_key(d->s->o->common.seed, e->file, e->record);

	for (uint32_t level = 0; level < b->depth; level++)
		tfr_bucket_of(&place, b->divided[level]);
	return tfr_chunk_lists_put(to, tfr_bucket_of(&place, d->into), e->file, e->record,
		e->payload, e->size, tfr_load32(e->payload + e->size), err);
}

/* Reads a chunk list chunk by chunk.  An entry that continues in the next chunk is read with
 * that chunk. */
static enum tfr_status divide_list(struct division *d, const struct tfr_bucket *b,
	const struct tfr_bucket_list *list, struct tfr_chunk_lists *to, struct tfr_error *err)
{
	const struct tfr_chunk_lists *of = list->of;
	struct tfr_entries entries = { 0 };
	TFR_AUTO_BUF buf = { 0 };
	struct tfr_entry e;

	for (uint32_t i = of->lists[list->number].first; i; i = of->chunks[i].next) {
		const struct tfr_chunk *c = &of->chunks[i];

		TFR_NEED_MEMORY(tfr_buf_reserve(&buf, c->spot.size), err, "dividing a bucket");
		TFR_TRY(tfr_chunk_load(c, d->s->spill, buf.data + buf.size, err));
		buf.size += c->spot.size;
		entries.p = buf.data;
		entries.end = buf.data + buf.size;
		while (tfr_entries_next(&entries, &e))
			TFR_TRY(put_again(d, b, to, &e, err));
		buf.size = (size_t)(entries.end - entries.p);
		if (entries.p != buf.data)
			memmove(buf.data, entries.p, buf.size);
	}
	if (buf.size)
		return tfr_fail(err, TFR_EDATA, "temporary records came back damaged");
	return TFR_OK;
}

static enum tfr_status divide_bucket(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot, struct tfr_error *err)
{
	struct division *d = ctx;
	struct tfr_bucket *b = d->large[i];
	struct tfr_chunk_lists *to = d->lists[i];

	(void)lanes;
	(void)slot;
	TFR_TRY(tfr_ticker_check(&d->ticker, err));
	TFR_TRY(tfr_chunk_lists_init(
		to, d->into, &d->arena, (uint64_t)worker * d->into, d->s->spill, worker, err));
	for (uint32_t k = 0; k < b->list_count; k++)
		TFR_TRY(divide_list(d, b, &b->lists[k], to, err));
	TFR_TRY(tfr_chunk_lists_end(to, err));
	TFR_TRY(tfr_chunk_lists_flush(to, err));
	for (uint32_t k = 0; k < b->list_count; k++)
		tfr_chunk_list_release(b->lists[k].of, b->lists[k].number, d->s->spill);
	tfr_ticker_add(&d->ticker, b->records, b->bytes);
	return TFR_OK;
}

/* Moves the buckets to `made`, each divided one as those that it was divided into. */
static enum tfr_status move_buckets(
	struct division *d, struct tfr_buckets *made, struct tfr_error *err)
{
	uint32_t done = 0;

	for (uint32_t k = 0, from = 0; k < made->count; from++) {
		struct tfr_bucket *b = &d->s->buckets.b[from];

		if (done == d->count || d->large[done] != b) {
			made->b[k++] = *b;
			b->lists = NULL;
			continue;
		}
		for (uint32_t i = 0; i < d->into; i++, k++) {
			memcpy(made->b[k].divided, b->divided, sizeof(b->divided));
			made->b[k].depth = b->depth + 1;
			made->b[k].divided[b->depth] = d->into;
			TFR_TRY(fill_bucket(&made->b[k], &d->lists[done], 1, i, err));
		}
		done++;
	}
	return TFR_OK;
}

/* Replaces each divided bucket. */
static enum tfr_status replace_buckets(struct division *d, struct tfr_error *err)
{
	struct tfr_buckets *buckets = &d->s->buckets;
	uint64_t many = buckets->count + (uint64_t)d->count * (d->into - 1);
	struct tfr_buckets made = { .count = many < UINT32_MAX ? (uint32_t)many : 0 };
	enum tfr_status status;

	made.b = made.count ? calloc(made.count, sizeof(*made.b)) : NULL;
	TFR_NEED_MEMORY(made.b, err, "dividing a bucket");
	status = move_buckets(d, &made, err);
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

static enum tfr_status divide_large(
	struct division *d, uint64_t largest_record, uint64_t largest_bucket, struct tfr_error *err)
{
	const struct tfr_memory_plan *mem = &d->s->mem;
	struct distributed *distributed = &d->s->distributed;
	uint64_t arena = mem->chunk * mem->chunks, into,
		 most_threads = mem->max_record / (largest_record + mem->block);
	struct tfr_lanes lanes = { .count = d->count, .work = divide_bucket };
	uint32_t before = distributed->count;
	enum tfr_status status;
	size_t chunk;

	lanes.threads = most_threads < 1	      ? 1
			: most_threads > mem->threads ? mem->threads
						      : (unsigned)most_threads;
	into = 4 * largest_bucket / mem->gather_bytes * (mem->threads + 1) + 2;
	if (into > arena / lanes.threads / (16 << 10))
		into = arena / lanes.threads / (16 << 10);
	d->into = (uint32_t)into;
	chunk = arena / lanes.threads / d->into / 4096 * 4096;
	chunk = chunk > 1 << 20 ? 1 << 20 : chunk;
	TFR_TRY(add_lists(distributed, d->count, err));
	d->lists = distributed->lists + before;
	TFR_TRY(tfr_arena_init(&d->arena, chunk, (uint64_t)lanes.threads * d->into,
		(uint64_t)lanes.threads * d->into, err));
	status = tfr_lanes_run(&lanes, d, err);
	tfr_arena_clear(&d->arena);
	return status;
}

/* Divides the buckets that are too large to be sorted in mem.gather_bytes bytes, once; *divided is
 * their number.  All buckets must be in the spill. */
static enum tfr_status divide_buckets(struct shuffle *s, uint32_t *divided, struct tfr_error *err)
{
	struct tfr_buckets *buckets = &s->buckets;
	TFR_AUTO_FREE struct tfr_bucket **large =
		calloc(buckets->count + 1, sizeof(struct tfr_bucket *));
	struct division d = { .s = s, .large = large };
	uint64_t largest_record = 0, largest_bucket = 0, records = 0, bytes = 0;
	enum tfr_status status;

	TFR_NEED_MEMORY(large, err, "dividing a bucket");
	for (uint32_t k = 0; k < buckets->count; k++) {
		struct tfr_bucket *b = &buckets->b[k];

		if (!is_too_large(b, s->mem.gather_bytes))
			continue;
		large[d.count++] = b;
		records += b->records;
		bytes += b->bytes;
		largest_record = b->largest > largest_record ? b->largest : largest_record;
		if (tfr_bucket_memory(b) > largest_bucket)
			largest_bucket = tfr_bucket_memory(b);
	}
	*divided = d.count;
	if (!d.count)
		return TFR_OK;
	tfr_ticker_init(&d.ticker, s->o->common.sweep, "dealing again", records, bytes);
	status = divide_large(&d, largest_record, largest_bucket, err);
	tfr_ticker_clear(&d.ticker);
	TFR_TRY(status);
	return replace_buckets(&d, err);
}

/* Divides buckets while memory cannot hold some of them.  An arena means that the data stayed in
 * memory. */
static enum tfr_status further_passes(struct shuffle *s, struct tfr_error *err)
{
	uint32_t divided = 1;

	while (divided && !s->distributed.arena.base) {
		TFR_TRY(divide_buckets(s, &divided, err));
		s->report->passes += divided != 0;
	}
	return TFR_OK;
}

/* --- preparation --- */

static enum tfr_status check_space(struct shuffle *s, struct tfr_error *err)
{
	char needed[TFR_SIZE_TEXT], there[TFR_SIZE_TEXT];

	if (s->plan.passes == 1 || s->plan.least_bytes <= s->plan.temp_free)
		return TFR_OK;
	tfr_fail_path(err, TFR_ESYS, s->folders.list[0],
		"%s of temporary space are needed, %s are free in",
		tfr_format_size(s->plan.least_bytes, needed),
		tfr_format_size(s->plan.temp_free, there));
	tfr_error_hint(err,
		"Name a folder with more space, or several, with --tmpdir; with more memory "
		"(-m) than the data has, none is needed.");
	return TFR_ESYS;
}

static enum tfr_status open_output(struct shuffle *s, struct tfr_error *err)
{
	const struct tfr_set_how how = { .open_now = SHARDS_OPEN };

	return tfr_set_writer_open_as(&s->out, s->o->output, &s->o->common.writer, &how,
		s->o->common.sweep.warn, s->o->common.sweep.ctx, err);
}

static enum tfr_status make_plan(struct shuffle *s, struct tfr_error *err)
{
	TFR_TRY(tfr_shuffle_plan_all(s->o, &s->plan, &s->mem, &s->folders, err));
	if (s->o->tmpdir_count > SPILLS_MAX)
		return tfr_fail(err, TFR_EUSAGE,
			"temporary files can be spread over %d folders, not %zu", SPILLS_MAX,
			s->o->tmpdir_count);
	if (!s->plan.input_bytes) /* perhaps not even empty */
		tfr_memory_plan(&s->mem, s->plan.memory,
			tfr_sweep_threads(s->o->common.sweep.threads), UINT64_MAX);
	return check_space(s, err);
}

static enum tfr_status open_spill(struct shuffle *s, struct tfr_error *err)
{
	const struct tfr_spill_opts spill = {
		.folders = &s->folders,
		.files = s->mem.threads < SPILLS_MAX ? s->mem.threads : SPILLS_MAX,
		.expected = s->plan.temp_bytes,
	};

	return tfr_spill_open(&s->spill, &spill, err);
}

/* --- writing --- */

static enum tfr_status gather_records(struct shuffle *s, struct tfr_error *err)
{
	struct tfr_gather g = {
		.opts = s->o,
		.buckets = &s->buckets,
		.spill = s->spill,
		.out = s->out,
		.memory = s->mem.gather_bytes,
		.threads = s->mem.threads,
	};

	return tfr_gather_run(&g, err);
}

static enum tfr_status check_written(struct shuffle *s, struct tfr_error *err)
{
	struct tfr_rewrite_report *r = &s->report->common;
	struct tfr_totals t = tfr_set_writer_totals(s->out);

	r->written = t.records;
	r->bytes = t.payload_bytes;
	r->sum = t.sum;
	if (r->written == s->buckets.records && r->sum == r->taken_sum)
		return TFR_OK;
	return tfr_fail_hint(err, TFR_EDATA,
		"The disk or the memory of this machine is not reliable.",
		"the records written are not the records read");
}

static enum tfr_status run_shuffle(struct shuffle *s, struct tfr_error *err)
{
	const struct tfr_rewrite_opts *o = &s->o->common;
	const struct tfr_rewrite_report *r = &s->report->common;
	TFR_AUTO_SET_INFO info = { .command = o->command, .seed = o->seed };

	TFR_TRY(tfr_set_info_carry(&info, o->sweep.input, err));
	info.beside[0] = o->sweep.quarantine;
	TFR_TRY(open_output(s, err));
	TFR_TRY(make_plan(s, err));
	TFR_TRY(open_spill(s, err));
	TFR_TRY(first_pass(s, err));
	TFR_TRY(tfr_expect_check(&o->expect, r->taken, r->taken_sum, err));
	TFR_TRY(further_passes(s, err));
	TFR_TRY(gather_records(s, err));
	TFR_TRY(check_written(s, err));
	TFR_TRY(tfr_expect_some(&o->expect, r->records, r->written, err));
	return tfr_set_writer_publish(s->out, &info, err);
}

enum tfr_status tfr_shuffle(const struct tfr_shuffle_opts *opts, struct tfr_shuffle_report *report,
	struct tfr_error *err)
{
	struct shuffle s = { .o = opts, .report = report };
	enum tfr_status status;

	*report = (struct tfr_shuffle_report){ 0 };
	status = run_shuffle(&s, err);
	report->buckets = s.buckets.count;
	if (s.spill)
		report->temp_bytes = tfr_spill_bytes(s.spill);
	tfr_buckets_clear(&s.buckets);
	distributed_clear(&s.distributed);
	tfr_spill_close(s.spill);
	tfr_set_writer_close(s.out);
	tfr_spill_folders_clear(&s.folders);
	return status;
}
