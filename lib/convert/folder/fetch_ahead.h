/* convert/folder/fetch_ahead.h - asks for the objects that a conversion reads next, many at once.
 *
 * A file costs no wait worth that; for files nothing happens. */
#ifndef TFR_CONVERT_FOLDER_FETCH_AHEAD_H
#define TFR_CONVERT_FOLDER_FETCH_AHEAD_H

#include "base/buf.h"
#include "io/root.h"

/* Zero-initialised: nothing was asked for yet. */
struct tfr_fetch_ahead {
	bool addresses; /* the paths may be URLs, below whatever root */
	uint64_t next;	/* files before this one were asked for */
	uint64_t at;	/* the last one that was read */
	unsigned
		jumps; /* reads that were not near the last one: their order is not the one known */
};

/* Of file `i`, in the order of reading: its path below the root, with its NUL, and its size, 0 if
 * it is not known.  False: it is not to be asked for. */
typedef bool tfr_fetch_ahead_path(void *ctx, uint64_t i, struct tfr_buf *path, uint64_t *size);

/* File `at` of `count` is read now, below `root` (NULL: the current folder): asks for those after
 * it, as far as there is room. */
void tfr_fetch_ahead_of(struct tfr_fetch_ahead *a, const struct tfr_root *root, uint64_t at,
	uint64_t count, tfr_fetch_ahead_path *path, void *ctx);

#endif
