/* tfr-private/sweep.h - one pass over all records of a set: the options and the report that all
 * such calls share.
 *
 * Every checksum is verified on the way.  Several files are read at once, or one file on all
 * processors. */
#ifndef TFR_PRIVATE_SWEEP_H
#define TFR_PRIVATE_SWEEP_H

#include <tfr-private/progress.h>
#include <tfr-private/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of damaged records, and of records that a call cannot use, in the order of the words
 * of --on-error. */
enum tfr_on_fault {
	TFR_ON_FAULT_FAIL, /* the call ends with TFR_EDATA, file, record and offset */
	TFR_ON_FAULT_SKIP, /* it warns, counts the record, and continues where it can */
};

/* The order of tf.data's interleave(cycle_length, block_length), deterministic as by default: a
 * block of records from each of `cycle` slots in turn.  A file that ends cuts its block short, and
 * its slot opens the next file when its turn comes again
 * (tensorflow/core/kernels/data/interleave_dataset_op.cc).  At most `cycle` files are open.
 * 0: one file after another, as with a cycle of 1. */
struct tfr_interleaving {
	uint64_t cycle, block;
};

/* Zero is a default for every member but `input`. */
struct tfr_sweep_opts {
	const struct tfr_set *input;
	/* Selects only records for which this expression holds (tfr_where_compile()); NULL: all. */
	const char *where;
	enum tfr_on_fault on_fault; /* also of a record that is not the required Example */
	/* If faults are skipped: receives the skipped bytes, as tfr-private/rewrite.h describes.
	 * NULL: they are dropped. */
	struct tfr_stream_writer *quarantine;
	unsigned threads; /* 0: one per processor */

	/* Called now and then, from any thread of the call, one call at a time, with the progress
	 * of `phase`.  Returning false ends the call with TFR_ECANCELLED.  May be NULL. */
	bool (*progress)(void *ctx, const char *phase, const struct tfr_progress *p);
	/* Receives one line without a newline, from any thread, one call at a time; may be NULL. */
	void (*warn)(void *ctx, const char *text);
	/* Called after the last record of the inputs with a feature that `where` names and no
	 * record has, unless the expression asks for its absence (exists, len, != or negation).
	 * The output is complete all the same.  NULL: `warn` receives it. */
	void (*missing)(void *ctx, const struct tfr_error *err);
	void *ctx;
};

/* Filled as far as the call got, even if it fails. */
struct tfr_sweep_report {
	uint64_t records; /* intact records read */
	uint64_t bad;	  /* damaged records skipped */
	uint64_t taken;	  /* of `records`: those that `where` selected */
	uint64_t others;  /* of `records`: those that are not Examples, if records are parsed */
};

struct tfr_count_opts {
	unsigned threads; /* 0: one per processor */
	bool sum;	  /* the content sum as well: reads and verifies every payload */
	/* Takes the number from the manifest beside a file if it has the file's size and time.  The
	 * file is then neither read nor verified. */
	bool manifest;
	/* With `manifest`, called before file() for a file that was counted in spite of its
	 * manifest.  May be NULL. */
	void (*stale)(void *ctx, const char *path, const char *why);
	struct tfr_progress *progress; /* may be NULL */
	/* Called in file order, one file at a time.  `err` is NULL for an intact file; otherwise
	 * `records` were counted before the fault.  A bad file does not stop the others. */
	void (*file)(void *ctx, const char *path, uint64_t records, uint64_t sum,
		const struct tfr_error *err);
	void *ctx;
};

/* Counts the records of each file, several files at a time. */
enum tfr_status tfr_set_count_records(
	const struct tfr_set *set, const struct tfr_count_opts *opts, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
