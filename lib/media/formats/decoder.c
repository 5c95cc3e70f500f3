/* media/formats/decoder.c - from bytes to pixels for any format: detect, measure, check the
 * request, decode.
 *
 * Every decode probes first.  That costs less than a microsecond.  A truncated image is then an
 * error with any window, and an image that claims an absurd size fails before memory is allocated.
 */
#include <string.h>

#include "base/error.h"
#include "media/formats/image_codec.h"

#define DEFAULT_MAX_BYTES ((uint64_t)1 << 30)

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

enum tfr_status tfr_image_module_decode(enum tfr_module_name name, struct tfr_decoder *d,
	const struct tfr_decode_job *job, struct tfr_image *image, struct tfr_error *err)
{
	const void *calls;

	TFR_TRY(tfr_module_open(
		&calls, name, err, "cannot decode %s", tfr_image_format_name(job->info->format)));
	return ((const struct tfr_image_module *)calls)->decode(d, job, image, err);
}

/* An image that comes in one pass is kept only where the window is. */
static enum tfr_status check_size(const struct tfr_decoder *d, const struct tfr_image_info *info,
	const struct tfr_decode_job *job, struct tfr_error *err)
{
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
	TFR_TRY(check_size(d, &info, &job, err));
	return tfr_image_codec_of(info.format)->decode(d, &job, image, err);
}

/* The high byte comes first. */
static enum tfr_status narrow(uint8_t *pixels, size_t n, struct tfr_error *err)
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
	TFR_TRY(check_size(d, &info, &job, err));
	TFR_TRY(tfr_image_codec_png.decode(d, &job, image, err));
	if (job.channels == 1)
		return TFR_OK;
	image->channels = 1;
	image->stride = info.width;
	return narrow(d->pixels.data, (size_t)info.width * info.height, err);
}

enum tfr_status tfr_decode_verify(
	struct tfr_decoder *d, const void *data, size_t size, struct tfr_error *err)
{
	struct tfr_decode_job job = { 0 };
	struct tfr_image_info info;
	struct tfr_image image;
	struct tfr_crop last_row;

	TFR_TRY(tfr_image_probe(data, size, &info, err));
	job.channels = info.channels;
	job.window = (struct tfr_crop){ 0, 0, info.width, info.height };
	last_row = (struct tfr_crop){ 0, info.height - 1, info.width, 1 };
	return tfr_decode(
		d, data, size, check_size(d, &info, &job, NULL) ? &last_row : NULL, 0, &image, err);
}
