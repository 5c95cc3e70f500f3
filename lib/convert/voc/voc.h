/* convert/voc/voc.h - the common part of PASCAL VOC's input: voc_layout.c finds folders and the
 * images of annotations, voc.c is the input, voc_boxes.c makes features of boxes. */
#ifndef TFR_CONVERT_VOC_VOC_H
#define TFR_CONVERT_VOC_VOC_H

#include "convert/folder/fetch_ahead.h"
#include "convert/folder/object_classes.h"
#include "convert/image_features.h"
#include "convert/parts.h"
#include "convert/voc/voc_xml.h"
#include "io/root.h"

struct voc {
	struct tfr_input in;
	struct tfr_root *images, *annotations;
	char *prefix, *xml_prefix;
	struct tfr_buf names, entries_;
	struct tfr_object_classes classes;
	size_t unusable; /* boxes */
	struct tfr_fetch_ahead image_ahead, xml_ahead;
};

/* An item while it is converted. */
struct voc_making {
	const struct voc *v;
	struct tfr_item *item;
	struct tfr_voc voc;	    /* its annotation */
	struct tfr_image_info size; /* of its image */
};

/* Adds image/source_id, and the boxes that have an area and are inside the image, after the
 * annotation and the image of the item are read.  Skips the item if a class has no label. */
enum tfr_status tfr_voc_add_boxes(
	struct voc_making *m, struct tfr_boxes *boxes, struct tfr_error *err);

/* Finds the parts of the data set with the base `folder`; none: it has no VOC annotations.  False:
 * out of memory. */
bool tfr_voc_find(struct tfr_parts *parts, const char *folder);
/* Sets the path below the folder `images` of the image of the annotation `xml`, whose path is
 * relative to its own folder: the image `filename`, or else the image with the same name as
 * `xml`.  If neither exists, `filename` itself.  False: out of memory. */
bool tfr_voc_image(
	const struct tfr_root *images, const char *xml, const char *filename, struct tfr_buf *path);

#endif
