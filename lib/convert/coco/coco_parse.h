/* convert/coco/coco_parse.h - parses elements of a COCO file. */
#ifndef TFR_CONVERT_COCO_COCO_PARSE_H
#define TFR_CONVERT_COCO_COCO_PARSE_H

#include "convert/coco/coco_scan.h"
#include "convert/list/json_line.h"

/* The kind of COCO file, which decides the members of its annotations. */
enum tfr_coco_what {
	TFR_COCO_OBJECTS,  /* boxes and shapes of things, and of people with keypoints */
	TFR_COCO_CAPTIONS, /* texts; there are no categories */
	/* one per image: an image of segments' ids, and a list of the segments */
	TFR_COCO_PANOPTIC,
};

struct tfr_coco_image {
	int64_t id;
	uint32_t width, height;
	uint64_t name; /* offset in the names */
	uint64_t at;   /* in the file, of the element */
};

struct tfr_coco_annotation {
	int64_t id; /* INT64_MIN: it has none, which is allowed */
	int64_t image, category;
	double box[4]; /* x, y, width, height, in pixels */
	double area;
	uint64_t at;
	union {
		const uint8_t *text; /* the JSON of "segmentation" */
		size_t at;	     /* until tfr_coco_shapes_place(): in the shapes */
	} shape;
	uint32_t shape_size; /* 0: not kept, or the annotation has none */
	bool boxless;	     /* it has no "bbox" */
	bool crowd;
	int64_t labelled; /* "num_keypoints" */
	uint64_t text;	  /* offset in the names: the caption, or the image of segments */
	/* Its keypoints in `points`, or its segments in `segments`. */
	uint64_t first;
	uint32_t n;
};

struct tfr_coco_point {
	double x, y; /* in pixels */
	int64_t visibility;
};

struct tfr_coco_segment {
	int64_t id, category;
};

struct tfr_coco_category {
	int64_t id;
	uint64_t name, at;
	bool thing;	   /* of panoptic: "isthing" */
	uint64_t points;   /* offset in the names: those of its keypoints, one after the other */
	uint32_t n_points; /* 0: it has none */
};

/* The parsed elements; arrays of the structs above, and texts with a NUL each. */
struct tfr_coco_parsed {
	struct tfr_buf images, annotations, categories, names, shapes, points, segments;
};

/* The parser of one thread; all zeros except for the first members. */
struct tfr_coco_parser {
	const char *path;
	enum tfr_coco_what what;
	bool shapes; /* keep them */
	struct tfr_json_line line;
	struct tfr_buf text; /* of an element without its shape */
};

void tfr_coco_parser_clear(struct tfr_coco_parser *p);

/* Parses the element `e` of the text that begins at byte `offset` of the file.  The shape of an
 * annotation is an offset in `shapes`; tfr_coco_shapes_place() converts it to a pointer when
 * `shapes` no longer moves.  TFR_EDATA: a member is absent or of the wrong type; the message
 * names the byte at which the element begins. */
enum tfr_status tfr_coco_parse(struct tfr_coco_parser *p, const uint8_t *text,
	const struct tfr_coco_element *e, uint64_t offset, struct tfr_coco_parsed *out,
	struct tfr_error *err);
void tfr_coco_shapes_place(struct tfr_coco_parsed *out);
void tfr_coco_parsed_clear(struct tfr_coco_parsed *out);

#endif
