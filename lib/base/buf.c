/* base/buf.c - growing byte buffers.  Out of memory is a return value; the process never exits. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tfr_buf_reserve(struct tfr_buf *b, size_t extra)
{
	size_t need, cap;
	uint8_t *data;

	if (__builtin_add_overflow(b->size, extra, &need) || need > PTRDIFF_MAX)
		return false;
	if (b->data && need <= b->cap)
		return true;
	cap = b->cap + b->cap / 2;
	if (cap < need)
		cap = need;
	if (cap < 64)
		cap = 64;
	data = realloc(b->data, cap);
	if (!data)
		return false;
	b->data = data;
	b->cap = cap;
	return true;
}

bool tfr_buf_append(struct tfr_buf *b, const void *bytes, size_t n)
{
	if (!tfr_buf_reserve(b, n))
		return false;
	if (n)
		memcpy(b->data + b->size, bytes, n);
	b->size += n;
	return true;
}

bool tfr_buf_printf(struct tfr_buf *b, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0 || !tfr_buf_reserve(b, (size_t)n + 1))
		return false;
	va_start(args, format);
	vsnprintf((char *)b->data + b->size, (size_t)n + 1, format, args);
	va_end(args);
	b->size += (size_t)n;
	return true;
}

char *tfr_asprintf(const char *format, ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	return n < 0 ? NULL : text;
}

void tfr_buf_clear(struct tfr_buf *b)
{
	free(b->data);
	*b = (struct tfr_buf){ 0 };
}
