/* rewrite/sort/sorter.h - sorts rows of one size: in memory on several processors, or any number of
 * them in bounded memory, by an external sort that returns them in order.
 *
 * Rows are bytes in the order of memcmp(): numbers in them are big-endian. */
#ifndef TFR_REWRITE_SORT_SORTER_H
#define TFR_REWRITE_SORT_SORTER_H

#include "rewrite/sort/spill.h"

enum { TFR_SORTER_ROW = 64 }; /* bytes in a row, at most */

/* Sorts rows in place.  The result is that of qsort(), without its memory (row_sort.c). */
void tfr_row_sort(uint8_t *rows, size_t n, size_t row, unsigned threads);

struct tfr_sorter;

enum { TFR_SORTER_MIN = 64 << 10 }; /* the least memory used, whatever the caller allows */

/* Rows beyond `memory` bytes go to files without names in the folders, which the caller owns.
 * `threads` sort.  NULL: out of memory. */
struct tfr_sorter *tfr_sorter_new(
	size_t row, uint64_t memory, const struct tfr_spill_folders *folders, unsigned threads);
void tfr_sorter_free(struct tfr_sorter *s); /* accepts NULL */
/* Adds rows; one thread at a time.  TFR_ESYS: the files cannot be written. */
enum tfr_status tfr_sorter_add(
	struct tfr_sorter *s, const void *rows, size_t n, struct tfr_error *err);
/* The same for the `*n` rows that one of several threads has gathered; sets `*n` to 0. */
enum tfr_status tfr_sorter_take(
	struct tfr_sorter *s, const void *rows, size_t *n, struct tfr_error *err);
/* Returns the next row, a view until the next call; tfr_sorter_add() must not be called
 * afterwards.  TFR_END: there are no more. */
enum tfr_status tfr_sorter_next(struct tfr_sorter *s, const void **row, struct tfr_error *err);
/* Bytes written to the files. */
uint64_t tfr_sorter_spilled(const struct tfr_sorter *s);

/* --- numbers in rows --- */

static inline void tfr_put_be(uint8_t *out, uint64_t v, int bytes)
{
	while (bytes--) {
		out[bytes] = (uint8_t)v;
		v >>= 8;
	}
}

static inline uint64_t tfr_get_be(const uint8_t *p, int bytes)
{
	uint64_t v = 0;

	for (int i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

/* The place of a record: the numbers of its file, in 4 bytes, and of the record. */
enum { TFR_ROW_PLACE = 12 };
static inline void tfr_put_place(uint8_t *out, uint32_t file, uint64_t record)
{
	tfr_put_be(out, file, 4);
	tfr_put_be(out + 4, record, 8);
}

#endif
