/* media/pixels/rotate.h - shared by rotation and its vector loops. */
#ifndef TFR_MEDIA_PIXELS_ROTATE_H
#define TFR_MEDIA_PIXELS_ROTATE_H

#include <tfr-private/pixels.h>

/* The places in the source, in pixels, of the centres of a row of the result: for the one at x,
 *     u = (x - middle) * x_by_x + x_by_row,   (u + 1) * half_width - 0.5f
 * and likewise down, each step rounded to float32. */
struct tfr_rotate_line {
	float middle; /* of the row, counted from its first centre */
	float x_by_x, y_by_x;
	float x_by_row, y_by_row; /* added by the row */
	float half_width, half_height;
};

/* RGB of 8 bits, bilinear. */
struct tfr_rotate_run {
	struct tfr_rotate_line line;
	struct tfr_pixels in;
	const float *fill; /* three, or NULL */
	uint8_t *out;	   /* the row of the result */
	uint32_t width;	   /* of it */
};

/* Computes pixels from `x` on, several at a time, as long as all are away from the source's edges;
 * returns the x where it stopped. */
typedef uint32_t tfr_rotate_loop(const struct tfr_rotate_run *run, uint32_t x);

#ifdef __x86_64__
bool tfr_rotate_avx2_usable(void);
tfr_rotate_loop tfr_rotate_avx2;
#endif

/* tfr_pixels_rotate(); TFR_RESIZE_PLAIN in `flags` disables such loops. */
enum tfr_status tfr_rotate(const struct tfr_pixels *in, double degrees, enum tfr_filter filter,
	const float *fill, const struct tfr_pixels *out, unsigned flags, struct tfr_error *err);

#endif
