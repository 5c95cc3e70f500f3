/* media/formats/gif.c - the first frame of a GIF (GIF89a specification, W3C), as TensorFlow decodes
 * it with expand_animations=False (core/lib/gif/gif_io.cc).
 *
 * The image is as large as the largest frame, whatever the logical screen says.  The first frame is
 * placed at its offset and clipped; the rest and its transparent pixels are black.
 *
 * The probe reads the blocks, which give the size of every frame and the end.  giflib, opened at
 * first use, decodes the pixels line by line, so memory depends on the window. */
#include <string.h>

#include "base/error.h"
#include "config.h"
#include "media/formats/image_codec.h"

enum { SCREEN = 13 /* the header and the logical screen */, DESCRIPTOR = 9, INTERLACED = 0x40 };
enum { EXTENSION = 0x21, FRAME = 0x2c, TRAILER = 0x3b };

/* The bytes of the colour map that these flags announce. */
static size_t map_size(unsigned flags)
{
	return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

static enum tfr_status truncated(
	struct tfr_image_info *info, const char *where, struct tfr_error *err)
{
	info->truncated = true;
	return tfr_fail(err, TFR_EDATA, "truncated GIF: %s", where);
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
	return pass_blocks(data, size, at);
}

static enum tfr_status gif_probe(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err)
{
	size_t at = SCREEN, frames = 0;

	if (size < SCREEN || size - SCREEN < map_size(data[10]))
		return truncated(info, "ends inside its header", err);
	info->channels = 3;
	info->components = 1;
	info->bit_depth = 8;
	info->orientation = 1;
	at += map_size(data[10]);
	/* Only the trailer is missing, which every reader accepts. */
	for (; at < size && data[at] != TRAILER; frames += data[at - 1] == 0) {
		bool good = true;
		unsigned kind = data[at++];

		if (kind == FRAME)
			good = pass_frame(data, size, &at, info);
		else if (kind == EXTENSION)
			good = ++at <= size && pass_blocks(data, size, &at);
		else if (kind)
			return tfr_fail(err, TFR_EDATA, "damaged GIF: block of type %u", kind);
		if (!good)
			return truncated(info,
				frames ? "ends inside a later frame"
				       : "ends inside its first frame",
				err);
	}
	if (info->width && info->height)
		return TFR_OK;
	return at < size ? tfr_fail(err, TFR_EDATA, "damaged GIF: no image data")
			 : truncated(info, "no image data", err);
}

#if TFR_HAVE_GIFLIB
#include <dlfcn.h>
#include <gif_lib.h>

#define CALLS(X)                                                                                   \
	X(DGifOpen)                                                                                \
	X(DGifGetRecordType)                                                                       \
	X(DGifGetImageDesc)                                                                        \
	X(DGifGetLine)                                                                             \
	X(DGifGetExtension)                                                                        \
	X(DGifGetExtensionNext)                                                                    \
	X(DGifCloseFile)                                                                           \
	X(GifErrorString)

struct gif {
#define MEMBER(name) __typeof__(&(name)) name;
	CALLS(MEMBER)
#undef MEMBER
	GifFileType *file;
	const uint8_t *data;
	size_t left;
	int transparent; /* the index of the transparent colour; -1: none */
	uint8_t *line;	 /* a line of indices */
	uint8_t *rgb;	 /* that line in colour; the pixels around it are black */
	bool controlled; /* only the first graphic control extension counts */
};

/* dlopen() counts references: after the first time this is a lookup. */
static enum tfr_status load_library(struct gif *g, struct tfr_error *err)
{
	void *library = dlopen("libgif.so.7", RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		tfr_fail(err, TFR_EUNAVAILABLE, "cannot decode GIF: giflib is not installed");
		tfr_error_hint(err, "%s.  Install giflib, version 5.", dlerror());
		return TFR_EUNAVAILABLE;
	}
#define FIND(name)                                                                                 \
	if (!(g->name = (__typeof__(g->name))(uintptr_t)dlsym(library, #name)))                    \
		return tfr_fail(err, TFR_EUNAVAILABLE, "this giflib has no " #name);
	CALLS(FIND)
#undef FIND
	return TFR_OK;
}

static int on_read(GifFileType *file, GifByteType *to, int n)
{
	struct gif *g = file->UserData;
	size_t some = (size_t)n < g->left ? (size_t)n : g->left;

	memcpy(to, g->data, some);
	g->data += some;
	g->left -= some;
	return (int)some;
}

static enum tfr_status damaged(const struct gif *g, int code, struct tfr_error *err)
{
	const char *why = g->GifErrorString(code);

	return tfr_fail(err, TFR_EDATA, "damaged GIF: %s", why ? why : "not decoded");
}

/* Graphic control: its size, flags, two bytes of delay, the transparent index. */
static void read_control(struct gif *g, const GifByteType *block)
{
	if (g->controlled || !block || block[0] != 4)
		return;
	g->controlled = true;
	g->transparent = block[1] & 1 ? block[4] : -1;
}

/* Continues to the first frame, past the blocks before it. */
static enum tfr_status find_frame(struct gif *g, struct tfr_error *err)
{
	GifRecordType type = UNDEFINED_RECORD_TYPE;
	GifByteType *block;
	int code;

	while (type != IMAGE_DESC_RECORD_TYPE) {
		if (g->DGifGetRecordType(g->file, &type) == GIF_ERROR)
			return damaged(g, g->file->Error, err);
		if (type == TERMINATE_RECORD_TYPE)
			return tfr_fail(err, TFR_EDATA, "damaged GIF: no image data");
		if (type != EXTENSION_RECORD_TYPE)
			continue;
		if (g->DGifGetExtension(g->file, &code, &block) == GIF_ERROR)
			return damaged(g, g->file->Error, err);
		if (code == GRAPHICS_EXT_FUNC_CODE)
			read_control(g, block);
		while (block)
			if (g->DGifGetExtensionNext(g->file, &block) == GIF_ERROR)
				return damaged(g, g->file->Error, err);
	}
	if (g->DGifGetImageDesc(g->file) == GIF_ERROR)
		return damaged(g, g->file->Error, err);
	return TFR_OK;
}

/* Converts the current line to RGB, at its place among black pixels. */
static enum tfr_status colour(
	struct gif *g, const struct tfr_image_info *info, struct tfr_error *err)
{
	const GifImageDesc *frame = &g->file->Image;
	const ColorMapObject *map = frame->ColorMap ? frame->ColorMap : g->file->SColorMap;
	uint32_t width = (uint32_t)frame->Width, left = (uint32_t)frame->Left;

	if (!map)
		return tfr_fail(err, TFR_EDATA, "damaged GIF: no colour map");
	for (uint32_t x = 0; x < width && left + x < info->width; x++) {
		uint8_t *out = g->rgb + 3 * (size_t)(left + x);

		memset(out, 0, 3);
		if (g->line[x] == g->transparent)
			continue;
		if (g->line[x] >= map->ColorCount)
			return tfr_fail(err, TFR_EDATA, "damaged GIF: colour %u of %d", g->line[x],
				map->ColorCount);
		out[0] = map->Colors[g->line[x]].Red;
		out[1] = map->Colors[g->line[x]].Green;
		out[2] = map->Colors[g->line[x]].Blue;
	}
	return TFR_OK;
}

static void put_row(
	const struct gif *g, const struct tfr_decode_job *job, uint32_t y, struct tfr_image *image)
{
	uint8_t *out = (uint8_t *)(uintptr_t)image->data + (y - job->window.y) * image->stride;

	tfr_channels_convert(
		g->rgb + 3 * (size_t)job->window.x, 3, job->window.width, out, job->channels);
}

/* Lines are in the order of the file.  If they are interlaced: every eighth, every eighth from the
 * fourth, and so on. */
static enum tfr_status read_lines(struct gif *g, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	static const uint32_t starts[] = { 0, 0, 4, 2, 1 }, steps[] = { 1, 8, 8, 4, 2 };
	const GifImageDesc *frame = &g->file->Image;
	const struct tfr_crop *w = &job->window;
	unsigned first = frame->Interlace ? 1 : 0, last = frame->Interlace ? 4 : 0;
	enum tfr_status status;

	for (unsigned pass = first; pass <= last; pass++)
		for (uint32_t line = starts[pass]; line < (uint32_t)frame->Height;
			line += steps[pass]) {
			uint32_t y = (uint32_t)frame->Top + line;

			if (g->DGifGetLine(g->file, g->line, frame->Width) == GIF_ERROR)
				return damaged(g, g->file->Error, err);
			if ((status = colour(g, job->info, err)))
				return status;
			if (y >= w->y && y - w->y < w->height)
				put_row(g, job, y, image);
		}
	return TFR_OK;
}

static enum tfr_status read_frame(struct gif *g, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	enum tfr_status status = find_frame(g, err);

	if (status)
		return status;
	if (g->file->Image.Width <= 0 || (uint32_t)g->file->Image.Width > job->info->width)
		return tfr_fail(err, TFR_EDATA, "damaged GIF: header read twice differently");
	for (uint32_t y = 0; y < job->window.height; y++) /* black outside the frame */
		put_row(g, job, job->window.y + y, image);
	return read_lines(g, job, image, err);
}

static enum tfr_status gif_decode(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	struct gif g = { .data = job->data, .left = job->size, .transparent = -1 };
	size_t row = (size_t)job->window.width * job->channels;
	TFR_AUTO_FREE uint8_t *lines = calloc(job->info->width, 4);
	uint8_t *out = tfr_pixels(&d->pixels, row * job->window.height);
	enum tfr_status status;
	int code = 0;

	if (!tfr_channels_converts(3, job->channels))
		return tfr_fail(err, TFR_EUSAGE, "a GIF decoded to %u channels", job->channels);
	if (!lines || !out)
		return tfr_fail_nomem(err, "decoding a GIF");
	if ((status = load_library(&g, err)))
		return status;
	g.rgb = lines;
	g.line = lines + 3 * (size_t)job->info->width;
	*image = (struct tfr_image){ out, row, job->window.width, job->window.height,
		job->channels };
	g.file = g.DGifOpen(&g, on_read, &code);
	if (!g.file)
		return damaged(&g, code, err);
	status = read_frame(&g, job, image, err);
	g.DGifCloseFile(g.file, &code);
	return status;
}

#else

static enum tfr_status gif_decode(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	(void)d, (void)job, (void)image;
	return tfr_fail(err, TFR_EUNAVAILABLE, "cannot decode GIF: not built with giflib");
}

#endif

const struct tfr_image_codec tfr_image_codec_gif = { .probe = gif_probe, .decode = gif_decode };
