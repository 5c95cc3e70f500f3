/* record/parallel_check.h - verifies the records of a plain file as fast as its bytes can be read,
 * up to the first fault.
 *
 * For callers that only need the number of records and whether both CRCs of each verify.  It stops
 * at the first fault, and at files that are not plain regular files.  The reader reports those. */
#ifndef TFR_RECORD_PARALLEL_CHECK_H
#define TFR_RECORD_PARALLEL_CHECK_H

#include <tfr-private/progress.h>
#include <tfr-private/record.h>

struct tfr_parallel_check_opts {
	unsigned threads;	       /* at least 1, including the caller's */
	struct tfr_progress *progress; /* may be NULL */
	/* May be NULL.  Otherwise memory that the caller's thread keeps from file to file: NULL at
	 * first, to be freed with free(). */
	void **memory;
	/* For tests with small files: bytes per read, at most 512 KiB, and per piece that one
	 * thread takes.  0: 512 KiB and 4 MiB. */
	size_t block, piece;
};

struct tfr_intact {
	uint64_t records; /* intact ones, from the file's first on */
	uint64_t end;	  /* where they end, in bytes */
};

/* True: the entire file is intact and has at least one record.  Otherwise `s` ends before the first
 * fault. */
bool tfr_parallel_check(
	const char *path, const struct tfr_parallel_check_opts *opts, struct tfr_intact *s);

#endif
