/* convert/image_features.h - the features of an image, for every kind of input. */
#ifndef TFR_CONVERT_IMAGE_FEATURES_H
#define TFR_CONVERT_IMAGE_FEATURES_H

#include "convert/input.h"

/* For tfr_item_read(): skips a large file that is not an image after its first block. */
void tfr_image_look(struct tfr_item *item);
/* Measures the image in item->file; skips a file that is not an image, or a broken one. */
void tfr_item_probe_image(struct tfr_item *item, struct tfr_image_info *info);
/* Whether any change is requested. */
bool tfr_rework_wanted(const struct tfr_rework *w);
/* TFR_EUSAGE: the requested changes contradict each other. */
enum tfr_status tfr_rework_check(const struct tfr_rework *w, struct tfr_error *err);
/* Does all work on the image in item->file: measures it, changes it by opts->images.rework (the new
 * bytes are then in item->file), decodes it if opts->images.verify is set, and puts its features
 * into the builder: image/encoded, a reference into item->file, image/format, height, width,
 * channels, image/filename, image/key/sha256 with opts->images.sha256, and those of its class; with
 * opts->output.tfds image, image/filename and label. */
enum tfr_status tfr_image_add(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, struct tfr_error *err);

#endif
