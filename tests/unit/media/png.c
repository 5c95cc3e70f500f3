/* PNG in every colour type and depth, whole, by window and interlaced; damage and truncation. */
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
	{ PNG_COLOR_TYPE_GRAY, 16 },
	{ PNG_COLOR_TYPE_RGB, 8 },
	{ PNG_COLOR_TYPE_RGB, 16 },
	{ PNG_COLOR_TYPE_GRAY_ALPHA, 8 },
	{ PNG_COLOR_TYPE_GRAY_ALPHA, 16 },
	{ PNG_COLOR_TYPE_RGB_ALPHA, 8 },
	{ PNG_COLOR_TYPE_RGB_ALPHA, 16 },
};

static const unsigned samples_of[7] = { 1, 0, 3, 1, 2, 0, 4 };

/* Sample `s` of pixel (x, y) as 8 bits, from the rows handed to the encoder. */
static uint8_t stored(const uint8_t *rows, int type, int depth, uint32_t x, uint32_t y, unsigned s)
{
	unsigned n = samples_of[type], bits = (unsigned)depth;
	size_t stride = (WIDTH * n * bits + 7) / 8;
	const uint8_t *row = rows + y * stride;

	if (depth >= 8)
		return row[(x * n + s) * (bits / 8)]; /* the high byte of 16 comes first */
	return (uint8_t)((row[x * bits / 8] >> (8 - bits - x * bits % 8) & ((1u << bits) - 1)) *
			 255 / ((1u << bits) - 1));
}

static void expect_rgb(const uint8_t *rows, int type, int depth, uint8_t *rgb)
{
	bool colour = type & PNG_COLOR_MASK_COLOR;

	for (uint32_t y = 0; y < HEIGHT; y++)
		for (uint32_t x = 0; x < WIDTH; x++)
			for (unsigned c = 0; c < 3; c++)
				*rgb++ = stored(rows, type, depth, x, y, colour ? c : 0);
}

static void check_kind(struct tfr_decoder *d, int type, int depth, bool interlaced)
{
	const struct tfr_crop windows[] = { { 0, 0, WIDTH, HEIGHT }, { 5, 7, 20, 11 },
		{ 36, 28, 1, 1 }, { 0, 0, 1, HEIGHT }, { 9, 0, 28, 3 } };
	TFR_AUTO_FREE uint8_t *rows =
		noise((size_t)WIDTH * HEIGHT * 8, (uint64_t)(type * 32 + depth));
	TFR_AUTO_BUF png = make_png(WIDTH, HEIGHT, depth, type, interlaced, rows);
	uint8_t rgb[WIDTH * HEIGHT * 3];
	struct tfr_error err = { 0 };
	struct tfr_image image;

	expect_rgb(rows, type, depth, rgb);
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		cr_assert_eq(tfr_decode(d, png.data, png.size, &windows[i], 3, &image, &err),
			TFR_OK, "%s", err.message);
		cr_assert(same_pixels(&image, rgb, WIDTH, &windows[i]),
			"type %d depth %d window %zu interlaced %d", type, depth, i, interlaced);
	}
}

Test(png, every_kind_whole_by_window_and_interlaced)
{
	struct tfr_decoder *d = tfr_decoder_new(NULL);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		check_kind(d, kinds[i].type, kinds[i].depth, false);
		check_kind(d, kinds[i].type, kinds[i].depth, true);
	}
	tfr_decoder_free(d);
}

Test(png, every_cut_is_an_error)
{
	const struct tfr_crop corner = { 0, 0, 2, 2 };
	TFR_AUTO_FREE uint8_t *rows = noise(WIDTH * HEIGHT * 3, 1);
	TFR_AUTO_BUF png = make_png(WIDTH, HEIGHT, 8, PNG_COLOR_TYPE_RGB, false, rows);
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	struct tfr_image image;
	struct tfr_error err = { 0 };

	for (size_t n = 0; n < png.size; n++) {
		TFR_AUTO_FREE uint8_t *cut = malloc(n + !n);

		memcpy(cut, png.data, n);
		cr_assert_neq(tfr_decode(d, cut, n, NULL, 3, &image, &err), TFR_OK,
			"%zu of %zu bytes", n, png.size);
		cr_assert_neq(tfr_decode(d, cut, n, &corner, 3, &image, &err), TFR_OK,
			"%zu of %zu bytes", n, png.size);
	}
	cr_assert_str_eq(err.message, "truncated PNG: no IEND chunk");
	cr_assert_eq(tfr_decode(d, png.data, png.size, NULL, 3, &image, &err), TFR_OK);
	tfr_decoder_free(d);
}

/* Any byte of a minimal file turned over is an error: length, type, content or checksum of a
 * critical chunk. */
Test(png, every_turned_byte_is_an_error)
{
	TFR_AUTO_FREE uint8_t *rows = noise(WIDTH * HEIGHT, 1);
	TFR_AUTO_BUF png = make_png(WIDTH, HEIGHT, 8, PNG_COLOR_TYPE_GRAY, false, rows);
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	struct tfr_image image;

	for (size_t i = 0; i < png.size; i++) {
		png.data[i] ^= 0x10;
		cr_assert_neq(tfr_decode(d, png.data, png.size, NULL, 3, &image, NULL), TFR_OK,
			"byte %zu of %zu", i, png.size);
		png.data[i] ^= 0x10;
	}
	tfr_decoder_free(d);
}

Test(png, absurd_sizes_are_refused_before_memory_is_taken)
{
	TFR_AUTO_FREE uint8_t *rows = calloc(1, 60000);
	TFR_AUTO_BUF png = make_png(20000, 1, 8, PNG_COLOR_TYPE_RGB, false, rows);
	struct tfr_decoder *d = tfr_decoder_new(&(struct tfr_decoder_opts){ .max_bytes = 59999 });
	struct tfr_image image;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_decode(d, png.data, png.size, NULL, 3, &image, &err), TFR_EDATA);
	cr_assert(strstr(err.message, "20000 x 1"), "%s", err.message);
	tfr_decoder_free(d);
}

/* The last row of an image that is too large to be kept proves every row before it. */
Test(png, the_last_row_alone_reads_the_whole_image)
{
	const struct tfr_crop last = { 0, 39, 50, 1 };
	TFR_AUTO_FREE uint8_t *rows = calloc(40, 150);
	TFR_AUTO_BUF png = make_png(50, 40, 8, PNG_COLOR_TYPE_RGB, false, rows);
	struct tfr_decoder *d = tfr_decoder_new(&(struct tfr_decoder_opts){ .max_bytes = 150 });
	struct tfr_image image;

	cr_assert_eq(tfr_decode(d, png.data, png.size, NULL, 3, &image, NULL), TFR_EDATA);
	cr_assert_eq(tfr_decode(d, png.data, png.size, &last, 3, &image, NULL), TFR_OK);
	cr_assert_eq(tfr_decode_verify(d, png.data, png.size, NULL), TFR_OK);
	for (size_t i = 8; i < png.size; i++) {
		png.data[i] ^= 0x10;
		cr_assert_neq(tfr_decode_verify(d, png.data, png.size, NULL), TFR_OK,
			"byte %zu of %zu", i, png.size);
		png.data[i] ^= 0x10;
	}
	tfr_decoder_free(d);
}
