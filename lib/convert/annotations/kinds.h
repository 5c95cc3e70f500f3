/* convert/annotations/kinds.h - data sets of images with annotations.
 *
 * A kind of data set is one `const struct tfr_set_kind`: it finds the parts of a set in its tree
 * and parses their annotations into a table; the engine (images.c) reads the images and makes
 * records of both. */
#ifndef TFR_CONVERT_ANNOTATIONS_KINDS_H
#define TFR_CONVERT_ANNOTATIONS_KINDS_H

#include "base/hash_index.h"
#include "base/names.h"
#include "convert/folder/class_lists.h"
#include "convert/folder/scan.h"
#include "convert/input.h"

/* --- parts (parts.c) --- */

/* A data set has one part per split, or a single one.  The functions that find them keep a failure
 * in *p->err and go on; the caller checks p->err->status at the end. */

/* A folder of a tree. */
struct tfr_place {
	struct tfr_scan *scan;
	uint32_t dir;
};

struct tfr_part {
	const char *split;	      /* a name in a scan, or a copy; NULL: the set has no splits */
	struct tfr_place images;      /* the folder of the images */
	struct tfr_place annotations; /* the folder of their annotations; no scan: it is `path` */
	uint32_t file; /* in annotations.scan: the file of all annotations; TFR_NO_FILE: many files
			*/
	const char *path; /* of the file or folder of annotations, as an option names it, or NULL */
	int form;	  /* which of its layouts, for the kind */
};

struct tfr_parts {
	const struct tfr_convert_opts *opts;
	struct tfr_scan *scan; /* of the input */
	struct tfr_part *list;
	size_t n;
	/* Folders with images that belong to no part, as uint32_t: */
	struct tfr_buf left;   /* nothing was found for them */
	struct tfr_buf others; /* beside splits, without the name of a split */
	struct tfr_names kept; /* names of splits that are in no tree */
	/* Trees outside of the input, where a description or the path of the input leads. */
	struct tfr_scan **more;
	size_t n_more;
	struct tfr_error *err;
};

/* Examines one folder of p->scan and adds its parts with the name of the split. */
typedef void tfr_parts_finder(struct tfr_parts *p, uint32_t dir, const char *split);

/* Adds a part whose annotations are the folder or, if there is one, the file of it. */
void tfr_parts_add(struct tfr_parts *p, const char *split, struct tfr_place images,
	struct tfr_place annotations, uint32_t file);
static inline struct tfr_place tfr_place_in(const struct tfr_parts *p, uint32_t dir)
{
	return (struct tfr_place){ p->scan, dir };
}
/* Adds the parts of a folder of images and one of annotations, which are in the split: one for each
 * sub-folder that both have, if these are the splits and no image is beside them, otherwise one for
 * both. */
void tfr_parts_add_pair(struct tfr_parts *p, const char *split, struct tfr_place images,
	struct tfr_place annotations);
/* Scans a folder outside of the input.  No scan: there is no such folder. */
struct tfr_place tfr_parts_outside(struct tfr_parts *p, const char *path);
/* A copy of a name that lives as long as `p`; NULL: out of memory. */
const char *tfr_parts_keep(struct tfr_parts *p, const char *name);
/* Replaces the parts of `p` by those of `better`. */
void tfr_parts_take(struct tfr_parts *p, struct tfr_parts *better);
/* Whether the images of a part are in a folder or in its sub-folder `images`. */
bool tfr_parts_have(const struct tfr_parts *p, struct tfr_place folder);
/* Adds to p->left the folders in `dir` that have images and no part, also beside a part at a
 * deeper level. */
void tfr_parts_leave(struct tfr_parts *p, uint32_t dir);
/* Returns the root, or its only sub-folder if it has nothing else that counts, and so on, as
 * archives often unpack. */
uint32_t tfr_parts_base(const struct tfr_scan *s);
/* Finds parts in `dir` itself, or else in its sub-folders that are splits. */
void tfr_parts_find(struct tfr_parts *p, uint32_t dir, tfr_parts_finder *find);
void tfr_parts_clear(struct tfr_parts *p);

/* How many files of a folder are examined to find out what it has. */
enum { TFR_EXAMINED = 16 };

/* --- the table (table.c) --- */

/* The annotations of a data set: its images, their boxes with classes, polygons, keypoints and
 * shapes, and their captions.
 *
 * A million images take 48 MB, ten million boxes 240 MB; what only some kinds have is in arrays of
 * its own.  Texts are offsets in one buffer, because it grows; offset 0 is the empty text. */

struct tfr_image_row {
	uint32_t file;		/* in the scan of its images; TFR_NO_FILE: it has only a name */
	uint32_t name;		/* its path below the folder of images, if it has no `file` */
	uint32_t source;	/* image/source_id; 0: none */
	uint32_t fault;		/* why it cannot become a record; 0: it can */
	uint32_t width, height; /* as annotated; both 0: unknown */
	uint32_t first, tag;	/* of its boxes and of its tags; those of the next image follow */
	uint32_t mask;		/* in the scan of masks; TFR_NO_FILE */
	uint32_t bytes;		/* of its own file of annotations */
	uint16_t status;	/* of `fault` */
	bool aside;		/* its name is below the folder of annotations */
};

#define TFR_NO_BOX_CLASS ((1u << 29) - 1)

struct tfr_box {
	float side[4];	/* xmin, ymin, xmax, ymax, as fractions of the image's size, if known */
	uint32_t image;
	uint32_t class : 29; /* of the table's; TFR_NO_BOX_CLASS: it has none */
	uint32_t crowd : 1, difficult : 1, truncated : 1;
};

/* What boxes have beside that, in the same order. */
struct tfr_box_more {
	double area;	      /* in pixels */
	const uint8_t *shape; /* the JSON of COCO's "segmentation", for masks; NULL: none */
	uint32_t shape_size;
	uint32_t view;	   /* a text: VOC's pose */
	uint64_t at;	   /* in the file of annotations, for messages about the shape */
	uint32_t first, n; /* its keypoints, or the corners of its polygon */
	int64_t labelled;  /* the number of keypoints that are labelled */
};

struct tfr_keypoint {
	double x, y;	    /* in pixels */
	int64_t visibility; /* 0 not labelled, 1 hidden, 2 visible */
};

struct tfr_corner {
	float x, y; /* fractions of the image's size */
};

struct tfr_table_class {
	int64_t label;
	uint32_t name;	 /* 0: it has a number only */
	uint32_t points; /* texts: the names of its keypoints, one after the other */
	uint32_t n_points;
	bool numbered; /* it has its label */
};

/* A text of an image. */
struct tfr_caption {
	uint32_t image, text;
};

struct tfr_table {
	const struct tfr_convert_opts *opts;
	struct tfr_buf texts;
	struct tfr_image_row *images;
	struct tfr_box *boxes;
	double (*pixels)[4];	   /* the sides of boxes whose images have no size; NULL: none */
	struct tfr_box_more *more; /* NULL: nothing */
	struct tfr_keypoint *keypoints;
	struct tfr_corner *corners;
	struct tfr_caption *captions; /* after tfr_table_finish(): sorted by image */
	uint32_t *tags;		      /* the classes of images that have several */
	size_t n_images, n_boxes, n_keypoints, n_corners, n_captions, n_tags;
	/* Boxes of an image: order[first] on, or without `order` boxes[first] on. */
	uint32_t *order;

	/* The classes of all parts, in the order in which they were found. */
	struct tfr_table_class *classes;
	size_t n_classes;
	struct tfr_hash_index by_class;
	struct tfr_label_map map; /* of opts->classes.labels */
	struct tfr_class *sorted; /* by label: those with names */
	size_t n_sorted;

	/* Which features boxes have: */
	bool fractions, areas, poses, has_keypoints, polygons;
	bool named_source; /* image/source_id is the name of the image */
	bool tagged;	   /* images have classes, any number of them */
	bool by_name;	   /* classes are named, and have labels only by their names */
	bool scattered; /* boxes are not in the order of their images; set by tfr_table_add_box() */
	bool clips;	/* boxes up to a pixel past an edge are clipped, not left out */
	uint64_t unusable; /* boxes that were left out when their image was read */

	size_t images_cap, boxes_cap, more_cap, pixels_cap, keypoints_cap, corners_cap,
		captions_cap, tags_cap, classes_cap;
};

/* The functions that add return TFR_ENOMEM, or TFR_EUSAGE: more than 2^32 - 1 of them. */

/* Appends a text and a NUL. */
enum tfr_status tfr_table_text(struct tfr_table *t, const char *text, size_t size, uint32_t *offset,
	struct tfr_error *err);
static inline const char *tfr_table_string(const struct tfr_table *t, uint32_t offset)
{
	return offset ? (const char *)t->texts.data + offset : "";
}
/* Adds an image after the others: its boxes are those added from now on, unless boxes name it.  A
 * name that leads out of the folder of images is its fault. */
enum tfr_status tfr_table_add_image(
	struct tfr_table *t, const struct tfr_image_row *row, struct tfr_error *err);
/* Sets the reason why an image cannot become a record. */
enum tfr_status tfr_table_fault(struct tfr_table *t, struct tfr_image_row *row,
	enum tfr_status status, const char *reason, struct tfr_error *err);
/* Adds a box of box->image, with the sides in pixels or, with t->fractions, as fractions.  `more`
 * can be NULL if no box before has any. */
enum tfr_status tfr_table_add_box(struct tfr_table *t, const struct tfr_box *box,
	const double side[4], const struct tfr_box_more *more, struct tfr_error *err);
enum tfr_status tfr_table_add_keypoint(
	struct tfr_table *t, const struct tfr_keypoint *point, struct tfr_error *err);
enum tfr_status tfr_table_add_corner(
	struct tfr_table *t, double x, double y, struct tfr_error *err);
enum tfr_status tfr_table_add_caption(
	struct tfr_table *t, uint32_t image, uint32_t text, struct tfr_error *err);
/* Adds a class to the image that was added last. */
enum tfr_status tfr_table_add_tag(struct tfr_table *t, uint32_t class, struct tfr_error *err);
/* The class of a name, which is added if there is none: labels are numbers of the sorted names, or
 * those of opts->classes.labels. */
enum tfr_status tfr_table_class(
	struct tfr_table *t, const char *name, size_t size, uint32_t *class, struct tfr_error *err);
/* The class of a label, which is added if there is none; `name` may be NULL. */
enum tfr_status tfr_table_label(struct tfr_table *t, int64_t label, const char *name, size_t size,
	uint32_t *class, struct tfr_error *err);

/* Whether a box has an area and is inside an image of this size; with t->clips, up to a pixel past
 * an edge is clipped first. */
bool tfr_box_is_usable(const struct tfr_table *t, double side[4], uint32_t width, uint32_t height);

/* After the last image of all parts: numbers the classes, and groups boxes and captions by image.
 * TFR_EDATA, TFR_ESYS: the file of labels. */
enum tfr_status tfr_table_finish(struct tfr_table *t, struct tfr_error *err);
/* After that: the boxes of an image are tfr_table_box() of its `first` to before the end. */
static inline uint32_t tfr_table_box(const struct tfr_table *t, uint32_t k)
{
	return t->order ? t->order[k] : k;
}
static inline uint32_t tfr_table_boxes_end(const struct tfr_table *t, size_t image)
{
	return image + 1 < t->n_images ? t->images[image + 1].first : (uint32_t)t->n_boxes;
}
static inline uint32_t tfr_table_tags_end(const struct tfr_table *t, size_t image)
{
	return image + 1 < t->n_images ? t->images[image + 1].tag : (uint32_t)t->n_tags;
}
void tfr_table_clear(struct tfr_table *t);

/* --- kinds --- */

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

/* --- reading files of annotations --- */

/* Reads the part's file of annotations.  TFR_EDATA: it is larger than 1 GiB. */
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
