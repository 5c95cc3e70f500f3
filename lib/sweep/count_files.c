/* sweep/count_files.c - counts the records of each file and reports the files in order.
 *
 * A file is counted from its manifest, by its headers, or, for the content sum, by reading and
 * verifying its payloads, in one sweep over the files (sweep/file_sweep.h).  The first fault of a
 * file ends it.  Counting by headers divides a large file among threads itself. */
#include <assert.h>
#include <sys/stat.h>

#include <tfr-private/shard.h>

#include "base/error.h"
#include "shard/manifests.h"
#include "sweep/file_sweep.h"
#include "thread/threads.h"

struct count_run {
	struct tfr_fault_policy faults;
	const struct tfr_set *set;
	const struct tfr_count_opts *opts;
	struct tfr_manifests *manifests; /* NULL: not asked for */
};

struct count_slot {
	uint64_t records, sum;
	enum tfr_status status;
	struct tfr_error err;
	const char *path;
	const char *stale; /* why the manifest could not answer; NULL: it did, or was not asked */
};

static const char *path_of(void *ctx, uint64_t file)
{
	const struct count_run *run = ctx;

	return tfr_set_path(run->set, (size_t)file);
}

static void start_count(void *ctx, uint64_t file, void *result)
{
	struct count_slot *slot = result;

	slot->records = slot->sum = 0;
	slot->status = TFR_OK;
	slot->path = path_of(ctx, file);
	slot->stale = NULL;
}

/* --- by reading: a result is that of some runs --- */

static enum tfr_status count_run_of_records(void *ctx, unsigned worker, void *result,
	struct tfr_record_run *records, struct tfr_error *err)
{
	struct count_run *run = ctx;
	struct count_slot *slot = result;
	const struct tfr_record_run_origin of = { &run->faults, slot->path, slot };
	uint64_t before = slot->records, bytes = 0;
	struct tfr_record rec;
	struct tfr_digest d;
	enum tfr_status status;

	(void)worker;
	while (!(status = tfr_record_run_next_intact(&of, records, &rec, err))) {
		tfr_digest_record(&rec, &d);
		slot->sum += d.sum;
		slot->records++;
		bytes += TFR_RECORD_OVERHEAD + rec.size;
	}
	tfr_progress_add(run->opts->progress, slot->records - before, bytes);
	return status == TFR_END && !slot->status ? TFR_OK : status;
}

/* The first fault ends the file. */
static enum tfr_status end_at_fault(
	struct tfr_fault_policy *p, const struct tfr_fault_met *fault, struct tfr_error *err)
{
	struct count_slot *slot = fault->result;

	(void)p, (void)err;
	assert(fault->why->status);
	slot->err = *fault->why;
	slot->status = fault->why->status;
	return TFR_END;
}

static enum tfr_status merge_piece(void *ctx, void *file, void *piece, struct tfr_error *err)
{
	struct count_slot *all = file, *slot = piece;

	(void)ctx, (void)err;
	assert(!all->status);
	all->records += slot->records;
	all->sum += slot->sum;
	if (slot->status) {
		all->err = slot->err;
		all->status = slot->status;
	}
	return TFR_OK;
}

/* --- without reading --- */

static void count_by_headers(const struct count_run *run, unsigned threads, struct count_slot *slot)
{
	const struct tfr_count_opts *opts = run->opts;
	struct tfr_reader_opts reader_opts = { .threads = threads };
	struct stat st;

	slot->status = tfr_count_records(slot->path, &reader_opts, &slot->records, &slot->err);
	if (opts->progress && tfr_stat(slot->path, &st) == 0)
		tfr_progress_add(opts->progress, slot->records, (uint64_t)st.st_size);
}

static bool count_by_manifest(const struct count_run *run, uint64_t i, struct count_slot *slot)
{
	const struct tfr_manifest_shard *shard;
	const struct tfr_error *why;
	struct stat st;
	bool first;

	if (!run->manifests)
		return false;
	shard = tfr_manifests_at(run->manifests, (size_t)i, &why, &first);
	if (why)
		slot->stale = why->message;
	else if (tfr_stat(slot->path, &st) || !tfr_manifest_fits(shard, slot->path, &st))
		slot->stale = "the manifest is stale: its size or time are not the file's";
	if (slot->stale)
		return false;
	slot->records = shard->records;
	slot->sum = shard->sum;
	tfr_progress_add(run->opts->progress, shard->records, shard->bytes);
	return true;
}

/* --- the sweep --- */

static enum tfr_status prepare_file(void *ctx, unsigned worker, unsigned threads, uint64_t file,
	void *result, struct tfr_file_start *from, struct tfr_error *err)
{
	const struct count_run *run = ctx;
	struct count_slot *slot = result;

	(void)worker, (void)from, (void)err;
	if (count_by_manifest(run, file, slot))
		return TFR_END;
	if (run->opts->sum)
		return TFR_OK;
	count_by_headers(run, threads, slot);
	return TFR_END;
}

static enum tfr_status deliver_file(void *ctx, uint64_t file, void *result, struct tfr_error *err)
{
	const struct count_run *run = ctx;
	const struct count_slot *slot = result;

	(void)file, (void)err;
	if (slot->stale && run->opts->stale)
		run->opts->stale(run->opts->ctx, slot->path, slot->stale);
	run->opts->file(run->opts->ctx, slot->path, slot->records, slot->sum,
		slot->status ? &slot->err : NULL);
	return TFR_OK;
}

enum tfr_status tfr_set_count_records(
	const struct tfr_set *set, const struct tfr_count_opts *opts, struct tfr_error *err)
{
	struct count_run run = { .set = set, .opts = opts };
	struct tfr_file_sweep sweep = {
		.files = tfr_set_count(set),
		.path = path_of,
		.faults = &run.faults,
		.threads = tfr_thread_count(opts->threads),
		.divides = opts->sum,
		.result_size = sizeof(struct count_slot),
		.start = start_count,
		.prepare = prepare_file,
		.records = count_run_of_records,
		.merge = merge_piece,
		.deliver = deliver_file,
	};
	enum tfr_status status;

	run.faults.meet = end_at_fault;
	if (opts->manifest)
		TFR_TRY(tfr_manifests_open(&run.manifests, set, err));
	status = tfr_file_sweep_run(&sweep, &run, err);
	tfr_manifests_close(run.manifests);
	return status;
}
