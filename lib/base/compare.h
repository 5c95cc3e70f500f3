/* base/compare.h - the order of byte strings, as that of memcmp(), of which the shorter one of two
 * that begin alike comes first; and sorted lists of numbers, such as hashes. */
#ifndef TFR_BASE_COMPARE_H
#define TFR_BASE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An empty string may be NULL. */
static inline int tfr_compare_bytes(const void *a, size_t a_size, const void *b, size_t b_size)
{
	size_t n = a_size < b_size ? a_size : b_size;
	int c = n ? memcmp(a, b, n) : 0;

	return c ? c : (a_size > b_size) - (a_size < b_size);
}

static inline int tfr_compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static inline int tfr_compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* An empty list may be NULL. */
static inline void tfr_sort_u64(uint64_t *list, size_t n)
{
	if (n)
		qsort(list, n, sizeof(*list), tfr_compare_u64);
}

static inline bool tfr_find_u64(const uint64_t *sorted, size_t n, uint64_t wanted)
{
	return n && bsearch(&wanted, sorted, n, sizeof(wanted), tfr_compare_u64);
}

#endif
