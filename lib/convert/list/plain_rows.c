/* convert/list/plain_rows.c - values go from the text of a row into the bytes of its record.
 *
 * A column that a member fills is marked with the number of the row, so that nothing is reset from
 * row to row, and a name that occurs twice is found. */
#include "convert/list/plain_rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/base64.h"

enum {
	MOST_UNKNOWN = 16,  /* members without a column, which are compared pairwise */
	MOST_ROW = 1 << 20, /* bytes: memory for a larger row is not taken in advance */
	SPARSE = 8,	    /* columns for each member, beyond which most are absent */
	FEW_COLUMNS = 64,
};

struct tfr_slot {
	uint64_t row;  /* the last one that has the column */
	size_t member; /* its number there */
};

void tfr_plain_reader_clear(struct tfr_plain_reader *r)
{
	tfr_plain_clear(&r->plain);
	tfr_buf_clear(&r->slots_);
	tfr_buf_clear(&r->values);
	tfr_buf_clear(&r->data);
	*r = (struct tfr_plain_reader){ 0 };
}

/* ---- members and columns ---- */

static struct tfr_slot *slots(const struct tfr_plain_reader *r)
{
	return (struct tfr_slot *)(void *)r->slots_.data;
}

static bool have_slots(struct tfr_plain_reader *r, size_t columns)
{
	size_t size = columns * sizeof(struct tfr_slot), before = r->slots_.size;

	if (size <= before)
		return true;
	if (!tfr_buf_reserve(&r->slots_, size - before))
		return false;
	memset(r->slots_.data + before, 0, size - before);
	r->slots_.size = size;
	return true;
}

/* Whether the names of members without a column differ.  `unknown`: their numbers. */
static bool differ(const struct tfr_json_member *members, const size_t *unknown, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			const struct tfr_json_member *a = &members[unknown[i]],
						     *b = &members[unknown[k]];

			if (a->size == b->size && !memcmp(a->name, b->name, a->size))
				return false;
		}
	return true;
}

bool tfr_plain_read(struct tfr_plain_reader *r, const struct tfr_columns *columns, const char *line,
	size_t size)
{
	struct tfr_json_member *members;
	size_t unknown[MOST_UNKNOWN], n = 0;

	if (size > MOST_ROW || !tfr_plain_scan(&r->plain, line, size) || !have_slots(r, columns->n))
		return false;
	members = tfr_plain_members(&r->plain);
	r->row++;
	for (size_t i = 0; i < r->plain.n; i++) {
		struct tfr_json_member *m = &members[i];
		const struct tfr_list_column *col =
			tfr_columns_find(columns, m->name, m->size, &r->guess);
		struct tfr_slot *slot;

		m->column = col ? (size_t)(col - columns->list) : SIZE_MAX;
		if (!col) {
			if (n == MOST_UNKNOWN)
				return false;
			unknown[n++] = i;
			continue;
		}
		slot = &slots(r)[m->column];
		if (slot->row == r->row)
			return false;
		*slot = (struct tfr_slot){ r->row, i };
	}
	return differ(members, unknown, n);
}

/* ---- looks ---- */

static unsigned look_of(const struct tfr_token *t)
{
	enum { SAFE = 37 }; /* powers of ten in float32 */
	const struct tfr_scanned *n = &t->number;
	int64_t value;

	switch (t->type) {
	case TFR_TOKEN_BOOL:
		return TFR_LOOK_INT;
	case TFR_TOKEN_NUMBER:
		if (tfr_scanned_is_integer(n))
			return tfr_scanned_int64(n, &value) ? TFR_LOOK_INT : 0;
		return n->exponent + n->before + n->after <= SAFE ? TFR_LOOK_FLOAT : 0;
	case TFR_TOKEN_TEXT:
		return tfr_text_is_special(t->text, t->size) ? TFR_LOOK_SPECIAL : TFR_LOOK_TEXT;
	case TFR_TOKEN_BASE64:
		return TFR_LOOK_TEXT;
	default:
		return 0;
	}
}

bool tfr_plain_looks(
	const struct tfr_plain_reader *r, const struct tfr_json_member *m, unsigned *looks)
{
	const struct tfr_token *t = tfr_plain_tokens(&r->plain, m);

	*looks = 0;
	for (size_t i = 0; i < m->n; i++) {
		unsigned look = look_of(&t[i]);

		if (!look)
			return false;
		*looks |= look;
	}
	return true;
}

/* ---- values of JSON ---- */

static bool int64_of(const struct tfr_token *t, int64_t *value)
{
	if (t->type == TFR_TOKEN_NUMBER)
		return tfr_scanned_is_integer(&t->number) && tfr_scanned_int64(&t->number, value);
	if (t->type != TFR_TOKEN_BOOL)
		return false;
	*value = t->truth;
	return true;
}

/* A number of JSON is a double first, as json-c has it. */
static bool float_of(const struct tfr_token *t, float *value)
{
	int64_t whole;
	double v;

	if (t->type == TFR_TOKEN_TEXT)
		return tfr_text_float(t->text, t->size, value);
	if (t->type != TFR_TOKEN_NUMBER)
		return false;
	if (tfr_scanned_is_integer(&t->number)) {
		if (!tfr_scanned_int64(&t->number, &whole))
			return false;
		v = (double)whole;
	} else if (!tfr_scanned_f64(&t->number, &v)) {
		return false;
	}
	*value = (float)v;
	return isfinite(*value);
}

static bool put_int64s(struct tfr_plain_reader *r, const struct tfr_row_layout *l, size_t k,
	const struct tfr_token *t, size_t n, struct tfr_records *to)
{
	int64_t *values;

	if (!tfr_buf_reserve(&r->values, n * sizeof(*values)))
		return false;
	values = (int64_t *)(void *)r->values.data;
	for (size_t i = 0; i < n; i++)
		if (!int64_of(&t[i], &values[i]))
			return false;
	tfr_records_int64s(to, l, k, values, n);
	return true;
}

static bool put_floats(struct tfr_plain_reader *r, const struct tfr_row_layout *l, size_t k,
	const struct tfr_token *t, size_t n, struct tfr_records *to)
{
	float *values;

	if (!tfr_buf_reserve(&r->values, n * sizeof(*values)))
		return false;
	values = (float *)(void *)r->values.data;
	for (size_t i = 0; i < n; i++)
		if (!float_of(&t[i], &values[i]))
			return false;
	tfr_records_floats(to, l, k, values, n);
	return true;
}

static bool bytes_of(struct tfr_plain_reader *r, const struct tfr_token *t, struct tfr_bytes *value)
{
	size_t before = r->data.size;

	*value = (struct tfr_bytes){ (const uint8_t *)t->text, t->size };
	if (t->type != TFR_TOKEN_BASE64)
		return t->type == TFR_TOKEN_TEXT;
	if (!tfr_base64_decode(&r->data, t->text, t->size))
		return false;
	*value = (struct tfr_bytes){ r->data.data + before, r->data.size - before };
	return true;
}

static size_t size_of(const struct tfr_token *t, size_t n)
{
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += t[i].size;
	return size;
}

/* Base64 is decoded into r->data, which has room for all of it: views of it stay. */
static bool put_bytes(struct tfr_plain_reader *r, const struct tfr_row_layout *l, size_t k,
	const struct tfr_token *t, size_t n, struct tfr_records *to)
{
	struct tfr_bytes *values;

	r->data.size = 0;
	if (!tfr_buf_reserve(&r->values, n * sizeof(*values)) ||
		!tfr_buf_reserve(&r->data, size_of(t, n)))
		return false;
	values = (struct tfr_bytes *)(void *)r->values.data;
	for (size_t i = 0; i < n; i++)
		if (!bytes_of(r, &t[i], &values[i]))
			return false;
	tfr_records_bytes(to, l, k, values, n);
	return true;
}

static bool put_list(struct tfr_plain_reader *r, const struct tfr_row_layout *l, size_t k,
	const struct tfr_json_member *m, struct tfr_records *to)
{
	const struct tfr_token *t = tfr_plain_tokens(&r->plain, m);

	switch (l->columns->list[m->column].kind) {
	case TFR_KIND_INT64:
		return put_int64s(r, l, k, t, m->n, to);
	case TFR_KIND_FLOAT:
		return put_floats(r, l, k, t, m->n, to);
	case TFR_KIND_BYTES:
		return put_bytes(r, l, k, t, m->n, to);
	default: /* lists that are all empty have no kind, and make no feature */
		return m->n == 0;
	}
}

bool tfr_plain_object(struct tfr_plain_reader *r, const struct tfr_row_layout *l, size_t size,
	struct tfr_records *to)
{
	const struct tfr_json_member *members = tfr_plain_members(&r->plain);
	size_t columns = l->columns->n;

	if (columns > FEW_COLUMNS && columns / SPARSE > r->plain.n)
		return false;
	for (size_t i = 0; i < r->plain.n; i++)
		if (members[i].column == SIZE_MAX && members[i].n &&
			!tfr_plain_is_null(r, &members[i]))
			return false;
	if (!tfr_records_begin(to, l, size))
		return false;
	for (size_t k = 0; k < columns; k++) {
		const struct tfr_slot *slot = &slots(r)[tfr_row_layout_column(l, k)];
		const struct tfr_json_member *m;

		if (slot->row != r->row)
			continue;
		m = &members[slot->member];
		if (tfr_plain_is_null(r, m) || (!m->n && !l->columns->list[m->column].kind))
			continue;
		if (!put_list(r, l, k, m, to)) {
			tfr_records_cancel(to);
			return false;
		}
	}
	return tfr_records_end(to);
}

/* ---- cells ---- */

static bool put_cell(const struct tfr_row_layout *l, size_t k, enum tfr_kind kind, const char *text,
	size_t size, struct tfr_records *to)
{
	struct tfr_bytes bytes = { (const uint8_t *)text, size };
	int64_t whole;
	float real;

	switch (kind) {
	case TFR_KIND_INT64:
		if (!tfr_text_int64(text, size, &whole))
			return false;
		tfr_records_int64s(to, l, k, &whole, 1);
		return true;
	case TFR_KIND_FLOAT:
		if (!tfr_text_float(text, size, &real))
			return false;
		tfr_records_floats(to, l, k, &real, 1);
		return true;
	case TFR_KIND_BYTES:
		tfr_records_bytes(to, l, k, &bytes, 1);
		return true;
	default: /* the file has changed since its kinds were decided */
		return false;
	}
}

bool tfr_plain_cells(const struct tfr_csv *csv, const struct tfr_row_layout *l, size_t size,
	struct tfr_records *to)
{
	const struct tfr_cell *cells = tfr_csv_cells(csv);
	const struct tfr_columns *c = l->columns;

	if (csv->n != c->n || size > MOST_ROW || !tfr_records_begin(to, l, size))
		return false;
	for (size_t k = 0; k < c->n; k++) {
		size_t i = tfr_row_layout_column(l, k);

		if (cells[i].absent)
			continue;
		if (!put_cell(l, k, c->list[i].kind, tfr_csv_text(csv, &cells[i]), cells[i].size,
			    to)) {
			tfr_records_cancel(to);
			return false;
		}
	}
	return tfr_records_end(to);
}
