/* media/pixels/pixels.c - transforms that move pixels without computing any.
 *
 * They are the same for every type of sample: a pixel is a number of bytes.  Added edges are mirror
 * images, so the kernels that mirror make them, too. */
#include "media/pixels/pixels.h"

#include <string.h>

#include "base/error.h"
#include "media/pixels/kernels.h"
#include "media/resize/kernels.h"

struct tfr_pixels tfr_pixels_of(const struct tfr_image *image)
{
	return (struct tfr_pixels){
		.data = (void *)(uintptr_t)image->data,
		.stride = image->stride,
		.width = image->width,
		.height = image->height,
		.channels = image->channels,
		.dtype = TFR_UINT8,
	};
}

struct tfr_pixels tfr_pixels_dense(
	void *data, uint32_t width, uint32_t height, unsigned channels, enum tfr_dtype dtype)
{
	struct tfr_pixels p = { data, 0, width, height, channels, dtype };

	p.stride = tfr_pixels_row_bytes(&p);
	return p;
}

static bool is_good(const struct tfr_pixels *p)
{
	return p->data && p->width && p->height && (p->width | p->height) <= TFR_PIXELS_MAX_SIZE &&
	       p->channels >= 1 && p->channels <= 4 &&
	       (p->dtype == TFR_UINT8 || p->dtype == TFR_FLOAT32) &&
	       p->stride >= tfr_pixels_row_bytes(p);
}

enum tfr_status tfr_pixels_check(
	const struct tfr_pixels *p, const char *what, struct tfr_error *err)
{
	if (is_good(p))
		return TFR_OK;
	return tfr_fail(err, TFR_EUSAGE, "cannot %s %u x %u x %u of %s", what, p->width, p->height,
		p->channels, tfr_dtype_name(p->dtype));
}

enum tfr_status tfr_pixels_expect(const struct tfr_pixels *in, const struct tfr_pixels *out,
	uint32_t width, uint32_t height, enum tfr_dtype dtype, const char *what,
	struct tfr_error *err)
{
	TFR_TRY(tfr_pixels_check(in, what, err));
	if (is_good(out) && out->width == width && out->height == height && out->dtype == dtype &&
		out->channels == in->channels)
		return TFR_OK;
	return tfr_fail(err, TFR_EUSAGE, "cannot %s %u x %u x %u of %s to %u x %u x %u of %s", what,
		in->width, in->height, in->channels, tfr_dtype_name(in->dtype), out->width,
		out->height, out->channels, tfr_dtype_name(out->dtype));
}

enum tfr_status tfr_pixels_window(const struct tfr_pixels *in, const struct tfr_crop *window,
	struct tfr_pixels *cut, struct tfr_error *err)
{
	TFR_TRY(tfr_pixels_check(in, "take a window of", err));
	if (!window->width || !window->height || window->x >= in->width ||
		window->y >= in->height || window->width > in->width - window->x ||
		window->height > in->height - window->y)
		return tfr_fail(err, TFR_EUSAGE,
			"a window of %u x %u at %u, %u does not lie in an image of %u x %u",
			window->width, window->height, window->x, window->y, in->width, in->height);
	*cut = *in;
	cut->data = tfr_pixels_row(in, window->y) + window->x * tfr_pixel_bytes(in);
	cut->width = window->width;
	cut->height = window->height;
	return TFR_OK;
}

enum tfr_status tfr_pixels_mirror(const struct tfr_pixels *in, const struct tfr_pixels *out,
	unsigned flags, struct tfr_error *err)
{
	const struct tfr_pixel_kernel *kernel = tfr_pixel_kernel(flags);

	TFR_TRY(tfr_pixels_expect(in, out, in->width, in->height, in->dtype, "mirror", err));
	for (uint32_t y = 0; y < in->height; y++)
		kernel->mirror(tfr_pixels_row(in, y), tfr_pixels_row(out, y), in->width,
			tfr_pixel_bytes(in));
	return TFR_OK;
}

/* Exchanges two rows through a small buffer. */
static void swap_rows(uint8_t *a, uint8_t *b, size_t n)
{
	uint8_t held[1024];

	for (size_t i = 0, some; i < n; i += some) {
		some = n - i < sizeof(held) ? n - i : sizeof(held);
		memcpy(held, a + i, some);
		memcpy(a + i, b + i, some);
		memcpy(b + i, held, some);
	}
}

enum tfr_status tfr_pixels_flip(
	const struct tfr_pixels *in, const struct tfr_pixels *out, struct tfr_error *err)
{
	size_t n = tfr_pixels_row_bytes(in);

	TFR_TRY(tfr_pixels_expect(in, out, in->width, in->height, in->dtype, "flip", err));
	if (in->data == out->data) {
		for (uint32_t y = 0; y < in->height / 2; y++)
			swap_rows(
				tfr_pixels_row(out, y), tfr_pixels_row(out, in->height - 1 - y), n);
		return TFR_OK;
	}
	for (uint32_t y = 0; y < in->height; y++)
		memcpy(tfr_pixels_row(out, in->height - 1 - y), tfr_pixels_row(in, y), n);
	return TFR_OK;
}

/* The source row of a row in the padded image. */
static uint32_t reflected(uint32_t y, uint32_t n, uint32_t height)
{
	if (y < n)
		return n - y;
	y -= n;
	return y < height ? y : 2 * (height - 1) - y;
}

enum tfr_status tfr_pixels_pad_reflect(const struct tfr_pixels *in, uint32_t n,
	const struct tfr_pixels *out, struct tfr_error *err)
{
	const struct tfr_pixel_kernel *kernel = tfr_pixel_kernel(0);
	size_t pixel = tfr_pixel_bytes(in), row = tfr_pixels_row_bytes(in);

	TFR_TRY(tfr_pixels_check(in, "pad", err));
	if (n >= in->width || n >= in->height)
		return tfr_fail(err, TFR_EUSAGE,
			"%u pixels of reflection around an image of %u x %u", n, in->width,
			in->height);
	TFR_TRY(tfr_pixels_expect(
		in, out, in->width + 2 * n, in->height + 2 * n, in->dtype, "pad", err));
	for (uint32_t y = 0; y < out->height; y++) {
		const uint8_t *from = tfr_pixels_row(in, reflected(y, n, in->height));
		uint8_t *to = tfr_pixels_row(out, y);

		kernel->mirror(from + pixel, to, n, pixel);
		memcpy(to + n * pixel, from, row);
		kernel->mirror(from + row - (n + 1) * pixel, to + n * pixel + row, n, pixel);
	}
	return TFR_OK;
}

/* Where an axis of `in` pixels begins in one of `out`, and which part of it is visible. */
struct span {
	uint32_t from, to, n;
};

static struct span centred(uint32_t in, uint32_t out)
{
	if (in > out)
		return (struct span){ (in - out) / 2, 0, out };
	return (struct span){ 0, (out - in) / 2, in };
}

enum tfr_status tfr_pixels_pad(
	const struct tfr_pixels *in, const struct tfr_pixels *out, struct tfr_error *err)
{
	struct span x = centred(in->width, out->width), y = centred(in->height, out->height);
	size_t pixel = tfr_pixel_bytes(in), row = tfr_pixels_row_bytes(out);
	size_t left = x.to * pixel, width = x.n * pixel;

	TFR_TRY(tfr_pixels_expect(in, out, out->width, out->height, in->dtype, "pad", err));
	for (uint32_t i = 0; i < out->height; i++) {
		uint8_t *to = tfr_pixels_row(out, i);

		if (i < y.to || i >= y.to + y.n) {
			memset(to, 0, row);
			continue;
		}
		memset(to, 0, left);
		memcpy(to + left, tfr_pixels_row(in, y.from + i - y.to) + x.from * pixel, width);
		memset(to + left + width, 0, row - left - width);
	}
	return TFR_OK;
}

enum tfr_status tfr_pixels_cutout(const struct tfr_pixels *img, const struct tfr_crop *window,
	const float *fill, struct tfr_error *err)
{
	size_t pixel = tfr_pixel_bytes(img), n = window->width * pixel;
	struct tfr_pixels cut;
	union {
		float f[4];
		uint8_t u[4];
	} colour = { 0 };

	TFR_TRY(tfr_pixels_check(img, "cut out of", err));
	if (!window->width || !window->height)
		return TFR_OK;
	TFR_TRY(tfr_pixels_window(img, window, &cut, err));
	for (unsigned c = 0; fill && c < img->channels; c++)
		if (img->dtype == TFR_UINT8)
			colour.u[c] = tfr_to_u8(fill[c]);
		else
			colour.f[c] = fill[c];
	for (uint32_t x = 0; x < cut.width; x++)
		memcpy((uint8_t *)cut.data + x * pixel, &colour, pixel);
	for (uint32_t y = 1; y < cut.height; y++)
		memcpy(tfr_pixels_row(&cut, y), cut.data, n);
	return TFR_OK;
}

/* --- nearest --- */

enum { COLUMNS = 512 /* whose columns are computed once for all rows */ };

#define PICK(n)                                                                                    \
	for (uint32_t i = 0; i < count; i++, to += (n))                                            \
	memcpy(to, from + (size_t)index[i] * (n), n)

static void pick_columns(
	const uint8_t *from, const uint32_t *index, uint32_t count, size_t pixel, uint8_t *to)
{
	switch (pixel) {
	case 1:
		PICK(1);
		break;
	case 3:
		PICK(3);
		break;
	case 4:
		PICK(4);
		break;
	case 12:
		PICK(12);
		break;
	default:
		PICK(pixel);
	}
}

enum tfr_status tfr_pixels_resize_nearest(
	const struct tfr_pixels *in, const struct tfr_pixels *out, struct tfr_error *err)
{
	float fx = (float)in->width / (float)out->width,
	      fy = (float)in->height / (float)out->height;
	size_t pixel = tfr_pixel_bytes(in);
	uint32_t index[COLUMNS];

	TFR_TRY(tfr_pixels_expect(in, out, out->width, out->height, in->dtype, "resize", err));
	for (uint32_t x = 0, n; x < out->width; x += n) {
		n = out->width - x < COLUMNS ? out->width - x : COLUMNS;
		for (uint32_t i = 0; i < n; i++)
			index[i] = tfr_nearest_of(x + i, fx, in->width);
		for (uint32_t y = 0; y < out->height; y++)
			pick_columns(tfr_pixels_row(in, tfr_nearest_of(y, fy, in->height)), index,
				n, pixel, tfr_pixels_row(out, y) + x * pixel);
	}
	return TFR_OK;
}
