/* sweep/deferred_faults.h - what is bad in a piece of the inputs, on its way into the quarantine.
 *
 * The quarantine has it as it lies in the inputs (uncompressed) and in their order: a piece keeps
 * what is bad in it until it is settled.  Spans between records come before the records of the
 * piece; bad records are not copied, they lie in the piece. */
#ifndef TFR_SWEEP_DEFERRED_FAULTS_H
#define TFR_SWEEP_DEFERRED_FAULTS_H

#include <tfr-private/sweep.h>

#include "base/buf.h"
#include "thread/lanes.h"

/* Zero-initialised is empty. */
struct tfr_aside {
	struct tfr_buf spans;	/* copied */
	struct tfr_buf records; /* struct of aside.c, each a record */
	size_t given;		/* bytes of `records` */
	struct tfr_lanes_run *lanes;
	uint64_t item;
	bool turn; /* all items before are settled: spans go where they belong */
};

/* The budget of the lanes: of it a large span takes all, so as to wait for its turn. */
enum { TFR_ASIDE_BUDGET = 1 };

/* What follows belongs to this item. */
void tfr_aside_begin(struct tfr_aside *a, struct tfr_lanes_run *lanes, uint64_t item);
/* Bytes of a span before the piece's records.  More than a MiB waits for the item's turn, however
 * large the span is. */
enum tfr_status tfr_aside_span(struct tfr_aside *a, struct tfr_stream_writer *quarantine,
	const void *data, size_t size, struct tfr_error *err);
/* A record of the piece, framing and all, which must stay where it is; `before`: a number that
 * rises with the records. */
enum tfr_status tfr_aside_record(
	struct tfr_aside *a, const struct tfr_record *rec, size_t before, struct tfr_error *err);

/* When the piece is settled: the spans, and the records whose `before` is at most `upto`. */
enum tfr_status tfr_aside_put_spans(
	struct tfr_aside *a, struct tfr_stream_writer *quarantine, struct tfr_error *err);
enum tfr_status tfr_aside_put_records(struct tfr_aside *a, struct tfr_stream_writer *quarantine,
	size_t upto, struct tfr_error *err);
void tfr_aside_clear(struct tfr_aside *a);

#endif
