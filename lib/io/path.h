/* io/path.h - names that may be paths or URLs: looking, listing and matching, without a difference
 * to the caller. */
#ifndef TFR_IO_PATH_H
#define TFR_IO_PATH_H

#include <sys/stat.h>

#include <tfr-private/io.h>

#include "base/error.h"
#include "base/names.h"

/* A file cannot be created: as tfr_fail_errno(), with a hint if its folder is not there. */
enum tfr_status tfr_fail_create(struct tfr_error *err, int sys_errno, const char *path);
/* TFR_EEXIST: the name is taken, and -f was not given. */
enum tfr_status tfr_fail_exists(struct tfr_error *err, const char *path);
/* As stat() with an error: TFR_END: there is nothing of that name. */
enum tfr_status tfr_look(const char *path, struct stat *st, struct tfr_error *err);
/* Passes a failure to look at a file beside another one on; TFR_END: there is none.  A store that
 * forbids listing also answers 403 for a missing name, and so do web servers. */
enum tfr_status tfr_absent_or_failed(const char *path, enum tfr_status status,
	const struct tfr_error *why, struct tfr_error *err);
/* Removes a file or an object, if it exists. */
enum tfr_status tfr_file_remove(const char *path, struct tfr_error *err);
/* Appends the names in a folder or below a prefix, without "." and "..", in any order.  On failure
 * the list is empty. */
enum tfr_status tfr_list_folder(const char *path, struct tfr_names *names, struct tfr_error *err);
/* Appends the paths or URLs that match a pattern, sorted; none is no failure. */
enum tfr_status tfr_glob(const char *pattern, struct tfr_names *names, struct tfr_error *err);
/* Fetches what the store knows of all objects whose URLs begin like this, by one listing, because
 * many of them will be looked at.  Nothing for a path or a web address. */
void tfr_look_ahead(const char *url);
/* "x.tfrecord.idx" of "x.tfrecord" and ".idx"; before the query of a web address.  The caller frees
 * it; NULL: out of memory. */
char *tfr_path_beside(const char *path, const char *suffix);
/* "out/labels.txt" of "out/x.tfrecord" and "labels.txt".  As above. */
char *tfr_path_in_folder_of(const char *path, const char *name);

#endif
