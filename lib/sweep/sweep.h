/* sweep/sweep.h - one pass over every record of the inputs, on all processors.
 *
 * examine() sees each record on any thread, in any order; settle(), where there is one, then sees
 * all of them one at a time in input order (file after file, record after record), each with what
 * examine() noted of it.  What is slow belongs in examine(), what depends on the records before it
 * in settle().  Without settle(), several files are read at once; a worker has one file open at a
 * time either way.
 *
 * The sweep verifies checksums, applies `where`, passes over damage where that is allowed, and says
 * in every error where it was.  It holds a few blocks of 512 KiB a thread and one large record. */
#ifndef TFR_SWEEP_SWEEP_H
#define TFR_SWEEP_SWEEP_H

#include <tfr-private/example.h>
#include <tfr-private/sweep.h>

/* A record on its way through a sweep; a view, valid during the call. */
struct tfr_swept {
	struct tfr_record rec;
	uint32_t file;	  /* counted from 0 in the set */
	const char *path; /* of it */
	/* The record parsed, where `parse` or `where` asks for that; only in examine(). */
	const struct tfr_example *example;
};

struct tfr_sweep {
	struct tfr_sweep_opts opts;
	const char *phase; /* what progress calls it */
	/* Records must be Examples, and examine() gets them parsed.  Where none is one, the sweep
	 * fails and names the type that they have; a mixture is warned of. */
	bool parse;
	bool again; /* the inputs were swept before: what was warned of then is not warned of again
		     */
	/* The inputs are not swept after this: what is bad goes into the quarantine of `opts`, in
	 * the order of the inputs, which are then read one after another. */
	bool last;
	uint64_t first;	     /* only so many records of each file, the first; 0: all */
	size_t verdict_size; /* bytes examine() may note of each record, for settle() */
	uint64_t max_record; /* a larger one is refused with TFR_ENOMEM; 0: 1 GiB */
	size_t block_size;   /* bytes read at a time, 0: 512 KiB */
	/* TFR_EDATA: this record is bad; the error needs no place.  Any other failure ends the
	 * sweep.  `worker` is below tfr_sweep_threads(). */
	enum tfr_status (*examine)(void *ctx, unsigned worker, const struct tfr_swept *s,
		void *verdict, struct tfr_error *err);
	/* NULL: the order does not matter.  TFR_END: nothing more is wanted. */
	enum tfr_status (*settle)(
		void *ctx, const struct tfr_swept *s, const void *verdict, struct tfr_error *err);
	void *ctx;
};

/* How many workers a sweep on so many `threads` has, at least 1: for state of each worker's own. */
unsigned tfr_sweep_threads(unsigned threads);

/* Runs it.  The report's records, bad and taken are set.  Of several failures the first in input
 * order is reported, whatever the number of threads.  TFR_EDATA, TFR_EFORMAT, TFR_ESYS, TFR_ENOMEM,
 * TFR_ECANCELLED. */
enum tfr_status tfr_sweep_run(
	const struct tfr_sweep *sweep, struct tfr_sweep_report *report, struct tfr_error *err);

/* Puts a record aside that settle() finds bad, of the last sweep.  TFR_OK where nothing is put
 * aside. */
enum tfr_status tfr_swept_put_aside(
	struct tfr_stream_writer *quarantine, const struct tfr_swept *s, struct tfr_error *err);

#endif
