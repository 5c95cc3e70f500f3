/* shard/job/part_notes.c - notes in blocks, each a record of the exchange. */
#include "shard/job/part_notes.h"

#include <stdlib.h>
#include <string.h>

#include "record/framing.h"
#include "record/record_run.h"
#include "record/writer.h"
#include "shard/job/record_exchange.h"

enum { BLOCK_MOST = 64 << 10, BLOCK_LEAST = 1 << 10, BLOCKS = 8 << 20 };

struct tfr_part_notes {
	struct tfr_exchange *exchange;
	uint32_t set, buckets;
	size_t block; /* bytes of each bucket's block */
	uint8_t *blocks;
	size_t *used;
};

static enum tfr_status no_memory(struct tfr_error *err)
{
	return tfr_fail_nomem(err, "noting records");
}

enum tfr_status tfr_part_notes_new(
	struct tfr_part_notes **out, struct tfr_job *job, uint32_t buckets, struct tfr_error *err)
{
	struct tfr_part_notes *n = calloc(1, sizeof(*n));
	enum tfr_status status = TFR_OK;

	if (!n)
		return no_memory(err);
	n->buckets = buckets;
	n->block = BLOCKS / buckets;
	n->block = n->block > BLOCK_MOST ? BLOCK_MOST : n->block;
	n->block = n->block < BLOCK_LEAST ? BLOCK_LEAST : n->block;
	n->blocks = malloc(n->block * buckets);
	n->used = calloc(buckets, sizeof(*n->used));
	if (!n->blocks || !n->used)
		status = no_memory(err);
	if (!status)
		status = tfr_exchange_of(&n->exchange, job, err);
	if (!status)
		status = tfr_exchange_add_set(n->exchange, buckets, &n->set, err);
	if (status)
		tfr_part_notes_free(n);
	else
		*out = n;
	return status;
}

void tfr_part_notes_free(struct tfr_part_notes *n)
{
	if (!n)
		return;
	free(n->blocks);
	free(n->used);
	free(n);
}

static enum tfr_status put_block(struct tfr_part_notes *n, uint32_t bucket, const void *data,
	size_t size, struct tfr_error *err)
{
	uint8_t header[TFR_RECORD_HEADER], footer[TFR_RECORD_FOOTER];
	struct iovec pieces[3] = { { header, sizeof(header) }, { (void *)(uintptr_t)data, size },
		{ footer, sizeof(footer) } };
	struct tfr_totals add = { .records = 1, .payload_bytes = size };
	struct tfr_digest digest;

	tfr_digest_pieces(&pieces[1], 1, &digest);
	tfr_put_header(header, size);
	tfr_store32(footer, tfr_crc_mask(digest.crc));
	add.sum = digest.sum;
	return tfr_exchange_put(n->exchange, n->set, bucket, pieces, 3, &add, err);
}

static enum tfr_status flush(struct tfr_part_notes *n, uint32_t bucket, struct tfr_error *err)
{
	size_t size = n->used[bucket];

	n->used[bucket] = 0;
	return size ? put_block(n, bucket, n->blocks + bucket * n->block, size, err) : TFR_OK;
}

enum tfr_status tfr_part_notes_put(struct tfr_part_notes *n, uint32_t bucket, const void *data,
	size_t size, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	if (n->block - n->used[bucket] < size)
		status = flush(n, bucket, err);
	if (status || !size)
		return status;
	if (size > n->block)
		return put_block(n, bucket, data, size, err);
	memcpy(n->blocks + bucket * n->block + n->used[bucket], data, size);
	n->used[bucket] += size;
	return TFR_OK;
}

enum tfr_status tfr_part_notes_end(struct tfr_part_notes *n, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (uint32_t k = 0; !status && k < n->buckets; k++)
		status = flush(n, k, err);
	return status;
}

/* --- reading --- */

struct reading {
	enum tfr_status (*take)(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err);
	void *ctx;
	struct tfr_totals totals; /* so far */
};

static enum tfr_status take_blocks(
	void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct tfr_run run = { .data = data, .size = size };
	enum tfr_status status = TFR_OK, got = TFR_OK;
	struct reading *r = ctx;
	struct tfr_record rec;

	for (size_t at = 0; at < size; at += tfr_load64(data + at) + TFR_RECORD_OVERHEAD)
		run.records++;
	while (!status && !(got = tfr_run_next(&run, &rec, err))) {
		r->totals.records++;
		r->totals.sum += tfr_content_sum(rec.data, rec.size);
		status = r->take(r->ctx, rec.data, rec.size, err);
	}
	return status ? status : got == TFR_END ? TFR_OK : got;
}

enum tfr_status tfr_part_notes_read(struct tfr_job *job, uint32_t part, uint32_t bucket,
	enum tfr_status (*take)(void *ctx, const uint8_t *data, size_t size, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	const struct tfr_bucket_totals *t;
	struct reading r = { take, ctx, { 0 } };
	TFR_AUTO_BUF block = { 0 };
	struct tfr_exchanged *x;
	uint32_t set;
	enum tfr_status status = tfr_job_exchanged(job, &x, err);

	if (status)
		return status;
	set = tfr_exchanged_sets(x) - 1; /* those before it are of the output */
	if (bucket >= tfr_exchanged_buckets(x, set))
		return tfr_job_bad_record(job, part, "wrote another number of buckets", err);
	t = tfr_exchanged_totals(x, part, set, bucket);
	status = tfr_exchanged_read(x, part, set, bucket, &block, take_blocks, &r, err);
	if (status == TFR_END)
		return TFR_OK;
	if (!status && (r.totals.records != t->records || r.totals.sum != t->sum))
		return tfr_job_bad_record(job, part, "has other notes than it wrote", err);
	return status;
}
