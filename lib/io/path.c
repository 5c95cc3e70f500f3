/* io/path.c - names of files and of objects, asked for by the same functions.
 *
 * A local path costs the system call that it always did. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/suffix.h"
#include "base/url.h"
#include "io/object.h"
#include "io/path.h"

int tfr_stat(const char *path, struct stat *st)
{
	struct tfr_error why = { .sys_errno = 0 };
	enum tfr_status status;

	if (!tfr_is_url(path))
		return stat(path, st);
	status = tfr_look(path, st, &why);
	if (!status)
		return 0;
	errno = status == TFR_END      ? ENOENT
		: status == TFR_ENOMEM ? ENOMEM
		: why.sys_errno	       ? why.sys_errno
				       : EIO;
	return -1;
}

enum tfr_status tfr_fail_create(struct tfr_error *err, int sys_errno, const char *path)
{
	enum tfr_status status = tfr_fail_errno(err, sys_errno, path, "cannot create");
	const char *slash = strrchr(path, '/');

	if (err && sys_errno == ENOENT && slash && !*tfr_error_hint_text(err))
		tfr_error_hint(err, "The folder is not there; make it with 'mkdir -p %.*s'.",
			(int)(slash - path), path);
	return status;
}

enum tfr_status tfr_fail_exists(struct tfr_error *err, const char *path)
{
	tfr_fail_path(err, TFR_EEXIST, path, "will not overwrite");
	tfr_error_hint(err, "Give -f to replace it.");
	return TFR_EEXIST;
}

enum tfr_status tfr_look(const char *path, struct stat *st, struct tfr_error *err)
{
	const struct tfr_object_module *remote;

	if (tfr_is_url(path)) {
		TFR_TRY(tfr_objects(&remote, path, err));
		return remote->look(path, st, err);
	}
	if (stat(path, st) == 0)
		return TFR_OK;
	return errno == ENOENT || errno == ENOTDIR
		       ? TFR_END
		       : tfr_fail_errno(err, errno, path, "cannot open");
}

enum tfr_status tfr_absent_or_failed(const char *path, enum tfr_status status,
	const struct tfr_error *why, struct tfr_error *err)
{
	bool refused = why->sys_errno == EACCES && tfr_is_url(path);
	TFR_AUTO_FREE char *folder = refused ? strdup(path) : NULL;
	struct stat st;

	if (folder && !tfr_is_web(path)) {
		strrchr(folder, '/')[1] = '\0';
		refused = tfr_look(folder, &st, NULL) != TFR_OK;
	}
	if (status == TFR_END || why->sys_errno == ENOENT || refused)
		return TFR_END;
	return tfr_error_pass(why, err);
}

enum tfr_status tfr_file_remove(const char *path, struct tfr_error *err)
{
	const struct tfr_object_module *remote;

	if (!tfr_is_url(path))
		return unlink(path) && errno != ENOENT
			       ? tfr_fail_errno(err, errno, path, "cannot remove")
			       : TFR_OK;
	TFR_TRY(tfr_objects(&remote, path, err));
	return remote->remove(path, err);
}

/* --- lists --- */

static enum tfr_status add_name(struct tfr_names *names, const char *name, struct tfr_error *err)
{
	TFR_NEED_MEMORY(
		tfr_names_insert(names, names->n, name, strlen(name)), err, "listing a directory");
	return TFR_OK;
}

static enum tfr_status list_local(const char *path, struct tfr_names *names, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	const struct dirent *entry;
	DIR *d = opendir(path);

	if (!d)
		return tfr_fail_errno(err, errno, path, "cannot list");
	for (errno = 0; !status && (entry = readdir(d)); errno = 0)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			status = add_name(names, entry->d_name, err);
	if (!status && errno)
		status = tfr_fail_errno(err, errno, path, "cannot list");
	closedir(d);
	return status;
}

static enum tfr_status take_entry(
	void *ctx, const struct tfr_object_entry *entry, struct tfr_error *err)
{
	return add_name(ctx, entry->name, err);
}

/* The prefix of a folder ends in a slash. */
static enum tfr_status list_remote(const char *url, struct tfr_names *names, struct tfr_error *err)
{
	size_t n = strlen(url);
	TFR_AUTO_FREE char *prefix = tfr_asprintf(url[n - 1] == '/' ? "%s" : "%s/", url);
	const struct tfr_object_module *remote;

	TFR_NEED_MEMORY(prefix, err, "listing a directory");
	TFR_TRY(tfr_objects(&remote, url, err));
	return remote->list(prefix, false, take_entry, names, err);
}

enum tfr_status tfr_list_folder(const char *path, struct tfr_names *names, struct tfr_error *err)
{
	enum tfr_status status =
		tfr_is_url(path) ? list_remote(path, names, err) : list_local(path, names, err);

	if (status)
		tfr_names_clear(names);
	return status;
}

/* --- patterns --- */

/* A folder that is gone matches nothing; one that cannot be listed ends the search. */
static int ends_search(const char *path, int sys_errno)
{
	(void)path;
	errno = sys_errno;
	return sys_errno != ENOENT && sys_errno != ELOOP;
}

static enum tfr_status glob_local(
	const char *pattern, struct tfr_names *names, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	glob_t found = { 0 };
	int result = glob(pattern, 0, ends_search, &found);

	if (result == GLOB_NOSPACE)
		status = tfr_fail_nomem(err, "listing a directory");
	else if (result == GLOB_ABORTED)
		status = tfr_fail_errno(err, errno, pattern, "cannot list what matches");
	else
		for (size_t i = 0; !status && i < found.gl_pathc; i++)
			status = add_name(names, found.gl_pathv[i], err);
	globfree(&found);
	return status;
}

struct matching {
	const char *pattern;
	size_t fixed; /* bytes of it before the first wildcard */
	struct tfr_names *names;
};

static enum tfr_status take_match(
	void *ctx, const struct tfr_object_entry *entry, struct tfr_error *err)
{
	struct matching *m = ctx;
	TFR_AUTO_FREE char *url = tfr_asprintf("%.*s%s", (int)m->fixed, m->pattern, entry->name);

	TFR_NEED_MEMORY(url, err, "listing objects");
	return fnmatch(m->pattern, url, FNM_PATHNAME | FNM_NOESCAPE) == 0
		       ? add_name(m->names, url, err)
		       : TFR_OK;
}

/* The server lists what begins like the pattern; below that, '*' and '?' match no '/'. */
static enum tfr_status glob_remote(
	const char *pattern, struct tfr_names *names, struct tfr_error *err)
{
	struct matching m = { pattern, strcspn(pattern, "*?["), names };
	TFR_AUTO_FREE char *prefix = strndup(pattern, m.fixed);
	const struct tfr_object_module *remote;

	TFR_NEED_MEMORY(prefix, err, "listing objects");
	TFR_TRY(tfr_objects(&remote, pattern, err));
	TFR_TRY(remote->list(prefix, strchr(pattern + m.fixed, '/') != NULL, take_match, &m, err));
	tfr_names_sort(names);
	return TFR_OK;
}

enum tfr_status tfr_glob(const char *pattern, struct tfr_names *names, struct tfr_error *err)
{
	enum tfr_status status = tfr_is_url(pattern) ? glob_remote(pattern, names, err)
						     : glob_local(pattern, names, err);

	if (status)
		tfr_names_clear(names);
	return status;
}

void tfr_look_ahead(const char *url)
{
	TFR_AUTO_NAMES names = { 0 };
	const struct tfr_object_module *remote;

	if (tfr_is_url(url) && !tfr_is_web(url) && !tfr_objects(&remote, url, NULL))
		remote->list(url, false, take_entry, &names, NULL);
}

char *tfr_path_beside(const char *path, const char *suffix)
{
	size_t n = tfr_is_web(path) ? strcspn(path, "?#") : strlen(path);

	return tfr_asprintf("%.*s%s%s", (int)n, path, suffix, path + n);
}

char *tfr_path_in_folder_of(const char *path, const char *name)
{
	return tfr_asprintf("%.*s%s", (int)(tfr_base_name(path) - path), path, name);
}
