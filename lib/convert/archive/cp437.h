/* convert/archive/cp437.h - code page 437, in which zip archives name their members unless they say
 * that a name is UTF-8 (PKWARE's APPNOTE.TXT, appendix D). */
#ifndef TFR_CONVERT_ARCHIVE_CP437_H
#define TFR_CONVERT_ARCHIVE_CP437_H

#include <stddef.h>
#include <stdint.h>

enum { TFR_CP437_MOST = 3 };

/* Writes a character as UTF-8, at most TFR_CP437_MOST bytes, and returns how many.  The first 128
 * are those of ASCII. */
size_t tfr_cp437_utf8(uint8_t character, uint8_t *utf8);

#endif
