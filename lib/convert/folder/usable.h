/* convert/folder/usable.h - which folders of a tree hold files that records can be made of. */
#ifndef TFR_CONVERT_FOLDER_USABLE_H
#define TFR_CONVERT_FOLDER_USABLE_H

#include "convert/folder/scan.h"

struct tfr_usable {
	const struct tfr_scan *scan;
	/* Skips an item whose first bytes, in item->file, are of no use: tfr_image_look(). */
	void (*look)(struct tfr_item *item);
	void (*judge)(struct tfr_item *item); /* skips what is broken, of a whole file; or NULL */
	/* In place of both, where it is known: for each folder, whether a file directly in it is
	 * usable. */
	const bool *known;
	const char *nothing; /* of a folder without any: "no images in" */
};

/* How far to look. */
enum tfr_usable_reach {
	TFR_USABLE_DIRECTLY, /* files in the folder itself */
	TFR_USABLE_BELOW,    /* files at any depth */
	/* Likewise, and every file is opened if need be, and judged as a record's would be;
	 * otherwise the first bytes decide, and files that are not named as images or sounds are
	 * opened only up to a bound. */
	TFR_USABLE_ALL,
};

/* Whether a folder holds a usable file.  A folder that could not be listed counts as one that does,
 * and so does one with files that are not included: what is left out moves no label.  TFR_ESYS: out
 * of descriptors. */
enum tfr_status tfr_usable_in(const struct tfr_usable *u, uint32_t dir, enum tfr_usable_reach reach,
	bool *yes, struct tfr_error *err);
/* Appends to `list`, as uint32_t, the folders directly in `dir` that hold a usable file. */
enum tfr_status tfr_usable_children(const struct tfr_usable *u, uint32_t dir,
	enum tfr_usable_reach reach, struct tfr_buf *list, struct tfr_error *err);

#endif
