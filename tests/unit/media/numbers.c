/* PNGs as the numbers they hold, and masks encoded. */
#include <criterion/criterion.h>
#include <png.h>
#include <string.h>

#include "base/rng.h"
#include "images.h"

enum { WIDTH = 37, HEIGHT = 29 };

static const struct {
	int type, depth;
} kinds[] = {
	{ PNG_COLOR_TYPE_GRAY, 1 },
	{ PNG_COLOR_TYPE_GRAY, 2 },
	{ PNG_COLOR_TYPE_GRAY, 4 },
	{ PNG_COLOR_TYPE_GRAY, 8 },
	{ PNG_COLOR_TYPE_PALETTE, 1 },
	{ PNG_COLOR_TYPE_PALETTE, 2 },
	{ PNG_COLOR_TYPE_PALETTE, 4 },
	{ PNG_COLOR_TYPE_PALETTE, 8 },
};

static void expect(const uint8_t *rows, int depth, uint8_t *numbers)
{
	unsigned bits = (unsigned)depth;
	size_t stride = (WIDTH * bits + 7) / 8;

	for (uint32_t y = 0; y < HEIGHT; y++)
		for (uint32_t x = 0; x < WIDTH; x++)
			*numbers++ = (uint8_t)(rows[y * stride + x * bits / 8] >>
						       (8 - bits - x * bits % 8) &
					       ((1u << bits) - 1));
}

Test(numbers, every_depth_of_gray_and_palette)
{
	const struct tfr_crop all = { 0, 0, WIDTH, HEIGHT };
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	uint8_t numbers[WIDTH * HEIGHT];
	struct tfr_error err = { 0 };
	struct tfr_image image;

	for (size_t i = 0; i < 2 * sizeof(kinds) / sizeof(*kinds); i++) {
		int type = kinds[i / 2].type, depth = kinds[i / 2].depth;
		TFR_AUTO_FREE uint8_t *rows = noise((size_t)WIDTH * HEIGHT, i);
		TFR_AUTO_BUF png = make_png(WIDTH, HEIGHT, depth, type, i % 2, rows);

		expect(rows, depth, numbers);
		cr_assert_eq(tfr_decode_numbers(d, png.data, png.size, &image, &err), TFR_OK, "%s",
			err.message);
		cr_assert(image.channels == 1 && same_pixels(&image, numbers, WIDTH, &all),
			"type %d depth %d", type, depth);
	}
	tfr_decoder_free(d);
}

Test(numbers, sixteen_bits_where_they_fit_eight)
{
	const struct tfr_crop all = { 0, 0, WIDTH, HEIGHT };
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	uint8_t numbers[WIDTH * HEIGHT], rows[WIDTH * HEIGHT * 2] = { 0 };
	TFR_AUTO_FREE uint8_t *any = noise(sizeof(numbers), 5);
	struct tfr_error err = { 0 };
	struct tfr_image image;

	for (size_t i = 0; i < sizeof(numbers); i++)
		rows[2 * i + 1] = numbers[i] = any[i];
	for (int interlaced = 0; interlaced < 2; interlaced++) {
		TFR_AUTO_BUF png =
			make_png(WIDTH, HEIGHT, 16, PNG_COLOR_TYPE_GRAY, interlaced, rows);

		cr_assert_eq(tfr_decode_numbers(d, png.data, png.size, &image, &err), TFR_OK);
		cr_assert(same_pixels(&image, numbers, WIDTH, &all));
	}
	rows[2 * 100] = 1;
	rows[2 * 100 + 1] = 44;
	TFR_AUTO_BUF png = make_png(WIDTH, HEIGHT, 16, PNG_COLOR_TYPE_GRAY, false, rows);
	cr_assert_eq(tfr_decode_numbers(d, png.data, png.size, &image, &err), TFR_EDATA);
	cr_assert_str_eq(err.message, "a 16-bit PNG with the number 300, over 255");
	tfr_decoder_free(d);
}

Test(numbers, what_is_not_one_number_a_pixel_is_refused)
{
	struct tfr_decoder *d = tfr_decoder_new(&(struct tfr_decoder_opts){ .max_bytes = 1000 });
	TFR_AUTO_FREE uint8_t *rows = noise(WIDTH * HEIGHT * 4, 1);
	TFR_AUTO_BUF rgb = make_png(WIDTH, HEIGHT, 8, PNG_COLOR_TYPE_RGB, false, rows);
	TFR_AUTO_BUF la = make_png(WIDTH, HEIGHT, 8, PNG_COLOR_TYPE_GRAY_ALPHA, false, rows);
	TFR_AUTO_BUF gray = make_png(WIDTH, HEIGHT, 8, PNG_COLOR_TYPE_GRAY, false, rows);
	TFR_AUTO_BUF jpeg = golden("gray.jpg");
	struct tfr_error err = { 0 };
	struct tfr_image image;

	cr_assert_eq(tfr_decode_numbers(d, rgb.data, rgb.size, &image, &err), TFR_EFORMAT);
	cr_assert_str_eq(err.message, "a PNG of 3 channels, not of one number a pixel");
	cr_assert_eq(tfr_decode_numbers(d, la.data, la.size, &image, &err), TFR_EFORMAT);
	cr_assert_eq(tfr_decode_numbers(d, jpeg.data, jpeg.size, &image, &err), TFR_EFORMAT);
	cr_assert_str_eq(err.message, "a jpeg image, not a png");
	cr_assert_eq(tfr_decode_numbers(d, gray.data, gray.size, &image, &err), TFR_EDATA);
	cr_assert_eq(tfr_decode_numbers(d, gray.data, gray.size / 2, &image, &err), TFR_EDATA);
	tfr_decoder_free(d);
}

static void check_written(const struct tfr_image *image)
{
	const struct tfr_encode_opts opts = { .format = TFR_IMAGE_PNG, .runs = true };
	const struct tfr_crop all = { 0, 0, image->width, image->height };
	struct tfr_encoder *e = tfr_encoder_new(), *other = tfr_encoder_new();
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	struct tfr_error err = { 0 };
	struct tfr_image_info info;
	const void *png, *again;
	struct tfr_image back;
	size_t n, m;

	cr_assert_eq(tfr_encode(e, image, &opts, &png, &n, &err), TFR_OK, "%s", err.message);
	cr_assert_eq(tfr_encode(other, image, &opts, &again, &m, &err), TFR_OK);
	cr_assert(n == m && !memcmp(png, again, n));
	cr_assert_eq(tfr_image_probe(png, n, &info, &err), TFR_OK);
	cr_assert(info.components == 1 && info.bit_depth == 8 && !info.progressive);
	cr_assert_eq(tfr_decode_numbers(d, png, n, &back, &err), TFR_OK);
	/* same_pixels() takes a dense image first. */
	cr_assert_eq(image->stride, image->width);
	cr_assert(same_pixels(&back, image->data, image->width, &all));
	tfr_encoder_free(e);
	tfr_encoder_free(other);
	tfr_decoder_free(d);
}

Test(numbers, masks_are_written_as_they_are)
{
	static const uint32_t sizes[][2] = { { 1, 1 }, { 1, 700 }, { 700, 1 }, { 255, 257 },
		{ 640, 480 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint32_t w = sizes[i][0], h = sizes[i][1];
		TFR_AUTO_FREE uint8_t *any = noise((size_t)w * h, i);
		TFR_AUTO_FREE uint8_t *runs = calloc(h, w);

		check_written(&(struct tfr_image){ any, w, w, h, 1 });
		memset(runs + w / 2, 1, ((size_t)w * h - w / 2) / 2);
		check_written(&(struct tfr_image){ runs, w, w, h, 1 });
	}
}
