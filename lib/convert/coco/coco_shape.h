/* convert/coco/coco_shape.h - draws the "segmentation" of an annotation into a mask, as pycocotools
 * does (https://github.com/cocodataset/cocoapi, common/maskApi.c: rleFrPoly, rleFrString,
 * rleDecode).
 *
 * Masks of pycocotools are alternating runs of 0 and 1, column after column.  Here the mask has
 * rows, and is the union of all shapes drawn, so that several polygons make one mask. */
#ifndef TFR_CONVERT_COCO_COCO_SHAPE_H
#define TFR_CONVERT_COCO_COCO_SHAPE_H

#include "base/buf.h"
#include "base/error.h"

struct tfr_canvas {
	uint32_t width, height; /* at least 1 each, at most TFR_CANVAS_MOST in all */
	uint8_t *pixels;	/* width * height, rows dense: 0 or 1 */
	struct tfr_buf scratch; /* kept from shape to shape */
};

#define TFR_CANVAS_MOST ((uint64_t)1 << 28)

/* Draws a polygon of n points x, y.  TFR_EDATA: under three points, numbers that cannot be
 * positions in an image, or a boundary longer than a shape of that size can have; the message
 * has no path.  TFR_ENOMEM. */
enum tfr_status tfr_draw_polygon(
	struct tfr_canvas *c, const double *xy, size_t n, struct tfr_error *err);
/* Draws runs given as a text of `size` bytes, 48 to 111.  Each byte has five bits and one bit
 * that says whether more follow, least significant first, the last one sign-extended.  From the
 * fourth run on, a number is the difference from the run two before. */
enum tfr_status tfr_draw_text(
	struct tfr_canvas *c, const char *text, size_t size, struct tfr_error *err);
/* Clears the canvas and draws the shape of the JSON text.  It is a list of polygons, or an
 * object of "counts", a list or a text of runs, and "size", [height, width], which must be the
 * canvas's.  An empty text only clears the canvas.  TFR_EDATA: it has another form; the message
 * has the reason and no path. */
enum tfr_status tfr_coco_shape_draw(
	struct tfr_canvas *c, const uint8_t *text, size_t size, struct tfr_error *err);

#endif
