/* convert/yolo/yolo.h - the classes of a YOLO data set (yolo_names.c), for its input (yolo.c). */
#ifndef TFR_CONVERT_YOLO_YOLO_H
#define TFR_CONVERT_YOLO_YOLO_H

#include "convert/annotations/kinds.h"
#include "convert/yolo/yolo_yaml.h"

/* The classes, sorted by their labels, which are the numbers in files of labels plus `base`. */
struct tfr_yolo_classes {
	struct tfr_class *list;
	uint32_t *ids; /* of each in the table */
	size_t n;
	int64_t base;
	char *path;	  /* of the file that names them */
	size_t keypoints; /* numbers after each box */
	struct tfr_buf texts;
};

/* Reads the names from opts->classes.labels, or else from data.yaml, classes.txt or the like in the
 * folders of the input and of the part, or above them, and adds them to the table.  TFR_EUSAGE:
 * there are none.  Must be cleared in any case. */
enum tfr_status tfr_yolo_classes_read(struct tfr_yolo_classes *c, struct tfr_table *t,
	const struct tfr_open_part *part, struct tfr_error *err);
/* Reads the description of the data set in `dir`, data.yaml or another .yaml file that names
 * classes.  False: there is none.  Must be cleared in any case. */
bool tfr_yolo_describe(
	struct tfr_yolo_yaml *y, const struct tfr_scan *s, uint32_t dir, struct tfr_error *err);
/* The position of a number in the list, or TFR_NO_CLASS. */
uint32_t tfr_yolo_class_of(const struct tfr_yolo_classes *c, uint32_t number);
bool tfr_yolo_classes_equal(const struct tfr_yolo_classes *a, const struct tfr_yolo_classes *b);
void tfr_yolo_classes_clear(struct tfr_yolo_classes *c);

#endif
