/* convert/annotations/kinds.h - kinds of data sets of images: each is one `const struct
 * tfr_set_kind`, which finds the parts of a set in its tree and reads their annotations into the
 * table; the engine (images.c) does the rest. */
#ifndef TFR_CONVERT_ANNOTATIONS_KINDS_H
#define TFR_CONVERT_ANNOTATIONS_KINDS_H

#include "convert/annotations/table.h"
#include "convert/input.h"
#include "convert/parts.h"

/* A part whose annotations are being read, or have been. */
struct tfr_open_part {
	const struct tfr_part *at;
	const struct tfr_convert_opts *opts;
	const struct tfr_open_part *first_part; /* of the data set */
	char *prefix;				/* of its images in messages: "train/images/" */
	char *aside;	 /* the path of its annotations: "train/labels/", "train.json" */
	char *below;	 /* of its images below the root of their tree: "train/images/", or "" */
	uint32_t first;	 /* image in the table */
	uint32_t target; /* the set that its images go to; TFR_NO_TARGET: it is not written */
	void *own;	 /* of the kind; released by kind->close() */
};

struct tfr_set_kind {
	struct tfr_input_ops ops;
	/* Finds the parts of a data set whose base is the folder `base` of p->scan.  None: it is
	 * not of this kind.  NULL: only options name it. */
	void (*find)(struct tfr_parts *p, uint32_t base);
	/* Reads the annotations of a part.  A fault of one image is put into its row. */
	enum tfr_status (*read)(
		struct tfr_table *t, struct tfr_open_part *part, struct tfr_error *err);
	const char *sizes; /* where an image's size is told: "in the annotations" */
	bool by_path;	   /* images have only the order of their paths */
	bool all_parts;	   /* labels depend also on parts that are not written */
	/* Why an image is not in the table, if only annotated ones are: "without an annotation". */
	const char *unmatched;
	bool counts_annotations; /* their bytes are those of items, when they are read */
	const char *none;	 /* no part was found: "no images with YOLO labels in" */
	/* Refuses options that have no effect; may be NULL, like the functions after read(). */
	enum tfr_status (*check)(const struct tfr_convert_opts *opts, struct tfr_error *err);
	/* In place of naming an image and of reading it into features, for a set whose images are
	 * rows of a list: their numbers are in `mask`. */
	enum tfr_status (*next)(struct tfr_open_part *part, uint32_t row, struct tfr_item *item,
		const struct tfr_room *room, struct tfr_error *err);
	enum tfr_status (*load)(struct tfr_open_part *part, uint32_t row, struct tfr_item *item,
		struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
	/* Adds features of its own; masks by tfr_mask_add(), two or none. */
	enum tfr_status (*add)(const struct tfr_table *t, struct tfr_open_part *part,
		uint32_t image, struct tfr_item *item, struct tfr_workbench *bench,
		const struct tfr_room *room, struct tfr_error *err);
	/* Adds another file of an image to its measure. */
	void (*measure)(const struct tfr_table *t, const struct tfr_open_part *part, uint32_t image,
		struct tfr_measure *m);
	/* After all parts are read. */
	enum tfr_status (*unite)(
		struct tfr_table *t, struct tfr_open_part *parts, size_t n, struct tfr_error *err);
	void (*close)(struct tfr_open_part *part);
};

/* Opens a data set of this kind in the tree `scan`, which stays the caller's; NULL: the kind finds
 * its input by the options alone. */
enum tfr_status tfr_images_open(struct tfr_input **in, const struct tfr_set_kind *kind,
	const struct tfr_convert_opts *opts, struct tfr_scan *scan, struct tfr_error *err);
/* The path of an image in the tree of its part, below the root.  False: out of memory. */
bool tfr_image_path(const struct tfr_table *t, const struct tfr_open_part *part, uint32_t image,
	struct tfr_buf *path);

/* --- reading files of annotations --- */

/* Reads the part's file of annotations, or the first GiB of it. */
enum tfr_status tfr_part_read_file(
	const struct tfr_open_part *part, struct tfr_buf *text, struct tfr_error *err);
/* Warns of `n` boxes, in the words "N boxes of 'annotations' ...". */
void tfr_part_warn(const struct tfr_open_part *part, uint64_t n, const char *one,
	const char *several, const char *what);

/* --- features of an image --- */

/* Adds boxes with classes and what else the table has for an image, whose size before any change
 * is item->came.  A class without a label skips the item. */
enum tfr_status tfr_annotations_add(struct tfr_table *t, uint32_t image, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
/* Puts the masks of bench->ends into the record, after the last one is drawn: the first `n` are
 * those of boxes, and two more, if there are any, those of panoptic segments. */
enum tfr_status tfr_masks_put(
	struct tfr_item *item, size_t n, struct tfr_workbench *bench, struct tfr_error *err);

extern const struct tfr_set_kind tfr_set_coco, tfr_set_voc, tfr_set_yolo, tfr_set_metadata,
	tfr_set_pairs, tfr_set_box_lists, tfr_set_tag_lists, tfr_set_createml;

#endif
