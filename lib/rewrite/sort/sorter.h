/* rewrite/sort/sorter.h - any number of rows of one size, in bounded memory, seen again in order.
 *
 * Rows are bytes, ordered as memcmp() orders them: what is a number in them is big-endian. */
#ifndef TFR_REWRITE_SORT_SORTER_H
#define TFR_REWRITE_SORT_SORTER_H

#include "base/error.h"

struct tfr_sorter;

enum { TFR_SORTER_ROW = 64 };	    /* bytes in a row, at most */
enum { TFR_SORTER_MIN = 64 << 10 }; /* so much memory is taken, whatever the caller allows */

/* Rows beyond `memory` bytes go to files without names, spread over `count` folders, which stay the
 * caller's.  NULL: out of memory. */
struct tfr_sorter *tfr_sorter_new(
	size_t row, uint64_t memory, const char *const *folders, size_t count);
void tfr_sorter_free(struct tfr_sorter *s); /* accepts NULL */
/* How many threads sort; one, where nobody says so. */
void tfr_sorter_threads(struct tfr_sorter *s, unsigned threads);
/* One thread at a time.  TFR_ESYS: the files cannot be written. */
enum tfr_status tfr_sorter_add(
	struct tfr_sorter *s, const void *rows, size_t n, struct tfr_error *err);
/* After the last was added: the next row, a view until the next call.  TFR_END: there is none. */
enum tfr_status tfr_sorter_next(struct tfr_sorter *s, const void **row, struct tfr_error *err);
/* Bytes that went to the files. */
uint64_t tfr_sorter_spilled(const struct tfr_sorter *s);

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

#endif
