/* media/formats/jpeg_encode.c - JPEG by libjpeg-turbo, into a buffer that grows.
 *
 * The result does not depend on the machine: the exact integer DCT, which is the same in all
 * kernels of libjpeg-turbo, and the Huffman tables of the standard.  libjpeg reports errors by a
 * call that must not return: everything that calls it runs under setjmp. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h> /* uses names that jpeglib.h leaves undefined, so it comes after it */

#include "base/error.h"
#include "media/formats/exif.h"
#include "media/formats/jpeg.h"

enum { QUALITY = 95, GROW = 64 << 10, ROWS_A_CALL = 16 };

struct tfr_jpeg_writer {
	struct jpeg_compress_struct cinfo;
	struct jpeg_error_mgr errors;
	struct jpeg_destination_mgr destination;
	jmp_buf fatal;
	char message[JMSG_LENGTH_MAX];
	bool no_memory;
	struct tfr_buf *out;
	const struct tfr_image *image;
	const struct tfr_encode_opts *opts;
};

static void on_error(j_common_ptr cinfo)
{
	struct tfr_jpeg_writer *p = cinfo->client_data;

	cinfo->err->format_message(cinfo, p->message);
	p->no_memory |= cinfo->err->msg_code == JERR_OUT_OF_MEMORY;
	longjmp(p->fatal, 1);
}

static void no_output(j_common_ptr cinfo)
{
	(void)cinfo;
}

/* --- output --- */

static void make_room(struct tfr_jpeg_writer *p)
{
	if (!tfr_buf_reserve(p->out, GROW)) {
		p->no_memory = true;
		longjmp(p->fatal, 1);
	}
	p->destination.next_output_byte = p->out->data + p->out->size;
	p->destination.free_in_buffer = p->out->cap - p->out->size;
}

static void start(j_compress_ptr cinfo)
{
	make_room(cinfo->client_data);
}

/* Called when the buffer is full. */
static boolean grow(j_compress_ptr cinfo)
{
	struct tfr_jpeg_writer *p = cinfo->client_data;

	p->out->size = p->out->cap;
	make_room(p);
	return TRUE;
}

static void end(j_compress_ptr cinfo)
{
	struct tfr_jpeg_writer *p = cinfo->client_data;

	p->out->size = p->out->cap - p->destination.free_in_buffer;
}

/* --- one image --- */

static void write_orientation(struct tfr_jpeg_writer *p)
{
	uint8_t app1[6 + TFR_EXIF_SIZE] = "Exif\0";

	tfr_exif_write(p->opts->orientation, app1 + 6);
	jpeg_write_marker(&p->cinfo, JPEG_APP0 + 1, app1, sizeof(app1));
}

static void compress(struct tfr_jpeg_writer *p)
{
	struct jpeg_compress_struct *c = &p->cinfo;
	const struct tfr_image *m = p->image;
	unsigned h, v;

	c->image_width = m->width;
	c->image_height = m->height;
	c->input_components = (int)m->channels;
	c->in_color_space = m->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(c);
	jpeg_set_quality(c, p->opts->quality ? (int)p->opts->quality : QUALITY, TRUE);
	c->dct_method = JDCT_ISLOW;
	if (m->channels == 3) {
		tfr_jpeg_factors(p->opts->subsampling, &h, &v);
		c->comp_info[0].h_samp_factor = (int)h;
		c->comp_info[0].v_samp_factor = (int)v;
	}
	jpeg_start_compress(c, TRUE);
	if (p->opts->orientation >= 2 && p->opts->orientation <= 8)
		write_orientation(p);
	while (c->next_scanline < m->height) {
		JSAMPROW rows[ROWS_A_CALL];
		uint32_t n = m->height - c->next_scanline;

		if (n > ROWS_A_CALL)
			n = ROWS_A_CALL;
		for (uint32_t i = 0; i < n; i++)
			rows[i] =
				(JSAMPROW)(uintptr_t)(m->data + (c->next_scanline + i) * m->stride);
		jpeg_write_scanlines(c, rows, n);
	}
	jpeg_finish_compress(c);
}

static void create(struct tfr_jpeg_writer *p)
{
	jpeg_create_compress(&p->cinfo);
	p->cinfo.dest = &p->destination;
}

/* Separate from its callers, so that no local variable of a function that calls setjmp changes
 * after it. */
static bool guarded(struct tfr_jpeg_writer *p, void (*work)(struct tfr_jpeg_writer *p))
{
	if (setjmp(p->fatal)) {
		jpeg_abort_compress(&p->cinfo);
		return false;
	}
	work(p);
	return true;
}

static struct tfr_jpeg_writer *writer_new(void)
{
	struct tfr_jpeg_writer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->cinfo.client_data = p;
	p->cinfo.err = jpeg_std_error(&p->errors);
	p->errors.error_exit = on_error;
	p->errors.output_message = no_output;
	p->destination.init_destination = start;
	p->destination.empty_output_buffer = grow;
	p->destination.term_destination = end;
	if (!guarded(p, create)) {
		tfr_jpeg_writer_free(p);
		return NULL;
	}
	return p;
}

void tfr_jpeg_writer_free(struct tfr_jpeg_writer *p)
{
	if (!p)
		return;
	jpeg_destroy_compress(&p->cinfo);
	free(p);
}

enum tfr_status tfr_jpeg_encode(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, struct tfr_buf *out, struct tfr_error *err)
{
	struct tfr_jpeg_writer *p = e->jpeg;

	if (image->channels != 1 && image->channels != 3)
		return tfr_fail(
			err, TFR_EUSAGE, "a JPEG does not have %u channels", image->channels);
	if (!p && !(p = e->jpeg = writer_new()))
		return tfr_fail_nomem(err, "encoding a JPEG");
	p->out = out;
	p->image = image;
	p->opts = opts;
	p->no_memory = false;
	if (guarded(p, compress))
		return TFR_OK;
	if (p->no_memory)
		return tfr_fail_nomem(err, "encoding a JPEG");
	return tfr_fail(err, TFR_EUSAGE, "cannot encode a JPEG: %s", p->message);
}
