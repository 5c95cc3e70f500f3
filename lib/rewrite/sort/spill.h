/* rewrite/sort/spill.h - temporary space: bytes are written once, at any free position, and read
 * back by that position.
 *
 * A spill is a few files, spread over its folders.  Each writer appends to its own file, so that
 * writers do not wait for each other.  When a folder is full, the others take its data.  A spill
 * without a name uses files without names, so that nothing is left however the process ends.
 * Each file is created at the first write to it. */
#ifndef TFR_REWRITE_SORT_SPILL_H
#define TFR_REWRITE_SORT_SPILL_H

#include <tfr-private/io.h>

#include "base/error.h"

struct tfr_spill;

/* The position of bytes. */
struct tfr_spot {
	uint64_t offset;
	uint32_t file;
	uint32_t size;
};

struct tfr_spill_opts {
	const char *const *folders;
	size_t folder_count; /* at least 1 */
	unsigned files;	     /* at least one per folder */
	/* Named files, FOLDER/.NAME-K: they stay when the spill is closed, until
	 * tfr_spill_remove().  Existing files with these names are removed.  NULL: files without
	 * names. */
	const char *name;
	/* Named: the files exist.  TFR_ESYS: one is missing, or is not a regular file with one
	 * name that this user owns. */
	bool keep;
	struct tfr_temporaries
		*temporaries; /* named: removed by a signal until tfr_spill_settle() */
	uint64_t expected;    /* bytes, for the error when space runs out; 0: not known */
};

enum tfr_status tfr_spill_open(
	struct tfr_spill **s, const struct tfr_spill_opts *opts, struct tfr_error *err);
void tfr_spill_close(struct tfr_spill *s); /* accepts NULL */

/* Any number of threads may write and read at once; `writer` selects the preferred file. */
enum tfr_status tfr_spill_write(struct tfr_spill *s, unsigned writer, const void *data, size_t size,
	struct tfr_spot *spot, struct tfr_error *err);
enum tfr_status tfr_spill_read(
	struct tfr_spill *s, const struct tfr_spot *spot, void *data, struct tfr_error *err);
/* Kept files: the size of all files, and whether a position is within them. */
uint64_t tfr_spill_held(const struct tfr_spill *s);
bool tfr_spill_holds(const struct tfr_spill *s, const struct tfr_spot *spot);
/* Releases the space, if the file system supports it. */
void tfr_spill_release(struct tfr_spill *s, const struct tfr_spot *spot);
/* All bytes written so far. */
uint64_t tfr_spill_bytes(const struct tfr_spill *s);

/* Named files: they are on disk, and neither a signal nor closing removes them any more. */
enum tfr_status tfr_spill_settle(struct tfr_spill *s, struct tfr_error *err);
/* Removes named files. */
void tfr_spill_remove(struct tfr_spill *s);
/* The same for the spill of another process, with at most so many files. */
void tfr_spill_remove_left(
	const char *const *folders, size_t folder_count, const char *name, unsigned files);

/* Bytes available to this user in all folders, each file system counted once. */
enum tfr_status tfr_spill_free(
	const char *const *folders, size_t count, uint64_t *bytes, struct tfr_error *err);

#endif
