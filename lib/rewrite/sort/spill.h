/* rewrite/sort/spill.h - temporary space: bytes written once, anywhere, and read back by where they
 * are.
 *
 * A spill is a few files, spread over the folders it was given; a writer appends to one of its own,
 * so that writers do not wait for each other.  When a folder is full, the others take what it would
 * have received.  Without a name the files have none either: whatever becomes of the process,
 * nothing is left.  Each file is made when it is first written to. */
#ifndef TFR_REWRITE_SORT_SPILL_H
#define TFR_REWRITE_SORT_SPILL_H

#include <tfr-private/io.h>

#include "base/error.h"

struct tfr_spill;

/* Where bytes lie. */
struct tfr_spot {
	uint64_t offset;
	uint32_t file;
	uint32_t size;
};

struct tfr_spill_opts {
	const char *const *folders;
	size_t folder_count; /* at least 1 */
	unsigned files;	     /* raised to one a folder */
	/* Named files, FOLDER/.NAME-K: they stay when the spill is closed, until
	 * tfr_spill_remove(). What has such a name before is removed. NULL: files without names. */
	const char *name;
	/* Named: they are there.  TFR_ESYS: one is missing, or is no regular file with one name
	 * that this user owns. */
	bool keep;
	struct tfr_temporaries
		*temporaries; /* named: removed by a signal until tfr_spill_settle() */
	uint64_t expected;    /* bytes, for the error when space runs out; 0: not known */
};

enum tfr_status tfr_spill_open(
	struct tfr_spill **s, const struct tfr_spill_opts *opts, struct tfr_error *err);
void tfr_spill_close(struct tfr_spill *s); /* accepts NULL */

/* Any number of threads may write and read at once; `writer` says which file is preferred. */
enum tfr_status tfr_spill_write(struct tfr_spill *s, unsigned writer, const void *data, size_t size,
	struct tfr_spot *spot, struct tfr_error *err);
enum tfr_status tfr_spill_read(
	struct tfr_spill *s, const struct tfr_spot *spot, void *data, struct tfr_error *err);
/* With `keep`: the bytes of all files, and whether a spot lies within them. */
uint64_t tfr_spill_held(const struct tfr_spill *s);
bool tfr_spill_holds(const struct tfr_spill *s, const struct tfr_spot *spot);
/* Gives the space back, where the file system can. */
void tfr_spill_release(struct tfr_spill *s, const struct tfr_spot *spot);
/* All bytes written so far. */
uint64_t tfr_spill_bytes(const struct tfr_spill *s);

/* Named files: on disk, and no longer removed by a signal or by closing. */
enum tfr_status tfr_spill_settle(struct tfr_spill *s, struct tfr_error *err);
/* Named files: removed. */
void tfr_spill_remove(struct tfr_spill *s);
/* The same, of a spill that another process had, of at most so many files. */
void tfr_spill_remove_left(
	const char *const *folders, size_t folder_count, const char *name, unsigned files);

/* Bytes free for us in the folders together, each file system counted once.
 */
enum tfr_status tfr_spill_free(
	const char *const *folders, size_t count, uint64_t *bytes, struct tfr_error *err);

#endif
