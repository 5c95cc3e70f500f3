/* media/pixels/pixels.h - shared by the pixel transforms: the checks of their arguments. */
#ifndef TFR_MEDIA_PIXELS_PIXELS_H
#define TFR_MEDIA_PIXELS_PIXELS_H

#include <tfr-private/pixels.h>

#define TFR_PIXELS_MAX_SIZE (1u << 24) /* float32 counts pixels exactly up to here */

/* TFR_EUSAGE unless `p` is an image; `what` names the operation in the message. */
enum tfr_status tfr_pixels_check(
	const struct tfr_pixels *p, const char *what, struct tfr_error *err);

/* TFR_EUSAGE unless `in` is an image and `out` is one of width x height, with the channels of `in`
 * and `dtype`. */
enum tfr_status tfr_pixels_expect(const struct tfr_pixels *in, const struct tfr_pixels *out,
	uint32_t width, uint32_t height, enum tfr_dtype dtype, const char *what,
	struct tfr_error *err);

static inline size_t tfr_pixel_bytes(const struct tfr_pixels *p)
{
	return p->channels * tfr_dtype_size(p->dtype);
}

static inline size_t tfr_pixels_row_bytes(const struct tfr_pixels *p)
{
	return p->width * tfr_pixel_bytes(p);
}

static inline uint8_t *tfr_pixels_row(const struct tfr_pixels *p, uint32_t y)
{
	return (uint8_t *)p->data + y * p->stride;
}

/* The rows of an image for a loop over its samples: one long row if the image has no gaps and,
 * according to `others`, the image processed with it has none. */
struct tfr_rows {
	uint32_t count;
	size_t samples;
};

static inline struct tfr_rows tfr_rows_of(const struct tfr_pixels *p, bool others)
{
	size_t samples = (size_t)p->width * p->channels;

	if (others && p->stride == tfr_pixels_row_bytes(p))
		return (struct tfr_rows){ 1, samples * p->height };
	return (struct tfr_rows){ p->height, samples };
}

#endif
