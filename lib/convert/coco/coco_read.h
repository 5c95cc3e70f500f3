/* convert/coco/coco_read.h - reads COCO's files of annotations into the table. */
#ifndef TFR_CONVERT_COCO_COCO_READ_H
#define TFR_CONVERT_COCO_COCO_READ_H

#include "convert/annotations/kinds.h"
#include "convert/coco/coco_parse.h"

struct tfr_coco_id {
	int64_t id;
	uint32_t place;
};

/* The image of panoptic segments of an image. */
struct tfr_coco_panoptic {
	uint32_t name;	/* a text of the table; 0: the image has none */
	uint64_t first; /* of its segments */
	uint32_t n;
};

/* What a part has beside the table. */
struct tfr_coco {
	struct tfr_table *t;
	struct tfr_open_part *part;
	bool begun;		 /* a file has been read: its images are those of the part */
	struct tfr_coco_id *ids; /* of its images, sorted; places are images of the part */
	size_t n_images;
	struct tfr_buf shapes; /* uint8_t *: the blocks of texts that shapes are in */
	/* Of panoptic segments: */
	struct tfr_coco_panoptic *panoptic; /* of each image; NULL: there are none */
	struct tfr_buf segments;	    /* struct tfr_coco_segment */
	struct tfr_coco_category *categories;
	size_t n_categories;
	struct tfr_root *folder; /* of the images of segments */
};

/* Reads a file in blocks, parsed by all threads, and closes the source.  The first file of a part
 * has its images; the others add to those with the same ids.  TFR_EDATA: it is malformed; the
 * message names the byte. */
enum tfr_status tfr_coco_read(struct tfr_coco *c, struct tfr_source *source, const char *path,
	enum tfr_coco_what what, struct tfr_error *err);
void tfr_coco_clear(struct tfr_coco *c);

#endif
