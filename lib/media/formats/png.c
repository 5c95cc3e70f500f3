/* media/formats/png.c - PNG (ISO/IEC 15948): measures it and finds its end by its chunks, decodes
 * it by libpng.
 *
 * The probe verifies bounds and IHDR; libpng verifies the CRC of every chunk that it reads.  Rows
 * come in order, so a window saves the rows below it. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/error.h"
#include "media/formats/exif.h"
#include "media/formats/image_codec.h"
#include "media/formats/png.h"

enum { SIGNATURE = 8, CHUNK_OVERHEAD = 12 /* length, type, CRC */, IHDR_SIZE = 13 };

static enum tfr_status read_ihdr(
	const uint8_t *p, struct tfr_image_info *info, struct tfr_error *err)
{
	static const uint8_t components_of[7] = { 1, 0, 3, 1, 2, 0, 4 };
	unsigned type = p[9];

	info->width = tfr_be32(p);
	info->height = tfr_be32(p + 4);
	info->bit_depth = p[8];
	if (!info->width || !info->height)
		return tfr_fail(
			err, TFR_EDATA, "damaged PNG: zero %s", info->width ? "height" : "width");
	if ((info->width | info->height) >> 31)
		return tfr_fail(
			err, TFR_EDATA, "damaged PNG: size %u x %u", info->width, info->height);
	if (type > 6 || !components_of[type])
		return tfr_fail(err, TFR_EDATA, "damaged PNG: colour type %u", type);
	info->components = components_of[type];
	info->channels = type == PNG_COLOR_TYPE_PALETTE ? 3 : info->components;
	info->palette = type == PNG_COLOR_TYPE_PALETTE;
	info->orientation = 1;
	info->progressive = p[12] != 0;
	return TFR_OK;
}

static bool is_chunk(const uint8_t *chunk, const char *type)
{
	return memcmp(chunk + 4, type, 4) == 0;
}

static enum tfr_status truncated(
	struct tfr_image_info *info, const char *where, struct tfr_error *err)
{
	info->truncated = true;
	return tfr_fail(err, TFR_EDATA, "truncated PNG: %s", where);
}

/* Whether libpng, and so TensorFlow, accepts this tRNS of a palette: not if it is empty, longer
 * than the palette before it, or damaged. */
static bool counts(const uint8_t *trns, size_t n, size_t colours)
{
	return n && n <= colours && crc32(0, trns + 4, (uInt)n + 4) == tfr_be32(trns + 8 + n);
}

static enum tfr_status png_probe(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err)
{
	const uint8_t *p = data + SIGNATURE;
	bool has_data = false;
	size_t colours = 0;

	if (size < SIGNATURE + CHUNK_OVERHEAD + IHDR_SIZE)
		return truncated(info, "ends inside its header", err);
	if (tfr_be32(p) != IHDR_SIZE || !is_chunk(p, "IHDR"))
		return tfr_fail(err, TFR_EDATA, "damaged PNG: does not begin with IHDR");
	if (crc32(0, p + 4, 4 + IHDR_SIZE) != tfr_be32(p + 8 + IHDR_SIZE))
		return tfr_fail(err, TFR_EDATA, "damaged PNG: checksum mismatch in IHDR");
	TFR_TRY(read_ihdr(p + 8, info, err));
	for (;;) {
		size_t left = size - (size_t)(p - data), n;

		if (left < CHUNK_OVERHEAD || (n = tfr_be32(p)) > left - CHUNK_OVERHEAD)
			return truncated(info, "no IEND chunk", err);
		if (is_chunk(p, "IEND"))
			break;
		if (is_chunk(p, "IDAT"))
			has_data = true;
		else if (is_chunk(p, "PLTE"))
			colours = n / 3;
		else if (is_chunk(p, "tRNS") && info->palette && !has_data && counts(p, n, colours))
			info->channels = 4; /* only for a palette: see media.h */
		else if (is_chunk(p, "eXIf"))
			info->orientation = tfr_exif_orientation(p + 8, n);
		p += n + CHUNK_OVERHEAD;
	}
	return has_data ? TFR_OK : tfr_fail(err, TFR_EDATA, "damaged PNG: no image data");
}

struct png_state {
	png_structp png;
	png_infop info;
	const uint8_t *data; /* the bytes that libpng has not read yet */
	size_t left;
	uint8_t *pixels;
	size_t stride;	    /* of pixels */
	struct tfr_buf row; /* one full-width row, if the window is narrower */
	const struct tfr_decode_job *job;
	struct tfr_decoder *owner;
	struct tfr_png_failure failure;
};

void tfr_png_error(png_structp png, png_const_charp text)
{
	struct tfr_png_failure *f = png_get_error_ptr(png);

	snprintf(f->message, sizeof(f->message), "%s", text);
	png_longjmp(png, 1);
}

void tfr_png_warning(png_structp png, png_const_charp text)
{
	(void)png, (void)text;
}

png_voidp tfr_png_malloc(png_structp png, png_alloc_size_t size)
{
	struct tfr_png_failure *f = png_get_mem_ptr(png);
	void *p = malloc(size);

	f->no_memory |= !p;
	return p;
}

void tfr_png_free(png_structp png, png_voidp p)
{
	(void)png;
	free(p);
}

static void on_read(png_structp png, png_bytep out, size_t n)
{
	struct png_state *s = png_get_io_ptr(png);

	if (n > s->left)
		png_error(png, "read past its end");
	memcpy(out, s->data, n);
	s->data += n;
	s->left -= n;
}

/* Asks libpng for 8-bit samples in `channels` channels, as TensorFlow's decode_png asks
 * (core/lib/png/png_io.cc). */
static void set_transforms(png_structp png, png_infop info, unsigned channels)
{
	unsigned type = png_get_color_type(png, info);
	bool alpha = type & PNG_COLOR_MASK_ALPHA;
	bool trns = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
	bool colour = type & PNG_COLOR_MASK_COLOR;

	if (channels % 2 == 0) {
		if (trns && !alpha)
			png_set_tRNS_to_alpha(png);
		else if (!alpha)
			png_set_add_alpha(
				png, (1u << png_get_bit_depth(png, info)) - 1, PNG_FILLER_AFTER);
	} else if (alpha || trns) {
		png_set_strip_alpha(png);
	}
	png_set_strip_16(png);
	png_set_packing(png);
	png_set_interlace_handling(png);
	if (type == PNG_COLOR_TYPE_PALETTE)
		png_set_palette_to_rgb(png);
	if (!colour)
		png_set_expand_gray_1_2_4_to_8(png);
	if (channels >= 3 && !colour)
		png_set_gray_to_rgb(png);
	if (channels < 3 && colour)
		png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
	png_read_update_info(png, info);
}

/* Requests the stored numbers: 1, 2 and 4 bits in one byte each, 16 in two, high byte first. */
static void set_plain(png_structp png, png_infop info)
{
	png_set_packing(png);
	png_set_interlace_handling(png);
	png_read_update_info(png, info);
}

static uint8_t *need(struct png_state *s, uint8_t *memory)
{
	if (!memory) {
		s->failure.no_memory = true;
		png_error(s->png, "out of memory");
	}
	return memory;
}

/* Interlaced images have seven passes over all rows: the entire image is decoded, and the window is
 * a view of it. */
static void read_interlaced(struct png_state *s, int passes)
{
	const struct tfr_crop *w = &s->job->window;

	s->pixels = need(s, tfr_pixels(&s->owner->pixels, s->stride * s->job->info->height));
	while (passes--)
		for (uint32_t y = 0; y < s->job->info->height; y++)
			png_read_row(s->png, s->pixels + y * s->stride, NULL);
	s->pixels += w->y * s->stride + (size_t)w->x * s->job->channels;
}

static void read_window(struct png_state *s)
{
	const struct tfr_crop *w = &s->job->window;
	size_t part = (size_t)w->width * s->job->channels;
	uint8_t *row = need(s, tfr_pixels(&s->row, s->stride));

	s->pixels = need(s, tfr_pixels(&s->owner->pixels, part * w->height));
	for (uint32_t y = 0; y < w->y + w->height; y++) {
		png_read_row(s->png, row, NULL);
		if (y >= w->y)
			memcpy(s->pixels + (y - w->y) * part, row + (size_t)w->x * s->job->channels,
				part);
	}
	s->stride = part;
}

static void read_all(struct png_state *s)
{
	s->pixels = need(s, tfr_pixels(&s->owner->pixels, s->stride * s->job->info->height));
	for (uint32_t y = 0; y < s->job->info->height; y++)
		png_read_row(s->png, s->pixels + y * s->stride, NULL);
}

static void decode(struct png_state *s)
{
	const struct tfr_image_info *info = s->job->info;

	png_set_read_fn(s->png, s, on_read);
	png_set_user_limits(s->png, 0x7fffffff, 0x7fffffff);
	png_read_info(s->png, s->info);
	if (s->job->numbers)
		set_plain(s->png, s->info);
	else
		set_transforms(s->png, s->info, s->job->channels);
	s->stride = png_get_rowbytes(s->png, s->info);
	if (s->stride != (size_t)info->width * s->job->channels)
		png_error(s->png, "header read twice differently");
	if (info->progressive)
		read_interlaced(s, PNG_INTERLACE_ADAM7_PASSES);
	else if (tfr_window_is_all(&s->job->window, info))
		read_all(s);
	else
		read_window(s);
	if (s->job->window.y + s->job->window.height == info->height)
		png_read_end(s->png, NULL);
}

/* Separate from decode(), so that no local variable of a function that calls setjmp changes after
 * it. */
static bool guarded(struct png_state *s)
{
	if (setjmp(png_jmpbuf(s->png)))
		return false;
	decode(s);
	return true;
}

static enum tfr_status png_decode(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	struct png_state s = { .data = job->data, .left = job->size, .job = job, .owner = d };
	bool good = false;

	if (job->channels > 4)
		return tfr_fail(err, TFR_EUSAGE, "an image of %u channels", job->channels);
	s.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s.failure, tfr_png_error,
		tfr_png_warning, &s.failure, tfr_png_malloc, tfr_png_free);
	s.info = s.png ? png_create_info_struct(s.png) : NULL;
	if (s.info)
		good = guarded(&s);
	else
		s.failure.no_memory = true;
	png_destroy_read_struct(&s.png, &s.info, NULL);
	tfr_buf_clear(&s.row);
	if (s.failure.no_memory)
		return tfr_fail_nomem(err, "decoding a PNG");
	if (!good)
		return tfr_fail(err, TFR_EDATA, "damaged PNG: %s", s.failure.message);
	*image = (struct tfr_image){
		.data = s.pixels,
		.stride = s.stride,
		.width = job->window.width,
		.height = job->window.height,
		.channels = job->channels,
	};
	return TFR_OK;
}

const struct tfr_image_codec tfr_image_codec_png = {
	.probe = png_probe,
	.decode = png_decode,
	.encode = tfr_png_encode,
};
