/* io/temporaries.c - the temporaries of a process, readable from a signal handler.
 *
 * A list that only grows: entries are linked in with a release store and never freed before the
 * whole list is, so a handler that interrupts any instruction sees whole entries.  Forgetting
 * clears a flag. */
#include "io/temporaries.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct entry {
	struct entry *next;
	atomic_bool live;
	char path[];
};

struct tfr_temporaries {
	_Atomic(struct entry *) first;
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

void tfr_temporaries_unlink(const struct tfr_temporaries *t)
{
	if (!t)
		return;
	for (struct entry *e = atomic_load(&t->first); e; e = e->next)
		if (atomic_load(&e->live))
			unlink(e->path);
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
