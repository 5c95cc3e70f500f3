/* io/root.h - an open folder, or a prefix of a bucket, and the files below it by relative names.
 *
 * An open folder stays the same if its path is moved.  A NULL folder is the current one; a name
 * that is absolute or a URL stands for itself. */
#ifndef TFR_IO_ROOT_H
#define TFR_IO_ROOT_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

struct tfr_root;
struct tfr_source;

/* On failure *f is NULL. */
enum tfr_status tfr_root_open(struct tfr_root **f, const char *path, struct tfr_error *err);
/* A root whose files are parts of `source`, as the members of an archive are.  `find` gives the
 * place and size of a file in it; false: there is none.  Any thread may call it. */
typedef bool tfr_root_find(const void *ctx, const char *name, uint64_t *place, uint64_t *size);
enum tfr_status tfr_root_of_parts(struct tfr_root **f, const struct tfr_source *source,
	tfr_root_find *find, const void *ctx, struct tfr_error *err);
/* The source of such a root, and the part of it that is the file `name`; *there: whether
 * there is one.  NULL: its files are files. */
const struct tfr_source *tfr_root_part(
	const struct tfr_root *f, const char *name, bool *there, uint64_t *place, uint64_t *size);
void tfr_root_close(struct tfr_root *f); /* accepts NULL */
/* The descriptor, AT_FDCWD for NULL; -1 for a prefix. */
int tfr_root_fd(const struct tfr_root *f);
/* The URL of a file in it; NULL: the file is a local one, or out of memory, which sets *failed. The
 * caller frees it. */
char *tfr_root_url(const struct tfr_root *f, const char *name, bool *failed);
bool tfr_root_is_remote(const struct tfr_root *f);
/* As fstatat(). */
int tfr_root_stat(const struct tfr_root *f, const char *name, struct stat *st);
/* Reads up to `size` bytes from the beginning of a file; none of one that is not regular.  TFR_END,
 * with *err filled: there is no such file. */
enum tfr_status tfr_root_head(const struct tfr_root *f, const char *name, void *head, size_t size,
	size_t *got, struct tfr_error *err);

#endif
