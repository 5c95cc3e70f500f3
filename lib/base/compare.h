/* base/compare.h - the order of byte strings, as that of memcmp(); of two that begin alike the
 * shorter comes first. */
#ifndef TFR_BASE_COMPARE_H
#define TFR_BASE_COMPARE_H

#include <stddef.h>
#include <string.h>

/* An empty string may be NULL. */
static inline int tfr_compare_bytes(const void *a, size_t a_size, const void *b, size_t b_size)
{
	size_t n = a_size < b_size ? a_size : b_size;
	int c = n ? memcmp(a, b, n) : 0;

	return c ? c : (a_size > b_size) - (a_size < b_size);
}

#endif
