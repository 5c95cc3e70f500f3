/* media/formats/jpeg.h - shared by the JPEG probe, the codec and its fast Huffman decoder. */
#ifndef TFR_MEDIA_FORMATS_JPEG_H
#define TFR_MEDIA_FORMATS_JPEG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

#include "media/formats/image_codec.h"

/* ---- jpeg_probe.c ---- */

enum tfr_status tfr_jpeg_probe(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err);

/* The factors of the first component for a name of subsampling; 2 x 2 if there is no such name. */
void tfr_jpeg_factors(const char *subsampling, unsigned *h, unsigned *v);

/* ---- huffman.c ---- */

/* Decodes the entropy-coded data of a sequential JPEG faster than libjpeg does.
 *
 * For a photograph of quality 90, libjpeg-turbo spends three quarters of its time in its Huffman
 * decoder. It fetches a symbol and then the bits after it, and it decodes all blocks that a window
 * does not cover. This decoder gets both with one table lookup.  In blocks that are not needed, one
 * lookup skips several symbols.  Coefficients are the same; transform, upsampling and colours
 * remain libjpeg's.
 *
 * It handles the regular case only.  It returns false for anything else, including data that
 * libjpeg would warn about.  The image is then decoded again by libjpeg alone, which decides. */
struct tfr_huffman;

/* NULL: out of memory. */
struct tfr_huffman *tfr_huffman_new(void);
void tfr_huffman_free(struct tfr_huffman *h);

/* Begins at the position of `c`: after jpeg_start_decompress(), with one block of memory as its
 * source and no row read.  In each row of MCUs, the coefficients of [first, last) are wanted.
 * False: this decoder does not support the image, and nothing was changed. */
bool tfr_huffman_start(struct tfr_huffman *h, const struct jpeg_decompress_struct *c,
	JDIMENSION first, JDIMENSION last);

/* Decodes the next MCU as libjpeg's decode_mcu() does: into consecutive zeroed blocks, or nowhere
 * (NULL).  False: the data is invalid. */
bool tfr_huffman_mcu(struct tfr_huffman *h, JBLOCKROW *blocks);

/* The bytes after the data that was used so far. */
const uint8_t *tfr_huffman_position(const struct tfr_huffman *h);

#endif
