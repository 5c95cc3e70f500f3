/* shard/set_index.c - writes or checks the indexes of a set, several files at a time, and reports
 * in file order. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/shard.h>

#include "base/error.h"
#include "shard/job/job.h"
#include "shard/set.h"
#include "thread/lanes.h"
#include "thread/threads.h"

struct index_run {
	const struct tfr_set *set;
	const struct tfr_set_index_opts *opts;
	bool *again; /* the file was named before; two threads must not write one index */
	unsigned threads_a_file;
	struct tfr_buf files; /* struct indexed, in a part of a job */
};

struct index_slot {
	struct tfr_index_report report;
	enum tfr_status status;
	struct tfr_error err;
};

static int compare_files(const void *a, const void *b, void *ctx)
{
	const struct tfr_set *set = ctx;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	int order = strcmp(tfr_set_path(set, i), tfr_set_path(set, k));

	return order ? order : (i > k) - (i < k);
}

static bool mark_repeated(struct index_run *run)
{
	size_t count = tfr_set_count(run->set);
	size_t *order = malloc((count + 1) * sizeof(*order));

	run->again = calloc(count + 1, sizeof(*run->again));
	for (size_t i = 0; order && i < count; i++)
		order[i] = i;
	if (order && run->again) {
		qsort_r(order, count, sizeof(*order), compare_files, (void *)(uintptr_t)run->set);
		for (size_t i = 1; i < count; i++)
			run->again[order[i]] = !strcmp(tfr_set_path(run->set, order[i]),
				tfr_set_path(run->set, order[i - 1]));
	}
	free(order);
	return order && run->again;
}

static void count_progress(const struct index_run *run, const char *path, uint64_t records)
{
	struct stat st;

	if (run->opts->progress && tfr_stat(path, &st) == 0)
		tfr_progress_add(run->opts->progress, records, (uint64_t)st.st_size);
}

static enum tfr_status work(void *ctx, struct tfr_lanes_run *crew, unsigned worker, uint64_t i,
	void *slot_memory, struct tfr_error *err)
{
	struct index_run *run = ctx;
	struct index_slot *slot = slot_memory;
	const char *path = tfr_set_path(run->set, (size_t)i);
	struct tfr_piece piece;
	struct tfr_index_opts opts = { .force = run->opts->force,
		.temporaries = run->opts->temporaries,
		.threads = run->threads_a_file,
		.no_points = run->opts->no_points };

	(void)crew;
	(void)worker;
	(void)err;
	slot->report = (struct tfr_index_report){ 0 };
	slot->status = TFR_OK;
	if (run->again[i] || !tfr_set_piece(run->set, (size_t)i, &piece))
		return TFR_OK;
	if (run->opts->check)
		slot->status = tfr_index_inspect(path, &opts, &slot->report.before, &slot->err);
	else
		slot->status = tfr_index_write(path, &opts, &slot->report, &slot->err);
	count_progress(run, path, slot->report.records);
	return TFR_OK;
}

/* What a part of a job records of a file, which it reads completely; the error follows. */
struct indexed {
	uint64_t file;
	struct tfr_index_report report;
	enum tfr_status status;
};

static enum tfr_status record_file(
	struct index_run *run, uint64_t i, const struct index_slot *slot, struct tfr_error *err)
{
	struct tfr_piece piece;
	struct indexed mine;

	if (!tfr_set_piece(run->set, (size_t)i, &piece))
		return TFR_OK;
	memset(&mine, 0, sizeof(mine));
	mine.file = i;
	mine.report = slot->report;
	mine.status = slot->status;
	if (tfr_buf_append(&run->files, &mine, sizeof(mine)) &&
		(!slot->status || tfr_error_save(&slot->err, &run->files)))
		return TFR_OK;
	return tfr_fail_nomem(err, "recording the result of a part");
}

/* The end of a job: reports what the parts have indexed. */
static enum tfr_status replay(struct index_run *run, struct tfr_job *job, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint64_t next = 0;

	for (uint32_t k = 0; !status && k < tfr_job_parts(job); k++) {
		struct tfr_unread files = { 0 };
		struct tfr_error fault;
		struct indexed theirs;

		status = tfr_job_take(job, k, "index", &files, err);
		while (!status && files.p != files.end) {
			if (!tfr_unread_copy(&files, &theirs, sizeof(theirs)) ||
				theirs.file != next || theirs.file >= tfr_set_count(run->set) ||
				(theirs.status && !tfr_error_load(&fault, &files))) {
				status = tfr_job_bad_record(job, k, "lacks something", err);
				break;
			}
			if (!run->again[next])
				run->opts->file(run->opts->ctx,
					tfr_set_path(run->set, (size_t)next), &theirs.report,
					theirs.status ? &fault : NULL);
			next++;
		}
	}
	if (!status && next != tfr_set_count(run->set))
		return tfr_fail_path(err, TFR_EDATA, tfr_set_path(run->set, (size_t)next),
			"no part has indexed");
	return status;
}

static enum tfr_status deliver(void *ctx, uint64_t i, void *slot_memory, struct tfr_error *err)
{
	struct index_run *run = ctx;
	struct index_slot *slot = slot_memory;

	if (tfr_job_act(tfr_set_job(run->set)) == TFR_JOB_SHARE)
		return record_file(run, i, slot, err);
	if (!run->again[i])
		run->opts->file(run->opts->ctx, tfr_set_path(run->set, (size_t)i), &slot->report,
			slot->status ? &slot->err : NULL);
	return TFR_OK;
}

enum tfr_status tfr_set_index(
	const struct tfr_set *set, const struct tfr_set_index_opts *opts, struct tfr_error *err)
{
	struct index_run run = { .set = set, .opts = opts };
	struct tfr_lanes job = {
		.threads = tfr_thread_count(opts->threads),
		.count = tfr_set_count(set),
		.slot_size = sizeof(struct index_slot),
		.work = work,
		.deliver = deliver,
	};
	enum tfr_status status;

	run.threads_a_file = tfr_thread_share(job.threads, job.count);
	if (!mark_repeated(&run))
		status = tfr_fail_nomem(err, "indexing");
	else if (tfr_job_act(tfr_set_job(set)) == TFR_JOB_REPLAY)
		status = replay(&run, tfr_set_job(set), err);
	else
		status = tfr_lanes_run(&job, &run, err);
	if (!status && tfr_job_act(tfr_set_job(set)) == TFR_JOB_SHARE)
		status =
			tfr_job_put(tfr_set_job(set), "index", run.files.data, run.files.size, err);
	tfr_buf_clear(&run.files);
	free(run.again);
	return status;
}
