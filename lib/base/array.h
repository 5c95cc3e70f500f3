/* base/array.h - growing arrays: the owner's struct has the pointer, the count and, for arrays that
 * may become long, the capacity.  Elements are read and written as in any array.
 *
 *	if (TFR_ARRAY_RESERVE(s->list, s->cap, s->n + 1))
 *		return tfr_fail_nomem(err, "listing files");
 *	s->list[s->n++] = element;
 *
 * NULL with capacity 0 is empty; free() releases an array.  On TFR_ENOMEM nothing has changed. */
#ifndef TFR_BASE_ARRAY_H
#define TFR_BASE_ARRAY_H

#include <stddef.h>

#include <tfr/error.h>

/* Makes room for `wanted` elements.  The capacity at least doubles, so that appending n elements
 * one by one copies fewer than 2n.  `cap` is a size_t. */
#define TFR_ARRAY_RESERVE(list, cap, wanted)                                                       \
	((size_t)(wanted) <= (cap) ? TFR_OK                                                        \
				   : tfr_array_grow(&(list), &(cap), (wanted), sizeof(*(list))))

/* Makes room for one more element after the first `n`, for arrays without a field for the
 * capacity.  The capacity is `n` rounded up to a power of two, and at least 4.  Such an array
 * grows by this macro only, one element at a time; it may lose any number of elements at its
 * end. */
#define TFR_ARRAY_ONE_MORE(list, n) tfr_array_one_more(&(list), (n), sizeof(*(list)))

/* The function that the macros call; `list` is the address of the pointer. */
enum tfr_status tfr_array_grow(void *list, size_t *cap, size_t wanted, size_t size);
enum tfr_status tfr_array_one_more(void *list, size_t n, size_t size);

/* Zeroed memory that shares no cache line with any other, for what one thread changes with every
 * record; free() releases it.  With its neighbour's state in the line, a thread takes up to twice
 * the time.  If the elements belong to different threads, their struct is TFR_APART.  NULL: out of
 * memory. */
void *tfr_calloc_apart(size_t n, size_t size);
enum { TFR_APART_SIZE = 128 }; /* processors fetch lines of 64 bytes in pairs */
#define TFR_APART __attribute__((aligned(TFR_APART_SIZE)))

#endif
