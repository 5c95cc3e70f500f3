/* shard/set_index.c - writes or checks the indexes of a set, several files at a time, and reports
 * in file order. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "shard/set.h"
#include "thread/lanes.h"
#include "thread/threads.h"

struct index_run {
	const struct tfr_set *set;
	const struct tfr_set_index_opts *opts;
	const bool *again; /* the file was named before; two threads must not write one index */
	unsigned threads_a_file;
};

struct index_slot {
	struct tfr_index_report report;
	enum tfr_status status;
	struct tfr_error err;
};

static enum tfr_status index_file(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t i, void *slot_memory, struct tfr_error *err)
{
	struct index_run *run = ctx;
	struct index_slot *slot = slot_memory;
	const char *path = tfr_set_path(run->set, (size_t)i);
	struct stat st;
	struct tfr_index_opts opts = { .force = run->opts->force,
		.temporaries = run->opts->temporaries,
		.threads = run->threads_a_file,
		.no_points = run->opts->no_points };

	(void)lanes;
	(void)worker;
	(void)err;
	slot->report = (struct tfr_index_report){ 0 };
	if (run->again[i])
		return TFR_OK;
	if (run->opts->check)
		slot->status = tfr_index_inspect(path, &opts, &slot->report.before, &slot->err);
	else
		slot->status = tfr_index_write(path, &opts, &slot->report, &slot->err);
	if (run->opts->progress && tfr_stat(path, &st) == 0)
		tfr_progress_add(run->opts->progress, slot->report.records, (uint64_t)st.st_size);
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
	size_t count = tfr_set_count(set);
	TFR_AUTO_FREE bool *again = calloc(count + 1, sizeof(*again));
	TFR_AUTO_FREE size_t *order = tfr_set_order(set);
	struct index_run run = { .set = set, .opts = opts, .again = again };
	struct tfr_lanes job = {
		.threads = tfr_thread_count(opts->threads),
		.count = count,
		.slot_size = sizeof(struct index_slot),
		.work = index_file,
		.deliver = report_file,
	};

	TFR_NEED_MEMORY(again && order, err, "indexing");
	for (size_t i = 1; i < count; i++)
		again[order[i]] =
			!strcmp(tfr_set_path(set, order[i]), tfr_set_path(set, order[i - 1]));
	run.threads_a_file = tfr_thread_share(job.threads, job.count);
	return tfr_lanes_run(&job, &run, err);
}
