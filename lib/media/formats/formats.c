/* media/formats/formats.c - all known image formats, by their first bytes.
 *
 * The content decides, never a name.  No two magics below match the same bytes, so their order does
 * not matter. */
#include <string.h>

#include "media/formats/image_codec.h"

/* ISO/IEC 14496-12: a box's size comes before its type. */
/* clang-format off */
#define ISO_BRAND(brand) { "ftyp" brand, 8, 4 }
/* clang-format on */

static const struct format {
	enum tfr_image_format format;
	const char *name;
	const struct tfr_image_codec *image;
	struct {
		const char *bytes;
		size_t size, offset;
	} magic[3];
} formats[] = {
	{ TFR_IMAGE_JPEG, "jpeg", &tfr_image_codec_jpeg, { { "\xff\xd8\xff", 3, 0 } } },
	{ TFR_IMAGE_PNG, "png", &tfr_image_codec_png, { { "\x89PNG\r\n\x1a\n", 8, 0 } } },
	{ TFR_IMAGE_GIF, "gif", &tfr_image_codec_gif, { { "GIF87a", 6, 0 }, { "GIF89a", 6, 0 } } },
	{ TFR_IMAGE_BMP, "bmp", &tfr_image_codec_bmp, { { "BM", 2, 0 } } },
	{ TFR_IMAGE_WEBP, "webp", &tfr_image_codec_webp, { { "WEBP", 4, 8 } } },
	{ TFR_IMAGE_TIFF, "tiff", NULL, { { "II*\0", 4, 0 }, { "MM\0*", 4, 0 } } },
	{ TFR_IMAGE_JXL, "jxl", NULL,
		{ { "\xff\x0a", 2, 0 }, { "\0\0\0\x0cJXL \r\n\x87\n", 12, 0 } } },
	{ TFR_IMAGE_AVIF, "avif", NULL, { ISO_BRAND("avif"), ISO_BRAND("avis") } },
	{ TFR_IMAGE_HEIC, "heic", NULL,
		{ ISO_BRAND("heic"), ISO_BRAND("heix"), ISO_BRAND("mif1") } },
	{ TFR_IMAGE_JP2, "jp2", NULL, { { "\0\0\0\x0cjP  \r\n\x87\n", 12, 0 } } },
};

#define FORMATS (sizeof(formats) / sizeof(*formats))

/* Two magics are too short to be trusted alone: text may start with "BM", and "WEBP" is one kind of
 * RIFF. */
static bool confirmed(enum tfr_image_format format, const uint8_t *data, size_t size)
{
	/* BITMAPFILEHEADER: bytes 6..9 are reserved, zero; then come the offset of the pixels and
	 * the size of the next header, both below 65536. */
	if (format == TFR_IMAGE_BMP)
		return size >= 18 && tfr_be32(data + 6) == 0 && data[12] == 0 && data[13] == 0 &&
		       tfr_be16(data + 16) == 0;
	if (format == TFR_IMAGE_WEBP)
		return memcmp(data, "RIFF", 4) == 0;
	return true;
}

enum tfr_image_format tfr_image_sniff_plain(const void *data, size_t size)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < FORMATS; i++)
		for (size_t m = 0; m < 3 && formats[i].magic[m].size; m++) {
			size_t offset = formats[i].magic[m].offset, n = formats[i].magic[m].size;
			const char *bytes = formats[i].magic[m].bytes;

			/* The first byte is usually enough, without a call. */
			if (size >= offset + n && p[offset] == (uint8_t)*bytes &&
				memcmp(p + offset, bytes, n) == 0 &&
				confirmed(formats[i].format, p, size))
				return formats[i].format;
		}
	return TFR_IMAGE_UNKNOWN;
}

/* Whether comparing the magics is worthwhile: few values are images. */
static bool may_be_image(const uint8_t *p, size_t size)
{
	if (size < 2)
		return false;
	switch (p[0]) {
	case 0x00: /* a box of JXL, JP2, AVIF or HEIC, below 16 MiB */
	case 0x89:
	case 0xff:
	case 'B':
	case 'G':
	case 'I':
	case 'M':
	case 'R': /* RIFF */
		return true;
	default:
		return size >= 8 && p[4] == 'f'; /* of ftyp */
	}
}

enum tfr_image_format tfr_image_sniff(const void *data, size_t size)
{
	return may_be_image(data, size) ? tfr_image_sniff_plain(data, size) : TFR_IMAGE_UNKNOWN;
}

const char *tfr_image_format_name(enum tfr_image_format format)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i].format == format)
			return formats[i].name;
	return "unknown";
}

bool tfr_image_is_decoded(enum tfr_image_format format)
{
	return tfr_image_codec_of(format) != NULL;
}

bool tfr_image_is_encoded(enum tfr_image_format format)
{
	const struct tfr_image_codec *image = tfr_image_codec_of(format);

	return image && image->encode;
}

const struct tfr_image_codec *tfr_image_codec_of(enum tfr_image_format format)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (formats[i].format == format)
			return formats[i].image;
	return NULL;
}
