/* convert/folder/class_names.h - collects the names of classes, sorted, each once. */
#ifndef TFR_CONVERT_FOLDER_CLASS_NAMES_H
#define TFR_CONVERT_FOLDER_CLASS_NAMES_H

#include "base/names.h"
#include "convert/input.h"

struct tfr_class_names {
	struct tfr_names sorted; /* bytewise */
	size_t last;
	struct tfr_class *classes; /* after tfr_class_names_number() */
};

/* Adds the first `size` bytes of `name`, which is often the same as the last one.  False: out of
 * memory. */
bool tfr_class_names_add(struct tfr_class_names *c, const char *name, size_t size);
/* The number of a name, or TFR_NO_CLASS. */
uint32_t tfr_class_names_find(const struct tfr_class_names *c, const char *name, size_t size);
/* Gives the names to the input, with labels from opts->classes.base; again if there are more names
 * now.  False: out of memory. */
bool tfr_class_names_number(struct tfr_class_names *c, struct tfr_input *in);
void tfr_class_names_clear(struct tfr_class_names *c);

#endif
