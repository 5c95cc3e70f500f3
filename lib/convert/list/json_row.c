/* convert/list/json_row.c - a column that a member fills is marked with the number of the row, so
 * that nothing is reset from row to row, and a name that occurs twice is found. */
#include "convert/list/json_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <tfr-private/text.h>

#include "base/base64.h"
#include "base/compare.h"

enum { MOST_UNKNOWN = 16 }; /* members without a column, which are compared pairwise */

void tfr_json_row_clear(struct tfr_json_row *r)
{
	tfr_json_line_clear(&r->line);
	tfr_buf_clear(&r->slots_);
	tfr_buf_clear(&r->name);
	tfr_buf_clear(&r->values);
	tfr_buf_clear(&r->data);
	*r = (struct tfr_json_row){ 0 };
}

/* ---- members and columns ---- */

static bool append_name(struct tfr_json_row *r, const struct tfr_json_member *m)
{
	const struct tfr_json_member *members = tfr_json_line_members(&r->line);

	return (!m->parent || (append_name(r, &members[m->parent - 1]) &&
				      tfr_buf_append(&r->name, "/", 1))) &&
	       tfr_buf_append(&r->name, m->name, m->size);
}

const char *tfr_json_row_name(struct tfr_json_row *r, const struct tfr_json_member *m, size_t *size)
{
	*size = m->size;
	if (!m->parent)
		return m->name;
	r->name.size = 0;
	if (!append_name(r, m))
		return NULL;
	*size = r->name.size;
	return (const char *)r->name.data;
}

static bool have_slots(struct tfr_json_row *r, size_t columns)
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

/* There is a slot for the column.  A null of the same name in another object is no value. */
static void place(struct tfr_json_row *r, struct tfr_json_member *m, size_t column)
{
	const struct tfr_json_member *members = tfr_json_line_members(&r->line);
	struct tfr_slot *slot = (struct tfr_slot *)(void *)r->slots_.data + column;
	bool taken = slot->row == r->row;

	m->column = column;
	r->twice |= taken;
	if (!taken || !tfr_json_row_has(r, &members[slot->member]))
		*slot = (struct tfr_slot){ r->row, (size_t)(m - members) };
}

bool tfr_json_row_place(struct tfr_json_row *r, struct tfr_json_member *m, size_t column)
{
	bool good = have_slots(r, column + 1);

	if (good)
		place(r, m, column);
	return good;
}

/* ---- names that occur twice ---- */

static bool same_name(const struct tfr_json_member *a, const struct tfr_json_member *b)
{
	return a->size == b->size && !memcmp(a->name, b->name, a->size);
}

/* Whether the names of the members at these places differ. */
static bool differ(const struct tfr_json_member *members, const size_t *places, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (same_name(&members[places[i]], &members[places[k]]))
				return false;
	return true;
}

static int by_object(const void *a, const void *b)
{
	const struct tfr_json_member *x = *(const struct tfr_json_member *const *)a;
	const struct tfr_json_member *y = *(const struct tfr_json_member *const *)b;
	int order = (x->object > y->object) - (x->object < y->object);

	return order ? order : tfr_compare_bytes(x->name, x->size, y->name, y->size);
}

/* Whether the names in each object differ. */
static bool all_differ(struct tfr_json_row *r, bool *no_memory)
{
	const struct tfr_json_member *members = tfr_json_line_members(&r->line), **list;
	size_t n = r->line.n;
	bool good = true;

	r->values.size = 0;
	*no_memory = !tfr_buf_reserve(&r->values, n * sizeof(*list));
	if (*no_memory)
		return true;
	list = (const struct tfr_json_member **)(void *)r->values.data;
	for (size_t i = 0; i < n; i++)
		list[i] = &members[i];
	qsort(list, n, sizeof(*list), by_object);
	for (size_t i = 1; good && i < n; i++)
		good = by_object(&list[i - 1], &list[i]) != 0;
	return good;
}

enum tfr_status tfr_json_row_read(struct tfr_json_row *r, const struct tfr_columns *columns,
	const char *line, size_t size, struct tfr_error *err)
{
	enum tfr_status status = tfr_json_line_scan(&r->line, line, size, err);
	struct tfr_json_member *members = tfr_json_line_members(&r->line);
	size_t unknown[MOST_UNKNOWN], n = 0;
	bool no_memory = false, good;

	if (!status && !have_slots(r, columns->n))
		return tfr_fail_nomem(err, "reading a list");
	r->row++;
	r->twice = false;
	for (size_t i = 0; !status && i < r->line.n; i++) {
		struct tfr_json_member *m = &members[i];
		const struct tfr_list_column *col;
		const char *name;

		if (m->form > TFR_MEMBER_ARRAY)
			continue;
		name = m->name;
		size = m->size;
		if (m->parent)
			name = tfr_json_row_name(r, m, &size);
		col = name ? tfr_columns_find(columns, name, size, &r->guess) : NULL;
		TFR_NEED_MEMORY(name, err, "reading a list");
		if (col)
			place(r, m, (size_t)(col - columns->list));
		else if (n++ < MOST_UNKNOWN)
			unknown[n - 1] = i;
	}
	if (status)
		return status;
	good = r->line.objects > 1 || r->twice || n > MOST_UNKNOWN ? all_differ(r, &no_memory)
								   : differ(members, unknown, n);
	if (no_memory)
		return tfr_fail_nomem(err, "reading a list");
	return good ? TFR_OK : tfr_fail(err, TFR_EDATA, "two members of an object have one name");
}

/* ---- looks ---- */

/* A number of JSON is a double first, as json-c has it. */
static double double_of(const struct tfr_token *t)
{
	int64_t whole;
	double v;
	float special;

	if (t->scanned && tfr_scanned_is_integer(&t->number) &&
		tfr_scanned_int64(&t->number, &whole))
		return (double)whole;
	if (t->scanned && tfr_scanned_f64(&t->number, &v))
		return v;
	if (t->text[t->size - 1] > '9') /* NaN, Infinity */
		return tfr_text_float(t->text, t->size, &special) ? special : 0;
	return tfr_text_f64(t->text, NULL); /* what follows it in its object ends it */
}

static bool is_int64(const struct tfr_token *t, int64_t *value)
{
	return tfr_token_is_integer(t) && (t->scanned ? tfr_scanned_int64(&t->number, value)
						      : tfr_text_int64(t->text, t->size, value));
}

/* NaN and infinities are floats; a number that float32 cannot hold is not. */
static bool fits_float(const struct tfr_token *t, float *value)
{
	*value = (float)double_of(t);
	return isfinite(*value) || t->text[t->size - 1] > '9';
}

static unsigned look_of(const struct tfr_token *t)
{
	enum { SAFE = 37 }; /* powers of ten in float32 */
	const struct tfr_scanned *n = &t->number;
	int64_t whole;
	float real;

	switch (t->type) {
	case TFR_TOKEN_BOOL:
		return TFR_LOOK_INT;
	case TFR_TOKEN_NUMBER:
		if (tfr_token_is_integer(t))
			return is_int64(t, &whole) ? TFR_LOOK_INT : TFR_LOOK_BIG;
		if (t->scanned && n->exponent + n->before + n->after <= SAFE)
			return TFR_LOOK_FLOAT;
		return fits_float(t, &real) ? TFR_LOOK_FLOAT : TFR_LOOK_HUGE;
	case TFR_TOKEN_TEXT:
		return tfr_text_is_special(t->text, t->size) ? TFR_LOOK_SPECIAL : TFR_LOOK_TEXT;
	case TFR_TOKEN_BASE64:
		return TFR_LOOK_TEXT;
	default:
		return 0;
	}
}

unsigned tfr_json_row_looks(const struct tfr_json_row *r, const struct tfr_json_member *m,
	const struct tfr_token **misfit)
{
	const struct tfr_token *t = tfr_json_line_tokens(&r->line, m);
	unsigned looks = 0;

	*misfit = NULL;
	for (size_t i = 0; i < m->n; i++) {
		unsigned look = look_of(&t[i]);

		if (look & TFR_LOOK_MISFITS && look > (looks & TFR_LOOK_MISFITS))
			*misfit = &t[i];
		looks |= look;
	}
	return looks;
}

/* ---- values ---- */

static bool int64_of(const struct tfr_token *t, int64_t *value)
{
	if (t->type == TFR_TOKEN_NUMBER)
		return is_int64(t, value);
	if (t->type == TFR_TOKEN_BOOL)
		*value = t->truth;
	return t->type == TFR_TOKEN_BOOL;
}

static bool float_of(const struct tfr_token *t, float *value)
{
	if (t->type == TFR_TOKEN_TEXT)
		return tfr_text_float(t->text, t->size, value);
	return t->type == TFR_TOKEN_NUMBER && fits_float(t, value);
}

/* A number as a text, where the user asks for that.  Integers are as C prints them: -0 is "0". */
static struct tfr_bytes number_text(struct tfr_json_row *r, const struct tfr_token *t)
{
	struct tfr_bytes text = { (const uint8_t *)t->text, t->size };
	size_t sign = *t->text == '-', before = r->data.size;
	int64_t value;

	if (t->text[sign] != '0' || !is_int64(t, &value))
		return text;
	r->data.size += (size_t)snprintf(
		(char *)r->data.data + before, t->size + 1, "%lld", (long long)value);
	return (struct tfr_bytes){ r->data.data + before, r->data.size - before };
}

/* Base64 is decoded into r->data, which has room for all of it: views of it stay. */
static bool bytes_of(
	struct tfr_json_row *r, const struct tfr_token *t, bool given, struct tfr_bytes *value)
{
	size_t before = r->data.size;

	*value = (struct tfr_bytes){ (const uint8_t *)t->text, t->size };
	if (t->type == TFR_TOKEN_NUMBER && given) {
		*value = number_text(r, t);
		return true;
	}
	if (t->type != TFR_TOKEN_BASE64)
		return t->type == TFR_TOKEN_TEXT;
	if (!tfr_base64_decode(&r->data, t->text, t->size))
		return false;
	*value = (struct tfr_bytes){ r->data.data + before, r->data.size - before };
	return true;
}

static size_t size_of(const struct tfr_token *t, size_t n)
{
	size_t size = 1;

	for (size_t i = 0; i < n; i++)
		size += t[i].size;
	return size;
}

static enum tfr_status misfit(
	const struct tfr_token *t, const struct tfr_list_column *col, struct tfr_error *err)
{
	static const char *const are[] = {
		[TFR_TOKEN_NULL] = "null",
		[TFR_TOKEN_BOOL] = "a number",
		[TFR_TOKEN_NUMBER] = "a number",
		[TFR_TOKEN_TEXT] = "a text",
		[TFR_TOKEN_BASE64] = "an object in a list",
		[TFR_TOKEN_DESCRIBED] = "bytes that were described only",
		[TFR_TOKEN_LIST] = "a list in a list",
		[TFR_TOKEN_OBJECT] = "an object in a list",
	};

	return tfr_fail(err, TFR_EDATA, "'%s' is %s that %s cannot hold", col->name, are[t->type],
		tfr_kind_name(col->kind));
}

enum tfr_status tfr_json_row_values(struct tfr_json_row *r, const struct tfr_json_member *m,
	const struct tfr_list_column *col, const void **values, struct tfr_error *err)
{
	const struct tfr_token *t = tfr_json_line_tokens(&r->line, m);
	size_t i = 0;
	void *to;

	r->values.size = r->data.size = 0;
	if (!tfr_buf_reserve(&r->values, m->n * sizeof(struct tfr_bytes)) ||
		(col->kind == TFR_KIND_BYTES && !tfr_buf_reserve(&r->data, size_of(t, m->n))))
		return tfr_fail_nomem(err, "building records");
	*values = to = r->values.data;
	if (col->kind == TFR_KIND_INT64)
		while (i < m->n && int64_of(&t[i], (int64_t *)to + i))
			i++;
	else if (col->kind == TFR_KIND_FLOAT)
		while (i < m->n && float_of(&t[i], (float *)to + i))
			i++;
	else
		while (i < m->n && bytes_of(r, &t[i], col->given, (struct tfr_bytes *)to + i))
			i++;
	return i < m->n ? misfit(&t[i], col, err) : TFR_OK;
}
