/* convert/tfds/tfds.h - a folder that tfds.builder_from_directory() can load.
 *
 * It has NAME-SPLIT.tfrecord-00000-of-0000N for each split, where NAME is the last part of the
 * folder's path; features.json and label.labels.txt, which describe the records; and
 * dataset_info.json with the number of records of each shard.  The last one is written last and
 * removed first: without it TFDS sees no data set
 * (tensorflow_datasets/core/{dataset_info,naming,read_only_builder}.py). */
#ifndef TFR_CONVERT_TFDS_TFDS_H
#define TFR_CONVERT_TFDS_TFDS_H

#include "convert/input.h"
#include "convert/output_sets.h"

struct tfr_output;

/* All 0 and NULL if opts->output.tfds is NULL: the calls then do nothing. */
struct tfr_tfds {
	const char *folder;
	char *name;
	const struct tfr_convert_opts *given; /* its targets are splits */
	struct tfr_convert_opts opts;	      /* its targets are the sets of these */
	struct tfr_share *targets;
	struct tfr_output *info, *features, *labels;
	bool made; /* the folder is ours */
};

/* Checks the names; *opts, which must outlive `t`, gets sets for splits, which belong to `t`. */
enum tfr_status tfr_tfds_name(
	struct tfr_tfds *t, const struct tfr_convert_opts **opts, struct tfr_error *err);
/* Creates the folder and all files except dataset_info.json.  TFR_EEXIST: one exists, and
 * neither opts->output.writer.force nor `again` is set: another run may have named it. */
enum tfr_status tfr_tfds_open(
	struct tfr_tfds *t, const struct tfr_input *in, bool again, struct tfr_error *err);
/* Makes dataset_info.json for the sealed sets.  From now on the files are published with the
 * last set. */
enum tfr_status tfr_tfds_seal(
	struct tfr_tfds *t, const struct tfr_sets *sets, struct tfr_error *err);
/* Removes everything that was not published, and the folder if it was created here and is empty. */
void tfr_tfds_close(struct tfr_tfds *t);

/* The number of shards that TFDS gives a split of `records` records with `bytes` bytes, framed. */
uint64_t tfr_tfds_shards(uint64_t bytes, uint64_t records);

#endif
