/* convert/folder/usable.h - finds the folders of a tree that contain usable files. */
#ifndef TFR_CONVERT_FOLDER_USABLE_H
#define TFR_CONVERT_FOLDER_USABLE_H

#include "convert/folder/scan.h"

struct tfr_usable {
	const struct tfr_scan *scan;
	/* Skips an item whose first bytes, in item->file, are not usable: tfr_image_look(). */
	void (*look)(struct tfr_item *item);
	void (*judge)(struct tfr_item *item); /* skips a complete file that is broken; or NULL */
	/* Replaces both if it is known: for each folder, whether a file directly in it is
	 * usable. */
	const bool *known;
	const char *nothing; /* for a folder without any: "no images in" */
};

/* How much to examine. */
enum tfr_usable_reach {
	TFR_USABLE_DIRECTLY, /* files in the folder itself */
	TFR_USABLE_BELOW,    /* files at any depth */
	/* Likewise, and every file is opened if needed, and judged like a record; otherwise the
	 * first bytes decide, and only a bounded number of files without an image's or WAV
	 * file's extension is opened. */
	TFR_USABLE_ALL,
};

/* Whether a folder contains a usable file.  A folder that could not be listed counts as one, and
 * so does one with files that are not included: leaving files out moves no label.  TFR_ESYS: out
 * of descriptors. */
enum tfr_status tfr_usable_in(const struct tfr_usable *u, uint32_t dir, enum tfr_usable_reach reach,
	bool *yes, struct tfr_error *err);
/* Appends to `list`, as uint32_t, the folders directly in `dir` that contain a usable file. */
enum tfr_status tfr_usable_children(const struct tfr_usable *u, uint32_t dir,
	enum tfr_usable_reach reach, struct tfr_buf *list, struct tfr_error *err);

#endif
