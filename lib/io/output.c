/* io/output.c - outputs that appear complete or not at all: files, objects and streams.
 *
 * A file is locked with flock() before it has a name, so no other run takes it for a leftover.
 *
 * A brief output holds no descriptor between writes.  Its temporary file is opened by name again,
 * and refused if it is a different file. */
#include "io/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "io/object.h"
#include "io/path.h"
#include "io/temporaries.h"

struct tfr_output {
	int fd;
	bool owned; /* we close fd */
	enum {
		TFR_OUTPUT_STREAM,
		TFR_OUTPUT_NAMELESS,  /* a file without a name */
		TFR_OUTPUT_TEMPORARY, /* a file under its temporary name */
		TFR_OUTPUT_OBJECT,    /* an upload */
		TFR_OUTPUT_PUBLISHED
	} state,
		before; /* `before` it was published */
	bool force, sealed;
	bool brief;	  /* no descriptor between writes */
	bool kept;	  /* closing leaves the temporary */
	bool discard;	  /* writes go nowhere, and no file is opened */
	uint64_t size;	  /* of a file, as far as it is written */
	uint64_t token;	  /* of the temporary name */
	struct stat held; /* the identity of the file; complete when it is sealed */
	char *path;
	char *called; /* the name that the temporary name is made of */
	char *temp;   /* NULL: it has no temporary name */
	struct tfr_temporaries *temporaries;
	void *noted; /* in them */
	struct tfr_upload *upload;
	const struct tfr_object_module *remote;
};

/* The name for messages; it belongs to the output. */
static const char *output_called(const struct tfr_output *o)
{
	return o->path ? o->path : o->called;
}

/* Closes the descriptor. */
static void output_give_back(struct tfr_output *o)
{
	if (o->owned)
		close(o->fd);
	o->fd = -1;
	o->owned = false;
}

/* --- temporary names --- */

enum { NAMES_TRIED = 16 };

/* Creates a file under the temporary name, or links the nameless file to it.  -1 with errno. */
static int create_named(struct tfr_output *o)
{
	if (o->state == TFR_OUTPUT_NAMELESS)
		return tfr_nameless_link(o->fd, o->temp);
	o->fd = TEMP_FAILURE_RETRY(
		open(o->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
	if (o->fd < 0)
		return -1;
	/* Another run took the file for a leftover before it was locked, and removed its name. */
	if (TEMP_FAILURE_RETRY(flock(o->fd, LOCK_EX | LOCK_NB)) == 0 &&
		fstat(o->fd, &o->held) == 0 && tfr_file_is_named(&o->held, o->temp)) {
		o->owned = true;
		return 0;
	}
	if (errno != EWOULDBLOCK && errno != ENOENT)
		unlink(o->temp);
	else
		errno = EEXIST;
	close(o->fd);
	o->fd = -1;
	return -1;
}

/* Gives the file the first temporary name that is free. */
static int name_temporary(struct tfr_output *o)
{
	for (int tries = 0; tries < NAMES_TRIED; tries++) {
		o->token = tries ? tfr_random_token() : 0;
		free(o->temp);
		o->temp = tfr_hidden_name(o->called, o->token, "tmp");
		if (!o->temp) {
			errno = ENOMEM;
			return -1;
		}
		tfr_left_file_remove(o->temp);
		if (create_named(o) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return -1;
}

/* The same, and registers the file for the signal handler. */
static enum tfr_status output_take_temporary(struct tfr_output *o, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	sigset_t saved;

	tfr_temporaries_begin(o->temporaries, &saved);
	if (name_temporary(o) == 0) {
		o->state = TFR_OUTPUT_TEMPORARY;
		o->noted = tfr_temporaries_note(o->temporaries, o->temp);
		if (o->temporaries && !o->noted)
			status = tfr_fail_nomem(err, "creating a file");
	} else {
		status = tfr_fail_create(err, errno, output_called(o));
		free(o->temp);
		o->temp = NULL;
	}
	tfr_temporaries_end(o->temporaries, &saved);
	return status;
}

/* --- a file of another run --- */

static enum tfr_status cannot_resume(const struct tfr_output *o, struct tfr_error *err)
{
	return tfr_fail_path(
		err, TFR_EDATA, o->temp, "not the file that the run to be resumed wrote:");
}

/* A sealed temporary was published before the run ended. */
static bool has_its_name(struct tfr_output *o, uint64_t size)
{
	struct stat st;

	if (!o->path || lstat(o->temp, &st) == 0)
		return false;
	o->fd = TEMP_FAILURE_RETRY(open(o->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	o->owned = o->fd >= 0;
	if (o->owned && tfr_file_is_ours(o->fd, &o->held) && (uint64_t)o->held.st_size == size) {
		o->before = TFR_OUTPUT_TEMPORARY;
		o->state = TFR_OUTPUT_PUBLISHED;
		return true;
	}
	output_give_back(o);
	return false;
}

/* Continues the temporary file of another run. */
static enum tfr_status output_open_again(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err)
{
	o->token = opts->token;
	o->temp = tfr_hidden_name(o->called, o->token, "tmp");
	TFR_NEED_MEMORY(o->temp, err, "creating a file");
	if (opts->sealed && has_its_name(o, *opts->resume))
		return TFR_OK;
	o->fd = TEMP_FAILURE_RETRY(open(o->temp, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	o->owned = o->fd >= 0;
	if (o->fd < 0 || !tfr_file_is_ours(o->fd, &o->held) ||
		(uint64_t)o->held.st_size < *opts->resume)
		return cannot_resume(o, err);
	if (TEMP_FAILURE_RETRY(flock(o->fd, LOCK_EX | LOCK_NB)))
		return errno == EWOULDBLOCK ? tfr_fail_path(err, TFR_ESYS, output_called(o),
						      "another run is writing")
					    : tfr_fail_errno(err, errno, o->temp, "cannot lock");
	o->state = TFR_OUTPUT_TEMPORARY;
	o->size = *opts->resume;
	if (TEMP_FAILURE_RETRY(ftruncate(o->fd, (off_t)o->size)) ||
		lseek(o->fd, (off_t)o->size, SEEK_SET) < 0)
		return tfr_fail_errno(err, errno, o->temp, "cannot truncate");
	if (o->brief)
		output_give_back(o);
	return TFR_OK;
}

/* --- objects --- */

/* An upload has the name of its object from the beginning, and belongs to the process. */
static enum tfr_status output_open_object(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err)
{
	const struct tfr_upload_opts how = { .force = o->force, .size = opts->expected };
	struct stat st;

	assert(!opts->resume);
	TFR_TRY(tfr_objects(&o->remote, o->path, err));
	if (o->discard)
		return !o->force && !tfr_stat(o->path, &st) ? tfr_fail_exists(err, o->path)
							    : TFR_OK;
	TFR_TRY(o->remote->upload(&o->upload, o->path, &how, err));
	o->state = TFR_OUTPUT_OBJECT;
	return TFR_OK;
}

static enum tfr_status output_write_object(
	struct tfr_output *o, const struct iovec *pieces, int n, struct tfr_error *err)
{
	for (int i = 0; i < n; i++) {
		TFR_TRY(o->remote->write(o->upload, pieces[i].iov_base, pieces[i].iov_len, err));
		o->size += pieces[i].iov_len;
	}
	return TFR_OK;
}

static enum tfr_status output_seal_object(struct tfr_output *o, struct tfr_error *err)
{
	enum tfr_status status = o->remote->seal(o->upload, err);

	o->held = *o->remote->uploaded(o->upload);
	o->sealed = !status;
	return status;
}

static enum tfr_status output_complete_object(struct tfr_output *o, struct tfr_error *err)
{
	TFR_TRY(o->remote->complete(o->upload, err));
	o->before = o->state;
	o->state = TFR_OUTPUT_PUBLISHED;
	return TFR_OK;
}

static enum tfr_status need_name(struct tfr_output *o, struct tfr_error *err)
{
	return o->state == TFR_OUTPUT_NAMELESS ? output_take_temporary(o, err) : TFR_OK;
}

/* --- opening --- */

static enum tfr_status open_new(struct tfr_output *o, struct tfr_error *err)
{
	if (!o->brief) {
		o->fd = tfr_nameless_open(o->called);
		o->owned = o->fd >= 0;
		if (!o->owned && errno != EOPNOTSUPP)
			return tfr_fail_create(err, errno, output_called(o));
		if (o->owned)
			o->state = TFR_OUTPUT_NAMELESS;
	}
	if (o->state == TFR_OUTPUT_NAMELESS)
		return fstat(o->fd, &o->held) ? tfr_fail_create(err, errno, output_called(o))
					      : TFR_OK;
	TFR_TRY(output_take_temporary(o, err));
	if (o->brief)
		output_give_back(o);
	return TFR_OK;
}

static enum tfr_status open_file(
	struct tfr_output *o, const struct tfr_output_opts *opts, struct tfr_error *err)
{
	const char *called = opts->temporary ? opts->temporary : o->path;

	o->called = strdup(called);
	TFR_NEED_MEMORY(o->called, err, "creating a file");
	return opts->resume ? output_open_again(o, opts, err) : open_new(o, err);
}

/* Whether a file can be created: its folder exists and may be written to. */
static enum tfr_status check_folder(const struct tfr_output *o, struct tfr_error *err)
{
	TFR_AUTO_FREE char *folder = tfr_folder_of(o->path);

	TFR_NEED_MEMORY(folder, err, "creating a file");
	return access(folder, W_OK | X_OK) ? tfr_fail_create(err, errno, output_called(o)) : TFR_OK;
}

static enum tfr_status open_target(struct tfr_output *o, const char *path,
	const struct tfr_output_opts *opts, struct tfr_error *err)
{
	struct stat st;

	o->path = path ? strdup(path) : NULL;
	TFR_NEED_MEMORY(!path || o->path, err, "creating a file");
	if (!o->path && tfr_is_url(opts->temporary)) {
		tfr_fail_path(err, TFR_EUSAGE, opts->temporary,
			"the number of shards must be known before objects are written:");
		tfr_error_hint(err, "Give a number in place of 'auto'.");
		return TFR_EUSAGE;
	}
	if (!o->path)
		return open_file(o, opts, err);
	if (tfr_is_url(o->path))
		return output_open_object(o, opts, err);
	if (tfr_path_is_stdout(o->path)) {
		o->fd = STDOUT_FILENO;
		return TFR_OK;
	}
	if (stat(o->path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return tfr_fail_errno(err, EISDIR, o->path, "cannot write");
		if (!S_ISREG(st.st_mode) && opts->discard)
			return TFR_OK;
		if (!S_ISREG(st.st_mode)) {
			o->fd = TEMP_FAILURE_RETRY(open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY));
			if (o->fd < 0)
				return tfr_fail_errno(err, errno, o->path, "cannot open");
			o->owned = true;
			return TFR_OK;
		}
		if (!opts->force && !opts->sealed)
			return tfr_fail_exists(err, o->path);
	} else if (errno != ENOENT && errno != ELOOP) {
		return tfr_fail_create(err, errno, output_called(o));
	}
	return opts->discard ? check_folder(o, err) : open_file(o, opts, err);
}

enum tfr_status tfr_output_open(struct tfr_output **out, const char *path,
	const struct tfr_output_opts *opts, struct tfr_error *err)
{
	static const struct tfr_output_opts defaults;
	struct tfr_output *o = calloc(1, sizeof(*o));
	enum tfr_status status;

	TFR_NEED_MEMORY(o, err, "creating a file");
	if (!opts)
		opts = &defaults;
	o->fd = -1;
	o->force = opts->force;
	o->brief = opts->brief;
	o->discard = opts->discard;
	o->kept = opts->resume;
	o->temporaries = opts->resume ? NULL : opts->temporaries;
	status = open_target(o, path, opts, err);
	if (status)
		tfr_output_close(o);
	else
		*out = o;
	return status;
}

static enum tfr_status cannot_write(const struct tfr_output *o, struct tfr_error *err)
{
	if (o->path && tfr_path_is_stdout(o->path))
		return tfr_fail_errno(err, errno, NULL, "cannot write to standard output");
	return tfr_fail_errno(err, errno, output_called(o), "cannot write");
}

/* Opens the temporary file again, whose descriptor was closed. */
static enum tfr_status reopen(struct tfr_output *o, struct tfr_error *err)
{
	struct stat st;

	if (o->fd >= 0 || o->state != TFR_OUTPUT_TEMPORARY)
		return TFR_OK;
	o->fd = TEMP_FAILURE_RETRY(open(o->temp, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
	if (o->fd < 0)
		return tfr_fail_errno(err, errno, o->temp, "cannot open again");
	o->owned = true;
	if (fstat(o->fd, &st) || st.st_ino != o->held.st_ino || st.st_dev != o->held.st_dev ||
		(uint64_t)st.st_size != o->size)
		return tfr_fail_path(err, TFR_ESYS, o->temp, "changed by another process:");
	return TFR_OK;
}

static void after_use(struct tfr_output *o)
{
	if (o->brief && o->state == TFR_OUTPUT_TEMPORARY)
		output_give_back(o);
}

static enum tfr_status write_pieces(
	struct tfr_output *o, struct iovec *pieces, int n, struct tfr_error *err)
{
	for (; n && o->discard; n--, pieces++)
		o->size += pieces->iov_len;
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
	enum tfr_status status;

	if (o->upload)
		return output_write_object(o, pieces, n, err);
	status = reopen(o, err);
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

enum tfr_status tfr_output_seal(struct tfr_output *o, struct tfr_error *err)
{
	enum tfr_status status;

	if (o->upload)
		return output_seal_object(o, err);
	status = reopen(o, err);
	if (!status && (o->state == TFR_OUTPUT_NAMELESS || o->state == TFR_OUTPUT_TEMPORARY) &&
		(TEMP_FAILURE_RETRY(fsync(o->fd)) || fstat(o->fd, &o->held)))
		status = cannot_write(o, err);
	o->sealed = !status;
	after_use(o);
	return status;
}

enum tfr_status tfr_output_checkpoint(struct tfr_output *o, uint64_t *token, struct tfr_error *err)
{
	enum tfr_status status;

	assert(!o->upload);
	TFR_TRY(need_name(o, err));
	*token = o->token;
	if (o->sealed)
		return TFR_OK;
	status = reopen(o, err);
	if (!status && o->state == TFR_OUTPUT_TEMPORARY && TEMP_FAILURE_RETRY(fdatasync(o->fd)))
		status = cannot_write(o, err);
	after_use(o);
	return status;
}

enum tfr_status tfr_output_rest(struct tfr_output *o, struct tfr_error *err)
{
	o->brief = true;
	TFR_TRY(need_name(o, err));
	if (o->state == TFR_OUTPUT_TEMPORARY && o->fd >= 0)
		sync_file_range(o->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	after_use(o);
	return TFR_OK;
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
	TFR_NEED_MEMORY(o->path, err, "naming a file");
	return TFR_OK;
}

enum tfr_status tfr_output_release(struct tfr_output *o, struct tfr_error *err)
{
	enum tfr_status status = need_name(o, err);

	output_give_back(o);
	return status;
}

/* --- publishing --- */

enum tfr_status tfr_output_prepare(struct tfr_output *o, struct tfr_error *err)
{
	struct stat st;

	if (o->state != TFR_OUTPUT_NAMELESS)
		return TFR_OK;
	if (lstat(o->path, &st) == 0)
		return need_name(o, err);
	return errno == ENOENT ? TFR_OK : tfr_fail_errno(err, errno, o->path, "cannot access");
}

enum tfr_status tfr_output_place(struct tfr_output *o, bool replace, struct tfr_error *err)
{
	int failed;

	if (o->state == TFR_OUTPUT_STREAM || o->state == TFR_OUTPUT_PUBLISHED)
		return TFR_OK;
	if (o->state == TFR_OUTPUT_OBJECT)
		return output_complete_object(o, err);
	if (o->state == TFR_OUTPUT_NAMELESS)
		failed = tfr_nameless_link(o->fd, o->path);
	else
		failed = replace ? rename(o->temp, o->path) : tfr_rename_new(o->temp, o->path);
	if (failed && errno == EEXIST)
		return tfr_fail_path(err, TFR_EEXIST, o->path, "will not overwrite");
	if (failed)
		return tfr_fail_errno(err, errno, o->path, "cannot give its name to");
	o->before = o->state;
	o->state = TFR_OUTPUT_PUBLISHED;
	tfr_temporaries_forget(o->noted);
	return TFR_OK;
}

void tfr_output_displaced(struct tfr_output *o)
{
	if (o->state == TFR_OUTPUT_PUBLISHED)
		o->state = o->before;
}

enum tfr_status tfr_output_publish(struct tfr_output *o, struct tfr_error *err)
{
	enum tfr_status status = TFR_EEXIST;

	/* A file may appear after the check. */
	for (int tries = 0; status == TFR_EEXIST && tries < 2; tries++) {
		status = o->force ? tfr_output_prepare(o, err) : TFR_OK;
		if (!status)
			status = tfr_output_place(o, o->force, err);
		if (!o->force)
			break;
	}
	return status;
}

void tfr_output_close(struct tfr_output *o)
{
	if (!o)
		return;
	if (o->state == TFR_OUTPUT_TEMPORARY && !o->kept)
		unlink(o->temp);
	tfr_temporaries_forget(o->noted);
	if (o->upload)
		o->remote->end(o->upload);
	output_give_back(o);
	free(o->path);
	free(o->called);
	free(o->temp);
	free(o);
}

bool tfr_output_is_object(const struct tfr_output *o)
{
	return o->upload;
}

const struct stat *tfr_output_stat(const struct tfr_output *o)
{
	return &o->held;
}

uint64_t tfr_stat_mtime(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

const char *tfr_output_path(const struct tfr_output *o)
{
	return o->path;
}

const char *tfr_output_temporary(const struct tfr_output *o)
{
	return o->temp;
}

bool tfr_output_is_file(const struct tfr_output *o)
{
	return o->state != TFR_OUTPUT_STREAM;
}

bool tfr_output_replaces(const struct tfr_output *o)
{
	return o->force;
}

bool tfr_fd_write(int fd, const void *data, size_t size, int64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const uint8_t *from = (const uint8_t *)data + done;
		ssize_t n = offset < 0 ? write(fd, from, size - done)
				       : pwrite(fd, from, size - done, offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : EIO;
			return false;
		}
		done += (size_t)n;
	}
	return true;
}

enum tfr_status tfr_sync_directory_of(const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *directory = tfr_folder_of(path);
	TFR_AUTO_CLOSE int fd = -1;

	if (tfr_is_url(path))
		return TFR_OK;
	TFR_NEED_MEMORY(directory, err, "writing a directory");
	fd = TEMP_FAILURE_RETRY(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	/* Some file systems cannot sync a directory and return EINVAL.  Nothing more can be done
	 * then. */
	if (fd < 0 || (TEMP_FAILURE_RETRY(fsync(fd)) && errno != EINVAL))
		return tfr_fail_errno(err, errno, directory, "cannot write");
	return TFR_OK;
}

static enum tfr_status write_and_publish(
	struct tfr_output *o, const void *data, size_t size, struct tfr_error *err)
{
	TFR_TRY(tfr_output_write(o, data, size, err));
	TFR_TRY(tfr_output_seal(o, err));
	return tfr_output_publish(o, err);
}

enum tfr_status tfr_output_whole(const char *path, const struct tfr_output_opts *opts,
	const void *data, size_t size, struct tfr_error *err)
{
	struct tfr_output *out = NULL;
	enum tfr_status status;

	TFR_TRY(tfr_output_open(&out, path, opts, err));
	status = write_and_publish(out, data, size, err);
	tfr_output_close(out);
	return status ? status : tfr_sync_directory_of(path, err);
}
