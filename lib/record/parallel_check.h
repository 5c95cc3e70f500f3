/* record/parallel_check.h - how far a plain file is sound, found as fast as its bytes can be read.
 *
 * For who wants to know of records only how many there are and whether both checksums of each fit.
 * What is not sound, and what is not a plain regular file, is left to the reader, which knows what
 * to say of it: this one only goes as far as there is nothing to say. */
#ifndef TFR_RECORD_PARALLEL_CHECK_H
#define TFR_RECORD_PARALLEL_CHECK_H

#include <tfr-private/progress.h>
#include <tfr-private/record.h>

struct tfr_parallel_check_opts {
	enum tfr_compression compression;
	unsigned threads;	       /* at least 1; the caller's is one of them */
	struct tfr_progress *progress; /* NULL: nobody looks */
	/* NULL, or where the caller's thread keeps its memory from file to file: NULL at first, and
	 * for free() at the end. */
	void **memory;
	/* For tests, which have small files: bytes read at a time, at most 512 KiB, and of a piece
	 * that one thread takes.  0: 512 KiB and 4 MiB. */
	size_t block, piece;
};

struct tfr_intact {
	uint64_t records; /* that are sound, from the file's first on */
	uint64_t end;	  /* where they end, in bytes */
};

/* True: all of the file, which has a record at least.  Whatever is wrong is no failure: it is where
 * `s` ends. */
bool tfr_parallel_check(
	const char *path, const struct tfr_parallel_check_opts *opts, struct tfr_intact *s);

#endif
