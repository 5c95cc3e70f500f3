/* media/formats/libwebp.c - the module webp: decodes images by libwebp, and the first frame of
 * animations by libwebpdemux.
 *
 * libwebp decodes the entire image, and a window is a view of it. */
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include "base/module_export.h"
#include "media/formats/image_codec.h"

enum { FIRST_CHUNK = 12, CHUNK_HEADER = 8, ANIMATED = 0x02 };

static enum tfr_status damaged(struct tfr_error *err)
{
	return tfr_fail(err, TFR_EDATA, "damaged WebP: libwebp does not decode it");
}

static enum tfr_status decode_still(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	__typeof__(&WebPDecodeRGBInto) decode =
		job->channels == 4 ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
	size_t row = (size_t)job->info->width * job->channels, n = row * job->info->height;
	uint8_t *out;

	TFR_NEED_MEMORY((out = tfr_pixels(&d->pixels, n)), err, "decoding a WebP");
	if (!decode(job->data, job->size, out, n, (int)row))
		return damaged(err);
	*image = (struct tfr_image){ out + job->window.y * row +
					     (size_t)job->window.x * job->channels,
		row, job->window.width, job->window.height, job->channels };
	return TFR_OK;
}

/* The canvas after the first frame; NULL: it cannot be decoded. */
static uint8_t *first_canvas(WebPAnimDecoder *player, const struct tfr_image_info *info)
{
	WebPAnimInfo found;
	uint8_t *canvas;
	int when;

	if (!WebPAnimDecoderGetInfo(player, &found) || found.canvas_width != info->width ||
		found.canvas_height != info->height)
		return NULL;
	return WebPAnimDecoderGetNext(player, &canvas, &when) ? canvas : NULL;
}

static enum tfr_status decode_first(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	const struct tfr_image_info *info = job->info;
	const struct tfr_crop *w = &job->window;
	size_t row = (size_t)w->width * job->channels;
	const WebPData data = { job->data, job->size };
	WebPAnimDecoder *player;
	uint8_t *out, *canvas;

	/* libwebp keeps two canvases in addition to ours. */
	if ((uint64_t)info->width * info->height > d->opts.max_bytes / 12)
		return tfr_fail(err, TFR_EDATA, "an animation of %u x %u is too large to decode",
			info->width, info->height);
	TFR_NEED_MEMORY((out = tfr_pixels(&d->pixels, row * w->height)), err, "decoding a WebP");
	if (!(player = WebPAnimDecoderNew(&data, NULL)))
		return damaged(err);
	*image = (struct tfr_image){ out, row, w->width, w->height, job->channels };
	canvas = first_canvas(player, info);
	for (uint32_t y = 0; canvas && y < w->height; y++)
		tfr_channels_convert(canvas + 4 * ((size_t)(w->y + y) * info->width + w->x), 4,
			w->width, out + y * row, job->channels);
	WebPAnimDecoderDelete(player);
	return canvas ? TFR_OK : damaged(err);
}

static enum tfr_status webp_decode(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	const uint8_t *first = job->data + FIRST_CHUNK;
	bool animated = !memcmp(first, "VP8X", 4) && (first[CHUNK_HEADER] & ANIMATED);

	if (job->channels < 3 || job->channels > 4)
		return tfr_fail(err, TFR_EUSAGE, "a WebP decoded to %u channels", job->channels);
	return animated ? decode_first(d, job, image, err) : decode_still(d, job, image, err);
}

static const struct tfr_image_module calls = { .decode = webp_decode };

TFR_MODULE_EXPORT("webp", calls);
