/* media/pixels/cast.c - converts pixels to numbers of another type, with or without one plane per
 * channel.
 *
 * If both change, a few pixels at a time are separated into memory that stays in the nearest cache,
 * and converted from there.  8-bit results are made first, since they are smaller. */
#include <string.h>

#include "base/error.h"
#include "media/pixels/kernels.h"
#include "media/pixels/pixels.h"

enum { BLOCK = 512 /* pixels at a time */ };

struct conversion {
	const struct tfr_pixel_kernel *kernel;
	enum tfr_dtype from, to;
	unsigned channels;
	size_t plane; /* bytes of one, in `out` */
	bool stream;
};

/* `n` samples of one type as another. */
static void convert_run(const struct conversion *c, const void *in, void *out, size_t n)
{
	if (c->from == c->to)
		memcpy(out, in, n * tfr_dtype_size(c->to));
	else if (c->from == TFR_FLOAT32 && c->to == TFR_FLOAT16)
		c->kernel->f32_to_f16(in, out, n);
	else if (c->from == TFR_FLOAT32)
		c->kernel->f32_to_u8(in, out, n);
	else if (c->to == TFR_FLOAT16)
		c->kernel->u8_to_f16(in, out, n);
	else
		c->kernel->u8_to_f32(in, out, n, c->stream);
}

/* `n` pixels to planes of the same type, of which the first begins at `out`. */
static void take_apart(const struct conversion *c, enum tfr_dtype dtype, const void *in,
	uint8_t *out, size_t plane, size_t n)
{
	if (dtype == TFR_UINT8) {
		uint8_t *const planes[4] = { out, out + plane, out + 2 * plane, out + 3 * plane };

		c->kernel->planes_u8(in, planes, n, c->channels);
	} else {
		float *first = (float *)(void *)out;
		size_t step = plane / sizeof(float);
		float *const planes[4] = { first, first + step, first + 2 * step,
			first + 3 * step };

		c->kernel->planes_f32(in, planes, n, c->channels);
	}
}

/* Up to BLOCK pixels. */
static void convert_block(const struct conversion *c, const void *in, uint8_t *out, size_t n)
{
	_Alignas(64) float apart[4 * BLOCK];
	size_t row = BLOCK * tfr_dtype_size(c->from);

	if (c->to == TFR_UINT8) {
		convert_run(c, in, apart, n * c->channels);
		take_apart(c, TFR_UINT8, apart, out, c->plane, n);
		return;
	}
	take_apart(c, c->from, in, (uint8_t *)apart, row, n);
	for (unsigned k = 0; k < c->channels; k++)
		convert_run(c, (const uint8_t *)apart + k * row, out + k * c->plane, n);
}

static void convert_row_to_planes(
	const struct conversion *c, const uint8_t *in, uint8_t *out, size_t pixels)
{
	size_t from = tfr_dtype_size(c->from) * c->channels, to = tfr_dtype_size(c->to);

	if (c->from == c->to) {
		take_apart(c, c->from, in, out, c->plane, pixels);
		return;
	}
	for (size_t i = 0; i < pixels; i += BLOCK)
		convert_block(
			c, in + i * from, out + i * to, pixels - i < BLOCK ? pixels - i : BLOCK);
}

enum tfr_status tfr_pixels_convert(const struct tfr_pixels *in, enum tfr_dtype dtype,
	enum tfr_pixel_order order, void *out, unsigned flags, struct tfr_error *err)
{
	struct conversion c = {
		.kernel = tfr_pixel_kernel(flags),
		.from = in->dtype,
		.to = dtype,
		.channels = in->channels,
		.plane = (size_t)in->width * in->height * tfr_dtype_size(dtype),
		.stream = flags & TFR_RESIZE_STREAM,
	};
	bool apart = order == TFR_CHW && in->channels > 1;
	struct tfr_rows rows;
	uint8_t *to = out;
	size_t step;

	TFR_TRY(tfr_pixels_check(in, "convert", err));
	if (dtype != TFR_UINT8 && dtype != TFR_FLOAT16 && dtype != TFR_FLOAT32)
		return tfr_fail(err, TFR_EUSAGE, "cannot make pixels %s", tfr_dtype_name(dtype));
	rows = tfr_rows_of(in, true);
	step = rows.samples / (apart ? in->channels : 1) * tfr_dtype_size(dtype);
	for (uint32_t y = 0; y < rows.count; y++, to += step) {
		if (apart)
			convert_row_to_planes(
				&c, tfr_pixels_row(in, y), to, rows.samples / in->channels);
		else
			convert_run(&c, tfr_pixels_row(in, y), to, rows.samples);
	}
	c.kernel->finish();
	return TFR_OK;
}
