/* rewrite/split_classes.h - the classes of a division, for the caller to keep. */
#ifndef TFR_REWRITE_SPLIT_CLASSES_H
#define TFR_REWRITE_SPLIT_CLASSES_H

#include <tfr-private/rewrite.h>

#include "rewrite/strata.h"

/* Fills the report's classes.  Takes ownership of the classes in the strata and of `*received`,
 * which has one row per class: the count of each share, and of none. */
enum tfr_status tfr_split_report_classes(struct tfr_split_report *report, struct tfr_strata *strata,
	uint64_t **received, size_t share_count, struct tfr_error *err);

#endif
