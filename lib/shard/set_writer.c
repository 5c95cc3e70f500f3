/* shard/set_writer.c - record writers of a set that become visible together.
 *
 * Every shard is opened at the start, so that a target that cannot be written is reported before
 * any work is done.  The target is locked: all sets with one base name and one extension share a
 * lock, whatever their number of shards, since readers that take a pattern would mix them.  A part
 * has a lock of its own.
 *
 * If there are more shards than descriptors, the first shards keep theirs and the others open their
 * file for each write.  Records arrive round-robin; for that order no other choice opens files less
 * often.
 *
 * Publishing lists the shards, the files beside them and the manifest that proves the set complete;
 * shard/publication.c carries out the steps. */
#include "shard/set_writer.h"

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
#include "base/cleanup.h"
#include "base/error.h"
#include "base/latch.h"
#include "base/suffix.h"
#include "codec/parallel_deflate.h"
#include "io/object.h"
#include "io/output.h"
#include "io/path.h"
#include "io/temporaries.h"
#include "record/framing.h"
#include "record/writer.h"
#include "shard/manifests.h"
#include "shard/publication.h"
#include "shard/set_name.h"
#include "thread/lanes.h"
#include "thread/threads.h"

/* A file that is published with the set. */
struct companion {
	struct tfr_output *file;
	char *path; /* not NULL: this file is removed */
	bool proof;
};

struct tfr_set_writer {
	struct tfr_set_name name; /* base NULL: a single file */
	char *subject;		  /* the name that the caller gave */
	struct tfr_lock *lock;	  /* NULL: a stream, objects or a dry run, which need no lock */
	bool named;		  /* files or objects, and no dry run */
	struct companion *company;
	uint32_t n_company;
	struct tfr_writer **shards;
	char **files; /* of a set that fills: NULL until it is sealed */
	uint32_t count;
	size_t cap;
	uint32_t pinned; /* shards from here on hold no descriptor between writes */
	struct tfr_writer_opts opts;
	struct tfr_parallel_deflate *deflater; /* shared by all shards */
	bool sealed, published;
	struct tfr_latch failed; /* records are missing, or the set could not be published */
	void (*warn)(void *ctx, const char *text);
	void *ctx;

	/* Of a part (struct tfr_writer_opts): */
	char *note_path;
	bool repeats; /* the part has a note already: its shards are replaced */
	const struct tfr_part_tally *tally;
	const char *labels;

	bool fills;
	struct tfr_set_fill fill;
	uint64_t bytes, records; /* of the shard that fills now */
};

bool tfr_set_writer_owns(const struct tfr_set_writer *w, uint32_t shard)
{
	return !w->opts.parts || shard % w->opts.parts == w->opts.part;
}

/* --- other sets of that name --- */

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
	if (w->opts.force || !w->files || tfr_stat(w->files[first], &st))
		return TFR_OK;
	return tfr_fail_exists(err, w->files[first]);
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
	if (status)
		return tfr_error_pass(&why, err);
	for (size_t i = 0; i < found.n; i++) {
		const char *file = found.list[i];

		if (!tfr_shard_file_of(&w->name, file, &f))
			continue;
		if (f.count == w->name.count) {
			/* Opening an object does not ask whether it exists. */
			if (tfr_is_url(file) && !w->opts.force && tfr_set_writer_owns(w, f.shard))
				return tfr_fail_exists(err, file);
			continue;
		}
		if (w->opts.force) {
			warn_about(w, file);
			break;
		}
		tfr_fail_path(err, TFR_EEXIST, file, "a set with another number of shards exists:");
		tfr_error_hint(err, "Readers that take a pattern would mix the two.  Remove it, or "
				    "give -f to keep both.");
		return TFR_EEXIST;
	}
	return TFR_OK;
}

/* --- the files of killed runs --- */

/* Parses the name of a shard, with the number of shards or, while a set fills, without it.  False:
 * not such a name. */
static bool parse_member(const char *stem, struct tfr_shard_file *f)
{
	const char *dash;

	if (tfr_shard_file_parse(stem, f))
		return true;
	for (dash = strchr(stem, '-'); dash; dash = strchr(dash + 1, '-')) {
		size_t digits = strspn(dash + 1, "0123456789");

		if (digits < 5 || (dash[1 + digits] && dash[1 + digits] != '.'))
			continue;
		f->base_size = (size_t)(dash - stem);
		f->extension = dash + 1 + digits;
		return true;
	}
	return false;
}

/* Whether a name is that of `file`, or of a shard of the set with any number of shards. */
static bool is_member(const struct tfr_set_writer *w, const char *file, const char *stem)
{
	const char *base = w->name.base ? tfr_base_name(w->name.base) : NULL;
	struct tfr_shard_file f;

	if (!base)
		return !strcmp(stem, file);
	return parse_member(stem, &f) && f.base_size == strlen(base) &&
	       !memcmp(stem, base, f.base_size) && !strcmp(f.extension, w->name.extension);
}

bool tfr_temporary_is_written(const char *path)
{
	TFR_AUTO_FREE char *folder = tfr_folder_of(path), *target = NULL, *name = NULL;
	const char *stem;
	struct tfr_shard_file f;
	bool old;

	name = strdup(tfr_base_name(path));
	stem = name ? tfr_hidden_stem(name, &old) : NULL;
	if (!folder || !stem)
		return false;
	target = tfr_asprintf("%s/%.*s%s", folder,
		parse_member(stem, &f) ? (int)f.base_size : (int)strlen(stem), stem,
		parse_member(stem, &f) ? f.extension : "");
	return target && tfr_lock_is_locked(target);
}

/* Whether a member of the set is a shard of this part. */
static bool is_own(const struct tfr_set_writer *w, const char *stem)
{
	struct tfr_shard_file f;

	return tfr_shard_file_parse(stem, &f) && f.count == w->count &&
	       tfr_set_writer_owns(w, f.shard);
}

/* Removes the hidden file `name` of a folder if a killed run of this set, or part, has left it. */
static enum tfr_status remove_leftover(const struct tfr_set_writer *w, const char *target,
	const char *folder, char *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL;
	const char *stem;
	struct stat st;
	bool old;

	if (name[0] != '.')
		return TFR_OK;
	path = tfr_asprintf("%s/%s", folder, name);
	TFR_NEED_MEMORY(path, err, "creating a set");
	stem = tfr_hidden_stem(name, &old);
	if (!stem || !is_member(w, tfr_base_name(target), stem) ||
		(w->opts.parts && !is_own(w, stem)))
		return TFR_OK;
	if (!old)
		tfr_left_file_remove(path);
	else if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		unlink(path); /* replaced by a set that was published: it has no journal */
	return TFR_OK;
}

static enum tfr_status remove_leftovers(
	const struct tfr_set_writer *w, const char *target, struct tfr_error *err)
{
	const char *folder = tfr_lock_folder(w->lock);
	DIR *d = opendir(folder);
	enum tfr_status status = TFR_OK;
	struct dirent *entry;

	if (!d) /* it may be writable but not readable */
		return TFR_OK;
	while (!status && (entry = readdir(d)))
		status = remove_leftover(w, target, folder, entry->d_name, err);
	closedir(d);
	return status;
}

/* --- the lock --- */

/* The path that names the lock file of a set: "out/train.tfrecord" for train@16.tfrecord and every
 * other number of shards.  The caller frees it; NULL: out of memory. */
static char *target_of(const struct tfr_set_name *name)
{
	return tfr_asprintf("%s%s", name->base, name->extension);
}

static bool is_stream(const char *target)
{
	struct stat st;

	return tfr_path_is_stdout(target) ||
	       (!tfr_is_url(target) && tfr_stat(target, &st) == 0 && !S_ISREG(st.st_mode));
}

void tfr_set_recover(const char *target, struct tfr_temporaries *temporaries,
	void (*warn)(void *ctx, const char *text), void *ctx)
{
	const struct tfr_lock_opts opts = { target, temporaries, warn, ctx };
	TFR_AUTO_SET_NAME name = { 0 };
	TFR_AUTO_FREE char *path = NULL, *file = NULL;
	struct tfr_lock *lock = NULL;
	enum tfr_status status = tfr_set_name_parse(&name, target, NULL);

	if ((status && status != TFR_END) || tfr_is_url(target))
		return;
	path = name.base ? target_of(&name) : strdup(target);
	file = path ? tfr_hidden_name(path, 0, "lock") : NULL;
	if (file && access(file, F_OK) == 0 && !tfr_lock_open(&lock, path, &opts, NULL))
		tfr_lock_close(lock);
}

/* Locks the target and, unless a run is resumed, removes the files of killed runs. */
static enum tfr_status lock_target(
	struct tfr_set_writer *w, const char *target, bool resumes, struct tfr_error *err)
{
	const struct tfr_lock_opts opts = { w->subject, w->opts.temporaries, w->warn, w->ctx };
	TFR_AUTO_FREE char *path = w->note_path	  ? strdup(w->note_path)
				   : w->name.base ? target_of(&w->name)
						  : strdup(target);

	TFR_NEED_MEMORY(path, err, "creating a set");
	if (w->opts.dry_run || (!w->name.base && is_stream(target)))
		return TFR_OK;
	w->named = true;
	/* An object appears in one step, and an unfinished upload has no name. */
	if (tfr_is_url(target))
		return TFR_OK;
	TFR_TRY(tfr_lock_open(&w->lock, path, &opts, err));
	return resumes ? TFR_OK : remove_leftovers(w, target, err);
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

/* Opens a shard that was only checked so far. */
static enum tfr_status need_shard(struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err)
{
	return w->shards[shard] ? TFR_OK : open_shard(w, shard, NULL, err);
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

/* Opens the next shard. */
static enum tfr_status grow_set(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err)
{
	if (w->count == TFR_SHARDS_MAX)
		return tfr_fail(err, TFR_EUSAGE, "the shard size is too small: more than %d shards",
			TFR_SHARDS_MAX);
	TFR_NEED_MEMORY(
		!TFR_ARRAY_RESERVE(w->shards, w->cap, w->count + 1u), err, "creating a set");
	w->shards[w->count] = NULL;
	w->bytes = w->records = 0;
	TFR_TRY(open_shard(w, w->count, mark, err));
	w->count++;
	return TFR_OK;
}

static enum tfr_status begin_next_shard(struct tfr_set_writer *w, struct tfr_error *err)
{
	TFR_TRY(tfr_writer_end(w->shards[w->count - 1], w->count - 1, err));
	return grow_set(w, NULL, err);
}

/* Begins the next shard if a framed record of `size` bytes does not belong in this one. */
static enum tfr_status make_room(struct tfr_set_writer *w, uint64_t size, struct tfr_error *err)
{
	TFR_TRY(check_open(w, err));
	if (w->records && ((w->fill.records && w->records == w->fill.records) ||
				  (w->fill.bytes && w->bytes + size > w->fill.bytes)))
		TFR_TRY(tfr_latch_keep(&w->failed, begin_next_shard(w, err), err));
	w->bytes += size;
	w->records++;
	return TFR_OK;
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
	w->name.count = w->count;
	w->files = calloc(w->count, sizeof(*w->files));
	TFR_NEED_MEMORY(w->files, err, "creating a set");
	TFR_TRY(check_others(w, err));
	for (uint32_t k = 0; k < w->count; k++) {
		w->files[k] = tfr_set_name_file(&w->name, k);
		TFR_NEED_MEMORY(w->files[k], err, "creating a set");
		TFR_TRY(tfr_writer_name(w->shards[k], w->files[k], err));
	}
	return TFR_OK;
}

/* --- marks --- */

/* The position of every shard of a set, so that another run can continue there.  A mark is taken
 * while no thread writes, after everything up to it is on disk.  So the temporaries always have at
 * least that much, and a run that resumes cuts off the rest. */

/* The head of the mark of a set; the marks of its open shards follow. */
struct mark_head {
	uint32_t count;
	uint32_t sealed;
	uint64_t bytes, records; /* of the shard that fills now */
};

struct marking {
	struct tfr_set_writer *w;
	struct tfr_buf *all;
};

/* Each thread forces one shard to disk; the marks are joined in the order of the shards. */
static enum tfr_status mark_shard(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t shard, void *slot, struct tfr_error *err)
{
	struct marking *m = ctx;
	struct tfr_buf *own = slot;

	(void)lanes;
	(void)worker;
	own->size = 0;
	return tfr_writer_mark_place(m->w->shards[shard], own, err);
}

static enum tfr_status append_mark(void *ctx, uint64_t shard, void *slot, struct tfr_error *err)
{
	struct marking *m = ctx;
	struct tfr_buf *own = slot;

	(void)shard;
	return tfr_buf_append(m->all, own->data, own->size)
		       ? TFR_OK
		       : tfr_fail_nomem(err, "noting what is written");
}

static void clear_mark(void *slot)
{
	tfr_buf_clear(slot);
}

enum tfr_status tfr_set_writer_mark(
	struct tfr_set_writer *w, struct tfr_buf *mark, struct tfr_error *err)
{
	struct mark_head head = { w->count, w->sealed, w->bytes, w->records };
	struct marking m = { w, mark };
	struct tfr_lanes lanes = {
		.threads = tfr_thread_count(0),
		.count = w->count,
		.slot_size = sizeof(struct tfr_buf),
		.work = mark_shard,
		.deliver = append_mark,
		.clear_slot = clear_mark,
	};

	TFR_NEED_MEMORY(tfr_buf_append(mark, &head, sizeof(head)), err, "noting what is written");
	TFR_TRY(tfr_lanes_run(&lanes, &m, err));
	/* The temporary names too. */
	return w->lock ? tfr_sync_directory_of(tfr_lock_path(w->lock), err) : TFR_OK;
}

static enum tfr_status resume_filling(struct tfr_set_writer *w, const struct mark_head *head,
	struct tfr_unread *mark, struct tfr_error *err)
{
	w->name.count = head->count; /* the number in the names, if the set was already sealed */
	while (w->count < head->count) {
		TFR_TRY(grow_set(w, mark, err));
		if (w->count < head->count)
			TFR_TRY(tfr_writer_end(w->shards[w->count - 1], w->count > 1, err));
	}
	return TFR_OK;
}

/* Opens every shard at the position in a mark. */
static enum tfr_status resume_set(
	struct tfr_set_writer *w, struct tfr_unread *mark, struct tfr_error *err)
{
	struct mark_head head;

	if (!tfr_unread_copy(mark, &head, sizeof(head)) || !head.count ||
		(!w->fills && head.count != w->count))
		return tfr_fail(err, TFR_EDATA, "the saved state does not fit the set");
	w->sealed = head.sealed;
	if (w->fills)
		TFR_TRY(resume_filling(w, &head, mark, err));
	for (uint32_t k = 0; !w->fills && k < w->count; k++)
		TFR_TRY(open_shard(w, k, mark, err));
	w->bytes = head.bytes;
	w->records = head.records;
	return TFR_OK;
}

void tfr_set_writer_keep(struct tfr_set_writer *w)
{
	for (uint32_t k = 0; k < w->count; k++)
		tfr_writer_keep(w->shards[k]);
}

/* --- the note of a part --- */

/* A part writes the shards part, part + parts, ... of a set, and a note beside them.
 *
 * The note is a manifest of these shards (shard/manifest.c).  It is published with them, as the
 * file that commits them, under a lock of the part.  So parts exchange no data, and a killed part
 * leaves either all of its shards and its note, or the files that existed before.
 *
 * Objects have no journal.  Before the first one appears, a note without shards claims their names,
 * so that a part that was killed in between recognizes them as its own when it runs again. */

/* Finds what the part has written before.  TFR_EUSAGE: it had other options or inputs than `terms`,
 * which may be NULL, and opts.force is not set. */
static enum tfr_status open_part(
	struct tfr_set_writer *w, const struct tfr_set_info *terms, struct tfr_error *err)
{
	TFR_AUTO_MANIFEST m = NULL;
	enum tfr_status status;

	w->note_path = tfr_set_name_note(&w->name, w->opts.part, w->opts.parts);
	TFR_NEED_MEMORY(w->note_path, err, "creating a set");
	status = tfr_manifest_look(w->note_path, w->count, &m, err);
	if (status == TFR_END)
		return TFR_OK;
	if (status == TFR_EDATA && !w->opts.force) {
		tfr_fail_path(err, TFR_EDATA, w->note_path, "the note of this part is damaged:");
		tfr_error_hint(err, "Give -f to replace it and its shards.");
		return TFR_EDATA;
	}
	if (status != TFR_EDATA)
		TFR_TRY(status);
	if (m && terms && terms->options && !w->opts.force &&
		tfr_terms_compare(m, terms, "the earlier run of this part", err)) {
		tfr_error_hint(err, "Give -f to replace its shards.");
		return TFR_EUSAGE;
	}
	w->repeats = w->opts.force = true;
	return TFR_OK;
}

void tfr_set_writer_tally(
	struct tfr_set_writer *w, const struct tfr_part_tally *tally, const char *labels)
{
	w->tally = tally;
	w->labels = labels;
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
static enum tfr_status divide_memory(
	struct tfr_set_writer *w, uint32_t at_once, struct tfr_error *err)
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

static enum tfr_status open_shards(
	struct tfr_set_writer *w, const struct tfr_set_how *how, struct tfr_error *err)
{
	uint32_t now = how->open_now && how->open_now < w->count ? how->open_now : w->count;
	uint32_t own = w->opts.parts ? now / w->opts.parts + 1 : now;

	TFR_TRY(divide_memory(w, w->fills ? 1 : own, err));
	if (how->mark)
		return resume_set(w, how->mark, err);
	if (w->fills)
		return grow_set(w, NULL, err);
	for (uint32_t k = 0; k < w->count; k++)
		if (tfr_set_writer_owns(w, k))
			TFR_TRY(k < now ? open_shard(w, k, NULL, err) : check_later(w, k, err));
	return TFR_OK;
}

static enum tfr_status open_target(struct tfr_set_writer *w, const char *target,
	const struct tfr_set_how *how, struct tfr_error *err)
{
	w->subject = strdup(target);
	TFR_NEED_MEMORY(w->subject, err, "creating a set");
	TFR_TRY(name_files(w, target, err));
	if (w->opts.parts)
		TFR_TRY(open_part(w, how->terms, err));
	TFR_TRY(lock_target(w, target, how->mark, err));
	/* A set that fills has no number of shards yet; other sets beside it are reported when it
	 * is sealed. */
	if (w->name.base && !how->mark && !(w->fills && w->opts.force))
		TFR_TRY(check_others(w, err));
	if (w->count > 1) /* shards are of about one size */
		w->opts.expected = w->opts.expected / w->count / 4 * 5;
	return open_shards(w, how, err);
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
	status = open_target(w, target, how, err);
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

/* --- writing --- */

enum tfr_status tfr_set_writer_put(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_digest *digest,
	struct tfr_error *err)
{
	TFR_TRY(check_open(w, err));
	assert(shard < w->count && w->shards[shard]); /* shards without a descriptor are framed */
	return tfr_latch_keep(&w->failed,
		tfr_writer_put_pieces(w->shards[shard], pieces, count, digest, err), err);
}

enum tfr_status tfr_set_writer_put_framed(struct tfr_set_writer *w, uint32_t shard,
	const struct iovec *pieces, int count, const struct tfr_totals *add, struct tfr_error *err)
{
	enum tfr_status status;

	assert(shard < w->count);
	TFR_TRY(check_open(w, err));
	status = need_shard(w, shard, err);
	if (!status)
		status = tfr_writer_put_framed(w->shards[shard], pieces, count, add, err);
	return tfr_latch_keep(&w->failed, status, err);
}

enum tfr_status tfr_set_writer_finish(
	struct tfr_set_writer *w, uint32_t shard, struct tfr_error *err)
{
	TFR_TRY(need_shard(w, shard, err));
	return tfr_writer_finish(w->shards[shard], err);
}

enum tfr_status tfr_set_writer_flush(struct tfr_set_writer *w, struct tfr_error *err)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (w->shards[i])
			TFR_TRY(tfr_writer_flush(w->shards[i], err));
	return TFR_OK;
}

static enum tfr_status seal_shard(void *ctx, struct tfr_lanes_run *lanes, unsigned worker,
	uint64_t shard, void *slot, struct tfr_error *err)
{
	struct tfr_set_writer *w = ctx;

	(void)lanes;
	(void)worker;
	(void)slot;
	assert(shard < w->count);
	if (!tfr_set_writer_owns(w, (uint32_t)shard))
		return TFR_OK;
	if (!w->shards[shard]) /* it got no record */
		TFR_TRY(tfr_set_writer_finish(w, (uint32_t)shard, err));
	return tfr_writer_seal(w->shards[shard], err);
}

static enum tfr_status seal_shards(struct tfr_set_writer *w, struct tfr_error *err)
{
	struct tfr_lanes sealing = {
		.threads = tfr_thread_count(0), .count = w->count, .work = seal_shard
	};

	if (w->fills && !w->files)
		TFR_TRY(name_shards(w, err));
	return tfr_lanes_run(&sealing, w, err);
}

enum tfr_status tfr_set_writer_seal(struct tfr_set_writer *w, struct tfr_error *err)
{
	enum tfr_status status = seal_shards(w, err);

	w->sealed = !status;
	return tfr_latch_keep(&w->failed, status, err);
}

/* --- what is written --- */

uint32_t tfr_set_writer_shards(const struct tfr_set_writer *w)
{
	return w->count;
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

/* --- manifests and notes --- */

/* Writes and seals the manifest of a set or a file, or the note of a part: with the shards that
 * this process owns. */
static enum tfr_status write_proof(struct tfr_set_writer *w, const struct tfr_set_info *info,
	struct tfr_output **out, struct tfr_error *err)
{
	const struct tfr_output_opts opts = { .force = true, .temporaries = w->opts.temporaries };
	TFR_AUTO_FREE struct tfr_manifest_shard *shards = calloc(w->count, sizeof(*shards));
	TFR_AUTO_FREE char *path =
		w->opts.parts ? strdup(w->note_path) : tfr_set_writer_beside(w, "manifest.json");
	struct tfr_part_note note = {
		.part = w->opts.part, .parts = w->opts.parts, .labels = (char *)(uintptr_t)w->labels
	};
	struct tfr_manifest m = { .shards = shards, .note = w->opts.parts ? &note : NULL };
	TFR_AUTO_BUF text = { 0 };

	TFR_NEED_MEMORY(shards && path, err, "publishing a set");
	if (w->tally)
		note.tally = *w->tally;
	for (uint32_t k = 0; k < w->count; k++) {
		const struct tfr_totals *t;

		if (!w->shards[k])
			continue;
		t = tfr_writer_totals(w->shards[k]);
		m.payload_bytes += t->payload_bytes;
		shards[m.count++] = (struct tfr_manifest_shard){
			.name = (char *)(uintptr_t)tfr_base_name(w->files[k]),
			.records = t->records,
			.bytes = t->file_bytes,
			.sum = t->sum,
			.crc = t->file_crc,
			.mtime = tfr_writer_mtime(w->shards[k]),
		};
	}
	TFR_TRY(tfr_manifest_format(&text, &m, info, err));
	TFR_TRY(tfr_output_open(out, path, &opts, err));
	TFR_TRY(tfr_output_write(*out, text.data, text.size, err));
	return tfr_output_seal(*out, err);
}

/* The manifest of another run does not describe the shards that this part publishes. */
static enum tfr_status remove_manifest(
	const struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = tfr_set_name_manifest(&w->name);
	TFR_AUTO_MANIFEST m = NULL;
	enum tfr_status status;

	TFR_NEED_MEMORY(path, err, "publishing a set");
	status = tfr_manifest_look(path, w->count, &m, err);
	if (status == TFR_END)
		return TFR_OK;
	if (status != TFR_EDATA)
		TFR_TRY(status);
	if (!status && info->options && !tfr_terms_compare(m, info, "", NULL))
		return TFR_OK;
	if (w->opts.force)
		return tfr_file_remove(path, err);
	tfr_fail_path(err, TFR_EEXIST, path, "another run wrote");
	tfr_error_hint(err, "Give -f to replace its set.");
	return TFR_EEXIST;
}

static enum tfr_status claim_objects(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	const struct tfr_output_opts opts = { .force = false };
	struct tfr_part_note own = { .part = w->opts.part, .parts = w->opts.parts };
	struct tfr_manifest m = { .note = &own };
	TFR_AUTO_BUF text = { 0 };

	if (w->repeats || !tfr_is_url(w->note_path))
		return TFR_OK;
	TFR_TRY(tfr_manifest_format(&text, &m, info, err));
	return tfr_output_whole(w->note_path, &opts, text.data, text.size, err);
}

/* --- companion files --- */

enum tfr_status tfr_set_writer_company(
	struct tfr_set_writer *w, struct tfr_output *file, bool proof, struct tfr_error *err)
{
	TFR_NEED_MEMORY(!TFR_ARRAY_ONE_MORE(w->company, w->n_company), err, "publishing a set");
	w->company[w->n_company++] = (struct companion){ .file = file, .proof = proof };
	return TFR_OK;
}

enum tfr_status tfr_set_writer_withdraw(
	struct tfr_set_writer *w, const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *copy = strdup(path);

	TFR_NEED_MEMORY(copy, err, "publishing a set");
	TFR_TRY(tfr_set_writer_company(w, NULL, false, err));
	w->company[w->n_company - 1].path = TFR_STEAL(copy);
	return TFR_OK;
}

/* Adds the companions that are proofs, or those that are not. */
static enum tfr_status publish_company(struct tfr_publication *p, const struct tfr_set_writer *w,
	bool proof, struct tfr_error *err)
{
	const enum tfr_publication_role role = proof ? TFR_PUBLISH_PROOF : TFR_PUBLISH_MEMBER;

	for (uint32_t k = 0; k < w->n_company; k++) {
		const struct companion *one = &w->company[k];

		if (one->proof == proof)
			TFR_TRY(one->path ? tfr_publication_withdraw(
						    p, one->path, TFR_PUBLISH_MEMBER, err)
					  : tfr_publication_add(p, one->file, role, err));
	}
	return TFR_OK;
}

/* --- publishing --- */

/* A set has a manifest; a single file has one if it records which run wrote it. */
static bool has_manifest(const struct tfr_set_writer *w, const struct tfr_set_info *info)
{
	return w->named && (w->name.base || info->options);
}

/* Adds the shards and the files beside them. */
static enum tfr_status add_members(struct tfr_publication *p, struct tfr_set_writer *w,
	const struct tfr_set_info *info, struct tfr_error *err)
{
	TFR_TRY(publish_company(p, w, false, err));
	for (uint32_t k = 0; has_manifest(w, info) && k < w->count; k++)
		if (tfr_set_writer_owns(w, k))
			TFR_TRY(tfr_publication_add(
				p, tfr_writer_output(w->shards[k]), TFR_PUBLISH_MEMBER, err));
	return TFR_OK;
}

/* Removes a manifest under the name of version 0.1.0, if it belongs to this set. */
static enum tfr_status withdraw_former(
	struct tfr_publication *p, const struct tfr_set_name *name, struct tfr_error *err)
{
	TFR_AUTO_FREE char *path = NULL, *own = tfr_set_name_manifest(name);
	TFR_AUTO_MANIFEST old = NULL;
	enum tfr_status status;

	TFR_NEED_MEMORY(own, err, "publishing a set");
	status = tfr_manifest_find(name, &old, &path, err);
	if (status == TFR_ENOMEM)
		return status;
	if (status == TFR_END || !path || !strcmp(path, own))
		return TFR_OK;
	return tfr_publication_withdraw(p, path, TFR_PUBLISH_PROOF, err);
}

/* The file of records is the commit point; an old manifest no longer describes it. */
static enum tfr_status add_file(
	struct tfr_publication *p, struct tfr_set_writer *w, struct tfr_error *err)
{
	TFR_AUTO_FREE char *manifest = tfr_set_writer_beside(w, "manifest.json");

	TFR_NEED_MEMORY(manifest, err, "publishing a file");
	TFR_TRY(tfr_publication_withdraw(p, manifest, TFR_PUBLISH_PROOF, err));
	return tfr_publication_add(p, tfr_writer_output(w->shards[0]), TFR_PUBLISH_LAST, err);
}

static enum tfr_status add_proof(struct tfr_publication *p, struct tfr_set_writer *w,
	const struct tfr_set_info *info, struct tfr_output **manifest, struct tfr_error *err)
{
	TFR_TRY(publish_company(p, w, true, err));
	if (!has_manifest(w, info))
		return add_file(p, w, err);
	if (w->name.base && w->lock && !w->opts.parts)
		TFR_TRY(withdraw_former(p, &w->name, err));
	TFR_TRY(write_proof(w, info, manifest, err));
	/* The note of a part stays until the new one replaces it: it claims the names of objects.
	 */
	return tfr_publication_add(
		p, *manifest, w->opts.parts ? TFR_PUBLISH_LAST : TFR_PUBLISH_PROOF, err);
}

/* Publishes the files beside a stream, such as a quarantine. */
static enum tfr_status publish_stream(struct tfr_set_writer *w, struct tfr_error *err)
{
	assert(w->count == 1);
	TFR_TRY(tfr_writer_publish(w->shards[0], err));
	for (uint32_t k = 0; k < w->n_company; k++)
		TFR_TRY(tfr_output_publish(w->company[k].file, err));
	return TFR_OK;
}

/* A single file needs no journal: one rename publishes it. */
static enum tfr_status publish_one(struct tfr_set_writer *w, struct tfr_error *err)
{
	assert(w->count == 1);
	TFR_TRY(tfr_writer_publish(w->shards[0], err));
	return tfr_sync_directory_of(w->files[0], err);
}

static enum tfr_status add_beside(
	struct tfr_set_writer *w, struct tfr_stream_writer *file, struct tfr_error *err)
{
	TFR_TRY(tfr_stream_writer_seal(file, err));
	return tfr_set_writer_company(w, tfr_stream_writer_output(file), false, err);
}

/* Whether all can be published. */
static enum tfr_status check_unpublished(
	struct tfr_set_writer *const *w, size_t n, struct tfr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		TFR_TRY(tfr_latch_check(&w[i]->failed, err));
		if (w[i]->published)
			return tfr_fail_path(err, TFR_EUSAGE, w[i]->subject, "already published:");
	}
	return TFR_OK;
}

static enum tfr_status seal_all(struct tfr_set_writer *const *w, const struct tfr_set_info *info,
	size_t n, struct tfr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		TFR_TRY(tfr_set_writer_seal(w[i], err));
		for (int k = 0; k < TFR_SET_BESIDE; k++)
			if (info[i].beside[k])
				TFR_TRY(add_beside(w[i], info[i].beside[k], err));
	}
	return TFR_OK;
}

/* Adds all files of all sets, the proofs last. */
static enum tfr_status add_all(struct tfr_publication *p, struct tfr_set_writer *const *w,
	const struct tfr_set_info *info, size_t n, struct tfr_output **manifests,
	struct tfr_error *err)
{
	uint32_t target = 0;

	for (size_t i = 0; i < n; i++) {
		if (w[i]->lock)
			TFR_TRY(tfr_publication_lock(p, w[i]->lock, err));
		TFR_TRY(w[i]->named ? add_members(p, w[i], &info[i], err)
				    : publish_stream(w[i], err));
	}
	for (size_t i = 0; i < n; i++) {
		if (!w[i]->named)
			continue;
		if (w[i]->lock)
			p->current = target++;
		TFR_TRY(add_proof(p, w[i], &info[i], &manifests[i], err));
	}
	return TFR_OK;
}

static enum tfr_status publish_sets(struct tfr_publication *p, struct tfr_set_writer *const *w,
	const struct tfr_set_info *info, size_t n, struct tfr_output **manifests,
	struct tfr_error *err)
{
	TFR_TRY(seal_all(w, info, n, err));
	for (size_t i = 0; i < n && w[i]->opts.parts; i++) {
		TFR_TRY(remove_manifest(w[i], &info[i], err));
		TFR_TRY(claim_objects(w[i], &info[i], err));
	}
	if (!n || !w[0]->opts.dry_run)
		TFR_TRY(add_all(p, w, info, n, manifests, err));
	if (p->journal.n == 1 && !p->n_objects && n == 1 && !w[0]->opts.parts)
		return publish_one(w[0], err);
	return p->journal.n || p->n_objects ? tfr_publication_commit(p, w[0]->opts.temporaries, err)
					    : TFR_OK;
}

enum tfr_status tfr_set_writers_publish(struct tfr_set_writer *const *w,
	const struct tfr_set_info *info, size_t n, struct tfr_error *err)
{
	struct tfr_output **manifests;
	struct tfr_publication p = { 0 };
	enum tfr_status status;

	TFR_TRY(check_unpublished(w, n, err));
	manifests = calloc(n + 1, sizeof(struct tfr_output *));
	status = manifests ? publish_sets(&p, w, info, n, manifests, err)
			   : tfr_fail_nomem(err, "publishing a set");
	for (size_t i = 0; manifests && i < n; i++)
		tfr_output_close(manifests[i]);
	for (size_t i = 0; i < n; i++) {
		w[i]->published = !status;
		tfr_latch_keep(&w[i]->failed, status, err);
	}
	free((void *)manifests);
	tfr_publication_clear(&p);
	return status;
}

enum tfr_status tfr_set_writer_publish(
	struct tfr_set_writer *w, const struct tfr_set_info *info, struct tfr_error *err)
{
	static const struct tfr_set_info nothing;

	return tfr_set_writers_publish(&w, info ? info : &nothing, 1, err);
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
