/* media/formats/giflib.c - the module gif: decodes the first frame of a GIF by giflib, line by
 * line, so that memory depends on the window.  To verify a GIF, it decodes the others as well and
 * keeps no pixel. */
#include <gif_lib.h>
#include <string.h>

#include "base/module_export.h"
#include "media/formats/image_codec.h"

struct gif {
	GifFileType *file;
	const uint8_t *data;
	size_t left;
	int transparent; /* the index of the transparent colour; -1: none */
	uint8_t *line;	 /* a line of indices */
	uint8_t *rgb;	 /* that line in colour; the pixels around it are black */
	bool controlled; /* only the first graphic control extension of a frame counts */
	uint64_t most;	 /* pixels that the frames from here on may have */
};

static int on_read(GifFileType *file, GifByteType *to, int n)
{
	struct gif *g = file->UserData;
	size_t some = (size_t)n < g->left ? (size_t)n : g->left;

	memcpy(to, g->data, some);
	g->data += some;
	g->left -= some;
	return (int)some;
}

static enum tfr_status damaged(int code, struct tfr_error *err)
{
	const char *why = GifErrorString(code);

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

/* Continues to the next frame, past the blocks before it. */
static enum tfr_status find_frame(struct gif *g, struct tfr_error *err)
{
	GifRecordType type = UNDEFINED_RECORD_TYPE;
	GifByteType *block;
	int code;

	g->controlled = false;
	g->transparent = -1;
	while (type != IMAGE_DESC_RECORD_TYPE) {
		if (DGifGetRecordType(g->file, &type) == GIF_ERROR)
			return damaged(g->file->Error, err);
		if (type == TERMINATE_RECORD_TYPE)
			return tfr_fail(err, TFR_EDATA, "damaged GIF: no image data");
		if (type != EXTENSION_RECORD_TYPE)
			continue;
		if (DGifGetExtension(g->file, &code, &block) == GIF_ERROR)
			return damaged(g->file->Error, err);
		if (code == GRAPHICS_EXT_FUNC_CODE)
			read_control(g, block);
		while (block)
			if (DGifGetExtensionNext(g->file, &block) == GIF_ERROR)
				return damaged(g->file->Error, err);
	}
	if (DGifGetImageDesc(g->file) == GIF_ERROR)
		return damaged(g->file->Error, err);
	return TFR_OK;
}

/* Converts the current line to RGB, at its place among black pixels. */
static enum tfr_status colour(
	struct gif *g, const struct tfr_image_info *info, uint32_t y, struct tfr_error *err)
{
	const GifImageDesc *frame = &g->file->Image;
	const ColorMapObject *map = frame->ColorMap ? frame->ColorMap : g->file->SColorMap;
	uint32_t width = (uint32_t)frame->Width, left = (uint32_t)frame->Left;

	if (!map)
		return tfr_fail(err, TFR_EDATA, "damaged GIF: no colour map");
	for (uint32_t x = 0; y < info->height && x < width && left + x < info->width; x++) {
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

			if (DGifGetLine(g->file, g->line, frame->Width) == GIF_ERROR)
				return damaged(g->file->Error, err);
			if ((status = colour(g, job->info, y, err)))
				return status;
			if (y >= w->y && y - w->y < w->height)
				put_row(g, job, y, image);
		}
	return TFR_OK;
}

static enum tfr_status read_frame(struct gif *g, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	const GifImageDesc *frame = &g->file->Image;

	TFR_TRY(find_frame(g, err));
	if (frame->Width <= 0 || frame->Height <= 0)
		return tfr_fail(err, TFR_EDATA, "damaged GIF: a frame without pixels");
	if ((uint64_t)frame->Width * (uint64_t)frame->Height > g->most)
		return tfr_fail(err, TFR_EDATA, "a GIF whose frames have too many pixels");
	g->most -= (uint64_t)frame->Width * (uint64_t)frame->Height;
	if ((uint32_t)frame->Width > job->info->width)
		return tfr_fail(err, TFR_EDATA, "damaged GIF: header read twice differently");
	for (uint32_t y = 0; y < job->window.height; y++) /* black outside the frame */
		put_row(g, job, job->window.y + y, image);
	return read_lines(g, job, image, err);
}

/* Decodes the frames after the first, and keeps no pixel. */
static enum tfr_status check_later_frames(
	struct gif *g, const struct tfr_decode_job *job, struct tfr_error *err)
{
	struct tfr_decode_job later = *job;

	later.window.height = 0;
	for (uint32_t i = 1; i < job->info->frames; i++) {
		GifFreeSavedImages(g->file); /* giflib would keep the header of each */
		g->file->ImageCount = 0;
		TFR_TRY(read_frame(g, &later, NULL, err));
	}
	return TFR_OK;
}

static enum tfr_status gif_decode(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	uint64_t most = d->opts.max_pixels ? d->opts.max_pixels : UINT64_MAX;
	struct gif g = { .data = job->data, .left = job->size, .most = most };
	size_t row = (size_t)job->window.width * job->channels;
	TFR_AUTO_FREE uint8_t *lines = calloc(job->info->width, 4);
	uint8_t *out = tfr_pixels(&d->pixels, row * job->window.height);
	enum tfr_status status;
	int code = 0;

	if (!tfr_channels_converts(3, job->channels))
		return tfr_fail(err, TFR_EUSAGE, "a GIF decoded to %u channels", job->channels);
	if (!lines || !out)
		return tfr_fail_nomem(err, "decoding a GIF");
	g.rgb = lines;
	g.line = lines + 3 * (size_t)job->info->width;
	*image = (struct tfr_image){ out, row, job->window.width, job->window.height,
		job->channels };
	g.file = DGifOpen(&g, on_read, &code);
	if (!g.file)
		return damaged(code, err);
	status = read_frame(&g, job, image, err);
	if (!status && d->verifies)
		status = check_later_frames(&g, job, err);
	DGifCloseFile(g.file, &code);
	return status;
}

static const struct tfr_image_module calls = { .decode = gif_decode };

TFR_MODULE_EXPORT("gif", calls);
