/* convert/archive/cp437.h - code page 437, in which zip archives name their members unless they say
 * that a name is UTF-8 (PKWARE's APPNOTE.TXT, appendix D). */
#ifndef TFR_CONVERT_ARCHIVE_CP437_H
#define TFR_CONVERT_ARCHIVE_CP437_H

#include "base/buf.h"

/* Appends a text as UTF-8.  The first 128 characters are those of ASCII.  False: out of memory. */
bool tfr_cp437_append(struct tfr_buf *to, const char *text);

#endif
