/* convert/list/json_row.h - a row of JSON lines: its members, the columns that they belong to, and
 * their values. */
#ifndef TFR_CONVERT_LIST_JSON_ROW_H
#define TFR_CONVERT_LIST_JSON_ROW_H

#include "convert/list/columns.h"
#include "convert/list/json_line.h"

/* Where a column is in a row. */
struct tfr_slot {
	uint64_t row;  /* the last one that has the column */
	size_t member; /* its number there */
};

/* What reading rows keeps from row to row; zero-initialised. */
struct tfr_json_row {
	struct tfr_json_line line;
	struct tfr_buf slots_;	     /* a struct tfr_slot for each column */
	uint64_t row;		     /* the number of the row at hand, from 1 */
	bool twice;		     /* two members of the row belong to one column */
	size_t guess;		     /* for tfr_columns_find() */
	struct tfr_buf name;	     /* a name with those of the objects around it */
	struct tfr_buf values, data; /* of the list under way, and the bytes that they view */
};

void tfr_json_row_clear(struct tfr_json_row *r);

/* Scans a line and finds the columns of its features; one without a column has SIZE_MAX.
 * TFR_EDATA: what is wrong with the line. */
enum tfr_status tfr_json_row_read(struct tfr_json_row *r, const struct tfr_columns *columns,
	const char *line, size_t size, struct tfr_error *err);
/* Whether a member is a feature and not null. */
static inline bool tfr_json_row_has(const struct tfr_json_row *r, const struct tfr_json_member *m)
{
	return m->form == TFR_MEMBER_ARRAY ||
	       (m->form == TFR_MEMBER_VALUE &&
		       tfr_json_line_tokens(&r->line, m)->type != TFR_TOKEN_NULL);
}

/* The name of a feature, *size bytes, valid until the next call.  NULL: out of memory. */
const char *tfr_json_row_name(
	struct tfr_json_row *r, const struct tfr_json_member *m, size_t *size);
/* Gives a member its column.  False: out of memory. */
bool tfr_json_row_place(struct tfr_json_row *r, struct tfr_json_member *m, size_t column);
/* The member of a column; NULL: there is none. */
static inline const struct tfr_json_member *tfr_json_row_member(
	const struct tfr_json_row *r, size_t column)
{
	const struct tfr_slot *slot =
		(const struct tfr_slot *)(const void *)r->slots_.data + column;

	return (column + 1) * sizeof(*slot) <= r->slots_.size && slot->row == r->row
		       ? &tfr_json_line_members(&r->line)[slot->member]
		       : NULL;
}

/* What the values of a feature look like; 0: an empty array, or values that no feature can hold.
 * *misfit: one of TFR_LOOK_MISFITS, beyond float32 if there is one; NULL: there is none. */
unsigned tfr_json_row_looks(const struct tfr_json_row *r, const struct tfr_json_member *m,
	const struct tfr_token **misfit);
/* The values of a feature as its column has them, m->n of them: int64_t, float or struct tfr_bytes,
 * valid until the next call.  TFR_EDATA: one does not fit. */
enum tfr_status tfr_json_row_values(struct tfr_json_row *r, const struct tfr_json_member *m,
	const struct tfr_list_column *col, const void **values, struct tfr_error *err);

#endif
