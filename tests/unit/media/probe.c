/* What a file is and how large, from its first bytes and its end. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "media/formats/image_codec.h"
#include "images.h"

static const struct {
	const char *bytes;
	size_t size;
	const char *name;
} starts[] = {
	{ "\xff\xd8\xff\xe0", 4, "jpeg" },
	{ "\x89PNG\r\n\x1a\n", 8, "png" },
	{ "GIF89a..", 8, "gif" },
	{ "GIF87a..", 8, "gif" },
	{ "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", 18, "bmp" },
	{ "RIFF\0\0\0\0WEBPVP8 ", 16, "webp" },
	{ "II*\0", 4, "tiff" },
	{ "MM\0*", 4, "tiff" },
	{ "\xff\x0a\0\0", 4, "jxl" },
	{ "\0\0\0\x1c"
	  "ftypavif",
		12, "avif" },
	{ "\0\0\0\x18"
	  "ftypheic",
		12, "heic" },
	{ "\0\0\0\x0cjP  \r\n\x87\n", 12, "jp2" },
	{ "BMW cars are fast enough", 24, "unknown" },
	{ "RIFF\0\0\0\0WAVEfmt ", 16, "unknown" },
	{ "\x89PNG\r\n\x1a", 7, "unknown" },
	{ "\xff\xd8", 2, "unknown" },
	{ "", 0, "unknown" },
};

enum { STARTS = sizeof(starts) / sizeof(*starts) };

Test(probe, formats_by_their_first_bytes)
{
	for (size_t i = 0; i < STARTS; i++)
		cr_assert_str_eq(
			tfr_image_format_name(tfr_image_sniff(starts[i].bytes, starts[i].size)),
			starts[i].name, "row %zu", i);
}

/* Beginnings of files, cut and changed, and noise. */
Test(probe, the_look_beforehand_misses_nothing)
{
	uint64_t found = 0;
	struct tfr_rng rng;

	tfr_rng_init(&rng, 1, 2);
	for (unsigned round = 0; round < 300000; round++) {
		size_t i = tfr_rng_below(&rng, STARTS), size = tfr_rng_below(&rng, 32);
		enum tfr_image_format format;
		uint8_t bytes[32];

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)tfr_rng_u32(&rng);
		if (round % 4)
			memcpy(bytes, starts[i].bytes, starts[i].size);
		if (round % 2)
			bytes[tfr_rng_below(&rng, 12)] = (uint8_t)tfr_rng_u32(&rng);
		format = tfr_image_sniff_plain(bytes, size);
		cr_assert_eq(tfr_image_sniff(bytes, size), format);
		found += format != TFR_IMAGE_UNKNOWN;
	}
	cr_assert_gt(found, 50000);
}

static void expect_failure(
	const void *data, size_t size, enum tfr_status status, const char *message)
{
	struct tfr_image_info info;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_image_probe(data, size, &info, &err), status);
	cr_assert_str_eq(err.message, message);
}

Test(probe, what_is_no_image_says_so)
{
	static const char empty_jpeg[] = "\xff\xd8\xff\xd9";

	expect_failure("", 0, TFR_EFORMAT, "empty, not an image");
	expect_failure("hello, world", 12, TFR_EFORMAT, "not an image");
	expect_failure("fLaC\0\0\0\x22", 8, TFR_EFORMAT, "a FLAC file, which is not decoded");
	expect_failure("P6\n1 1\n255\n...", 14, TFR_EFORMAT, "a PPM image, which is not decoded");
	expect_failure("P5 1 1 255 .", 12, TFR_EFORMAT, "a PGM image, which is not decoded");
	expect_failure("P7 a text", 9, TFR_EFORMAT, "not an image");
	expect_failure("\0\0\x0a\0\0\0\0\0\0\0\0\0\x10\0\x10\0\x18\x20", 18, TFR_EFORMAT,
		"a TGA image, which is not decoded");
	expect_failure(
		"\0\0\x0a\0\0\0\0\0\0\0\0\0\0\0\x10\0\x18\x20", 18, TFR_EFORMAT, "not an image");
	expect_failure("II*\0....", 8, TFR_EFORMAT, "a tiff image, a format that is not decoded");
	expect_failure("GIF89a..", 8, TFR_EDATA, "truncated GIF: ends inside its header");
	expect_failure("\xff\xd8\xff", 3, TFR_EDATA, "truncated JPEG: no image data");
	expect_failure(empty_jpeg, 4, TFR_EDATA, "damaged JPEG: no image data");
	expect_failure(
		"\xff\xd8\xff\xe0\x10", 5, TFR_EDATA, "truncated JPEG: ends inside its header");
	expect_failure("\x89PNG\r\n\x1a\n", 8, TFR_EDATA, "truncated PNG: ends inside its header");
}

/* Finds the frame header of `jpeg`, whose content it returns: precision, height, width, components.
 */
static uint8_t *frame(const struct tfr_buf *jpeg)
{
	for (size_t i = 0; i + 10 < jpeg->size; i++)
		if (jpeg->data[i] == 0xff && jpeg->data[i + 1] == 0xc0)
			return jpeg->data + i + 4;
	cr_assert_fail("no frame header");
	return NULL;
}

Test(probe, jpeg_headers_that_cannot_be)
{
	TFR_AUTO_BUF jpeg = make_jpeg(
		&(struct jpeg_kind){ .width = 20, .height = 10, .components = 3, .h = 2, .v = 2 });
	uint8_t *f = frame(&jpeg);

	f[1] = f[2] = 0;
	expect_failure(jpeg.data, jpeg.size, TFR_EDATA, "damaged JPEG: zero height");
	f[2] = 10;
	f[3] = f[4] = 0;
	expect_failure(jpeg.data, jpeg.size, TFR_EDATA, "damaged JPEG: zero width");
	f[4] = 20;
	f[0] = 12;
	expect_failure(jpeg.data, jpeg.size, TFR_EFORMAT,
		"a JPEG of 12 bits a sample, which is not decoded");
	f[0] = 8;
	f[-3] = 0xc3;
	expect_failure(jpeg.data, jpeg.size, TFR_EFORMAT,
		"a JPEG of a kind that is not decoded (frame type 3)");
	f[-3] = 0xc0;
	f[5] = 2;
	expect_failure(
		jpeg.data, jpeg.size, TFR_EFORMAT, "a JPEG of 2 components, which is not decoded");
}

Test(probe, jpeg_measures)
{
	static const struct {
		unsigned h, v;
		const char *subsampling;
	} kinds[] = { { 1, 1, "4:4:4" }, { 2, 1, "4:2:2" }, { 2, 2, "4:2:0" }, { 1, 2, "4:4:0" },
		{ 4, 1, "4:1:1" }, { 2, 4, "2x4" } };
	struct tfr_image_info info;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct jpeg_kind k = { .width = 37,
			.height = 29,
			.components = 3,
			.h = kinds[i].h,
			.v = kinds[i].v,
			.progressive = i & 1 };
		TFR_AUTO_BUF jpeg = make_jpeg(&k);

		cr_assert_eq(tfr_image_probe(jpeg.data, jpeg.size, &info, NULL), TFR_OK);
		cr_assert(info.format == TFR_IMAGE_JPEG && info.width == 37 && info.height == 29 &&
			  info.channels == 3);
		cr_assert(info.components == 3 && info.bit_depth == 8 &&
			  info.progressive == k.progressive);
		cr_assert_str_eq(info.subsampling, kinds[i].subsampling);
	}
}

Test(probe, channels_are_those_of_decoding)
{
	static const struct {
		const char *name;
		unsigned channels, components, depth;
	} files[] = {
		{ "gray.jpg", 1, 1, 8 },
		{ "420.jpg", 3, 3, 8 },
		{ "cmyk.jpg", 3, 4, 8 },
		{ "rgb.png", 3, 3, 8 },
		{ "rgba.png", 4, 4, 8 },
		{ "la.png", 2, 2, 8 },
		{ "palette.png", 3, 1, 4 },
		{ "palette-trns.png", 4, 1, 4 },
		{ "bit.png", 1, 1, 1 },
		{ "gray-trns.png", 1, 1, 8 },
		{ "rgb16.png", 3, 3, 16 },
		{ "gray16.png", 1, 1, 16 },
	};
	struct tfr_decoder *d = tfr_decoder_new(NULL);

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		TFR_AUTO_BUF file = golden(files[i].name);
		struct tfr_image_info info;
		struct tfr_image image;

		cr_assert_eq(tfr_image_probe(file.data, file.size, &info, NULL), TFR_OK, "%s",
			files[i].name);
		cr_assert(info.width == 33 && info.height == 25, "%s", files[i].name);
		cr_assert_eq(
			info.channels, files[i].channels, "%s: %u", files[i].name, info.channels);
		cr_assert_eq(info.components, files[i].components, "%s", files[i].name);
		cr_assert_eq(info.bit_depth, files[i].depth, "%s", files[i].name);
		cr_assert_eq(tfr_decode(d, file.data, file.size, NULL, 0, &image, NULL), TFR_OK);
		cr_assert_eq(image.channels, files[i].channels, "%s", files[i].name);
	}
	tfr_decoder_free(d);
}
