/* media/formats/formats.c - all known image formats: from bytes to pixels and back.
 *
 * The content decides about the format, never a name.  No two magics below match the same bytes, so
 * their order does not matter.
 *
 * Every decode probes first.  That costs less than a microsecond.  A truncated image is then an
 * error with any window, and an image that claims an absurd size fails before memory is allocated.
 */
#include <string.h>

#include "base/error.h"
#include "media/formats/image_codec.h"

#define DEFAULT_MAX_BYTES ((uint64_t)1 << 30)

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
static bool confirm_magic(enum tfr_image_format format, const uint8_t *data, size_t size)
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
				confirm_magic(formats[i].format, p, size))
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

/* --- measuring --- */

enum tfr_status tfr_image_truncated(
	struct tfr_image_info *info, const char *what, struct tfr_error *err)
{
	info->truncated = true;
	return tfr_fail(err, TFR_EDATA, "truncated %s", what);
}

/* TGA has no magic: no map, true colour or gray, 8 to 32 bits, and a size (Truevision's
 * specification 2.0).  Enough for a message about a file that is nothing else. */
static bool looks_like_tga(const uint8_t *p, size_t size)
{
	return size >= 18 && p[1] == 0 && (p[2] & ~8u) >= 2 && (p[2] & ~8u) <= 3 &&
	       tfr_be32(p + 3) == 0 && p[7] == 0 && tfr_le16(p + 12) && tfr_le16(p + 14) &&
	       p[16] % 8 == 0 && p[16] >= 8 && p[16] <= 32 && p[17] < 64;
}

/* The kind of a file that is not an image of a known format, for a message; NULL: unknown. */
static const char *other_kind(const uint8_t *p, size_t size)
{
	static const struct {
		const char *magic, *name;
	} kinds[] = {
		{ "fLaC", "a FLAC file" },
		{ "OggS", "an Ogg file" },
		{ "ID3", "an MP3 file" },
		{ "8BPS", "a Photoshop image" },
		{ "v/1\1", "an OpenEXR image" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size >= strlen(kinds[i].magic) &&
			!memcmp(p, kinds[i].magic, strlen(kinds[i].magic)))
			return kinds[i].name;
	if (size >= 3 && p[0] == 'P' && p[1] >= '1' && p[1] <= '6' &&
		(p[2] == '\n' || p[2] == ' ' || p[2] == '\r' || p[2] == '\t'))
		return p[1] % 3 == 0   ? "a PPM image"
		       : p[1] % 3 == 1 ? "a PBM image"
				       : "a PGM image";
	return looks_like_tga(p, size) ? "a TGA image" : NULL;
}

enum tfr_status tfr_image_probe(
	const void *data, size_t size, struct tfr_image_info *info, struct tfr_error *err)
{
	const struct tfr_image_codec *codec;

	*info = (struct tfr_image_info){ 0 };
	if (size == 0)
		return tfr_fail(err, TFR_EFORMAT, "empty, not an image");
	info->format = tfr_image_sniff(data, size);
	if (info->format == TFR_IMAGE_UNKNOWN)
		return other_kind(data, size)
			       ? tfr_fail(err, TFR_EFORMAT, "%s, which is not decoded",
					 other_kind(data, size))
			       : tfr_fail(err, TFR_EFORMAT, "not an image");
	codec = tfr_image_codec_of(info->format);
	if (!codec)
		return tfr_fail(err, TFR_EFORMAT, "a %s image, a format that is not decoded",
			tfr_image_format_name(info->format));
	return codec->probe(data, size, info, err);
}

/* --- decoding --- */

static enum tfr_status check_window(
	const struct tfr_crop *w, uint32_t width, uint32_t height, struct tfr_error *err)
{
	if (w->width && w->height && w->width <= width && w->x <= width - w->width &&
		w->height <= height && w->y <= height - w->height)
		return TFR_OK;
	return tfr_fail(err, TFR_EUSAGE,
		"a window of %u x %u at %u, %u is not within an image of %u x %u", w->width,
		w->height, w->x, w->y, width, height);
}

struct tfr_decoder *tfr_decoder_new(const struct tfr_decoder_opts *opts)
{
	struct tfr_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	if (opts)
		d->opts = *opts;
	if (!d->opts.max_bytes)
		d->opts.max_bytes = DEFAULT_MAX_BYTES;
	return d;
}

void tfr_decoder_free(struct tfr_decoder *d)
{
	if (!d)
		return;
	tfr_jpeg_free(d->jpeg);
	tfr_buf_clear(&d->pixels);
	free(d);
}

static enum tfr_status decode_image(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	const struct tfr_image_codec *codec = tfr_image_codec_of(job->info->format);
	const void *calls;

	if (codec->decode)
		return codec->decode(d, job, image, err);
	TFR_TRY(tfr_module_open(&calls, codec->module, err, "cannot decode %s",
		tfr_image_format_name(job->info->format)));
	return ((const struct tfr_image_module *)calls)->decode(d, job, image, err);
}

/* An image that comes in one pass is kept only where the window is. */
static enum tfr_status check_size(
	const struct tfr_decoder *d, const struct tfr_decode_job *job, struct tfr_error *err)
{
	const struct tfr_image_info *info = job->info;
	bool whole = info->progressive || tfr_image_codec_of(info->format)->whole;
	uint64_t rows = whole ? info->height : job->window.height;
	unsigned channels = job->channels;
	/* Two 31-bit sizes and a small number: no overflow. */
	uint64_t pixels = info->width * rows;

	if (pixels <= d->opts.max_bytes / channels)
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA,
		"an image of %u x %u needs %.4g GiB decoded, more than the %.4g GiB allowed",
		info->width, info->height, (double)pixels * channels / 0x1p30,
		(double)d->opts.max_bytes / 0x1p30);
}

static enum tfr_status check_pixels(
	const struct tfr_decoder *d, const struct tfr_image_info *info, struct tfr_error *err)
{
	uint64_t most = d->opts.max_pixels;

	if (!most || (uint64_t)info->width * info->height <= most)
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "an image of %u x %u has more than the %llu pixels allowed",
		info->width, info->height, (unsigned long long)most);
}

enum tfr_status tfr_decode(struct tfr_decoder *d, const void *data, size_t size,
	const struct tfr_crop *window, unsigned channels, struct tfr_image *image,
	struct tfr_error *err)
{
	struct tfr_image_info info;
	struct tfr_decode_job job = { .data = data, .size = size, .info = &info };

	TFR_TRY(tfr_image_probe(data, size, &info, err));
	job.channels = channels ? channels : info.channels;
	job.window = window ? *window : (struct tfr_crop){ 0, 0, info.width, info.height };
	TFR_TRY(check_window(&job.window, info.width, info.height, err));
	TFR_TRY(check_pixels(d, &info, err));
	TFR_TRY(check_size(d, &job, err));
	return decode_image(d, &job, image, err);
}

/* The high byte comes first. */
static enum tfr_status narrow_to_bytes(uint8_t *pixels, size_t n, struct tfr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (pixels[2 * i])
			return tfr_fail(err, TFR_EDATA, "a 16-bit PNG with the number %u, over 255",
				tfr_be16(pixels + 2 * i));
		pixels[i] = pixels[2 * i + 1];
	}
	return TFR_OK;
}

enum tfr_status tfr_decode_numbers(struct tfr_decoder *d, const void *data, size_t size,
	struct tfr_image *image, struct tfr_error *err)
{
	struct tfr_image_info info;
	struct tfr_decode_job job = {
		.data = data, .size = size, .info = &info, .channels = 1, .numbers = true
	};

	TFR_TRY(tfr_image_probe(data, size, &info, err));
	if (info.format != TFR_IMAGE_PNG)
		return tfr_fail(err, TFR_EFORMAT, "a %s image, not a png",
			tfr_image_format_name(info.format));
	if (info.components != 1)
		return tfr_fail(err, TFR_EFORMAT, "a PNG of %u channels, not of one number a pixel",
			info.components);
	if (info.bit_depth == 16)
		job.channels = 2;
	job.window = (struct tfr_crop){ 0, 0, info.width, info.height };
	TFR_TRY(check_pixels(d, &info, err));
	TFR_TRY(check_size(d, &job, err));
	TFR_TRY(decode_image(d, &job, image, err));
	if (job.channels == 1)
		return TFR_OK;
	image->channels = 1;
	image->stride = info.width;
	return narrow_to_bytes(d->pixels.data, (size_t)info.width * info.height, err);
}

enum tfr_status tfr_decode_verify(
	struct tfr_decoder *d, const void *data, size_t size, struct tfr_error *err)
{
	struct tfr_image_info info;
	struct tfr_decode_job job = { .info = &info };
	struct tfr_image image;
	struct tfr_crop last_row;
	enum tfr_status status;

	TFR_TRY(tfr_image_probe(data, size, &info, err));
	job.channels = info.channels;
	job.window = (struct tfr_crop){ 0, 0, info.width, info.height };
	last_row = (struct tfr_crop){ 0, info.height - 1, info.width, 1 };
	d->verifies = true;
	status = tfr_decode(
		d, data, size, check_size(d, &job, NULL) ? &last_row : NULL, 0, &image, err);
	d->verifies = false;
	return status;
}

/* --- encoding --- */

struct tfr_encoder *tfr_encoder_new(void)
{
	return calloc(1, sizeof(struct tfr_encoder));
}

void tfr_encoder_free(struct tfr_encoder *e)
{
	if (!e)
		return;
	tfr_jpeg_writer_free(e->jpeg);
	tfr_buf_clear(&e->encoded);
	free(e);
}

enum tfr_status tfr_encode_into(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, struct tfr_buf *out, struct tfr_error *err)
{
	const struct tfr_image_codec *codec = tfr_image_codec_of(opts->format);

	out->size = 0;
	if (!codec || !codec->encode)
		return tfr_fail(err, TFR_EUSAGE, "images cannot be encoded as %s",
			tfr_image_format_name(opts->format));
	if (!image->width || !image->height || image->channels < 1 || image->channels > 4 ||
		opts->quality > 100)
		return tfr_fail(err, TFR_EUSAGE,
			"a codec of %u x %u x %u cannot be encoded with quality %u", image->width,
			image->height, image->channels, opts->quality);
	return codec->encode(e, image, opts, out, err);
}

enum tfr_status tfr_encode(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, const void **data, size_t *size, struct tfr_error *err)
{
	enum tfr_status status = tfr_encode_into(e, image, opts, &e->encoded, err);

	*data = e->encoded.data;
	*size = e->encoded.size;
	return status;
}
