/* base/buf.h - a growing byte buffer.  Zero-initialised is empty; tfr_buf_clear() frees. */
#ifndef TFR_BASE_BUF_H
#define TFR_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct tfr_buf {
	uint8_t *data;
	size_t size;
	size_t cap;
};

/* Makes room for `extra` more bytes after `size`; the capacity grows by at least half.
 * Afterwards `data` is not NULL, even for 0 bytes, so that offsets may be added to it.  False:
 * out of memory, unchanged. */
bool tfr_buf_reserve(struct tfr_buf *b, size_t extra);
bool tfr_buf_append(struct tfr_buf *b, const void *bytes, size_t n);
bool tfr_buf_printf(struct tfr_buf *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void tfr_buf_clear(struct tfr_buf *b);

/* Returns a string on the heap, which the caller frees; NULL: out of memory.  (asprintf() leaves
 * its pointer undefined when it fails.) */
char *tfr_asprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define TFR_AUTO_BUF __attribute__((cleanup(tfr_buf_clear))) struct tfr_buf

#endif
