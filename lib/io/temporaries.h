/* io/temporaries.h - noting a temporary file where a signal handler can find it. */
#ifndef TFR_IO_TEMPORARIES_H
#define TFR_IO_TEMPORARIES_H

#include <tfr/io.h>

/* Notes `path` (copied) and returns a handle for tfr_temporaries_forget(), or NULL: out of memory.
 * `t` may be NULL, then the handle is NULL as well and that is no failure. */
void *tfr_temporaries_note(struct tfr_temporaries *t, const char *path);
void tfr_temporaries_forget(void *handle);

#endif
