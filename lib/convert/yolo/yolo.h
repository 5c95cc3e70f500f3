/* convert/yolo/yolo.h - what the files of YOLO data sets share: the description of a data set
 * (yolo_names.c, libyaml.c), the names of its classes (yolo_names.c) and the labels of an image
 * (yolo_labels.c), for its input (yolo.c). */
#ifndef TFR_CONVERT_YOLO_YOLO_H
#define TFR_CONVERT_YOLO_YOLO_H

#include "base/buf.h"
#include "base/error.h"

struct tfr_open_part;
struct tfr_scan;
struct tfr_table;

/* --- the description ---
 *
 * data.yaml has the names of the classes and the folders of the splits
 * (https://docs.ultralytics.com/datasets/detect/). */

struct tfr_yolo_name {
	int64_t number;
	size_t text; /* offset in texts */
};

/* A folder, or a list of images, of a split. */
struct tfr_yolo_place {
	size_t split, text; /* offsets in texts: "train", "../train/images" */
};

/* Zero-initialised is empty. */
struct tfr_yolo_yaml {
	struct tfr_buf texts;
	struct tfr_yolo_name *names;
	struct tfr_yolo_place *places;
	size_t n_names, n_places; /* grown by TFR_ARRAY_ONE_MORE() */
	size_t root;		  /* offset in texts of "path"; 0: absent */
	int64_t count;		  /* "nc"; -1: absent */
	size_t keypoints;	  /* numbers after a box for keypoints, by "kpt_shape"; 0: absent */
};

static inline const char *tfr_yolo_text(const struct tfr_yolo_yaml *y, size_t offset)
{
	return (const char *)y->texts.data + offset;
}

/* Parses the file `path` with these bytes, at most 4 MiB.  Aliases and nesting beyond 16 levels
 * are refused; other members are skipped.  TFR_EDATA: it is not YAML, or a used member is
 * malformed; the message names the line.  TFR_EUNAVAILABLE: libyaml is not installed, or not
 * built in.  Must be cleared in any case. */
enum tfr_status tfr_yolo_yaml_parse(struct tfr_yolo_yaml *y, const uint8_t *data, size_t size,
	const char *path, struct tfr_error *err);
void tfr_yolo_yaml_clear(struct tfr_yolo_yaml *y);

/* The calls of the module yaml.  parse() appends to *y, names in the order of the file. */
struct tfr_yaml_module {
	enum tfr_status (*parse)(struct tfr_yolo_yaml *y, const uint8_t *data, size_t size,
		const char *path, struct tfr_error *err);
};

/* Reads the description of the data set in `dir`, data.yaml or another .yaml file that names
 * classes.  False: there is none.  Must be cleared in any case. */
bool tfr_yolo_describe(
	struct tfr_yolo_yaml *y, const struct tfr_scan *s, uint32_t dir, struct tfr_error *err);

/* --- the classes --- */

struct tfr_yolo_class {
	int64_t number; /* in files of labels */
	uint32_t id;	/* in the table */
};

struct tfr_yolo_classes {
	struct tfr_table *table;
	int64_t base;		     /* the label of number 0 */
	struct tfr_yolo_class *list; /* by rising numbers */
	size_t n;
	char *path;	  /* of the file that names them */
	size_t keypoints; /* numbers after each box */
	bool renames;	  /* the table had another name for a label */
};

/* The usual names of the file that names the classes.  The first ones also describe the splits. */
enum { TFR_YOLO_DESCRIPTIONS = 4, TFR_YOLO_NAMES = 7 };
extern const char *const tfr_yolo_names[TFR_YOLO_NAMES];

/* Reads the names from opts->classes.labels, or else from data.yaml, classes.txt or the like in the
 * folders of the input and of the part, or above them, and adds them to the table.  TFR_EUSAGE:
 * there are none.  Must be cleared in any case. */
enum tfr_status tfr_yolo_classes_read(struct tfr_yolo_classes *c, struct tfr_table *t,
	const struct tfr_open_part *part, struct tfr_error *err);
/* The class of a number in the table, or TFR_NO_CLASS. */
uint32_t tfr_yolo_class_of(const struct tfr_yolo_classes *c, uint32_t number);
void tfr_yolo_classes_clear(struct tfr_yolo_classes *c);

/* --- the labels of an image ---
 *
 * A text file has one line per object: the number of a class and the centre, width and height of a
 * box, or the corners of a polygon, x before y.  Positions are fractions of the image's size;
 * numbers are separated by blanks (https://docs.ultralytics.com/datasets/detect/ and /segment/).
 * With keypoints, a line has a box and then two or three numbers for each keypoint (/pose/). */

/* Corners as fractions of the image's size, from 0 to 1. */
struct tfr_yolo_box {
	float xmin, ymin, xmax, ymax;
	uint32_t class;
	uint32_t corners; /* of its polygon; 0: it is a box */
};

/* Counts of boxes that were omitted or changed. */
struct tfr_yolo_tally {
	uint64_t boxes;	  /* kept */
	uint64_t empty;	  /* omitted: no area inside the image */
	uint64_t clipped; /* past an edge by more than a rounding error */
	uint64_t polygons;
};

/* Appends the boxes of `text` to `boxes` as struct tfr_yolo_box, and the corners of their polygons
 * to `corners`, two floats each.  An oriented box is a polygon of four corners; its box is the one
 * around it.  `keypoints` is the number of values after each box; 0: none.  TFR_EDATA: a line is
 * malformed; the message has the line and the reason, and both are unchanged. */
enum tfr_status tfr_yolo_parse(struct tfr_buf *boxes, struct tfr_buf *corners, const uint8_t *text,
	size_t size, size_t keypoints, struct tfr_yolo_tally *tally, struct tfr_error *err);
/* The path of the folder above one, to be freed.  NULL: a bucket or a server has none, or out of
 * memory, which is in *err. */
char *tfr_yolo_above(const char *folder, struct tfr_error *err);
/* Whether the first line of a text is a label: the number of a class and at least four fractions.
 * The rest may be missing. */
bool tfr_yolo_looks(const char *text, size_t size);

#endif
