/* sweep/deferred_faults.h - keeps the bad bytes of a piece of the inputs until its turn for the
 * quarantine, and its warnings.
 *
 * The quarantine receives the (uncompressed) bytes of the inputs in their order.  Spans between
 * records come before the records of the piece.  Bad records are not copied: they stay in the
 * piece. */
#ifndef TFR_SWEEP_DEFERRED_FAULTS_H
#define TFR_SWEEP_DEFERRED_FAULTS_H

#include "sweep/fault_policy.h"
#include "thread/lanes.h"

/* Zero-initialised is empty. */
struct tfr_deferred_faults {
	struct tfr_fault_policy *policy;
	struct tfr_buf warnings; /* see tfr_fault_warn() */
	struct tfr_buf spans;	 /* copied */
	struct tfr_buf records;	 /* struct bad_record of deferred_faults.c */
	size_t given;		 /* bytes of `records` that are written */
	struct tfr_lanes_run *lanes;
	uint64_t item;
	bool turn; /* all earlier items are settled: spans are written at once */
};

/* The budget of the lanes.  A large span reserves more than all of it, and so waits for its turn.
 */
enum { TFR_ASIDE_BUDGET = 1 };

/* The next calls belong to this item. */
void tfr_deferred_begin(struct tfr_deferred_faults *a, struct tfr_fault_policy *policy,
	struct tfr_lanes_run *lanes, uint64_t item);
/* Adds bytes of a span before the piece's records.  If they exceed 1 MiB, it waits for the item's
 * turn. */
enum tfr_status tfr_deferred_span(
	struct tfr_deferred_faults *a, const void *data, size_t size, struct tfr_error *err);
/* Adds a record of the piece with its framing, which must stay where it is.  `before` rises from
 * record to record. */
enum tfr_status tfr_deferred_record(struct tfr_deferred_faults *a, const struct tfr_record *rec,
	size_t before, struct tfr_error *err);

/* When the piece is settled: reports the warnings and writes the spans, then the records whose
 * `before` is at most `upto`. */
enum tfr_status tfr_deferred_settle(struct tfr_deferred_faults *a, struct tfr_error *err);
enum tfr_status tfr_deferred_put_records(
	struct tfr_deferred_faults *a, size_t upto, struct tfr_error *err);
void tfr_deferred_clear(struct tfr_deferred_faults *a);

#endif
