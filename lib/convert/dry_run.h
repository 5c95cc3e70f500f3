/* convert/dry_run.h - a dry run: computes the shards and their approximate sizes. */
#ifndef TFR_CONVERT_DRY_RUN_H
#define TFR_CONVERT_DRY_RUN_H

#include "convert/input.h"

/* Calls opts->run.planned for every shard.  The report has the items found, the bytes of the
 * shards, and as records the items that would go to a set, all of which may become records. */
enum tfr_status tfr_plan(struct tfr_input *in, const uint32_t *order,
	struct tfr_convert_report *report, struct tfr_error *err);

#endif
