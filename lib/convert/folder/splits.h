/* convert/folder/splits.h - finds folders of an input that are splits, such as train/ and val/,
 * and the sets that they go to.
 *
 * A kind of input scans its folder, and tfr_splits_find() decides which of the folders is the
 * base: if a single folder contains all usable files, the base is searched for inside it, as in
 * ILSVRC/Data/CLS-LOC.  The folders of the base with usable files are splits if
 * opts->output.targets name them ("train/"), or if all have names of splits.  Otherwise they are
 * classes, or another thing that the kind decides. */
#ifndef TFR_CONVERT_FOLDER_SPLITS_H
#define TFR_CONVERT_FOLDER_SPLITS_H

#include "convert/folder/scan.h"

/* --- folders that contain usable files --- */

struct tfr_usable {
	const struct tfr_scan *scan;
	/* Skips an item whose first bytes, in item->file, are not usable: tfr_image_look(). */
	void (*look)(struct tfr_item *item);
	void (*judge)(struct tfr_item *item); /* skips a complete file that is broken; or NULL */
	/* Replaces both if it is known: for each folder, whether a file directly in it is
	 * usable. */
	const bool *known;
	const char *nothing; /* for a folder without any: "no images in" */
	/* The first failure, after which no folder counts as usable; the functions that find
	 * folders pass it on. */
	struct tfr_error why;
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

/* Whether a folder contains a usable file.  One with files that are not included counts as one:
 * leaving files out moves no label. */
bool tfr_usable_in(struct tfr_usable *u, uint32_t dir, enum tfr_usable_reach reach);
/* The first folder directly in `dir` that contains a usable file; after `last`, unless that is 0.
 * 0: there is none. */
uint32_t tfr_usable_child(
	struct tfr_usable *u, uint32_t dir, uint32_t last, enum tfr_usable_reach reach);
/* The only one, with files at any depth; 0: there is none, or several. */
uint32_t tfr_usable_only_child(struct tfr_usable *u, uint32_t dir);

/* --- splits --- */

#define TFR_NO_TARGET UINT32_MAX

struct tfr_split {
	const char *name; /* of its folder: "val" */
	char *path;	  /* below the input: "images/val" */
	uint32_t dir;	  /* in the scan */
	uint32_t target;  /* of opts->output.targets, or TFR_NO_TARGET: it is not written */
};

struct tfr_splits {
	const struct tfr_scan *scan;
	uint32_t base;
	struct tfr_split *list; /* in the order of their paths */
	size_t n;		/* 0: there are none */
	bool named;		/* by opts->output.targets; otherwise by their names only */
};

/* Whether the name of a folder is that of a split: "train", "Val", "test2017", "Split-eval",
 * "training_set". */
bool tfr_split_is_name(const char *name);
/* Whether a single folder has a name that is not one of a class: that of a split, or "images",
 * "data". */
bool tfr_split_is_wrapping(const char *name);
/* Whether opts->output.targets name folders. */
bool tfr_splits_are_asked(const struct tfr_convert_opts *opts);

/* TFR_EUSAGE: opts->output.targets name a folder that does not exist, a folder twice, or one inside
 * another; TFR_EDATA: a folder without a usable file; TFR_ESYS: out of descriptors.  The scan must
 * outlive `s`. */
enum tfr_status tfr_splits_find(struct tfr_splits *s, struct tfr_usable *u,
	const struct tfr_convert_opts *opts, struct tfr_error *err);
/* For splits that no target names: TFR_EUSAGE, by tfr_splits_refuse_found(). */
enum tfr_status tfr_splits_refuse(const struct tfr_splits *s, struct tfr_usable *u,
	const struct tfr_convert_opts *opts, struct tfr_error *err);
/* Appends a name to a list for a message: "'a/', 'b/'"; a list that is full stays as it is. */
void tfr_list_name(char *text, size_t size, const char *name, const char *end);
/* Calls opts->run.found_split for each, and returns TFR_EUSAGE: the input contains `what`. */
enum tfr_status tfr_splits_refuse_found(const struct tfr_convert_opts *opts, const char *what,
	const struct tfr_found_split *found, size_t n, struct tfr_error *err);
/* Treats splits as ordinary folders: there are none afterwards, and the base stays. */
void tfr_splits_forget(struct tfr_splits *s);
/* Whether the items in a folder are written: it is in a split with a target, or without splits in
 * the base. */
bool tfr_splits_take(const struct tfr_splits *s, uint32_t dir);
/* Keeps in the scan, which is that of `s`, only those items.  The ranges of items in its folders
 * are invalid afterwards. */
void tfr_splits_keep(const struct tfr_splits *s, struct tfr_scan *scan);
/* Sends an item to the set of the split that has its folder. */
void tfr_splits_place(const struct tfr_splits *s, uint32_t dir, struct tfr_item *item);
void tfr_splits_clear(struct tfr_splits *s);

#endif
