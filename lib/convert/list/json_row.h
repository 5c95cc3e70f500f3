/* convert/list/json_row.h - a row of JSON lines: its members, the columns that they belong to, and
 * their values.
 *
 * A member is a number, a text, true, false, null or an array of these.  An object
 * {"base64": TEXT} is bytes, as 'tfr show --json --bytes base64' prints them.  The members of any
 * other object are features under "NAME/MEMBER".  An object {"bytes": INTEGER, "type": ...}
 * describes bytes that 'tfr show --json' left out. */
#ifndef TFR_CONVERT_LIST_JSON_ROW_H
#define TFR_CONVERT_LIST_JSON_ROW_H

#include "convert/json_tape.h"
#include "convert/list/columns.h"

struct tfr_json_member {
	const struct tfr_token *name; /* without the names around it */
	const struct tfr_token *value;
	size_t parent; /* 1 + the number of the member that it is in; 0: none */
	size_t column; /* SIZE_MAX: it has none */
};

/* Where a column is in a row. */
struct tfr_slot {
	uint64_t row;  /* the last one that has the column */
	size_t member; /* its number there */
};

/* What reading rows keeps from row to row; zero-initialised. */
struct tfr_json_row {
	struct tfr_tape tape;
	struct tfr_buf members_; /* struct tfr_json_member, each after the one that it is in */
	size_t n;
	struct tfr_buf slots_;	     /* a struct tfr_slot for each column */
	uint64_t row;		     /* the number of the row at hand, from 1 */
	bool twice;		     /* two members of the row belong to one column */
	size_t guess;		     /* for tfr_columns_find() */
	struct tfr_buf name;	     /* a name with those of the objects around it */
	struct tfr_buf names_;	     /* of members, to be compared */
	struct tfr_buf values, data; /* of the list under way, and the bytes that they view */
};

void tfr_json_row_clear(struct tfr_json_row *r);

/* Scans a line and finds the columns of its features.  The members are valid until the next call
 * and as long as the line.  TFR_EDATA: what is wrong with the line. */
enum tfr_status tfr_json_row_read(struct tfr_json_row *r, const struct tfr_columns *columns,
	const char *line, size_t size, struct tfr_error *err);

static inline struct tfr_json_member *tfr_json_row_members(const struct tfr_json_row *r)
{
	return (struct tfr_json_member *)(void *)r->members_.data;
}

/* Whether a member is a feature and not null. */
static inline bool tfr_json_member_has(const struct tfr_json_member *m)
{
	return m->value->type != TFR_TOKEN_NULL && m->value->type != TFR_TOKEN_OBJECT;
}

/* How many values a feature has; *first: the first of them. */
static inline size_t tfr_json_member_values(
	const struct tfr_json_member *m, const struct tfr_token **first)
{
	bool array = m->value->type == TFR_TOKEN_ARRAY;

	*first = m->value + array;
	return array ? m->value->n : 1;
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
		       ? &tfr_json_row_members(r)[slot->member]
		       : NULL;
}

/* What the values of a feature look like; 0: an empty array, or values that no feature can hold.
 * *misfit: one of TFR_LOOK_MISFITS, beyond float32 if there is one; NULL: there is none. */
unsigned tfr_json_member_looks(const struct tfr_json_member *m, const struct tfr_token **misfit);
/* The *n values of a feature as its column has them: int64_t, float or struct tfr_bytes, valid
 * until the next call.  TFR_EDATA: one does not fit. */
enum tfr_status tfr_json_row_values(struct tfr_json_row *r, const struct tfr_json_member *m,
	const struct tfr_list_column *col, const void **values, size_t *n, struct tfr_error *err);

#endif
