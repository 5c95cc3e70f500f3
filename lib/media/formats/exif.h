/* media/formats/exif.h - the one thing in EXIF that changes what is seen: how an image is to be
 * turned. */
#ifndef TFR_MEDIA_FORMATS_EXIF_H
#define TFR_MEDIA_FORMATS_EXIF_H

#include <stddef.h>
#include <stdint.h>

/* The orientation, 1 to 8, out of a TIFF block as EXIF has it; 1 where it says none, or nonsense.
 */
unsigned tfr_exif_orientation(const uint8_t *tiff, size_t size);

/* A TIFF block that says nothing but an orientation. */
enum { TFR_EXIF_SIZE = 26 };
void tfr_exif_write(unsigned orientation, uint8_t tiff[TFR_EXIF_SIZE]);

#endif
