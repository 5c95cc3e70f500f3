/* convert/yolo/yolo.h - the common part of YOLO's input: yolo_layout.c finds folders and the
 * file of names, yolo_names.c reads it, yolo.c is the input. */
#ifndef TFR_CONVERT_YOLO_YOLO_H
#define TFR_CONVERT_YOLO_YOLO_H

#include "convert/input.h"
#include "convert/parts.h"
#include "convert/yolo/yolo_yaml.h"

/* The classes, sorted by their labels, which are the numbers in files of labels plus `base`. */
struct tfr_yolo_classes {
	struct tfr_class *list;
	size_t n;
	int64_t base;
	char *path;	  /* of the file that names them */
	size_t keypoints; /* numbers after each box */
	struct tfr_buf texts;
};

/* Finds the parts of the data set with the base `folder`; none: it is not a YOLO data set.  False:
 * out of memory. */
bool tfr_yolo_find(struct tfr_parts *parts, const char *folder);
/* Reads the names from opts->classes.labels, or else from data.yaml, classes.txt or the like in the
 * folders of `part`, in opts->input.paths[0] or above them.  Labels are numbers plus
 * opts->classes.base.  TFR_EUSAGE: there are none.  Must be cleared in any case. */
enum tfr_status tfr_yolo_classes_read(struct tfr_yolo_classes *c,
	const struct tfr_convert_opts *opts, const struct tfr_part *part, struct tfr_error *err);
/* Reads the description of the data set `folder`, data.yaml or another .yaml file that names
 * classes.  False: there is none.  Must be cleared in any case. */
bool tfr_yolo_describe(struct tfr_yolo_yaml *y, const char *folder, struct tfr_error *err);
/* The position of a number in the list, or TFR_NO_CLASS. */
uint32_t tfr_yolo_class_of(const struct tfr_yolo_classes *c, uint32_t number);
bool tfr_yolo_classes_equal(const struct tfr_yolo_classes *a, const struct tfr_yolo_classes *b);
void tfr_yolo_classes_clear(struct tfr_yolo_classes *c);

/* Whether a text file is not the labels of an image: classes.txt, a README. */
bool tfr_yolo_is_aside(const char *name);

#endif
