/* The samples TensorFlow decodes and the floats it resizes to, bit for bit
 * (tests/data/make-media-golden.py). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "pictures.h"

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
	cr_assert_eq(tfr_decode(d, file.data, file.size, NULL, channels, &image, &err), TFR_OK,
		"%s: %s", name, err.message);
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
