/* tests/fuzz/pixels.c - no image, no size and no parameter makes a transform of pixels step out
 * of its memory, and the plain loops and the fast ones give the same bytes.
 *
 * The first bytes of the input choose the transform, the sizes and the gaps; the rest, repeated, is
 * the image, any bits at all where it is float32.  All memory ends where the images end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/pixels.h>

#include "media/pixels/kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 24 };

struct given {
	const uint8_t *bytes; /* HEADER of them */
	struct tfr_pixels in;
	struct tfr_resizer *r;
};

static uint32_t u16(const struct given *g, int at)
{
	return g->bytes[at] | (uint32_t)g->bytes[at + 1] << 8;
}

/* Any float, made of 16 of its bits. */
static float number(const struct given *g, int at)
{
	uint32_t bits = u16(g, at) << 16;
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static struct tfr_pixels room(
	uint32_t width, uint32_t height, unsigned channels, enum tfr_dtype dtype, unsigned gap)
{
	struct tfr_pixels p = tfr_pixels_dense(NULL, width, height, channels, dtype);
	size_t row = p.stride;

	p.stride += gap * tfr_dtype_size(dtype);
	p.data = malloc(p.stride * (height ? height - 1 : 0) + row);
	if (!p.data)
		abort();
	return p;
}

static void fill(const struct tfr_pixels *p, const uint8_t *data, size_t size)
{
	size_t row = p->width * p->channels * tfr_dtype_size(p->dtype), at = 0;

	for (uint32_t y = 0; y < p->height; y++)
		for (size_t i = 0; i < row; i++, at++)
			((uint8_t *)p->data)[y * p->stride + i] = size ? data[at % size] : 0;
}

/* Any NaN is as good as another: which one an operation gives is the processor's choice. */
static bool same_floats(const void *a, const void *b, size_t n)
{
	const float *x = a, *y = b;

	for (size_t i = 0; i < n; i++)
		if (memcmp(x + i, y + i, sizeof(*x)) && !(isnan(x[i]) && isnan(y[i])))
			return false;
	return true;
}

static void expect_same(const struct tfr_pixels *a, const struct tfr_pixels *b)
{
	size_t samples = (size_t)a->width * a->channels;

	for (uint32_t y = 0; y < a->height; y++) {
		const uint8_t *x = (uint8_t *)a->data + y * a->stride,
			      *z = (uint8_t *)b->data + y * b->stride;

		if (a->dtype == TFR_FLOAT32 ? !same_floats(x, z, samples)
					    : memcmp(x, z, samples) != 0)
			abort();
	}
}

typedef enum tfr_status transform(
	const struct given *g, const struct tfr_pixels *out, unsigned flags);

static enum tfr_status mirror(const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	return tfr_pixels_mirror(&g->in, out, flags, NULL);
}

static enum tfr_status flip(const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	(void)flags;
	return tfr_pixels_flip(&g->in, out, NULL);
}

static enum tfr_status pad_reflect(
	const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	(void)flags;
	return tfr_pixels_pad_reflect(&g->in, g->bytes[10], out, NULL);
}

static enum tfr_status pad(const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	(void)flags;
	return tfr_pixels_pad(&g->in, out, NULL);
}

static enum tfr_status nearest(const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	(void)flags;
	return tfr_pixels_resize_nearest(&g->in, out, NULL);
}

static enum tfr_status area(const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	(void)flags;
	return tfr_pixels_resize_area(g->r, &g->in, out, NULL);
}

static enum tfr_status bilinear(const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	return tfr_pixels_resize_bilinear(g->r, &g->in, out,
		flags | (g->bytes[10] & (TFR_RESIZE_MIRROR | TFR_RESIZE_NORMALISE)), NULL);
}

static enum tfr_status rotate(const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	const float colour[4] = { number(g, 16), number(g, 18), number(g, 20), 1 };

	return tfr_rotate(&g->in, (double)number(g, 12),
		g->bytes[10] & 1 ? TFR_FILTER_NEAREST : TFR_FILTER_BILINEAR,
		g->bytes[10] & 2 ? colour : NULL, out, flags, NULL);
}

static enum tfr_status normalise(
	const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	const float mean[4] = { number(g, 10), number(g, 12), number(g, 14), 1 },
		    std[4] = { number(g, 16), number(g, 18), number(g, 20), 1 };

	return tfr_pixels_normalise(&g->in, mean, std, out, flags, NULL);
}

static enum tfr_status standardise(
	const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	return tfr_pixels_standardise(&g->in, out, flags, NULL);
}

static enum tfr_status convert(const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	if (out->stride != out->width * out->channels * tfr_dtype_size(out->dtype))
		return TFR_EUSAGE;
	return tfr_pixels_convert(
		&g->in, out->dtype, g->bytes[10] & 1 ? TFR_CHW : TFR_HWC, out->data, flags, NULL);
}

static enum tfr_status cutout(const struct given *g, const struct tfr_pixels *out, unsigned flags)
{
	const float colour[4] = { number(g, 16), number(g, 18), number(g, 20), 1 };
	struct tfr_crop window = { u16(g, 10), u16(g, 12), u16(g, 14), g->bytes[22] };
	struct tfr_draw draw = { .seed = u16(g, 12) };

	(void)flags;
	if (!g->in.width || !g->in.height)
		return TFR_EUSAGE;
	if (g->bytes[22] & 1)
		tfr_random_cutout(&draw, g->in.width, g->in.height, g->bytes[10], &window);
	if (tfr_pixels_pad(&g->in, out, NULL))
		return TFR_EUSAGE;
	return tfr_pixels_cutout(out, &window, g->bytes[22] & 2 ? colour : NULL, NULL);
}

/* What each makes: its input's size, that and twice byte 10, or any. */
enum shape { SAME, PADDED, ANY };

static const struct {
	transform *run;
	enum shape shape;
	enum tfr_dtype dtype; /* TFR_INT64: its input's; TFR_INT32: any */
} transforms[] = {
	{ mirror, SAME, TFR_INT64 },
	{ flip, SAME, TFR_INT64 },
	{ pad_reflect, PADDED, TFR_INT64 },
	{ pad, ANY, TFR_INT64 },
	{ nearest, ANY, TFR_INT64 },
	{ area, ANY, TFR_FLOAT32 },
	{ bilinear, ANY, TFR_FLOAT32 },
	{ rotate, SAME, TFR_INT64 },
	{ normalise, SAME, TFR_FLOAT32 },
	{ standardise, SAME, TFR_FLOAT32 },
	{ convert, SAME, TFR_INT32 },
	{ cutout, SAME, TFR_INT64 },
};

static struct tfr_pixels room_for(const struct given *g, size_t t)
{
	static const enum tfr_dtype types[] = { TFR_UINT8, TFR_FLOAT16, TFR_FLOAT32 };
	uint32_t width = g->in.width, height = g->in.height;
	enum tfr_dtype dtype = transforms[t].dtype;

	if (transforms[t].shape == PADDED) {
		width += 2 * (uint32_t)g->bytes[10];
		height += 2 * (uint32_t)g->bytes[10];
	} else if (transforms[t].shape == ANY) {
		width = u16(g, 6) % 300;
		height = u16(g, 8) % 100;
	}
	if (dtype == TFR_INT64)
		dtype = g->in.dtype;
	if (dtype == TFR_INT32)
		dtype = types[g->bytes[11] % 3];
	return room(width, height, g->in.channels, dtype, g->bytes[5] >> 4 & 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct given g = { .bytes = data };
	struct tfr_pixels fast, plain;
	enum tfr_status status;
	size_t t;

	if (size < HEADER)
		return 0;
	t = data[0] % (sizeof(transforms) / sizeof(*transforms));
	g.in = room(u16(&g, 1) % 300, u16(&g, 3) % 60, 1 + (data[5] & 3),
		data[5] & 4 ? TFR_FLOAT32 : TFR_UINT8, data[5] >> 6);
	fill(&g.in, data + HEADER, size - HEADER);
	fast = room_for(&g, t);
	plain = room_for(&g, t);
	g.r = FUZZ_SAFE(tfr_resizer_new());
	status = transforms[t].run(&g, &fast, data[23] & 1 ? TFR_RESIZE_STREAM : 0);
	if (transforms[t].run(&g, &plain, TFR_RESIZE_PLAIN) != status)
		abort();
	if (status == TFR_OK)
		expect_same(&fast, &plain);
	tfr_resizer_free(g.r);
	free(g.in.data);
	free(fast.data);
	free(plain.data);
	return 0;
}
