/* convert/list/json_row.c - a column that a member fills is marked with the number of the row, so
 * that nothing is reset from row to row, and a name that occurs twice is found. */
#include "convert/list/list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/compare.h"

enum { FEW_NAMES = 16 }; /* that are compared pairwise */

void tfr_json_row_clear(struct tfr_json_row *r)
{
	tfr_tape_clear(&r->tape);
	tfr_buf_clear(&r->members_);
	tfr_buf_clear(&r->slots_);
	tfr_buf_clear(&r->name);
	tfr_buf_clear(&r->names_);
	tfr_buf_clear(&r->values);
	tfr_buf_clear(&r->data);
	*r = (struct tfr_json_row){ 0 };
}

/* ---- members and columns ---- */

static bool append_name(struct tfr_json_row *r, const struct tfr_json_member *m)
{
	return (!m->parent || (append_name(r, &tfr_json_row_members(r)[m->parent - 1]) &&
				      tfr_buf_append(&r->name, "/", 1))) &&
	       tfr_buf_append(&r->name, m->name->text, m->name->size);
}

const char *tfr_json_row_name(struct tfr_json_row *r, const struct tfr_json_member *m, size_t *size)
{
	*size = m->name->size;
	if (!m->parent)
		return m->name->text;
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
	const struct tfr_json_member *members = tfr_json_row_members(r);
	struct tfr_slot *slot = (struct tfr_slot *)(void *)r->slots_.data + column;
	bool taken = slot->row == r->row;

	m->column = column;
	r->twice |= taken;
	if (!taken || !tfr_json_member_has(&members[slot->member]))
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

static int by_name(const void *a, const void *b)
{
	const struct tfr_token *x = *(const struct tfr_token *const *)a;
	const struct tfr_token *y = *(const struct tfr_token *const *)b;

	return tfr_compare_bytes(x->text, x->size, y->text, y->size);
}

/* Adds a name to those that are to be compared. */
static bool note_name(struct tfr_json_row *r, const struct tfr_token *name)
{
	return tfr_buf_append(&r->names_, &name, sizeof(name));
}

/* Whether the names noted differ. */
static bool names_differ(struct tfr_json_row *r)
{
	const struct tfr_token **names = (const struct tfr_token **)(void *)r->names_.data;
	size_t n = r->names_.size / sizeof(*names);
	bool differ = true;

	if (n > FEW_NAMES)
		qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 1; differ && i < n; i++)
		for (size_t k = n > FEW_NAMES ? i - 1 : 0; differ && k < i; k++)
			differ = names[i]->size != names[k]->size ||
				 memcmp(names[i]->text, names[k]->text, names[i]->size) != 0;
	return differ;
}

/* Whether the names of an object differ.  False if memory is lacking, too: *no_memory. */
static bool object_differs(struct tfr_json_row *r, const struct tfr_token *object, bool *no_memory)
{
	const struct tfr_token *name = object + 1;

	r->names_.size = 0;
	for (uint32_t i = 0; !*no_memory && i < object->n; i++) {
		*no_memory = !note_name(r, name);
		name = tfr_token_next(name + 1);
	}
	return !*no_memory && names_differ(r);
}

static bool all_differ(struct tfr_json_row *r, bool *no_memory)
{
	const struct tfr_token *t = tfr_tape_root(&r->tape);
	bool differ = true;

	for (size_t i = 0; differ && i < r->tape.n; i++)
		differ = t[i].type < TFR_TOKEN_OBJECT || object_differs(r, &t[i], no_memory);
	return differ;
}

/* ---- rows ---- */

/* Marks an object that is a value. */
static void mark_value(struct tfr_tape *tape, struct tfr_token *object)
{
	const struct tfr_token *text = tfr_token_member(object, "base64"),
			       *bytes = tfr_token_member(object, "bytes");
	int64_t size;

	if (text && text->type == TFR_TOKEN_TEXT && object->n == 1) {
		object->type = TFR_TOKEN_BASE64;
		object->text = text->text;
		object->size = text->size;
		tape->objects--; /* a single name is no other's */
	} else if (bytes && tfr_token_int64(bytes, &size) && tfr_token_member(object, "type")) {
		object->type = TFR_TOKEN_DESCRIBED;
	}
}

static void mark_values(struct tfr_tape *tape)
{
	struct tfr_token *t = tfr_tape_root(tape);

	for (size_t i = 1; i < tape->n; i++)
		if (t[i].type == TFR_TOKEN_OBJECT)
			mark_value(tape, &t[i]);
}

/* Finds the column of a feature, or notes its name. */
static bool find_column(
	struct tfr_json_row *r, const struct tfr_columns *columns, struct tfr_json_member *m)
{
	const struct tfr_list_column *col;
	size_t size;
	const char *name = tfr_json_row_name(r, m, &size);

	col = name ? tfr_columns_find(columns, name, size, &r->guess) : NULL;
	if (col)
		place(r, m, (size_t)(col - columns->list));
	return col || (name && note_name(r, m->name));
}

/* Adds the members of an object and those of the objects in it, for which there is room.  False:
 * out of memory. */
static bool add_members(struct tfr_json_row *r, const struct tfr_columns *columns,
	const struct tfr_token *object, size_t parent)
{
	const struct tfr_token *name = object + 1;
	bool good = true;

	for (uint32_t i = 0; good && i < object->n; i++) {
		struct tfr_json_member *m = tfr_json_row_members(r) + r->n++;

		*m = (struct tfr_json_member){ name, name + 1, parent, SIZE_MAX };
		good = m->value->type == TFR_TOKEN_OBJECT ? add_members(r, columns, m->value, r->n)
							  : find_column(r, columns, m);
		name = tfr_token_next(m->value);
	}
	return good;
}

enum tfr_status tfr_json_row_read(struct tfr_json_row *r, const struct tfr_columns *columns,
	const char *line, size_t size, struct tfr_error *err)
{
	const struct tfr_token *root;
	bool no_memory, good = true;

	r->names_.size = r->n = 0;
	r->row++;
	r->twice = false;
	while (size && (line[size - 1] == '\n' || line[size - 1] == '\r'))
		size--;
	TFR_TRY(tfr_tape_scan(&r->tape, line, size, err));
	root = tfr_tape_root(&r->tape);
	if (root->type != TFR_TOKEN_OBJECT)
		return tfr_fail(err, TFR_EDATA, "not a JSON object");
	if (r->tape.objects > 1)
		mark_values(&r->tape);
	no_memory =
		!have_slots(r, columns->n) ||
		!tfr_buf_reserve(&r->members_, r->tape.n / 2 * sizeof(struct tfr_json_member)) ||
		!add_members(r, columns, root, 0);
	if (!no_memory)
		good = r->tape.objects > 1 ? all_differ(r, &no_memory)
					   : !r->twice && names_differ(r);
	if (no_memory)
		return tfr_fail_nomem(err, "reading a list");
	return good ? TFR_OK : tfr_fail(err, TFR_EDATA, "two members of an object have one name");
}

/* ---- looks ---- */

/* NaN and infinities are floats; a number that float32 cannot hold is not. */
static bool fits_float(const struct tfr_token *t, float *value)
{
	double real;

	if (!tfr_token_double(t, &real))
		return false;
	*value = (float)real;
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
			return tfr_token_int64(t, &whole) ? TFR_LOOK_INT : TFR_LOOK_BIG;
		if (n->before + n->after && n->exponent + n->before + n->after <= SAFE)
			return TFR_LOOK_FLOAT;
		return fits_float(t, &real) ? TFR_LOOK_FLOAT : TFR_LOOK_HUGE;
	case TFR_TOKEN_TEXT:
		return tfr_text_special(t->text, t->size, &real) ? TFR_LOOK_SPECIAL : TFR_LOOK_TEXT;
	case TFR_TOKEN_BASE64:
		return TFR_LOOK_TEXT;
	default:
		return 0;
	}
}

unsigned tfr_json_member_looks(const struct tfr_json_member *m, const struct tfr_token **misfit)
{
	const struct tfr_token *t;
	size_t n = tfr_json_member_values(m, &t);
	unsigned looks = 0;

	*misfit = NULL;
	for (size_t i = 0; i < n; i++, t = tfr_token_next(t)) {
		unsigned look = look_of(t);

		if (look & TFR_LOOK_MISFITS && look > (looks & TFR_LOOK_MISFITS))
			*misfit = t;
		looks |= look;
	}
	return looks;
}

/* ---- values ---- */

static bool int64_of(const struct tfr_token *t, int64_t *value)
{
	if (t->type != TFR_TOKEN_BOOL)
		return tfr_token_int64(t, value);
	*value = t->truth;
	return true;
}

static bool float_of(const struct tfr_token *t, float *value)
{
	return t->type == TFR_TOKEN_TEXT ? tfr_text_float(t->text, t->size, value)
					 : fits_float(t, value);
}

/* A number as a text, where the user asks for that.  Integers are as C prints them: -0 is "0". */
static struct tfr_bytes number_text(struct tfr_json_row *r, const struct tfr_token *t)
{
	struct tfr_bytes text = { (const uint8_t *)t->text, t->size };
	size_t sign = *t->text == '-', before = r->data.size;
	int64_t value;

	if (t->text[sign] != '0' || !tfr_token_int64(t, &value))
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

	for (size_t i = 0; i < n; i++, t = tfr_token_next(t))
		size += t->size;
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
		[TFR_TOKEN_ARRAY] = "a list in a list",
		[TFR_TOKEN_OBJECT] = "an object in a list",
	};

	return tfr_fail(err, TFR_EDATA, "'%s' is %s that %s cannot hold", col->name, are[t->type],
		tfr_kind_name(col->kind));
}

/* A value as the column has it. */
static bool put_value(struct tfr_json_row *r, const struct tfr_token *t,
	const struct tfr_list_column *col, void *to, size_t i)
{
	if (col->kind == TFR_KIND_INT64)
		return int64_of(t, (int64_t *)to + i);
	if (col->kind == TFR_KIND_FLOAT)
		return float_of(t, (float *)to + i);
	return bytes_of(r, t, col->given, (struct tfr_bytes *)to + i);
}

enum tfr_status tfr_json_row_values(struct tfr_json_row *r, const struct tfr_json_member *m,
	const struct tfr_list_column *col, const void **values, size_t *n, struct tfr_error *err)
{
	const struct tfr_token *t;

	*n = tfr_json_member_values(m, &t);
	r->values.size = r->data.size = 0;
	if (!tfr_buf_reserve(&r->values, *n * sizeof(struct tfr_bytes)) ||
		(col->kind == TFR_KIND_BYTES && !tfr_buf_reserve(&r->data, size_of(t, *n))))
		return tfr_fail_nomem(err, "building records");
	*values = r->values.data;
	for (size_t i = 0; i < *n; i++, t = tfr_token_next(t))
		if (!put_value(r, t, col, r->values.data, i))
			return misfit(t, col, err);
	return TFR_OK;
}
