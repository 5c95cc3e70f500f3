/* cmd/common/text.h - text that is printed into memory.
 *
 * Used in place of open_memstream(), which in glibc loses bytes without setting the stream's error
 * flag, and closes without an error and without a text, when memory runs out. */
#ifndef TFR_CMD_COMMON_TEXT_H
#define TFR_CMD_COMMON_TEXT_H

#include <stdbool.h>
#include <stdio.h>

struct text {
	FILE *f;
	char *data; /* what was written so far, except what `f` buffers */
	size_t size, cap;
};

/* Opens t->f.  The struct must not move until text_close().  False: out of memory. */
bool text_open(struct text *t);
/* Closes t->f, clears the struct and returns the text, which the caller frees.  NULL: memory ran
 * out, or the struct was clear. */
char *text_close(struct text *t);

#endif
