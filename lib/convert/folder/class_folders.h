/* convert/folder/class_folders.h - the folders that are classes: those with usable files in the
 * base folder or in every split. */
#ifndef TFR_CONVERT_FOLDER_CLASS_FOLDERS_H
#define TFR_CONVERT_FOLDER_CLASS_FOLDERS_H

#include "convert/folder/class_names.h"
#include "convert/folder/splits.h"

/* Images of a split without class folders have no class. */
#define TFR_CLASSLESS (TFR_NO_CLASS - 1)

struct tfr_class_folders {
	struct tfr_class_names names; /* of all splits, written or not */
	/* Of each folder of the scan: a number of `names`, TFR_NO_CLASS or TFR_CLASSLESS.  NULL:
	 * there are no classes. */
	uint32_t *class_of;
	const char
		/* a split without class folders, although others have some; NULL: none */
		*classless;
};

/* `s` has been found and still has all its items. */
enum tfr_status tfr_class_folders_find(struct tfr_class_folders *c, const struct tfr_splits *s,
	const struct tfr_usable *u, struct tfr_error *err);
/* TFR_EUSAGE: two of the folders are one of images and one of their masks. */
enum tfr_status tfr_class_folders_check(const struct tfr_class_folders *c,
	const struct tfr_scan *scan, const struct tfr_convert_opts *opts, struct tfr_error *err);
void tfr_class_folders_clear(struct tfr_class_folders *c);

#endif
