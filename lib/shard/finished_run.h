/* shard/finished_run.h - a set that a run with --resume has finished, found when that run is
 * repeated.
 */
#ifndef TFR_SHARD_FINISHED_RUN_H
#define TFR_SHARD_FINISHED_RUN_H

#include <tfr-private/shard.h>

#include "shard/manifests.h"

/* Finds the manifest of a set, or of a file, that such a run has written: it has its options, and
 * every file has the size and time that it names.  The caller frees it.  TFR_END: there is none, or
 * something was written since. */
enum tfr_status tfr_finished_find(
	struct tfr_manifest **m, const char *target, struct tfr_error *err);
/* Compares two texts of options, one per line.  TFR_EUSAGE: the first difference, of `which`, "the
 * run to be resumed". */
enum tfr_status tfr_options_compare(
	const char *then, const char *now, const char *which, struct tfr_error *err);

#endif
