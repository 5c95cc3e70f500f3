/* convert/coco/coco_join.h - joins annotations with their images and categories. */
#ifndef TFR_CONVERT_COCO_COCO_JOIN_H
#define TFR_CONVERT_COCO_COCO_JOIN_H

#include "convert/coco/coco_read.h"

/* Joins the contents of c->parsed.  TFR_EDATA: two images or two categories have the same id, an
 * annotation has an unknown category or not as many keypoints as its category names, or an image
 * has a second image of segments. */
enum tfr_status tfr_coco_join(
	struct tfr_coco *c, const char *path, enum tfr_coco_what what, struct tfr_error *err);

#endif
