/* Pixels encoded: what comes back from our decoder, and from libjpeg used plainly. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "images.h"

static uint8_t *soft(uint32_t width, uint32_t height, unsigned channels)
{
	uint8_t *p = malloc((size_t)width * height * channels);
	size_t i = 0;

	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			for (unsigned c = 0; c < channels; c++)
				p[i++] = (uint8_t)((x * (c + 2) + y * 3) % 200 + c * 10);
	return p;
}

static struct tfr_image view(const uint8_t *p, uint32_t width, uint32_t height, unsigned channels)
{
	return (struct tfr_image){ p, (size_t)width * channels, width, height, channels };
}

Test(encode, png_gives_the_pixels_back)
{
	struct tfr_encoder *e = tfr_encoder_new();
	struct tfr_decoder *d = tfr_decoder_new(NULL);

	for (unsigned c = 1; c <= 4; c++) {
		TFR_AUTO_FREE uint8_t *p = noise(31 * 17 * 4, c);
		struct tfr_image back, m = view(p, 31, 17, c);
		struct tfr_crop all = { 0, 0, 31, 17 };
		struct tfr_image_info info;
		const void *data;
		size_t size;

		cr_assert_eq(
			tfr_encode(e, &m,
				&(struct tfr_encode_opts){ TFR_IMAGE_PNG, .orientation = c + 2 },
				&data, &size, NULL),
			TFR_OK);
		cr_assert_eq(tfr_decode(d, data, size, NULL, 0, &back, NULL), TFR_OK);
		cr_assert_eq(back.channels, c);
		cr_assert(same_pixels(&back, p, 31, &all));
		cr_assert_eq(tfr_image_probe(data, size, &info, NULL), TFR_OK);
		cr_assert_eq(info.orientation, c + 2);
	}
	tfr_decoder_free(d);
	tfr_encoder_free(e);
}

static double error_of(const struct tfr_image *m, const uint8_t *p)
{
	double sum = 0;

	for (uint32_t y = 0; y < m->height; y++)
		for (size_t x = 0; x < (size_t)m->width * m->channels; x++)
			sum += abs(m->data[y * m->stride + x] -
				   p[y * (size_t)m->width * m->channels + x]);
	return sum / ((double)m->width * m->height * m->channels);
}

Test(encode, jpeg_is_near_and_says_what_it_is)
{
	static const char *const names[] = { "4:4:4", "4:2:2", "4:2:0", "4:4:0", "4:1:1" };
	struct tfr_encoder *e = tfr_encoder_new();
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	TFR_AUTO_FREE uint8_t *p = soft(100, 75, 3);
	struct tfr_image back, m = view(p, 100, 75, 3);

	for (size_t i = 0; i < 5; i++) {
		struct tfr_encode_opts opts = { TFR_IMAGE_JPEG, .subsampling = names[i],
			.orientation = (unsigned)i };
		struct tfr_image_info info;
		const void *data;
		size_t size;

		cr_assert_eq(tfr_encode(e, &m, &opts, &data, &size, NULL), TFR_OK);
		cr_assert_eq(tfr_image_probe(data, size, &info, NULL), TFR_OK);
		cr_assert_str_eq(info.subsampling, names[i]);
		cr_assert_eq(info.orientation, i > 1 ? i : 1);
		cr_assert_not(info.progressive);
		cr_assert_eq(tfr_decode(d, data, size, NULL, 3, &back, NULL), TFR_OK);
		cr_assert_lt(error_of(&back, p), 12.0, "%s: %g", names[i], error_of(&back, p));
	}
	tfr_decoder_free(d);
	tfr_encoder_free(e);
}

/* Sizes around those of blocks and of the buffer's steps; noise is large. */
Test(encode, any_size_and_the_same_bytes_again)
{
	struct tfr_encoder *e = tfr_encoder_new(), *other = tfr_encoder_new();
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	struct tfr_rng rng;

	tfr_rng_init(&rng, 5, 0);
	for (int i = 0; i < 60; i++) {
		uint32_t most = i % 10 ? 40 : 900, w = 1 + (uint32_t)tfr_rng_below(&rng, most),
			 h = 1 + (uint32_t)tfr_rng_below(&rng, most);
		unsigned c = i % 2 ? 1 : 3;
		TFR_AUTO_FREE uint8_t *p = noise((size_t)w * h * c, (uint64_t)i);
		struct tfr_encode_opts opts = { i % 3 ? TFR_IMAGE_JPEG : TFR_IMAGE_PNG,
			.quality = 1 + (unsigned)tfr_rng_below(&rng, 100) };
		struct tfr_image back, m = view(p, w, h, c);
		const void *data, *again;
		size_t size, size_again;

		cr_assert_eq(tfr_encode(e, &m, &opts, &data, &size, NULL), TFR_OK);
		cr_assert_eq(tfr_encode(other, &m, &opts, &again, &size_again, NULL), TFR_OK);
		cr_assert(size == size_again && !memcmp(data, again, size));
		cr_assert_eq(tfr_decode(d, data, size, NULL, 0, &back, NULL), TFR_OK);
		cr_assert(back.width == w && back.height == h && back.channels == c);
	}
	tfr_decoder_free(d);
	tfr_encoder_free(e);
	tfr_encoder_free(other);
}

Test(encode, quality_is_95_and_chroma_halved_unless_asked)
{
	struct tfr_encoder *e = tfr_encoder_new(), *other = tfr_encoder_new();
	TFR_AUTO_FREE uint8_t *p = soft(64, 48, 3);
	struct tfr_image m = view(p, 64, 48, 3);
	const void *a, *b;
	size_t na, nb;

	cr_assert_eq(tfr_encode(e, &m, &(struct tfr_encode_opts){ TFR_IMAGE_JPEG }, &a, &na, NULL),
		TFR_OK);
	cr_assert_eq(tfr_encode(other, &m,
			     &(struct tfr_encode_opts){
				     TFR_IMAGE_JPEG, .quality = 95, .subsampling = "4:2:0" },
			     &b, &nb, NULL),
		TFR_OK);
	cr_assert(na == nb && !memcmp(a, b, na));
	tfr_encoder_free(e);
	tfr_encoder_free(other);
}

Test(encode, what_cannot_be_is_refused)
{
	struct tfr_encoder *e = tfr_encoder_new();
	TFR_AUTO_FREE uint8_t *p = noise(70000, 1);
	struct tfr_image wide = view(p, 70000, 1, 1), two = view(p, 10, 10, 2);
	struct tfr_encode_opts jpeg = { TFR_IMAGE_JPEG }, gif = { TFR_IMAGE_GIF },
			       fine = { TFR_IMAGE_JPEG, .quality = 101 };
	struct tfr_error err;
	const void *data;
	size_t size;

	cr_assert_eq(tfr_encode(e, &wide, &jpeg, &data, &size, &err), TFR_EUSAGE);
	cr_assert(strstr(err.message, "65500"), "%s", err.message);
	cr_assert_eq(tfr_encode(e, &two, &jpeg, &data, &size, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_encode(e, &two, &gif, &data, &size, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_encode(e, &two, &fine, &data, &size, &err), TFR_EUSAGE);
	/* And the encoder still works. */
	two.channels = 1;
	cr_assert_eq(tfr_encode(e, &two, &jpeg, &data, &size, &err), TFR_OK);
	tfr_encoder_free(e);
}
