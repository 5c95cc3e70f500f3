/* sweep/file_pass.h - reads the files of a set and delivers one result per file, in file order.
 *
 * Each thread reads a file of its own.  When the set has fewer files than threads and one of them
 * is large, the files are read one after another, and all threads share each large file, run by
 * run.  The callbacks do not see the difference: records() adds a run to a part, a part is all of a
 * file or a piece of it, and merge() joins the pieces in the order of the file.
 *
 * A run belongs to the worker that looks at it, so memory is one block per worker and one per open
 * file.  A record larger than a block takes the memory of one record per worker. */
#ifndef TFR_SWEEP_FILE_PASS_H
#define TFR_SWEEP_FILE_PASS_H

#include <tfr-private/shard.h>

#include "record/record_run.h"

/* Where reading starts. */
struct tfr_file_start {
	uint64_t offset, records; /* before it; offset in the uncompressed stream */
};

/* A callback that returns anything but TFR_OK ends the pass with that status, where it does not say
 * otherwise.  Calls for different parts run concurrently. */
struct tfr_file_pass {
	const struct tfr_set *set;
	unsigned threads; /* at least 1, including the caller's */
	bool divides;	  /* large files may be shared by all threads */
	size_t part_size; /* zeroed once, then reused */

	/* Empties a part of file number `file`. */
	void (*start)(void *ctx, uint64_t file, void *part);
	/* Comes first for each file, and may use so many threads.  TFR_END: the part is complete,
	 * and the file is not read.  *from is all zero unless it is set. */
	enum tfr_status (*prepare)(void *ctx, unsigned worker, unsigned threads, uint64_t file,
		void *part, struct tfr_file_start *from, struct tfr_error *err);
	/* Payloads are not verified yet.  TFR_END: nothing more is wanted of this file. */
	enum tfr_status (*records)(
		void *ctx, unsigned worker, void *part, struct tfr_run *run, struct tfr_error *err);
	/* The file could not be opened (`reader` is NULL), or the reader failed before the next
	 * run, and no other thread uses it.  Reading ends unless *more is set, after
	 * tfr_reader_resync(). */
	enum tfr_status (*fault)(void *ctx, void *part, struct tfr_reader *reader,
		const struct tfr_error *failure, bool *more, struct tfr_error *err);
	/* Adds the next piece of a file. */
	enum tfr_status (*merge)(void *ctx, void *file, void *piece, struct tfr_error *err);
	/* After the last record, or after prepare() or opening ended it; then `reader` is NULL. May
	 * be NULL. */
	enum tfr_status (*end)(void *ctx, uint64_t file, void *part, struct tfr_reader *reader,
		struct tfr_error *err);
	/* One file at a time, in the order of the set. */
	enum tfr_status (*deliver)(void *ctx, uint64_t file, void *part, struct tfr_error *err);
	void (*clear_part)(void *part); /* may be NULL */
};

enum tfr_status tfr_file_pass_run(
	const struct tfr_file_pass *pass, void *ctx, struct tfr_error *err);

#endif
