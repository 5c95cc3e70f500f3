/* base/base64.h - bytes as text, RFC 4648 section 4, with padding. */
#ifndef TFR_BASE_BASE64_H
#define TFR_BASE_BASE64_H

#include "base/buf.h"

/* Appends the text of `size` bytes.  False: out of memory. */
bool tfr_base64_encode(struct tfr_buf *out, const void *bytes, size_t size);
/* Appends the decoded bytes of a text.  False: it is not base64 with padding, or out of memory. */
bool tfr_base64_decode(struct tfr_buf *out, const char *text, size_t n);

#endif
