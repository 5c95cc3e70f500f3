/* media/formats/bmp.c - BMP, as TensorFlow's decode_bmp reads it
 * (core/kernels/image/decode_image_op.cc).
 *
 * Debian has no maintained C library for BMP alone, and TensorFlow reads a small part of the
 * format: 8, 24 or 32 bits per pixel, not compressed, as many bytes as the header says and not one
 * more. The 8-bit samples of a palette are its indices there, and so they are here.  Everything
 * else is refused by name, so that no record holds what training cannot read. */
#include <string.h>

#include "base/error.h"
#include "media/formats/image_codec.h"

enum { LEAST = 54 /* BITMAPFILEHEADER and BITMAPINFOHEADER */, INFO_HEADER = 40 };
enum { BI_RGB = 0, BI_BITFIELDS = 3, BI_ALPHABITFIELDS = 6 };

/* The bytes of a row, which are padded to a multiple of 4. */
static uint64_t row_size(const struct tfr_image_info *info)
{
	return ((uint64_t)info->components * info->width + 3) / 4 * 4;
}

/* Whether the palette, which follows the headers, is that of gray: index i is the colour i, i, i.
 */
static bool is_gray(const uint8_t *data, size_t size)
{
	uint64_t at = 14 + (uint64_t)tfr_le32(data + 14);
	uint32_t colours = tfr_le32(data + 46);

	if (!colours || colours > 256)
		colours = 256;
	if (at + 4 * (uint64_t)colours > size)
		return false;
	for (uint32_t i = 0; i < colours; i++)
		if (data[at + 4 * i] != i || data[at + 4 * i + 1] != i || data[at + 4 * i + 2] != i)
			return false;
	return true;
}

static enum tfr_status read_header(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err)
{
	int32_t width = (int32_t)tfr_le32(data + 18), height = (int32_t)tfr_le32(data + 22);
	unsigned bits = tfr_le16(data + 28), compression = tfr_le32(data + 30);

	if (tfr_le32(data + 14) < INFO_HEADER)
		return tfr_fail(err, TFR_EFORMAT,
			"a BMP with an OS/2 header, which TensorFlow does not decode");
	if (width <= 0 || !height)
		return tfr_fail(err, TFR_EDATA, "damaged BMP: size %d x %d", width, height);
	if (bits != 8 && bits != 24 && bits != 32)
		return tfr_fail(
			err, TFR_EFORMAT, "a %u-bit BMP, which TensorFlow does not decode", bits);
	if (compression != BI_RGB && compression != BI_BITFIELDS &&
		compression != BI_ALPHABITFIELDS)
		return tfr_fail(
			err, TFR_EFORMAT, "a compressed BMP, which TensorFlow does not decode");
	info->width = (uint32_t)width;
	info->height = height < 0 ? 0u - (uint32_t)height : (uint32_t)height;
	info->components = info->channels = bits / 8;
	info->bit_depth = 8;
	info->palette = bits == 8 && !is_gray(data, size);
	info->orientation = 1;
	if ((uint64_t)info->width * info->height >= INT32_MAX / 8)
		return tfr_fail(err, TFR_EFORMAT,
			"a BMP of %u x %u, which is too large for TensorFlow", info->width,
			info->height);
	return TFR_OK;
}

static enum tfr_status bmp_probe(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err)
{
	uint64_t end;

	if (size < LEAST)
		return tfr_image_truncated(info, "BMP: ends inside its header", err);
	TFR_TRY(read_header(data, size, info, err));
	end = tfr_le32(data + 10) + row_size(info) * info->height;
	info->truncated = size < end;
	if (info->truncated)
		return tfr_fail(err, TFR_EDATA, "truncated BMP: %zu of %llu bytes", size,
			(unsigned long long)end);
	if (size > end)
		return tfr_fail(err, TFR_EDATA,
			"damaged BMP: %llu bytes after its pixels, which TensorFlow refuses",
			(unsigned long long)(size - end));
	return TFR_OK;
}

/* The file stores blue first. */
static void exchange_blue(const uint8_t *in, unsigned channels, size_t n, uint8_t *out)
{
	for (size_t i = 0; i < n; i++, in += channels, out += channels) {
		out[0] = in[2];
		out[1] = in[1];
		out[2] = in[0];
		if (channels == 4)
			out[3] = in[3];
	}
}

static enum tfr_status bmp_decode(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	const struct tfr_image_info *info = job->info;
	const struct tfr_crop *w = &job->window;
	bool top_down = (int32_t)tfr_le32(job->data + 22) < 0;
	size_t stride = row_size(info), n = w->width, out_row = n * job->channels;
	const uint8_t *pixels = job->data + tfr_le32(job->data + 10);
	TFR_AUTO_FREE uint8_t *row = NULL;
	uint8_t *out;

	if (!tfr_channels_converts(info->channels, job->channels))
		return tfr_fail(err, TFR_EUSAGE, "a BMP of %u channels decoded to %u",
			info->channels, job->channels);
	row = malloc(n * info->components);
	out = tfr_pixels(&d->pixels, out_row * w->height);
	if (!row || !out)
		return tfr_fail_nomem(err, "decoding a BMP");
	*image = (struct tfr_image){ out, out_row, w->width, w->height, job->channels };
	for (uint32_t i = 0; i < w->height; i++, out += out_row) {
		uint32_t y = top_down ? w->y + i : info->height - 1 - (w->y + i);
		const uint8_t *in = pixels + y * stride + (size_t)w->x * info->components;

		if (info->components == 1)
			memcpy(row, in, n);
		else
			exchange_blue(in, info->components, n, row);
		tfr_channels_convert(row, info->components, n, out, job->channels);
	}
	return TFR_OK;
}

const struct tfr_image_codec tfr_image_codec_bmp = { .probe = bmp_probe, .decode = bmp_decode };
