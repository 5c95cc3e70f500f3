/* convert/coco/coco_shape.h - draws the "segmentation" of an annotation. */
#ifndef TFR_CONVERT_COCO_COCO_SHAPE_H
#define TFR_CONVERT_COCO_COCO_SHAPE_H

#include "convert/coco/rle.h"

/* Clears the canvas and draws the shape of the JSON text.  It is a list of polygons, or an
 * object of "counts", a list or a text of runs, and "size", [height, width], which must be the
 * canvas's.  An empty text only clears the canvas.  TFR_EDATA: it has another form; the message
 * has the reason and no path. */
enum tfr_status tfr_coco_shape_draw(
	struct tfr_canvas *c, const uint8_t *text, size_t size, struct tfr_error *err);

#endif
