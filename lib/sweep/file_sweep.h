/* sweep/file_sweep.h - reads the files of a set and delivers one result per file, in file order.
 *
 * Each thread reads a file of its own.  When the set has fewer files than threads and one of them
 * is large, the files are read one after another, and all threads share each large file, run by
 * run.  The callbacks do not see the difference: records() adds a run to a result, a result is that
 * of a file or of a piece of it, that is a run with the faults before it, and merge() joins the
 * pieces in the order of the file.
 *
 * A run belongs to the worker that looks at it, so memory is one block per worker and one per open
 * file.  A record larger than a block takes the memory of one record per worker. */
#ifndef TFR_SWEEP_FILE_SWEEP_H
#define TFR_SWEEP_FILE_SWEEP_H

#include "sweep/reading.h"

/* A callback that returns anything but TFR_OK ends the sweep with that status, where it does not
 * say otherwise.  Calls for different results run concurrently. */
struct tfr_file_sweep {
	size_t files;
	const char *(*path)(void *ctx, uint64_t file);
	struct tfr_fault_policy
		*faults; /* with a meet() of the caller: fault->result is the result */
	unsigned threads;		 /* at least 1, including the caller's */
	bool divides;			 /* large files may be shared by all threads */
	uint64_t window;		 /* results in flight; 0: sixteen per thread */
	size_t result_size;		 /* zeroed once, then reused */

	/* Empties a result of file number `file`. */
	void (*start)(void *ctx, uint64_t file, void *result);
	/* Comes first for each file, and may use so many threads.  TFR_END: the result is complete,
	 * and the file is not read.  *from is all zero unless it is set. */
	enum tfr_status (*prepare)(void *ctx, unsigned worker, unsigned threads, uint64_t file,
		void *result, struct tfr_file_start *from, struct tfr_error *err);
	/* Payloads are not verified yet.  TFR_END: nothing more is wanted of this file. */
	enum tfr_status (*records)(void *ctx, unsigned worker, void *result,
		struct tfr_record_run *run, struct tfr_error *err);
	/* Adds the next piece of a file.  Only with `divides`. */
	enum tfr_status (*merge)(void *ctx, void *file, void *piece, struct tfr_error *err);
	/* After the last record, or after prepare() or opening ended it; then in->reader is NULL.
	 * May be NULL. */
	enum tfr_status (*end)(void *ctx, unsigned worker, struct tfr_reading *in, void *result,
		struct tfr_error *err);
	/* One file at a time, in their order. */
	enum tfr_status (*deliver)(void *ctx, uint64_t file, void *result, struct tfr_error *err);
	void (*clear_result)(void *result); /* may be NULL */
};

enum tfr_status tfr_file_sweep_run(
	const struct tfr_file_sweep *sweep, void *ctx, struct tfr_error *err);

#endif
