/* io/output.c - outputs, whole or absent.
 *
 * The temporary `.NAME.tmp` is locked with flock(): the lock goes away with its process, so a
 * temporary that a killed run left behind is simply taken over, and one that a live run is writing
 * is refused. */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "io/temporaries.h"

struct tfr_output {
	int fd;
	bool owned;	/* fd is closed by us */
	bool temporary; /* a file under its temporary name */
	bool force, sealed;
	uint64_t mtime; /* of the sealed file */
	char *path, *temp;
	void *noted; /* in the temporaries */
};

static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char *name = NULL;

	if (asprintf(&name, "%.*s.%s.tmp", (int)(base - path), path, base) < 0)
		return NULL;
	return name;
}

static enum tfr_status cannot_create(const struct tfr_output *o, struct tfr_error *err)
{
	int saved = errno;
	const char *slash = strrchr(o->path, '/');

	tfr_fail_errno(err, saved, o->path, "cannot create");
	if (saved == ENOENT && slash)
		tfr_error_hint(err, "The folder is not there; make it with 'mkdir -p %.*s'.",
			(int)(slash - o->path), o->path);
	return TFR_ESYS;
}

/* Opens and locks the temporary.  A run that published or removed it between our open and our lock
 * leaves us with a file that has no name any more: then try again. */
static enum tfr_status open_locked(struct tfr_output *o, struct tfr_error *err)
{
	struct stat held, named;

	for (int tries = 0; tries < 100; tries++) {
		o->fd = open(o->temp, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (o->fd < 0)
			return cannot_create(o, err);
		o->owned = true;
		if (flock(o->fd, LOCK_EX | LOCK_NB)) {
			if (errno == EWOULDBLOCK)
				return tfr_fail_path(
					err, TFR_ESYS, o->path, "another run is writing");
			return tfr_fail_errno(err, errno, o->temp, "cannot lock");
		}
		if (fstat(o->fd, &held) == 0 && stat(o->temp, &named) == 0 &&
			held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
			o->temporary = true;
			return TFR_OK;
		}
		close(o->fd);
		o->fd = -1;
		o->owned = false;
	}
	return tfr_fail_path(err, TFR_ESYS, o->path, "other runs keep writing");
}

static enum tfr_status open_file(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err)
{
	sigset_t saved;
	enum tfr_status status;

	o->temp = temporary_name(o->path);
	if (!o->temp)
		return tfr_fail_nomem(err, "creating a file");
	tfr_temporaries_begin(opts->temporaries, &saved);
	status = open_locked(o, err);
	if (!status)
		o->noted = tfr_temporaries_note(opts->temporaries, o->temp);
	tfr_temporaries_end(opts->temporaries, &saved);
	if (status)
		return status;
	if (opts->temporaries && !o->noted)
		return tfr_fail_nomem(err, "creating a file");
	if (ftruncate(o->fd, 0))
		return tfr_fail_errno(err, errno, o->temp, "cannot truncate");
	return TFR_OK;
}

static enum tfr_status open_target(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err)
{
	struct stat st;

	if (!strcmp(o->path, "-")) {
		o->fd = STDOUT_FILENO;
		return TFR_OK;
	}
	if (stat(o->path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return tfr_fail_errno(err, EISDIR, o->path, "cannot write");
		if (!S_ISREG(st.st_mode)) {
			o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
			if (o->fd < 0)
				return tfr_fail_errno(err, errno, o->path, "cannot open");
			o->owned = true;
			return TFR_OK;
		}
		if (!opts->force) {
			tfr_fail_path(err, TFR_EEXIST, o->path, "will not overwrite");
			tfr_error_hint(err, "Give -f to replace it.");
			return TFR_EEXIST;
		}
	}
	return open_file(o, opts, err);
}

enum tfr_status tfr_output_open(struct tfr_output **out, const char *path,
	const struct tfr_output_opts *opts, struct tfr_error *err)
{
	static const struct tfr_output_opts defaults;
	struct tfr_output *o = calloc(1, sizeof(*o));
	enum tfr_status status;

	if (!o)
		return tfr_fail_nomem(err, "creating a file");
	if (!opts)
		opts = &defaults;
	o->fd = -1;
	o->force = opts->force;
	o->path = strdup(path);
	status = o->path ? open_target(o, opts, err) : tfr_fail_nomem(err, "creating a file");
	if (status) {
		tfr_output_close(o);
		return status;
	}
	*out = o;
	return TFR_OK;
}

static enum tfr_status cannot_write(const struct tfr_output *o, struct tfr_error *err)
{
	if (!strcmp(o->path, "-"))
		return tfr_fail_errno(err, errno, NULL, "cannot write to standard output");
	return tfr_fail_errno(err, errno, o->path, "cannot write");
}

enum tfr_status tfr_output_writev(
	struct tfr_output *o, struct iovec *pieces, int n, struct tfr_error *err)
{
	while (n) {
		ssize_t wrote = writev(o->fd, pieces, n < 1024 ? n : 1024);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return cannot_write(o, err);
		while (n && (size_t)wrote >= pieces->iov_len) {
			wrote -= (ssize_t)pieces->iov_len;
			pieces++;
			n--;
		}
		if (n) {
			pieces->iov_base = (char *)pieces->iov_base + wrote;
			pieces->iov_len -= (size_t)wrote;
		}
	}
	return TFR_OK;
}

enum tfr_status tfr_output_write(
	struct tfr_output *o, const void *data, size_t size, struct tfr_error *err)
{
	struct iovec piece = { .iov_base = (void *)(uintptr_t)data, .iov_len = size };

	return size ? tfr_output_writev(o, &piece, 1, err) : TFR_OK;
}

static uint64_t mtime_now(const struct tfr_output *o)
{
	struct stat st;

	if (fstat(o->fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
}

enum tfr_status tfr_output_seal(struct tfr_output *o, struct tfr_error *err)
{
	if (o->temporary && fsync(o->fd))
		return tfr_fail_errno(err, errno, o->path, "cannot write");
	o->sealed = true;
	o->mtime = mtime_now(o);
	return TFR_OK;
}

void tfr_output_release(struct tfr_output *o)
{
	if (o->owned)
		close(o->fd);
	o->owned = false;
	o->fd = -1;
}

enum tfr_status tfr_output_publish(struct tfr_output *o, struct tfr_error *err)
{
	unsigned flags = o->force ? 0 : RENAME_NOREPLACE;
	int failed;

	if (!o->temporary)
		return TFR_OK;
	failed = renameat2(AT_FDCWD, o->temp, AT_FDCWD, o->path, flags);
	if (failed && flags &&
		(errno == EINVAL || errno == ENOSYS)) /* a file system without NOREPLACE */
		failed = rename(o->temp, o->path);
	if (failed && errno == EEXIST)
		return tfr_fail_path(err, TFR_EEXIST, o->path, "will not overwrite");
	if (failed)
		return tfr_fail_errno(err, errno, o->path, "cannot give its name to");
	o->temporary = false;
	tfr_temporaries_forget(o->noted);
	return TFR_OK;
}

void tfr_output_close(struct tfr_output *o)
{
	if (!o)
		return;
	if (o->temporary)
		unlink(o->temp);
	tfr_temporaries_forget(o->noted);
	if (o->owned)
		close(o->fd);
	free(o->path);
	free(o->temp);
	free(o);
}

uint64_t tfr_output_mtime(const struct tfr_output *o)
{
	return o->mtime;
}

enum tfr_status tfr_sync_directory_of(const char *path, struct tfr_error *err)
{
	const char *slash = strrchr(path, '/');
	TFR_AUTO_FREE char *directory = NULL;
	TFR_AUTO_CLOSE int fd = -1;

	directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	if (!directory)
		return tfr_fail_nomem(err, "writing a directory");
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Some file systems cannot sync a directory and say EINVAL: there is nothing more to do for
	 * it then. */
	if (fd < 0 || (fsync(fd) && errno != EINVAL))
		return tfr_fail_errno(err, errno, directory, "cannot write");
	return TFR_OK;
}

enum tfr_status tfr_output_whole(const char *path, const struct tfr_output_opts *opts,
	const void *data, size_t size, struct tfr_error *err)
{
	struct tfr_output *out = NULL;
	enum tfr_status status = tfr_output_open(&out, path, opts, err);

	if (!status)
		status = tfr_output_write(out, data, size, err);
	if (!status)
		status = tfr_output_seal(out, err);
	if (!status)
		status = tfr_output_publish(out, err);
	tfr_output_close(out);
	return status ? status : tfr_sync_directory_of(path, err);
}
