/* Shapes of annotations: the pixels that pycocotools 2.0 sets (frPyObjects, merge, decode), and what
 * is refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "convert/coco/coco_shape.h"

enum { WIDTH = 37, HEIGHT = 29 };

static uint8_t pixels[WIDTH * HEIGHT];

static enum tfr_status draw(const char *text, struct tfr_error *err)
{
	struct tfr_canvas c = { .width = WIDTH, .height = HEIGHT, .pixels = pixels };
	enum tfr_status status;

	memset(pixels, 7, sizeof(pixels));
	status = tfr_coco_shape_draw(&c, (const uint8_t *)text, strlen(text), err);
	tfr_buf_clear(&c.scratch);
	return status;
}

/* The polygons, the number of pixels, a sum over their positions row by row, and the same mask as
 * compressed runs. */
static const struct {
	const char *polygons;
	unsigned n;
	uint32_t sum;
	const char *runs;
} rows[] = {
	{ "[[1,1,10,1,10,8,1,8]]", 63, 0x8fcba9b9, "n07f0000000000000000^h0" },
	{ "[[0,0,37,0,37,29,0,29]]", 1073, 0x9131f518, "0aQ1" },
	{ "[[5.5,5.5,20.25,6,12,25.75]]", 141, 0x21be9024,
		"d52k03M4L3M3M3M00N2N2M3N2M3N2NY?" },
	{ "[[-4,3,50,3,18,40]]", 796, 0x2b3efa7a,
		"37f02N2N1O2N2N1O2N2N1O2N2N00000000000000000000000000000000O1O1N2O1O1O1O1O1ON" },
	{ "[[2,2,2,20,2.4,20]]", 0, 0x00000000, "aQ1" },
	{ "[[18.06,21.51,23.06,27.33,21.46,26.75,0.84,13.5,27.36,18.82]]", 97, 0x98c7772c,
		"X21l0001O10O01O001O10O01O1O00100O00M[OOd01]OOb01_ONb01@N?170000O^9" },
	{ "[[33.33,4.19,17.36,9.12,20.12,21.24,0.49,8.02,10.34,33.9,28.33,5.91,29.49,5.13,22.85,"
	  "4.69,0.07,32.24]]",
		212, 0x4b8159e3,
		"V12k02O2BKO7MI49HI9<2K4O@K;3EN<OE2;ME4<JE6;JD7;JD6;MC2>OBO=LC51N=ME2ON=0G1KO=0H2:"
		"OE1;0DO>0B0?070XOOd00\\O0e00YO1h011O100O00a3" },
	{ "[[1.52,1.85,44.03,37.98,5.91,42.88,19.66,27.28]]", 176, 0xa3c67c74,
		"l11m0001O001O000O2O001O00001O0O2O001]OG?;1O1O1O001O1O1O1O1O1O001O1Oh2" },
	{ "[[7.58,34.82,25.55,35.76,33.07,11.06],[10.47,4.81,4.23,1.89,8.74,17.49,0.1,19.66]]",
		183, 0xbfb4765c,
		"_11j02O1CMN43OI280C2=NFO;NJN71g4OdK1O1O1O100O1O1O1O1O1O1O1O1ON2N2M3N2N\\3" },
	{ "[[1,1,4,1,4,4],[20,20,30,20,30,28]]", 43, 0x6a080702,
		"k11l01o?OQ@1O1O1O001O1O1O1f5" },
	{ "[[36.9,28.9,37,29,36,29]]", 0, 0x00000000, "aQ1" },
};

static void expect_pixels(size_t row)
{
	uint32_t sum = 0;
	unsigned n = 0;

	for (uint32_t i = 0; i < sizeof(pixels); i++) {
		cr_assert_leq(pixels[i], 1);
		n += pixels[i];
		if (pixels[i])
			sum = sum * 31 + i;
	}
	cr_assert_eq(n, rows[row].n, "row %zu: %u pixels", row, n);
	cr_assert_eq(sum, rows[row].sum, "row %zu: 0x%08x", row, sum);
}

/* The runs as an object of JSON, with each backslash escaped. */
static void make_object(char *text, const char *runs, unsigned height, unsigned width)
{
	char *out = text + sprintf(text, "{\"counts\": \"");

	for (; *runs; runs++) {
		if (*runs == '\\')
			*out++ = '\\';
		*out++ = *runs;
	}
	sprintf(out, "\", \"size\": [%u, %u]}", height, width);
}

Test(coco_shapes, the_pixels_of_pycocotools)
{
	struct tfr_error err = { 0 };
	char object[1000];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cr_assert_eq(draw(rows[i].polygons, &err), TFR_OK, "%s", err.message);
		expect_pixels(i);
		make_object(object, rows[i].runs, HEIGHT, WIDTH);
		cr_assert_eq(draw(object, &err), TFR_OK, "%s: %s", object, err.message);
		expect_pixels(i);
	}
}

Test(coco_shapes, an_absent_shape_clears_the_canvas)
{
	struct tfr_error err = { 0 };

	cr_assert_eq(draw("", &err), TFR_OK);
	for (size_t i = 0; i < sizeof(pixels); i++)
		cr_assert_eq(pixels[i], 0);
}

/* 1073 pixels: columns of 29. */
Test(coco_shapes, runs_as_numbers_go_down_the_columns)
{
	struct tfr_error err = { 0 };

	cr_assert_eq(draw("{\"size\": [29, 37], \"counts\": [30, 2, 1041]}", &err), TFR_OK);
	for (unsigned i = 0; i < sizeof(pixels); i++)
		cr_assert_eq(pixels[i], i == WIDTH + 1 || i == 2 * WIDTH + 1, "pixel %u", i);
}

Test(coco_shapes, malformed_shapes_are_named)
{
	static const char *const bad[][2] = {
		{ "5", "neither polygons nor runs" },
		{ "\"text\"", "neither polygons nor runs" },
		{ "null", "neither polygons nor runs" },
		{ "[", "neither polygons nor runs" },
		{ "[]", "not a polygon" },
		{ "[[1,2,3,4]]", "a polygon of 2 points" },
		{ "[[]]", "a polygon of 0 points" },
		{ "[[1,2,3]]", "a polygon that is not pairs of numbers" },
		{ "[[1,2,3,4,5,\"6\"]]", "a polygon that is not pairs of numbers" },
		{ "[[1,2,3,4,5,null]]", "a polygon that is not pairs of numbers" },
		{ "[1,2,3,4,5,6]", "a polygon that is not pairs of numbers" },
		{ "[[0,0,5,0,5,1e300]]", "a polygon with 1e+300, which cannot be in an image" },
		{ "{}", "runs whose 'size' is not that of the image" },
		{ "{\"size\": [37, 29], \"counts\": [1073]}",
			"runs whose 'size' is not that of the image" },
		{ "{\"size\": [29, 37, 1], \"counts\": [1073]}",
			"runs whose 'size' is not that of the image" },
		{ "{\"size\": [29, 37]}", "runs without 'counts'" },
		{ "{\"size\": [29, 37], \"counts\": 1073}", "runs without 'counts'" },
		{ "{\"size\": [29, 37], \"counts\": [1072]}",
			"runs whose sum is not the number of pixels" },
		{ "{\"size\": [29, 37], \"counts\": [1074]}",
			"runs whose sum is not the number of pixels" },
		{ "{\"size\": [29, 37], \"counts\": [4294967295, 1074]}",
			"runs whose sum is not the number of pixels" },
		{ "{\"size\": [29, 37], \"counts\": [-1, 1074]}",
			"runs that are not numbers of pixels" },
		{ "{\"size\": [29, 37], \"counts\": [1073.5]}",
			"runs that are not numbers of pixels" },
		{ "{\"size\": [29, 37], \"counts\": \"aQ\"}",
			"a text that is not compressed runs" },
		{ "{\"size\": [29, 37], \"counts\": \"aQ 1\"}",
			"a text that is not compressed runs" },
		{ "{\"size\": [29, 37], \"counts\": \"aQ11\"}",
			"runs whose sum is not the number of pixels" },
	};
	struct tfr_error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		cr_assert_eq(draw(bad[i][0], &err), TFR_EDATA, "%s", bad[i][0]);
		cr_assert_str_eq(err.message, bad[i][1], "%s: %s", bad[i][0], err.message);
	}
}
