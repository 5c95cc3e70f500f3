/* media/formats/png.h - shared by the PNG decoder and encoder. */
#ifndef TFR_MEDIA_FORMATS_PNG_H
#define TFR_MEDIA_FORMATS_PNG_H

#include "media/formats/image_codec.h"

enum tfr_status tfr_png_encode(struct tfr_encoder *e, const struct tfr_image *image,
	const struct tfr_encode_opts *opts, struct tfr_buf *out, struct tfr_error *err);

#endif
