/* pipeline/report/counters.h - the inside of the statistics, for the files of this folder. */
#ifndef TFR_PIPELINE_COUNTERS_H
#define TFR_PIPELINE_COUNTERS_H

#include "pipeline/report/statistics.h"
#include "thread/load.h"

/* Waits of the consumer: a histogram of 32 steps per octave. */
enum { WAIT_BUCKETS = 64 * 32 };

/* Counters at one moment, to be subtracted from later ones. */
struct tfr_counter_snapshot {
	struct tfr_stage_counter rows[TFR_ROWS_MAX];
	uint64_t pool[TFR_POOL_ACCOUNTS];
};

struct tfr_statistics {
	const struct tfr_feed_settings *set;
	struct tfr_span *spans;			      /* of all threads, and of the consumer */
	struct tfr_counter_snapshot now, first, last; /* at the first and last batch */
	struct tfr_stage_counter inflated; /* of all readers: the row inflate, where there is one */
	uint64_t flights, flight_ns;	   /* uploads, from their start to their arrival */
	struct tfr_load load_then;	   /* as the feed was opened */
	uint64_t start_ns, first_ns, last_ns; /* opened; first and last batch delivered */
	uint64_t batches, records, payload_bytes, device_bytes, epochs;
	uint64_t first_records, first_payload_bytes, first_device_bytes;
	uint64_t first_epoch_ns, first_epoch_records; /* until its last batch */
	uint32_t waits[WAIT_BUCKETS];
	uint64_t wait_max_ns;
};

/* The row of the kernels, after the consumer's; a report shows it before that. */
static inline unsigned tfr_kernel_row(const struct tfr_statistics *s)
{
	return s->set->rows + 1;
}

/* Whether the time from the first batch to the last says more than that of the run.  If the
 * first batch took longer than all others, the feed has only emptied its shuffle buffer since. */
bool tfr_statistics_steady(const struct tfr_statistics *s);

#endif
