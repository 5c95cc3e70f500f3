/* export/export_folder.c - writes each image as a file in a tree of folders.
 *
 * The tree is built in `.NAME.tmp`, a locked folder beside the target that contains only our files:
 * no link can lead out of it.  Every path is opened relative to it, and only to create a new file.
 * One syncfs() and one rename() publish the tree.  A dry run only names the files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "export/form.h"
#include "io/output.h"
#include "io/temporaries.h"

struct tree {
	char *path, *temp, *old; /* the target, `.NAME.tmp` and NAME.old beside it */
	int fd;			 /* of temp */
	bool made;
};

/* --- removing our own tree --- */

/* Removes everything below an open folder, and closes it.  Links are removed, not followed. */
static void empty_folder(int fd)
{
	DIR *d = fdopendir(fd);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		int inner;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!unlinkat(dirfd(d), entry->d_name, 0))
			continue;
		inner = openat(
			dirfd(d), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inner < 0)
			continue;
		empty_folder(inner);
		unlinkat(dirfd(d), entry->d_name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
	else
		close(fd);
}

/* --- the target --- */

static enum tfr_status name_target(struct tree *t, const char *target, struct tfr_error *err)
{
	size_t n = strlen(target);
	const char *slash, *base;

	while (n > 1 && target[n - 1] == '/')
		n--;
	t->path = strndup(target, n);
	TFR_NEED_MEMORY(t->path, err, "creating a folder");
	slash = strrchr(t->path, '/');
	base = slash ? slash + 1 : t->path;
	if (!*base || !strcmp(base, ".") || !strcmp(base, ".."))
		return tfr_fail(err, TFR_EUSAGE, "not a name for a new folder: '%s'", target);
	t->temp = tfr_hidden_name(t->path, 0, "tmp");
	if (asprintf(&t->old, "%s.old", t->path) < 0)
		t->old = NULL;
	TFR_NEED_MEMORY(t->temp && t->old, err, "creating a folder");
	return TFR_OK;
}

static enum tfr_status no_room(const struct tree *t, struct tfr_error *err)
{
	tfr_fail_path(
		err, TFR_EEXIST, t->old, "cannot move the old folder aside: the name is taken:");
	tfr_error_hint(err, "Remove it first.");
	return TFR_EEXIST;
}

static enum tfr_status check_target(struct tree *t, bool force, struct tfr_error *err)
{
	struct stat st;

	if (tfr_is_url(t->path)) {
		tfr_fail_path(err, TFR_EUSAGE, t->path,
			"a folder of files cannot be written to a bucket:");
		tfr_error_hint(
			err, "Write it to a local folder and copy that, or export a WebDataset.");
		return TFR_EUSAGE;
	}
	if (lstat(t->path, &st))
		return errno == ENOENT ? TFR_OK
				       : tfr_fail_errno(err, errno, t->path, "cannot access");
	if (!force) {
		tfr_fail_path(err, TFR_EEXIST, t->path, "will not overwrite");
		tfr_error_hint(err, "Use -f to move it to %s.old.", t->path);
		return TFR_EEXIST;
	}
	return lstat(t->old, &st) ? TFR_OK : no_room(t, err);
}

/* Creates the temporary folder, or takes over the one of a killed run.  TFR_END: something else has
 * the name. */
static enum tfr_status take_temporary(struct tree *t, struct tfr_error *err)
{
	bool created = mkdir(t->temp, 0777) == 0;
	struct stat st;

	if (!created && errno != EEXIST)
		return tfr_fail_errno(err, errno, t->path, "cannot create");
	t->fd = TEMP_FAILURE_RETRY(
		open(t->temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (t->fd < 0 && !created && (errno == ENOTDIR || errno == ELOOP || errno == EACCES))
		return TFR_END;
	if (t->fd < 0 || fstat(t->fd, &st)) {
		enum tfr_status status = tfr_fail_errno(err, errno, t->temp, "cannot open");

		if (created)
			rmdir(t->temp);
		return status;
	}
	if (st.st_uid != geteuid())
		return TFR_END;
	if (TEMP_FAILURE_RETRY(flock(t->fd, LOCK_EX | LOCK_NB))) {
		t->made = created && errno != EWOULDBLOCK;
		return errno == EWOULDBLOCK
			       ? tfr_fail_path(err, TFR_ESYS, t->path, "another run is writing")
			       : tfr_fail_errno(err, errno, t->temp, "cannot lock");
	}
	if (!tfr_file_is_named(&st, t->temp))
		return tfr_fail_path(err, TFR_ESYS, t->path, "another run is writing");
	t->made = true;
	empty_folder(openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return TFR_OK;
}

static enum tfr_status make_temporary(struct tree *t, struct tfr_error *err)
{
	enum tfr_status status = take_temporary(t, err);

	if (status != TFR_END)
		return status;
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	free(t->temp);
	t->temp = tfr_hidden_name(t->path, tfr_random_token(), "tmp");
	TFR_NEED_MEMORY(t->temp, err, "creating a folder");
	status = take_temporary(t, err);
	return status == TFR_END ? tfr_fail_errno(err, EEXIST, t->temp, "cannot create") : status;
}

static enum tfr_status open_folder(struct export *e, struct tfr_error *err)
{
	struct tree *t = calloc(1, sizeof(*t));

	TFR_NEED_MEMORY(t, err, "creating a folder");
	e->own = t;
	t->fd = -1;
	if (!strcmp(e->o->target, "-"))
		return tfr_fail(err, TFR_EUSAGE, "a folder cannot be written to standard output");
	TFR_TRY(name_target(t, e->o->target, err));
	TFR_TRY(check_target(t, e->o->force, err));
	return e->o->dry_run ? TFR_OK : make_temporary(t, err);
}

/* --- an image --- */

static bool append_class(struct export_item *w)
{
	struct tfr_bytes text;
	int64_t label;

	if (tfr_form_bytes(w, "image/class/text", &text))
		return tfr_unique_names_clean_name(&w->name, text.data, text.size);
	if (tfr_feature_int64(tfr_example_get(w->example, "image/class/label"), 0, &label))
		return tfr_buf_printf(&w->name, "%lld", (long long)label);
	return true;
}

/* The offset in a path of the folder of its class: of "cat" in "train/cat/1.jpg".  SIZE_MAX: the
 * path has no such folder. */
static size_t find_class(const struct tfr_buf *path, const struct tfr_buf *class)
{
	size_t n = class->size;

	for (size_t at = 0; n && at + n < path->size; at++) {
		const uint8_t *slash;

		if (path->data[at + n] == '/' && !memcmp(path->data + at, class->data, n))
			return at;
		slash = memchr(path->data + at, '/', path->size - at);
		if (!slash)
			break;
		at = (size_t)(slash - path->data);
	}
	return SIZE_MAX;
}

/* Makes the name: the folder of the class, and the file in it. */
static bool make_name(struct export_item *w, const char *ending)
{
	struct tfr_bytes name;
	TFR_AUTO_BUF path = { 0 };
	size_t at;

	if (tfr_form_bytes(w, "image/filename", &name) &&
		!tfr_unique_names_clean(&path, name.data, name.size))
		return false;
	if (!path.size && !tfr_buf_printf(&path, "%08llu%s%s", (unsigned long long)w->number,
				  ending ? "." : "", ending ? ending : ""))
		return false;
	if (!append_class(w))
		return false;
	at = find_class(&path, &w->name);
	if (at == SIZE_MAX)
		at = 0;
	else
		w->name.size = 0;
	return (!w->name.size || tfr_buf_append(&w->name, "/", 1)) &&
	       tfr_buf_append(&w->name, path.data + at, path.size - at) &&
	       tfr_buf_append(&w->name, "", 1);
}

static enum tfr_status make_folder(void *ctx, const char *path, struct tfr_error *err)
{
	struct tree *t = ctx;

	if (t->fd < 0)
		return TFR_OK; /* a dry run */
	if (mkdirat(t->fd, path, 0777))
		return tfr_fail_errno(err, errno, t->path, "cannot create folders in");
	return TFR_OK;
}

static enum tfr_status name_it(struct export *e, struct export_item *w, struct tfr_error *err)
{
	struct tfr_bytes image;

	if (!tfr_form_bytes(w, "image/encoded", &image))
		return tfr_fail(err, TFR_EDATA, "the record has no image/encoded");
	TFR_NEED_MEMORY(make_name(w, tfr_form_image_ending(&image)), err, "naming files");
	return tfr_unique_names_take(&e->names, &w->name, make_folder, e->own, err);
}

static enum tfr_status make(struct export *e, struct export_item *w, struct tfr_error *err)
{
	struct tree *t = e->own;
	struct tfr_bytes image = { 0 };
	TFR_AUTO_CLOSE int fd = -1;

	tfr_form_bytes(w, "image/encoded", &image);
	w->own_bytes = image.size;
	if (e->o->dry_run)
		return TFR_OK;
	fd = TEMP_FAILURE_RETRY(openat(t->fd, (const char *)w->name.data,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
	if (fd < 0)
		return tfr_fail_errno(err, errno, (const char *)w->name.data, "cannot create");
	if (!tfr_fd_write(fd, image.data, image.size, -1))
		return tfr_fail_errno(err, errno, (const char *)w->name.data, "cannot write");
	return TFR_OK;
}

/* --- the end --- */

/* Forces the rename to disk, so that a power cut cannot lose the old folder's new name. */
static enum tfr_status move_aside(const struct tree *t, struct tfr_error *err)
{
	enum tfr_status status;

	if (tfr_rename_new(t->path, t->old))
		return errno == EEXIST ? no_room(t, err)
				       : tfr_fail_errno(err, errno, t->path, "cannot move aside");
	status = tfr_sync_directory_of(t->path, err);
	if (status && tfr_rename_new(t->old, t->path))
		tfr_error_hint(err, "The old folder is now '%s'.", t->old);
	return status;
}

static enum tfr_status publish(struct export *e, struct tfr_error *err)
{
	struct tree *t = e->own;
	bool aside;
	struct stat st;
	enum tfr_status status = TFR_OK;

	if (e->o->dry_run)
		return TFR_OK;
	if (TEMP_FAILURE_RETRY(syncfs(t->fd)))
		return tfr_fail_errno(err, errno, t->path, "cannot write");
	aside = e->o->force && !lstat(t->path, &st);
	if (e->o->force && !aside && errno != ENOENT)
		return tfr_fail_errno(err, errno, t->path, "cannot access");
	if (aside)
		TFR_TRY(move_aside(t, err));
	if (tfr_rename_new(t->temp, t->path)) {
		status = errno == EEXIST
				 ? tfr_fail_path(err, TFR_EEXIST, t->path, "will not overwrite")
				 : tfr_fail_errno(
					   err, errno, t->path, "cannot rename the new folder to");
		if (aside && tfr_rename_new(t->old, t->path))
			tfr_error_hint(err, "The old folder is now '%s'.", t->old);
		return status;
	}
	t->made = false;
	status = tfr_sync_directory_of(t->path, err);
	if (aside && e->o->warn) {
		char text[8300];

		snprintf(text, sizeof(text), "'%.4000s' existed and is now '%.4000s'", t->path,
			t->old);
		e->o->warn(e->o->ctx, text);
	}
	return status;
}

static void close_folder(struct export *e)
{
	struct tree *t = e->own;

	if (!t)
		return;
	if (t->made) {
		empty_folder(openat(t->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		rmdir(t->temp);
	}
	if (t->fd >= 0)
		close(t->fd);
	free(t->path);
	free(t->temp);
	free(t->old);
	free(t);
}

const struct form tfr_form_folder = {
	.name = "folder",
	.parses = true,
	.open = open_folder,
	.name_it = name_it,
	.make = make,
	.publish = publish,
	.close = close_folder,
};
