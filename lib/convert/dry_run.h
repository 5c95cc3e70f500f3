/* convert/dry_run.h - a dry run: which shards there would be, and about how large. */
#ifndef TFR_CONVERT_DRY_RUN_H
#define TFR_CONVERT_DRY_RUN_H

#include "convert/input.h"

/* Tells opts->planned of every shard.  The report has the items found and the bytes of the shards,
 * and as records the items that would go to some set, all of which may become one. */
enum tfr_status tfr_plan(struct tfr_input *in, const uint32_t *order,
	struct tfr_convert_report *report, struct tfr_error *err);

#endif
