/* tests/fuzz/shape.c - any bytes as a shape: as JSON, as compressed runs and as corners of a
 * polygon, which is drawn as the plain way draws it.  Nothing but 0 and 1 is written, and sizes
 * that are forged take no memory. */
#include <stdlib.h>
#include <string.h>

#include "convert/coco/coco_shape.h"
#include "support/polygon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIDE = 64 };

static void check_pixels(const struct tfr_canvas *c)
{
	for (size_t i = 0; i < (size_t)c->width * c->height; i++)
		if (c->pixels[i] > 1)
			abort();
}

static void check_polygon(struct tfr_canvas *c, const uint8_t *data, size_t size)
{
	uint8_t plain[SIDE * SIDE] = { 0 };
	double xy[64];
	size_t n = size / 4;

	/* 16 bits a coordinate: on and between pixels, within and without. */
	for (size_t i = 0; i < 2 * n && i < 64; i++)
		xy[i] = (int16_t)(data[2 * i] << 8 | data[2 * i + 1]) / 256.;
	n = n < 32 ? n : 32;
	memset(c->pixels, 0, SIDE * SIDE);
	if (tfr_draw_polygon(c, xy, n, NULL))
		return;
	plain_polygon(plain, c->width, c->height, xy, n);
	if (memcmp(plain, c->pixels, (size_t)c->width * c->height))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t pixels[SIDE * SIDE] = { 0 };
	struct tfr_canvas c = { .pixels = pixels };
	struct tfr_error err;

	if (size < 2)
		return 0;
	c.width = 1 + data[0] % SIDE;
	c.height = 1 + data[1] % SIDE;
	data += 2;
	size -= 2;
	if (tfr_coco_shape_draw(&c, data, size, &err) == TFR_EDATA && !err.message[0])
		abort();
	check_pixels(&c);
	tfr_draw_text(&c, (const char *)data, size, NULL);
	check_pixels(&c);
	check_polygon(&c, data, size);
	tfr_buf_clear(&c.scratch);
	return 0;
}
