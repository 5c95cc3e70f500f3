/* tests/fuzz/media.c - no bytes crash the decoders, libjpeg alone gives what our decoder gives, a
 * window of whatever decodes equals decode-then-crop, and numbers written as a mask are the same
 * numbers.
 *
 * The last four bytes of the input place the window; the rest is the image. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/media.h>

#include "base/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t scale(uint8_t part, uint32_t of)
{
	return (uint32_t)((uint64_t)part * of / 256);
}

static struct tfr_crop place(const uint8_t key[4], const struct tfr_image *image)
{
	struct tfr_crop w = { .x = scale(key[0], image->width), .y = scale(key[1], image->height) };

	w.width = 1 + scale(key[2], image->width - w.x);
	w.height = 1 + scale(key[3], image->height - w.y);
	return w;
}

static uint8_t *copy(const struct tfr_image *image)
{
	size_t row = (size_t)image->width * image->channels;
	uint8_t *p = malloc(row * image->height);

	for (uint32_t y = 0; p && y < image->height; y++)
		memcpy(p + y * row, image->data + y * image->stride, row);
	return p;
}

static void check_window(
	struct tfr_decoder *d, const uint8_t *data, size_t size, const struct tfr_image *image)
{
	struct tfr_crop w = place(data + size, image);
	TFR_AUTO_FREE uint8_t *whole = copy(image);
	uint32_t width = image->width;
	struct tfr_image part;

	if (!whole)
		return;
	if (tfr_decode(d, data, size, &w, 3, &part, NULL)) {
		abort();
		return;
	}
	for (uint32_t y = 0; y < w.height; y++)
		if (memcmp(part.data + y * part.stride,
			    whole + ((size_t)(w.y + y) * width + w.x) * 3, (size_t)w.width * 3))
			abort();
}

static void check_resize(const struct tfr_image *image)
{
	float fast[31 * 9 * 3], plain[31 * 9 * 3];
	struct tfr_resizer *r = tfr_resizer_new();

	if (!r)
		return;
	if (tfr_resize_bilinear(r, image, 31, 9, TFR_RESIZE_NORMALISE, fast, NULL) ||
		tfr_resize_bilinear(
			r, image, 31, 9, TFR_RESIZE_NORMALISE | TFR_RESIZE_PLAIN, plain, NULL) ||
		memcmp(fast, plain, sizeof(fast)))
		abort();
	tfr_resizer_free(r);
}

static void check_scale(const struct tfr_image *image)
{
	struct tfr_scaler *fast = tfr_scaler_new(), *plain = tfr_scaler_new();
	struct tfr_image a, b;

	if (fast && plain &&
		(tfr_scale(fast, image, 13, 21, TFR_FILTER_TRIANGLE, 0, &a, NULL) ||
			tfr_scale(plain, image, 13, 21, TFR_FILTER_TRIANGLE, TFR_RESIZE_PLAIN, &b,
				NULL) ||
			memcmp(a.data, b.data, (size_t)13 * 21 * a.channels)))
		abort();
	tfr_scaler_free(fast);
	tfr_scaler_free(plain);
}

/* Numbers written as a mask are read back. */
static void check_numbers(struct tfr_decoder *d, const uint8_t *data, size_t size)
{
	struct tfr_encode_opts opts = { .format = TFR_IMAGE_PNG, .runs = true };
	struct tfr_encoder *e = tfr_encoder_new();
	TFR_AUTO_FREE uint8_t *numbers = NULL;
	struct tfr_image image, back;
	const void *png;
	size_t png_size;

	if (e && !tfr_decode_numbers(d, data, size, &image, NULL) && (numbers = copy(&image))) {
		if (tfr_encode(e, &image, &opts, &png, &png_size, NULL) ||
			tfr_decode_numbers(d, png, png_size, &back, NULL) ||
			back.width != image.width || back.height != image.height ||
			memcmp(back.data, numbers, (size_t)image.width * image.height))
			abort();
	}
	tfr_encoder_free(e);
}

/* Twice: Huffman tables are made for a small image when they are met once more. */
static void check_plain(struct tfr_decoder *d, const uint8_t *data, size_t size)
{
	struct tfr_decoder *plain =
		tfr_decoder_new(&(struct tfr_decoder_opts){ .max_bytes = 1 << 20, .plain = true });
	struct tfr_image a, b;
	enum tfr_status status;

	if (!plain)
		return;
	status = tfr_decode(plain, data, size, NULL, 0, &b, NULL);
	for (int i = 0; i < 2; i++) {
		if (tfr_decode(d, data, size, NULL, 0, &a, NULL) != status)
			abort();
		if (fuzz_out_of_memory)
			break;
		if (status == TFR_OK && memcmp(a.data, b.data, a.stride * a.height))
			abort();
	}
	tfr_decoder_free(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_decoder *d = tfr_decoder_new(&(struct tfr_decoder_opts){ .max_bytes = 1 << 20 });
	struct tfr_error err = { 0 };
	struct tfr_image image;

	if (d && size > 4)
		check_plain(d, data, size - 4);
	if (d && size > 4 && tfr_decode(d, data, size - 4, NULL, 0, &image, &err) == TFR_OK &&
		tfr_decode(d, data, size - 4, NULL, 3, &image, &err) == TFR_OK) {
		check_resize(&image);
		check_scale(&image);
		check_window(d, data, size - 4, &image);
		check_numbers(d, data, size - 4);
	}
	tfr_decoder_free(d);
	return 0;
}
