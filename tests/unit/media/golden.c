/* The samples TensorFlow decodes and the floats it resizes to, bit for bit
 * (tests/data/make-media-golden.py). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "images.h"

enum { WIDTH = 33, HEIGHT = 25 };

static const struct {
	const char *name;
	unsigned channels[3]; /* asked for; 9: no more */
} decoded[] = {
	{ "444.jpg", { 3, 9 } },
	{ "422.jpg", { 3, 9 } },
	{ "420.jpg", { 3, 1, 9 } },
	{ "progressive.jpg", { 3, 9 } },
	{ "gray.jpg", { 0, 3, 9 } },
	{ "cmyk.jpg", { 0, 3, 9 } },
	{ "rgb.png", { 3, 4, 1 } },
	{ "rgba.png", { 0, 3, 9 } },
	{ "la.png", { 0, 3, 9 } },
	{ "palette.png", { 0, 1, 9 } },
	{ "palette-trns.png", { 0, 3, 9 } },
	{ "bit.png", { 0, 3, 9 } },
	{ "gray-trns.png", { 0, 3, 4 } },
	{ "rgb16.png", { 3, 9 } },
	{ "gray16.png", { 0, 3, 9 } },
	{ "long-trns.png", { 0, 3, 4 } },
	{ "rgb.bmp", { 0, 3, 4 } },
	{ "rgba.bmp", { 0, 3, 4 } },
	{ "top-down.bmp", { 0, 3, 4 } },
	{ "palette.bmp", { 0, 3, 4 } },
	{ "plain.gif", { 0, 3, 9 } },
	{ "interlaced.gif", { 0, 3, 9 } },
	{ "transparent.gif", { 0, 3, 9 } },
	{ "small-frame.gif", { 0, 3, 9 } },
	{ "lossy.webp", { 0, 3, 9 } },
	{ "lossless.webp", { 0, 3, 9 } },
	{ "alpha.webp", { 0, 4, 9 } },
	{ "animated.webp", { 0, 4, 9 } },
};

static void check_decoded(struct tfr_decoder *d, const char *name, unsigned channels)
{
	const struct tfr_crop window = { 7, 3, 19, 20 }, all = { 0, 0, WIDTH, HEIGHT };
	TFR_AUTO_BUF file = golden(name);
	struct tfr_error err = { 0 };
	struct tfr_image image;
	char expected[64];

	snprintf(expected, sizeof(expected), "%s.%u.u8", name, channels);
	TFR_AUTO_BUF want = golden(expected);
	if (tfr_decode(d, file.data, file.size, NULL, channels, &image, &err) == TFR_EUNAVAILABLE) {
		printf("skipped: %s: %s\n", name, err.message);
		return;
	}
	cr_assert_eq(err.status, TFR_OK, "%s: %s", name, err.message);
	cr_assert_eq(want.size, (size_t)WIDTH * HEIGHT * image.channels, "%s: %u channels",
		expected, image.channels);
	cr_assert(same_pixels(&image, want.data, WIDTH, &all), "%s", expected);
	cr_assert_eq(tfr_decode(d, file.data, file.size, &window, channels, &image, &err), TFR_OK,
		"%s", err.message);
	cr_assert(same_pixels(&image, want.data, WIDTH, &window), "%s, window", expected);
}

Test(golden, pixels_are_those_of_tensorflow)
{
	struct tfr_decoder *d = tfr_decoder_new(NULL);

	for (size_t i = 0; i < sizeof(decoded) / sizeof(*decoded); i++)
		for (int c = 0; c < 3 && decoded[i].channels[c] != 9; c++)
			check_decoded(d, decoded[i].name, decoded[i].channels[c]);
	tfr_decoder_free(d);
}

/* They share the limit for pixels. */
Test(golden, all_frames_of_a_gif_are_verified)
{
	TFR_AUTO_BUF file = golden("plain.gif");
	size_t head = 13 + ((size_t)3 << ((file.data[10] & 7) + 1)), rest = file.size - head;
	struct tfr_error err = { 0 };
	struct tfr_image image;

	cr_assert(tfr_buf_reserve(&file, rest));
	memmove(file.data + file.size - 1, file.data + head, rest); /* over the trailer */
	file.size += rest - 1;
	for (int missing = 0; missing < 2; missing++) {
		struct tfr_decoder_opts opts = { .max_pixels = 2 * WIDTH * HEIGHT - missing };
		struct tfr_decoder *d = tfr_decoder_new(&opts);

		if (tfr_decode(d, file.data, file.size, NULL, 0, &image, &err) == TFR_EUNAVAILABLE)
			cr_skip_test("%s", err.message);
		cr_assert_eq(err.status, TFR_OK, "%s", err.message);
		cr_assert_eq(tfr_decode_verify(d, file.data, file.size, &err),
			missing ? TFR_EDATA : TFR_OK, "%s", err.message);
		tfr_decoder_free(d);
	}
}

static void check_resized(const struct tfr_image *image, uint32_t width, uint32_t height,
	unsigned flags, const char *name)
{
	struct tfr_resizer *r = tfr_resizer_new();
	TFR_AUTO_BUF want = golden(name);
	TFR_AUTO_FREE float *out = malloc(want.size);

	cr_assert_eq(want.size, (size_t)width * height * 3 * sizeof(float));
	cr_assert_eq(tfr_resize_bilinear(r, image, width, height, flags, out, NULL), TFR_OK);
	cr_assert_eq(memcmp(out, want.data, want.size), 0, "%s, flags %u", name, flags);
	tfr_resizer_free(r);
}

Test(golden, resizing_is_that_of_tensorflow)
{
	static const uint32_t sizes[][2] = { { 16, 12 }, { 40, 31 }, { 33, 7 }, { 5, 60 },
		{ 33, 25 }, { 1, 1 } };
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	TFR_AUTO_BUF file = golden("rgb.png");
	struct tfr_image image;

	cr_assert_eq(tfr_decode(d, file.data, file.size, NULL, 3, &image, NULL), TFR_OK);
	for (unsigned flags = 0; flags <= TFR_RESIZE_PLAIN; flags += TFR_RESIZE_PLAIN) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			char name[64];

			snprintf(name, sizeof(name), "rgb.%ux%u.f32", sizes[i][0], sizes[i][1]);
			check_resized(&image, sizes[i][0], sizes[i][1], flags, name);
		}
		check_resized(&image, 16, 12, flags | TFR_RESIZE_MIRROR | TFR_RESIZE_NORMALISE,
			"resnorm.f32");
	}
	tfr_decoder_free(d);
}
