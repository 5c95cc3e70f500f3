/* convert/list/plain_rows.h - the rows that need neither json-c nor a builder.
 *
 * Each function returns false for a row that it does not decide, and has then changed nothing: the
 * careful functions of list_rows.c and list_features.c read that row, and say what is wrong with
 * it. For every other row both ways have the same result. */
#ifndef TFR_CONVERT_LIST_PLAIN_ROWS_H
#define TFR_CONVERT_LIST_PLAIN_ROWS_H

#include "convert/list/columns.h"
#include "convert/list/csv.h"
#include "convert/list/plain_json.h"
#include "convert/list/row_encoder.h"

/* What reading rows of JSON lines keeps from row to row; zero-initialised. */
struct tfr_plain_reader {
	struct tfr_plain plain;
	struct tfr_buf slots_;	     /* a struct tfr_slot for each column */
	uint64_t row;		     /* the number of the row at hand, from 1 */
	size_t guess;		     /* for tfr_columns_find() */
	struct tfr_buf values, data; /* of the list under way, and the bytes that they view */
};

void tfr_plain_reader_clear(struct tfr_plain_reader *r);

/* Scans a line and finds the columns of its members; a member without a column has SIZE_MAX. */
bool tfr_plain_read(struct tfr_plain_reader *r, const struct tfr_columns *columns, const char *line,
	size_t size);
/* Whether a member is null, and so absent. */
static inline bool tfr_plain_is_null(
	const struct tfr_plain_reader *r, const struct tfr_json_member *m)
{
	return !m->array && tfr_plain_tokens(&r->plain, m)->type == TFR_TOKEN_NULL;
}

/* What the values of a member look like. */
bool tfr_plain_looks(
	const struct tfr_plain_reader *r, const struct tfr_json_member *m, unsigned *looks);

/* The row that tfr_plain_read() has read, as a record. */
bool tfr_plain_object(struct tfr_plain_reader *r, const struct tfr_row_layout *l, size_t size,
	struct tfr_records *to);
/* The cells of a row of `size` bytes, as a record. */
bool tfr_plain_cells(const struct tfr_csv *csv, const struct tfr_row_layout *l, size_t size,
	struct tfr_records *to);

#endif
