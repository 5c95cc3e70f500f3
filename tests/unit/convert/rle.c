/* Shapes drawn: against the plain way, and runs in both forms against themselves. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "convert/coco/coco_shape.h"
#include "support/polygon.h"

enum { SIDE = 70 };

static uint8_t pixels[SIDE * SIDE], plain[SIDE * SIDE];

static struct tfr_canvas canvas(uint32_t width, uint32_t height)
{
	memset(pixels, 0, sizeof(pixels));
	memset(plain, 0, sizeof(plain));
	return (struct tfr_canvas){ .width = width, .height = height, .pixels = pixels };
}

static double coordinate(struct tfr_rng *r, uint32_t size, unsigned kind)
{
	double far = (kind & 3) == 3 ? 90 : 0;
	double v = (tfr_rng_u32(r) / 4294967296.) * (size + 2 * far) - far;

	return kind & 4	   ? round(v)
	       : kind & 8  ? round(2 * v) / 2
	       : kind & 16 ? v
			   : round(100 * v) / 100;
}

Test(rle, polygons_as_the_plain_way_draws_them)
{
	double xy[2 * 40];
	struct tfr_rng r;

	tfr_rng_init(&r, 3, 0);
	for (int n = 0; n < 4000; n++) {
		struct tfr_canvas c =
			canvas(1 + tfr_rng_u32(&r) % SIDE, 1 + tfr_rng_u32(&r) % SIDE);
		unsigned shapes = 1 + tfr_rng_u32(&r) % 3, kind = tfr_rng_u32(&r);

		while (shapes--) {
			size_t corners = 3 + tfr_rng_u32(&r) % (n % 10 ? 6 : 37);

			for (size_t i = 0; i < corners; i++) {
				xy[2 * i] = coordinate(&r, c.width, kind);
				xy[2 * i + 1] = coordinate(&r, c.height, kind);
				if (i && kind & 32 && tfr_rng_u32(&r) % 3 == 0)
					memcpy(xy + 2 * i, xy + 2 * i - 2, 2 * sizeof(*xy));
			}
			plain_polygon(plain, c.width, c.height, xy, corners);
			cr_assert_eq(tfr_draw_polygon(&c, xy, corners, NULL), TFR_OK);
		}
		cr_assert_arr_eq(pixels, plain, sizeof(pixels), "polygon %d", n);
		tfr_buf_clear(&c.scratch);
	}
}

/* Runs as pycocotools' rleToString() writes them. */
static size_t write_text(char *text, const uint32_t *runs, size_t n)
{
	size_t size = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t x = (int64_t)runs[i] - (i > 2 ? (int64_t)runs[i - 2] : 0);
		bool more = true;

		while (more) {
			int c = (int)(x & 0x1f);

			x >>= 5;
			more = c & 0x10 ? x != -1 : x != 0;
			text[size++] = (char)((more ? c | 0x20 : c) + 48);
		}
	}
	return size;
}

static enum tfr_status draw_numbers(
	struct tfr_canvas *c, const uint32_t *runs, size_t n, struct tfr_error *err)
{
	char text[4000], *out = text;

	out += sprintf(out, "{\"size\": [%u, %u], \"counts\": [", c->height, c->width);
	for (size_t i = 0; i < n; i++)
		out += sprintf(out, i ? ", %u" : "%u", runs[i]);
	out += sprintf(out, "]}");
	return tfr_coco_shape_draw(c, (const uint8_t *)text, (size_t)(out - text), err);
}

Test(rle, runs_as_numbers_and_as_text)
{
	uint32_t runs[300];
	char text[3000];
	struct tfr_rng r;

	tfr_rng_init(&r, 4, 0);
	for (int n = 0; n < 2000; n++) {
		struct tfr_canvas c =
			canvas(1 + tfr_rng_u32(&r) % SIDE, 1 + tfr_rng_u32(&r) % SIDE);
		uint32_t left = c.width * c.height, at = 0;
		struct tfr_error err;
		size_t k = 0, size;

		for (; left; k++) {
			runs[k] = k == 299 ? left : tfr_rng_u32(&r) % (n % 2 ? 40 : 2 * left + 1);
			runs[k] = runs[k] > left ? left : runs[k];
			left -= runs[k];
			for (uint32_t i = 0; i < runs[k]; i++, at++)
				plain[at % c.height * c.width + at / c.height] = k % 2;
		}
		cr_assert_eq(draw_numbers(&c, runs, k, NULL), TFR_OK);
		cr_assert_arr_eq(pixels, plain, sizeof(pixels));
		memset(pixels, 0, sizeof(pixels));
		size = write_text(text, runs, k);
		cr_assert_eq(tfr_draw_text(&c, text, size, NULL), TFR_OK);
		cr_assert_arr_eq(pixels, plain, sizeof(pixels));
		cr_assert_eq(draw_numbers(&c, runs, k - 1, &err), runs[k - 1] ? TFR_EDATA : TFR_OK);
		runs[k - 1]++;
		cr_assert_eq(draw_numbers(&c, runs, k, &err), TFR_EDATA);
		size = write_text(text, runs, k);
		cr_assert_eq(tfr_draw_text(&c, text, size, &err), TFR_EDATA);
	}
}

Test(rle, what_cannot_be_drawn_is_refused)
{
	static const struct {
		double xy[6];
		const char *why;
	} rows[] = {
		{ { NAN, 0, 1, 1, 2, 2 }, "cannot be in an image" },
		{ { 0, 0, 1, 1, 2, INFINITY }, "cannot be in an image" },
		{ { 0, 0, 1, 1, 1e9, 2 }, "cannot be in an image" },
		{ { 0, 0, 1, 1, 5e7, 2 }, "boundary too long" },
		{ { 0, 0, 1, 1, 2, -5e7 }, "boundary too long" },
	};
	struct tfr_canvas c = canvas(SIDE, SIDE);
	struct tfr_error err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_assert_eq(tfr_draw_polygon(&c, rows[i].xy, 3, &err), TFR_EDATA);
		cr_assert(strstr(err.message, rows[i].why), "%s", err.message);
	}
	cr_assert_eq(tfr_draw_polygon(&c, rows[0].xy, 2, &err), TFR_EDATA);
	cr_assert_eq(tfr_draw_text(&c, "", 0, &err), TFR_EDATA);
	cr_assert_eq(tfr_draw_text(&c, "PPPPPPPPPPPP0", 13, &err), TFR_EDATA);
	cr_assert_eq(c.scratch.size, 0);
	tfr_buf_clear(&c.scratch);
}
