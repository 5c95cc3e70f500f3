/* media/pixels.h - what the transforms of pixels share: what is asked for is checked once, here. */
#ifndef TFR_MEDIA_PIXELS_H
#define TFR_MEDIA_PIXELS_H

#include <math.h>

#include <tfr/pixels.h>

#define TFR_PIXELS_MAX_SIZE (1u << 24) /* float32 counts pixels exactly up to here */

/* TFR_EUSAGE unless `p` is a picture; `what` reads as what was to be done to it. */
enum tfr_status tfr_pixels_check(
	const struct tfr_pixels *p, const char *what, struct tfr_error *err);

/* TFR_EUSAGE unless `in` is a picture and `out` one of width x height, in's channels and `dtype`.
 */
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

/* A number as 8 bits: to the nearest, halves to even, held to 0 … 255; NaN is 0. */
static inline uint8_t tfr_to_u8(float v)
{
	return v > 0 ? v < 255 ? (uint8_t)lrintf(v) : 255 : 0;
}

#endif
