/* diff/first_rows.c - keeps up to twice as many rows as requested; when full, sorts them and keeps
 * as many as requested. */
#include "diff/first_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int compare_rows(const void *a, const void *b, void *size)
{
	return memcmp(a, b, *(const size_t *)size);
}

void tfr_firsts_settle(struct tfr_firsts *f)
{
	if (f->n > 1)
		qsort_r(f->rows, f->n, f->row, compare_rows, &f->row);
	f->full |= f->n >= f->max;
	if (f->n > f->max)
		f->n = f->max;
	assert(!f->full || f->n == f->max);
}

bool tfr_firsts_add(struct tfr_firsts *f, const void *row)
{
	if (!f->max || (f->full && memcmp(row, f->rows + (f->max - 1) * f->row, f->row) > 0))
		return true;
	if (f->n == f->cap && f->n / 2 >= f->max)
		tfr_firsts_settle(f);
	if (f->n == f->cap && tfr_array_grow(&f->rows, &f->cap, f->n + 1, f->row))
		return false;
	assert(f->n < f->cap);
	memcpy(f->rows + f->n++ * f->row, row, f->row);
	return true;
}

void tfr_firsts_clear(struct tfr_firsts *f)
{
	free(f->rows);
	*f = (struct tfr_firsts){ 0 };
}
