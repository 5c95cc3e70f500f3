/* media/jpeg.h - between the two halves of JPEG: its probe and its decoder. */
#ifndef TFR_MEDIA_JPEG_H
#define TFR_MEDIA_JPEG_H

#include "media/picture.h"

enum tfr_status tfr_jpeg_probe(
	const uint8_t *data, size_t size, struct tfr_image_info *info, struct tfr_error *err);

#endif
