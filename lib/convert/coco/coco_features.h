/* convert/coco/coco_features.h - COCO's data of an image besides its boxes: keypoints, captions,
 * and panoptic segments. */
#ifndef TFR_CONVERT_COCO_COCO_FEATURES_H
#define TFR_CONVERT_COCO_COCO_FEATURES_H

#include "convert/coco/coco_read.h"
#include "convert/input.h"
#include "io/root.h"

/* Whether a name in a file of annotations stays below its folder. */
bool tfr_coco_is_below(const char *name);

/* Adds image/object/keypoint/{x,y,visibility,num,text} of the boxes of image `i`.  Each box has
 * as many keypoints as its category names; a box without keypoints has zeros (tensorflow/models,
 * research/object_detection/dataset_tools/create_coco_tf_record.py). */
enum tfr_status tfr_coco_add_points(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_boxes *b, struct tfr_error *err);
/* Adds image/caption: the captions of image `i`, in the order of the file. */
enum tfr_status tfr_coco_add_captions(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_boxes *b, struct tfr_error *err);
/* Adds two masks of image `i` by tfr_mask_add(), those of image/panoptic/{category_mask,
 * instance_mask} (tensorflow/models, official/vision/data/create_coco_tf_record.py).  They have
 * each pixel's category, and the position of its segment in the list, from 1, if the category is of
 * things; otherwise 0.  `folder` has the images of segments.  A fault skips the item. */
enum tfr_status tfr_coco_paint_panoptic(const struct tfr_coco *c, size_t i,
	const struct tfr_root *folder, struct tfr_item *item, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err);

#endif
