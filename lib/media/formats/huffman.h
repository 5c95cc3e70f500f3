/* media/formats/huffman.h - a sequential JPEG's entropy-coded data, read faster than libjpeg reads
 * it.
 *
 * Three quarters of the time that libjpeg-turbo needs for a photograph of quality 90 goes into its
 * Huffman decoder, which fetches a symbol and the bits behind it one after the other, and all of
 * the blocks that a window does not cover.  This one takes both by one look into a table, and of
 * blocks that nobody needs several symbols by one look.  Coefficients are the same; transform,
 * upsampling and colours stay libjpeg's.
 *
 * It knows the orderly case only.  Whatever it does not, or what libjpeg would warn about, is told
 * by false, and the image is decoded once more by libjpeg alone, which then decides. */
#ifndef TFR_MEDIA_FORMATS_HUFFMAN_H
#define TFR_MEDIA_FORMATS_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

struct tfr_huffman;

/* NULL: out of memory. */
struct tfr_huffman *tfr_huffman_new(void);
void tfr_huffman_free(struct tfr_huffman *h);

/* Begins where `c` stands: behind jpeg_start_decompress(), its source one block of memory, no row
 * read.  Of each row of MCUs the coefficients of [first, last) are wanted.  False: not an image
 * for us, nothing was touched. */
bool tfr_huffman_start(struct tfr_huffman *h, const struct jpeg_decompress_struct *c,
	JDIMENSION first, JDIMENSION last);

/* The next MCU, as libjpeg's decode_mcu() gives it: into blocks of zeros, one after another, or
 * nowhere (NULL).  False: something is wrong with the data. */
bool tfr_huffman_mcu(struct tfr_huffman *h, JBLOCKROW *blocks);

/* What follows the data that has been taken in so far. */
const uint8_t *tfr_huffman_position(const struct tfr_huffman *h);

#endif
