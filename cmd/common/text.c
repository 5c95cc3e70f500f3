/* cmd/common/text.c - a stream whose writes append to a growing buffer.
 *
 * A short write sets the error flag of the stream, so text_close() knows of every failure. */
#include "common/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static ssize_t append(void *cookie, const char *bytes, size_t n)
{
	struct text *t = cookie;
	size_t cap = 2 * t->cap + n;
	char *larger;

	if (t->cap - t->size < n) {
		larger = realloc(t->data, cap);
		if (!larger)
			return 0;
		t->data = larger;
		t->cap = cap;
	}
	memcpy(t->data + t->size, bytes, n);
	t->size += n;
	return (ssize_t)n;
}

bool text_open(struct text *t)
{
	*t = (struct text){ 0 };
	t->f = fopencookie(t, "w", (cookie_io_functions_t){ .write = append });
	return t->f;
}

char *text_close(struct text *t)
{
	bool good = t->f && fputc('\0', t->f) != EOF && !fflush(t->f) && !ferror(t->f);
	char *data = t->data;

	assert(!good || (t->size && !data[t->size - 1]));
	if (t->f)
		fclose(t->f);
	*t = (struct text){ 0 };
	if (good)
		return data;
	free(data);
	return NULL;
}
