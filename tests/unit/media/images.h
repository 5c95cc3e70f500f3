/* tests/unit/media/images.h - images made on the spot: noise on soft gradients, so that every
 * pixel matters. */
#ifndef TFR_TEST_IMAGES_H
#define TFR_TEST_IMAGES_H

#include <tfr-private/media.h>

#include "base/buf.h"

struct jpeg_kind {
	uint32_t width, height;
	unsigned components; /* 1 gray, 3 YCbCr, 4 CMYK (YCCK with `ycck`) */
	unsigned h, v; /* of the first component (and the last of four), the others having 1, 1 */
	bool progressive, ycck, no_adobe;
	bool uneven; /* factors 2x2, 4x4 and 1x1, which no encoder makes by itself; needs `apart` */
	bool apart;  /* sequential, but a scan for each component */
	unsigned restart;    /* MCUs between restart markers */
	unsigned scans;	     /* of a progressive file: write only so many; 0: all */
	int quality;	     /* 0: 90 */
	bool optimised;	     /* Huffman tables of its own */
	const uint8_t *app1; /* content of an APP1 segment */
	size_t app1_size;
};

/* The JPEG of that kind, in malloc'd memory, by libjpeg. */
struct tfr_buf make_jpeg(const struct jpeg_kind *kind);

/* All of it decoded by the plainest use of libjpeg (rows from the top, defaults): RGB or gray,
 * dense, malloc'd. */
uint8_t *plain_jpeg(const struct tfr_buf *jpeg, unsigned channels);

/* A PNG by libpng; `samples` are its rows, dense, 16-bit samples big-endian, low depths packed.
 * A palette has as many colours as its depth allows, none of them gray. */
struct tfr_buf make_png(uint32_t width, uint32_t height, int depth, int type, bool interlaced,
	const uint8_t *samples);

/* Reproducible noise. */
uint8_t *noise(size_t n, uint64_t seed);

/* Whether `part` is `window` of the dense image `whole`, to the bit. */
bool same_pixels(const struct tfr_image *part, const uint8_t *whole, uint32_t whole_width,
	const struct tfr_crop *window);

/* A file of the test data; fails the test when it is not there. */
struct tfr_buf golden(const char *name);

#endif
