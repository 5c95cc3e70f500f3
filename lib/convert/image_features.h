/* convert/image_features.h - the features of an image, whatever input it comes from. */
#ifndef TFR_CONVERT_IMAGE_FEATURES_H
#define TFR_CONVERT_IMAGE_FEATURES_H

#include "convert/input.h"

/* For tfr_item_read(): a large file that is no image is skipped after its first block. */
void tfr_image_look(struct tfr_item *item);
/* Measures the image in item->file; one that is none, or is broken, is skipped. */
void tfr_item_probe_image(struct tfr_item *item, struct tfr_image_info *info);
/* Skips an image that did not decode. */
void tfr_image_damaged(struct tfr_item *item, const struct tfr_error *why);
/* All that is done with an image in item->file: measured, changed as opts->rework says (the new
 * bytes then lie in item->file), decoded where opts->verify says so, its features put into the
 * builder: image/encoded, a reference into item->file, image/format, height, width, channels,
 * image/filename, image/key/sha256 with opts->sha256, and those of its class; with opts->tfds
 * image, image/filename and label. */
enum tfr_status tfr_image_add(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, struct tfr_error *err);

#endif
