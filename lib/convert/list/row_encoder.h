/* convert/list/row_encoder.h - rows straight into framed records.
 *
 * The columns of a list are known before its records are made, and so is the order of their
 * features in an Example: what does not change from row to row is prepared once.  The bytes are
 * those that struct tfr_builder makes. */
#ifndef TFR_CONVERT_LIST_ROW_ENCODER_H
#define TFR_CONVERT_LIST_ROW_ENCODER_H

#include "convert/list/columns.h"

/* A column, in the order of the names. */
struct tfr_row_column {
	uint32_t index; /* of the column */
	enum tfr_kind kind;
	size_t head_at,
		head_size; /* in the layout's heads: from the key to the tag of the feature */
};

/* How the features of a list are written; shared by all threads. */
struct tfr_row_layout {
	const struct tfr_columns *columns;
	struct tfr_buf order_; /* struct tfr_row_column, sorted by name */
	struct tfr_buf heads;  /* the bytes of each column that come before its values */
	size_t bound;	       /* bytes that a row needs besides its values, at most */
};

/* False: out of memory. */
bool tfr_row_layout_init(struct tfr_row_layout *l, const struct tfr_columns *columns);
void tfr_row_layout_clear(struct tfr_row_layout *l);
/* The column that is written at place `k`. */
static inline const struct tfr_row_column *tfr_row_layout_at(
	const struct tfr_row_layout *l, size_t k)
{
	return (const struct tfr_row_column *)(const void *)l->order_.data + k;
}

/* Records one after another, each with its framing. */
struct tfr_records {
	struct tfr_buf data;
	struct tfr_buf sums; /* uint64_t, tfr_content_sum() of each payload */
	size_t begin;	     /* of the record under way */
	size_t room;	     /* its end may not be after this */
};

void tfr_records_clear(struct tfr_records *r);
/* Begins a record made of a row of `size` bytes.  False: out of memory. */
bool tfr_records_begin(struct tfr_records *r, const struct tfr_row_layout *l, size_t size);
/* Add the values of the column at place `k`, in the order of the places; each is used once at
 * most. */
void tfr_records_int64s(struct tfr_records *r, const struct tfr_row_layout *l, size_t k,
	const int64_t *values, size_t n);
void tfr_records_floats(struct tfr_records *r, const struct tfr_row_layout *l, size_t k,
	const float *values, size_t n);
void tfr_records_bytes(struct tfr_records *r, const struct tfr_row_layout *l, size_t k,
	const struct tfr_bytes *values, size_t n);
/* Ends the record.  False: out of memory, or it is larger than an Example may be; it is taken
 * back. */
bool tfr_records_end(struct tfr_records *r);
/* Takes the record under way back. */
void tfr_records_cancel(struct tfr_records *r);
/* Adds a complete payload.  False: out of memory. */
bool tfr_records_add(struct tfr_records *r, const void *payload, size_t size);

#endif
