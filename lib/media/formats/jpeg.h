/* media/formats/jpeg.h - shared by the JPEG probe and codec. */
#ifndef TFR_MEDIA_FORMATS_JPEG_H
#define TFR_MEDIA_FORMATS_JPEG_H

#include "media/formats/image_codec.h"

enum tfr_status tfr_jpeg_probe(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err);

/* The factors of the first component for a name of subsampling; 2 x 2 if there is no such name. */
void tfr_jpeg_factors(const char *subsampling, unsigned *h, unsigned *v);

#endif
