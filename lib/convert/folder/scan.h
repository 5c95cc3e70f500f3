/* convert/folder/scan.h - the files below a folder, in order, compact enough for millions.
 *
 * A name is stored once; a path is joined from the names of its folders when it is needed.  An
 * item that cannot be read (a dangling link, a FIFO) is in the list too, with its fault: it counts as an
 * item like any other.  A folder that cannot be listed ends the scan. */
#ifndef TFR_CONVERT_FOLDER_SCAN_H
#define TFR_CONVERT_FOLDER_SCAN_H

#include "base/buf.h"
#include "base/error.h"
#include "convert/folder/fetch_ahead.h"
#include "convert/item.h"
#include "io/root.h"

/* Faults beyond errno's numbers, which are positive. */
enum {
	TFR_SCAN_LOOP = -1,
	TFR_SCAN_SPECIAL = -2, /* a FIFO, a socket, a device: opening it could block for ever */
	TFR_SCAN_DEEP = -3,
};

/* Folders are in the order in which the walk enters them, so that the contents of a folder, at
 * any depth, are two ranges. */
struct tfr_scan_dir {
	uint32_t parent;      /* of folder 0, which is the root: itself */
	uint32_t end;	      /* the folders below it follow it, up to this one */
	uint32_t first, last; /* the items in it or below it: from `first`, before `last` */
	uint64_t name;	      /* offset in names */
	/* A file directly in it with an image's or WAV file's extension is not included. */
	bool left_out;
};

struct tfr_scan_item {
	uint64_t name;
	uint32_t dir;
	int32_t fault; /* 0, an errno or one of the above */
};

struct tfr_scan {
	struct tfr_root *root; /* open */
	struct tfr_buf names;  /* each ends in NUL */
	struct tfr_scan_dir *dirs;
	struct tfr_scan_item *items;
	uint64_t *sizes; /* of objects: of each item; NULL for files */
	size_t n_items, n_dirs, n_sizes;
	size_t n_outside; /* items that follow, without sizes: those outside of all splits */
	size_t items_cap, dirs_cap, sizes_cap;
	struct tfr_fetch_ahead ahead;
	const struct tfr_scan_globs *globs; /* NULL: all files are wanted */
	struct tfr_buf path;		    /* of the current entry, below the root, with its NUL */
};

/* Chooses files; all zeros, or NULL in its place: all files. */
struct tfr_scan_globs {
	const char *const *include, *const *exclude;
	size_t n_include, n_exclude;
};

enum tfr_status tfr_scan_folder(struct tfr_scan *s, const char *folder,
	const struct tfr_scan_globs *globs, struct tfr_error *err);
void tfr_scan_clear(struct tfr_scan *s);
static inline const char *tfr_scan_name(const struct tfr_scan *s, uint64_t name)
{
	return (const char *)s->names.data + name;
}
/* Puts the path of an item below the root, with its NUL, into `path`.  False: out of memory. */
bool tfr_scan_path(
	const struct tfr_scan *s, const struct tfr_scan_item *item, struct tfr_buf *path);
/* Puts the path of a folder below the root, "a/b", with its NUL, into `path`; that of the root is
 * "".  False: out of memory. */
bool tfr_scan_dir_path(const struct tfr_scan *s, uint32_t dir, struct tfr_buf *path);
/* Whether `dir` is `folder` or is below it. */
static inline bool tfr_scan_is_in(const struct tfr_scan *s, uint32_t dir, uint32_t folder)
{
	return dir >= folder && dir < s->dirs[folder].end;
}
/* Counts the files below a folder whose names `counts` accepts. */
enum tfr_status tfr_scan_count(
	const char *folder, bool (*counts)(const char *name), size_t *n, struct tfr_error *err);
/* Whether a path that a file names stays below its folder. */
bool tfr_path_is_below(const char *path);
/* Announces the objects of items that are read soon: those after `place` in `order`, or in their
 * own order if that is NULL.  Nothing for files. */
void tfr_scan_announce(
	struct tfr_scan *s, const uint32_t *order, uint64_t place, uint64_t places);
/* Skips an item because of its fault. */
void tfr_item_skip_fault(struct tfr_item *item, int fault);

#endif
