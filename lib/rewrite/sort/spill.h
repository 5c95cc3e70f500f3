/* rewrite/sort/spill.h - temporary space: bytes are written once, at any free position, and read
 * back by that position.
 *
 * A spill is a few files, spread over its folders.  Each writer appends to its own file, so that
 * writers do not wait for each other.  When a folder is full, the others take its data.  The
 * files have no names, so that nothing is left however the process ends.  Each is created at the
 * first write to it. */
#ifndef TFR_REWRITE_SORT_SPILL_H
#define TFR_REWRITE_SORT_SPILL_H

#include <tfr-private/io.h>

#include "base/error.h"

/* The folders of temporary files. */
struct tfr_spill_folders {
	const char *const *list; /* at least one */
	size_t count;
	char *own; /* the only one of `list`, if it was not given: the struct must not move */
};
/* Chooses those that are given; if there are none, the folder of the output, or $TMPDIR or /tmp if
 * that is a stream.  False: out of memory. */
bool tfr_spill_folders_choose(
	struct tfr_spill_folders *f, const char *const *given, size_t count, const char *output);
void tfr_spill_folders_clear(struct tfr_spill_folders *f);
/* Bytes available to this user in all folders, each file system counted once. */
enum tfr_status tfr_spill_folders_free(
	const struct tfr_spill_folders *f, uint64_t *bytes, struct tfr_error *err);

struct tfr_spill;

/* The position of bytes. */
struct tfr_spot {
	uint64_t offset;
	uint32_t file;
	uint32_t size;
};

struct tfr_spill_opts {
	const struct tfr_spill_folders *folders; /* which the caller owns */
	unsigned files;				 /* at least one per folder */
	uint64_t expected; /* bytes, for the error when space runs out; 0: not known */
};

enum tfr_status tfr_spill_open(
	struct tfr_spill **s, const struct tfr_spill_opts *opts, struct tfr_error *err);
void tfr_spill_close(struct tfr_spill *s); /* accepts NULL */

/* Any number of threads may write and read at once; `writer` selects the preferred file. */
enum tfr_status tfr_spill_write(struct tfr_spill *s, unsigned writer, const void *data, size_t size,
	struct tfr_spot *spot, struct tfr_error *err);
enum tfr_status tfr_spill_read(
	struct tfr_spill *s, const struct tfr_spot *spot, void *data, struct tfr_error *err);
/* Releases the space, if the file system supports it. */
void tfr_spill_release(struct tfr_spill *s, const struct tfr_spot *spot);
/* All bytes written so far. */
uint64_t tfr_spill_bytes(const struct tfr_spill *s);

#endif
