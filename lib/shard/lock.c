/* shard/lock.c - lock files, and recovery from a journal that is found in one.
 *
 * The process that holds the lock removes the lock file.  A lock file that is not locked was left
 * by a process that was killed.  A process may open a lock file that another one removes before the
 * lock is taken; it then holds a file without a name, and tries again. */
#include "shard/publication.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/suffix.h"
#include "io/path.h"
#include "io/source.h"
#include "io/temporaries.h"

enum { TRIES = 100, MOST_JOURNAL = 1 << 30 };

struct tfr_lock {
	int fd;	     /* of the lock file, locked; -1: given up */
	char *path;  /* of the lock file, absolute */
	char *shown; /* the same as the caller named the target */
	char *folder;
	const char *subject; /* belongs to the caller */
	struct tfr_temporaries *temporaries;
	void *noted;	/* in them, as long as a signal handler may remove the file */
	bool journaled; /* the file holds a journal, and stays until that is completed */
};

/* --- locking --- */

static enum tfr_status not_ours(const char *path, struct tfr_error *err)
{
	tfr_fail_path(err, TFR_ESYS, path, "not a lock file of this user:");
	tfr_error_hint(err, "A lock file is a regular file with one link.  Remove the file that "
			    "has this name.");
	return TFR_ESYS;
}

/* TFR_END: the file was removed meanwhile.  A file that cannot be locked stays, unless this call
 * created it. */
static enum tfr_status lock_file(
	int *out, const char *path, const char *subject, bool create, struct tfr_error *err)
{
	int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = create ? TEMP_FAILURE_RETRY(open(path, flags | O_CREAT | O_EXCL, 0600)) : -1;
	bool created = fd >= 0;
	struct stat st;
	int saved;

	if (create && !created && errno != EEXIST)
		return tfr_fail_create(err, errno, subject);
	if (!created)
		fd = TEMP_FAILURE_RETRY(open(path, flags));
	if (fd < 0 && errno == ENOENT)
		return TFR_END;
	if (fd < 0 && errno == ELOOP)
		return not_ours(path, err);
	if (fd < 0)
		return tfr_fail_errno(err, errno, create ? subject : path,
			create ? "cannot create" : "cannot lock");
	*out = fd;
	if (TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB))) {
		saved = errno;
		if (created && saved != EWOULDBLOCK)
			unlink(path);
		return saved == EWOULDBLOCK
			       ? tfr_fail_path(err, TFR_ESYS, subject, "another run is writing")
			       : tfr_fail_errno(err, saved, path, "cannot lock");
	}
	if (fstat(fd, &st) || !tfr_file_is_named(&st, path))
		return TFR_END;
	if (tfr_file_is_ours(fd, &st))
		return TFR_OK;
	if (created)
		unlink(path);
	return not_ours(path, err);
}

static enum tfr_status lock_named_file(
	int *fd, const char *path, const char *subject, bool create, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;

	for (int tries = 0; status == TFR_END && tries < (create ? TRIES : 1); tries++) {
		*fd = -1;
		status = lock_file(fd, path, subject, create, err);
		if (status && *fd >= 0)
			close(*fd);
	}
	if (status)
		*fd = -1;
	return status == TFR_END && create
		       ? tfr_fail_path(err, TFR_ESYS, subject, "other runs keep writing")
		       : status;
}

bool tfr_lock_is_locked(const char *path)
{
	TFR_AUTO_FREE char *name = tfr_hidden_name(path, 0, "lock");
	TFR_AUTO_CLOSE int fd = name ? TEMP_FAILURE_RETRY(open(name,
					       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
				     : -1;

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

/* --- recovery --- */

static enum tfr_status read_journal(
	int fd, const char *path, struct tfr_journal *j, struct tfr_error *err)
{
	TFR_AUTO_SOURCE source = NULL;
	TFR_AUTO_BUF text = { 0 };
	struct stat st;
	size_t got = 0;

	if (fstat(fd, &st))
		return tfr_fail_errno(err, errno, path, "cannot read");
	if (st.st_size > MOST_JOURNAL)
		return tfr_fail_path(err, TFR_EDATA, path, "not a journal:");
	TFR_NEED_MEMORY(tfr_buf_reserve(&text, (size_t)st.st_size + 1), err, "reading a journal");
	TFR_TRY(tfr_source_open_fd(&source, fd, path, err));
	TFR_TRY(tfr_source_read_at(source, 0, text.data, (size_t)st.st_size, &got, err));
	return tfr_journal_parse(j, text.data, got, err);
}

/* Whether a lock file that is locked, perhaps by this process, still contains the journal.  If not,
 * its owner took it after the journal was completed. */
static bool contains_journal(const char *path, const struct tfr_journal *j)
{
	TFR_AUTO_CLOSE int fd =
		TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	TFR_AUTO_JOURNAL other = { 0 };
	enum tfr_status status = fd < 0 ? TFR_END : read_journal(fd, path, &other, NULL);

	return status ? status != TFR_END : other.token == j->token;
}

/* Opens another lock file of a journal: *fd, and whether it still contains the journal. */
static enum tfr_status lock_other(const struct tfr_journal *j, const char *path,
	const char *subject, int *fd, bool *held, struct tfr_error *err)
{
	TFR_AUTO_JOURNAL other = { 0 };
	enum tfr_status status = lock_named_file(fd, path, subject, false, NULL);

	*held = false;
	if (status == TFR_ESYS && !contains_journal(path, j))
		return TFR_OK;
	if (status == TFR_ESYS)
		status = lock_named_file(fd, path, subject, false, err); /* says why */
	if (!status)
		status = read_journal(*fd, path, &other, err);
	if (status == TFR_END) /* the journal was completed */
		return TFR_OK;
	*held = !status && other.token == j->token;
	return status;
}

static void report_recovery(const struct tfr_lock_opts *opts, bool committed)
{
	char text[4300];

	if (!opts->warn)
		return;
	snprintf(text, sizeof(text),
		committed ? "'%.4000s' was published by a run that was killed afterwards"
			  : "undid the publication of '%.4000s' that a killed run had begun",
		opts->subject);
	opts->warn(opts->ctx, text);
}

static enum tfr_status finish_or_undo(const struct tfr_journal *j, const char *subject,
	uint32_t own, int *fds, bool *held, bool *committed, struct tfr_error *err)
{
	for (uint32_t k = 0; k < j->n_locks; k++)
		if (k != own)
			TFR_TRY(lock_other(j, j->locks[k], subject, &fds[k], &held[k], err));
	*committed = tfr_journal_is_committed(j, held);
	return *committed ? tfr_journal_finish(j, held, err) : tfr_journal_undo(j, held, err);
}

static enum tfr_status complete_journal(struct tfr_lock *t, const struct tfr_lock_opts *opts,
	const struct tfr_journal *j, uint32_t own, struct tfr_error *err)
{
	TFR_AUTO_FREE int *fds = malloc(j->n_locks * sizeof(*fds));
	TFR_AUTO_FREE bool *held = calloc(j->n_locks, sizeof(*held));
	enum tfr_status status;
	bool committed = false;

	TFR_NEED_MEMORY(fds && held, err, "reading a journal");
	for (uint32_t k = 0; k < j->n_locks; k++)
		fds[k] = -1;
	held[own] = true;
	status = finish_or_undo(j, t->subject, own, fds, held, &committed, err);
	for (uint32_t k = 0; k < j->n_locks; k++) {
		if (!status && k == own)
			status = tfr_lock_end(t, err);
		else if (!status && held[k])
			unlink(j->locks[k]);
		if (fds[k] >= 0)
			close(fds[k]);
	}
	if (!status)
		report_recovery(opts, committed);
	return status;
}

static enum tfr_status recover_journal(
	struct tfr_lock *t, const struct tfr_lock_opts *opts, struct tfr_error *err)
{
	TFR_AUTO_JOURNAL j = { 0 };
	enum tfr_status status = read_journal(t->fd, t->shown, &j, err);
	uint32_t own = 0;

	if (status == TFR_END) { /* no name had changed */
		t->journaled = false;
		return TEMP_FAILURE_RETRY(ftruncate(t->fd, 0))
			       ? tfr_fail_errno(err, errno, t->shown, "cannot truncate")
			       : TFR_OK;
	}
	TFR_TRY(status);
	while (own < j.n_locks && strcmp(j.locks[own], t->path) != 0)
		own++;
	if (own < j.n_locks)
		return complete_journal(t, opts, &j, own, err);
	tfr_fail_path(
		err, TFR_EEXIST, t->shown, "a run that was publishing in another folder has left");
	tfr_error_hint(err,
		"Its files were '%.500s' and others.  Move the folder back and run the "
		"command again, or look at the files named .old and remove the lock file.",
		j.entries[0].path);
	return TFR_EEXIST;
}

/* --- the lock --- */

static enum tfr_status find_folder(struct tfr_lock *t, const char *path, struct tfr_error *err)
{
	TFR_AUTO_FREE char *folder = tfr_folder_of(path);
	TFR_AUTO_FREE char *plain = NULL;

	TFR_NEED_MEMORY(folder, err, "creating a set");
	t->folder = realpath(folder, NULL);
	if (!t->folder)
		return tfr_fail_create(err, errno, t->subject);
	plain = tfr_asprintf("%s/%s", strcmp(t->folder, "/") ? t->folder : "", tfr_base_name(path));
	TFR_NEED_MEMORY(plain, err, "creating a set");
	t->path = tfr_hidden_name(plain, 0, "lock");
	t->shown = tfr_hidden_name(path, 0, "lock");
	return t->path && t->shown ? TFR_OK : tfr_fail_nomem(err, "creating a set");
}

static enum tfr_status take_lock(struct tfr_lock *t, const char *path,
	const struct tfr_lock_opts *opts, struct tfr_error *err)
{
	enum tfr_status status;
	sigset_t saved;
	struct stat st;

	TFR_TRY(find_folder(t, path, err));
	tfr_temporaries_begin(t->temporaries, &saved);
	status = lock_named_file(&t->fd, t->shown, t->subject, true, err);
	t->journaled = !status && (fstat(t->fd, &st) || st.st_size > 0);
	if (!status && !t->journaled)
		t->noted = tfr_temporaries_note(t->temporaries, t->path);
	tfr_temporaries_end(t->temporaries, &saved);
	TFR_TRY(status);
	if (t->journaled) {
		TFR_TRY(recover_journal(t, opts, err));
		t->noted = tfr_temporaries_note(t->temporaries, t->path);
	}
	TFR_NEED_MEMORY(!t->temporaries || t->noted, err, "creating a set");
	return TFR_OK;
}

enum tfr_status tfr_lock_open(struct tfr_lock **out, const char *path,
	const struct tfr_lock_opts *opts, struct tfr_error *err)
{
	struct tfr_lock *t = calloc(1, sizeof(*t));
	enum tfr_status status;

	TFR_NEED_MEMORY(t, err, "creating a set");
	t->fd = -1;
	t->subject = opts->subject;
	t->temporaries = opts->temporaries;
	status = take_lock(t, path, opts, err);
	if (status)
		tfr_lock_close(t);
	else
		*out = t;
	return status;
}

static void release_lock(struct tfr_lock *t)
{
	tfr_temporaries_forget(t->noted);
	t->noted = NULL;
	if (t->fd < 0)
		return;
	if (!t->journaled)
		unlink(t->path);
	close(t->fd);
	t->fd = -1;
}

void tfr_lock_close(struct tfr_lock *t)
{
	if (!t)
		return;
	release_lock(t);
	free(t->path);
	free(t->shown);
	free(t->folder);
	free(t);
}

void tfr_lock_publish(struct tfr_lock *t)
{
	t->journaled = false;
	release_lock(t);
}

const char *tfr_lock_folder(const struct tfr_lock *t)
{
	return t->folder;
}

const char *tfr_lock_path(const struct tfr_lock *t)
{
	return t->path;
}

enum tfr_status tfr_lock_begin(
	struct tfr_lock *t, const void *journal, size_t size, struct tfr_error *err)
{
	tfr_temporaries_forget(t->noted);
	t->noted = NULL;
	if (!tfr_fd_write(t->fd, journal, size, 0) || TEMP_FAILURE_RETRY(fsync(t->fd)))
		return tfr_fail_errno(err, errno, t->shown, "cannot write");
	t->journaled = true;
	return tfr_sync_directory_of(t->path, err);
}

enum tfr_status tfr_lock_end(struct tfr_lock *t, struct tfr_error *err)
{
	if (TEMP_FAILURE_RETRY(ftruncate(t->fd, 0)) || TEMP_FAILURE_RETRY(fsync(t->fd)))
		return tfr_fail_errno(err, errno, t->shown, "cannot truncate");
	t->journaled = false;
	return TFR_OK;
}
