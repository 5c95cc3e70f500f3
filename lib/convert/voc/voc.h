/* convert/voc/voc.h - the layouts of PASCAL VOC: voc_layout.c finds folders and the images of
 * annotations for the input, voc.c. */
#ifndef TFR_CONVERT_VOC_VOC_H
#define TFR_CONVERT_VOC_VOC_H

#include "convert/parts.h"
#include "io/root.h"

/* Finds the parts of the data set with the base `folder`; none: it has no VOC annotations.  False:
 * out of memory. */
bool tfr_voc_find(struct tfr_parts *parts, const char *folder);
/* Sets the path below the folder `images` of the image of the annotation `xml`, whose path is
 * relative to its own folder: the image `filename`, or else the image with the same name as
 * `xml`.  If neither exists, `filename` itself. */
enum tfr_status tfr_voc_image(const struct tfr_root *images, const char *xml, const char *filename,
	struct tfr_buf *path, struct tfr_error *err);

#endif
