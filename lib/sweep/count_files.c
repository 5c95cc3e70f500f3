/* sweep/count_files.c - counts the records of each file and reports the files in order.
 *
 * A file is counted from its manifest, by its headers, or, for the content sum, by reading and
 * verifying its payloads, in one pass over the files (sweep/file_pass.h).  The first fault of a
 * file ends it.  Counting by headers divides a large file among threads itself. */
#include <assert.h>
#include <sys/stat.h>

#include <tfr-private/shard.h>

#include "base/error.h"
#include "shard/manifests.h"
#include "sweep/file_pass.h"
#include "thread/threads.h"

struct count_run {
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

static void start_part(void *ctx, uint64_t file, void *part)
{
	const struct count_run *run = ctx;
	struct count_slot *slot = part;

	slot->records = slot->sum = 0;
	slot->status = TFR_OK;
	slot->path = tfr_set_path(run->set, (size_t)file);
	slot->stale = NULL;
}

/* --- by reading: a part is what some runs hold --- */

static enum tfr_status count_run_of_records(
	void *ctx, unsigned worker, void *part, struct tfr_run *records, struct tfr_error *err)
{
	const struct count_run *run = ctx;
	struct count_slot *slot = part;
	struct tfr_record rec;
	enum tfr_status got;
	struct tfr_digest d;

	(void)worker, (void)err;
	while (!(got = tfr_run_next(records, &rec, &slot->err))) {
		tfr_digest_record(&rec, &d);
		slot->sum += d.sum;
		slot->records++;
		tfr_progress_add(run->opts->progress, 1, TFR_RECORD_OVERHEAD + rec.size);
	}
	if (got == TFR_END)
		return TFR_OK;
	slot->status = got;
	tfr_error_locate(&slot->err, slot->path, rec.index, rec.offset);
	return TFR_END;
}

static enum tfr_status take_fault(void *ctx, void *part, struct tfr_reader *reader,
	const struct tfr_error *failure, bool *more, struct tfr_error *err)
{
	struct count_slot *slot = part;

	(void)ctx, (void)reader, (void)more, (void)err;
	assert(failure->status);
	slot->err = *failure;
	slot->status = failure->status;
	return TFR_OK;
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

/* --- the pass --- */

static enum tfr_status prepare_file(void *ctx, unsigned worker, unsigned threads, uint64_t file,
	void *part, struct tfr_file_start *from, struct tfr_error *err)
{
	const struct count_run *run = ctx;
	struct count_slot *slot = part;

	(void)worker, (void)from, (void)err;
	if (count_by_manifest(run, file, slot))
		return TFR_END;
	if (run->opts->sum)
		return TFR_OK;
	count_by_headers(run, threads, slot);
	return TFR_END;
}

static enum tfr_status deliver_file(void *ctx, uint64_t file, void *part, struct tfr_error *err)
{
	const struct count_run *run = ctx;
	const struct count_slot *slot = part;

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
	struct tfr_file_pass pass = {
		.set = set,
		.threads = tfr_thread_count(opts->threads),
		.divides = opts->sum,
		.part_size = sizeof(struct count_slot),
		.start = start_part,
		.prepare = prepare_file,
		.records = count_run_of_records,
		.fault = take_fault,
		.merge = merge_piece,
		.deliver = deliver_file,
	};
	enum tfr_status status = TFR_OK;

	if (opts->manifest)
		status = tfr_manifests_open(&run.manifests, set, err);
	if (!status)
		status = tfr_file_pass_run(&pass, &run, err);
	tfr_manifests_close(run.manifests);
	return status;
}
