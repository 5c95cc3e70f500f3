/* convert/folder/scan.h - one look at a tree of files: a folder, a prefix of a bucket or an
 * archive. All kinds of input judge it, and the one that reads it uses the same list.
 *
 * The files are in order, compact enough for millions: a name is stored once, and a path is joined
 * from the names of its folders when it is needed.  A file that cannot be read (a dangling link, a
 * FIFO) is in the list too, with its fault: it counts as an item like any other.  A folder that
 * cannot be listed ends the scan. */
#ifndef TFR_CONVERT_FOLDER_SCAN_H
#define TFR_CONVERT_FOLDER_SCAN_H

#include "base/buf.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "convert/folder/fetch_ahead.h"
#include "convert/item.h"
#include "io/root.h"
#include "io/source.h"

/* Faults beyond errno's numbers, which are positive. */
enum {
	TFR_SCAN_LOOP = -1,
	TFR_SCAN_SPECIAL = -2, /* a FIFO, a socket, a device: opening it could block for ever */
	TFR_SCAN_DEEP = -3,
};

/* What the extension of a file says, in any case. */
enum tfr_file_kind {
	TFR_FILE_OTHER,
	TFR_FILE_IMAGE, /* of any format, decoded or not */
	TFR_FILE_AUDIO,
	TFR_FILE_TEXT,
	TFR_FILE_XML,
	TFR_FILE_YAML,
	TFR_FILE_TABLE, /* JSON or CSV */
};

#define TFR_NO_FILE UINT32_MAX
#define TFR_NO_FOLDER UINT32_MAX

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
	int16_t fault; /* 0, an errno or one of the above */
	uint8_t kind;  /* enum tfr_file_kind */
	bool left_out; /* no pattern includes it */
};

struct tfr_scan {
	char *path;	       /* of the root, as given */
	struct tfr_root *root; /* open */
	struct tfr_buf names;  /* each ends in NUL */
	struct tfr_scan_dir *dirs;
	struct tfr_scan_item *items;
	/* Of objects and members: the size of each item; NULL for files.  Of members: the place of
	 * each in the archive. */
	uint64_t *sizes, *places;
	size_t n_items, n_dirs;
	size_t n_outside; /* items that follow, without sizes: those outside of all splits */
	size_t items_cap, dirs_cap, sizes_cap, places_cap;
	struct tfr_hash_index children; /* folders by their parent and name */
	struct tfr_fetch_ahead ahead;
	void *owner; /* of what the tree is in, released with it; or NULL */
	void (*close_owner)(void *owner);
	const struct tfr_scan_globs *globs; /* NULL: all files are wanted */
	struct tfr_buf at; /* the current entry: its path below the root, with its NUL */
};

/* Chooses files; all zeros, or NULL in its place: all files. */
struct tfr_scan_globs {
	const char *const *include, *const *exclude;
	size_t n_include, n_exclude;
};

enum tfr_status tfr_scan_folder(struct tfr_scan *s, const char *folder,
	const struct tfr_scan_globs *globs, struct tfr_error *err);

/* A member of an archive: its path, and the place and size of its bytes. */
struct tfr_scan_member {
	const char *name;
	uint64_t place, size;
};
/* The tree of the members of the archive `path`, whose bytes are in `source`; it must outlive the
 * scan.  Of members with the same path the last one counts. */
enum tfr_status tfr_scan_members(struct tfr_scan *s, const char *path,
	const struct tfr_source *source, const struct tfr_scan_member *list, size_t n,
	struct tfr_error *err);
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
/* Removes the items that no pattern includes. */
enum tfr_status tfr_scan_leave_out(struct tfr_scan *s, struct tfr_error *err);

/* --- looking around in it --- */

/* The folder of this name in `dir`, in any case or exactly; TFR_NO_FOLDER: none. */
uint32_t tfr_scan_child(const struct tfr_scan *s, uint32_t dir, const char *name);
uint32_t tfr_scan_child_exactly(const struct tfr_scan *s, uint32_t dir, const char *name);
/* The folder at a path such as "../train/images", without leaving the scan. */
uint32_t tfr_scan_folder_at(const struct tfr_scan *s, uint32_t dir, const char *path);
/* The file at a path; TFR_NO_FILE: there is none, or it cannot be read. */
uint32_t tfr_scan_file(const struct tfr_scan *s, uint32_t dir, const char *path);
/* The next readable file directly in `dir`, of a kind; *at is where to look, 0 at the beginning.
 * TFR_NO_FILE: there are no more. */
uint32_t tfr_scan_next(
	const struct tfr_scan *s, uint32_t dir, enum tfr_file_kind kind, uint32_t *at);
/* The number of files of a kind at any depth. */
size_t tfr_scan_count(const struct tfr_scan *s, uint32_t dir, enum tfr_file_kind kind);
/* The paths of a folder and of a file from where the process is; NULL: out of memory. */
char *tfr_scan_folder_path(const struct tfr_scan *s, uint32_t dir);
char *tfr_scan_file_path(const struct tfr_scan *s, uint32_t item);
/* The path of an item below a folder that contains it.  False: out of memory. */
bool tfr_scan_path_below(
	const struct tfr_scan *s, uint32_t item, uint32_t dir, struct tfr_buf *path);
/* Puts the path below the root of a path below `dir` into `path`.  False: out of memory. */
bool tfr_scan_path_in(
	const struct tfr_scan *s, uint32_t dir, const char *below, struct tfr_buf *path);
/* Reads the first bytes of a file.  One that cannot be read has none; *err is set only for faults
 * other than its absence. */
size_t tfr_scan_head(
	const struct tfr_scan *s, uint32_t item, void *head, size_t size, struct tfr_error *err);

/* Appends the bytes of a file, or more than `most` of a larger one, so that the caller can report
 * that. */
enum tfr_status tfr_scan_read(const struct tfr_scan *s, uint32_t item, size_t most,
	struct tfr_buf *text, struct tfr_error *err);

/* --- names --- */

bool tfr_has_extension(const char *name, const char *extension);
/* Whether it has one of the extensions of a list that ends in NULL. */
bool tfr_has_one_of(const char *name, const char *const *extensions);
enum tfr_file_kind tfr_file_kind(const char *name);
static inline bool tfr_is_media(const char *name)
{
	enum tfr_file_kind kind = tfr_file_kind(name);

	return kind == TFR_FILE_IMAGE || kind == TFR_FILE_AUDIO;
}
/* "FOLDER/NAME"; NULL: out of memory. */
char *tfr_path_join(const char *folder, const char *name);
/* Whether a path that a file names stays below its folder. */
bool tfr_path_is_below(const char *path);
/* Announces the objects of items that are read soon: those after `place` in `order`, or in their
 * own order if that is NULL.  Nothing for files. */
void tfr_scan_announce(
	struct tfr_scan *s, const uint32_t *order, uint64_t place, uint64_t places);
/* Skips an item because of its fault. */
void tfr_item_skip_fault(struct tfr_item *item, int fault);

#endif
