/* convert/coco/coco_shape.h - the "segmentation" of an annotation drawn. */
#ifndef TFR_CONVERT_COCO_COCO_SHAPE_H
#define TFR_CONVERT_COCO_COCO_SHAPE_H

#include "convert/coco/rle.h"

/* Clears the canvas and draws what the JSON text says: a list of polygons, or an object of
 * "counts", a list of runs or a text of them, and "size", [height, width], which must be the
 * canvas's.  An empty text leaves the canvas cleared.  TFR_EDATA: it is nothing of these, the
 * message says why and names no path. */
enum tfr_status tfr_coco_shape_draw(
	struct tfr_canvas *c, const uint8_t *text, size_t size, struct tfr_error *err);

#endif
