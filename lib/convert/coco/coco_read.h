/* convert/coco/coco_read.h - a whole COCO file of annotations in memory, image by image. */
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
	/* Image i has the annotations order[first[i]] to order[first[i + 1] - 1], as they come in
	 * the file, those left out not among them; category_of[k] is the place of annotation k's.
	 */
	uint64_t *first;
	uint32_t *order, *category_of; /* of captions and panoptic, category_of has nothing */
	/* Left out: of images that are not listed; without a box; boxes without an area or past
	 * their image.  Annotations with an id that another has are kept. */
	size_t strays, boxless, unusable, same_ids;
	size_t first_stray; /* an annotation */

	struct tfr_coco_parsed parsed; /* what all this lies in, but for the shapes: */
	struct tfr_buf shapes;	       /* pointers to blocks of text */
};

struct tfr_coco_opts {
	enum tfr_coco_what what;
	unsigned threads; /* 0: one a processor */
	bool shapes;	  /* keep them */
};

/* Reads the file, which may be a pipe, in blocks, parsed by all threads.  TFR_EDATA: what is wrong
 * is told with the byte where it is. */
enum tfr_status tfr_coco_read(struct tfr_coco *c, const char *path,
	const struct tfr_coco_opts *opts, struct tfr_error *err);
/* For each image of `c`, in (*places)[i], the place of the one with the same id in `other`;
 * UINT32_MAX: there is none.  The array is the caller's. */
enum tfr_status tfr_coco_match(const struct tfr_coco *c, const struct tfr_coco *other,
	uint32_t **places, struct tfr_error *err);
/* The category of this id; NULL: there is none. */
const struct tfr_coco_category *tfr_coco_category_of(const struct tfr_coco *c, int64_t id);
void tfr_coco_clear(struct tfr_coco *c);

#endif
