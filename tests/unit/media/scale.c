/* 8 bits made 8 bits: Pillow's and TensorFlow's own pixels, and the fast kernel against the plain
 * one on random images, whose memory ends where they end. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "images.h"
#include "media/resize/kernels.h"
#include "unit/variants.h"

static const char *const filters[] = { "triangle", "area", "cubic", "lanczos", "bilinear",
	"nearest" };

static size_t check_golden(struct tfr_scaler *s, const struct tfr_image *image, uint32_t width,
	uint32_t height, enum tfr_filter filter, unsigned flags, const uint8_t *want)
{
	size_t n = (size_t)width * height * image->channels;
	struct tfr_image scaled;

	cr_assert_eq(tfr_scale(s, image, width, height, filter, flags, &scaled, NULL), TFR_OK);
	cr_assert(scaled.width == width && scaled.height == height &&
		  scaled.channels == image->channels);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(scaled.data[i], want[i],
			"%s to %u x %u x %u, flags %u, sample %zu: %u, not %u", filters[filter],
			width, height, image->channels, flags, i, scaled.data[i], want[i]);
	return n;
}

/* rgb.png to each size, then the others to 16 x 12: the order of make-media-golden.py. */
static void check_filter(enum tfr_filter filter, unsigned flags)
{
	static const uint32_t sizes[][2] = { { 16, 12 }, { 37, 26 }, { 33, 7 }, { 5, 60 }, { 1, 1 },
		{ 7, 3 }, { 25, 7 }, { 24, 7 }, { 30, 5 }, { 37, 24 }, { 60, 3 } };
	static const char *const others[] = { "rgba.png", "la.png", "gray.jpg" };
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	struct tfr_scaler *s = tfr_scaler_new();
	TFR_AUTO_BUF rgb = golden("rgb.png");
	struct tfr_image image;
	char name[32];
	size_t at = 0;

	snprintf(name, sizeof(name), "%s.u8", filters[filter]);
	TFR_AUTO_BUF want = golden(name);
	cr_assert_eq(tfr_decode(d, rgb.data, rgb.size, NULL, 3, &image, NULL), TFR_OK);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		at += check_golden(
			s, &image, sizes[i][0], sizes[i][1], filter, flags, want.data + at);
	for (size_t i = 0; i < 3; i++) {
		TFR_AUTO_BUF file = golden(others[i]);

		cr_assert_eq(tfr_decode(d, file.data, file.size, NULL, 0, &image, NULL), TFR_OK);
		at += check_golden(s, &image, 16, 12, filter, flags, want.data + at);
	}
	cr_assert_eq(at, want.size);
	tfr_scaler_free(s);
	tfr_decoder_free(d);
}

Test(scale, pixels_are_those_of_pillow_and_tensorflow)
{
	for (unsigned i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		enum tfr_filter filter;

		cr_assert(tfr_filter_parse(filters[i], &filter));
		cr_assert_eq(filter, i);
		check_filter(filter, 0);
		check_filter(filter, TFR_RESIZE_PLAIN);
	}
}

Test(scale, names_are_whole_words)
{
	enum tfr_filter filter;

	cr_assert_not(tfr_filter_parse("", &filter));
	cr_assert_not(tfr_filter_parse("box", &filter));
	cr_assert_not(tfr_filter_parse("Triangle", &filter));
}

Test(scale, kernels_agree)
{
	struct tfr_scaler *fast = tfr_scaler_new(), *plain = tfr_scaler_new();
	struct tfr_rng rng;

#ifdef __x86_64__
	if (!variant(tfr_scale_avx2.usable(), "scale", "avx2")) {
		tfr_scaler_free(fast);
		tfr_scaler_free(plain);
		return;
	}
#endif
	tfr_rng_init(&rng, 11, 0);
	for (int i = 0; i < 600; i++) {
		uint32_t most = i % 10 ? 60 : 900;
		struct tfr_image a, b,
			m = { .width = 1 + (uint32_t)tfr_rng_below(&rng, most),
				.height = 1 + (uint32_t)tfr_rng_below(&rng, most),
				.channels = 1 + (unsigned)tfr_rng_below(&rng, 4) };
		uint32_t w = 1 + (uint32_t)tfr_rng_below(&rng, 80),
			 h = 1 + (uint32_t)tfr_rng_below(&rng, 80);
		enum tfr_filter filter = (enum tfr_filter)tfr_rng_below(&rng, 6);
		TFR_AUTO_FREE uint8_t *pixels = NULL;

		m.stride = (size_t)m.width * m.channels;
		m.data = pixels = noise(m.stride * m.height, (uint64_t)i);
		cr_assert_eq(tfr_scale(fast, &m, w, h, filter, 0, &a, NULL), TFR_OK);
		cr_assert_eq(
			tfr_scale(plain, &m, w, h, filter, TFR_RESIZE_PLAIN, &b, NULL), TFR_OK);
		cr_assert_eq(memcmp(a.data, b.data, (size_t)w * h * m.channels), 0,
			"%u x %u x %u to %u x %u, %s", m.width, m.height, m.channels, w, h,
			filters[filter]);
	}
	tfr_scaler_free(fast);
	tfr_scaler_free(plain);
}

Test(scale, flat_stays_flat_and_white_stays_white)
{
	struct tfr_scaler *s = tfr_scaler_new();
	uint8_t white[37 * 41];
	struct tfr_image image, m = { white, 37, 37, 41, 1 };

	memset(white, 255, sizeof(white));
	for (unsigned filter = 0; filter < 6; filter++) {
		cr_assert_eq(
			tfr_scale(s, &m, 500, 3, (enum tfr_filter)filter, 0, &image, NULL), TFR_OK);
		for (size_t i = 0; i < 1500; i++)
			cr_assert_eq(image.data[i], 255, "%s", filters[filter]);
	}
	tfr_scaler_free(s);
}

Test(scale, what_cannot_be_is_refused)
{
	struct tfr_scaler *s = tfr_scaler_new();
	uint8_t pixel[5] = { 0 };
	struct tfr_image out, m = { pixel, 1, 1, 1, 1 }, none = { pixel, 0, 0, 1, 1 },
			      five = { pixel, 5, 1, 1, 5 };

	cr_assert_eq(tfr_scale(s, &m, 0, 1, TFR_FILTER_AREA, 0, &out, NULL), TFR_EUSAGE);
	cr_assert_eq(tfr_scale(s, &m, 1, 1 << 25, TFR_FILTER_AREA, 0, &out, NULL), TFR_EUSAGE);
	cr_assert_eq(tfr_scale(s, &none, 1, 1, TFR_FILTER_AREA, 0, &out, NULL), TFR_EUSAGE);
	cr_assert_eq(tfr_scale(s, &five, 1, 1, TFR_FILTER_AREA, 0, &out, NULL), TFR_EUSAGE);
	tfr_scaler_free(s);
}
