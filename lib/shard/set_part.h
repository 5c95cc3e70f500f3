/* shard/set_part.h - the notes of the parts of a set, for those who write and finish it. */
#ifndef TFR_SHARD_SET_PART_H
#define TFR_SHARD_SET_PART_H

#include "shard/manifests.h"

/* "out/train.16-tfrecord.part-00003-of-00008.json"; the caller frees it.  NULL: out of memory. */
char *tfr_set_name_note(const struct tfr_set_name *name, uint32_t part, uint32_t parts);
/* Whether parts have left notes beside the set: 'tfr finish' says what is missing. */
bool tfr_set_has_notes(const struct tfr_set_name *name);
/* Compares the options and inputs of a run with those of an earlier one, which the message calls
 * `which`.  TFR_EUSAGE: they differ. */
enum tfr_status tfr_terms_compare(const struct tfr_manifest *then, const struct tfr_set_info *now,
	const char *which, struct tfr_error *err);
/* Removes a file or an object, if it exists. */
enum tfr_status tfr_file_remove(const char *path, struct tfr_error *err);

#endif
