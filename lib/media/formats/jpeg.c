/* media/formats/jpeg.c - JPEG pixels by libjpeg-turbo, of an image or a window of it, and back.
 *
 * The window is requested with a margin of pixels, and rows of the margin are decoded and dropped.
 * "Fancy" upsampling uses the neighbours of each chroma sample, which are missing at the edge of
 * the area that libjpeg decodes.  With the margin, that edge is outside the window, so the pixels
 * equal those of the entire image.  If a margin is not enough (see crops_exactly()), the image is
 * decoded from its top at full width.
 *
 * An encoded image does not depend on the machine: the exact integer DCT, which is the same in all
 * kernels of libjpeg-turbo, and the Huffman tables of the standard.
 *
 * libjpeg reports errors by a call that must not return: everything that calls it runs under
 * jpeg_guard() or run_guarded(). */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h> /* uses names that jpeglib.h leaves undefined, so it comes after it */

#include "base/error.h"
#include "media/formats/exif.h"
#include "media/formats/jpeg.h"

enum {
	MARGIN = 2, /* pixels: one chroma sample of the coarsest interpolated kind */
	ROWS_A_CALL = 16,
	MAX_SCANS = 500, /* of a progressive file; encoders write about ten, attackers thousands */
};

struct tfr_jpeg {
	struct jpeg_decompress_struct cinfo;
	struct jpeg_error_mgr errors;
	struct jpeg_progress_mgr progress;
	jmp_buf fatal;
	enum tfr_status status; /* the reason for the jump to `fatal` */
	char message[JMSG_LENGTH_MAX];
	struct tfr_decoder *owner;
	const struct tfr_decode_job *job;
	struct tfr_image *image;
	struct tfr_buf cmyk;
	struct tfr_huffman *huffman; /* NULL until an image needs it */
	bool irregular;		     /* it met an unsupported case: use libjpeg alone */
	bool fresh;		     /* no image was decoded since create() */
};

/* From libjpeg's jpegint.h, which is not installed: the beginning of its entropy decoder, in every
 * version since 6 (1995) and in libjpeg-turbo. */
struct jpeg_entropy_decoder {
	void (*start_pass)(j_decompress_ptr cinfo);
	boolean (*decode_mcu)(j_decompress_ptr cinfo, JBLOCKROW *blocks);
};

static struct tfr_jpeg *jpeg_of(j_common_ptr cinfo)
{
	return cinfo->client_data;
}

static void give_up(struct tfr_jpeg *j, enum tfr_status status)
{
	j->status = status;
	longjmp(j->fatal, 1);
}

static void on_error(j_common_ptr cinfo)
{
	struct tfr_jpeg *j = jpeg_of(cinfo);

	cinfo->err->format_message(cinfo, j->message);
	give_up(j, cinfo->err->msg_code == JERR_OUT_OF_MEMORY ? TFR_ENOMEM : TFR_EDATA);
}

/* Warnings (level -1) about lost pixels end the decoding; the others concern data outside the
 * pixels. */
static void on_message(j_common_ptr cinfo, int level)
{
	if (level >= 0)
		return;
	switch (cinfo->err->msg_code) {
	case JWRN_ARITH_BAD_CODE:
	case JWRN_HIT_MARKER:
	case JWRN_HUFF_BAD_CODE:
	case JWRN_JPEG_EOF:
	case JWRN_MUST_RESYNC:
		on_error(cinfo);
	}
}

static void no_output(j_common_ptr cinfo)
{
	(void)cinfo;
}

static void on_progress(j_common_ptr cinfo)
{
	struct tfr_jpeg *j = jpeg_of(cinfo);

	if (j->cinfo.input_scan_number > MAX_SCANS) {
		snprintf(j->message, sizeof(j->message), "more than %d scans", MAX_SCANS);
		give_up(j, TFR_EDATA);
	}
}

/* Runs `work`; false: libjpeg failed, j->status and j->message have the reason, and the object is
 * ready for the next image. */
static bool jpeg_guard(struct tfr_jpeg *j, void (*work)(struct tfr_jpeg *j))
{
	if (setjmp(j->fatal)) {
		jpeg_abort_decompress(&j->cinfo);
		return false;
	}
	work(j);
	return true;
}

static void create(struct tfr_jpeg *j)
{
	jpeg_create_decompress(&j->cinfo);
	j->progress.progress_monitor = on_progress;
	j->cinfo.progress = &j->progress;
	j->fresh = true;
}

static struct tfr_jpeg *jpeg_new(struct tfr_decoder *owner)
{
	struct tfr_jpeg *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->owner = owner;
	j->cinfo.client_data = j;
	j->cinfo.err = jpeg_std_error(&j->errors);
	j->errors.error_exit = on_error;
	j->errors.emit_message = on_message;
	j->errors.output_message = no_output;
	if (!jpeg_guard(j, create)) {
		tfr_jpeg_free(j);
		return NULL;
	}
	return j;
}

void tfr_jpeg_free(struct tfr_jpeg *j)
{
	if (!j)
		return;
	jpeg_destroy_decompress(&j->cinfo);
	tfr_huffman_free(j->huffman);
	tfr_buf_clear(&j->cmyk);
	free(j);
}

/* Whether smoothing between blocks may be active: a progressive file lacks bits of some
 * coefficient. */
static bool is_unrefined(const struct jpeg_decompress_struct *c)
{
	if (!c->progressive_mode || !c->coef_bits)
		return false;
	for (int component = 0; component < c->num_components; component++)
		for (int i = 0; i < DCTSIZE2; i++)
			if (c->coef_bits[component][i] != 0)
				return true;
	return false;
}

/* Whether libjpeg crops and skips to the bit: each component is full-size or of the coarsest kind,
 * as encoders make them, and blocks are not smoothed.  Otherwise rows and columns are decoded and
 * dropped. */
static bool crops_exactly(const struct jpeg_decompress_struct *c)
{
	for (int i = 0; i < c->num_components; i++) {
		int h = c->comp_info[i].h_samp_factor, v = c->comp_info[i].v_samp_factor;
		bool whole = h == c->max_h_samp_factor && v == c->max_v_samp_factor;

		if (!whole && (h != 1 || v != 1))
			return false;
	}
	return !is_unrefined(c);
}

/* Limits the decoder to the window's columns and a margin; returns the first column of its output.
 */
static JDIMENSION crop_columns(struct jpeg_decompress_struct *c, const struct tfr_crop *w)
{
	JDIMENSION x = w->x > MARGIN ? w->x - MARGIN : 0, end = w->x + w->width, width;

	end = c->output_width - end > MARGIN ? end + MARGIN : c->output_width;
	width = end - x;
	if (width < c->output_width)
		jpeg_crop_scanline(c, &x, &width);
	return x;
}

static void drop_rows(struct jpeg_decompress_struct *c, uint32_t end, uint8_t *scratch)
{
	JSAMPROW row = scratch;

	while (c->output_scanline < end)
		jpeg_read_scanlines(c, &row, 1);
}

static void read_rows(struct jpeg_decompress_struct *c, uint32_t end, uint8_t *out, size_t stride)
{
	while (c->output_scanline < end) {
		JSAMPROW rows[ROWS_A_CALL];
		uint32_t n = end - c->output_scanline;

		if (n > ROWS_A_CALL)
			n = ROWS_A_CALL;
		for (uint32_t i = 0; i < n; i++)
			rows[i] = out + i * stride;
		out += jpeg_read_scanlines(c, rows, n) * stride;
	}
}

static void cmyk_to_rgb(const uint8_t *in, uint32_t pixels, bool inverted, uint8_t *out)
{
	unsigned flip = inverted ? 0 : 255;

	for (uint32_t i = 0; i < pixels; i++, in += 4, out += 3) {
		unsigned k = in[3] ^ flip;

		out[0] = (uint8_t)((in[0] ^ flip) * k / 255);
		out[1] = (uint8_t)((in[1] ^ flip) * k / 255);
		out[2] = (uint8_t)((in[2] ^ flip) * k / 255);
	}
}

/* As read_rows(), through a row of inks.  Files with Adobe's marker store them inverted: 255 is no
 * ink. */
static void read_cmyk_rows(struct tfr_jpeg *j, uint32_t end, uint8_t *out, size_t stride)
{
	struct jpeg_decompress_struct *c = &j->cinfo;
	JSAMPROW row = j->cmyk.data;

	for (; c->output_scanline < end; out += stride) {
		jpeg_read_scanlines(c, &row, 1);
		cmyk_to_rgb(row, c->output_width, c->saw_Adobe_marker, out);
	}
}

static uint8_t *need_memory(struct tfr_jpeg *j, uint8_t *memory)
{
	if (!memory) {
		strcpy(j->message, "out of memory");
		give_up(j, TFR_ENOMEM);
	}
	return memory;
}

/* Tables stay in a libjpeg object, for streams that define them once.  An image without its own
 * tables would be decoded with those of an earlier image.  So they are cleared; an image's own
 * tables are not affected. */
static void empty_tables(struct jpeg_decompress_struct *c)
{
	for (int i = 0; i < NUM_QUANT_TBLS; i++)
		if (c->quant_tbl_ptrs[i])
			c->quant_tbl_ptrs[i]->quantval[0] = 0;
	for (int i = 0; i < NUM_HUFF_TBLS; i++) {
		JHUFF_TBL *tables[] = { c->dc_huff_tbl_ptrs[i], c->ac_huff_tbl_ptrs[i] };

		for (int k = 0; k < 2; k++)
			if (tables[k])
				memset(tables[k]->bits, 0, sizeof(tables[k]->bits));
	}
}

static bool is_empty(JHUFF_TBL *const *tables, int number)
{
	static const UINT8 none[17] = { 0 };

	return number < 0 || number >= NUM_HUFF_TBLS || !tables[number] ||
	       !memcmp(tables[number]->bits, none, sizeof(none));
}

/* Whether the header defined every table that the image needs: it has one scan, and codes. */
static bool has_its_tables(struct jpeg_decompress_struct *c)
{
	if (c->arith_code || c->progressive_mode || c->comps_in_scan < c->num_components)
		return false;
	for (int i = 0; i < c->comps_in_scan; i++) {
		const jpeg_component_info *info = c->cur_comp_info[i];
		int quant = info->quant_tbl_no;

		if (quant < 0 || quant >= NUM_QUANT_TBLS || !c->quant_tbl_ptrs[quant] ||
			!c->quant_tbl_ptrs[quant]->quantval[0] ||
			is_empty(c->dc_huff_tbl_ptrs, info->dc_tbl_no) ||
			is_empty(c->ac_huff_tbl_ptrs, info->ac_tbl_no))
			return false;
	}
	return true;
}

static void read_header(struct tfr_jpeg *j)
{
	struct jpeg_decompress_struct *c = &j->cinfo;

	empty_tables(c);
	jpeg_mem_src(c, j->job->data, j->job->size);
	jpeg_read_header(c, TRUE);
	if (!j->fresh && !has_its_tables(c)) {
		jpeg_destroy_decompress(c);
		create(j);
		jpeg_mem_src(c, j->job->data, j->job->size);
		jpeg_read_header(c, TRUE);
	}
	j->fresh = false;
}

static void set_up(struct tfr_jpeg *j)
{
	struct jpeg_decompress_struct *c = &j->cinfo;
	const struct tfr_image_info *info = j->job->info;

	read_header(j);
	if (c->image_width != info->width || c->image_height != info->height ||
		(unsigned)c->num_components != info->components) {
		strcpy(j->message, "two frame headers");
		give_up(j, TFR_EDATA);
	}
	if (c->num_components == 4)
		c->out_color_space = JCS_CMYK;
	else
		c->out_color_space = j->job->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
	c->dct_method = j->owner->opts.fast ? JDCT_IFAST : JDCT_ISLOW;
	c->do_fancy_upsampling = !j->owner->opts.fast;
	jpeg_start_decompress(c);
}

static boolean decode_mcu(j_decompress_ptr cinfo, JBLOCKROW *blocks)
{
	struct tfr_jpeg *j = jpeg_of((j_common_ptr)cinfo);

	if (!tfr_huffman_mcu(j->huffman, blocks)) {
		j->irregular = true;
		give_up(j, TFR_EDATA);
	}
	return TRUE;
}

/* Replaces libjpeg's entropy decoder by ours if possible; `x` is the first column of the output. */
static bool take_over(struct tfr_jpeg *j, JDIMENSION x)
{
	struct jpeg_decompress_struct *c = &j->cinfo;
	JDIMENSION mcu = DCTSIZE * (c->num_components == 1 ? 1 : (JDIMENSION)c->max_h_samp_factor);

	if (j->irregular || j->owner->opts.plain || jpeg_has_multiple_scans(c))
		return false;
	if (!j->huffman && !(j->huffman = tfr_huffman_new()))
		return false;
	if (!tfr_huffman_start(j->huffman, c, x / mcu, (x + c->output_width + mcu - 1) / mcu))
		return false;
	c->entropy->decode_mcu = decode_mcu;
	return true;
}

/* libjpeg reads the markers after the last row again. */
static void hand_back(struct tfr_jpeg *j)
{
	struct jpeg_source_mgr *src = j->cinfo.src;
	const uint8_t *position = tfr_huffman_position(j->huffman);

	src->bytes_in_buffer -= (size_t)(position - src->next_input_byte);
	src->next_input_byte = position;
}

static void decode_window(struct tfr_jpeg *j)
{
	struct jpeg_decompress_struct *c = &j->cinfo;
	const struct tfr_crop *w = &j->job->window;
	uint8_t *out, *scratch;
	JDIMENSION x = 0;
	size_t stride;
	bool cmyk, crop, taken;

	set_up(j);
	cmyk = c->out_color_space == JCS_CMYK;
	crop = crops_exactly(c);
	if (crop)
		x = crop_columns(c, w);
	taken = take_over(j, x);
	stride = (size_t)c->output_width * j->job->channels;
	scratch = out = need_memory(j, tfr_pixels(&j->owner->pixels, stride * w->height));
	if (cmyk)
		scratch = need_memory(j, tfr_pixels(&j->cmyk, (size_t)c->output_width * 4));
	if (crop && w->y > MARGIN)
		jpeg_skip_scanlines(c, w->y - MARGIN);
	drop_rows(c, w->y, scratch);
	if (cmyk)
		read_cmyk_rows(j, w->y + w->height, out, stride);
	else
		read_rows(c, w->y + w->height, out, stride);
	if (taken)
		hand_back(j);
	if (c->output_scanline == c->output_height)
		jpeg_finish_decompress(c);
	else
		jpeg_abort_decompress(c);
	*j->image = (struct tfr_image){
		.data = out + (size_t)(w->x - x) * j->job->channels,
		.stride = stride,
		.width = w->width,
		.height = w->height,
		.channels = j->job->channels,
	};
}

static enum tfr_status jpeg_decode(struct tfr_decoder *d, const struct tfr_decode_job *job,
	struct tfr_image *image, struct tfr_error *err)
{
	struct tfr_jpeg *j = d->jpeg;

	if ((job->channels != 1 && job->channels != 3) ||
		(job->channels == 1 && job->info->components == 4))
		return tfr_fail(err, TFR_EUSAGE,
			"a JPEG of %u components has no form with %u channels",
			job->info->components, job->channels);
	if (!j && !(j = d->jpeg = jpeg_new(d)))
		return tfr_fail_nomem(err, "decoding a JPEG");
	j->job = job;
	j->image = image;
	j->irregular = false;
	if (!j->cinfo.mem && !jpeg_guard(j, create)) /* out of memory in read_header() */
		return tfr_fail_nomem(err, "decoding a JPEG");
	if (jpeg_guard(j, decode_window) || (j->irregular && jpeg_guard(j, decode_window)))
		return TFR_OK;
	if (j->status == TFR_ENOMEM)
		return tfr_fail_nomem(err, "decoding a JPEG");
	return tfr_fail(err, TFR_EDATA, "damaged JPEG: %s", j->message);
}

/* --- encoding --- */

enum { QUALITY = 95, GROW = 64 << 10 };

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

static void on_write_error(j_common_ptr cinfo)
{
	struct tfr_jpeg_writer *p = cinfo->client_data;

	cinfo->err->format_message(cinfo, p->message);
	p->no_memory |= cinfo->err->msg_code == JERR_OUT_OF_MEMORY;
	longjmp(p->fatal, 1);
}

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

static void create_writer(struct tfr_jpeg_writer *p)
{
	jpeg_create_compress(&p->cinfo);
	p->cinfo.dest = &p->destination;
}

/* Separate from its callers, so that no local variable of a function that calls setjmp changes
 * after it. */
static bool run_guarded(struct tfr_jpeg_writer *p, void (*work)(struct tfr_jpeg_writer *p))
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
	p->errors.error_exit = on_write_error;
	p->errors.output_message = no_output;
	p->destination.init_destination = start;
	p->destination.empty_output_buffer = grow;
	p->destination.term_destination = end;
	if (!run_guarded(p, create_writer)) {
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

static enum tfr_status jpeg_encode(struct tfr_encoder *e, const struct tfr_image *image,
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
	if (run_guarded(p, compress))
		return TFR_OK;
	if (p->no_memory)
		return tfr_fail_nomem(err, "encoding a JPEG");
	return tfr_fail(err, TFR_EUSAGE, "cannot encode a JPEG: %s", p->message);
}

const struct tfr_image_codec tfr_image_codec_jpeg = {
	.probe = tfr_jpeg_probe,
	.decode = jpeg_decode,
	.encode = jpeg_encode,
};
