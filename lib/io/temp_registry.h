/* io/temp_registry.h - registers temporary files so that a signal handler can find them. */
#ifndef TFR_IO_TEMP_REGISTRY_H
#define TFR_IO_TEMP_REGISTRY_H

#include <signal.h>

#include <tfr-private/io.h>

/* Enclose the creation and registration of a temporary file.  A signal handler waits until both
 * are done, so it never misses a file.  `t` may be NULL. */
void tfr_temporaries_begin(struct tfr_temporaries *t, sigset_t *saved);
void tfr_temporaries_end(struct tfr_temporaries *t, const sigset_t *saved);

/* Registers `path` (copied) and returns a handle for tfr_temporaries_forget().  NULL: out of
 * memory. If `t` is NULL, the handle is NULL, too, which is no failure. */
void *tfr_temporaries_note(struct tfr_temporaries *t, const char *path);
void tfr_temporaries_forget(void *handle);

/* Creates a file without a name in `folder` for reading and writing, which disappears with its
 * last descriptor, however the process ends.  If the file system cannot do that, the file has a
 * name that is removed at once.  -1 with errno. */
int tfr_temporary_nameless(const char *folder);

#endif
