/* media/formats/exif.c - EXIF is a TIFF file without an image (CIPA DC-008, 4.5).
 *
 * A header of 8 bytes has the byte order and the offset of the first directory.  The directory has
 * a count and entries of 12 bytes: tag, type, number of values, and the value itself if it fits in
 * 4 bytes.  Each offset is compared with the size before it is followed. */
#include "media/formats/exif.h"

#include <string.h>

#include "media/formats/image_codec.h"

enum { HEADER = 8, ENTRY = 12, ORIENTATION = 0x0112 };
enum { BYTE = 1, SHORT = 3, LONG = 4 };

static uint32_t get16(const uint8_t *p, bool big)
{
	return big ? tfr_be16(p) : tfr_le16(p);
}

static uint32_t get32(const uint8_t *p, bool big)
{
	return big ? tfr_be32(p) : tfr_le32(p);
}

static uint32_t value(const uint8_t *entry, bool big)
{
	if (!get32(entry + 4, big))
		return 0;
	switch (get16(entry + 2, big)) {
	case BYTE:
		return entry[8];
	case SHORT:
		return get16(entry + 8, big);
	case LONG:
		return get32(entry + 8, big);
	}
	return 0;
}

unsigned tfr_exif_orientation(const uint8_t *tiff, size_t size)
{
	uint32_t at, n, found = 0;
	bool big;

	if (size < HEADER || (memcmp(tiff, "II*\0", 4) && memcmp(tiff, "MM\0*", 4)))
		return 1;
	big = tiff[0] == 'M';
	at = get32(tiff + 4, big);
	if (at > size || size - at < 2)
		return 1;
	n = get16(tiff + at, big);
	at += 2;
	for (; n && size - at >= ENTRY; n--, at += ENTRY)
		if (get16(tiff + at, big) == ORIENTATION)
			found = value(tiff + at, big);
	return found >= 1 && found <= 8 ? found : 1;
}

void tfr_exif_write(unsigned orientation, uint8_t tiff[TFR_EXIF_SIZE])
{
	static const uint8_t block[TFR_EXIF_SIZE] = { 'M', 'M', 0, '*', 0, 0, 0, HEADER, 0, 1,
		ORIENTATION >> 8, ORIENTATION & 255, 0, SHORT, 0, 0, 0, 1 };

	memcpy(tiff, block, sizeof(block));
	tiff[19] = (uint8_t)orientation;
}
