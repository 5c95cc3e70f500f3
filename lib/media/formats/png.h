/* media/formats/png.h - shared by the PNG decoder and encoder.
 *
 * libpng reports errors by a call that must not return: everything that calls it runs under setjmp.
 */
#ifndef TFR_MEDIA_FORMATS_PNG_H
#define TFR_MEDIA_FORMATS_PNG_H

#include <png.h>

#include "media/formats/image_codec.h"

/* Why libpng failed.  It reports a failed allocation like damage. */
struct tfr_png_failure {
	char message[128];
	bool no_memory;
};

/* The callbacks of png_create_read_struct_2() and png_create_write_struct_2(); `error_ptr` and
 * `mem_ptr` of both are a struct tfr_png_failure. */
void tfr_png_error(png_structp png, png_const_charp text);
void tfr_png_warning(png_structp png, png_const_charp text);
png_voidp tfr_png_malloc(png_structp png, png_alloc_size_t size);
void tfr_png_free(png_structp png, png_voidp p);

enum tfr_status tfr_png_encode(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, struct tfr_buf *out, struct tfr_error *err);

#endif
