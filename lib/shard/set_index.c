/* shard/set_index.c - writes or checks the indexes of a set, several files at a time, and reports
 * in file order. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tfr-private/shard.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "thread/lanes.h"
#include "thread/threads.h"

struct index_run {
	const struct tfr_set *set;
	const struct tfr_set_index_opts *opts;
	bool *again; /* the file was named before; two threads must not write one index */
	unsigned threads_a_file;
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

static enum tfr_status mark_repeated(struct index_run *run, struct tfr_error *err)
{
	size_t count = tfr_set_count(run->set);
	TFR_AUTO_FREE size_t *order = malloc((count + 1) * sizeof(*order));

	TFR_NEED_MEMORY(order, err, "indexing");
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_files, (void *)(uintptr_t)run->set);
	for (size_t i = 1; i < count; i++)
		run->again[order[i]] = !strcmp(
			tfr_set_path(run->set, order[i]), tfr_set_path(run->set, order[i - 1]));
	return TFR_OK;
}

static void count_progress(const struct index_run *run, const char *path, uint64_t records)
{
	struct stat st;

	if (run->opts->progress && tfr_stat(path, &st) == 0)
		tfr_progress_add(run->opts->progress, records, (uint64_t)st.st_size);
}

static enum tfr_status index_file(void *ctx, struct tfr_lanes_run *crew, unsigned worker,
	uint64_t i, void *slot_memory, struct tfr_error *err)
{
	struct index_run *run = ctx;
	struct index_slot *slot = slot_memory;
	const char *path = tfr_set_path(run->set, (size_t)i);
	struct tfr_index_opts opts = { .force = run->opts->force,
		.temporaries = run->opts->temporaries,
		.threads = run->threads_a_file,
		.no_points = run->opts->no_points };

	(void)crew;
	(void)worker;
	(void)err;
	slot->report = (struct tfr_index_report){ 0 };
	if (run->again[i])
		return TFR_OK;
	if (run->opts->check)
		slot->status = tfr_index_inspect(path, &opts, &slot->report.before, &slot->err);
	else
		slot->status = tfr_index_write(path, &opts, &slot->report, &slot->err);
	count_progress(run, path, slot->report.records);
	return TFR_OK;
}

static enum tfr_status report_file(void *ctx, uint64_t i, void *slot_memory, struct tfr_error *err)
{
	struct index_run *run = ctx;
	struct index_slot *slot = slot_memory;

	(void)err;
	if (!run->again[i])
		run->opts->file(run->opts->ctx, tfr_set_path(run->set, (size_t)i), &slot->report,
			slot->status ? &slot->err : NULL);
	return TFR_OK;
}

enum tfr_status tfr_set_index(
	const struct tfr_set *set, const struct tfr_set_index_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_FREE bool *again = calloc(tfr_set_count(set) + 1, sizeof(*again));
	struct index_run run = { .set = set, .opts = opts, .again = again };
	struct tfr_lanes job = {
		.threads = tfr_thread_count(opts->threads),
		.count = tfr_set_count(set),
		.slot_size = sizeof(struct index_slot),
		.work = index_file,
		.deliver = report_file,
	};

	TFR_NEED_MEMORY(again, err, "indexing");
	run.threads_a_file = tfr_thread_share(job.threads, job.count);
	TFR_TRY(mark_repeated(&run, err));
	return tfr_lanes_run(&job, &run, err);
}
