/* export/unique_names.h - makes file names safe and unique.
 *
 * Holds all names given so far, of files and folders.  The number that a name gets depends only on
 * the names before it. */
#ifndef TFR_EXPORT_UNIQUE_NAMES_H
#define TFR_EXPORT_UNIQUE_NAMES_H

#include "base/buf.h"
#include "base/error.h"
#include "base/hash_index.h"

struct tfr_given_name {
	size_t text;   /* offset in names->text */
	uint32_t last; /* the last number given to a name that was in use */
	bool folder;
};

struct names {
	struct tfr_buf text; /* the names, each with its NUL */
	struct tfr_given_name *list;
	size_t n, cap;
	struct tfr_hash_index index;
};

/* Appends `size` bytes as a path below a folder, without a NUL.  Parts that are empty or "." are
 * dropped, ".." becomes "_", and so do control characters.  A part has at most 200 bytes (its
 * ending is kept), a path at most 16 parts.  False: out of memory. */
bool tfr_unique_names_clean(struct tfr_buf *path, const void *bytes, size_t size);
/* The same for a single part of at most 200 bytes: slashes become "_". */
bool tfr_unique_names_clean_part(struct tfr_buf *path, const void *bytes, size_t size);

/* Adds `path`, which ends in NUL; if it is in use, it becomes "a-2.jpg", "a-3.jpg" and so on.
 * `folder` receives each new folder, an outer one before an inner one; a part with the name of a
 * file is changed in the same way.  NULL: paths are plain names, without folders. */
enum tfr_status tfr_unique_names_take(struct names *names, struct tfr_buf *path,
	enum tfr_status (*folder)(void *ctx, const char *path, struct tfr_error *err), void *ctx,
	struct tfr_error *err);
void tfr_unique_names_clear(struct names *names);

#endif
