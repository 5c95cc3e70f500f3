/* media/formats/webp.c - WebP (RFC 9649): measures it and finds its end by its chunks, the module
 * webp decodes it (libwebp.c), as TensorFlow does (core/lib/webp/webp_io.cc).
 *
 * A still image has alpha if its header says so.  The first frame of an animation is taken, on its
 * canvas, which always has alpha.  libwebp decodes the entire image. */
#include <string.h>

#include "base/error.h"
#include "media/formats/exif.h"
#include "media/formats/image_codec.h"

enum { RIFF_HEADER = 12, CHUNK_HEADER = 8, VP8_HEADER = 10, VP8L_HEADER = 5, VP8X_HEADER = 10 };
enum { ANIMATED = 0x02, HAS_ALPHA = 0x10 };

static bool is_chunk(const uint8_t *p, const char *name)
{
	return memcmp(p, name, 4) == 0;
}

static uint32_t le24(const uint8_t *p)
{
	return tfr_le16(p) | (uint32_t)p[2] << 16;
}

/* The header of an image chunk: lossy, lossless, or the canvas of an extended file. */
static enum tfr_status read_size(
	const uint8_t *chunk, size_t n, struct tfr_image_info *info, struct tfr_error *err)
{
	const uint8_t *p = chunk + CHUNK_HEADER;
	uint32_t width = 0, height = 0;

	if (is_chunk(chunk, "VP8 ")) {
		if (n < VP8_HEADER || (p[0] & 1) || memcmp(p + 3, "\x9d\x01\x2a", 3) != 0)
			return tfr_fail(err, TFR_EDATA, "damaged WebP: no key frame");
		width = tfr_le16(p + 6) & 0x3fff;
		height = tfr_le16(p + 8) & 0x3fff;
	} else if (is_chunk(chunk, "VP8L")) {
		if (n < VP8L_HEADER || p[0] != 0x2f || p[4] >> 5)
			return tfr_fail(err, TFR_EDATA, "damaged WebP: no lossless header");
		width = (tfr_le32(p + 1) & 0x3fff) + 1;
		height = (tfr_le32(p + 1) >> 14 & 0x3fff) + 1;
	} else if (n < VP8X_HEADER) {
		return tfr_fail(err, TFR_EDATA, "damaged WebP: header too short");
	} else {
		width = le24(p + 4) + 1;
		height = le24(p + 7) + 1;
	}
	if (!width || !height)
		return tfr_fail(
			err, TFR_EDATA, "damaged WebP: zero %s", width ? "height" : "width");
	if (info->width && (info->width != width || info->height != height))
		return tfr_fail(err, TFR_EDATA,
			"damaged WebP: an image of %u x %u on one of %u x %u", width, height,
			info->width, info->height);
	info->width = width;
	info->height = height;
	return TFR_OK;
}

static void read_exif(const uint8_t *p, size_t n, struct tfr_image_info *info)
{
	size_t skip = n > 6 && !memcmp(p, "Exif\0", 6) ? 6 : 0; /* some writers prepend this */

	info->orientation = tfr_exif_orientation(p + skip, n - skip);
}

/* The results of reading the chunks. */
struct found {
	bool extended, animated, alpha, image;
};

static enum tfr_status look_at_chunk(const uint8_t *chunk, size_t n, struct found *f,
	struct tfr_image_info *info, struct tfr_error *err)
{
	const uint8_t *p = chunk + CHUNK_HEADER;
	bool lossless = is_chunk(chunk, "VP8L");

	if (is_chunk(chunk, "VP8X") && !f->extended && !f->image) {
		TFR_TRY(read_size(chunk, n, info, err));
		f->extended = true;
		f->animated = p[0] & ANIMATED;
		f->alpha = p[0] & HAS_ALPHA;
	} else if (is_chunk(chunk, "ANMF")) {
		f->image |= f->animated;
	} else if ((lossless || is_chunk(chunk, "VP8 ")) && !f->animated && !f->image) {
		TFR_TRY(read_size(chunk, n, info, err));
		f->image = true;
		if (lossless)
			f->alpha = p[4] & HAS_ALPHA;
	} else if (is_chunk(chunk, "ALPH")) {
		f->alpha |= f->extended && !f->image;
	} else if (is_chunk(chunk, "EXIF")) {
		read_exif(p, n, info);
	}
	return TFR_OK;
}

static enum tfr_status webp_probe(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err)
{
	uint64_t end = (uint64_t)tfr_le32(data + 4) + 8;
	struct found f = { 0 };
	size_t at = RIFF_HEADER;

	info->bit_depth = 8;
	info->orientation = 1;
	if (end > size)
		end = size;
	while (at < end) {
		uint64_t left = end - at, n;

		if (left < CHUNK_HEADER)
			break;
		n = tfr_le32(data + at + 4);
		if (n > left - CHUNK_HEADER) {
			if (n >= VP8_HEADER && left >= CHUNK_HEADER + VP8_HEADER)
				look_at_chunk(data + at, VP8_HEADER, &f, info, NULL);
			return tfr_image_truncated(info, "WebP: ends inside a chunk", err);
		}
		TFR_TRY(look_at_chunk(data + at, n, &f, info, err));
		at += CHUNK_HEADER + n + (n & 1);
	}
	info->channels = info->components = f.animated || f.alpha ? 4 : 3;
	if (tfr_le32(data + 4) + (uint64_t)8 > size)
		return tfr_image_truncated(info, "WebP: shorter than its header says", err);
	return f.image ? TFR_OK : tfr_fail(err, TFR_EDATA, "damaged WebP: no image data");
}

const struct tfr_image_codec tfr_image_codec_webp = {
	.probe = webp_probe,
	.module = TFR_MODULE_WEBP,
	.whole = true,
};
