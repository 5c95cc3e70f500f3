/* convert/folder/class_folders.h - the folders that are classes: those with usable files in the
 * base folder or in every split, and the names of classes, which a list can have in place of
 * folders. */
#ifndef TFR_CONVERT_FOLDER_CLASS_FOLDERS_H
#define TFR_CONVERT_FOLDER_CLASS_FOLDERS_H

#include "base/names.h"
#include "convert/folder/splits.h"
#include "convert/input.h"

/* The names of classes, each once. */
struct tfr_class_names {
	struct tfr_names sorted;   /* bytewise */
	struct tfr_class *classes; /* after tfr_class_names_number() */
};

/* False: out of memory. */
bool tfr_class_names_add(struct tfr_class_names *c, const char *name);
/* The number of a name, or TFR_NO_CLASS. */
uint32_t tfr_class_names_find(const struct tfr_class_names *c, const char *name);
/* Gives the names to the input, with labels from opts->classes.base; again if there are more names
 * now.  False: out of memory. */
bool tfr_class_names_number(struct tfr_class_names *c, struct tfr_input *in);
void tfr_class_names_clear(struct tfr_class_names *c);

/* Images of a split without class folders have no class. */
#define TFR_CLASSLESS (TFR_NO_CLASS - 1)

struct tfr_class_folders {
	struct tfr_class_names names; /* of all splits, written or not */
	/* Of each folder of the scan: a number of `names`, TFR_NO_CLASS or TFR_CLASSLESS.  NULL:
	 * there are no classes. */
	uint32_t *class_of;
	/* a split without class folders, although others have some; NULL: none */
	const char *classless;
};

/* `s` has been found and still has all its items. */
enum tfr_status tfr_class_folders_find(struct tfr_class_folders *c, const struct tfr_splits *s,
	struct tfr_usable *u, struct tfr_error *err);
/* TFR_EUSAGE: two of the folders are one of images and one of their masks. */
enum tfr_status tfr_class_folders_check(const struct tfr_class_folders *c,
	const struct tfr_scan *scan, const struct tfr_convert_opts *opts, struct tfr_error *err);
void tfr_class_folders_clear(struct tfr_class_folders *c);

#endif
