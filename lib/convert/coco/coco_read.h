/* convert/coco/coco_read.h - a complete COCO file of annotations in memory, by image. */
#ifndef TFR_CONVERT_COCO_COCO_READ_H
#define TFR_CONVERT_COCO_COCO_READ_H

#include "convert/coco/coco_parse.h"

/* Arrays of the structs of coco_parse.h, in the order of the file. */
struct tfr_coco {
	const struct tfr_coco_image *images;
	const struct tfr_coco_annotation *annotations;
	const struct tfr_coco_category *categories;
	const struct tfr_coco_point *points;
	const struct tfr_coco_segment *segments;
	size_t n_images, n_annotations, n_categories;
	bool keypoints; /* a category has some */
	const char *names;
	/* Image i has the annotations order[first[i]] to order[first[i + 1] - 1], in the order
	 * of the file, without those left out; category_of[k] is the position of annotation k's
	 * category. */
	uint64_t *first;
	/* category_of is not used for captions and panoptic segments */
	uint32_t *order, *category_of;
	/* Counts of annotations left out: of images that are not listed; without a box; with a
	 * box without an area or past its image.  Annotations with the id of another one are
	 * kept. */
	size_t strays, boxless, unusable, same_ids;
	size_t first_stray; /* an annotation */
	/* Of each image: 0, or from 1 an annotation of an unknown category, or with keypoints that
	 * its category does not name. */
	uint32_t *bad;

	struct tfr_coco_parsed parsed; /* the memory of all of this, except for the shapes: */
	struct tfr_buf shapes;	       /* pointers to blocks of text */
};

struct tfr_coco_opts {
	enum tfr_coco_what what;
	unsigned threads; /* 0: one per processor */
	bool shapes;	  /* keep them */
};

/* Reads the file, which can be a pipe, in blocks, parsed by all threads.  TFR_EDATA: it is
 * malformed; the message names the byte. */
enum tfr_status tfr_coco_read(struct tfr_coco *c, const char *path,
	const struct tfr_coco_opts *opts, struct tfr_error *err);
/* Sets (*places)[i], for each image i of `c`, to the position of the image with the same id in
 * `other`; UINT32_MAX: there is none.  The caller frees the array. */
enum tfr_status tfr_coco_match(const struct tfr_coco *c, const struct tfr_coco *other,
	uint32_t **places, struct tfr_error *err);
/* Returns the category with this id; NULL: there is none. */
const struct tfr_coco_category *tfr_coco_category_of(const struct tfr_coco *c, int64_t id);
void tfr_coco_clear(struct tfr_coco *c);

#endif
