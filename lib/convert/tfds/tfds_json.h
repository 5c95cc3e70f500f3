/* convert/tfds/tfds_json.h - the texts of the files of a TFDS data set. */
#ifndef TFR_CONVERT_TFDS_TFDS_JSON_H
#define TFR_CONVERT_TFDS_TFDS_JSON_H

#include "convert/tfds/tfds.h"

/* label.labels.txt: one name per line; the label is the line's number from 0.  TFR_EDATA: TFDS
 * would read a name as another one; TFR_EUSAGE: labels are not 0 to n-1. */
enum tfr_status tfr_tfds_labels(
	struct tfr_buf *text, const struct tfr_input *in, struct tfr_error *err);
/* features.json; `n_classes` 0: images without labels. */
enum tfr_status tfr_tfds_features(struct tfr_buf *text, size_t n_classes, struct tfr_error *err);
/* dataset_info.json of sealed sets.  TFR_EDATA: a set has no record. */
enum tfr_status tfr_tfds_info(struct tfr_buf *text, const struct tfr_tfds *t,
	const struct tfr_sets *sets, struct tfr_error *err);

#endif
