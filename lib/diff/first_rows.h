/* diff/first_rows.h - the first few of any number of rows, as memcmp() orders them. */
#ifndef TFR_DIFF_FIRST_ROWS_H
#define TFR_DIFF_FIRST_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `row` bytes each, `max` of them are wanted.  Room grows with what came. */
struct tfr_firsts {
	size_t row, max;
	uint8_t *rows;
	size_t n, cap;
	bool full; /* the last of the first `max` rows is the largest that counts */
};

/* False: out of memory. */
bool tfr_firsts_add(struct tfr_firsts *f, const void *row);
/* After the last was added: `n` rows are there, ascending. */
void tfr_firsts_settle(struct tfr_firsts *f);
void tfr_firsts_clear(struct tfr_firsts *f);

#endif
