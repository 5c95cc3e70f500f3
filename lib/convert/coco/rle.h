/* convert/coco/rle.h - shapes of COCO's annotations drawn into masks, as pycocotools draws them
 * (https://github.com/cocodataset/cocoapi, common/maskApi.c: rleFrPoly, rleFrString, rleDecode).
 *
 * Its masks are runs of 0 and 1 in turn, column after column.  Here they are drawn into rows: the
 * union of all that is drawn, so that several polygons are one mask. */
#ifndef TFR_CONVERT_COCO_RLE_H
#define TFR_CONVERT_COCO_RLE_H

#include "base/buf.h"
#include "base/error.h"

struct tfr_canvas {
	uint32_t width, height; /* at least 1 each, at most TFR_CANVAS_MOST in all */
	uint8_t *pixels;	/* width * height, rows dense: 0 or 1 */
	struct tfr_buf scratch; /* kept from shape to shape */
};

#define TFR_CANVAS_MOST ((uint64_t)1 << 28)

/* A polygon of n points x, y.  TFR_EDATA: under three points, numbers that are no places in any
 * image, or a boundary that is longer than a shape of that size can have; the message says it
 * without a path.  TFR_ENOMEM. */
enum tfr_status tfr_draw_polygon(
	struct tfr_canvas *c, const double *xy, size_t n, struct tfr_error *err);
/* Runs as numbers; their sum must be all pixels. */
enum tfr_status tfr_draw_runs(
	struct tfr_canvas *c, const uint32_t *runs, size_t n, struct tfr_error *err);
/* Runs as a text of `size` bytes, 48 to 111: five bits a byte and one that says that there are
 * more, least first, the last sign-extended; from the fourth run on, the difference to the run two
 * before. */
enum tfr_status tfr_draw_text(
	struct tfr_canvas *c, const char *text, size_t size, struct tfr_error *err);

#endif
