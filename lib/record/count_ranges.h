/* record/count_ranges.h - the records of one large plain file counted by several threads, without
 * an index. */
#ifndef TFR_RECORD_COUNT_RANGES_H
#define TFR_RECORD_COUNT_RANGES_H

#include "record/stream.h"

/* From where the stream stands, which must be at a record, to its end.  TFR_OK: what one thread
 * would count, and `s` has not moved.  TFR_END: the file is not worth several threads, or something
 * is odd, which counting with one thread has to name. */
enum tfr_status tfr_count_ranges(
	struct tfr_stream *s, unsigned threads, uint64_t *records, struct tfr_error *err);

#endif
