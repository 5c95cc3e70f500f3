/* convert/annotations/table.h - the annotations of a data set: its images, their boxes with
 * classes, polygons, keypoints and shapes, and their captions.  Every kind of annotations parses
 * into it, and the engine (images.c) makes records of it.
 *
 * A million images take 48 MB, ten million boxes 240 MB; what only some kinds have is in arrays of
 * its own.  Texts are offsets in one buffer, because it grows; offset 0 is the empty text. */
#ifndef TFR_CONVERT_ANNOTATIONS_TABLE_H
#define TFR_CONVERT_ANNOTATIONS_TABLE_H

#include "base/hash_index.h"
#include "convert/folder/label_map.h"
#include "convert/folder/scan.h"

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
	uint32_t image; /* UINT32_MAX: the box is left out */
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
	return (const char *)t->texts.data + offset;
}
/* Adds an image after the others: its boxes are those added from now on, unless boxes name it. */
enum tfr_status tfr_table_add_image(
	struct tfr_table *t, const struct tfr_image_row *row, struct tfr_error *err);
/* Sets the reason why an image cannot become a record. */
enum tfr_status tfr_table_fault(struct tfr_table *t, struct tfr_image_row *row,
	enum tfr_status status, const char *reason, struct tfr_error *err);
/* Adds a box of box->image, with the sides in pixels or, with t->fractions, as fractions; NULL: its
 * image is not known yet.  `more` can be NULL if no box before has any. */
enum tfr_status tfr_table_add_box(struct tfr_table *t, const struct tfr_box *box,
	const double side[4], const struct tfr_box_more *more, struct tfr_error *err);
/* Gives box `k`, which was added without an image, its image and sides. */
enum tfr_status tfr_table_place_box(
	struct tfr_table *t, size_t k, uint32_t image, const double side[4], struct tfr_error *err);
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

#endif
