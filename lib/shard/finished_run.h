/* shard/finished_run.h - finds a set that an earlier run with --resume has finished. */
#ifndef TFR_SHARD_FINISHED_RUN_H
#define TFR_SHARD_FINISHED_RUN_H

#include <tfr-private/shard.h>

#include "shard/manifests.h"

/* Finds the manifest of a set, or of a file, that such a run has written: it holds the same
 * options, and every file has the size and time that it states.  The caller frees it.  TFR_END:
 * there is no such manifest, or a file was written since. */
enum tfr_status tfr_finished_find(
	struct tfr_manifest **m, const char *target, struct tfr_error *err);
/* Compares two texts of options, one per line.  TFR_EUSAGE: they differ; the message has the first
 * difference and calls the earlier run `which`, such as "the run to be resumed". */
enum tfr_status tfr_options_compare(
	const char *then, const char *now, const char *which, struct tfr_error *err);
/* The same for the options and inputs of a run and those in a manifest. */
enum tfr_status tfr_terms_compare(const struct tfr_manifest *then, const struct tfr_set_info *now,
	const char *which, struct tfr_error *err);

#endif
