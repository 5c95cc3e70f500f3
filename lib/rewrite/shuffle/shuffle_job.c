/* rewrite/shuffle/shuffle_job.c - a shuffle by the parts of a job.
 *
 * In the first step, a part puts each record of its share into the bucket of its key, in the
 * exchange.  In the second, it has some of the shards, which are a range of positions.  The records
 * of all parts in all buckets are counted, so it knows which buckets have those positions, and
 * sorts and writes these.  A bucket at a bound is read by both neighbours.  The end of the job
 * compares number and content sum with what was read, and publishes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "record/framing.h"
#include "record/writer.h"
#include "rewrite/shuffle/shuffle.h"
#include "shard/job/record_exchange.h"
#include "shard/set_writer.h"

#define MEMORY ((uint64_t)1 << 30)

enum {
	BUCKET_LEAST = 64 << 10, /* bytes */
	BUCKETS_PER_PART = 32,	 /* so that those at the bounds of parts cost little */
	BUCKETS_MOST = 1 << 20,
	PIECE = 64 << 10,	   /* bytes of a bucket in a run: a read of its own later */
	PIECE_OF_OBJECT = 1 << 20, /* a request each */
	PIECE_SMALL = 16 << 10,
	PIECES = 4 << 20, /* all of them are in the tables, which every part that gathers holds */
	BLOCK_LEAST = 4 << 20,
	MEMORY_PER_BUCKET = 8, /* a bucket takes this part of the memory */
};

struct shuffle_job {
	const struct tfr_shuffle_opts *o;
	const struct tfr_set_info *info;
	struct tfr_shuffle_report *report;
	struct tfr_job *job;
	struct tfr_memory_plan mem;
	uint32_t count; /* buckets */
	uint64_t run;	/* bytes of all buckets that are written at a time */

	/* of a part that scatters */
	struct tfr_exchange *out;
	uint32_t set;
	pthread_mutex_t lock;	     /* of the last entries, and the order in the exchange */
	struct tfr_chunk_list *last; /* one per bucket: its last entry */
	uint64_t sum;

	/* of a part that gathers */
	struct tfr_exchanged *in;
	struct tfr_buckets buckets;
	struct tfr_chunk_lists *parts;	      /* one per part of the job */
	struct tfr_bucket_part *bucket_parts; /* of all buckets */
	uint64_t records;
	struct tfr_set_writer *writer;
};

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

uint32_t tfr_shuffle_job_buckets(uint32_t parts, uint64_t input_bytes, uint64_t memory)
{
	uint64_t least = input_bytes / (memory / MEMORY_PER_BUCKET) + 1;
	uint64_t most = input_bytes / BUCKET_LEAST + 1;
	uint64_t count =
		clamp((uint64_t)parts * BUCKETS_PER_PART, least, most > least ? most : least);

	return (uint32_t)clamp(count, 1, BUCKETS_MOST);
}

/* With B bytes of input and a memory of m, there are 8 B / m buckets, and a run has at most m / 2
 * bytes: so a piece grows with the square of the memory. */
static void warn_of_small_pieces(const struct shuffle_job *s, uint64_t memory)
{
	const struct tfr_sweep_opts *o = &s->o->common.sweep;
	uint64_t piece = s->run / s->count, enough = piece, more = memory;
	char text[200];

	if (!o->warn || s->run < memory / 2 || piece >= PIECE_SMALL)
		return;
	while (enough < PIECE) {
		enough *= 4;
		more *= 2;
	}
	snprintf(text, sizeof(text),
		"with this memory, gather reads pieces of %llu bytes; -m %lluM makes them larger "
		"than 64 KiB",
		(unsigned long long)piece, (unsigned long long)(more >> 20));
	o->warn(o->ctx, text);
}

/* The number of buckets depends on what all parts know. */
static enum tfr_status plan(struct shuffle_job *s, struct tfr_error *err)
{
	struct tfr_shuffle_plan p;
	enum tfr_status status = tfr_shuffle_plan(s->o, &p, err);
	uint64_t piece;

	if (status)
		return status;
	tfr_memory_plan(&s->mem, p.memory, tfr_sweep_threads(s->o->common.sweep.threads),
		p.input_bytes ? p.input_bytes : UINT64_MAX);
	s->count = tfr_shuffle_job_buckets(tfr_job_parts(s->job), p.input_bytes, p.memory);
	piece = tfr_job_remote(s->job) ? PIECE_OF_OBJECT : PIECE;
	if (piece < p.input_bytes / PIECES)
		piece = p.input_bytes / PIECES;
	s->run = clamp(s->count * piece, BLOCK_LEAST, p.memory / 2);
	if (tfr_job_act(s->job) == TFR_JOB_SHARE)
		warn_of_small_pieces(s, p.memory);
	return TFR_OK;
}

/* --- scatter --- */

static enum tfr_status put_record(void *ctx, unsigned worker, const struct tfr_swept *swept,
	void *verdict, struct tfr_error *err)
{
	struct shuffle_job *s = ctx;
	const struct tfr_record *rec = &swept->rec;
	uint64_t place = tfr_shuffle_key(s->o->common.seed, swept->file, rec->index);
	uint32_t bucket = tfr_bucket_of(&place, s->count);
	struct tfr_totals add = { .records = 1,
		.payload_bytes = rec->size,
		.sum = tfr_content_sum(rec->data, rec->size) };
	uint8_t head[TFR_ENTRY_HEAD], foot[TFR_RECORD_FOOTER];
	struct tfr_chunk_list *last = &s->last[bucket];
	struct iovec pieces[3] = { { head, 0 }, { (void *)(uintptr_t)rec->data, rec->size },
		{ foot, sizeof(foot) } };
	enum tfr_status status;

	(void)worker, (void)verdict;
	tfr_store32(foot, tfr_crc_mask(rec->crc));
	pthread_mutex_lock(&s->lock);
	pieces[0].iov_len =
		(size_t)(tfr_entry_put_head(head, last, swept->file, rec->index, rec->size) - head);
	status = tfr_exchange_put(s->out, s->set, bucket, pieces, 3, &add, err);
	last->file = swept->file;
	last->record = rec->index;
	last->records++;
	s->sum += add.sum;
	pthread_mutex_unlock(&s->lock);
	return status;
}

static struct tfr_sweep sweep_of(struct shuffle_job *s)
{
	struct tfr_sweep sweep = { .opts = s->o->common.sweep,
		.phase = "dealing",
		.max_record = s->mem.max_record,
		.block_size = s->mem.block,
		.last = true,
		.examine = put_record,
		.ctx = s };

	sweep.opts.threads = s->mem.threads;
	return sweep;
}

/* Reads the share of this part, or takes the reports of all parts. */
static enum tfr_status scatter(struct shuffle_job *s, struct tfr_error *err)
{
	struct tfr_sweep sweep = sweep_of(s);
	struct tfr_rewrite_report *report = &s->report->common;
	enum tfr_status status = TFR_OK;

	if (tfr_job_act(s->job) == TFR_JOB_SHARE) {
		status = tfr_exchange_of(&s->out, s->job, err);
		if (!status)
			status = tfr_exchange_add_set(s->out, s->count, &s->set, err);
		s->last = calloc(s->count, sizeof(*s->last));
		if (!status && !s->last)
			status = tfr_fail_nomem(err, "sorting records into buckets");
		if (!status)
			tfr_exchange_memory(s->out, s->run);
	}
	if (!status)
		status = tfr_pass_run(&sweep, report, err);
	if (!status)
		status = tfr_job_sum(s->job, "shuffle", &s->sum, 1, err);
	report->taken_sum = s->sum;
	return status;
}

/* --- gather --- */

static const char changed[] = "wrote another number of buckets";

/* The records of all parts in each bucket. */
static enum tfr_status count_buckets(struct shuffle_job *s, struct tfr_error *err)
{
	uint32_t parts = tfr_job_parts(s->job);
	enum tfr_status status = tfr_job_exchanged(s->job, &s->in, err);

	if (status)
		return status;
	if (tfr_exchanged_buckets(s->in, 0) != s->count)
		return tfr_job_bad_record(s->job, 0, changed, err);
	s->buckets.b = calloc(s->count, sizeof(*s->buckets.b));
	if (!s->buckets.b)
		return tfr_fail_nomem(err, "sorting records into buckets");
	s->buckets.count = s->count;
	for (uint32_t i = 0; i < s->count; i++) {
		struct tfr_bucket *b = &s->buckets.b[i];

		b->depth = 1;
		b->divided[0] = s->count;
		b->first = s->records;
		for (uint32_t k = 0; k < parts; k++) {
			const struct tfr_bucket_totals *t = tfr_exchanged_totals(s->in, k, 0, i);

			b->bytes += t->bytes;
			b->records += t->records;
			b->payload_bytes += t->payload_bytes;
		}
		s->records += b->records;
	}
	return TFR_OK;
}

/* Describes the lists of the buckets that have some of the positions from `from` up to `to`. */
static enum tfr_status describe_own(
	struct shuffle_job *s, uint64_t from, uint64_t to, struct tfr_error *err)
{
	uint32_t parts = tfr_job_parts(s->job), low = 0, high, own;

	while (low < s->count && s->buckets.b[low].first + s->buckets.b[low].records <= from)
		low++;
	for (high = low; high < s->count && s->buckets.b[high].first < to; high++)
		;
	own = high - low;
	s->parts = calloc(parts, sizeof(*s->parts));
	s->bucket_parts = calloc((size_t)own * parts + 1, sizeof(*s->bucket_parts));
	if (!s->parts || !s->bucket_parts)
		return tfr_fail_nomem(err, "sorting records into buckets");
	for (uint32_t k = 0; k < parts; k++) {
		s->parts[k].lists = calloc(own + 1u, sizeof(*s->parts[k].lists));
		s->parts[k].count = own;
		if (!s->parts[k].lists)
			return tfr_fail_nomem(err, "sorting records into buckets");
	}
	for (uint32_t i = 0; i < own; i++) {
		struct tfr_bucket *b = &s->buckets.b[low + i];

		b->parts = s->bucket_parts + (size_t)i * parts;
		b->part_count = parts;
		for (uint32_t k = 0; k < parts; k++) {
			const struct tfr_bucket_totals *t =
				tfr_exchanged_totals(s->in, k, 0, low + i);

			s->parts[k].lists[i] = (struct tfr_chunk_list){ .bytes = t->bytes,
				.records = t->records,
				.payload_bytes = t->payload_bytes };
			b->parts[k] = (struct tfr_bucket_part){ &s->parts[k], i };
		}
	}
	return TFR_OK;
}

static enum tfr_status load_bucket(
	void *ctx, const struct tfr_bucket *b, uint8_t *to, struct tfr_error *err)
{
	struct shuffle_job *s = ctx;
	uint32_t bucket = (uint32_t)(b - s->buckets.b);
	enum tfr_status status = TFR_OK;

	for (uint32_t k = 0; !status && k < b->part_count; k++) {
		status = tfr_exchanged_load(s->in, k, 0, bucket, to, err);
		to += tfr_exchanged_totals(s->in, k, 0, bucket)->bytes;
	}
	return status;
}

/* A bucket that memory cannot hold is met before anything is written. */
static enum tfr_status check_memory(const struct shuffle_job *s, struct tfr_error *err)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < s->count; i++)
		if (s->buckets.b[i].part_count && tfr_bucket_memory(&s->buckets.b[i]) > most)
			most = tfr_bucket_memory(&s->buckets.b[i]);
	if (most <= (s->o->memory ? s->o->memory : MEMORY))
		return TFR_OK;
	tfr_fail(err, TFR_ENOMEM, "a bucket needs %llu MiB of memory to be sorted",
		(unsigned long long)(most >> 20));
	tfr_error_hint(err, "Begin another job with more memory (-m).");
	return TFR_ENOMEM;
}

static enum tfr_status open_writer(struct shuffle_job *s, struct tfr_error *err)
{
	/* One worker has two shards open at a time. */
	const struct tfr_set_how how = { .open_now = 2 * s->mem.threads };

	return tfr_set_writer_open_as(&s->writer, s->o->output, &s->o->common.writer, &how,
		s->o->common.sweep.warn, s->o->common.sweep.ctx, err);
}

static enum tfr_status gather(struct shuffle_job *s, struct tfr_error *err)
{
	struct tfr_gather g = { .opts = s->o,
		.buckets = &s->buckets,
		.memory = s->mem.gather,
		.threads = s->mem.threads,
		.load = load_bucket,
		.ctx = s };
	enum tfr_status status = open_writer(s, err);
	uint64_t from, to, shards;
	uint32_t low, high;

	if (status)
		return status;
	tfr_set_writer_own(s->writer, &low, &high);
	shards = tfr_set_writer_shards(s->writer);
	from = (uint64_t)((unsigned __int128)s->records * low / shards);
	to = (uint64_t)((unsigned __int128)s->records * high / shards);
	g.out = s->writer;
	g.records = s->records;
	status = describe_own(s, from, to, err);
	if (!status)
		status = check_memory(s, err);
	if (!status && from < to)
		status = tfr_gather_run(&g, err);
	return status ? status : tfr_set_writer_gathered(s->writer, err);
}

/* --- the end --- */

static enum tfr_status publish(struct shuffle_job *s, struct tfr_error *err)
{
	struct tfr_rewrite_report *r = &s->report->common;
	enum tfr_status status =
		tfr_expect_check(&s->o->common.expect, r->taken, r->taken_sum, err);
	struct tfr_totals t;

	if (!status && tfr_job_assembles(s->job))
		status = tfr_fail(err, TFR_EUSAGE,
			"the parts of gather have written the shards: finish without --part");
	if (!status)
		status = open_writer(s, err);
	if (!status)
		status = tfr_set_writer_assemble(s->writer, err);
	if (status)
		return status;
	t = tfr_set_writer_totals(s->writer);
	r->written = t.records;
	r->bytes = t.payload_bytes;
	r->sum = t.sum;
	if (r->written != r->taken || r->sum != r->taken_sum) {
		tfr_fail(err, TFR_EDATA, "the records written are not the records read");
		tfr_error_hint(err, "A disk or the memory of a machine is not reliable.");
		return TFR_EDATA;
	}
	status = tfr_expect_some(&s->o->common.expect, r->records, r->written, err);
	return status ? status : tfr_set_writer_publish(s->writer, s->info, err);
}

static enum tfr_status run(struct shuffle_job *s, struct tfr_error *err)
{
	enum tfr_status status = plan(s, err);

	tfr_job_gather_shards(s->job);
	if (!status)
		status = scatter(s, err);
	if (status)
		return status;
	s->report->passes = 2;
	s->report->buckets = s->count;
	if (tfr_job_gathers(s->job))
		status = count_buckets(s, err);
	if (status || tfr_job_step_over(s->job))
		return status;
	return tfr_job_gathers(s->job) ? gather(s, err) : publish(s, err);
}

enum tfr_status tfr_shuffle_job(const struct tfr_shuffle_opts *opts,
	const struct tfr_set_info *info, struct tfr_shuffle_report *report, struct tfr_error *err)
{
	struct shuffle_job s = { .o = opts,
		.info = info,
		.report = report,
		.job = opts->common.writer.job,
		.lock = PTHREAD_MUTEX_INITIALIZER };
	enum tfr_status status = run(&s, err);

	for (uint32_t k = 0; s.parts && k < tfr_job_parts(s.job); k++)
		free(s.parts[k].lists);
	free(s.parts);
	free(s.bucket_parts);
	free(s.buckets.b);
	free(s.last);
	tfr_set_writer_close(s.writer);
	pthread_mutex_destroy(&s.lock);
	return status;
}
