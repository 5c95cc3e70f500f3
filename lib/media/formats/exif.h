/* media/formats/exif.h - the only part of EXIF that changes how an image looks: its orientation. */
#ifndef TFR_MEDIA_FORMATS_EXIF_H
#define TFR_MEDIA_FORMATS_EXIF_H

#include <stddef.h>
#include <stdint.h>

/* Returns the orientation, 1 to 8, from an EXIF block (TIFF); 1 if it is missing or invalid. */
unsigned tfr_exif_orientation(const uint8_t *tiff, size_t size);

/* Makes a TIFF block that contains only an orientation. */
enum { TFR_EXIF_SIZE = 26 };
void tfr_exif_write(unsigned orientation, uint8_t tiff[TFR_EXIF_SIZE]);

#endif
