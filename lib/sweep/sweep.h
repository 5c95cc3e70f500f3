/* sweep/sweep.h - one pass over every record of the inputs, on all processors.
 *
 * examine() gets each record on any thread and in any order.  settle(), if set, then gets all of
 * them one at a time in input order (file after file, record after record), each with the verdict
 * of examine().  Slow work belongs in examine(), and work that depends on earlier records in
 * settle().  Without settle(), several files are read at once.  A worker has one file open at a
 * time.
 *
 * The sweep verifies checksums, applies `where`, skips damage if that is allowed, and locates
 * every error.  It holds a few blocks of 512 KiB per thread and one large record. */
#ifndef TFR_SWEEP_SWEEP_H
#define TFR_SWEEP_SWEEP_H

#include <tfr-private/example.h>
#include <tfr-private/sweep.h>

/* A record in a sweep.  It is a view, valid during the call. */
struct tfr_swept {
	struct tfr_record rec;
	uint32_t file;	  /* counted from 0 in the set */
	const char *path; /* of that file */
	/* The parsed record, if `parse` or `where` is set.  Only in examine(). */
	const struct tfr_example *example;
};

struct tfr_sweep {
	struct tfr_sweep_opts opts;
	const char *phase; /* its name in progress */
	/* Records must be Examples, and examine() gets them parsed.  If no record is one, the
	 * sweep fails and names their type.  A mixture gives a warning. */
	bool parse;
	bool again; /* the inputs were swept before: what was warned of then is not warned of again
		     */
	/* This is the last sweep of the inputs: bad bytes go to the quarantine of `opts` in the
	 * order of the inputs, which are then read one after another. */
	bool last;
	size_t verdict_size; /* bytes that examine() passes to settle() for each record */
	uint64_t max_record; /* a larger record fails with TFR_ENOMEM: a quarter of the memory that
			      * the user gave; 0: only tfr_limit_records() counts */
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

/* The number of workers of a sweep with so many `threads`, at least 1, for state per worker. */
unsigned tfr_sweep_threads(unsigned threads);

/* Runs the sweep and sets the report's records, bad and taken.  The first failure in input order
 * is reported, whatever the number of threads.  TFR_EDATA, TFR_EFORMAT, TFR_ESYS, TFR_ENOMEM,
 * TFR_ECANCELLED. */
enum tfr_status tfr_sweep_run(
	const struct tfr_sweep *sweep, struct tfr_sweep_report *report, struct tfr_error *err);

#endif
