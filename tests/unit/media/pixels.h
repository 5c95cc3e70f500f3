/* tests/unit/media/pixels.h - images in memory made on the spot, of both types, with and without
 * gaps between their rows, so that a sanitizer sees a step beyond them and a canary sees a byte
 * written in a gap. */
#ifndef TFR_TEST_PIXELS_H
#define TFR_TEST_PIXELS_H

#include <tfr-private/pixels.h>

#include "base/rng.h"

struct made {
	struct tfr_pixels p;
	uint8_t *memory; /* ends with the last sample of the last row */
};

/* Noise of 1 to 4 channels: any bytes, or floats between -50 and 300. */
struct made make_pixels(struct tfr_rng *rng, uint32_t width, uint32_t height);

/* Room for an image like `p`, of that size and type, with canaries in its gaps. */
struct made make_like(struct tfr_rng *rng, const struct tfr_pixels *p, uint32_t width,
	uint32_t height, enum tfr_dtype dtype);

/* Fails the test where a canary is gone. */
void free_made(struct made *m);

#endif
