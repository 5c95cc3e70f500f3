/* media/formats/image_codec.h - the interface of an image format.
 *
 * A format that is decoded is one file with one `const struct tfr_image_codec`, listed in
 * formats.c; nothing else names it. Decoders write into the pixels of a tfr_decoder, whose memory
 * grows and is reused. */
#ifndef TFR_MEDIA_FORMATS_IMAGE_CODEC_H
#define TFR_MEDIA_FORMATS_IMAGE_CODEC_H

#include <tfr-private/media.h>

#include "base/buf.h"
#include "base/module.h"

struct tfr_decoder {
	struct tfr_decoder_opts opts;
	struct tfr_buf pixels;
	struct tfr_jpeg *jpeg; /* made at the first JPEG and kept */
	bool verifies;	       /* all frames of a GIF are decoded */
};

/* One request for decoding, with all defaults resolved.  `window` is within the image; `channels`
 * is not 0. */
struct tfr_decode_job {
	const uint8_t *data;
	size_t size;
	const struct tfr_image_info *info;
	struct tfr_crop window;
	unsigned channels; /* bytes per pixel */
	bool numbers;	   /* PNG only: samples as stored: palette indices, 16 bits in two bytes */
};

struct tfr_encoder {
	struct tfr_buf encoded;
	struct tfr_jpeg_writer *jpeg; /* of JPEG: made at the first one and kept */
};

struct tfr_image_codec {
	/* Always decoded completely, whatever the window: its memory is that of all rows. */
	bool whole;
	/* Fills `info`, whose format is already set, and verifies that the image has an end. */
	enum tfr_status (*probe)(const uint8_t *data, size_t size, struct tfr_image_info *info,
		struct tfr_error *err);
	/* NULL: `module` decodes. */
	enum tfr_status (*decode)(struct tfr_decoder *d, const struct tfr_decode_job *job,
		struct tfr_image *image, struct tfr_error *err);
	enum tfr_module_name module;
	/* Appends the encoded image to `out`; NULL: tfr does not write this format. */
	enum tfr_status (*encode)(struct tfr_encoder *e, const struct tfr_image *image,
		const struct tfr_encode_opts *opts, struct tfr_buf *out, struct tfr_error *err);
};

extern const struct tfr_image_codec tfr_image_codec_jpeg, tfr_image_codec_png, tfr_image_codec_gif,
	tfr_image_codec_bmp, tfr_image_codec_webp;

/* The calls of the modules gif and webp. */
struct tfr_image_module {
	__typeof__(((struct tfr_image_codec *)0)->decode) decode;
};

/* Whether tfr_channels_convert() can convert `from` channels to `to`: 1 to 1; 1, 3 and 4 to 3 and
 * 4. */
bool tfr_channels_converts(unsigned from, unsigned to);
/* Converts `n` pixels: gray is repeated; alpha is dropped, or 255 if there is none. */
void tfr_channels_convert(const uint8_t *in, unsigned from, size_t n, uint8_t *out, unsigned to);

/* Fails because the data ends too early; `what` is such as "PNG: no IEND chunk". */
enum tfr_status tfr_image_truncated(
	struct tfr_image_info *info, const char *what, struct tfr_error *err);

/* The codec of `format`; NULL: it is only detected. */
const struct tfr_image_codec *tfr_image_codec_of(enum tfr_image_format format);

/* The plain twin of tfr_image_sniff(): compares one magic after another. */
enum tfr_image_format tfr_image_sniff_plain(const void *data, size_t size);

void tfr_jpeg_free(struct tfr_jpeg *j);
void tfr_jpeg_writer_free(struct tfr_jpeg_writer *p);

/* As tfr_encode(), into the caller's buffer, whose contents are replaced. */
enum tfr_status tfr_encode_into(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, struct tfr_buf *out, struct tfr_error *err);

/* `size` bytes of reused memory, whose contents are lost; NULL: out of memory. */
uint8_t *tfr_pixels(struct tfr_buf *kept, size_t size);

static inline uint32_t tfr_be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t tfr_be32(const uint8_t *p)
{
	return tfr_be16(p) << 16 | tfr_be16(p + 2);
}

static inline uint32_t tfr_le16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t tfr_le32(const uint8_t *p)
{
	return tfr_le16(p) | tfr_le16(p + 2) << 16;
}

#endif
