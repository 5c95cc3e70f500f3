/* shard/set_count.c - the files of a set counted several at a time, told in order.
 *
 * Where there are fewer files than threads and payloads are read, it is one file after the other,
 * a large one on all of them.  Counting by headers divides a large file by itself. */
#include <string.h>
#include <sys/stat.h>

#include <tfr/shard.h>

#include "base/error.h"
#include "record/parallel_read.h"
#include "shard/manifests.h"
#include "shard/set.h"
#include "thread/lanes.h"
#include "thread/threads.h"

struct count_run {
	const struct tfr_set *set;
	const struct tfr_count_opts *opts;
	struct tfr_manifests *manifests; /* NULL: not asked for */
	unsigned threads_a_file;
};

struct count_slot {
	uint64_t records, sum;
	enum tfr_status status;
	struct tfr_error err;
	const char *stale; /* why the manifest could not answer; NULL: it did, or nobody asked */
};

static void take_record(
	const struct tfr_count_opts *opts, const struct tfr_record *rec, struct count_slot *slot)
{
	struct tfr_digest d;

	tfr_digest_record(rec, &d);
	slot->sum += d.sum;
	slot->records++;
	tfr_progress_add(opts->progress, 1, TFR_RECORD_OVERHEAD + rec->size);
}

/* --- one file on several threads: a slot is what a run of records holds --- */

struct one_file {
	const struct tfr_count_opts *opts;
	const char *path;
	struct count_slot *all;
};

static void start_piece(void *ctx, void *slot)
{
	(void)ctx;
	((struct count_slot *)slot)->records = ((struct count_slot *)slot)->sum = 0;
	((struct count_slot *)slot)->status = TFR_OK;
}

static enum tfr_status note_fault(void *ctx, void *slot_memory, const struct tfr_error *failure,
	bool *more, struct tfr_error *err)
{
	struct count_slot *slot = slot_memory;

	(void)ctx;
	(void)more;
	(void)err;
	slot->err = *failure;
	slot->status = failure->status;
	return TFR_OK;
}

static enum tfr_status count_piece(
	void *ctx, unsigned worker, void *slot_memory, struct tfr_run *run, struct tfr_error *err)
{
	const struct one_file *f = ctx;
	struct count_slot *slot = slot_memory;
	struct tfr_record rec;
	enum tfr_status got;

	(void)worker;
	(void)err;
	while (!(got = tfr_run_next(run, &rec, &slot->err)))
		take_record(f->opts, &rec, slot);
	if (got == TFR_END)
		return TFR_OK;
	tfr_error_locate(&slot->err, f->path, rec.index, rec.offset);
	slot->status = got;
	return TFR_OK;
}

/* The first fault in the file's order ends it. */
static enum tfr_status deliver_piece(void *ctx, void *slot_memory, struct tfr_error *err)
{
	const struct one_file *f = ctx;
	const struct count_slot *slot = slot_memory;

	(void)err;
	f->all->records += slot->records;
	f->all->sum += slot->sum;
	if (!slot->status)
		return TFR_OK;
	f->all->err = slot->err;
	f->all->status = slot->status;
	return TFR_END;
}

static enum tfr_status count_spread(struct tfr_reader *r, const char *path,
	const struct count_run *run, struct count_slot *slot)
{
	struct one_file f = { run->opts, path, slot };
	struct tfr_spread spread = {
		.reader = r,
		.threads = run->threads_a_file,
		.slot_size = sizeof(struct count_slot),
		.start = start_piece,
		.fault = note_fault,
		.work = count_piece,
		.deliver = deliver_piece,
	};
	enum tfr_status status;
	struct tfr_error err;

	slot->status = TFR_OK;
	status = tfr_spread_run(&spread, &f, &err);
	if (!status)
		return slot->status;
	slot->err = err;
	return status;
}

/* --- all --- */

/* Reads every payload, adding up the content sum. */
static enum tfr_status count_by_reading(
	const char *path, const struct count_run *run, struct count_slot *slot)
{
	struct tfr_reader_opts reader_opts = { .compression = run->opts->compression,
		.threads = run->threads_a_file };
	struct tfr_reader *r = NULL;
	struct tfr_record rec;
	enum tfr_status status = tfr_reader_open(&r, path, &reader_opts, &slot->err);

	if (!status && run->threads_a_file > 1 && tfr_spread_serves(path)) {
		status = count_spread(r, path, run, slot);
	} else {
		while (!status && !(status = tfr_reader_next(r, &rec, &slot->err)))
			take_record(run->opts, &rec, slot);
	}
	tfr_reader_close(r);
	return status == TFR_END ? TFR_OK : status;
}

static enum tfr_status count_by_hopping(
	const char *path, const struct count_run *run, struct count_slot *slot)
{
	const struct tfr_count_opts *opts = run->opts;
	struct tfr_reader_opts reader_opts = { .compression = opts->compression,
		.threads = run->threads_a_file };
	enum tfr_status status = tfr_count_records(path, &reader_opts, &slot->records, &slot->err);
	struct stat st;

	if (opts->progress && stat(path, &st) == 0)
		tfr_progress_add(opts->progress, slot->records, (uint64_t)st.st_size);
	return status;
}

static bool count_by_manifest(const struct count_run *run, uint64_t i, struct count_slot *slot)
{
	const char *path = tfr_set_path(run->set, (size_t)i);
	const struct tfr_manifest_shard *shard;
	bool first;

	slot->stale = NULL;
	if (!run->manifests)
		return false;
	shard = tfr_manifests_at(run->manifests, (size_t)i, &slot->stale, &first);
	if (!slot->stale && !tfr_manifest_fits(shard, path))
		slot->stale = "the manifest is stale: its size or time are not the file's";
	if (slot->stale)
		return false;
	slot->records = shard->records;
	slot->sum = shard->sum;
	slot->status = TFR_OK;
	tfr_progress_add(run->opts->progress, shard->records, shard->bytes);
	return true;
}

static enum tfr_status work(void *ctx, struct tfr_lanes_run *crew, unsigned worker, uint64_t i,
	void *slot_memory, struct tfr_error *err)
{
	struct count_run *run = ctx;
	struct count_slot *slot = slot_memory;
	const char *path = tfr_set_path(run->set, (size_t)i);

	(void)crew;
	(void)worker;
	(void)err;
	slot->records = slot->sum = 0;
	if (count_by_manifest(run, i, slot))
		return TFR_OK;
	slot->status = run->opts->sum ? count_by_reading(path, run, slot)
				      : count_by_hopping(path, run, slot);
	return TFR_OK;
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot_memory, struct tfr_error *err)
{
	struct count_run *run = ctx;
	struct count_slot *slot = slot_memory;

	(void)err;
	if (slot->stale && run->opts->stale)
		run->opts->stale(run->opts->ctx, tfr_set_path(run->set, (size_t)i), slot->stale);
	run->opts->file(run->opts->ctx, tfr_set_path(run->set, (size_t)i), slot->records, slot->sum,
		slot->status ? &slot->err : NULL);
	return TFR_OK;
}

enum tfr_status tfr_set_count_records(
	const struct tfr_set *set, const struct tfr_count_opts *opts, struct tfr_error *err)
{
	struct count_run run = { .set = set, .opts = opts };
	enum tfr_status status = TFR_OK;
	struct tfr_lanes job = {
		.threads = tfr_thread_count(opts->threads),
		.count = tfr_set_count(set),
		.slot_size = sizeof(struct count_slot),
		.work = work,
		.deliver = deliver,
	};

	run.threads_a_file = tfr_thread_share(job.threads, job.count);
	if (opts->sum && job.count < job.threads && tfr_set_has_large(set)) {
		run.threads_a_file = job.threads;
		job.threads = 1;
	}
	if (opts->manifest)
		status = tfr_manifests_open(&run.manifests, set, err);
	if (!status)
		status = tfr_lanes_run(&job, &run, err);
	tfr_manifests_close(run.manifests);
	return status;
}
