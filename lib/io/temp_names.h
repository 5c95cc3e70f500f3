/* io/temp_names.h - the names that a file has until it is published, and whose files they may be.
 *
 * Nothing is ever written to a file that another program may have put under such a name: names are
 * created with O_EXCL or linkat(), and a file that is opened again must be ours (tfr-records(5),
 * PUBLISHING). */
#ifndef TFR_IO_TEMP_NAMES_H
#define TFR_IO_TEMP_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* "out/.NAME.tmp" for "out/NAME" and "tmp"; with a token other than 0,
 * "out/.NAME.0123456789abcdef.tmp".  NAME is cut where the result would be longer than a name may
 * be.  The caller frees it; NULL: out of memory. */
char *tfr_hidden_name(const char *path, uint64_t token, const char *suffix);
/* The reverse, in place, of a name without a folder: "NAME" of ".NAME.tmp", ".NAME.TOKEN.tmp" or
 * ".NAME.TOKEN.old"; *old tells the last.  NULL: none of them. */
const char *tfr_hidden_stem(char *name, bool *old);
/* The folder of `path`: "out" or ".".  The caller frees it; NULL: out of memory. */
char *tfr_folder_of(const char *path);
/* 64 random bits, never 0. */
uint64_t tfr_random_token(void);

/* Whether `path` is another name of standard output, "/dev/stdout" or the like: a link that must
 * not be replaced, and that a file would be opened by again, from its beginning. */
bool tfr_path_is_stdout(const char *path);

/* Whether the open file is a regular file of this user with one link; *st is what it is. */
bool tfr_file_is_ours(int fd, struct stat *st);
/* Whether `path` names the file that *st is. */
bool tfr_file_is_named(const struct stat *st, const char *path);
/* Removes a file that a run of ours left and no process has locked.  Whether nothing has the name
 * any more. */
bool tfr_left_file_remove(const char *path);

/* Opens a new file without a name in the folder of `path`, locked.  -1 with errno; EOPNOTSUPP:
 * there are none here, or they cannot be given a name. */
int tfr_nameless_open(const char *path);
/* Gives it a name that is free.  -1 with errno. */
int tfr_nameless_link(int fd, const char *path);
/* rename() to a name that is free, in one step where the file system can.  -1 with errno. */
int tfr_rename_new(const char *from, const char *to);

#endif
