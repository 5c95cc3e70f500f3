/* tfr-private/pixels.h - transforms of images in memory: rotate, pad, crop, resize, normalise,
 * convert.
 *
 * Every function names its reference, and gives the result of that reference to the bit unless it
 * states a tolerance.  An image is rows of interleaved samples, top row first ("HWC"), of 8 bits or
 * of float32, of 1 to 4 channels.
 *
 * `in` is only read.  `out` is memory of the caller with the size, channels and type of the result;
 * any other value is TFR_EUSAGE.  So is an image without pixels, with a side over 2^24, or with
 * another number of channels.  The two may not overlap, except that mirror, flip and standardise
 * also work in place (the same data and stride). Nothing beyond the last sample of a row is
 * touched.
 *
 * `flags`: 0, or of enum tfr_resize_flags TFR_RESIZE_STREAM (this processor will not read the
 * result soon) and TFR_RESIZE_PLAIN (plain C on any processor: the same bits).
 *
 * Functions without an object are pure and allocate nothing; any thread may call them.  A
 * tfr_resizer belongs to one thread at a time. */
#ifndef TFR_PRIVATE_PIXELS_H
#define TFR_PRIVATE_PIXELS_H

#include <tfr-private/dtype.h>
#include <tfr-private/media.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_pixels {
	void *data;
	size_t stride; /* bytes from one row to the next */
	uint32_t width, height;
	unsigned channels;
	enum tfr_dtype dtype; /* TFR_UINT8 or TFR_FLOAT32; float32 is aligned as in C */
};

/* A decoded image as an input; it must not be written to. */
struct tfr_pixels tfr_pixels_of(const struct tfr_image *image);

/* An image without gaps between its rows, at `data`. */
struct tfr_pixels tfr_pixels_dense(
	void *data, uint32_t width, uint32_t height, unsigned channels, enum tfr_dtype dtype);

/* The pixels of `in` inside `window`: no pixel moves.  TFR_EUSAGE when the window is empty or not
 * inside the image. */
enum tfr_status tfr_pixels_window(const struct tfr_pixels *in, const struct tfr_crop *window,
	struct tfr_pixels *cut, struct tfr_error *err);

/* ---- Pixels moved ---- */

/* Exchanges left and right: tf.image.flip_left_right, torchvision's hflip. */
enum tfr_status tfr_pixels_mirror(const struct tfr_pixels *in, const struct tfr_pixels *out,
	unsigned flags, struct tfr_error *err);

/* Exchanges top and bottom: tf.image.flip_up_down, torchvision's vflip. */
enum tfr_status tfr_pixels_flip(
	const struct tfr_pixels *in, const struct tfr_pixels *out, struct tfr_error *err);

/* Adds `n` pixels on every side that mirror the image without repeating its outermost row:
 * torchvision's pad(padding_mode='reflect'), tf.pad's REFLECT.  TFR_EUSAGE: n is not less than both
 * sides. */
enum tfr_status tfr_pixels_pad_reflect(const struct tfr_pixels *in, uint32_t n,
	const struct tfr_pixels *out, struct tfr_error *err);

/* Centres the image in the size of `out`: tf.image.resize_with_crop_or_pad.  Each axis is cropped
 * or padded with zeros, floor(difference / 2) pixels of it at the left or the top. */
enum tfr_status tfr_pixels_pad(
	const struct tfr_pixels *in, const struct tfr_pixels *out, struct tfr_error *err);

/* Overwrites the pixels inside `window` (as tfr_random_cutout() draws it; it may be empty) with
 * `fill`, one number per channel; NULL: 0.  For 8-bit images it is rounded, halves to even, and
 * limited to 0 … 255. */
enum tfr_status tfr_pixels_cutout(const struct tfr_pixels *img, const struct tfr_crop *window,
	const float *fill, struct tfr_error *err);

/* tf.image.resize's nearest: the pixel at floor((i + 0.5f) * (in / (float)out)) of each axis, as
 * tfr_scale()'s TFR_FILTER_NEAREST takes it.  Both have the same type. */
enum tfr_status tfr_pixels_resize_nearest(
	const struct tfr_pixels *in, const struct tfr_pixels *out, struct tfr_error *err);

/* ---- Pixels computed ---- */

/* tfr_resize_bilinear() for images of both types, with any flags; `out` is float32.  TFR_ENOMEM.
 */
enum tfr_status tfr_pixels_resize_bilinear(struct tfr_resizer *r, const struct tfr_pixels *in,
	const struct tfr_pixels *out, unsigned flags, struct tfr_error *err);

/* tf.image.resize(method='area'): the mean of the area that a pixel of the result covers, with
 * partial pixels by their share.  The sums are made along x, then along y, in float32, in the order
 * of tensorflow/core/kernels/image/resize_area_op.cc.  `out` is float32.  TFR_ENOMEM. */
enum tfr_status tfr_pixels_resize_area(struct tfr_resizer *r, const struct tfr_pixels *in,
	const struct tfr_pixels *out, struct tfr_error *err);

/* Rotates the image anticlockwise around its centre; the size stays.  This is torchvision's
 * rotate() of a tensor with expand=False and `filter` TFR_FILTER_NEAREST or TFR_FILTER_BILINEAR,
 * with its arithmetic in float32 (torchvision/transforms/_functional_tensor.py, PyTorch's
 * GridSamplerKernel.cpp) without fused multiply-add; 8 bits are rounded, halves to even.  That is
 * PyTorch's result with ATEN_CPU_CAPABILITY=default.  Its kernels for newer processors fuse some
 * operations: about one 8-bit sample in 30,000 then differs by 1.
 *
 * `fill`: one number per channel for uncovered pixels; NULL: 0, as torchvision's None.  With
 * bilinear a fill of 0 differs from none: the covered share of a pixel at the edge then counts
 * twice. RandomRotation fills with 0 by default.  `out` has the type of `in`. TFR_EUSAGE: another
 * filter, or an angle that is not finite. */
enum tfr_status tfr_pixels_rotate(const struct tfr_pixels *in, double degrees,
	enum tfr_filter filter, const float *fill, const struct tfr_pixels *out,
	struct tfr_error *err);

/* (x - mean) / std with one mean and std per channel, both in the units of x (a mean of 0.485 for
 * images of 0 … 1 is 123.675 for 8 bits); both operations in float32, as in torchvision's
 * normalize().  `out` is float32.  With 127.5 for all of them it equals
 * TFR_RESIZE_NORMALISE.  TFR_EUSAGE: a std of 0, or a number that is not finite. */
enum tfr_status tfr_pixels_normalise(const struct tfr_pixels *in, const float *mean,
	const float *std, const struct tfr_pixels *out, unsigned flags, struct tfr_error *err);

/* tf.image.per_image_standardization: (x - mean) / max(stddev, 1 / sqrt(n)), over all n samples of
 * the image.  Mean and standard deviation are those of the exact sums (8 bits; for float32, of
 * sums in double), rounded to float32 once; the rest is float32.  TensorFlow adds in float32 in an
 * order that depends on its threads, so its results differ in the last bits between runs.  They are
 * within 2e-6 of these, relative to the largest.  `out` is float32 and may be `in`
 * itself. */
enum tfr_status tfr_pixels_standardise(const struct tfr_pixels *in, const struct tfr_pixels *out,
	unsigned flags, struct tfr_error *err);

enum tfr_pixel_order {
	TFR_HWC = 0, /* samples of a pixel are adjacent */
	TFR_CHW,     /* one plane per channel */
};

/* Writes `in` as numbers of `dtype` (TFR_UINT8, TFR_FLOAT16 or TFR_FLOAT32) in that order to
 * `out`: width * height * channels of them, dense, at any address that is aligned for the type
 * (64 bytes is best).  The values are converted in these ways:
 *   to float32, to float16 from 8 bits   exactly: tf.cast
 *   float32 to float16                   to the nearest, halves to even, from 65520 on infinite,
 *                                        as in IEEE 754 and tf.cast; a NaN stays NaN
 *   float32 to uint8                     to the nearest, halves to even, limited to 0 … 255:
 *                                        tf.saturate_cast(tf.round(x), tf.uint8); NaN is 0 */
enum tfr_status tfr_pixels_convert(const struct tfr_pixels *in, enum tfr_dtype dtype,
	enum tfr_pixel_order order, void *out, unsigned flags, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
