/* convert/folder/splits.h - finds folders of an input that are splits, such as train/ and val/,
 * with the sets that they go to, and those that are classes: the folders with usable files in the
 * base folder or in every split.
 *
 * A kind of input scans its folder, and tfr_splits_find() decides which of the folders is the
 * base: if a single folder contains all usable files, the base is searched for inside it, as in
 * ILSVRC/Data/CLS-LOC.  The folders of the base with usable files are splits if
 * opts->output.targets name them ("train/"), or if all have names of splits.  Otherwise they are
 * classes, or another thing that the kind decides. */
#ifndef TFR_CONVERT_FOLDER_SPLITS_H
#define TFR_CONVERT_FOLDER_SPLITS_H

#include "base/names.h"
#include "convert/folder/scan.h"

struct tfr_class;
struct tfr_input;

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

/* --- classes --- */

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
