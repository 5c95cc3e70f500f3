/* base/array.c - growing arrays.  A size that overflows is out of memory, as it is for malloc(). */
#include "base/array.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 16, LEAST_UNCOUNTED = 4 };

/* Resizes through the bytes of the caller's pointer, because its type is unknown here. */
static enum tfr_status resize_array(void *list, size_t cap, size_t size)
{
	void *old, *new;
	size_t bytes;

	if (__builtin_mul_overflow(cap, size, &bytes) || bytes > PTRDIFF_MAX)
		return TFR_ENOMEM;
	memcpy(&old, list, sizeof(old));
	new = realloc(old, bytes);
	if (!new)
		return TFR_ENOMEM;
	memcpy(list, &new, sizeof(new));
	return TFR_OK;
}

enum tfr_status tfr_array_grow(void *list, size_t *cap, size_t wanted, size_t size)
{
	size_t more = *cap <= SIZE_MAX / 2 ? 2 * *cap : SIZE_MAX;

	assert(wanted > *cap && size);
	if (more < wanted)
		more = wanted;
	if (more < LEAST)
		more = LEAST;
	if (resize_array(list, more, size))
		return TFR_ENOMEM;
	*cap = more;
	return TFR_OK;
}

enum tfr_status tfr_array_one_more(void *list, size_t n, size_t size)
{
	assert(size);
	if (!n)
		return resize_array(list, LEAST_UNCOUNTED, size);
	if (n < LEAST_UNCOUNTED || (n & (n - 1)))
		return TFR_OK;
	return n > SIZE_MAX / 2 ? TFR_ENOMEM : resize_array(list, 2 * n, size);
}

void *tfr_calloc_apart(size_t n, size_t size)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX - TFR_APART_SIZE)
		return NULL;
	bytes = (bytes / TFR_APART_SIZE + 1) * TFR_APART_SIZE;
	memory = aligned_alloc(TFR_APART_SIZE, bytes);
	return memory ? memset(memory, 0, bytes) : NULL;
}
