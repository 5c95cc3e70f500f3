/* convert/image_lint.c - one row per finding: its code, its text, and how to describe it.
 *
 * None of them keeps an image out of the records.  They are properties that readers treat
 * differently (EXIF, CMYK, 16 bits, alpha), that break pipelines (gray, tiny, huge), that decode
 * slowly (progressive), or that hint at a mistake upstream (a wrong name). */
#include "convert/image_lint.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { TINY = 8, HUGE = 50000000 };

/* Whether the name has the extension of another format; a name without an image's extension does
 * not. */
static bool is_misnamed(const struct tfr_item *item)
{
	static const struct {
		const char *ending;
		enum tfr_image_format format;
	} endings[] = {
		{ "jpg", TFR_IMAGE_JPEG },
		{ "jpeg", TFR_IMAGE_JPEG },
		{ "jpe", TFR_IMAGE_JPEG },
		{ "jfif", TFR_IMAGE_JPEG },
		{ "png", TFR_IMAGE_PNG },
		{ "gif", TFR_IMAGE_GIF },
		{ "bmp", TFR_IMAGE_BMP },
		{ "webp", TFR_IMAGE_WEBP },
		{ "tif", TFR_IMAGE_TIFF },
		{ "tiff", TFR_IMAGE_TIFF },
	};
	const char *name = (const char *)item->name.data, *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(*endings); i++)
		if (!strcasecmp(dot + 1, endings[i].ending))
			return endings[i].format != item->came.format;
	return false;
}

static bool is_turned(const struct tfr_item *item)
{
	return item->came.orientation > 1;
}

static bool is_cmyk(const struct tfr_item *item)
{
	return item->came.format == TFR_IMAGE_JPEG && item->came.components == 4;
}

static bool is_deep(const struct tfr_item *item)
{
	return item->came.bit_depth > 8;
}

static bool is_palette(const struct tfr_item *item)
{
	return item->came.palette && item->came.format != TFR_IMAGE_BMP;
}

static bool is_indices(const struct tfr_item *item)
{
	return item->came.palette && item->came.format == TFR_IMAGE_BMP;
}

static bool has_alpha(const struct tfr_item *item)
{
	return item->came.channels % 2 == 0;
}

static bool is_gray(const struct tfr_item *item)
{
	return item->came.channels < 3;
}

static bool is_progressive(const struct tfr_item *item)
{
	return item->came.progressive;
}

static bool is_tiny(const struct tfr_item *item)
{
	return item->came.width < TINY || item->came.height < TINY;
}

static bool is_huge(const struct tfr_item *item)
{
	return (uint64_t)item->came.width * item->came.height > HUGE;
}

static const struct {
	const char *code, *text;
	bool (*holds)(const struct tfr_item *item); /* NULL: other code describes it */
} rows[TFR_FINDINGS] = {
	[TFR_FOUND_UNREADABLE] = { "unreadable", "files that could not be read" },
	[TFR_FOUND_EMPTY] = { "empty", "empty files" },
	[TFR_FOUND_TRUNCATED] = { "truncated", "truncated images" },
	[TFR_FOUND_DAMAGED] = { "damaged", "damaged images" },
	[TFR_FOUND_NO_IMAGE] = { "no-image",
		"files that are not images in a format that is decoded" },
	[TFR_FOUND_UNUSABLE] = { "unusable", "files that are unusable for other reasons" },
	[TFR_FOUND_NAME] = { "name", "images with the extension of another format", is_misnamed },
	[TFR_FOUND_SIZE] = { "size", "images whose size differs from that in the input" },
	[TFR_FOUND_ORIENTATION] = { "orientation",
		"images with an EXIF orientation, which only some readers apply", is_turned },
	[TFR_FOUND_CMYK] = { "cmyk", "images in CMYK", is_cmyk },
	[TFR_FOUND_DEEP] = { "16-bit", "images with 16 bits per sample", is_deep },
	[TFR_FOUND_PALETTE] = { "palette",
		"images with a palette, which readers convert to colours", is_palette },
	[TFR_FOUND_INDICES] = { "indices",
		"BMP images with a palette, of which TensorFlow reads the indices, not the colours",
		is_indices },
	[TFR_FOUND_ALPHA] = { "alpha", "images with an alpha channel", has_alpha },
	[TFR_FOUND_GRAY] = { "gray", "gray images among images in colour", is_gray },
	[TFR_FOUND_PROGRESSIVE] = { "progressive",
		"progressive or interlaced images, which are slow to decode", is_progressive },
	[TFR_FOUND_TINY] = { "tiny", "images with a side of less than 8 pixels", is_tiny },
	[TFR_FOUND_HUGE] = { "huge", "images of more than 50 million pixels", is_huge },
};

const char *tfr_finding_code(enum tfr_finding finding)
{
	return rows[finding].code;
}

const char *tfr_finding_text(enum tfr_finding finding)
{
	return rows[finding].text;
}

/* A property that the change has removed is not reported. */
static uint32_t mended(const struct tfr_rework *rework)
{
	uint32_t gone = 0;

	if (rework->orient)
		gone |= 1u << TFR_FOUND_ORIENTATION;
	if (rework->rgb8)
		gone |= 1u << TFR_FOUND_CMYK | 1u << TFR_FOUND_DEEP;
	return gone;
}

uint32_t tfr_lint(const struct tfr_item *item, const struct tfr_rework *rework)
{
	uint32_t found = 0;

	for (size_t i = 0; i < TFR_FINDINGS; i++)
		if (rows[i].holds && rows[i].holds(item))
			found |= 1u << i;
	return found & ~mended(rework);
}

const char *tfr_lint_detail(
	const struct tfr_item *item, enum tfr_finding finding, char *text, size_t size)
{
	const struct tfr_image_info *came = &item->came;

	if (item->skipped)
		return item->reason;
	switch (finding) {
	case TFR_FOUND_NAME:
	case TFR_FOUND_PROGRESSIVE:
		return tfr_image_format_name(came->format);
	case TFR_FOUND_ORIENTATION:
		snprintf(text, size, "%u", came->orientation);
		break;
	case TFR_FOUND_TINY:
	case TFR_FOUND_HUGE:
		snprintf(text, size, "%ux%u", came->width, came->height);
		break;
	default:
		snprintf(text, size, "%u x %u bits", came->components, came->bit_depth);
	}
	return text;
}
