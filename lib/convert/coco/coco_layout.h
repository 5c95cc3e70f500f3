/* convert/coco/coco_layout.h - finds COCO's files of annotations beside the images. */
#ifndef TFR_CONVERT_COCO_COCO_LAYOUT_H
#define TFR_CONVERT_COCO_COCO_LAYOUT_H

#include "convert/input.h"
#include "convert/parts.h"

/* Finds the parts of the data set with the base `folder`; none: it has no COCO annotations.  False:
 * out of memory. */
bool tfr_coco_find(struct tfr_parts *parts, const char *folder);

#endif
