/* media/formats/png.c - PNG (ISO/IEC 15948): measures it and finds its end by its chunks, decodes
 * and encodes it by libpng.
 *
 * The probe verifies bounds and IHDR; libpng verifies the CRC of every chunk that it reads.  Rows
 * come in order, so a window saves the rows below it.  libpng reports errors by a call that must
 * not return: everything that calls it runs under setjmp.
 *
 * The encoder writes 8 bits per sample, with every filter tried on every row and level 6, so that
 * the bytes depend on the pixels alone.  A mask consists of runs of few values.  Without filters
 * and with Z_RLE, which only searches runs, a shape of 640 x 480 takes a quarter of the time of
 * level 6 and a third fewer bytes. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>
#include <zlib.h>

#include "base/error.h"
#include "media/formats/exif.h"
#include "media/formats/image_codec.h"

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

/* Whether libpng, and so TensorFlow, accepts this tRNS of a palette: not if it is empty, longer
 * than the palette before it, or damaged. */
static bool is_valid_trns(const uint8_t *trns, size_t n, size_t colours)
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
		return tfr_image_truncated(info, "PNG: ends inside its header", err);
	if (tfr_be32(p) != IHDR_SIZE || !is_chunk(p, "IHDR"))
		return tfr_fail(err, TFR_EDATA, "damaged PNG: does not begin with IHDR");
	if (crc32(0, p + 4, 4 + IHDR_SIZE) != tfr_be32(p + 8 + IHDR_SIZE))
		return tfr_fail(err, TFR_EDATA, "damaged PNG: checksum mismatch in IHDR");
	TFR_TRY(read_ihdr(p + 8, info, err));
	for (;;) {
		size_t left = size - (size_t)(p - data), n;

		if (left < CHUNK_OVERHEAD || (n = tfr_be32(p)) > left - CHUNK_OVERHEAD)
			return tfr_image_truncated(info, "PNG: no IEND chunk", err);
		if (is_chunk(p, "IEND"))
			break;
		if (is_chunk(p, "IDAT"))
			has_data = true;
		else if (is_chunk(p, "PLTE"))
			colours = n / 3;
		else if (is_chunk(p, "tRNS") && info->palette && !has_data &&
			 is_valid_trns(p, n, colours))
			info->channels = 4; /* only for a palette: see media.h */
		else if (is_chunk(p, "eXIf"))
			info->orientation = tfr_exif_orientation(p + 8, n);
		p += n + CHUNK_OVERHEAD;
	}
	return has_data ? TFR_OK : tfr_fail(err, TFR_EDATA, "damaged PNG: no image data");
}

/* --- what reading and writing share --- */

/* Why libpng failed.  It reports a failed allocation like damage. */
struct failure {
	char message[128];
	bool no_memory;
};

static void on_error(png_structp png, png_const_charp text)
{
	struct failure *f = png_get_error_ptr(png);

	snprintf(f->message, sizeof(f->message), "%s", text);
	png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
	(void)png, (void)text;
}

static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
	struct failure *f = png_get_mem_ptr(png);
	void *p = malloc(size);

	f->no_memory |= !p;
	return p;
}

static void release(png_structp png, png_voidp p)
{
	(void)png;
	free(p);
}

/* Runs `work`; false: libpng failed.  A function of its own, so that no local variable of a
 * function that calls setjmp changes after it. */
static bool run_guarded(png_structp png, void (*work)(void *state), void *state)
{
	if (setjmp(png_jmpbuf(png)))
		return false;
	work(state);
	return true;
}

/* --- decoding --- */

struct reading {
	png_structp png;
	png_infop info;
	const uint8_t *data; /* the bytes that libpng has not read yet */
	size_t left;
	uint8_t *pixels;
	size_t stride;	    /* of pixels */
	struct tfr_buf row; /* one full-width row, if the window is narrower */
	const struct tfr_decode_job *job;
	struct tfr_decoder *owner;
	struct failure failure;
};

static void on_read(png_structp png, png_bytep out, size_t n)
{
	struct reading *s = png_get_io_ptr(png);

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

static uint8_t *need_memory(struct reading *s, uint8_t *memory)
{
	if (!memory) {
		s->failure.no_memory = true;
		png_error(s->png, "out of memory");
	}
	return memory;
}

/* Interlaced images have seven passes over all rows: the entire image is decoded, and the window is
 * a view of it. */
static void read_interlaced(struct reading *s, int passes)
{
	const struct tfr_crop *w = &s->job->window;

	s->pixels = need_memory(s, tfr_pixels(&s->owner->pixels, s->stride * s->job->info->height));
	while (passes--)
		for (uint32_t y = 0; y < s->job->info->height; y++)
			png_read_row(s->png, s->pixels + y * s->stride, NULL);
	s->pixels += w->y * s->stride + (size_t)w->x * s->job->channels;
}

static void read_window(struct reading *s)
{
	const struct tfr_crop *w = &s->job->window;
	size_t row_bytes = (size_t)w->width * s->job->channels;
	uint8_t *row = need_memory(s, tfr_pixels(&s->row, s->stride));

	s->pixels = need_memory(s, tfr_pixels(&s->owner->pixels, row_bytes * w->height));
	for (uint32_t y = 0; y < w->y + w->height; y++) {
		png_read_row(s->png, row, NULL);
		if (y >= w->y)
			memcpy(s->pixels + (y - w->y) * row_bytes,
				row + (size_t)w->x * s->job->channels, row_bytes);
	}
	s->stride = row_bytes;
}

static void read_all(struct reading *s)
{
	s->pixels = need_memory(s, tfr_pixels(&s->owner->pixels, s->stride * s->job->info->height));
	for (uint32_t y = 0; y < s->job->info->height; y++)
		png_read_row(s->png, s->pixels + y * s->stride, NULL);
}

static void decode(void *state)
{
	struct reading *s = state;
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
	else if (s->job->window.width == info->width && s->job->window.height == info->height)
		read_all(s);
	else
		read_window(s);
	if (s->job->window.y + s->job->window.height == info->height)
		png_read_end(s->png, NULL);
}

static enum tfr_status png_decode(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	struct reading s = { .data = job->data, .left = job->size, .job = job, .owner = d };
	bool good = false;

	if (job->channels > 4)
		return tfr_fail(err, TFR_EUSAGE, "an image of %u channels", job->channels);
	s.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s.failure, on_error, on_warning,
		&s.failure, allocate, release);
	s.info = s.png ? png_create_info_struct(s.png) : NULL;
	if (s.info)
		good = run_guarded(s.png, decode, &s);
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

/* --- encoding --- */

enum { LEVEL = 6 };

struct writing {
	png_structp png;
	png_infop info;
	const struct tfr_image *image;
	const struct tfr_encode_opts *opts;
	struct tfr_buf *out;
	struct failure failure;
};

static void on_write(png_structp png, png_bytep data, size_t n)
{
	struct writing *s = png_get_io_ptr(png);

	if (!tfr_buf_append(s->out, data, n)) {
		s->failure.no_memory = true;
		png_error(png, "out of memory");
	}
}

static void on_flush(png_structp png)
{
	(void)png;
}

static void set_effort(struct writing *s)
{
	png_set_compression_level(s->png, s->opts->runs ? 1 : LEVEL);
	if (s->opts->runs)
		png_set_compression_strategy(s->png, Z_RLE);
	png_set_filter(
		s->png, PNG_FILTER_TYPE_BASE, s->opts->runs ? PNG_FILTER_NONE : PNG_ALL_FILTERS);
}

static void encode(void *state)
{
	static const int types[5] = { 0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
		PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA };
	struct writing *s = state;
	const struct tfr_image *m = s->image;
	uint8_t exif[TFR_EXIF_SIZE];

	png_set_write_fn(s->png, s, on_write, on_flush);
	png_set_user_limits(s->png, 0x7fffffff, 0x7fffffff);
	set_effort(s);
	png_set_IHDR(s->png, s->info, m->width, m->height, 8, types[m->channels],
		PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
	if (s->opts->orientation >= 2 && s->opts->orientation <= 8) {
		tfr_exif_write(s->opts->orientation, exif);
		png_set_eXIf_1(s->png, s->info, sizeof(exif), exif);
	}
	png_write_info(s->png, s->info);
	for (uint32_t y = 0; y < m->height; y++)
		png_write_row(s->png, m->data + y * m->stride);
	png_write_end(s->png, s->info);
}

static enum tfr_status png_encode(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, struct tfr_buf *out, struct tfr_error *err)
{
	struct writing s = { .image = image, .opts = opts, .out = out };
	bool good = false;

	(void)e;
	s.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &s.failure, on_error, on_warning,
		&s.failure, allocate, release);
	s.info = s.png ? png_create_info_struct(s.png) : NULL;
	if (s.info)
		good = run_guarded(s.png, encode, &s);
	else
		s.failure.no_memory = true;
	png_destroy_write_struct(&s.png, &s.info);
	if (s.failure.no_memory)
		return tfr_fail_nomem(err, "encoding a PNG");
	return good ? TFR_OK
		    : tfr_fail(err, TFR_EUSAGE, "cannot encode a PNG: %s", s.failure.message);
}

const struct tfr_image_codec tfr_image_codec_png = {
	.probe = png_probe,
	.decode = png_decode,
	.encode = png_encode,
};
