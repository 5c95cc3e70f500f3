/* export/unique_names.h - names of files that are safe, and each given once.
 *
 * A set of all names given so far, files and folders.  Which number a name gets depends only on the
 * names before it. */
#ifndef TFR_EXPORT_UNIQUE_NAMES_H
#define TFR_EXPORT_UNIQUE_NAMES_H

#include "base/buf.h"
#include "base/error.h"
#include "base/hash_index.h"

struct tfr_given_name {
	size_t text;   /* offset in names->text */
	uint32_t last; /* the number given last to a name that was taken */
	bool folder;
};

struct names {
	struct tfr_buf text; /* the names, each with its NUL */
	struct tfr_given_name *list;
	size_t n, cap;
	struct tfr_hash_index index;
};

/* Appends `size` bytes as a path below a folder, without a NUL: parts that are empty or "." are
 * left out, ".." is "_", control characters are "_", a part has 200 bytes at most (its ending
 * stays), a path 16 parts.  False: out of memory. */
bool tfr_unique_names_clean(struct tfr_buf *path, const void *bytes, size_t size);
/* The same as a single part: slashes become "_", and it has 200 bytes at most. */
bool tfr_unique_names_clean_part(struct tfr_buf *path, const void *bytes, size_t size);

/* Takes `path`, which ends in NUL, or, where it is taken, changes it to "a-2.jpg", "a-3.jpg" and so
 * on.  `folder` is told of each folder that is new, an outer one before an inner one; a part that
 * is the name of a file is then changed likewise.  NULL: paths are names, and folders nothing. */
enum tfr_status tfr_unique_names_take(struct names *names, struct tfr_buf *path,
	enum tfr_status (*folder)(void *ctx, const char *path, struct tfr_error *err), void *ctx,
	struct tfr_error *err);
void tfr_unique_names_clear(struct names *names);

#endif
