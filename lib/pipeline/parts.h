/* pipeline/parts.h - a feed: its parts, which know each other by their headers only.
 *
 *     source     files into records, in the order of the feed
 *     flow       records into samples for a batch: the workers
 *     transfer   samples into batches, and batches to devices: the uploaders
 *     statistics what each of them did
 *
 * The control has the lock of all of them; the settings do not change once the feed runs. */
#ifndef TFR_PIPELINE_PARTS_H
#define TFR_PIPELINE_PARTS_H

#include "pipeline/control.h"
#include "pipeline/first_records.h"
#include "pipeline/flow/flow.h"
#include "pipeline/report/statistics.h"
#include "pipeline/settings.h"
#include "pipeline/source/record_source.h"
#include "pipeline/transfer/transfer.h"

struct tfr_pipeline {
	struct tfr_feed_settings *set;
	struct tfr_feed_control control;
	struct tfr_statistics *statistics;
	struct tfr_sample_pool pool;
	struct tfr_record_source *source;
	struct tfr_flow *flow;
	struct tfr_transfer *transfer;
	struct tfr_span consumer_span;
	uint64_t moves_seen, moved_ns; /* of the consumer: when something last moved */
};

/* options.c: checks what can be checked before a record was seen. */
enum tfr_status tfr_feed_options_check(struct tfr_feed_settings *set, struct tfr_error *err);
/* Once the first records were seen: the list, and what follows from it. */
enum tfr_status tfr_feed_options_settle(
	struct tfr_feed_settings *set, const struct tfr_first_records *f, struct tfr_error *err);
void tfr_feed_options_clear(struct tfr_feed_settings *set);

/* pipeline.c: says which stage waits for what; with the lock. */
enum tfr_status tfr_feed_stalled(struct tfr_pipeline *p, struct tfr_error *err);

#endif
