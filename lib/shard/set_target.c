/* shard/set_target.c - locks a set that is to be written, and removes the files of killed runs.
 *
 * All sets with one base name and one extension share a lock, whatever their number of shards:
 * readers that take a pattern would mix them.  A part has a lock of its own. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/suffix.h"
#include "io/temporaries.h"
#include "shard/set_name.h"
#include "shard/set_writer_state.h"

/* The path that names the lock file of a set: "out/train.tfrecord" for train@16.tfrecord and every
 * other number of shards.  The caller frees it; NULL: out of memory. */
static char *target_of(const struct tfr_set_name *name)
{
	return tfr_asprintf("%s%s", name->base, name->extension);
}

/* --- leftover files --- */

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
	const char *slash = w->name.base ? strrchr(w->name.base, '/') : NULL;
	const char *base = slash ? slash + 1 : w->name.base;
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

	name = strdup(tfr_last_part(path));
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

/* A replaced file of a set that was published; its journal no longer exists. */
static void remove_old(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		unlink(path);
}

static enum tfr_status remove_left(
	struct tfr_set_writer *w, const char *target, struct tfr_error *err)
{
	const char *folder = tfr_lock_folder(w->lock);
	DIR *d = opendir(folder);
	enum tfr_status status = TFR_OK;
	struct dirent *entry;

	if (!d) /* it may be writable but not readable */
		return TFR_OK;
	while (!status && (entry = readdir(d))) {
		TFR_AUTO_FREE char *path = NULL;
		const char *stem;
		bool old;

		if (entry->d_name[0] != '.')
			continue;
		path = tfr_asprintf("%s/%s", folder, entry->d_name);
		if (!path) {
			status = tfr_fail_nomem(err, "creating a set");
			break;
		}
		stem = tfr_hidden_stem(entry->d_name, &old);
		if (!stem || !is_member(w, tfr_last_part(target), stem))
			continue;
		if (w->opts.parts && !is_own(w, stem))
			continue;
		if (old)
			remove_old(path);
		else
			tfr_left_file_remove(path);
	}
	closedir(d);
	return status;
}

/* --- the lock --- */

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

enum tfr_status tfr_set_writer_lock(
	struct tfr_set_writer *w, const char *target, bool resumes, struct tfr_error *err)
{
	const struct tfr_lock_opts opts = { w->subject, w->opts.temporaries, w->warn, w->ctx };
	TFR_AUTO_FREE char *path = w->note_path	  ? strdup(w->note_path)
				   : w->name.base ? target_of(&w->name)
						  : strdup(target);
	enum tfr_status status;

	TFR_NEED_MEMORY(path, err, "creating a set");
	if (w->opts.dry_run || (!w->name.base && is_stream(target)))
		return TFR_OK;
	w->named = true;
	/* An object appears in one step, and an unfinished upload has no name. */
	if (tfr_is_url(target))
		return TFR_OK;
	status = tfr_lock_open(&w->lock, path, &opts, err);
	return status || resumes ? status : remove_left(w, target, err);
}
