/* shard/dataset_info.h - the number of records that TFDS's dataset_info.json has for a file. */
#ifndef TFR_SHARD_DATASET_INFO_H
#define TFR_SHARD_DATASET_INFO_H

#include <tfr-private/error.h>

struct json_object;

/* The file of the folder that was looked at last; all zeros at first. */
struct tfr_dataset_info {
	char *path;
	struct json_object *doc;
	struct tfr_error why; /* there is none, or it is damaged */
};

/* Looks in the folder of the local file `path`.  TFR_END: no dataset_info.json there names the file.
 * TFR_EDATA: it is damaged. */
enum tfr_status tfr_dataset_info_records(
	struct tfr_dataset_info *info, const char *path, uint64_t *records, struct tfr_error *err);
void tfr_dataset_info_clear(struct tfr_dataset_info *info);

#endif
