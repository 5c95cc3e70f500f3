/* Pixels that are computed from several: each law said again on random images. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include <tfr-private/pixels.h>

#include "base/cleanup.h"
#include "base/rng.h"
#include "media/pixels/kernels.h"
#include "pixels.h"
#include "unit/variants.h"

static uint32_t below(struct tfr_rng *rng, uint32_t n)
{
	return (uint32_t)tfr_rng_below(rng, n);
}

static float sample(const struct tfr_pixels *p, int64_t x, int64_t y, unsigned c)
{
	const uint8_t *row = (const uint8_t *)p->data + (size_t)y * p->stride;
	size_t i = (size_t)x * p->channels + c;

	return p->dtype == TFR_UINT8 ? row[i] : ((const float *)(const void *)row)[i];
}

/* The same numbers as float32. */
static struct made as_floats(struct tfr_rng *rng, const struct tfr_pixels *p)
{
	struct made f = make_like(rng, p, p->width, p->height, TFR_FLOAT32);

	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (unsigned c = 0; c < p->channels; c++) {
				float *row =
					(float *)(void *)((uint8_t *)f.p.data + y * f.p.stride);

				row[x * p->channels + c] = sample(p, x, y, c);
			}
	return f;
}

static void expect_same(const struct tfr_pixels *a, const struct tfr_pixels *b, const char *what)
{
	for (uint32_t y = 0; y < a->height; y++)
		cr_assert_eq(memcmp((uint8_t *)a->data + y * a->stride,
				     (uint8_t *)b->data + y * b->stride,
				     a->width * a->channels * sizeof(float)),
			0, "%s, %u x %u x %u, row %u", what, a->width, a->height, a->channels, y);
}

/* Floats that are whole numbers become what bytes become, for which there is a reference. */
Test(pixels_resized, floats_as_bytes)
{
	struct tfr_resizer *r = tfr_resizer_new();
	struct tfr_rng rng;

	tfr_rng_init(&rng, 51, 0);
	for (int i = 0; i < 300; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 90), 1 + below(&rng, 40));
		struct made floats, a, b;
		uint32_t w = 1 + below(&rng, 90), h = 1 + below(&rng, 40);
		unsigned flags = below(&rng, 16);

		in.p.dtype = TFR_UINT8; /* the bytes of floats are bytes */
		floats = as_floats(&rng, &in.p);
		a = make_like(&rng, &in.p, w, h, TFR_FLOAT32);
		b = make_like(&rng, &in.p, w, h, TFR_FLOAT32);
		cr_assert_eq(tfr_pixels_resize_bilinear(r, &in.p, &a.p, flags, NULL), TFR_OK);
		cr_assert_eq(tfr_pixels_resize_bilinear(r, &floats.p, &b.p, flags, NULL), TFR_OK);
		expect_same(&a.p, &b.p, "bilinear");
		cr_assert_eq(tfr_pixels_resize_area(r, &in.p, &a.p, NULL), TFR_OK);
		cr_assert_eq(tfr_pixels_resize_area(r, &floats.p, &b.p, NULL), TFR_OK);
		expect_same(&a.p, &b.p, "area");
		free(in.memory);
		free_made(&floats);
		free_made(&a);
		free_made(&b);
	}
	tfr_resizer_free(r);
}

/* Any NaN is as good as another. */
static void expect_same_numbers(const struct tfr_pixels *a, const struct tfr_pixels *b)
{
	for (uint32_t y = 0; y < a->height; y++)
		for (uint32_t x = 0; x < a->width; x++)
			for (unsigned c = 0; c < a->channels; c++) {
				float v = sample(a, x, y, c), w = sample(b, x, y, c);

				cr_assert(!memcmp(&v, &w, sizeof(v)) || (isnan(v) && isnan(w)),
					"%a, not %a", (double)v, (double)w);
			}
}

/* Normalising floats that no image of 8 bits gives: large and small ones, and infinite ones. */
Test(pixels_resized, floats_of_any_size_normalised)
{
	struct tfr_resizer *r = tfr_resizer_new();
	struct tfr_rng rng;

	tfr_rng_init(&rng, 55, 0);
	for (int i = 0; i < 300; i++) {
		const struct tfr_pixels p = { .channels = 1 + below(&rng, 4) };
		uint32_t w = 1 + below(&rng, 60), h = 2 + below(&rng, 10);
		struct made in = make_like(&rng, &p, 1 + below(&rng, 60), h, TFR_FLOAT32),
			    fast = make_like(&rng, &p, w, h + 3, TFR_FLOAT32),
			    plain = make_like(&rng, &p, w, h + 3, TFR_FLOAT32);
		unsigned flags = TFR_RESIZE_NORMALISE | (i & 1 ? TFR_RESIZE_STREAM : 0);

		for (uint32_t y = 0; y < h; y++)
			for (uint32_t k = 0; k < in.p.width * p.channels; k++) {
				float *row =
					(float *)(void *)((uint8_t *)in.p.data + y * in.p.stride);

				row[k] = below(&rng, 9) ? ldexpf((float)tfr_rng_unit(&rng) - 0.5f,
								  (int)below(&rng, 270) - 140)
							: INFINITY;
			}
		cr_assert_eq(tfr_pixels_resize_bilinear(r, &in.p, &fast.p, flags, NULL), TFR_OK);
		cr_assert_eq(tfr_pixels_resize_bilinear(
				     r, &in.p, &plain.p, flags | TFR_RESIZE_PLAIN, NULL),
			TFR_OK);
		expect_same_numbers(&fast.p, &plain.p);
		free_made(&in);
		free_made(&fast);
		free_made(&plain);
	}
	tfr_resizer_free(r);
}

/* How much of [v, v + 1] lies in [from, to]. */
static double overlap(double v, double from, double to)
{
	return fmax(0, fmin(v + 1, to) - fmax(v, from));
}

/* The mean over the box, in double; the golden files have the bits. */
Test(pixels_resized, area_is_the_mean_of_a_box)
{
	struct tfr_resizer *r = tfr_resizer_new();
	struct tfr_rng rng;

	tfr_rng_init(&rng, 52, 0);
	for (int i = 0; i < 40; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 40), 1 + below(&rng, 40));
		struct made out = make_like(
			&rng, &in.p, 1 + below(&rng, 40), 1 + below(&rng, 40), TFR_FLOAT32);
		double fx = (double)in.p.width / out.p.width,
		       fy = (double)in.p.height / out.p.height;

		cr_assert_eq(tfr_pixels_resize_area(r, &in.p, &out.p, NULL), TFR_OK);
		for (uint32_t y = 0; y < out.p.height; y++)
			for (uint32_t x = 0; x < out.p.width; x++) {
				double sum = 0;

				for (uint32_t v = 0; v < in.p.height; v++)
					for (uint32_t u = 0; u < in.p.width; u++)
						sum += (double)sample(&in.p, u, v, 0) *
						       overlap(u, x * fx, (x + 1) * fx) *
						       overlap(v, y * fy, (y + 1) * fy);
				/* A box that ends on a pixel's border may round beyond it. */
				cr_assert_float_eq(sample(&out.p, x, y, 0), (float)(sum / fx / fy),
					5e-3f, "%u x %u to %u x %u at %u, %u: %g, not %g",
					in.p.width, in.p.height, out.p.width, out.p.height, x, y,
					(double)sample(&out.p, x, y, 0), sum / fx / fy);
			}
		free_made(&in);
		free_made(&out);
	}
	tfr_resizer_free(r);
}

/* The sample at a place, in double: 0 outside. */
static double at(const struct tfr_pixels *p, double x, double y, unsigned c)
{
	int64_t left = (int64_t)floor(x), top = (int64_t)floor(y);
	double sum = 0;

	for (int k = 0; k < 4; k++) {
		int64_t u = left + (k & 1), v = top + (k >> 1);

		if (u >= 0 && u < p->width && v >= 0 && v < p->height)
			sum += (double)sample(p, u, v, c) * (1 - fabs(x - (double)u)) *
			       (1 - fabs(y - (double)v));
	}
	return sum;
}

static bool near_a_half(double v)
{
	return fabs(v - floor(v) - 0.5) < 1e-3;
}

/* Where torchvision turns to: anticlockwise, about the middle. */
static void check_rotated(
	const struct made *in, const struct made *near, const struct made *soft, double degrees)
{
	double c = cos(degrees * M_PI / 180), s = sin(degrees * M_PI / 180);
	double mx = (in->p.width - 1) / 2.0, my = (in->p.height - 1) / 2.0;

	for (uint32_t y = 0; y < in->p.height; y++)
		for (uint32_t x = 0; x < in->p.width; x++) {
			double u = mx + (x - mx) * c - (y - my) * s,
			       v = my + (x - mx) * s + (y - my) * c;
			double nu = rint(u), nv = rint(v);
			bool inside = nu >= 0 && nu < in->p.width && nv >= 0 && nv < in->p.height;

			cr_assert_float_eq(sample(&soft->p, x, y, 0), (float)at(&in->p, u, v, 0),
				in->p.dtype == TFR_UINT8 ? 0.55f : 0.05f,
				"%g degrees, %u x %u at %u, %u: %g, not %g", degrees, in->p.width,
				in->p.height, x, y, (double)sample(&soft->p, x, y, 0),
				at(&in->p, u, v, 0));
			if (!near_a_half(u) && !near_a_half(v))
				cr_assert_eq(sample(&near->p, x, y, 0),
					inside ? sample(&in->p, (int64_t)nu, (int64_t)nv, 0) : 0,
					"%g degrees, %u x %u at %u, %u", degrees, in->p.width,
					in->p.height, x, y);
		}
}

Test(pixels_resized, rotated)
{
	struct tfr_rng rng;

#ifdef __x86_64__
	variant(tfr_rotate_avx2_usable(), "rotate", "avx2");
#endif
	tfr_rng_init(&rng, 53, 0);
	for (int i = 0; i < 200; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 70), 1 + below(&rng, 70));
		struct made near = make_like(&rng, &in.p, in.p.width, in.p.height, in.p.dtype),
			    soft = make_like(&rng, &in.p, in.p.width, in.p.height, in.p.dtype);
		double degrees = tfr_rng_unit(&rng) * 800 - 400;

		cr_assert_eq(
			tfr_pixels_rotate(&in.p, degrees, TFR_FILTER_NEAREST, NULL, &near.p, NULL),
			TFR_OK);
		cr_assert_eq(
			tfr_pixels_rotate(&in.p, degrees, TFR_FILTER_BILINEAR, NULL, &soft.p, NULL),
			TFR_OK);
		check_rotated(&in, &near, &soft, degrees);
		free_made(&in);
		free_made(&near);
		free_made(&soft);
	}
}

/* Images wide enough for the fast loop, by any angle, at any address. */
Test(pixels_resized, rotating_fast_is_rotating)
{
	const float fills[][4] = { { 10, 200, 77, 3 }, { -20.5f, 300, NAN, 1 } };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 54, 0);
	for (int i = 0; i < 400; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 100), 1 + below(&rng, 100));
		struct made fast = make_like(&rng, &in.p, in.p.width, in.p.height, in.p.dtype),
			    plain = make_like(&rng, &in.p, in.p.width, in.p.height, in.p.dtype);
		double degrees = i % 8 ? tfr_rng_unit(&rng) * 400 - 200 : 90 * (i % 5);
		const float *fill = i % 3 ? fills[i % 3 - 1] : NULL;
		size_t row = in.p.width * in.p.channels * tfr_dtype_size(in.p.dtype);

		if (in.p.dtype == TFR_FLOAT32 && i % 3 == 2)
			fill = NULL; /* which NaN a float is then is the processor's choice */
		cr_assert_eq(
			tfr_rotate(&in.p, degrees, TFR_FILTER_BILINEAR, fill, &fast.p, 0, NULL),
			TFR_OK);
		cr_assert_eq(tfr_rotate(&in.p, degrees, TFR_FILTER_BILINEAR, fill, &plain.p,
				     TFR_RESIZE_PLAIN, NULL),
			TFR_OK);
		for (uint32_t y = 0; y < in.p.height; y++)
			cr_assert_eq(memcmp((uint8_t *)fast.p.data + y * fast.p.stride,
					     (uint8_t *)plain.p.data + y * plain.p.stride, row),
				0, "%u x %u x %u of %s by %g degrees, fill %d, row %u", in.p.width,
				in.p.height, in.p.channels, tfr_dtype_name(in.p.dtype), degrees,
				i % 3, y);
		free_made(&in);
		free_made(&fast);
		free_made(&plain);
	}
}

Test(pixels_resized, what_cannot_be_is_refused)
{
	uint8_t bytes[12] = { 0 }, other[12];
	struct tfr_pixels in = tfr_pixels_dense(bytes, 2, 2, 3, TFR_UINT8),
			  out = tfr_pixels_dense(other, 2, 2, 3, TFR_UINT8);
	struct tfr_resizer *r = tfr_resizer_new();
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_pixels_rotate(&in, NAN, TFR_FILTER_NEAREST, NULL, &out, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_pixels_rotate(&in, 3, TFR_FILTER_AREA, NULL, &out, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "cannot rotate by 3 degrees with filter number 1");
	cr_assert_eq(tfr_pixels_resize_area(r, &in, &out, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_pixels_resize_bilinear(r, &in, &out, 0, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "cannot resize 2 x 2 x 3 of uint8 to 2 x 2 x 3 of uint8");
	tfr_resizer_free(r);
}
