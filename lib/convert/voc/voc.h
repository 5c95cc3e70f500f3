/* convert/voc/voc.h - what the files of PASCAL VOC's input share: voc_look.c finds folders and the
 * images of annotations, voc.c is the input, voc_boxes.c makes features of boxes. */
#ifndef TFR_CONVERT_VOC_VOC_H
#define TFR_CONVERT_VOC_VOC_H

#include "convert/folder/class_names.h"
#include "convert/folder/label_map.h"
#include "convert/image_features.h"
#include "convert/parts.h"
#include "convert/voc/voc_xml.h"

struct voc {
	struct tfr_input in;
	int images, annotations; /* folders */
	char *prefix, *xml_prefix;
	struct tfr_buf names, entries_;
	struct tfr_class_names classes;
	struct tfr_label_map map;  /* of opts->labels, in place of these */
	const struct voc *numbers; /* whose classes number the names: itself, or another split */
	size_t unusable;	   /* boxes */
};

/* What an item keeps. */
struct voc_own {
	struct tfr_buf xml, floats, ints, texts;
	struct tfr_voc voc;
};

/* An item on its way. */
struct voc_making {
	struct voc *v;
	struct tfr_item *item;
	struct voc_own *o;
	struct tfr_image_info size; /* of the image */
};

/* Of an item whose annotation and image are read: image/source_id, and the boxes that have an
 * area and lie in the image.  Skips the item where a class has no label. */
enum tfr_status tfr_voc_add_boxes(struct voc_making *m, struct tfr_error *err);

/* Finds the parts of the data set `folder`; none: it has no annotations of VOC.  False: out of
 * memory. */
bool tfr_voc_find(struct tfr_parts *parts, const char *folder);
/* The path below the folder `images` of the image that the annotation `xml`, whose path is
 * relative to its own folder, belongs to: as `filename` says, or else the image of the same name
 * as `xml`.  Where there is neither, `filename` itself.  False: out of memory. */
bool tfr_voc_image(int images, const char *xml, const char *filename, struct tfr_buf *path);

#endif
