/* Pixels that are computed from several: each law said again on random images. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include <tfr-private/pixels.h>

#include "base/cleanup.h"
#include "base/rng.h"
#include "pixels.h"

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

Test(pixels_resized, what_cannot_be_is_refused)
{
	uint8_t bytes[12] = { 0 }, other[12];
	struct tfr_pixels in = tfr_pixels_dense(bytes, 2, 2, 3, TFR_UINT8),
			  out = tfr_pixels_dense(other, 2, 2, 3, TFR_UINT8);
	struct tfr_resizer *r = tfr_resizer_new();
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_pixels_resize_area(r, &in, &out, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_pixels_resize_bilinear(r, &in, &out, 0, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "cannot resize 2 x 2 x 3 of uint8 to 2 x 2 x 3 of uint8");
	tfr_resizer_free(r);
}
