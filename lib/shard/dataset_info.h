/* shard/dataset_info.h - the number of records that TFDS's dataset_info.json has for a file. */
#ifndef TFR_SHARD_DATASET_INFO_H
#define TFR_SHARD_DATASET_INFO_H

#include <tfr-private/error.h>

/* Looks in the folder of the local file `path`.  TFR_END: no dataset_info.json there names the file.
 * TFR_EDATA: it is damaged. */
enum tfr_status tfr_dataset_info_records(
	const char *path, uint64_t *records, struct tfr_error *err);

#endif
