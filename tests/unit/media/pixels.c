/* Pixels moved: where each one goes, said again without any of the library's code, on random
 * images whose memory ends where they end. */
#include <criterion/criterion.h>
#include <string.h>

#include <tfr-private/pixels.h>

#include "base/rng.h"
#include "images.h"
#include "pixels.h"

static uint32_t below(struct tfr_rng *rng, uint32_t n)
{
	return (uint32_t)tfr_rng_below(rng, n);
}

/* Fails unless pixel x, y of `out` is pixel fx, fy of `in`; fx < 0: zeros. */
static void same(const struct tfr_pixels *out, uint32_t x, uint32_t y, const struct tfr_pixels *in,
	int64_t fx, int64_t fy)
{
	static const uint8_t zeros[16];
	size_t n = out->channels * tfr_dtype_size(out->dtype);
	const uint8_t *want = zeros;

	if (fx >= 0)
		want = (const uint8_t *)in->data + (size_t)fy * in->stride + (size_t)fx * n;
	cr_assert_eq(memcmp((const uint8_t *)out->data + y * out->stride + x * n, want, n), 0,
		"%u x %u x %u of %s to %u x %u, at %u, %u", in->width, in->height, in->channels,
		tfr_dtype_name(in->dtype), out->width, out->height, x, y);
}

Test(pixels, mirrored_and_flipped)
{
	struct tfr_rng rng;

	tfr_rng_init(&rng, 21, 0);
	for (int i = 0; i < 400; i++) {
		unsigned flags = i & 1 ? TFR_RESIZE_PLAIN : 0;
		struct made in = make_pixels(&rng, 1 + below(&rng, 150), 1 + below(&rng, 9));
		struct made mirrored = make_like(&rng, &in.p, in.p.width, in.p.height, in.p.dtype),
			    flipped = make_like(&rng, &in.p, in.p.width, in.p.height, in.p.dtype);
		uint32_t w = in.p.width, h = in.p.height;

		cr_assert_eq(tfr_pixels_mirror(&in.p, &mirrored.p, flags, NULL), TFR_OK);
		cr_assert_eq(tfr_pixels_flip(&in.p, &flipped.p, NULL), TFR_OK);
		for (uint32_t y = 0; y < h; y++)
			for (uint32_t x = 0; x < w; x++) {
				same(&mirrored.p, x, y, &in.p, w - 1 - x, y);
				same(&flipped.p, x, y, &in.p, x, h - 1 - y);
			}
		/* In place, and back. */
		cr_assert_eq(tfr_pixels_mirror(&mirrored.p, &mirrored.p, flags, NULL), TFR_OK);
		cr_assert_eq(tfr_pixels_flip(&flipped.p, &flipped.p, NULL), TFR_OK);
		for (uint32_t y = 0; y < h; y++)
			for (uint32_t x = 0; x < w; x++) {
				same(&mirrored.p, x, y, &in.p, x, y);
				same(&flipped.p, x, y, &in.p, x, y);
			}
		free_made(&in);
		free_made(&mirrored);
		free_made(&flipped);
	}
}

/* Bounces off the first and the last pixel. */
static int64_t bounce(int64_t i, int64_t n)
{
	i = i < 0 ? -i : i;
	return i < n ? i : 2 * (n - 1) - i;
}

Test(pixels, reflected_at_the_edges)
{
	struct tfr_rng rng;

	tfr_rng_init(&rng, 22, 0);
	for (int i = 0; i < 200; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 60), 1 + below(&rng, 60));
		uint32_t w = in.p.width, h = in.p.height, n = below(&rng, w < h ? w : h);
		struct made out = make_like(&rng, &in.p, w + 2 * n, h + 2 * n, in.p.dtype);

		cr_assert_eq(tfr_pixels_pad_reflect(&in.p, n, &out.p, NULL), TFR_OK);
		for (uint32_t y = 0; y < out.p.height; y++)
			for (uint32_t x = 0; x < out.p.width; x++)
				same(&out.p, x, y, &in.p, bounce((int64_t)x - n, w),
					bounce((int64_t)y - n, h));
		free_made(&in);
		free_made(&out);
	}
}

/* floor((to - from) / 2), or what of it is negative: tf.image.resize_with_crop_or_pad's offsets. */
static int64_t offset(int64_t from, int64_t to)
{
	return to >= from ? (to - from) / 2 : -((from - to) / 2);
}

Test(pixels, centred_in_another_size)
{
	struct tfr_rng rng;

	tfr_rng_init(&rng, 23, 0);
	for (int i = 0; i < 300; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 40), 1 + below(&rng, 40));
		int64_t w = in.p.width, h = in.p.height;
		struct made out = make_like(
			&rng, &in.p, 1 + below(&rng, 60), 1 + below(&rng, 60), in.p.dtype);

		cr_assert_eq(tfr_pixels_pad(&in.p, &out.p, NULL), TFR_OK);
		for (uint32_t y = 0; y < out.p.height; y++)
			for (uint32_t x = 0; x < out.p.width; x++) {
				int64_t fx = x - offset(w, out.p.width),
					fy = y - offset(h, out.p.height);

				same(&out.p, x, y, &in.p,
					fx >= 0 && fx < w && fy >= 0 && fy < h ? fx : -1, fy);
			}
		free_made(&in);
		free_made(&out);
	}
}

Test(pixels, nearest_is_that_of_scaling)
{
	struct tfr_scaler *s = tfr_scaler_new();
	struct tfr_rng rng;

	tfr_rng_init(&rng, 24, 0);
	for (int i = 0; i < 200; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 700), 1 + below(&rng, 30));
		struct made out = make_like(
			&rng, &in.p, 1 + below(&rng, 1100), 1 + below(&rng, 20), in.p.dtype);
		struct tfr_image numbers = { NULL, in.p.width, in.p.width, in.p.height, 1 }, scaled;
		struct tfr_image rows = { NULL, 1, 1, in.p.height, 1 };
		TFR_AUTO_FREE uint8_t *x_of = calloc(in.p.height, in.p.width);
		TFR_AUTO_FREE uint8_t *y_of = calloc(in.p.height, 1);

		/* Columns and rows numbered, modulo 256: enough to tell a neighbour. */
		for (uint32_t k = 0; k < in.p.width * in.p.height; k++)
			x_of[k] = (uint8_t)(k % in.p.width);
		for (uint32_t k = 0; k < in.p.height; k++)
			y_of[k] = (uint8_t)k;
		cr_assert_eq(tfr_pixels_resize_nearest(&in.p, &out.p, NULL), TFR_OK);
		rows.data = y_of;
		cr_assert_eq(
			tfr_scale(s, &rows, 1, out.p.height, TFR_FILTER_NEAREST, 0, &scaled, NULL),
			TFR_OK);
		TFR_AUTO_FREE uint8_t *fy = malloc(out.p.height);
		memcpy(fy, scaled.data, out.p.height);
		numbers.data = x_of;
		cr_assert_eq(tfr_scale(s, &numbers, out.p.width, 1, TFR_FILTER_NEAREST, 0, &scaled,
				     NULL),
			TFR_OK);
		for (uint32_t x = 0; x < out.p.width; x++) {
			/* The column nearest to x among those with this number. */
			int64_t near = (int64_t)x * in.p.width / out.p.width;
			int64_t fx = near + (int8_t)(uint8_t)(scaled.data[x] - near);

			for (uint32_t y = 0; y < out.p.height; y++)
				same(&out.p, x, y, &in.p, fx, fy[y]);
		}
		free_made(&in);
		free_made(&out);
	}
	tfr_scaler_free(s);
}

static void check_cut(const struct made *in, const struct made *out, const struct tfr_crop *w,
	const uint8_t *colour)
{
	size_t n = in->p.channels * tfr_dtype_size(in->p.dtype);

	for (uint32_t y = 0; y < in->p.height; y++)
		for (uint32_t x = 0; x < in->p.width; x++)
			if (x - w->x < w->width && y - w->y < w->height)
				cr_assert_eq(
					memcmp((uint8_t *)out->p.data + y * out->p.stride + x * n,
						colour, n),
					0);
			else
				same(&out->p, x, y, &in->p, x, y);
}

Test(pixels, cut_out)
{
	const float fill[4] = { 1.5f, -3, 300, 2.5f };
	const uint8_t bytes[4] = { 2, 0, 255, 2 }, zeros[16] = { 0 };
	struct tfr_rng rng;

	tfr_rng_init(&rng, 25, 0);
	for (int i = 0; i < 300; i++) {
		struct made in = make_pixels(&rng, 1 + below(&rng, 40), 1 + below(&rng, 40));
		struct made out = make_like(&rng, &in.p, in.p.width, in.p.height, in.p.dtype);
		struct tfr_draw draw = { .record = (uint64_t)i };
		struct tfr_crop w;

		tfr_random_cutout(&draw, in.p.width, in.p.height, below(&rng, 50), &w);
		cr_assert_eq(tfr_pixels_pad(&in.p, &out.p, NULL), TFR_OK);
		cr_assert_eq(tfr_pixels_cutout(&out.p, &w, i & 1 ? fill : NULL, NULL), TFR_OK);
		check_cut(&in, &out, &w,
			!(i & 1)		  ? zeros
			: in.p.dtype == TFR_UINT8 ? bytes
						  : (const uint8_t *)fill);
		free_made(&in);
		free_made(&out);
	}
}

Test(pixels, a_window_moves_nothing)
{
	float samples[4 * 3 * 2];
	struct tfr_pixels in = tfr_pixels_dense(samples, 4, 3, 2, TFR_FLOAT32), part;
	const struct tfr_crop bad[] = { { 0, 0, 5, 1 }, { 1, 0, 4, 1 }, { 4, 0, 1, 1 },
		{ 0, 0, 0, 1 }, { 0, 3, 1, 1 }, { 0, 1, 1, UINT32_MAX } };
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_pixels_window(&in, &(struct tfr_crop){ 1, 2, 3, 1 }, &part, NULL), TFR_OK);
	cr_assert(part.data == samples + 2 * 8 + 2 && part.stride == 32 && part.width == 3 &&
		  part.height == 1 && part.channels == 2 && part.dtype == TFR_FLOAT32);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_assert_eq(tfr_pixels_window(&in, &bad[i], &part, &err), TFR_EUSAGE, "%zu", i);
	cr_assert_str_eq(err.message,
		"a window of 1 x 4294967295 at 0, 1 does not lie in an image of 4 x 3");
}

Test(pixels, what_does_not_fit_is_refused)
{
	uint8_t a[4 * 5 * 3], b[sizeof(a) * 4] = { 0 };
	struct tfr_pixels in = tfr_pixels_dense(a, 5, 4, 3, TFR_UINT8),
			  good = tfr_pixels_dense(b, 5, 4, 3, TFR_UINT8), out[5];
	struct tfr_error err = { 0 };

	for (int i = 0; i < 5; i++)
		out[i] = good;
	out[0].width = 4;
	out[1].dtype = TFR_FLOAT16;
	out[2].channels = 1;
	out[3].stride = 14;
	out[4].data = NULL;
	for (int i = 0; i < 5; i++) {
		cr_assert_eq(tfr_pixels_mirror(&in, &out[i], 0, &err), TFR_EUSAGE, "%d", i);
		cr_assert_eq(tfr_pixels_flip(&in, &out[i], &err), TFR_EUSAGE, "%d", i);
	}
	cr_assert_eq(tfr_pixels_mirror(&in, &out[0], 0, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "cannot mirror 5 x 4 x 3 of uint8 to 4 x 4 x 3 of uint8");
	cr_assert_eq(tfr_pixels_pad_reflect(&in, 4, &good, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "4 pixels of reflection around an image of 5 x 4");
	cr_assert_eq(tfr_pixels_pad_reflect(&in, 1, &good, &err), TFR_EUSAGE);
	in.channels = 5;
	cr_assert_eq(tfr_pixels_pad(&in, &good, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "cannot pad 5 x 4 x 5 of uint8");
	cr_assert_eq(
		tfr_pixels_cutout(&in, &(struct tfr_crop){ 0, 0, 1, 1 }, NULL, &err), TFR_EUSAGE);
	in.channels = 3;
	cr_assert_eq(
		tfr_pixels_cutout(&in, &(struct tfr_crop){ 0, 0, 6, 1 }, NULL, &err), TFR_EUSAGE);
	in.height = 0;
	cr_assert_eq(tfr_pixels_resize_nearest(&in, &good, &err), TFR_EUSAGE);
}
