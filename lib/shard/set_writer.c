/* shard/set_writer.c - record writers of a set that become visible together.
 *
 * Every shard is opened at the start, so that a target that cannot be written is reported before
 * any work is done.
 *
 * If there are more shards than descriptors, the first shards keep theirs and the others open their
 * file for each write.  Records arrive round-robin; for that order no other choice opens files less
 * often. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "codec/parallel_deflate.h"
#include "io/output.h"
#include "io/path.h"
#include "record/framing.h"
#include "shard/set_writer_state.h"
#include "thread/lanes.h"
#include "thread/threads.h"

/* --- other sets of that name --- */

static enum tfr_status refuse(const char *file, struct tfr_error *err)
{
	tfr_fail_path(err, TFR_EEXIST, file, "will not overwrite");
	tfr_error_hint(err, "Give -f to replace it.");
	return TFR_EEXIST;
}

static void warn_about(struct tfr_set_writer *w, const char *file)
{
	char text[4200];

	if (!w->warn)
		return;
	snprintf(text, sizeof(text),
		"a set with another number of shards remains beside this one: '%s'", file);
	w->warn(w->ctx, text);
}

/* In place of the listing, for those who may write and not list.  The conditions of the requests
 * protect every member; that of the first is found before the work is done. */
static enum tfr_status check_without_list(
	struct tfr_set_writer *w, const struct tfr_error *why, struct tfr_error *err)
{
	char reason[1024], text[1200];
	uint32_t first;
	struct stat st;

	if (w->warn) {
		tfr_error_format(why, reason, sizeof(reason));
		snprintf(text, sizeof(text),
			"a set with another number of shards would not be noticed: %s", reason);
		w->warn(w->ctx, text);
	}
	first = w->opts.parts && w->opts.part < w->count ? w->opts.part : 0;
	if (w->opts.force || tfr_stat(w->files[first], &st))
		return TFR_OK;
	return refuse(w->files[first], err);
}

/* Looks for base-NNNNN-of-MMMMM.ext with another M: readers that take "base-*" would mix the two.
 */
static enum tfr_status check_others(struct tfr_set_writer *w, struct tfr_error *err)
{
	TFR_AUTO_FREE char *pattern = tfr_asprintf("%s-*-of-*%s", w->name.base, w->name.extension);
	TFR_AUTO_NAMES found = { 0 };
	enum tfr_status status;
	struct tfr_shard_file f;
	struct tfr_error why = { 0 };

	TFR_NEED_MEMORY(pattern, err, "creating a set");
	status = tfr_glob(pattern, &found, &why);
	if (status && tfr_is_url(w->name.base) && why.sys_errno == EACCES)
		return check_without_list(w, &why, err);
	tfr_error_pass(&why, err);
	for (size_t i = 0; !status && i < found.n; i++) {
		const char *file = found.list[i];

		if (!tfr_shard_file_of(&w->name, file, &f))
			continue;
		if (f.count == w->name.count) {
			/* Opening an object does not ask whether it exists. */
			if (!tfr_is_url(file) || w->opts.force ||
				!tfr_set_writer_owns(w, f.shard))
				continue;
			status = refuse(file, err);
			break;
		}
		if (w->opts.force) {
			warn_about(w, file);
			break;
		}
		status = tfr_fail_path(
			err, TFR_EEXIST, file, "a set with another number of shards exists:");
		tfr_error_hint(err, "Readers that take a pattern would mix the two.  Remove it, or "
				    "give -f to keep both.");
	}
	return status;
}

/* --- shards --- */

/* Opens shard `shard`; the arrays already have its entry. */
static enum tfr_status open_shard(
	struct tfr_set_writer *w, uint32_t shard, struct tfr_unread *mark, struct tfr_error *err)
{
	TFR_AUTO_FREE char *temporary = NULL, *named = NULL;
	struct tfr_writer_how how = { .deflater = w->deflater,
		.brief = shard >= w->pinned,
		.mark = mark,
		.sealed = w->sealed };

	if (!w->fills)
		return tfr_writer_open_with(
			&w->shards[shard], w->files[shard], &w->opts, &how, err);
	temporary = tfr_asprintf("%s-%05u%s", w->name.base, shard, w->name.extension);
	named = w->sealed ? tfr_set_name_file(&w->name, shard) : NULL;
	if (!temporary || (w->sealed && !named))
		return tfr_fail_nomem(err, "creating a set");
	how.temporary = temporary;
	how.brief = false;
	return tfr_writer_open_with(&w->shards[shard], named, &w->opts, &how, err);
}

/* Whether records can be added. */
static enum tfr_status check_open(struct tfr_set_writer *w, struct tfr_error *err)
{
	TFR_TRY(tfr_latch_check(&w->failed, err));
	return w->sealed ? tfr_fail_path(err, TFR_EUSAGE, w->subject,
				   "nothing can be added to a complete set:")
			 : TFR_OK;
}

/* --- shards that fill one after another --- */

/* The sizes of the earlier records alone decide whether a record begins the next shard, so the
 * shards are the same for any number of threads.  A full shard frees its memory and its descriptor,
 * except the first, which has the lock. */

enum { SHARDS_MAX = 1000000 };

/* Opens the next shard. */
static enum tfr_status grow_set(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err)
{
	enum tfr_status status;

	if (w->count == SHARDS_MAX)
		return tfr_fail(err, TFR_EUSAGE, "the shard size is too small: more than %d shards",
			SHARDS_MAX);
	TFR_NEED_MEMORY(
		!TFR_ARRAY_RESERVE(w->shards, w->cap, w->count + 1u), err, "creating a set");
	w->shards[w->count] = NULL;
	status = open_shard(w, w->count, mark, err);
	if (!status)
		w->count++;
	w->bytes = w->records = 0;
	return status;
}

static enum tfr_status make_room(struct tfr_set_writer *w, uint64_t size, struct tfr_error *err)
{
	enum tfr_status status = check_open(w, err);

	if (!status && w->records &&
		((w->fill.records && w->records == w->fill.records) ||
			(w->fill.bytes && w->bytes + size > w->fill.bytes))) {
		status = tfr_writer_end(w->shards[w->count - 1], w->count - 1, err);
		if (!status)
			status = grow_set(w, NULL, err);
		tfr_latch_keep(&w->failed, status, err);
	}
	w->bytes += size;
	w->records++;
	return status;
}

enum tfr_status tfr_set_writer_append(struct tfr_set_writer *w, const struct iovec *pieces,
	int count, const struct tfr_digest *digest, struct tfr_error *err)
{
	TFR_TRY(make_room(w, digest->size + TFR_RECORD_OVERHEAD, err));
	return tfr_set_writer_put(w, w->count - 1, pieces, count, digest, err);
}

enum tfr_status tfr_set_writer_append_framed(struct tfr_set_writer *w, const struct iovec *piece,
	const struct tfr_totals *add, struct tfr_error *err)
{
	TFR_TRY(make_room(w, piece->iov_len, err));
	return tfr_set_writer_put_framed(w, w->count - 1, piece, 1, add, err);
}

/* Gives the shards their names when no more follow. */
static enum tfr_status name_shards(struct tfr_set_writer *w, struct tfr_error *err)
{
	enum tfr_status status;

	w->name.count = w->count;
	status = check_others(w, err);
	w->files = calloc(w->count, sizeof(*w->files));
	TFR_NEED_MEMORY(w->files, err, "creating a set");
	for (uint32_t k = 0; !status && k < w->count; k++) {
		w->files[k] = tfr_set_name_file(&w->name, k);
		status = w->files[k] ? tfr_writer_name(w->shards[k], w->files[k], err)
				     : tfr_fail_nomem(err, "creating a set");
	}
	return status;
}

/* --- marks --- */

/* The position of every shard of a set, so that another run can continue there.  A mark is taken
 * while no thread writes, after everything up to it is on disk.  So the temporaries always have at
 * least that much, and a run that resumes cuts off the rest. */

/* The head of the mark of a set; the marks of its open shards follow. */
struct head {
	uint32_t count;
	uint32_t sealed;
	uint64_t bytes, records; /* of the shard that fills now */
};

struct marking {
	struct tfr_set_writer *w;
	struct tfr_buf *all;
};

/* Each thread forces one shard to disk; the marks are joined in the order of the shards. */
static enum tfr_status mark_one(void *ctx, struct tfr_lanes_run *run, unsigned worker,
	uint64_t shard, void *slot, struct tfr_error *err)
{
	struct marking *m = ctx;
	struct tfr_buf *own = slot;

	(void)run;
	(void)worker;
	own->size = 0;
	return tfr_writer_mark_place(m->w->shards[shard], own, err);
}

static enum tfr_status add_one(void *ctx, uint64_t shard, void *slot, struct tfr_error *err)
{
	struct marking *m = ctx;
	struct tfr_buf *own = slot;

	(void)shard;
	return tfr_buf_append(m->all, own->data, own->size)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "noting what is written");
}

static void clear_slot(void *slot)
{
	tfr_buf_clear(slot);
}

enum tfr_status tfr_set_writer_mark(
	struct tfr_set_writer *w, struct tfr_buf *mark, struct tfr_error *err)
{
	struct head head = { w->count, w->sealed, w->bytes, w->records };
	struct marking m = { w, mark };
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(0),
		.count = w->count,
		.slot_size = sizeof(struct tfr_buf),
		.work = mark_one,
		.deliver = add_one,
		.clear_slot = clear_slot,
	};
	enum tfr_status status;

	TFR_NEED_MEMORY(tfr_buf_append(mark, &head, sizeof(head)), err, "noting what is written");
	status = tfr_lanes_run(&lanes, &m, err);
	/* The temporary names too. */
	return status || !w->lock ? status : tfr_sync_directory_of(tfr_lock_path(w->lock), err);
}

static enum tfr_status resume_filling(struct tfr_set_writer *w, const struct head *head,
	struct tfr_unread *mark, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	w->name.count = head->count; /* the number in the names, if the set was already sealed */
	while (!status && w->count < head->count) {
		status = grow_set(w, mark, err);
		if (!status && w->count < head->count)
			status = tfr_writer_end(w->shards[w->count - 1], w->count > 1, err);
	}
	return status;
}

/* Opens every shard at the position in a mark. */
static enum tfr_status resume_set(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	struct head head;

	if (!tfr_unread_copy(mark, &head, sizeof(head)) || !head.count ||
		(!w->fills && head.count != w->count))
		return tfr_fail(err, TFR_EDATA, "the saved state does not fit the set");
	w->sealed = head.sealed;
	if (w->fills)
		status = resume_filling(w, &head, mark, err);
	for (uint32_t k = 0; !w->fills && !status && k < w->count; k++)
		status = open_shard(w, k, mark, err);
	w->bytes = head.bytes;
	w->records = head.records;
	return status;
}

void tfr_set_writer_keep(struct tfr_set_writer *w)
{
	for (uint32_t k = 0; k < w->count; k++)
		tfr_writer_keep(w->shards[k]);
}

/* --- opening --- */

/* The buffers of all shards together take about this much. */
enum { BUFFERS_MAX = 64 << 20, BUFFER_MIN = 16 << 10, BUFFER_MAX = 256 << 10 };
enum { DESCRIPTORS_LEFT = 64 }; /* for inputs, one per thread, and other files */

static enum tfr_status name_files(
	struct tfr_set_writer *w, const char *target, struct tfr_error *err)
{
	enum tfr_status status = tfr_set_name_parse_target(&w->name, target, err);

	if (status != TFR_OK && status != TFR_END)
		return status;
	if (w->fills && !w->name.automatic)
		return tfr_fail(err, TFR_EUSAGE,
			"a set whose shards fill one after another is named like "
			"'train@auto.tfrecord', not '%s'",
			target);
	if (w->opts.parts && (w->fills || !w->name.base))
		return tfr_fail_hint(err, TFR_EUSAGE,
			"Parts write sets with a number of shards, such as "
			"'train@16.tfrecord'.",
			"'%s' cannot be written in parts", target);
	if (w->fills)
		return TFR_OK;
	if (w->name.automatic)
		return tfr_fail(err, TFR_EUSAGE, "'%s' needs a number of shards here", target);
	if (w->name.base && !w->name.count)
		return tfr_fail(err, TFR_EUSAGE,
			"'%s' names shards to read; an output needs their number", target);
	w->count = w->name.base ? w->name.count : 1;
	w->files = calloc(w->count, sizeof(*w->files));
	w->shards = calloc(w->count, sizeof(*w->shards));
	TFR_NEED_MEMORY(w->files && w->shards, err, "creating a set");
	for (uint32_t k = 0; k < w->count; k++) {
		w->files[k] = w->name.base ? tfr_set_name_file(&w->name, k) : strdup(target);
		TFR_NEED_MEMORY(w->files[k], err, "creating a set");
	}
	return TFR_OK;
}

/* The number of shards that may keep their descriptor: half of the free ones, so that the next set
 * gets some too. */
static uint32_t free_descriptors(void)
{
	struct rlimit limit;
	DIR *open_ones = opendir("/proc/self/fd");
	uint64_t used = DESCRIPTORS_LEFT;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		limit.rlim_cur = UINT32_MAX;
	while (open_ones && readdir(open_ones))
		used++;
	if (open_ones)
		closedir(open_ones);
	if (limit.rlim_cur < used + 2)
		return 1;
	return limit.rlim_cur - used < UINT32_MAX ? (uint32_t)(limit.rlim_cur - used) / 2
						  : UINT32_MAX;
}

/* Checks a shard that is opened later, so that an error is reported now. */
static enum tfr_status check_later(struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err)
{
	enum tfr_status status = open_shard(w, shard, NULL, err);

	tfr_writer_close(w->shards[shard]);
	w->shards[shard] = NULL;
	return status;
}

/* Divides the memory among the shards that are written at a time. */
static enum tfr_status prepare(struct tfr_set_writer *w, uint32_t at_once, struct tfr_error *err)
{
	size_t share = BUFFERS_MAX / at_once;

	w->pinned = free_descriptors();
	if (!w->opts.buffer_size)
		w->opts.buffer_size = share < BUFFER_MIN   ? BUFFER_MIN
				      : share > BUFFER_MAX ? BUFFER_MAX
							   : share;
	return tfr_writer_deflater(
		&w->deflater, &w->opts, w->fills ? w->name.extension : w->files[0], at_once, err);
}

static enum tfr_status open_files(
	struct tfr_set_writer *w, const struct tfr_set_how *how, struct tfr_error *err)
{
	uint32_t now = how->open_now && how->open_now < w->count ? how->open_now : w->count;
	uint32_t own = w->opts.parts ? now / w->opts.parts + 1 : now;
	enum tfr_status status = prepare(w, w->fills ? 1 : own, err);

	if (!status && how->mark)
		return resume_set(w, how->mark, err);
	if (!status && w->fills)
		return grow_set(w, NULL, err);
	for (uint32_t k = 0; !status && k < w->count; k++)
		if (tfr_set_writer_owns(w, k))
			status = k < now ? open_shard(w, k, NULL, err) : check_later(w, k, err);
	return status;
}

enum tfr_status tfr_set_writer_open_as(struct tfr_set_writer **out, const char *target,
	const struct tfr_writer_opts *opts, const struct tfr_set_how *how,
	void (*warn)(void *ctx, const char *text), void *ctx, struct tfr_error *err)
{
	static const struct tfr_writer_opts defaults;
	struct tfr_set_writer *w = calloc(1, sizeof(*w));
	enum tfr_status status;

	TFR_NEED_MEMORY(w, err, "creating a set");
	w->opts = opts ? *opts : defaults;
	w->fills = how->fill;
	if (how->fill)
		w->fill = *how->fill;
	w->warn = warn;
	w->ctx = ctx;
	w->subject = strdup(target);
	status = w->subject ? name_files(w, target, err) : tfr_fail_nomem(err, "creating a set");
	if (!status && w->opts.parts)
		status = tfr_set_part_open(w, how->terms, err);
	if (!status)
		status = tfr_set_writer_lock(w, target, how->mark, err);
	/* A set that fills has no number of shards yet; other sets beside it are reported when it
	 * is sealed. */
	if (!status && w->name.base && !how->mark && !(w->fills && w->opts.force))
		status = check_others(w, err);
	if (!status && w->count > 1) /* shards are of about one size */
		w->opts.expected = w->opts.expected / w->count / 4 * 5;
	if (!status)
		status = open_files(w, how, err);
	if (status)
		tfr_set_writer_close(w);
	else
		*out = w;
	return status;
}

enum tfr_status tfr_set_writer_open(struct tfr_set_writer **w, const char *target,
	const struct tfr_writer_opts *opts, void (*warn)(void *ctx, const char *text), void *ctx,
	struct tfr_error *err)
{
	static const struct tfr_set_how plainly;

	return tfr_set_writer_open_as(w, target, opts, &plainly, warn, ctx, err);
}

uint32_t tfr_set_writer_shards(const struct tfr_set_writer *w)
{
	return w->count;
}

enum tfr_status tfr_set_writer_put(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_digest *digest,
	struct tfr_error *err)
{
	TFR_TRY(check_open(w, err));
	assert(shard < w->count && w->shards[shard]); /* shards without a descriptor are framed */
	return tfr_latch_keep(&w->failed,
		tfr_writer_put_pieces(w->shards[shard], pieces, count, digest, err), err);
}

bool tfr_set_writer_owns(const struct tfr_set_writer *w, uint32_t shard)
{
	return !w->opts.parts || shard % w->opts.parts == w->opts.part;
}

uint32_t tfr_set_writer_filling(const struct tfr_set_writer *w)
{
	assert(w->fills && w->count);
	return w->count - 1;
}

uint64_t tfr_set_writer_records(const struct tfr_set_writer *w, uint32_t shard)
{
	assert(shard < w->count);
	return w->shards[shard] ? tfr_writer_totals(w->shards[shard])->records : 0;
}

enum tfr_status tfr_set_writer_put_framed(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_totals *add, struct tfr_error *err)
{
	enum tfr_status status;

	assert(shard < w->count);
	TFR_TRY(check_open(w, err));
	status = w->shards[shard] ? TFR_OK : open_shard(w, shard, NULL, err);
	if (!status)
		status = tfr_writer_put_framed(w->shards[shard], pieces, count, add, err);
	return tfr_latch_keep(&w->failed, status, err);
}

enum tfr_status tfr_set_writer_finish(
	struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err)
{
	TFR_TRY(w->shards[shard] ? TFR_OK : open_shard(w, shard, NULL, err));
	return tfr_writer_finish(w->shards[shard], err);
}

static enum tfr_status seal_one(void *ctx, struct tfr_lanes_run *crew, unsigned worker,
	uint64_t shard, void *slot, struct tfr_error *err)
{
	struct tfr_set_writer *w = ctx;

	(void)crew;
	(void)worker;
	(void)slot;
	assert(shard < w->count);
	if (!tfr_set_writer_owns(w, (uint32_t)shard))
		return TFR_OK;
	if (!w->shards[shard]) { /* it got no record */
		enum tfr_status status = tfr_set_writer_finish(w, (uint32_t)shard, err);

		if (status)
			return status;
	}
	return tfr_writer_seal(w->shards[shard], err);
}

char *tfr_set_writer_beside(const struct tfr_set_writer *w, const char *what)
{
	if (w->name.base)
		return tfr_set_name_beside(&w->name, what);
	return tfr_file_name_beside(w->files[0], what);
}

bool tfr_set_writer_is_named(const struct tfr_set_writer *w)
{
	return w->files;
}

enum tfr_status tfr_set_writer_flush(struct tfr_set_writer *w, struct tfr_error *err)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (w->shards[i])
			TFR_TRY(tfr_writer_flush(w->shards[i], err));
	return TFR_OK;
}

enum tfr_status tfr_set_writer_seal(struct tfr_set_writer *w, struct tfr_error *err)
{
	struct tfr_lanes sealing = {
		.threads = tfr_thread_count(0), .count = w->count, .work = seal_one
	};

	enum tfr_status status = TFR_OK;

	if (w->fills && !w->files)
		status = name_shards(w, err);
	if (!status)
		status = tfr_lanes_run(&sealing, w, err);
	w->sealed = !status;
	return tfr_latch_keep(&w->failed, status, err);
}

void tfr_set_writer_close(struct tfr_set_writer *w)
{
	if (!w)
		return;
	tfr_lock_close(w->lock);
	for (uint32_t k = 0; k < w->n_company; k++)
		free(w->company[k].path);
	free(w->company);
	free(w->subject);
	for (uint32_t k = 0; k < w->count; k++) {
		if (w->shards)
			tfr_writer_close(w->shards[k]);
		if (w->files)
			free(w->files[k]);
	}
	tfr_parallel_deflate_free(w->deflater);
	free(w->note_path);
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
