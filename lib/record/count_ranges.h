/* record/count_ranges.h - counts the records of one large plain file with several threads, without
 * an index. */
#ifndef TFR_RECORD_COUNT_RANGES_H
#define TFR_RECORD_COUNT_RANGES_H

#include "record/hop_cost.h"
#include "record/stream.h"

/* Counts from the stream's position, which must be the start of a record, to its end.  TFR_OK: the
 * number that one thread would count, and `s` has not moved.  TFR_END: the file is too small for
 * several threads, or it has a fault, which counting with one thread reports.  A file that is not
 * in the page cache gets more threads than asked for, if there are at least 2. */
enum tfr_status tfr_count_ranges(struct tfr_stream *s, unsigned threads,
	struct tfr_hop_costs *costs, uint64_t *records, struct tfr_error *err);

#endif
