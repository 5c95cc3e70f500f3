/* Pixels computed: each law said again on random images whose memory ends where they end. */
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

static float sample(const struct tfr_pixels *p, uint32_t x, uint32_t y, unsigned c)
{
	const uint8_t *row = (const uint8_t *)p->data + y * p->stride;
	size_t i = (size_t)x * p->channels + c;

	return p->dtype == TFR_UINT8 ? row[i] : ((const float *)(const void *)row)[i];
}

static bool same_bits(float a, float b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static unsigned any_flags(struct tfr_rng *rng)
{
	return (below(rng, 2) ? TFR_RESIZE_PLAIN : 0) | (below(rng, 2) ? TFR_RESIZE_STREAM : 0);
}

static void check_normalised(const struct tfr_pixels *in, const struct tfr_pixels *out,
	const float *mean, const float *std, const char *what)
{
	for (uint32_t y = 0; y < in->height; y++)
		for (uint32_t x = 0; x < in->width; x++)
			for (unsigned c = 0; c < in->channels; c++) {
				volatile float difference = sample(in, x, y, c) - mean[c];
				float want = difference / std[c], have = sample(out, x, y, c);

				cr_assert(same_bits(have, want),
					"%s, %u x %u x %u of %s at %u, %u: "
					"%.9g, not %.9g",
					what, in->width, in->height, in->channels,
					tfr_dtype_name(in->dtype), x, y, (double)have,
					(double)want);
			}
}

Test(pixels_computed, normalised)
{
	struct tfr_rng rng;

	tfr_rng_init(&rng, 31, 0);
	for (int i = 0; i < 400; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 140), 1 + below(&rng, 7));
		struct made out = make_like(&rng, &in.p, in.p.width, in.p.height, TFR_FLOAT32);
		float mean[4], std[4];

		for (int c = 0; c < 4; c++) {
			mean[c] = (float)(tfr_rng_unit(&rng) * 255);
			std[c] = (float)(tfr_rng_unit(&rng) * 100 + 0.01);
		}
		cr_assert_eq(tfr_pixels_normalise(&in.p, mean, std, &out.p, any_flags(&rng), NULL),
			TFR_OK);
		check_normalised(&in.p, &out.p, mean, std, "normalise");
		free_made(&in);
		free_made(&out);
	}
}

/* The law, in long double; what it gives is rounded to float once. */
static void moments(const struct tfr_pixels *p, float *mean, float *std)
{
	long double n = (long double)p->width * p->height * p->channels, sum = 0, squares = 0;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t y = 0; y < p->height; y++)
			for (uint32_t x = 0; x < p->width; x++)
				for (unsigned c = 0; c < p->channels; c++) {
					long double v = sample(p, x, y, c);

					if (pass)
						squares += (v - sum / n) * (v - sum / n);
					else
						sum += v;
				}
	*mean = (float)(sum / n);
	*std = fmaxf((float)sqrtl(squares / n), (float)(1 / sqrtl(n)));
}

Test(pixels_computed, standardised)
{
	struct tfr_rng rng;

	tfr_rng_init(&rng, 32, 0);
	for (int i = 0; i < 300; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 140), 1 + below(&rng, 7));
		struct made out = make_like(&rng, &in.p, in.p.width, in.p.height, TFR_FLOAT32);
		float mean, std, means[4], stds[4];

		moments(&in.p, &mean, &std);
		for (int c = 0; c < 4; c++) {
			means[c] = mean;
			stds[c] = std;
		}
		cr_assert_eq(tfr_pixels_standardise(&in.p, &out.p, any_flags(&rng), NULL), TFR_OK);
		check_normalised(&in.p, &out.p, means, stds, "standardise");
		if (in.p.dtype == TFR_FLOAT32) {
			cr_assert_eq(tfr_pixels_standardise(&in.p, &in.p, 0, NULL), TFR_OK);
			for (uint32_t y = 0; y < in.p.height; y++)
				cr_assert_eq(memcmp((uint8_t *)in.p.data + y * in.p.stride,
						     (uint8_t *)out.p.data + y * out.p.stride,
						     in.p.width * in.p.channels * sizeof(float)),
					0);
		}
		free_made(&in);
		free_made(&out);
	}
}

/* Of a large image of one colour nothing is left: the sums are exact. */
Test(pixels_computed, one_colour_is_its_own_mean)
{
	enum { W = 4000, H = 1000 };
	TFR_AUTO_FREE uint8_t *bytes = malloc(W * H);
	TFR_AUTO_FREE float *floats = malloc(W * H * sizeof(float));
	struct tfr_pixels in = tfr_pixels_dense(bytes, W, H, 1, TFR_UINT8),
			  out = tfr_pixels_dense(floats, W, H, 1, TFR_FLOAT32);

	memset(bytes, 255, W * H);
	for (unsigned flags = 0; flags <= TFR_RESIZE_PLAIN; flags += TFR_RESIZE_PLAIN) {
		cr_assert_eq(tfr_pixels_standardise(&in, &out, flags, NULL), TFR_OK);
		for (size_t i = 0; i < W * H; i++)
			cr_assert(floats[i] == 0);
	}
	bytes[0] = 254;
	for (unsigned flags = 0; flags <= TFR_RESIZE_PLAIN; flags += TFR_RESIZE_PLAIN) {
		cr_assert_eq(tfr_pixels_standardise(&in, &out, flags, NULL), TFR_OK);
		/* Mean and deviation of n - 1 times 255 and once 254. */
		cr_assert_float_eq(floats[1], 0, 1e-6);
		cr_assert_float_eq(floats[0], -(float)sqrt(W * H), 1, "%g", (double)floats[0]);
	}
}

/* What a number becomes, by division into places: no bits are moved. */
static double half_of(float v)
{
	double magnitude = fabs((double)v), place;
	int exponent;

	if (!isfinite(v))
		return (double)v;
	frexp(magnitude, &exponent);
	place = ldexp(1, exponent < -13 ? -24 : exponent - 11);
	magnitude = rint(magnitude / place) * place;
	return copysign(magnitude >= 65520 ? INFINITY : magnitude, (double)v);
}

static double value_of(uint16_t half)
{
	int exponent = half >> 10 & 31, fraction = half & 1023;
	double v = exponent == 31 ? (fraction ? NAN : INFINITY)
		   : exponent	  ? ldexp(1024 + fraction, exponent - 25)
				  : ldexp(fraction, -24);

	return half & 0x8000 ? -v : v;
}

static double number_at(const void *out, enum tfr_dtype dtype, size_t i)
{
	if (dtype == TFR_UINT8)
		return ((const uint8_t *)out)[i];
	if (dtype == TFR_FLOAT16)
		return value_of(((const uint16_t *)out)[i]);
	return (double)((const float *)out)[i];
}

static double as(float v, enum tfr_dtype dtype)
{
	if (dtype == TFR_UINT8)
		return rint(fmin(fmax((double)v, 0), 255));
	return dtype == TFR_FLOAT16 ? half_of(v) : (double)v;
}

static void check_converted(const struct tfr_pixels *in, enum tfr_dtype dtype,
	enum tfr_pixel_order order, const void *out, unsigned flags)
{
	size_t n = (size_t)in->width * in->height;

	for (uint32_t y = 0; y < in->height; y++)
		for (uint32_t x = 0; x < in->width; x++)
			for (unsigned c = 0; c < in->channels; c++) {
				size_t at = (size_t)y * in->width + x;
				double want = as(sample(in, x, y, c), dtype),
				       have = number_at(out, dtype,
					       order == TFR_CHW ? c * n + at
								: at * in->channels + c);

				cr_assert(have == want,
					"%u x %u x %u of %s to %s, order %d, flags %u, at %u, %u, "
					"%u: %.9g, not %.9g",
					in->width, in->height, in->channels,
					tfr_dtype_name(in->dtype), tfr_dtype_name(dtype), order,
					flags, x, y, c, have, want);
			}
}

Test(pixels_computed, converted)
{
	static const enum tfr_dtype types[] = { TFR_UINT8, TFR_FLOAT16, TFR_FLOAT32 };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 33, 0);
	for (int i = 0; i < 1500; i++) {
		struct made in =
			make_pixels(&rng, 1 + below(&rng, i % 10 ? 140 : 1300), 1 + below(&rng, 7));
		enum tfr_dtype dtype = types[below(&rng, 3)];
		enum tfr_pixel_order order = below(&rng, 2) ? TFR_CHW : TFR_HWC;
		unsigned flags = any_flags(&rng);
		size_t size = tfr_dtype_size(dtype),
		       n = (size_t)in.p.width * in.p.height * in.p.channels,
		       shift = below(&rng, 2) ? 0 : below(&rng, 17);
		TFR_AUTO_FREE uint8_t *out = malloc((n + shift) * size);

		cr_assert_eq(
			tfr_pixels_convert(&in.p, dtype, order, out + shift * size, flags, NULL),
			TFR_OK);
		check_converted(&in.p, dtype, order, out + shift * size, flags);
		free_made(&in);
	}
}

Test(pixels_computed, what_cannot_be_is_refused)
{
	uint8_t bytes[12] = { 0 };
	float floats[12], mean[3] = { 0 }, std[3] = { 1, 1, 0 };
	struct tfr_pixels in = tfr_pixels_dense(bytes, 2, 2, 3, TFR_UINT8),
			  out = tfr_pixels_dense(floats, 2, 2, 3, TFR_FLOAT32);
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_pixels_normalise(&in, mean, std, &out, 0, &err), TFR_EUSAGE);
	cr_assert_str_eq(
		err.message, "cannot normalise by a mean of 0 and a standard deviation of 0");
	std[2] = NAN;
	cr_assert_eq(tfr_pixels_normalise(&in, mean, std, &out, 0, &err), TFR_EUSAGE);
	std[2] = 1;
	mean[0] = INFINITY;
	cr_assert_eq(tfr_pixels_normalise(&in, mean, std, &out, 0, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_pixels_standardise(&in, &in, 0, &err), TFR_EUSAGE);
	cr_assert_str_eq(
		err.message, "cannot standardise 2 x 2 x 3 of uint8 to 2 x 2 x 3 of uint8");
	cr_assert_eq(tfr_pixels_convert(&in, TFR_INT64, TFR_HWC, floats, 0, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "cannot make pixels int64");
	in.width = 0;
	cr_assert_eq(tfr_pixels_convert(&in, TFR_UINT8, TFR_HWC, floats, 0, &err), TFR_EUSAGE);
}
