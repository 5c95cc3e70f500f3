#include "images.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

#include "base/rng.h"

static uint8_t sample(uint32_t x, uint32_t y, unsigned c, struct tfr_rng *r)
{
	double v = 128 + 60 * sin(x * 0.21 + c) + 50 * cos(y * 0.17 - 2 * c) +
		   (x / 7 + y / 5 + c) % 3 * 20;

	v += (double)tfr_rng_below(r, 40) - 20;
	return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v;
}

static const jpeg_scan_info component_scans[4] = {
	{ .comps_in_scan = 1, .component_index = { 0 }, .Se = 63 },
	{ .comps_in_scan = 1, .component_index = { 1 }, .Se = 63 },
	{ .comps_in_scan = 1, .component_index = { 2 }, .Se = 63 },
	{ .comps_in_scan = 1, .component_index = { 3 }, .Se = 63 },
};

static void set_up(struct jpeg_compress_struct *c, const struct jpeg_kind *kind)
{
	static const J_COLOR_SPACE spaces[5] = { 0, JCS_GRAYSCALE, 0, JCS_RGB, JCS_CMYK };

	c->image_width = kind->width;
	c->image_height = kind->height;
	c->input_components = (int)kind->components;
	c->in_color_space = spaces[kind->components];
	jpeg_set_defaults(c);
	jpeg_set_quality(c, kind->quality ? kind->quality : 90, TRUE);
	c->optimize_coding = kind->optimised;
	if (kind->ycck)
		jpeg_set_colorspace(c, JCS_YCCK);
	if (kind->no_adobe)
		c->write_Adobe_marker = FALSE;
	for (unsigned i = 0; i < kind->components; i++) {
		bool first = kind->components > 1 && (i == 0 || i == 3);

		c->comp_info[i].h_samp_factor = first ? (int)kind->h : 1;
		c->comp_info[i].v_samp_factor = first ? (int)kind->v : 1;
	}
	if (kind->uneven) {
		c->comp_info[0].h_samp_factor = c->comp_info[0].v_samp_factor = 2;
		c->comp_info[1].h_samp_factor = c->comp_info[1].v_samp_factor = 4;
	}
	c->restart_interval = kind->restart;
	if (kind->progressive)
		jpeg_simple_progression(c);
	if (kind->apart) {
		c->scan_info = component_scans;
		c->num_scans = (int)kind->components;
	}
	if (kind->scans)
		c->num_scans = (int)kind->scans;
}

struct tfr_buf make_jpeg(const struct jpeg_kind *kind)
{
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr errors;
	struct tfr_rng r;
	unsigned char *data = NULL;
	unsigned long size = 0;
	size_t stride = (size_t)kind->width * kind->components;
	uint8_t *row = malloc(stride);

	tfr_rng_init(&r, kind->width, kind->height);
	c.err = jpeg_std_error(&errors);
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, &data, &size);
	set_up(&c, kind);
	jpeg_start_compress(&c, TRUE);
	if (kind->app1)
		jpeg_write_marker(&c, JPEG_APP0 + 1, kind->app1, (unsigned)kind->app1_size);
	for (uint32_t y = 0; y < kind->height; y++) {
		for (size_t i = 0; i < stride; i++)
			row[i] = sample((uint32_t)i / kind->components, y,
				(unsigned)(i % kind->components), &r);
		jpeg_write_scanlines(&c, &row, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	free(row);
	return (struct tfr_buf){ .data = data, .size = size, .cap = size };
}

uint8_t *plain_jpeg(const struct tfr_buf *jpeg, unsigned channels)
{
	struct jpeg_decompress_struct c;
	struct jpeg_error_mgr errors;
	size_t stride;
	uint8_t *out;

	c.err = jpeg_std_error(&errors);
	jpeg_create_decompress(&c);
	jpeg_mem_src(&c, jpeg->data, jpeg->size);
	jpeg_read_header(&c, TRUE);
	c.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_start_decompress(&c);
	stride = (size_t)c.output_width * channels;
	out = malloc(stride * c.output_height);
	while (c.output_scanline < c.output_height) {
		JSAMPROW row = out + c.output_scanline * stride;

		jpeg_read_scanlines(&c, &row, 1);
	}
	jpeg_finish_decompress(&c);
	jpeg_destroy_decompress(&c);
	return out;
}

static void on_write(png_structp png, png_bytep data, size_t n)
{
	cr_assert(tfr_buf_append(png_get_io_ptr(png), data, n));
}

static void on_flush(png_structp png)
{
	(void)png;
}

static const int samples_of[7] = { 1, 0, 3, 1, 2, 0, 4 };

struct tfr_buf make_png(uint32_t width, uint32_t height, int depth, int type, bool interlaced,
	const uint8_t *samples)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	size_t stride = ((size_t)width * (unsigned)(samples_of[type] * depth) + 7) / 8;
	png_color colours[256];
	struct tfr_buf out = { 0 };
	int passes;

	png_set_write_fn(png, &out, on_write, on_flush);
	png_set_IHDR(png, info, width, height, depth, type, interlaced, 0, 0);
	for (int i = 0; i < 256; i++)
		colours[i] =
			(png_color){ (png_byte)(i * 7), (png_byte)(255 - i), (png_byte)(i / 3) };
	if (type == PNG_COLOR_TYPE_PALETTE)
		png_set_PLTE(png, info, colours, 1 << depth);
	png_write_info(png, info);
	passes = png_set_interlace_handling(png);
	while (passes--)
		for (uint32_t y = 0; y < height; y++)
			png_write_row(png, samples + y * stride);
	png_write_end(png, info);
	png_destroy_write_struct(&png, &info);
	return out;
}

uint8_t *noise(size_t n, uint64_t seed)
{
	uint8_t *p = malloc(n + 1);
	struct tfr_rng r;

	tfr_rng_init(&r, seed, 0);
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)tfr_rng_u32(&r);
	return p;
}

bool same_pixels(const struct tfr_image *part, const uint8_t *whole, uint32_t whole_width,
	const struct tfr_crop *window)
{
	if (part->width != window->width || part->height != window->height)
		return false;
	for (uint32_t y = 0; y < window->height; y++) {
		size_t at = ((size_t)(window->y + y) * whole_width + window->x) * part->channels;

		if (memcmp(part->data + y * part->stride, whole + at,
			    (size_t)window->width * part->channels) != 0)
			return false;
	}
	return true;
}

struct tfr_buf golden(const char *name)
{
	const char *root = getenv("TFR_TEST_DATA");
	struct tfr_buf out = { 0 };
	char path[4096];
	size_t n;
	FILE *f;

	cr_assert(root, "TFR_TEST_DATA is not set");
	snprintf(path, sizeof(path), "%s/media/%s", root, name);
	f = fopen(path, "rb");
	cr_assert(f, "no %s", path);
	do {
		cr_assert(tfr_buf_reserve(&out, 65536));
		n = fread(out.data + out.size, 1, 65536, f);
		out.size += n;
	} while (n);
	fclose(f);
	return out;
}
