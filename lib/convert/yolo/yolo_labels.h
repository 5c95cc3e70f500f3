/* convert/yolo/yolo_labels.h - the labels of an image in YOLO's format: a text file with one line
 * per object.
 *
 * A line has the number of a class and the centre, width and height of a box, or the corners of a
 * polygon, x before y.  Positions are fractions of the image's size; numbers are separated by
 * blanks (https://docs.ultralytics.com/datasets/detect/ and /segment/).  With keypoints, a line has
 * a box and then two or three numbers for each keypoint (/pose/). */
#ifndef TFR_CONVERT_YOLO_YOLO_LABELS_H
#define TFR_CONVERT_YOLO_YOLO_LABELS_H

#include "base/buf.h"
#include "base/error.h"

/* Corners as fractions of the image's size, from 0 to 1. */
struct tfr_yolo_box {
	float xmin, ymin, xmax, ymax;
	uint32_t class;
	uint32_t corners; /* of its polygon; 0: it is a box */
};

/* Counts of boxes that were omitted or changed. */
struct tfr_yolo_tally {
	uint64_t boxes;	   /* kept */
	uint64_t empty;	   /* omitted: no area inside the image */
	uint64_t clipped;  /* past an edge by more than a rounding error */
	uint64_t polygons;
};

/* Appends the boxes of `text` to `boxes` as struct tfr_yolo_box, and the corners of their polygons
 * to `corners`, two floats each.  An oriented box is a polygon of four corners; its box is the one
 * around it.  `keypoints` is the number of values after each box; 0: none.  TFR_EDATA: a line is
 * malformed; the message has the line and the reason, and both are unchanged. */
enum tfr_status tfr_yolo_parse(struct tfr_buf *boxes, struct tfr_buf *corners, const uint8_t *text,
	size_t size, size_t keypoints, struct tfr_yolo_tally *tally, struct tfr_error *err);

#endif
