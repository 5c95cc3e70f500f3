/* tests/fuzz/formats.c - no bytes crash the decoders of GIF, BMP and WebP, what is decoded is what
 * was measured, and a window of it is decode-then-crop.
 *
 * The first byte chooses the magic that the rest gets, and the window. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/media.h>

#include "base/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	const char *bytes;
	size_t size;
} magics[] = {
	{ "GIF89a", 6 },
	{ "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", 18 },
	{ "RIFF\xff\0\0\0WEBPVP8 ", 16 },
	{ "RIFF\xff\0\0\0WEBPVP8L", 16 },
	{ "RIFF\xff\0\0\0WEBPVP8X\x0a\0\0\0", 20 },
};

/* An image with its magic number; sizes that a fuzzer cannot guess are set to the real ones. */
static uint8_t *make(unsigned kind, const uint8_t *data, size_t size, size_t *total)
{
	size_t n = magics[kind].size;
	uint8_t *p = malloc(n + size);

	if (!p)
		return NULL;
	memcpy(p, magics[kind].bytes, n);
	if (size)
		memcpy(p + n, data, size);
	*total = n + size;
	if (kind >= 2)
		for (int i = 0; i < 4; i++)
			p[4 + i] = (uint8_t)((*total - 8) >> 8 * i);
	return p;
}

static void check_window(struct tfr_decoder *d, const uint8_t *p, size_t size, unsigned key,
	const struct tfr_image *image)
{
	uint32_t x = key % image->width, y = key / 7 % image->height;
	struct tfr_crop w = { x, y, image->width - x, image->height - y };
	size_t row = (size_t)image->width * image->channels;
	TFR_AUTO_FREE uint8_t *all = malloc(row * image->height);
	unsigned channels = image->channels;
	struct tfr_image part;

	for (uint32_t i = 0; all && i < image->height; i++)
		memcpy(all + i * row, image->data + i * image->stride, row);
	if (!all)
		return;
	if (tfr_decode(d, p, size, &w, channels, &part, NULL)) {
		abort();
		return;
	}
	for (uint32_t i = 0; i < w.height; i++)
		if (memcmp(part.data + i * part.stride, all + (y + i) * row + (size_t)x * channels,
			    (size_t)w.width * channels))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfr_decoder_opts opts = { .max_bytes = 1 << 20, .max_pixels = 1 << 24 };
	struct tfr_decoder *d = tfr_decoder_new(&opts);
	struct tfr_image_info info;
	struct tfr_image image;
	size_t total;

	if (d && size) {
		TFR_AUTO_FREE uint8_t *p = make(data[0] % 5, data + 1, size - 1, &total);
		enum tfr_status probed = p ? tfr_image_probe(p, total, &info, NULL) : TFR_ENOMEM;

		if (p && !tfr_decode(d, p, total, NULL, 0, &image, NULL)) {
			if (probed || image.width != info.width || image.height != info.height ||
				image.channels != info.channels)
				abort();
			check_window(d, p, total, data[0], &image);
		}
		if (p && !tfr_decode_verify(d, p, total, NULL) && probed)
			abort();
	}
	tfr_decoder_free(d);
	return 0;
}
