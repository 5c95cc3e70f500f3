/* io/output.c - outputs, whole or absent.
 *
 * The temporary `.NAME.tmp` is locked with flock(): the lock goes away with its process, so a
 * temporary that a killed run left behind is simply taken over, and one that a live run is writing
 * is refused.
 *
 * A brief output holds no descriptor between writes.  Its temporary is opened by name again, and is
 * refused where it is not the file that it was. */
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
	bool brief;	  /* no descriptor between writes */
	bool resumes;	  /* what another run left */
	bool kept;	  /* closing leaves the temporary */
	uint64_t size;	  /* of a temporary, as far as it is written */
	struct stat held; /* of a temporary: which file it is */
	uint64_t mtime;	  /* of the sealed file */
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
	const char *path = o->path ? o->path : o->temp, *slash = strrchr(path, '/');

	tfr_fail_errno(err, saved, path, "cannot create");
	if (saved == ENOENT && slash)
		tfr_error_hint(err, "The folder is not there; make it with 'mkdir -p %.*s'.",
			(int)(slash - path), path);
	return TFR_ESYS;
}

static const char *name_of(const struct tfr_output *o)
{
	return o->path ? o->path : o->temp;
}

static enum tfr_status cannot_resume(const struct tfr_output *o, struct tfr_error *err)
{
	return tfr_fail_path(
		err, TFR_EDATA, o->temp, "not what the run that is to be resumed had written:");
}

/* A sealed temporary was published before the run ended. */
static bool has_its_name(struct tfr_output *o, uint64_t size)
{
	struct stat st;

	if (!o->path || lstat(o->temp, &st) == 0 || stat(o->path, &st) || !S_ISREG(st.st_mode) ||
		(uint64_t)st.st_size != size)
		return false;
	o->fd = open(o->path, O_RDONLY | O_CLOEXEC);
	o->owned = o->fd >= 0;
	return o->owned;
}

/* Opens and locks the temporary.  A run that published or removed it between our open and our lock
 * leaves us with a file that has no name any more: then try again. */
static enum tfr_status open_locked(struct tfr_output *o, struct tfr_error *err)
{
	int create = o->resumes ? 0 : O_CREAT;
	struct stat named;

	for (int tries = 0; tries < 100; tries++) {
		o->fd = open(o->temp, O_RDWR | create | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (o->fd < 0 && o->resumes && errno == ENOENT)
			return cannot_resume(o, err);
		if (o->fd < 0)
			return cannot_create(o, err);
		o->owned = true;
		if (flock(o->fd, LOCK_EX | LOCK_NB)) {
			if (errno == EWOULDBLOCK)
				return tfr_fail_path(
					err, TFR_ESYS, name_of(o), "another run is writing");
			return tfr_fail_errno(err, errno, o->temp, "cannot lock");
		}
		if (fstat(o->fd, &o->held) == 0 && stat(o->temp, &named) == 0 &&
			o->held.st_ino == named.st_ino && o->held.st_dev == named.st_dev) {
			o->temporary = true;
			return TFR_OK;
		}
		close(o->fd);
		o->fd = -1;
		o->owned = false;
	}
	return tfr_fail_path(err, TFR_ESYS, name_of(o), "other runs keep writing");
}

static void give_back(struct tfr_output *o)
{
	close(o->fd);
	o->fd = -1;
	o->owned = false;
}

/* Cuts the temporary to what it is to begin with. */
static enum tfr_status cut(struct tfr_output *o, const uint64_t *resume, struct tfr_error *err)
{
	o->size = resume ? *resume : 0;
	if (resume && (uint64_t)o->held.st_size < *resume)
		return cannot_resume(o, err);
	if (ftruncate(o->fd, (off_t)o->size) || lseek(o->fd, (off_t)o->size, SEEK_SET) < 0)
		return tfr_fail_errno(err, errno, o->temp, "cannot truncate");
	if (o->brief)
		give_back(o);
	return TFR_OK;
}

static enum tfr_status open_file(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err)
{
	struct tfr_temporaries *list = opts->resume ? NULL : opts->temporaries;
	sigset_t saved;
	enum tfr_status status;

	o->temp = temporary_name(opts->temporary ? opts->temporary : o->path);
	if (!o->temp)
		return tfr_fail_nomem(err, "creating a file");
	if (opts->resume && opts->sealed && has_its_name(o, *opts->resume))
		return TFR_OK;
	tfr_temporaries_begin(list, &saved);
	status = open_locked(o, err);
	if (!status)
		o->noted = tfr_temporaries_note(list, o->temp);
	tfr_temporaries_end(list, &saved);
	if (status)
		return status;
	if (list && !o->noted)
		return tfr_fail_nomem(err, "creating a file");
	return cut(o, opts->resume, err);
}

static enum tfr_status open_target(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err)
{
	struct stat st;

	if (!o->path)
		return open_file(o, opts, err);
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
		if (!opts->force && !opts->sealed) {
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
	o->brief = opts->brief;
	o->resumes = o->kept = opts->resume;
	if (path)
		o->path = strdup(path);
	status = o->path || !path ? open_target(o, opts, err)
				  : tfr_fail_nomem(err, "creating a file");
	if (status) {
		tfr_output_close(o);
		return status;
	}
	*out = o;
	return TFR_OK;
}

static enum tfr_status cannot_write(const struct tfr_output *o, struct tfr_error *err)
{
	if (o->path && !strcmp(o->path, "-"))
		return tfr_fail_errno(err, errno, NULL, "cannot write to standard output");
	return tfr_fail_errno(err, errno, name_of(o), "cannot write");
}

/* The temporary again, whose descriptor was given back. */
static enum tfr_status reopen(struct tfr_output *o, struct tfr_error *err)
{
	struct stat st;

	if (o->fd >= 0 || !o->temporary)
		return TFR_OK;
	o->fd = open(o->temp, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	if (o->fd < 0)
		return tfr_fail_errno(err, errno, o->temp, "cannot open again");
	o->owned = true;
	if (fstat(o->fd, &st) || st.st_ino != o->held.st_ino || st.st_dev != o->held.st_dev ||
		(uint64_t)st.st_size != o->size)
		return tfr_fail_path(err, TFR_ESYS, o->temp, "somebody else has changed");
	return TFR_OK;
}

static void after_use(struct tfr_output *o)
{
	if (o->brief && o->owned && o->temporary)
		give_back(o);
}

static enum tfr_status write_pieces(
	struct tfr_output *o, struct iovec *pieces, int n, struct tfr_error *err)
{
	while (n) {
		ssize_t wrote = writev(o->fd, pieces, n < 1024 ? n : 1024);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return cannot_write(o, err);
		o->size += (size_t)wrote;
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

enum tfr_status tfr_output_writev(
	struct tfr_output *o, struct iovec *pieces, int n, struct tfr_error *err)
{
	enum tfr_status status = reopen(o, err);

	if (!status)
		status = write_pieces(o, pieces, n, err);
	after_use(o);
	return status;
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
	enum tfr_status status = reopen(o, err);

	if (!status && o->temporary && fsync(o->fd))
		status = cannot_write(o, err);
	o->sealed = !status;
	if (!status)
		o->mtime = mtime_now(o);
	after_use(o);
	return status;
}

enum tfr_status tfr_output_sync(struct tfr_output *o, struct tfr_error *err)
{
	enum tfr_status status = reopen(o, err);

	if (!status && o->temporary && fdatasync(o->fd))
		status = cannot_write(o, err);
	after_use(o);
	return status;
}

void tfr_output_rest(struct tfr_output *o)
{
	o->brief = true;
	if (o->temporary && o->fd >= 0)
		sync_file_range(o->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	after_use(o);
}

void tfr_output_keep(struct tfr_output *o)
{
	o->kept = true;
	tfr_temporaries_forget(o->noted);
}

enum tfr_status tfr_output_name(struct tfr_output *o, const char *path, struct tfr_error *err)
{
	free(o->path);
	o->path = strdup(path);
	return o->path ? TFR_OK : tfr_fail_nomem(err, "naming a file");
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
	if (o->temporary && !o->kept)
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
