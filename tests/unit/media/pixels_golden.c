/* What TensorFlow and torchvision make of the same pixels (tests/data/make-pixels-golden.py): A is
 * rgb.png, F is A / 2 - 3 in float32. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tfr-private/pixels.h>

#include "images.h"

enum { W = 33, H = 25, SAMPLES = W * H * 3 };

static uint8_t a[SAMPLES];
static float f[SAMPLES];
static const struct tfr_pixels A = { a, W * 3, W, H, 3, TFR_UINT8 },
			       F = { f, W * 3 * sizeof(float), W, H, 3, TFR_FLOAT32 };

static void load(void)
{
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	TFR_AUTO_BUF file = golden("rgb.png");
	struct tfr_image image;

	cr_assert_eq(tfr_decode(d, file.data, file.size, NULL, 3, &image, NULL), TFR_OK);
	cr_assert(image.width == W && image.height == H);
	for (size_t y = 0; y < H; y++)
		memcpy(a + y * W * 3, image.data + y * image.stride, W * 3);
	for (size_t i = 0; i < SAMPLES; i++)
		f[i] = (float)a[i] / 2 - 3;
	tfr_decoder_free(d);
}

TestSuite(pixels_golden, .init = load);

/* A golden file read from the front. */
struct wanted {
	struct tfr_buf file;
	size_t at;
};

/* Room for the next image of the file. */
static struct tfr_pixels room(const struct wanted *w, uint32_t width, uint32_t height,
	unsigned channels, enum tfr_dtype dtype)
{
	size_t n = (size_t)width * height * channels * tfr_dtype_size(dtype);

	cr_assert_leq(w->at + n, w->file.size, "the golden file ends at %zu", w->file.size);
	return tfr_pixels_dense(malloc(n), width, height, channels, dtype);
}

/* Fails unless `p` is the next image of the file, and frees it. */
static void check_next(struct wanted *w, const struct tfr_pixels *p, const char *what)
{
	size_t n = p->stride * p->height;
	const uint8_t *have = p->data, *want = w->file.data + w->at;

	for (size_t i = 0; i < n; i++)
		cr_assert_eq(have[i], want[i], "%s, %u x %u x %u: byte %zu is %u, not %u", what,
			p->width, p->height, p->channels, i, have[i], want[i]);
	w->at += n;
	free(p->data);
}

static void check_end(struct wanted *w)
{
	cr_assert_eq(w->at, w->file.size, "%zu bytes of %zu", w->at, w->file.size);
	tfr_buf_clear(&w->file);
}

Test(pixels_golden, padded_and_cropped)
{
	static const uint32_t sizes[][2] = { { 40, 20 }, { 20, 40 }, { 50, 51 }, { 10, 11 },
		{ W, H } };
	struct wanted w = { golden("pad.u8"), 0 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct tfr_pixels out = room(&w, sizes[i][0], sizes[i][1], 3, TFR_UINT8);

		cr_assert_eq(tfr_pixels_pad(&A, &out, NULL), TFR_OK);
		check_next(&w, &out, "pad");
	}
	check_end(&w);
}

Test(pixels_golden, reflected)
{
	struct wanted w = { golden("reflect.u8"), 0 };
	struct tfr_pixels out = room(&w, W + 14, H + 14, 3, TFR_UINT8);

	cr_assert_eq(tfr_pixels_pad_reflect(&A, 7, &out, NULL), TFR_OK);
	check_next(&w, &out, "reflect");
	check_end(&w);
}

Test(pixels_golden, flipped)
{
	struct wanted w = { golden("flips.u8"), 0 };
	struct tfr_pixels out = room(&w, W, H, 3, TFR_UINT8);

	cr_assert_eq(tfr_pixels_mirror(&A, &out, 0, NULL), TFR_OK);
	check_next(&w, &out, "mirror");
	out = room(&w, W, H, 3, TFR_UINT8);
	cr_assert_eq(tfr_pixels_flip(&A, &out, NULL), TFR_OK);
	check_next(&w, &out, "flip");
	check_end(&w);
}

/* A window's pixels are made dense by padding them to their own size. */
Test(pixels_golden, five_windows)
{
	static const uint32_t sizes[][2] = { { 30, 20 }, { 32, 22 }, { 5, 6 }, { W, H } };
	struct wanted w = { golden("five.u8"), 0 };
	uint8_t red[W * H];
	struct tfr_pixels in = tfr_pixels_dense(red, W, H, 1, TFR_UINT8), part;

	for (size_t i = 0; i < W * H; i++)
		red[i] = a[3 * i];
	for (size_t i = 0; i < 4; i++) {
		struct tfr_crop crops[5];

		cr_assert_eq(tfr_five_crop(W, H, sizes[i][0], sizes[i][1], crops, NULL), TFR_OK);
		for (int k = 0; k < 5; k++) {
			struct tfr_pixels out = room(&w, sizes[i][0], sizes[i][1], 1, TFR_UINT8);

			cr_assert_eq(tfr_pixels_window(&in, &crops[k], &part, NULL), TFR_OK);
			cr_assert_eq(tfr_pixels_pad(&part, &out, NULL), TFR_OK);
			check_next(&w, &out, "five windows");
		}
	}
	check_end(&w);
}

Test(pixels_golden, normalised)
{
	const float mean[3] = { 123.675f, 116.28f, 103.53f }, std[3] = { 58.395f, 57.12f, 57.375f };

	for (unsigned flags = 0; flags <= TFR_RESIZE_PLAIN; flags += TFR_RESIZE_STREAM) {
		struct wanted w = { golden("normalise.f32"), 0 };
		struct tfr_pixels out = room(&w, W, H, 3, TFR_FLOAT32);

		cr_assert_eq(tfr_pixels_normalise(&A, mean, std, &out, flags, NULL), TFR_OK);
		check_next(&w, &out, "8 bits");
		out = room(&w, W, H, 3, TFR_FLOAT32);
		cr_assert_eq(tfr_pixels_normalise(&F, mean, std, &out, flags, NULL), TFR_OK);
		check_next(&w, &out, "float32");
		check_end(&w);
	}
}

/* TensorFlow's sums are rounded at every step: the header says how far that takes them. */
Test(pixels_golden, standardised)
{
	uint8_t one_colour[SAMPLES];
	const struct tfr_pixels in[3] = { A, F, tfr_pixels_dense(one_colour, W, H, 3, TFR_UINT8) };
	struct wanted w = { golden("standardise.f32"), 0 };
	double most = 0;

	memset(one_colour, 200, sizeof(one_colour));
	for (int k = 0; k < 3; k++) {
		struct tfr_pixels out = room(&w, W, H, 3, TFR_FLOAT32);
		const float *want = (const void *)(w.file.data + w.at), *have = out.data;
		float largest = 0;

		cr_assert_eq(tfr_pixels_standardise(&in[k], &out, 0, NULL), TFR_OK);
		for (size_t i = 0; i < SAMPLES; i++)
			largest = fmaxf(largest, fabsf(want[i]));
		for (size_t i = 0; i < SAMPLES; i++) {
			double off = fabs((double)have[i] - (double)want[i]);

			cr_assert_leq(off, 2e-6 * (double)largest, "%d: %zu is %.9g, not %.9g", k,
				i, (double)have[i], (double)want[i]);
			most = off > most ? off : most;
		}
		w.at += SAMPLES * sizeof(float);
		free(out.data);
	}
	cr_log_info("at most %g off", most);
	check_end(&w);
}

static void check_cast(
	const struct tfr_buf *numbers, const char *name, enum tfr_dtype dtype, unsigned flags)
{
	size_t n = numbers->size / sizeof(float), size = n * tfr_dtype_size(dtype);
	struct tfr_pixels in = tfr_pixels_dense(numbers->data, (uint32_t)n, 1, 1, TFR_FLOAT32);
	TFR_AUTO_BUF want = golden(name);
	TFR_AUTO_FREE uint8_t *out = malloc(size);
	size_t width = tfr_dtype_size(dtype);

	cr_assert_eq(want.size, size);
	cr_assert_eq(tfr_pixels_convert(&in, dtype, TFR_HWC, out, flags, NULL), TFR_OK);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(memcmp(out + i * width, want.data + i * width, width), 0,
			"%s: %a becomes %02x%02x, not %02x%02x", name,
			(double)((const float *)(const void *)numbers->data)[i],
			out[i * width + width - 1], out[i * width],
			want.data[i * width + width - 1], want.data[i * width]);
}

Test(pixels_golden, casts)
{
	TFR_AUTO_BUF numbers = golden("cast.f32");

	for (unsigned flags = 0; flags <= TFR_RESIZE_PLAIN; flags += TFR_RESIZE_PLAIN) {
		check_cast(&numbers, "cast.f16", TFR_FLOAT16, flags);
		check_cast(&numbers, "cast.u8", TFR_UINT8, flags);
	}
}

static void alpha(uint8_t *rgba)
{
	for (size_t i = 0; i < W * H; i++) {
		memcpy(rgba + 4 * i, a + 3 * i, 3);
		rgba[4 * i + 3] = (uint8_t)(255 - a[3 * i]);
	}
}

static const uint32_t areas[][2] = { { 16, 12 }, { 7, 9 }, { 1, 1 }, { 40, 31 }, { W, 8 } };

Test(pixels_golden, resized_by_area)
{
	struct tfr_resizer *r = tfr_resizer_new();
	struct wanted w = { golden("area.f32"), 0 };
	uint8_t red[W * H], rgba[W * H * 4];
	const struct tfr_pixels in[4] = { A, tfr_pixels_dense(red, W, H, 1, TFR_UINT8),
		tfr_pixels_dense(rgba, W, H, 4, TFR_UINT8), F };

	for (size_t i = 0; i < W * H; i++)
		red[i] = a[3 * i];
	alpha(rgba);
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < (k ? 2 : 5); i++) {
			struct tfr_pixels out =
				room(&w, areas[i][0], areas[i][1], in[k].channels, TFR_FLOAT32);

			cr_assert_eq(tfr_pixels_resize_area(r, &in[k], &out, NULL), TFR_OK);
			check_next(&w, &out, "area");
		}
	check_end(&w);
	tfr_resizer_free(r);
}

Test(pixels_golden, floats_resized)
{
	for (unsigned flags = 0; flags <= TFR_RESIZE_PLAIN; flags += TFR_RESIZE_PLAIN) {
		struct tfr_resizer *r = tfr_resizer_new();
		struct wanted w = { golden("bilinear.f32"), 0 };

		for (int i = 0; i < 4; i++) {
			struct tfr_pixels out = room(&w, areas[i][0], areas[i][1], 3, TFR_FLOAT32);

			cr_assert_eq(tfr_pixels_resize_bilinear(r, &F, &out, flags, NULL), TFR_OK);
			check_next(&w, &out, "bilinear");
		}
		check_end(&w);
		tfr_resizer_free(r);
	}
}

static void check_rotated(
	struct wanted *w, const struct tfr_pixels *in, const double *angles, size_t n)
{
	static const float fill[3] = { 10, 200, 77 };

	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 4; k++) {
			struct tfr_pixels out = room(w, in->width, in->height, 3, in->dtype);
			char what[32];

			snprintf(what, sizeof(what), "%g degrees, %d", angles[i], k);
			cr_assert_eq(tfr_pixels_rotate(in, angles[i],
					     k < 2 ? TFR_FILTER_NEAREST : TFR_FILTER_BILINEAR,
					     k & 1 ? fill : NULL, &out, NULL),
				TFR_OK);
			check_next(w, &out, what);
		}
	check_end(w);
}

Test(pixels_golden, rotated)
{
	const double angles[] = { 30, -45.5, 90, 180, 0, 7.25 };
	struct wanted u8 = { golden("rotate.u8"), 0 }, f32 = { golden("rotate.f32"), 0 };
	struct tfr_pixels part;

	check_rotated(&u8, &A, angles, 6);
	cr_assert_eq(
		tfr_pixels_window(&F, &(struct tfr_crop){ 0, 0, 15, 12 }, &part, NULL), TFR_OK);
	check_rotated(&f32, &part, angles, 2);
}
