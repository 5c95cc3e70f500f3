/* record/count.h - counts the records of a file without returning them: by their headers alone, or
 * with both CRCs of each verified. */
#ifndef TFR_RECORD_COUNT_H
#define TFR_RECORD_COUNT_H

#include <tfr-private/progress.h>
#include <tfr-private/record.h>

#include "record/stream.h"

/* --- by headers (record/count_headers.c) --- */

/* How the headers of a file are followed, for callers that need more than their number. */
struct tfr_hop {
	/* Gets `records` consecutive records, with the header of the first at `headers`, which is
	 * `offset` in the uncompressed stream.  Their headers are verified and in memory.  The
	 * payload of the last may be missing, or end after the end of the file; that is a failure.
	 * Any status but TFR_OK ends the count with it.  May be NULL. */
	enum tfr_status (*hopped)(void *ctx, const uint8_t *headers, uint64_t records,
		uint64_t offset, struct tfr_error *err);
	void *ctx;
	struct tfr_gzi *gzi; /* the flush points of a GZIP file are added; may be NULL */

	/* The result, up to a failure. */
	uint64_t records;
	uint64_t end; /* bytes of the uncompressed stream; 0 if unknown */
	enum tfr_compression compression;
};

/* As tfr_count_records(), with a callback. */
enum tfr_status tfr_hop_records(const char *path, const struct tfr_reader_opts *opts,
	struct tfr_hop *hop, struct tfr_error *err);

/* --- whether to read or to hop ---
 *
 * In the page cache, a header costs a short system call.  On a disk it costs a round trip, which
 * can take longer than reading the record.  So hops are timed in batches.  If they are not cheap,
 * reading is timed as well, and the cheaper of the two is used until the next batch.  Only the time
 * depends on this, never the count.
 *
 * Hops that wait for a disk hardly delay each other, while streams share its bandwidth.  So the two
 * are compared for all threads together: hopping with all `threads`, reading with `streams`. */

/* What the threads that count one file share. */
struct tfr_hop_costs {
	uint64_t (*clock)(void); /* nanoseconds */
	unsigned threads;	 /* that count, at least `streams` */
	unsigned streams;	 /* threads that would read the file; at least 1 */
	unsigned readers;	 /* threads that read on now */
	uint64_t read_ps;	 /* picoseconds per byte of one of `streams`; 0: not measured */
};

/* What each thread has.  Zero-initialised except for `shared`. */
struct tfr_hop_timer {
	struct tfr_hop_costs *shared;
	uint64_t since, from; /* when and at which offset the batch or the reading began */
	uint64_t until;	      /* everything before this offset is read; 0: only headers */
	uint64_t stretch;     /* bytes to read on for */
	unsigned hops, batches, costly;
	bool timing; /* a batch has begun */
};

/* Whether to read on, that is everything from the header at `header` on.  `read`: where the bytes
 * end that were read so far.  `record`: the mean size of the last records. */
bool tfr_hop_reads_on(struct tfr_hop_timer *t, uint64_t header, uint64_t read, uint64_t record);
/* This thread leaves its place in the file. */
void tfr_hop_stop(struct tfr_hop_timer *t);

/* --- several threads --- */

/* Counts from the stream's position, which must be the start of a record, to its end.  TFR_OK: the
 * number that one thread would count, and `s` has not moved.  TFR_END: the file is too small for
 * several threads, or it has a fault, which counting with one thread reports.  A file that is not
 * in the page cache gets more threads than asked for, if there are at least 2. */
enum tfr_status tfr_count_ranges(struct tfr_stream *s, unsigned threads,
	struct tfr_hop_costs *costs, uint64_t *records, struct tfr_error *err);

/* --- by both CRCs (record/parallel_check.c) --- */

/* Verifies the records of a plain file as fast as its bytes can be read.  It stops at the first
 * fault, and at files that are not plain regular files.  The reader reports those. */

struct tfr_parallel_check_opts {
	unsigned threads;	       /* at least 1, including the caller's */
	struct tfr_progress *progress; /* may be NULL */
	/* May be NULL.  Otherwise memory that the caller's thread keeps from file to file: NULL at
	 * first, to be freed with free(). */
	void **memory;
	/* For tests with small files: bytes per read, at most 512 KiB, and per range that one
	 * thread takes.  0: 512 KiB and 4 MiB. */
	size_t block, range;
};

struct tfr_intact {
	uint64_t records; /* intact ones, from the file's first on */
	uint64_t end;	  /* where they end, in bytes */
};

/* True: the entire file is intact and has at least one record.  Otherwise `s` covers some of the
 * intact records before the first fault. */
bool tfr_parallel_check(
	const char *path, const struct tfr_parallel_check_opts *opts, struct tfr_intact *s);

#endif
