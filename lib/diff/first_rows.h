/* diff/first_rows.h - keeps the smallest few of any number of rows, in memcmp() order. */
#ifndef TFR_DIFF_FIRST_ROWS_H
#define TFR_DIFF_FIRST_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of `row` bytes, of which `max` are requested.  Memory grows with the number of rows added.
 */
struct tfr_firsts {
	size_t row, max;
	uint8_t *rows;
	size_t n, cap;
	bool full; /* row `max` - 1 is the upper limit for new rows */
};

/* False: out of memory. */
bool tfr_firsts_add(struct tfr_firsts *f, const void *row);
/* Call after the last row was added: leaves `n` rows, ascending. */
void tfr_firsts_settle(struct tfr_firsts *f);
void tfr_firsts_clear(struct tfr_firsts *f);

#endif
