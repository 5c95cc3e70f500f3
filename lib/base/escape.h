/* base/escape.h - any bytes as one line of text that can be converted back to the same bytes. */
#ifndef TFR_BASE_ESCAPE_H
#define TFR_BASE_ESCAPE_H

#include "base/buf.h"

/* Appends the bytes escaped as by tfr_escape_name(), without a NUL.  False: out of memory. */
bool tfr_escape_exactly(struct tfr_buf *b, const void *text, size_t size);

#endif
