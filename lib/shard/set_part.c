/* shard/set_part.c - a set that the parts of a job write together.
 *
 * A part puts each record into the bucket of its shard.  Record j of a set belongs to shard j mod
 * S, and a part counts from 0.  So the buckets of a part belong to the shards from the first place
 * of that part on, which is known when all parts are recorded.  Then a shard is made of its
 * buckets, part after part. */
#include <assert.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/path.h"
#include "record/framing.h"
#include "record/record_run.h"
#include "shard/job/record_exchange.h"
#include "shard/set_writer_state.h"
#include "thread/lanes.h"
#include "thread/threads.h"

/* An output that exists is met now, and not after the work. */
static enum tfr_status check_target(const struct tfr_set_writer *w, struct tfr_error *err)
{
	struct stat st;

	if (!strcmp(w->subject, "-"))
		return tfr_fail(err, TFR_EUSAGE,
			"the parts of a job cannot write to standard output: name a file or a set");
	if (w->fills || w->opts.force || tfr_look(w->files[0], &st, NULL))
		return TFR_OK;
	tfr_fail_path(err, TFR_EEXIST, w->files[0], "will not overwrite");
	tfr_error_hint(err, "Give -f to replace it.");
	return TFR_EEXIST;
}

enum tfr_status tfr_set_part_open(struct tfr_set_writer *w, struct tfr_error *err)
{
	enum tfr_status status = check_target(w, err);

	if (!status)
		status = tfr_exchange_of(&w->exchange, w->opts.job, err);
	if (!status)
		status = tfr_exchange_add_set(w->exchange, w->fills ? 1 : w->count, &w->set, err);
	if (status)
		w->exchange = NULL;
	return status;
}

static void add_totals(struct tfr_set_writer *w, const struct tfr_totals *add)
{
	__atomic_add_fetch(&w->exchanged.records, add->records, __ATOMIC_RELAXED);
	__atomic_add_fetch(&w->exchanged.payload_bytes, add->payload_bytes, __ATOMIC_RELAXED);
	__atomic_add_fetch(&w->exchanged.sum, add->sum, __ATOMIC_RELAXED);
}

enum tfr_status tfr_set_part_put_framed(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_totals *add, struct tfr_error *err)
{
	add_totals(w, add);
	return tfr_exchange_put(w->exchange, w->set, shard, pieces, count, add, err);
}

enum tfr_status tfr_set_part_put(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_digest *digest,
	struct tfr_error *err)
{
	uint8_t header[TFR_RECORD_HEADER], footer[TFR_RECORD_FOOTER];
	TFR_AUTO_FREE struct iovec *list = NULL;
	struct iovec some[16], *all = some;
	struct tfr_digest own;
	struct tfr_totals add;

	if (!digest) {
		tfr_digest_pieces(pieces, count, &own);
		digest = &own;
	}
	if (count + 2 > (int)(sizeof(some) / sizeof(*some)))
		all = list = malloc((size_t)(count + 2) * sizeof(*list));
	if (!all)
		return tfr_fail_nomem(err, "exchanging records");
	tfr_put_header(header, digest->size);
	tfr_store32(footer, tfr_crc_mask(digest->crc));
	all[0] = (struct iovec){ header, sizeof(header) };
	memcpy(all + 1, pieces, (size_t)count * sizeof(*pieces));
	all[count + 1] = (struct iovec){ footer, sizeof(footer) };
	add = (struct tfr_totals){
		.records = 1, .payload_bytes = digest->size, .sum = digest->sum
	};
	return tfr_set_part_put_framed(w, shard, all, count + 2, &add, err);
}

void tfr_set_writer_turn(struct tfr_set_writer *w, uint64_t turn)
{
	if (w->exchange)
		tfr_exchange_turn(w->exchange, w->set, turn);
}

/* --- the end of a job --- */

struct assembly {
	struct tfr_set_writer *w;
	struct tfr_exchanged *x;
};

/* A bucket on its way into a shard. */
struct transfer {
	struct tfr_set_writer *w;
	uint32_t shard;
	struct tfr_totals totals; /* so far */
};

/* The next record of a set that fills: its size decides whether it begins a shard. */
static enum tfr_status append(
	struct transfer *t, const struct tfr_record *rec, uint64_t sum, struct tfr_error *err)
{
	const uint8_t *start = rec->data - TFR_RECORD_HEADER;
	struct iovec piece = { (void *)(uintptr_t)start, rec->size + TFR_RECORD_OVERHEAD };
	struct tfr_totals one = { .records = 1, .payload_bytes = rec->size, .sum = sum };

	return tfr_set_writer_append_framed(t->w, &piece, &one, err);
}

/* Verifies records, and writes them at once. */
static enum tfr_status write_records(
	void *ctx, const uint8_t *data, size_t size, struct tfr_error *err)
{
	struct tfr_run run = { .data = data, .size = size };
	struct iovec all = { (void *)(uintptr_t)data, size };
	enum tfr_status status = TFR_OK, got;
	struct tfr_totals add = { 0 };
	struct transfer *t = ctx;
	struct tfr_record rec;

	for (size_t at = 0; at < size; at += tfr_load64(data + at) + TFR_RECORD_OVERHEAD)
		run.records++;
	while (!status && !(got = tfr_run_next(&run, &rec, err))) {
		uint64_t sum = tfr_content_sum(rec.data, rec.size);

		add.records++;
		add.payload_bytes += rec.size;
		add.sum += sum;
		if (t->w->fills)
			status = append(t, &rec, sum, err);
	}
	if (!status && got != TFR_END)
		status = got;
	if (!status && !t->w->fills)
		status = tfr_set_writer_put_framed(t->w, t->shard, &all, 1, &add, err);
	t->totals.records += add.records;
	t->totals.sum += add.sum;
	return status;
}

static enum tfr_status damaged(const struct tfr_set_writer *w, uint32_t part, struct tfr_error *err)
{
	tfr_fail(err, TFR_EDATA, "the records that part %u wrote for '%s' came back damaged", part,
		w->subject);
	tfr_error_hint(err, "Remove its record in the job directory, and run this part again.");
	return TFR_EDATA;
}

static enum tfr_status assemble_shard(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t shard, void *slot, struct tfr_error *err)
{
	const struct assembly *a = ctx;
	struct tfr_set_writer *w = a->w;
	enum tfr_status status = TFR_OK;

	(void)lanes, (void)worker;
	shard += w->low;
	for (uint32_t k = 0; !status && k < tfr_job_terms(w->opts.job)->parts; k++) {
		uint32_t bucket =
			w->fills ? 0 : tfr_exchanged_bucket(a->x, k, w->set, (uint32_t)shard);
		const struct tfr_bucket_totals *t = tfr_exchanged_totals(a->x, k, w->set, bucket);
		struct transfer transfer = { .w = w, .shard = (uint32_t)shard };

		status = tfr_exchanged_read(
			a->x, k, w->set, bucket, slot, write_records, &transfer, err);
		if (status == TFR_EDATA || (!status && (transfer.totals.records != t->records ||
							       transfer.totals.sum != t->sum)))
			status = damaged(w, k, err);
	}
	return status || w->fills ? status : tfr_set_writer_finish(w, (uint32_t)shard, err);
}

static void clear_slot(void *slot)
{
	tfr_buf_clear(slot);
}

enum tfr_status tfr_set_writer_assemble(struct tfr_set_writer *w, struct tfr_error *err)
{
	struct assembly a = { .w = w };
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(w->opts.threads),
		.count = w->gathers ? w->high - w->low
			 : w->fills ? 1
				    : w->count,
		.slot_size = sizeof(struct tfr_buf),
		.work = assemble_shard,
		.clear_slot = clear_slot,
	};
	enum tfr_status status;

	if (!w->opts.job || w->exchange || w->assembled ||
		(w->gathers && !tfr_job_assembles(w->opts.job)))
		return TFR_OK;
	w->assembled = true;
	if (w->fills && w->gathers)
		return TFR_OK;
	if (tfr_set_writer_adopts(w))
		return tfr_set_gather_adopt(w, err);
	status = tfr_job_exchanged(w->opts.job, &a.x, err);
	if (status)
		return status;
	if (tfr_exchanged_buckets(a.x, w->set) != (w->fills ? 1 : w->count))
		return tfr_fail(err, TFR_EDATA, "the parts wrote other sets than '%s'", w->subject);
	status = tfr_lanes_run(&lanes, &a, err);
	return !status && w->gathers ? tfr_set_writer_gathered(w, err) : status;
}
