/* convert/coco/coco_read.h - reads COCO's files of annotations into the table.
 *
 * A file is one object, {"images": […], "annotations": […], "categories": […]}, with other members
 * anywhere (https://cocodataset.org/#format-data).  The scanner finds the elements of the three
 * lists as the bytes arrive, and many threads parse them (coco_parse.c).  When all are known,
 * annotations find their images and categories (coco_read.c). */
#ifndef TFR_CONVERT_COCO_COCO_READ_H
#define TFR_CONVERT_COCO_COCO_READ_H

#include "convert/annotations/kinds.h"
#include "convert/json_tape.h"

/* --- the scanner --- */

enum tfr_coco_list { TFR_COCO_IMAGES, TFR_COCO_ANNOTATIONS, TFR_COCO_CATEGORIES, TFR_COCO_LISTS };

/* text[from] is the '{' of an element, text[to - 1] its '}'. */
struct tfr_coco_element {
	uint32_t from, to;
	enum tfr_coco_list list;
};

/* At the beginning, all zeros except `path` and `no_categories`. */
struct tfr_coco_scan {
	const char *path;
	uint64_t offset; /* in the file, of the text's first byte */
	size_t at;	 /* in the text, of the next byte to scan */
	size_t from;	 /* of the unfinished element */
	unsigned state, depth;
	uint64_t braces; /* one bit per level: 1 an object, 0 a list */
	bool in_text, escaped, in_scalar;
	char name[16]; /* of a member: its beginning */
	size_t name_size;
	enum tfr_coco_list list; /* TFR_COCO_LISTS: another member */
	bool seen[TFR_COCO_LISTS];
	bool no_categories; /* the file need not have them */
};

/* Scans text[s->at] to text[size - 1] and appends the elements that end there to `elements`.
 * TFR_EDATA: the file is not of this form; the message names the byte. */
enum tfr_status tfr_coco_scan(struct tfr_coco_scan *s, const uint8_t *text, size_t size,
	struct tfr_buf *elements, struct tfr_error *err);
/* Moves the beginning of the text to the unfinished element, or to the position of the scan.
 * Returns the bytes before it. */
size_t tfr_coco_scan_drop(struct tfr_coco_scan *s);
/* Called after the last byte.  TFR_EDATA: the file is truncated, or lacks one of the lists. */
enum tfr_status tfr_coco_scan_end(const struct tfr_coco_scan *s, struct tfr_error *err);

/* --- the parser --- */

/* The kind of COCO file, which decides the members of its annotations. */
enum tfr_coco_what {
	TFR_COCO_OBJECTS,  /* boxes and shapes of things, and of people with keypoints */
	TFR_COCO_CAPTIONS, /* texts; there are no categories */
	/* one per image: an image of segments' ids, and a list of the segments */
	TFR_COCO_PANOPTIC,
};

/* Images and categories begin with their ids. */
struct tfr_coco_id {
	int64_t id;
	uint64_t at; /* in the file, of the element */
};

/* Texts are offsets: in those of the parser at first, and in those of the table when the block is
 * added to it. */
struct tfr_coco_category {
	struct tfr_coco_id key;
	uint32_t class;			 /* of the table */
	uint32_t name, points, n_points; /* as in struct tfr_table_class */
	bool thing;			 /* of panoptic: "isthing" */
};

struct tfr_coco_annotation {
	int64_t id;		  /* of objects; INT64_MIN: it has none, which is allowed */
	int64_t image, category;  /* their ids */
	double side[4];		  /* as in struct tfr_box, in pixels */
	struct tfr_box_more more; /* of panoptic, `first` and `n` are those of its segments */
	/* Of an object: its shape in the parser's shapes.  Of others a text, like those of a
	 * category: the caption, or the name of the image of segments. */
	uint32_t offset;
	bool crowd, boxless;
};

struct tfr_coco_segment {
	int64_t id, category;
};

struct tfr_coco_parsed {
	struct tfr_coco_id key; /* of an annotation only its place */
	enum tfr_coco_list list;
	union {
		struct tfr_image_row image;
		struct tfr_coco_category category;
	};
};

/* The parser of one block; all zeros except for the first members. */
struct tfr_coco_parser {
	const char *path;
	enum tfr_coco_what what;
	bool keeps_names;  /* of images */
	bool keeps_shapes; /* of annotations, as JSON */
	struct tfr_coco_parsed element;
	struct tfr_coco_annotation annotation;
	/* What elements have of any length, which grows until the caller empties it: */
	struct tfr_buf texts;  /* with a NUL each */
	struct tfr_buf points; /* struct tfr_keypoint; of panoptic: struct tfr_coco_segment */
	struct tfr_buf shapes;
	struct tfr_tape tape;
};

/* Parses the element `e` of the text that begins at byte `offset` of the file into p->element,
 * and what an annotation has into p->annotation.
 * TFR_EDATA: a member is absent or of the wrong type; the message names the byte at which the
 * element begins. */
enum tfr_status tfr_coco_parse(struct tfr_coco_parser *p, const uint8_t *text,
	const struct tfr_coco_element *e, uint64_t offset, struct tfr_error *err);
void tfr_coco_parser_clear(struct tfr_coco_parser *p);

/* --- files --- */

struct tfr_coco_image {
	struct tfr_coco_id key;
	uint32_t place; /* among the images of the part */
};

/* The image of panoptic segments of an image. */
struct tfr_coco_panoptic {
	uint32_t name;	   /* a text of the table; 0: the image has none */
	uint32_t first, n; /* of its segments */
	uint64_t at;	   /* in the file */
};

/* What a part has beside the table. */
struct tfr_coco {
	struct tfr_table *t;
	struct tfr_open_part *part;
	bool begun;		       /* a file has been read: its images are those of the part */
	struct tfr_coco_image *images; /* by their ids */
	size_t n_images;
	struct tfr_buf shapes; /* uint8_t *: the blocks of texts that shapes are in */
	/* Of panoptic segments: */
	struct tfr_coco_panoptic *panoptic;   /* of each image; NULL: there are none */
	struct tfr_buf segments;	      /* struct tfr_coco_segment */
	struct tfr_coco_category *categories; /* by their ids */
	size_t n_categories;
	struct tfr_root *folder; /* of the images of segments */
};

/* Reads a file in blocks, parsed by all threads, and closes the source.  The first file of a part
 * has its images; the others add to those with the same ids.  TFR_EDATA: it is malformed; the
 * message names the byte. */
enum tfr_status tfr_coco_read(struct tfr_coco *c, struct tfr_source *source, const char *path,
	enum tfr_coco_what what, struct tfr_error *err);
/* An image or a category of this id in a list of `n` by their ids; NULL: there is none. */
const void *tfr_coco_find(const void *list, size_t n, size_t size, int64_t id);
void tfr_coco_clear(struct tfr_coco *c);

#endif
