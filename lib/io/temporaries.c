/* io/temporaries.c - makes, recognises and removes temporary names, in this place only, and
 * keeps a register of them for signals. */
#include "io/temporaries.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/suffix.h"
#include "io/object.h"

enum { TOKEN_DIGITS = 16 };
enum { HIDDEN_EXTRA = 24 }; /* two dots and a token of 16 digits, a dot, and a suffix */

char *tfr_hidden_name(const char *path, uint64_t token, const char *suffix)
{
	const char *base = tfr_base_name(path);
	size_t most = NAME_MAX - HIDDEN_EXTRA, n = strlen(base) < most ? strlen(base) : most;
	char digits[20] = "";

	if (token)
		snprintf(digits, sizeof(digits), ".%016llx", (unsigned long long)token);
	return tfr_asprintf(
		"%.*s.%.*s%s.%s", (int)(base - path), path, (int)n, base, digits, suffix);
}

const char *tfr_hidden_stem(char *name, bool *old)
{
	size_t n = strlen(name);
	char *token;

	if (name[0] != '.' || n < strlen(".x.tmp"))
		return NULL;
	*old = !strcmp(name + n - 4, ".old");
	if (!*old && strcmp(name + n - 4, ".tmp") != 0)
		return NULL;
	name[n - 4] = '\0';
	token = strrchr(name + 1, '.');
	if (token && strlen(token + 1) == TOKEN_DIGITS &&
		strspn(token + 1, "0123456789abcdef") == TOKEN_DIGITS)
		*token = '\0';
	else if (*old)
		return NULL;
	return name + 1;
}

char *tfr_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

uint64_t tfr_random_token(void)
{
	uint64_t token = 0;

	/* The pool is ready long before a user's program starts; an interrupted call is repeated.
	 */
	while (!token && getrandom(&token, sizeof(token), 0) < 0 && errno == EINTR)
		;
	return token ? token : 1;
}

bool tfr_path_is_stdout(const char *path)
{
	static const char *const names[] = { "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(path, names[i]))
			return true;
	return false;
}

bool tfr_file_is_ours(int fd, struct stat *st)
{
	return fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	       st->st_nlink == 1;
}

bool tfr_file_is_named(const struct stat *st, const char *path)
{
	struct stat named;

	return lstat(path, &named) == 0 && named.st_ino == st->st_ino && named.st_dev == st->st_dev;
}

/* The holder of the lock may remove the name, unless another run removed it and created its own
 * file between our open and our lock. */
bool tfr_left_file_remove(const char *path)
{
	TFR_AUTO_CLOSE int fd =
		TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	struct stat st;

	if (fd < 0)
		return errno == ENOENT;
	return tfr_file_is_ours(fd, &st) && TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)) == 0 &&
	       tfr_file_is_named(&st, path) && unlink(path) == 0;
}

int tfr_nameless_open(const char *path)
{
	TFR_AUTO_FREE char *folder = tfr_folder_of(path);
	int fd, saved;

	if (!folder) {
		errno = ENOMEM;
		return -1;
	}
	if (access("/proc/self/fd", X_OK)) { /* linking uses it */
		errno = EOPNOTSUPP;
		return -1;
	}
	fd = TEMP_FAILURE_RETRY(open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
	/* Kernels and file systems that do not know the flag open the folder for writing. */
	if (fd < 0 && (errno == EISDIR || errno == EINVAL))
		errno = EOPNOTSUPP;
	if (fd < 0 || TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

int tfr_nameless_link(int fd, const char *path)
{
	char from[40];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int tfr_rename_new(const char *from, const char *to)
{
	struct stat st;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (link(from, to) == 0)
		return unlink(from);
	if (errno == EEXIST)
		return -1;
	/* The file system cannot do it in one step. */
	if (lstat(to, &st) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(from, to);
}

/* --- the register --- */

/* The temporary files of a process, readable from a signal handler.
 *
 * The list only grows.  Entries are linked with a release store and freed only with the list, so a
 * handler sees complete entries whatever instruction it interrupts.  Forgetting clears a flag. */

struct entry {
	struct entry *next;
	atomic_bool live;
	char path[];
};

struct tfr_temporaries {
	_Atomic(struct entry *) first;
	atomic_int creating; /* threads between begin and end */
	atomic_bool
		closed; /* a handler removes files and the process ends: nothing more is created */
	pthread_mutex_t lock;
};

struct tfr_temporaries *tfr_temporaries_new(void)
{
	struct tfr_temporaries *t = calloc(1, sizeof(*t));

	if (t)
		pthread_mutex_init(&t->lock, NULL);
	return t;
}

void tfr_temporaries_free(struct tfr_temporaries *t)
{
	struct entry *e, *next;

	if (!t)
		return;
	for (e = atomic_load(&t->first); e; e = next) {
		next = e->next;
		free(e);
	}
	pthread_mutex_destroy(&t->lock);
	free(t);
}

/* A thread that creates a file blocks its signals, so a handler never waits for its own thread. */
void tfr_temporaries_begin(struct tfr_temporaries *t, sigset_t *saved)
{
	sigset_t all;

	if (!t)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, saved);
	atomic_fetch_add(&t->creating, 1);
	if (atomic_load(&t->closed)) {
		atomic_fetch_sub(&t->creating, 1);
		for (;;)
			pause();
	}
}

void tfr_temporaries_end(struct tfr_temporaries *t, const sigset_t *saved)
{
	if (!t)
		return;
	atomic_fetch_sub(&t->creating, 1);
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

const char *tfr_temporaries_unlink(struct tfr_temporaries *t)
{
	const struct timespec moment = { 0, 100000 };

	if (!t)
		return "";
	atomic_store(&t->closed, true);
	while (atomic_load(&t->creating) > 0)
		nanosleep(&moment, NULL);
	for (struct entry *e = atomic_load(&t->first); e; e = e->next)
		if (atomic_load(&e->live))
			unlink(e->path);
	return tfr_objects_abort(false);
}

void *tfr_temporaries_note(struct tfr_temporaries *t, const char *path)
{
	size_t size = strlen(path) + 1;
	struct entry *e;

	if (!t)
		return NULL;
	e = malloc(sizeof(*e) + size);
	if (!e)
		return NULL;
	memcpy(e->path, path, size);
	atomic_init(&e->live, true);
	pthread_mutex_lock(&t->lock);
	e->next = atomic_load(&t->first);
	atomic_store(&t->first, e);
	pthread_mutex_unlock(&t->lock);
	return e;
}

void tfr_temporaries_forget(void *handle)
{
	struct entry *e = handle;

	if (e)
		atomic_store(&e->live, false);
}

int tfr_temporary_nameless(const char *folder)
{
	TFR_AUTO_FREE char *path = NULL;
	int fd = TEMP_FAILURE_RETRY(open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	path = tfr_asprintf("%s/.tfr-XXXXXX", folder);
	if (!path) {
		errno = ENOMEM;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}
