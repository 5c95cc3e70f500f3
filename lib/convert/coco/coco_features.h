/* convert/coco/coco_features.h - what COCO says of an image beside its boxes: keypoints, captions,
 * and the segments of panoptic. */
#ifndef TFR_CONVERT_COCO_COCO_FEATURES_H
#define TFR_CONVERT_COCO_COCO_FEATURES_H

#include "convert/coco/coco_read.h"
#include "convert/input.h"

/* Memory to make features in, an item's. */
struct tfr_coco_scratch {
	struct tfr_buf floats, ints, texts;
	struct tfr_buf ids, category, instance; /* an image of segments, and what is made of it */
};

/* Whether a name in a file of annotations stays below its folder. */
bool tfr_coco_is_below(const char *name);
void tfr_coco_scratch_clear(struct tfr_coco_scratch *s);

/* image/object/keypoint/{x,y,visibility,num,text} of the boxes of image `i`, as many keypoints for
 * each as its category names; zeros for a box without (tensorflow/models, research/
 * object_detection/dataset_tools/create_coco_tf_record.py). */
enum tfr_status tfr_coco_add_points(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_coco_scratch *s, struct tfr_error *err);
/* image/caption: those of image `i`, in the order of the file. */
enum tfr_status tfr_coco_add_captions(const struct tfr_coco *c, size_t i, struct tfr_item *item,
	struct tfr_coco_scratch *s, struct tfr_error *err);
/* image/panoptic/{category_mask,instance_mask} of image `i`: 8-bit gray PNGs of each pixel's
 * category, and of its segment's number in the list, from 1, where the category is of things; 0
 * elsewhere (tensorflow/models, official/vision/data/create_coco_tf_record.py).  `folder` has the
 * images of segments.  What is wrong skips the item. */
enum tfr_status tfr_coco_add_panoptic(const struct tfr_coco *c, size_t i, int folder,
	struct tfr_item *item, struct tfr_coco_scratch *s, struct tfr_workbench *bench,
	const struct tfr_room *room, struct tfr_error *err);

#endif
