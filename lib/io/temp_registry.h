/* io/temp_registry.h - noting a temporary file where a signal handler can find it. */
#ifndef TFR_IO_TEMP_REGISTRY_H
#define TFR_IO_TEMP_REGISTRY_H

#include <signal.h>

#include <tfr-private/io.h>

/* Around creating and noting a temporary: a signal's handler waits until the pair is done, so that
 * no moment exists at which the file is there and not in the list.  `t` may be NULL. */
void tfr_temporaries_begin(struct tfr_temporaries *t, sigset_t *saved);
void tfr_temporaries_end(struct tfr_temporaries *t, const sigset_t *saved);

/* Notes `path` (copied) and returns a handle for tfr_temporaries_forget(), or NULL: out of memory.
 * `t` may be NULL, then the handle is NULL as well and that is no failure. */
void *tfr_temporaries_note(struct tfr_temporaries *t, const char *path);
void tfr_temporaries_forget(void *handle);

/* Makes a file in `folder` to read and write, which has no name, so that it goes with its last
 * descriptor, however the process ends; where the file system cannot make one, it has a name that
 * is removed at once.  -1: errno says why. */
int tfr_temporary_nameless(const char *folder);

#endif
