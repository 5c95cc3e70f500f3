/* rewrite/sort/row_sort.h - sorts rows of bytes in place, on several processors. */
#ifndef TFR_REWRITE_SORT_ROW_SORT_H
#define TFR_REWRITE_SORT_ROW_SORT_H

#include <stddef.h>
#include <stdint.h>

enum { TFR_ROW_SORT_MAX = 64 }; /* bytes in a row, at most */

/* Sorts in the order of memcmp().  The result is that of qsort(), without its memory. */
void tfr_row_sort(uint8_t *rows, size_t n, size_t row, unsigned threads);

#endif
