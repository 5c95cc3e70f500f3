/* io/temporaries.h - files until they are published: their names and owners, and a register of them
 * for a signal handler.
 *
 * A file that another program put under such a name is never written to: names are created with
 * O_EXCL or linkat(), and a file that is opened again must be ours (tfr-records(5), PUBLISHING). */
#ifndef TFR_IO_TEMPORARIES_H
#define TFR_IO_TEMPORARIES_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <tfr-private/io.h>

/* "out/.NAME.tmp" for "out/NAME" and "tmp"; with a token other than 0,
 * "out/.NAME.0123456789abcdef.tmp".  NAME is cut where the result would be longer than a name may
 * be.  The caller frees it; NULL: out of memory. */
char *tfr_hidden_name(const char *path, uint64_t token, const char *suffix);
/* The reverse, in place, for a name without a folder: "NAME" from ".NAME.tmp", ".NAME.TOKEN.tmp"
 * or ".NAME.TOKEN.old", which sets *old.  NULL: none of these. */
const char *tfr_hidden_stem(char *name, bool *old);
/* The folder of `path`: "out" or ".".  The caller frees it; NULL: out of memory. */
char *tfr_folder_of(const char *path);
/* 64 random bits, never 0. */
uint64_t tfr_random_token(void);

/* Whether `path` is another name of standard output, such as "/dev/stdout".  Such a link must not
 * be replaced, and opening it would open a file again, at its start. */
bool tfr_path_is_stdout(const char *path);

/* Whether the open file is a regular file of this user with one link; *st is what it is. */
bool tfr_file_is_ours(int fd, struct stat *st);
/* Whether `path` names the file that *st is. */
bool tfr_file_is_named(const struct stat *st, const char *path);
/* Removes a file that a run of ours left and that no process has locked.  Returns whether the name
 * is free. */
bool tfr_left_file_remove(const char *path);

/* Opens a new file without a name in the folder of `path`, locked.  -1 with errno.  EOPNOTSUPP:
 * the file system has no such files, or cannot name them. */
int tfr_nameless_open(const char *path);
/* Gives it a name that is free.  -1 with errno. */
int tfr_nameless_link(int fd, const char *path);
/* rename() to a name that is free, in one step where the file system can.  -1 with errno. */
int tfr_rename_new(const char *from, const char *to);

/* --- the temporary files of a process, for a signal handler --- */

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
