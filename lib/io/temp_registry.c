/* io/temp_registry.c - the temporary files of a process, readable from a signal handler.
 *
 * The list only grows.  Entries are linked with a release store and freed only with the list, so a
 * handler sees complete entries whatever instruction it interrupts.  Forgetting clears a flag. */
#include "io/temp_registry.h"
#include "io/object.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"

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

void tfr_temporaries_unlink(struct tfr_temporaries *t)
{
	const struct timespec moment = { 0, 100000 };

	if (!t)
		return;
	atomic_store(&t->closed, true);
	while (atomic_load(&t->creating) > 0)
		nanosleep(&moment, NULL);
	for (struct entry *e = atomic_load(&t->first); e; e = e->next)
		if (atomic_load(&e->live))
			unlink(e->path);
	tfr_objects_abort();
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
