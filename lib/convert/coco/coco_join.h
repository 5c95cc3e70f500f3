/* convert/coco/coco_join.h - annotations brought to their images and categories. */
#ifndef TFR_CONVERT_COCO_COCO_JOIN_H
#define TFR_CONVERT_COCO_COCO_JOIN_H

#include "convert/coco/coco_read.h"

/* Of what is in c->parsed.  TFR_EDATA: two images or two categories of one id, an annotation of a
 * category that is not there, keypoints that are not as many as
 * its category names, a second image of segments of an image. */
enum tfr_status tfr_coco_join(
	struct tfr_coco *c, const char *path, enum tfr_coco_what what, struct tfr_error *err);

#endif
