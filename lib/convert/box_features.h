/* convert/box_features.h - the boxes of an image as features of the Object Detection API, for every
 * kind of annotations (tensorflow/models, research/object_detection/dataset_tools). */
#ifndef TFR_CONVERT_BOX_FEATURES_H
#define TFR_CONVERT_BOX_FEATURES_H

#include <tfr-private/example.h>

#include "base/buf.h"
#include "base/error.h"

/* The boxes that one thread collects; its memory is reused from image to image. */
struct tfr_boxes {
	struct tfr_buf sides[4]; /* float: xmin, ymin, xmax, ymax, as fractions of the image's size */
	struct tfr_buf labels;	 /* int64_t: of the classes, where they are known */
	struct tfr_buf texts;	 /* struct tfr_bytes: their names, which the caller keeps */
	/* Other values of each box, for the features of one kind of annotations. */
	struct tfr_buf floats[2], ints[2], names;
};

void tfr_boxes_reset(struct tfr_boxes *b);
/* Adds a box by its corners xmin, ymin, xmax, ymax in the unit of `width` and `height`.  Quotients
 * are computed in doubles and then rounded, as in Python.  False: out of memory; likewise below. */
bool tfr_boxes_add(struct tfr_boxes *b, const double corners[4], double width, double height);
/* Adds the class of the box that was added last. */
bool tfr_boxes_add_class(struct tfr_boxes *b, int64_t label, const char *text);
/* Adds a value to one of the lists; a text stays valid until it is put. */
bool tfr_boxes_add_int(struct tfr_buf *ints, int64_t value);
bool tfr_boxes_add_float(struct tfr_buf *floats, double value);
bool tfr_boxes_add_text(struct tfr_buf *texts, const char *text);
/* Puts image/object/bbox/{xmin,ymin,xmax,ymax} and image/object/class/{label,text}; those without
 * a value are left out. */
enum tfr_status tfr_boxes_put(
	const struct tfr_boxes *b, struct tfr_builder *builder, struct tfr_error *err);
/* Puts a list as a feature, also an empty one. */
enum tfr_status tfr_put_ints(struct tfr_builder *builder, const char *key,
	const struct tfr_buf *ints, struct tfr_error *err);
enum tfr_status tfr_put_floats(struct tfr_builder *builder, const char *key,
	const struct tfr_buf *floats, struct tfr_error *err);
enum tfr_status tfr_put_texts(struct tfr_builder *builder, const char *key,
	const struct tfr_buf *texts, struct tfr_error *err);
void tfr_boxes_clear(struct tfr_boxes *b);

#endif
