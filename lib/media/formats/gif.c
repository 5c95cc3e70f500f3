/* media/formats/gif.c - the first frame of a GIF (GIF89a specification, W3C), as TensorFlow decodes
 * it with expand_animations=False (core/lib/gif/gif_io.cc).
 *
 * The image is as large as the largest frame, whatever the logical screen says.  The first frame is
 * placed at its offset and clipped; the rest and its transparent pixels are black.  Verification
 * decodes the other frames as well, since decode_gif() drops a damaged one with all after it, or
 * fails.
 *
 * The probe reads the blocks, which give the size of every frame and the end.  The module gif
 * decodes the pixels (giflib.c). */
#include "base/error.h"
#include "media/formats/image_codec.h"

enum { SCREEN = 13 /* the header and the logical screen */, DESCRIPTOR = 9, INTERLACED = 0x40 };
enum { EXTENSION = 0x21, FRAME = 0x2c, TRAILER = 0x3b };

/* The bytes of the colour map that these flags announce. */
static size_t map_size(unsigned flags)
{
	return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

/* Skips sub-blocks up to the empty one that ends them; false: the data ends first. */
static bool pass_blocks(const uint8_t *data, size_t size, size_t *at)
{
	while (*at < size) {
		size_t n = data[(*at)++];

		if (!n)
			return true;
		if (n > size - *at)
			return false;
		*at += n;
	}
	return false;
}

/* Skips a frame whose descriptor begins at *at. */
static bool pass_frame(const uint8_t *data, size_t size, size_t *at, struct tfr_image_info *info)
{
	const uint8_t *p = data + *at;
	size_t n = DESCRIPTOR;

	if (size - *at < DESCRIPTOR)
		return false;
	n += map_size(p[8]) + 1; /* and the size of the first codes */
	if (size - *at < n)
		return false;
	if (!info->width)
		info->progressive = p[8] & INTERLACED;
	if (info->width < tfr_le16(p + 4))
		info->width = tfr_le16(p + 4);
	if (info->height < tfr_le16(p + 6))
		info->height = tfr_le16(p + 6);
	*at += n;
	if (!pass_blocks(data, size, at))
		return false;
	info->frames++;
	return true;
}

static enum tfr_status gif_probe(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err)
{
	size_t at = SCREEN;

	if (size < SCREEN || size - SCREEN < map_size(data[10]))
		return tfr_image_truncated(info, "GIF: ends inside its header", err);
	info->channels = 3;
	info->components = 1;
	info->bit_depth = 8;
	info->orientation = 1;
	at += map_size(data[10]);
	/* Only the trailer is missing, which every reader accepts. */
	while (at < size && data[at] != TRAILER) {
		bool good = true;
		unsigned kind = data[at++];

		if (kind == FRAME)
			good = pass_frame(data, size, &at, info);
		else if (kind == EXTENSION)
			good = ++at <= size && pass_blocks(data, size, &at);
		else if (kind)
			return tfr_fail(err, TFR_EDATA, "damaged GIF: block of type %u", kind);
		if (!good)
			return tfr_image_truncated(info,
				info->frames ? "GIF: ends after its first frame"
					     : "GIF: ends inside its first frame",
				err);
	}
	if (info->width && info->height)
		return TFR_OK;
	return at < size ? tfr_fail(err, TFR_EDATA, "damaged GIF: no image data")
			 : tfr_image_truncated(info, "GIF: no image data", err);
}

const struct tfr_image_codec tfr_image_codec_gif = { .probe = gif_probe, .module = TFR_MODULE_GIF };
