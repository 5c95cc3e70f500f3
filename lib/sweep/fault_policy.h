/* sweep/fault_policy.h - what becomes of a fault of the inputs.
 *
 * A fault is a file that cannot be opened, bytes between records, or a bad record.  meet() decides.
 * By default reading fails or, with TFR_ON_FAULT_SKIP, skips faults of the data with a warning and
 * writes their bytes to the quarantine if there is one.  A command that reports faults has a
 * function of its own.  One policy serves all threads that read. */
#ifndef TFR_SWEEP_FAULT_POLICY_H
#define TFR_SWEEP_FAULT_POLICY_H

#include <pthread.h>

#include <tfr-private/sweep.h>

#include "base/buf.h"
#include "thread/lanes.h"

struct tfr_fault_policy;

/* Of a file that cannot be opened, both `reader` and `bad` are NULL. */
struct tfr_fault_met {
	const struct tfr_error *why;
	struct tfr_reader *reader;    /* at bytes that are not a record, or at a bad one */
	const struct tfr_record *bad; /* of a run, while another thread may read on */
	const char *path;
	void *result; /* of the file or piece; faults are added to it */
};

struct tfr_fault_policy {
	/* TFR_OK: the function has moved the reader, if there is one, to the next record, and
	 * reading continues.  TFR_END: the file ends with it (not at a bad record of sweep.c, where
	 * other threads may have examined later ones).  Any other status ends reading.  Called by
	 * any thread, several at a time.  NULL: tfr_fault_skip(). */
	enum tfr_status (*meet)(struct tfr_fault_policy *p, const struct tfr_fault_met *fault,
		struct tfr_error *err);
	enum tfr_on_fault on_fault;
	struct tfr_stream_writer *quarantine; /* NULL: the bytes of faults are dropped */
	/* One call at a time; both may be NULL.  `skipped` receives each skipped fault in place of
	 * a warning. */
	void (*warn)(void *ctx, const char *text);
	void (*skipped)(void *ctx, const struct tfr_error *why, const void *record, size_t size);
	void *ctx;
	pthread_mutex_t lock; /* of the calls */
	uint64_t faults;      /* skipped so far; written by any thread */
};

/* Completes a policy whose other members are set.  A policy whose meet() calls no function below
 * needs no init. */
void tfr_fault_policy_init(struct tfr_fault_policy *p);
void tfr_fault_policy_clear(struct tfr_fault_policy *p);

/* `later` collects the warning, ended by a NUL, for tfr_fault_tell().  NULL, or memory is short:
 * the caller is warned at once. */
void tfr_fault_warn(struct tfr_fault_policy *p, struct tfr_buf *later, const char *text);
void tfr_fault_tell(struct tfr_fault_policy *p, struct tfr_buf *later);
/* A file without a record or a fault; standard input may be empty. */
void tfr_fault_warn_empty(struct tfr_fault_policy *p, struct tfr_buf *later, const char *path);

/* Fails, or with TFR_ON_FAULT_SKIP skips a fault of the data.  fault->result is the struct
 * tfr_deferred_faults of the piece; NULL: there is no order. */
enum tfr_status tfr_fault_skip(
	struct tfr_fault_policy *p, const struct tfr_fault_met *fault, struct tfr_error *err);
/* For a record that the caller refuses.  TFR_EDATA with TFR_ON_FAULT_SKIP: reports the record and
 * returns TFR_OK.  Otherwise returns `status`. */
enum tfr_status tfr_fault_skip_record(struct tfr_fault_policy *p, struct tfr_buf *later,
	enum tfr_status status, const struct tfr_error *why, const void *record, size_t size);
/* Writes bytes to the quarantine; for struct tfr_reader_opts, with the policy as `ctx`. */
enum tfr_status tfr_fault_put(void *policy, const void *data, size_t size, struct tfr_error *err);

/* --- faults kept until their turn ---
 *
 * For sweep.c, whose runs are examined in any order and settled in the order of the inputs: an item
 * of the lanes is a run with the faults before it, a piece, which is settled in its turn.
 *
 * The quarantine receives the (uncompressed) bytes of the inputs in their order.  Spans between
 * records come before the records of the piece.  Bad records are not copied: they stay in the
 * piece. */

/* Zero-initialised is empty. */
struct tfr_deferred_faults {
	struct tfr_fault_policy *policy;
	struct tfr_buf warnings; /* see tfr_fault_warn() */
	struct tfr_buf spans;	 /* copied */
	struct tfr_buf records;	 /* struct bad_record */
	size_t given;		 /* bytes of `records` that are written */
	size_t before;		 /* set by the caller: bytes of kept records before the next bad
				  * one; see tfr_deferred_put_records() */
	struct tfr_lanes_run *lanes;
	uint64_t item;
	bool turn; /* all earlier items are settled: spans are written at once */
};

/* The budget of the lanes.  A large span reserves more than all of it, and so waits for its turn.
 */
enum { TFR_DEFERRED_BUDGET = 1 };

/* The next calls belong to this item. */
void tfr_deferred_begin(struct tfr_deferred_faults *a, struct tfr_fault_policy *policy,
	struct tfr_lanes_run *lanes, uint64_t item);
/* Adds bytes of a span before the piece's records.  If they exceed 1 MiB, it waits for the item's
 * turn. */
enum tfr_status tfr_deferred_span(
	struct tfr_deferred_faults *a, const void *data, size_t size, struct tfr_error *err);
/* When the piece is settled: reports the warnings and writes the spans, then the records for
 * which `before` was at most `upto`; it rises from record to record. */
enum tfr_status tfr_deferred_settle(struct tfr_deferred_faults *a, struct tfr_error *err);
enum tfr_status tfr_deferred_put_records(
	struct tfr_deferred_faults *a, size_t upto, struct tfr_error *err);
void tfr_deferred_clear(struct tfr_deferred_faults *a);

#endif
