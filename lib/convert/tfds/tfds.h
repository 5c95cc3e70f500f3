/* convert/tfds/tfds.h - a folder that tfds.builder_from_directory() loads as it is.
 *
 * NAME-SPLIT.tfrecord-00000-of-0000N for each split, NAME being the last part of the folder's path;
 * features.json and label.labels.txt, which say what the records have; and dataset_info.json with
 * the records of each shard.  That one comes last and goes first: without it TFDS sees no data set
 * (tensorflow_datasets/core/{dataset_info,naming,read_only_builder}.py). */
#ifndef TFR_CONVERT_TFDS_TFDS_H
#define TFR_CONVERT_TFDS_TFDS_H

#include "convert/input.h"
#include "convert/output_sets.h"

struct tfr_output;

/* All 0 and NULL where opts->tfds is NULL: the calls then do nothing. */
struct tfr_tfds {
	const char *folder;
	char *name;
	const struct tfr_convert_opts *given; /* its targets are splits */
	struct tfr_convert_opts opts;	      /* its targets are the sets of these */
	struct tfr_share *targets;
	struct tfr_output *info, *features, *labels;
	bool made; /* the folder is ours */
};

/* Checks the names; *opts, which must outlive `t`, becomes one with sets for splits, owned by `t`.
 */
enum tfr_status tfr_tfds_name(
	struct tfr_tfds *t, const struct tfr_convert_opts **opts, struct tfr_error *err);
/* Makes the folder and the files but for dataset_info.json.  TFR_EEXIST: one is there, and neither
 * opts->writer.force nor `again` is set: another run may have named it. */
enum tfr_status tfr_tfds_open(
	struct tfr_tfds *t, const struct tfr_input *in, bool again, struct tfr_error *err);
/* dataset_info.json of the sealed sets.  From here on the files are published with the last set. */
enum tfr_status tfr_tfds_seal(
	struct tfr_tfds *t, const struct tfr_sets *sets, struct tfr_error *err);
/* What was not published is removed, and the folder where it was made and is empty. */
void tfr_tfds_close(struct tfr_tfds *t);

/* How many shards TFDS itself would give a split of `records` records of `bytes` bytes, framed. */
uint64_t tfr_tfds_shards(uint64_t bytes, uint64_t records);

#endif
