/* convert/folder/object_classes.h - the classes of objects that annotations name: numbered in the
 * order of their names, over all splits, or by opts->classes.labels. */
#ifndef TFR_CONVERT_FOLDER_OBJECT_CLASSES_H
#define TFR_CONVERT_FOLDER_OBJECT_CLASSES_H

#include "convert/folder/class_names.h"
#include "convert/folder/label_map.h"

struct tfr_object_classes {
	struct tfr_class_names names; /* found in the annotations of a split */
	struct tfr_label_map map;     /* of opts->classes.labels, in place of these */
	/* the classes that number the names: of another split; NULL: these */
	const struct tfr_object_classes *numbers;
};

/* Gives `in` its classes after all names have been added. */
enum tfr_status tfr_object_classes_number(
	struct tfr_object_classes *c, struct tfr_input *in, struct tfr_error *err);
/* Adds the names of `other` to those of `first`, which number both from now on. */
enum tfr_status tfr_object_classes_unite(
	struct tfr_object_classes *first, struct tfr_object_classes *other, struct tfr_error *err);
/* Returns the class of this name; NULL: it has no number. */
const struct tfr_class *tfr_object_classes_find(
	const struct tfr_object_classes *c, const char *name);
void tfr_object_classes_clear(struct tfr_object_classes *c);

#endif
