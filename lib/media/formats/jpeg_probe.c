/* media/formats/jpeg_probe.c - measures a JPEG and finds its end, without decoding (ITU-T T.81,
 * annex B).
 *
 * The file is a chain of segments: FF, marker, 16-bit length, content.  The entropy-coded data of
 * the scan follows SOS and writes every FF in it as FF 00.  So EOI (FF D9) after the first SOS
 * belongs to the image, and the EOI of a thumbnail is skipped with its APPn segment.  Stray bytes
 * between segments are skipped, as in libjpeg. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "media/formats/exif.h"
#include "media/formats/jpeg.h"

/* clang-format off */
enum { DHT = 0xc4, JPG = 0xc8, DAC = 0xcc };
enum { SOF0 = 0xc0, SOF2 = 0xc2, SOF9 = 0xc9, SOF10 = 0xca, SOF15 = 0xcf };
enum { RST0 = 0xd0, RST7 = 0xd7, SOI = 0xd8, EOI = 0xd9, SOS = 0xda, TEM = 0x01 };
enum { APP1 = 0xe1 };
/* clang-format on */

static bool is_frame(int marker)
{
	return marker >= SOF0 && marker <= SOF15 && marker != DHT && marker != JPG && marker != DAC;
}

static bool has_length(int marker)
{
	return marker != TEM && !(marker >= RST0 && marker <= EOI);
}

/* Finds the next marker at or after *pos, and moves *pos after it; -1: none.  FF 00 is data, FF FF
 * is fill. */
static int next_marker(const uint8_t *data, size_t size, size_t *pos)
{
	const uint8_t *p = data + *pos, *end = data + size;

	while (p < end && (p = memchr(p, 0xff, (size_t)(end - p)))) {
		while (p < end && *p == 0xff)
			p++;
		if (p == end)
			break;
		if (*p++ != 0) {
			*pos = (size_t)(p - data);
			return p[-1];
		}
	}
	return -1;
}

static const struct {
	unsigned h, v;
	const char *name;
} subsamplings[] = {
	{ 2, 2, "4:2:0" },
	{ 1, 1, "4:4:4" },
	{ 2, 1, "4:2:2" },
	{ 1, 2, "4:4:0" },
	{ 4, 1, "4:1:1" },
	{ 4, 2, "4:1:0" },
};

#define SUBSAMPLINGS (sizeof(subsamplings) / sizeof(*subsamplings))

void tfr_jpeg_factors(const char *subsampling, unsigned *h, unsigned *v)
{
	size_t i = 0;

	for (size_t k = 0; subsampling && k < SUBSAMPLINGS; k++)
		if (!strcmp(subsamplings[k].name, subsampling))
			i = k;
	*h = subsamplings[i].h;
	*v = subsamplings[i].v;
}

static void name_subsampling(const uint8_t *component, struct tfr_image_info *info)
{
	unsigned h = component[1] >> 4, v = component[1] & 15;
	unsigned h1 = component[4] >> 4, v1 = component[4] & 15;

	if (component[4] == component[7])
		for (size_t i = 0; i < SUBSAMPLINGS; i++)
			if (h == subsamplings[i].h * h1 && v == subsamplings[i].v * v1) {
				strcpy(info->subsampling, subsamplings[i].name);
				return;
			}
	snprintf(info->subsampling, sizeof(info->subsampling), "%ux%u", h, v);
}

/* Reads the frame header: precision, height, width, then (id, H << 4 | V, table) for each component
 * (T.81 B.2.2). */
static enum tfr_status read_frame(
	const uint8_t *p, size_t n, int marker, struct tfr_image_info *info, struct tfr_error *err)
{
	if (n < 6 || n < 6 + 3 * (size_t)p[5])
		return tfr_fail(err, TFR_EDATA, "damaged JPEG: frame header too short");
	info->bit_depth = p[0];
	info->height = tfr_be16(p + 1);
	info->width = tfr_be16(p + 3);
	info->components = p[5];
	info->channels = p[5] == 1 ? 1 : 3;
	info->progressive = marker == SOF2 || marker == SOF10;
	if (marker > SOF2 && marker != SOF9 && marker != SOF10)
		return tfr_fail(err, TFR_EFORMAT,
			"a JPEG of a kind that is not decoded (frame type %d)", marker - SOF0);
	if (info->bit_depth != 8)
		return tfr_fail(err, TFR_EFORMAT,
			"a JPEG of %u bits a sample, which is not decoded", info->bit_depth);
	if (info->components != 1 && info->components != 3 && info->components != 4)
		return tfr_fail(err, TFR_EFORMAT, "a JPEG of %u components, which is not decoded",
			info->components);
	if (!info->width || !info->height)
		return tfr_fail(
			err, TFR_EDATA, "damaged JPEG: zero %s", info->width ? "height" : "width");
	if (info->components > 1)
		name_subsampling(p + 6, info);
	return TFR_OK;
}

/* Only the first APP1 segment with EXIF counts, as in Pillow; others are XMP. */
static void read_exif(const uint8_t *p, size_t n, struct tfr_image_info *info)
{
	if (!info->orientation && n > 6 && !memcmp(p, "Exif\0", 6))
		info->orientation = tfr_exif_orientation(p + 6, n - 6);
}

/* Reads the segments up to the first SOS; *pos is then at its content. */
static enum tfr_status walk_header(const uint8_t *data, size_t size, size_t *pos,
	struct tfr_image_info *info, struct tfr_error *err)
{
	int marker;

	while ((marker = next_marker(data, size, pos)) != SOS) {
		size_t n;

		if (marker < 0)
			return tfr_image_truncated(info, "JPEG: no image data", err);
		if (marker == EOI || marker == SOI)
			return tfr_fail(err, TFR_EDATA, "damaged JPEG: no image data");
		if (!has_length(marker))
			continue;
		if (size - *pos < 2 || (n = tfr_be16(data + *pos)) > size - *pos)
			return tfr_image_truncated(info, "JPEG: ends inside its header", err);
		if (n < 2)
			return tfr_fail(err, TFR_EDATA, "damaged JPEG: segment too short");
		if (is_frame(marker))
			TFR_TRY(read_frame(data + *pos + 2, n - 2, marker, info, err));
		if (marker == APP1)
			read_exif(data + *pos + 2, n - 2, info);
		*pos += n;
	}
	if (!info->width)
		return tfr_fail(err, TFR_EDATA, "damaged JPEG: no frame header");
	if (!info->orientation)
		info->orientation = 1;
	return TFR_OK;
}

/* Whether EOI follows the first scan, whose header is at `pos`.  If that scan has every component
 * of a sequential frame, no other scan follows, and EOI at the very end of the file is sufficient.
 */
static bool has_end(const uint8_t *data, size_t size, size_t pos, const struct tfr_image_info *info)
{
	int marker = SOS;

	if (!info->progressive && size - pos > 4 && data[pos + 2] == info->components &&
		data[size - 2] == 0xff && data[size - 1] == EOI)
		return true;
	do {
		if (has_length(marker)) {
			size_t n = size - pos < 2 ? 0 : tfr_be16(data + pos);

			if (n < 2 || n > size - pos)
				return false;
			pos += n;
		}
		marker = next_marker(data, size, &pos);
	} while (marker >= 0 && marker != EOI);
	return marker == EOI;
}

enum tfr_status tfr_jpeg_probe(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err)
{
	size_t pos = 2;

	TFR_TRY(walk_header(data, size, &pos, info, err));
	if (has_end(data, size, pos, info))
		return TFR_OK;
	info->no_end = !info->progressive && size - pos > 4 && data[pos + 2] == info->components;
	return tfr_image_truncated(info, "JPEG: no end marker", err);
}
