/* A window's pixels are those of the whole image, and what is damaged is an error that leaves the
 * decoder usable. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "images.h"

static const struct {
	unsigned h, v;
} samplings[] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 1, 2 }, { 4, 1 }, { 4, 2 }, { 2, 4 }, { 1, 4 } };

static void check_window(struct tfr_decoder *d, const struct tfr_buf *jpeg, const uint8_t *whole,
	const struct jpeg_kind *k, const struct tfr_crop *w, unsigned channels)
{
	struct tfr_error err = { 0 };
	struct tfr_image image;

	cr_assert_eq(tfr_decode(d, jpeg->data, jpeg->size, w, channels, &image, &err), TFR_OK, "%s",
		err.message);
	cr_assert(same_pixels(&image, whole, k->width, w),
		"%u x %u, %u:%u, window %u x %u at %u, %u, %u channels", k->width, k->height, k->h,
		k->v, w->width, w->height, w->x, w->y, channels);
}

/* The whole, the edges, single pixels, and `n` windows at random. */
static void check_windows(const struct jpeg_kind *k, unsigned channels, int n)
{
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	TFR_AUTO_BUF jpeg = make_jpeg(k);
	TFR_AUTO_FREE uint8_t *whole = plain_jpeg(&jpeg, channels);
	const uint32_t w = k->width, h = k->height;
	const struct tfr_crop fixed[] = {
		{ 0, 0, w, h },
		{ 0, 0, 1, 1 },
		{ w - 1, h - 1, 1, 1 },
		{ w - 1, 0, 1, h },
		{ 0, h - 1, w, 1 },
		{ w / 2, 0, w - w / 2, h },
		{ 0, h / 2, w, h - h / 2 },
		{ 0, 0, w - w / 2, h - h / 2 },
		{ w / 2, h / 2, 1, 1 },
	};
	struct tfr_rng r;

	tfr_rng_init(&r, k->h * 8 + k->v, w * h);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		check_window(d, &jpeg, whole, k, &fixed[i], channels);
	while (n--) {
		struct tfr_crop c;

		c.width = 1 + (uint32_t)tfr_rng_below(&r, w);
		c.height = 1 + (uint32_t)tfr_rng_below(&r, h);
		c.x = (uint32_t)tfr_rng_below(&r, w - c.width + 1);
		c.y = (uint32_t)tfr_rng_below(&r, h - c.height + 1);
		check_window(d, &jpeg, whole, k, &c, channels);
	}
	tfr_decoder_free(d);
}

static void check_sizes(struct jpeg_kind k, int windows)
{
	static const uint32_t sizes[][2] = { { 1, 1 }, { 3, 2 }, { 17, 33 }, { 64, 48 },
		{ 101, 67 }, { 130, 95 } };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		k.width = sizes[s][0];
		k.height = sizes[s][1];
		check_windows(&k, 3, windows);
	}
}

Test(jpeg, windows_equal_the_whole_at_every_subsampling)
{
	for (size_t i = 0; i < sizeof(samplings) / sizeof(*samplings); i++)
		check_sizes(
			(struct jpeg_kind){
				.components = 3, .h = samplings[i].h, .v = samplings[i].v },
			150);
}

Test(jpeg, windows_equal_the_whole_in_progressive_files)
{
	for (size_t i = 0; i < sizeof(samplings) / sizeof(*samplings); i++)
		check_sizes((struct jpeg_kind){ .components = 3,
				    .h = samplings[i].h,
				    .v = samplings[i].v,
				    .progressive = true },
			50);
}

/* Scans that never came leave coefficients unrefined: libjpeg smooths, across more than our margin.
 */
Test(jpeg, windows_equal_the_whole_where_blocks_are_smoothed)
{
	for (unsigned scans = 1; scans < 10; scans++)
		check_sizes((struct jpeg_kind){ .components = 3,
				    .h = 2,
				    .v = 2,
				    .progressive = true,
				    .scans = scans },
			40);
}

/* Found by fuzzing: libjpeg upsamples the first component of these otherwise where it crops. */
Test(jpeg, windows_equal_the_whole_where_subsampling_is_uneven)
{
	check_sizes((struct jpeg_kind){ .components = 3, .uneven = true, .apart = true }, 60);
}

Test(jpeg, windows_equal_the_whole_with_restart_markers_and_in_gray)
{
	check_sizes((struct jpeg_kind){ .components = 3, .h = 2, .v = 2, .restart = 3 }, 60);
	check_sizes((struct jpeg_kind){ .components = 3, .h = 2, .v = 2, .apart = true }, 60);
	check_sizes((struct jpeg_kind){ .components = 1 }, 60);
	check_windows(&(struct jpeg_kind){ .width = 101, .height = 67, .components = 1 }, 1, 60);
	check_windows(
		&(struct jpeg_kind){ .width = 101, .height = 67, .components = 3, .h = 2, .v = 2 },
		1, 60);
}

/* The whole comes from our own decoder here: the goldens prove it. */
static void check_cmyk(bool ycck, unsigned h)
{
	const struct jpeg_kind k = {
		.width = 75, .height = 43, .components = 4, .h = h, .v = h, .ycck = ycck
	};
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	TFR_AUTO_BUF jpeg = make_jpeg(&k);
	const struct tfr_crop windows[] = { { 20, 10, 30, 20 }, { 74, 42, 1, 1 }, { 0, 0, 33, 43 },
		{ 31, 1, 44, 9 } };
	TFR_AUTO_FREE uint8_t *whole = malloc(75 * 43 * 3);
	struct tfr_image image;

	cr_assert_eq(tfr_decode(d, jpeg.data, jpeg.size, NULL, 3, &image, NULL), TFR_OK);
	cr_assert_eq(image.stride, 75 * 3);
	memcpy(whole, image.data, 75 * 43 * 3);
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++)
		check_window(d, &jpeg, whole, &k, &windows[i], 3);
	tfr_decoder_free(d);
}

Test(jpeg, windows_equal_the_whole_in_cmyk)
{
	check_cmyk(false, 1);
	check_cmyk(true, 1);
	check_cmyk(true, 2);
}

Test(jpeg, without_adobes_marker_inks_are_not_inverted)
{
	const struct jpeg_kind adobe = {
		.width = 16, .height = 8, .components = 4, .h = 1, .v = 1
	};
	struct jpeg_kind plain = adobe;
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	struct tfr_image image;
	uint8_t inverted[3];

	plain.no_adobe = true;
	TFR_AUTO_BUF a = make_jpeg(&adobe), b = make_jpeg(&plain);
	cr_assert_eq(tfr_decode(d, a.data, a.size, NULL, 3, &image, NULL), TFR_OK);
	memcpy(inverted, image.data, 3);
	cr_assert_eq(tfr_decode(d, b.data, b.size, NULL, 3, &image, NULL), TFR_OK);
	cr_assert(memcmp(inverted, image.data, 3) != 0);
	tfr_decoder_free(d);
}

/* Cut anywhere it is an error, with or without a window, and the same decoder then decodes the
 * whole file. */
static void check_cuts(const struct jpeg_kind *k)
{
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	TFR_AUTO_BUF jpeg = make_jpeg(k);
	const struct tfr_crop corner = { 0, 0, 4, 4 };
	struct tfr_image image;
	struct tfr_image_info info;

	for (size_t n = 0; n < jpeg.size; n++) {
		TFR_AUTO_FREE uint8_t *cut =
			malloc(n + !n); /* so that a sanitizer sees a read past it */

		memcpy(cut, jpeg.data, n);
		cr_assert_neq(tfr_image_probe(cut, n, &info, NULL), TFR_OK, "%zu of %zu bytes", n,
			jpeg.size);
		cr_assert_neq(tfr_decode(d, cut, n, NULL, 3, &image, NULL), TFR_OK,
			"%zu of %zu bytes", n, jpeg.size);
		cr_assert_neq(tfr_decode(d, cut, n, &corner, 3, &image, NULL), TFR_OK,
			"%zu of %zu bytes", n, jpeg.size);
	}
	cr_assert_eq(tfr_decode(d, jpeg.data, jpeg.size, NULL, 3, &image, NULL), TFR_OK);
	tfr_decoder_free(d);
}

Test(jpeg, every_cut_is_an_error)
{
	check_cuts(
		&(struct jpeg_kind){ .width = 40, .height = 30, .components = 3, .h = 2, .v = 2 });
	check_cuts(&(struct jpeg_kind){
		.width = 40, .height = 30, .components = 3, .h = 2, .v = 2, .progressive = true });
	check_cuts(&(struct jpeg_kind){
		.width = 40, .height = 30, .components = 3, .h = 1, .v = 1, .restart = 2 });
	check_cuts(&(struct jpeg_kind){
		.width = 40, .height = 30, .components = 3, .h = 2, .v = 1, .apart = true });
}

Test(jpeg, the_end_of_a_thumbnail_is_not_the_end)
{
	TFR_AUTO_BUF thumbnail =
		make_jpeg(&(struct jpeg_kind){ .width = 16, .height = 16, .components = 1 });
	TFR_AUTO_BUF jpeg = make_jpeg(&(struct jpeg_kind){ .width = 32,
		.height = 24,
		.components = 3,
		.h = 2,
		.v = 1,
		.app1 = thumbnail.data,
		.app1_size = thumbnail.size });
	struct tfr_image_info info;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_image_probe(jpeg.data, jpeg.size, &info, &err), TFR_OK, "%s", err.message);
	cr_assert_eq(info.width, 32);
	cr_assert_eq(tfr_image_probe(jpeg.data, jpeg.size - 2, &info, &err), TFR_EDATA);
	cr_assert_str_eq(err.message, "truncated JPEG: no end marker");
}

Test(jpeg, bytes_after_the_end_are_allowed)
{
	TFR_AUTO_BUF jpeg = make_jpeg(
		&(struct jpeg_kind){ .width = 32, .height = 24, .components = 3, .h = 2, .v = 2 });
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	struct tfr_image image;
	struct tfr_error err = { 0 };

	cr_assert(tfr_buf_append(&jpeg, "garbage\0\0\0", 10));
	cr_assert_eq(tfr_decode(d, jpeg.data, jpeg.size, NULL, 3, &image, &err), TFR_OK, "%s",
		err.message);
	tfr_decoder_free(d);
}

/* A hole in the middle: the probe cannot see it, decoding does. */
Test(jpeg, lost_data_is_an_error_though_the_end_is_there)
{
	TFR_AUTO_BUF jpeg = make_jpeg(&(struct jpeg_kind){
		.width = 200, .height = 100, .components = 3, .h = 2, .v = 2 });
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	size_t hole = jpeg.size / 2;
	struct tfr_image_info info;
	struct tfr_image image;
	struct tfr_error err = { 0 };

	memmove(jpeg.data + hole, jpeg.data + jpeg.size - 2, 2);
	jpeg.size = hole + 2;
	cr_assert_eq(tfr_image_probe(jpeg.data, jpeg.size, &info, &err), TFR_OK);
	cr_assert_eq(tfr_decode(d, jpeg.data, jpeg.size, NULL, 3, &image, &err), TFR_EDATA);
	cr_assert(strstr(err.message, "damaged JPEG"), "%s", err.message);
	tfr_decoder_free(d);
}

/* Not exact, but near: on average within a few levels of the exact pixels, at any window. */
Test(jpeg, fast_decoding_is_near)
{
	const struct jpeg_kind k = { .width = 101, .height = 67, .components = 3, .h = 2, .v = 2 };
	struct tfr_decoder *d = tfr_decoder_new(&(struct tfr_decoder_opts){ .fast = true });
	TFR_AUTO_BUF jpeg = make_jpeg(&k);
	TFR_AUTO_FREE uint8_t *whole = plain_jpeg(&jpeg, 3);
	const struct tfr_crop windows[] = { { 0, 0, 101, 67 }, { 37, 21, 50, 40 },
		{ 33, 0, 68, 67 }, { 1, 50, 100, 17 } };
	struct tfr_image image;

	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
		const struct tfr_crop *w = &windows[i];
		double sum = 0;

		cr_assert_eq(tfr_decode(d, jpeg.data, jpeg.size, w, 3, &image, NULL), TFR_OK);
		for (uint32_t y = 0; y < w->height; y++)
			for (uint32_t x = 0; x < w->width * 3; x++)
				sum += abs(image.data[y * image.stride + x] -
					   whole[((w->y + y) * 101 + w->x) * 3 + x]);
		cr_assert_lt(sum / (w->width * w->height * 3), 6, "%g",
			sum / (w->width * w->height * 3));
	}
	tfr_decoder_free(d);
}

Test(jpeg, what_cannot_be_had_is_refused)
{
	TFR_AUTO_BUF jpeg = make_jpeg(
		&(struct jpeg_kind){ .width = 32, .height = 24, .components = 3, .h = 2, .v = 2 });
	TFR_AUTO_BUF cmyk = make_jpeg(
		&(struct jpeg_kind){ .width = 8, .height = 8, .components = 4, .h = 1, .v = 1 });
	struct tfr_decoder *d = tfr_decoder_new(NULL),
			   *tight =
				   tfr_decoder_new(&(struct tfr_decoder_opts){ .max_bytes = 2303 });
	const struct tfr_crop outside[] = { { 0, 0, 33, 1 }, { 32, 0, 1, 1 }, { 0, 0, 0, 4 },
		{ UINT32_MAX, 0, 2, 2 }, { 0, 20, 1, 5 } };
	struct tfr_image image;
	struct tfr_error err = { 0 };

	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++)
		cr_assert_eq(tfr_decode(d, jpeg.data, jpeg.size, &outside[i], 3, &image, &err),
			TFR_EUSAGE);
	cr_assert_eq(tfr_decode(d, jpeg.data, jpeg.size, NULL, 4, &image, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_decode(d, jpeg.data, jpeg.size, NULL, 2, &image, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_decode(d, cmyk.data, cmyk.size, NULL, 1, &image, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_decode(tight, jpeg.data, jpeg.size, NULL, 3, &image, &err), TFR_EDATA);
	cr_assert(strstr(err.message, "32 x 24"), "%s", err.message);
	cr_assert_eq(tfr_decode_verify(tight, jpeg.data, jpeg.size, NULL), TFR_OK);
	cr_assert_eq(tfr_decode_verify(tight, jpeg.data, jpeg.size - 2, NULL), TFR_EDATA);
	cr_assert_eq(tfr_decode(tight, jpeg.data, jpeg.size, NULL, 1, &image, &err), TFR_OK);
	tfr_decoder_free(tight);
	tfr_decoder_free(d);
}

/* `jpeg` without the segments of one marker, up to its image data. */
static struct tfr_buf without(const struct tfr_buf *jpeg, uint8_t marker)
{
	struct tfr_buf out = { 0 };
	size_t at = 2, next;

	cr_assert(tfr_buf_append(&out, jpeg->data, 2));
	for (; jpeg->data[at + 1] != 0xda; at = next) {
		next = at + 2 + (size_t)(jpeg->data[at + 2] << 8 | jpeg->data[at + 3]);
		if (jpeg->data[at + 1] != marker)
			cr_assert(tfr_buf_append(&out, jpeg->data + at, next - at));
	}
	cr_assert(tfr_buf_append(&out, jpeg->data + at, jpeg->size - at));
	return out;
}

/* Found by fuzzing: libjpeg keeps the tables of the image before.  An image without Huffman
 * tables is decoded by those of T.81's annex K, as a frame of motion JPEG; one without quantisation
 * tables not at all. */
Test(jpeg, tables_of_the_image_before_do_not_count)
{
	const struct jpeg_kind kind = {
		.width = 90, .height = 70, .components = 3, .h = 2, .v = 2
	};
	struct jpeg_kind other = kind;
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	const struct tfr_crop all = { 0, 0, 90, 70 };
	struct tfr_error err = { 0 };
	struct tfr_image image;

	other.optimised = true;
	other.quality = 40;
	TFR_AUTO_BUF jpeg = make_jpeg(&kind), before = make_jpeg(&other);
	TFR_AUTO_BUF no_codes = without(&jpeg, 0xc4), no_steps = without(&jpeg, 0xdb);
	TFR_AUTO_FREE uint8_t *whole = plain_jpeg(&jpeg, 3);

	for (int i = 0; i < 3; i++) {
		check_window(d, &no_codes, whole, &kind, &all, 3);
		cr_assert_eq(tfr_decode(d, no_steps.data, no_steps.size, NULL, 3, &image, &err),
			TFR_EDATA);
		cr_assert(strstr(err.message, "uantization table"), "%s", err.message);
		cr_assert_eq(
			tfr_decode(d, before.data, before.size, NULL, 3, &image, NULL), TFR_OK);
	}
	tfr_decoder_free(d);
}
