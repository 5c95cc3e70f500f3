/* shard/set_writer.c - N record writers that become visible together.
 *
 * Every shard is open from the start, so a target that cannot be written is known before any work
 * is done.  The order of publishing makes the manifest the proof: shards whole and on disk, old
 * manifest gone, names given, directory on disk, new manifest last. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "codec/press.h"
#include "io/output.h"
#include "record/stream_writer.h"
#include "record/writer.h"
#include "shard/manifest.h"
#include "shard/set_name.h"
#include "shard/set_writer.h"
#include "thread/lanes.h"
#include "thread/threads.h"

/* All shards' buffers together stay about within this. */
enum { BUFFERS_MAX = 64 << 20, BUFFER_MIN = 16 << 10, BUFFER_MAX = 256 << 10 };

struct tfr_set_writer {
	struct tfr_set_name name; /* base NULL: a single file */
	struct tfr_writer **shards;
	char **files;
	uint32_t count;
	uint32_t max_open; /* shards opened at the start */
	struct tfr_writer_opts opts;
	struct tfr_press *press; /* of all shards together: they share its threads */
};

static void warn_about(void (*warn)(void *ctx, const char *text), void *ctx, const char *file)
{
	char text[4200];

	if (!warn)
		return;
	snprintf(text, sizeof(text), "a set of another size stays beside this one: '%s'", file);
	warn(ctx, text);
}

/* Looks for base-NNNNN-of-MMMMM.ext with M other than ours: readers that take "base-*" would mix
 * the two. */
static enum tfr_status check_other_sizes(struct tfr_set_writer *w,
	void (*warn)(void *ctx, const char *text), void *ctx, struct tfr_error *err)
{
	TFR_AUTO_FREE char *pattern = NULL;
	enum tfr_status status = TFR_OK;
	struct tfr_shard_file f;
	glob_t found = { 0 };

	if (asprintf(&pattern, "%s-*-of-*%s", w->name.base, w->name.extension) < 0) {
		pattern = NULL;
		return tfr_fail_nomem(err, "creating a set");
	}
	glob(pattern, 0, NULL, &found);
	for (size_t i = 0; !status && i < found.gl_pathc; i++) {
		const char *file = found.gl_pathv[i];

		if (!tfr_shard_file_parse(file, &f) || f.base_size != strlen(w->name.base) ||
			strcmp(f.extension, w->name.extension) || f.count == w->count)
			continue;
		if (w->opts.force) {
			warn_about(warn, ctx, file);
			break;
		}
		status = tfr_fail_path(err, TFR_EEXIST, file, "a set of another size is there:");
		tfr_error_hint(err, "Readers that take a pattern would mix the two.  Remove it, or "
				    "give -f to leave it.");
	}
	globfree(&found);
	return status;
}

static enum tfr_status name_files(
	struct tfr_set_writer *w, const char *target, struct tfr_error *err)
{
	enum tfr_status status = tfr_set_name_parse(&w->name, target, err);

	if (status != TFR_OK && status != TFR_END)
		return status;
	if (w->name.base && !w->name.count)
		return tfr_fail(err, TFR_EUSAGE,
			"'%s' names shards to read; give their number to write", target);
	w->count = w->name.base ? w->name.count : 1;
	w->files = calloc(w->count, sizeof(*w->files));
	w->shards = calloc(w->count, sizeof(*w->shards));
	if (!w->files || !w->shards)
		return tfr_fail_nomem(err, "creating a set");
	for (uint32_t k = 0; k < w->count; k++) {
		w->files[k] = w->name.base ? tfr_set_name_file(&w->name, k) : strdup(target);
		if (!w->files[k])
			return tfr_fail_nomem(err, "creating a set");
	}
	return TFR_OK;
}

static enum tfr_status open_shard(struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err)
{
	return tfr_writer_open_with(&w->shards[shard], w->files[shard], &w->opts, w->press, err);
}

/* A shard that is opened later: what would keep it from being written is told now. */
static enum tfr_status check_later(struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err)
{
	enum tfr_status status = open_shard(w, shard, err);

	tfr_writer_close(w->shards[shard]);
	w->shards[shard] = NULL;
	return status;
}

static enum tfr_status open_files(struct tfr_set_writer *w, struct tfr_error *err)
{
	uint32_t now = w->count < w->max_open ? w->count : w->max_open;
	enum tfr_status status = tfr_writer_press(&w->press, &w->opts, w->files[0], now, err);

	if (!w->opts.buffer_size) {
		size_t share = BUFFERS_MAX / now;

		w->opts.buffer_size = share < BUFFER_MIN   ? BUFFER_MIN
				      : share > BUFFER_MAX ? BUFFER_MAX
							   : share;
	}
	for (uint32_t k = 0; !status && k < w->count; k++)
		status = k < now ? open_shard(w, k, err) : check_later(w, k, err);
	if (status == TFR_ESYS && err && err->sys_errno == EMFILE)
		tfr_error_hint(err,
			"Every shard is open while a set is written: raise the limit with 'ulimit "
			"-n %u'.",
			w->count + 64);
	return status;
}

enum tfr_status tfr_set_writer_open_few(struct tfr_set_writer **out, const char *target,
	const struct tfr_writer_opts *opts, uint32_t max_open,
	void (*warn)(void *ctx, const char *text), void *ctx, struct tfr_error *err)
{
	static const struct tfr_writer_opts defaults;
	struct tfr_set_writer *w = calloc(1, sizeof(*w));
	enum tfr_status status;

	if (!w)
		return tfr_fail_nomem(err, "creating a set");
	w->opts = opts ? *opts : defaults;
	w->max_open = max_open;
	status = name_files(w, target, err);
	if (!status && w->name.base)
		status = check_other_sizes(w, warn, ctx, err);
	if (!status)
		status = open_files(w, err);
	if (status) {
		tfr_set_writer_close(w);
		return status;
	}
	*out = w;
	return TFR_OK;
}

enum tfr_status tfr_set_writer_open(struct tfr_set_writer **w, const char *target,
	const struct tfr_writer_opts *opts, void (*warn)(void *ctx, const char *text), void *ctx,
	struct tfr_error *err)
{
	return tfr_set_writer_open_few(w, target, opts, UINT32_MAX, warn, ctx, err);
}

uint32_t tfr_set_writer_shards(const struct tfr_set_writer *w)
{
	return w->count;
}

enum tfr_status tfr_set_writer_put(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_digest *digest,
	struct tfr_error *err)
{
	return tfr_writer_put_pieces(w->shards[shard], pieces, count, digest, err);
}

enum tfr_status tfr_set_writer_put_framed(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_totals *add, struct tfr_error *err)
{
	enum tfr_status status = w->shards[shard] ? TFR_OK : open_shard(w, shard, err);

	return status ? status : tfr_writer_put_framed(w->shards[shard], pieces, count, add, err);
}

enum tfr_status tfr_set_writer_finish(
	struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err)
{
	enum tfr_status status = w->shards[shard] ? TFR_OK : open_shard(w, shard, err);

	if (status)
		return status;
	return shard ? tfr_writer_finish(w->shards[shard], err)
		     : tfr_writer_seal(w->shards[shard], err);
}

static enum tfr_status seal_one(void *ctx, struct tfr_lanes_run *crew, unsigned worker,
	uint64_t shard, void *slot, struct tfr_error *err)
{
	struct tfr_set_writer *w = ctx;

	(void)crew;
	(void)worker;
	(void)slot;
	if (!w->shards[shard]) { /* no record came */
		enum tfr_status status = tfr_set_writer_finish(w, (uint32_t)shard, err);

		if (status)
			return status;
	}
	return tfr_writer_seal(w->shards[shard], err);
}

static enum tfr_status remove_old_manifest(const char *path, struct tfr_error *err)
{
	if (unlink(path) == 0 || errno == ENOENT)
		return TFR_OK;
	return tfr_fail_errno(err, errno, path, "cannot remove the old manifest");
}

static enum tfr_status write_manifest(struct tfr_set_writer *w, const char *path,
	const struct tfr_set_info *info, struct tfr_error *err)
{
	struct tfr_output_opts opts = { .force = true, .temporaries = w->opts.temporaries };
	TFR_AUTO_BUF text = { 0 };
	enum tfr_status status =
		tfr_manifest_format(&text, w->files, w->shards, w->count, info, err);

	return status ? status : tfr_output_whole(path, &opts, text.data, text.size, err);
}

static enum tfr_status publish_set(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	TFR_AUTO_FREE char *manifest = tfr_set_name_manifest(&w->name);
	enum tfr_status status = manifest ? remove_old_manifest(manifest, err)
					  : tfr_fail_nomem(err, "creating a set");

	for (uint32_t k = 0; !status && k < w->count; k++)
		status = tfr_writer_publish(w->shards[k], err);
	if (!status)
		status = tfr_sync_directory_of(manifest, err);
	return status ? status : write_manifest(w, manifest, info, err);
}

enum tfr_status tfr_set_writer_flush(struct tfr_set_writer *w, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (uint32_t i = 0; !status && i < w->count; i++)
		if (w->shards[i])
			status = tfr_writer_flush(w->shards[i], err);
	return status;
}

enum tfr_status tfr_set_writer_seal(struct tfr_set_writer *w, struct tfr_error *err)
{
	struct tfr_lanes sealing = {
		.threads = tfr_thread_count(0), .count = w->count, .work = seal_one
	};

	return tfr_lanes_run(&sealing, w, err);
}

enum tfr_status tfr_set_writer_publish(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	static const struct tfr_set_info nothing;
	enum tfr_status status = tfr_set_writer_seal(w, err);

	if (status)
		return status;
	if (w->name.base)
		return publish_set(w, info ? info : &nothing, err);
	status = tfr_writer_publish(w->shards[0], err);
	if (status || !strcmp(w->files[0], "-"))
		return status;
	return tfr_sync_directory_of(w->files[0], err);
}

void tfr_set_writer_close(struct tfr_set_writer *w)
{
	if (!w)
		return;
	for (uint32_t k = 0; k < w->count; k++) {
		if (w->shards)
			tfr_writer_close(w->shards[k]);
		if (w->files)
			free(w->files[k]);
	}
	tfr_press_free(w->press);
	free(w->shards);
	free(w->files);
	tfr_set_name_clear(&w->name);
	free(w);
}

struct tfr_totals tfr_set_writer_totals(const struct tfr_set_writer *w)
{
	struct tfr_totals sum = { 0 };

	for (uint32_t k = 0; k < w->count; k++) {
		const struct tfr_totals *t;

		if (!w->shards[k])
			continue;
		t = tfr_writer_totals(w->shards[k]);
		sum.records += t->records;
		sum.payload_bytes += t->payload_bytes;
		sum.sum += t->sum;
		sum.file_bytes += t->file_bytes;
		sum.file_crc = w->count == 1 ? t->file_crc : 0;
	}
	return sum;
}
