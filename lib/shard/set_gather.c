/* shard/set_gather.c - shards that the parts of a job write, each its own, and that the end of the
 * job publishes: the parts that gather, or those that finish.
 *
 * Part I of N has the shards from S * I / N up to S * (I + 1) / N.  They are complete files in the
 * job directory, with names that no other process draws.  The record of the part has their names
 * and totals. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/output.h"
#include "io/source.h"
#include "shard/job/job.h"
#include "shard/set_writer_state.h"
#include "thread/lanes.h"
#include "thread/threads.h"

enum { BLOCK = 1 << 20 };

/* What is recorded of a shard; its name follows, with its NUL. */
struct recorded {
	uint64_t shard, name_size;
	struct tfr_totals totals;
};

static uint32_t bound(const struct tfr_set_writer *w, uint32_t part)
{
	return (uint32_t)((uint64_t)w->count * part / tfr_job_parts(w->opts.job));
}

/* The file keeps the end of its name, which decides the compression. */
static char *name_shard(const struct tfr_set_writer *w, uint32_t shard)
{
	const char *slash = strrchr(w->files[shard], '/');
	TFR_AUTO_FREE char *drawn = tfr_job_new_name(w->opts.job, "shard");

	return drawn ? tfr_asprintf("%s-%s", drawn, slash ? slash + 1 : w->files[shard]) : NULL;
}

enum tfr_status tfr_set_gather_open(struct tfr_set_writer *w, struct tfr_error *err)
{
	uint32_t part = tfr_job_part(w->opts.job);

	w->gathers = true;
	if (w->fills)
		return TFR_OK;
	w->low = bound(w, part);
	w->high = bound(w, part + 1);
	w->opts.force = false;
	for (uint32_t k = w->low; k < w->high; k++) {
		TFR_AUTO_FREE char *name = name_shard(w, k);
		char *path = name ? tfr_job_path(w->opts.job, name) : NULL;

		if (!path)
			return tfr_fail_nomem(err, "creating a set");
		free(w->files[k]);
		w->files[k] = path;
	}
	return TFR_OK;
}

void tfr_set_writer_own(const struct tfr_set_writer *w, uint32_t *low, uint32_t *high)
{
	*low = w->gathers ? w->low : 0;
	*high = w->gathers ? w->high : w->count;
}

enum tfr_status tfr_set_writer_gathered(struct tfr_set_writer *w, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	TFR_AUTO_BUF text = { 0 };

	for (uint32_t k = w->low; !status && k < w->high; k++) {
		const char *name;
		struct recorded mine;

		if (!w->shards[k]) /* it got no record */
			status = tfr_set_writer_finish(w, k, err);
		if (!status)
			status = tfr_writer_publish(w->shards[k], err);
		if (status)
			return status;
		status = tfr_job_wrote(w->opts.job, w->files[k], err);
		if (status)
			return status;
		name = strrchr(w->files[k], '/') + 1;
		memset(&mine, 0, sizeof(mine));
		mine.shard = k;
		mine.name_size = strlen(name) + 1;
		mine.totals = *tfr_writer_totals(w->shards[k]);
		if (!tfr_buf_append(&text, &mine, sizeof(mine)) ||
			!tfr_buf_append(&text, name, mine.name_size))
			return tfr_fail_nomem(err, "recording the result of a part");
	}
	if (w->low < w->high && !tfr_is_url(w->files[w->low]))
		status = tfr_sync_directory_of(w->files[w->low], err);
	return status ? status : tfr_job_put(w->opts.job, "shards", text.data, text.size, err);
}

/* --- the end of the job --- */

struct adopted {
	struct recorded what;
	const char *name;
};

struct adoption {
	struct tfr_set_writer *w;
	struct adopted *shards;
};

/* The bytes of the file are those of the shard, compressed or not. */
static enum tfr_status copy(struct tfr_set_writer *w, uint32_t shard, struct tfr_source *from,
	const struct tfr_totals *totals, struct tfr_error *err)
{
	TFR_AUTO_FREE uint8_t *block = malloc(BLOCK);
	struct tfr_totals none = { 0 };
	enum tfr_status status = block ? TFR_OK : tfr_fail_nomem(err, "publishing a set");
	size_t got = BLOCK;

	while (!status && got == BLOCK) {
		struct iovec piece = { block, 0 };

		status = tfr_source_read(from, block, BLOCK, &got, err);
		piece.iov_len = got;
		if (!status && got)
			status = tfr_writer_put_framed(w->shards[shard], &piece, 1, &none, err);
	}
	return status ? status : tfr_writer_put_framed(w->shards[shard], NULL, 0, totals, err);
}

/* A second name for the file costs nothing, where the job directory and the set are in one file
 * system.  True: it has to be copied. */
static bool adopt_link(struct tfr_set_writer *w, const struct adopted *a, uint32_t shard,
	const char *path, const struct tfr_writer_opts *opts)
{
	struct tfr_writer_how how = { .brief = true, .link = path, .totals = &a->what.totals };
	struct stat st;

	if (tfr_is_url(path) || tfr_is_url(w->files[shard]) || opts->dry_run || stat(path, &st) ||
		(uint64_t)st.st_size != a->what.totals.file_bytes ||
		tfr_writer_open_with(&w->shards[shard], w->files[shard], opts, &how, NULL))
		return true;
	if (!tfr_writer_finish(w->shards[shard], NULL))
		return false;
	tfr_writer_close(w->shards[shard]);
	w->shards[shard] = NULL;
	return true;
}

static enum tfr_status adopt(
	struct tfr_set_writer *w, const struct adopted *a, uint32_t shard, struct tfr_error *err)
{
	struct tfr_writer_opts opts = w->opts;
	TFR_AUTO_FREE char *path = tfr_job_path(w->opts.job, a->name);
	struct tfr_writer_how how = { .brief = shard >= w->pinned };
	struct tfr_source *from = NULL;
	const struct tfr_totals *written;
	enum tfr_status status =
		path ? tfr_source_open(&from, path, err) : tfr_fail_nomem(err, "publishing a set");

	opts.compression = TFR_COMPRESSION_NONE; /* the bytes are compressed already */
	if (status || !adopt_link(w, a, shard, path, &opts)) {
		tfr_source_close(from);
		return status;
	}
	if (!status)
		status = tfr_writer_open_with(&w->shards[shard], w->files[shard], &opts, &how, err);
	if (!status)
		status = copy(w, shard, from, &a->what.totals, err);
	if (!status)
		status = tfr_writer_finish(w->shards[shard], err);
	tfr_source_close(from);
	if (status)
		return status;
	written = tfr_writer_totals(w->shards[shard]);
	if (written->file_crc == a->what.totals.file_crc &&
		written->file_bytes == a->what.totals.file_bytes)
		return TFR_OK;
	return tfr_fail_path(
		err, TFR_EDATA, path, "this shard is not as the part that gathered it left it:");
}

static enum tfr_status adopt_one(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t shard, void *slot, struct tfr_error *err)
{
	const struct adoption *a = ctx;

	(void)lanes, (void)worker, (void)slot;
	return adopt(a->w, &a->shards[shard], (uint32_t)shard, err);
}

static enum tfr_status take_part(
	struct tfr_set_writer *w, struct adopted *shards, uint32_t part, struct tfr_error *err)
{
	struct tfr_job *job = w->opts.job;
	struct tfr_unread section = { 0 };
	enum tfr_status status = tfr_job_take_shards(job, part, &section, err);
	uint32_t k = bound(w, part), end = bound(w, part + 1);

	for (; !status && k < end; k++) {
		struct adopted *a = &shards[k];

		if (!tfr_unread_copy(&section, &a->what, sizeof(a->what)) || a->what.shard != k)
			return tfr_job_bad_record(job, part, "lacks a shard", err);
		a->name = tfr_unread_take(&section, a->what.name_size);
		if (!a->name || !a->what.name_size || a->name[a->what.name_size - 1] ||
			strchr(a->name, '/'))
			return tfr_job_bad_record(job, part, "lacks a shard", err);
	}
	return !status && section.p != section.end
		       ? tfr_job_bad_record(job, part, "has more than it should", err)
		       : status;
}

/* A shard that fills ends where a process that writes all of them finds it full. */
bool tfr_set_writer_adopts(const struct tfr_set_writer *w)
{
	return tfr_job_gathered(w->opts.job) || (tfr_job_assembled(w->opts.job) && !w->fills);
}

enum tfr_status tfr_set_gather_adopt(struct tfr_set_writer *w, struct tfr_error *err)
{
	struct adoption a = { .w = w, .shards = calloc(w->count, sizeof(*a.shards)) };
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(w->opts.threads), .count = w->count, .work = adopt_one
	};
	enum tfr_status status = a.shards ? TFR_OK : tfr_fail_nomem(err, "publishing a set");

	for (uint32_t k = 0; !status && k < tfr_job_parts(w->opts.job); k++)
		status = take_part(w, a.shards, k, err);
	if (!status)
		status = tfr_lanes_run(&lanes, &a, err);
	free(a.shards);
	return status;
}
