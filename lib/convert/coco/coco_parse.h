/* convert/coco/coco_parse.h - splits a COCO file of annotations into elements as its bytes arrive
 * (coco_scan.c), and parses them (coco_parse.c).
 *
 * The file is one object, {"images": […], "annotations": […], "categories": […]}, with other
 * members anywhere (https://cocodataset.org/#format-data).  The scanner finds the elements of the
 * three lists; many threads parse them. */
#ifndef TFR_CONVERT_COCO_COCO_PARSE_H
#define TFR_CONVERT_COCO_COCO_PARSE_H

#include "base/buf.h"
#include "base/error.h"
#include "convert/json_tape.h"

enum tfr_coco_list { TFR_COCO_IMAGES, TFR_COCO_ANNOTATIONS, TFR_COCO_CATEGORIES, TFR_COCO_LISTS };

/* text[from] is the '{' of an element, text[to - 1] its '}'. */
struct tfr_coco_element {
	uint32_t from, to;
	enum tfr_coco_list list;
};

/* At the beginning, all zeros except `path`. */
struct tfr_coco_scan {
	const char *path;
	uint64_t offset; /* in the file, of the text's first byte */
	size_t at;	 /* in the text, of the next byte to scan */
	size_t from;	 /* of the unfinished element */
	unsigned state, depth;
	uint64_t braces; /* one bit per level: 1 an object, 0 a list */
	bool in_string, escaped;
	char key[16];
	size_t key_size;
	enum tfr_coco_list list; /* TFR_COCO_LISTS: another member */
	bool seen[TFR_COCO_LISTS];
	bool no_categories; /* the file need not have them */
};

/* Scans text[s->at] to text[size - 1] and appends the elements that end there to `elements`.
 * TFR_EDATA: the file is not of this form; the message names the byte. */
enum tfr_status tfr_coco_scan(struct tfr_coco_scan *s, const uint8_t *text, size_t size,
	struct tfr_buf *elements, struct tfr_error *err);
/* The offset of the text that is still needed: the unfinished element, or the position of the
 * scan. */
size_t tfr_coco_scan_needed(const struct tfr_coco_scan *s);
/* Removes the first `n` bytes of the text. */
void tfr_coco_scan_drop(struct tfr_coco_scan *s, size_t n);
/* Called after the last byte.  TFR_EDATA: the file is truncated, or lacks one of the lists. */
enum tfr_status tfr_coco_scan_end(const struct tfr_coco_scan *s, struct tfr_error *err);

/* The kind of COCO file, which decides the members of its annotations. */
enum tfr_coco_what {
	TFR_COCO_OBJECTS,  /* boxes and shapes of things, and of people with keypoints */
	TFR_COCO_CAPTIONS, /* texts; there are no categories */
	/* one per image: an image of segments' ids, and a list of the segments */
	TFR_COCO_PANOPTIC,
};

/* Images, annotations and categories begin with their ids. */
struct tfr_coco_image {
	int64_t id;
	uint32_t width, height; /* both 0: not told */
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
enum { TFR_COCO_BUFFERS = 7 };
struct tfr_coco_parsed {
	union {
		struct {
			struct tfr_buf images, annotations, categories, names, shapes, points,
				segments;
		};
		struct tfr_buf all[TFR_COCO_BUFFERS];
	};
};

/* The parser of one thread; all zeros except for the first members. */
struct tfr_coco_parser {
	const char *path;
	enum tfr_coco_what what;
	bool shapes; /* keep them */
	struct tfr_tape tape;
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
