/* tests/rows.h - rows of a list, read twice: CSV rows cell by cell and JSON lines as json-c
 * does, and records made in place as the builder makes them.
 *
 * For a unit test and a fuzz target; ROWS_CHECK is what each of them asserts with. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include <json-c/json.h>
#include <string.h>
#include <tfr-private/text.h>

#include "convert/list/list.h"

static const struct tfr_convert_opts rows_opts;

static bool rows_open(
	struct tfr_list *l, enum tfr_list_format format, bool careful, const void *data, size_t size)
{
	*l = (struct tfr_list){ .in.opts = &rows_opts, .path = "list", .file = true };
	l->columns.tables = &rows_opts.tables;
	l->lines.end = true;
	l->lines.feed = '\n';
	l->reader = (struct tfr_row_reader){ .format = format,
		.csv = { .delimiter = format == TFR_LIST_TSV ? '\t' : ',', .careful = careful } };
	return tfr_buf_append(&l->lines.buf, data, size);
}

static void rows_close(struct tfr_list *l)
{
	tfr_list_clear_reading(l);
	tfr_row_layout_clear(&l->layout);
}

/* What a text is as a float, without shortcuts. */
static bool rows_float(const char *text, size_t size, float *value)
{
	char copy[400 + 1] = "";

	if (tfr_text_special(text, size, value))
		return true;
	if (!size || size > 400 || tfr_decimal_end(text, text + size) != text + size)
		return false;
	memcpy(copy, text, size);
	*value = tfr_text_f32(copy, NULL);
	return *value - *value == 0;
}

/* What a text looks like, without shortcuts for common numbers. */
static enum tfr_look rows_look(const char *text, size_t size)
{
	size_t sign = size && (text[0] == '-' || text[0] == '+');
	size_t digits = 0;
	int64_t whole;
	float real;

	while (sign + digits < size && text[sign + digits] >= '0' && text[sign + digits] <= '9')
		digits++;
	if (digits > 1 && text[sign] == '0')
		return TFR_LOOK_TEXT;
	if (tfr_text_int64(text, size, &whole))
		return TFR_LOOK_INT;
	if (digits && sign + digits == size)
		return *text == '+' ? TFR_LOOK_TEXT : TFR_LOOK_BIG;
	if (!rows_float(text, size, &real))
		return size && tfr_decimal_end(text, text + size) == text + size ? TFR_LOOK_HUGE
										 : TFR_LOOK_TEXT;
	return tfr_text_special(text, size, &real) ? TFR_LOOK_SPECIAL : TFR_LOOK_FLOAT;
}

static void rows_check_cells(const struct tfr_csv *a, const struct tfr_csv *b)
{
	const struct tfr_cell *x = tfr_csv_cells(a), *y = tfr_csv_cells(b);

	ROWS_CHECK(a->n == b->n);
	for (size_t i = 0; i < a->n; i++) {
		const char *text = tfr_csv_text(a, &x[i]);
		float f = 0, g = 0;

		ROWS_CHECK(x[i].size == y[i].size && x[i].absent == y[i].absent);
		ROWS_CHECK(!x[i].size || !memcmp(text, tfr_csv_text(b, &y[i]), x[i].size));
		if (x[i].absent)
			continue;
		ROWS_CHECK(tfr_look_at(text, x[i].size) == rows_look(text, x[i].size));
		ROWS_CHECK(tfr_text_float(text, x[i].size, &f) == rows_float(text, x[i].size, &g));
		ROWS_CHECK(!memcmp(&f, &g, sizeof(f)));
	}
}

static void rows_check_columns(const struct tfr_columns *a, const struct tfr_columns *b)
{
	ROWS_CHECK(a->n == b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct tfr_list_column *x = &a->list[i], *y = &b->list[i];

		ROWS_CHECK(!strcmp(x->name, y->name) && x->looks == y->looks);
		ROWS_CHECK(x->empty == y->empty && x->unfit == y->unfit);
		ROWS_CHECK(x->number_line == y->number_line && x->text_line == y->text_line);
		ROWS_CHECK(!memcmp(x->misfits, y->misfits, sizeof(x->misfits)));
	}
}

/* ---- json-c ---- */


static struct json_object *rows_base64(struct json_object *o)
{
	struct json_object *text;

	return json_object_is_type(o, json_type_object) && json_object_object_length(o) == 1 &&
			       json_object_object_get_ex(o, "base64", &text) &&
			       json_object_is_type(text, json_type_string)
		       ? text
		       : NULL;
}

static bool rows_is_described(struct json_object *o)
{
	struct json_object *n;

	return json_object_is_type(o, json_type_object) &&
	       json_object_object_get_ex(o, "bytes", &n) &&
	       json_object_object_get_ex(o, "type", NULL) && json_object_is_type(n, json_type_int);
}

/* Integers beyond int64 are clamped by json-c. */
static bool rows_is_clamped(struct json_object *v)
{
	return json_object_get_int64(v) == INT64_MAX || json_object_get_int64(v) == INT64_MIN;
}

static void rows_check_value(
	struct tfr_json_row *row, const struct tfr_token *t, struct json_object *v)
{
	const struct tfr_json_member m = { .value = t };
	const char *json = json_object_get_string(rows_base64(v) ?: v);
	size_t n = (size_t)json_object_get_string_len(rows_base64(v) ?: v);
	struct tfr_list_column col = { .name = (char *)(uintptr_t)"c", .kind = TFR_KIND_FLOAT };
	const void *values = NULL;
	size_t found;
	float real;

	switch (t->type) {
	case TFR_TOKEN_NULL:
		ROWS_CHECK(!v);
		break;
	case TFR_TOKEN_BOOL:
		ROWS_CHECK(json_object_is_type(v, json_type_boolean));
		ROWS_CHECK(json_object_get_boolean(v) == t->truth);
		break;
	case TFR_TOKEN_TEXT:
	case TFR_TOKEN_BASE64:
		ROWS_CHECK(json_object_is_type(v, t->type == TFR_TOKEN_TEXT ? json_type_string
									   : json_type_object));
		ROWS_CHECK(n == t->size && !memcmp(json, t->text, n));
		break;
	case TFR_TOKEN_NUMBER:
		ROWS_CHECK(json_object_is_type(
			v, tfr_token_is_integer(t) ? json_type_int : json_type_double));
		real = (float)json_object_get_double(v);
		if (tfr_json_row_values(row, &m, &col, &values, &found, NULL))
			ROWS_CHECK(real - real != 0 ||
				   (json_object_is_type(v, json_type_int) && rows_is_clamped(v)));
		else if (!json_object_is_type(v, json_type_int) || !rows_is_clamped(v))
			ROWS_CHECK(!memcmp(values, &real, sizeof(real)) || real != real);
		col.kind = TFR_KIND_INT64;
		if (json_object_is_type(v, json_type_double))
			ROWS_CHECK(tfr_json_row_values(row, &m, &col, &values, &found, NULL));
		else if (!rows_is_clamped(v))
			ROWS_CHECK(!tfr_json_row_values(row, &m, &col, &values, &found, NULL) &&
				   *(const int64_t *)values == json_object_get_int64(v));
		break;
	case TFR_TOKEN_ARRAY:
		ROWS_CHECK(json_object_is_type(v, json_type_array));
		break;
	default:
		ROWS_CHECK(json_object_is_type(v, json_type_object) && !rows_base64(v));
		ROWS_CHECK((t->type == TFR_TOKEN_DESCRIBED) == rows_is_described(v));
	}
}

/* Compares a feature.  False: there is none. */
static bool rows_check_feature(
	struct tfr_json_row *row, size_t *at, const char *name, size_t size, struct json_object *v)
{
	const struct tfr_json_member *members = tfr_json_row_members(row), *m;
	const struct tfr_token *t;
	const char *found;
	size_t n;

	while (*at < row->n && members[*at].value->type == TFR_TOKEN_OBJECT)
		++*at;
	ROWS_CHECK(*at < row->n);
	m = &members[(*at)++];
	found = tfr_json_row_name(row, m, &n);
	if (!found)
		return false;
	ROWS_CHECK(n == size && !memcmp(name, found, n));
	t = m->value;
	ROWS_CHECK((t->type == TFR_TOKEN_ARRAY) == json_object_is_type(v, json_type_array));
	if (t->type != TFR_TOKEN_ARRAY) {
		rows_check_value(row, t, v);
		return true;
	}
	ROWS_CHECK(t->n == json_object_array_length(v));
	n = t->n;
	t++;
	for (size_t i = 0; i < n; i++, t = tfr_token_next(t))
		rows_check_value(row, t, json_object_array_get_idx(v, i));
	return true;
}

static bool rows_check_object(
	struct tfr_json_row *row, size_t *at, struct tfr_buf *prefix, struct json_object *o)
{
	size_t before = prefix->size;

	json_object_object_foreach(o, key, value)
	{
		bool inner = json_object_is_type(value, json_type_object) && !rows_base64(value) &&
			     !rows_is_described(value);

		prefix->size = before;
		if (!tfr_buf_append(prefix, key, strlen(key)) ||
			(inner && !tfr_buf_append(prefix, "/", 1)))
			return false;
		if (inner ? !rows_check_object(row, at, prefix, value)
			  : !rows_check_feature(row, at, (const char *)prefix->data, prefix->size,
				    value))
			return false;
	}
	return true;
}

/* Whether json-c reads the line as an object; *o: the object. */
static bool rows_parse(struct json_object **o, const char *line, size_t size)
{
	struct json_tokener *tokener = json_tokener_new_ex(32);
	bool good = tokener;

	*o = NULL;
	while (size && strchr("\r\n", line[size - 1]) && line[size - 1])
		size--;
	if (tokener) {
		json_tokener_set_flags(
			tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
		*o = json_tokener_parse_ex(tokener, line, (int)size);
		good = json_tokener_get_error(tokener) == json_tokener_success &&
		       json_tokener_get_parse_end(tokener) == size &&
		       json_object_is_type(*o, json_type_object);
		json_tokener_free(tokener);
	}
	return good;
}

/* json-c takes names in single quotes, ends names at a NUL, and keeps the last of two members of
 * one name. */
static void rows_check_json(struct tfr_list *l, const char *line, size_t size)
{
	struct tfr_json_row *row = &l->reader.json;
	struct tfr_error why = { 0 };
	TFR_AUTO_BUF prefix = { 0 };
	struct json_object *o;
	bool good = rows_parse(&o, line, size);
	enum tfr_status status = tfr_json_row_read(row, &l->columns, line, size, &why);
	size_t at = 0;

	if (status == TFR_OK && good && rows_check_object(row, &at, &prefix, o))
		while (at < row->n)
			ROWS_CHECK(tfr_json_row_members(row)[at++].value->type == TFR_TOKEN_OBJECT);
	else if (status == TFR_OK)
		ROWS_CHECK(good);
	else if (good)
		ROWS_CHECK(status == TFR_ENOMEM || memchr(line, '\'', size) ||
			   strstr(why.message, "NUL byte") || strstr(why.message, "one name"));
	json_object_put(o);
}

/* Reads all rows.  False: there is nothing more to compare. */
static bool rows_read(struct tfr_list *plain, struct tfr_list *careful, struct tfr_buf *texts)
{
	struct tfr_error why = { 0 }, expected = { 0 };
	bool json = plain->reader.format == TFR_LIST_JSONL;
	const char *a, *b;
	size_t n, m;
	struct tfr_row x, y;
	enum tfr_status status;

	if (!json) {
		status = tfr_list_read_header(plain, &why);
		ROWS_CHECK(tfr_list_read_header(careful, &expected) == status);
		ROWS_CHECK(!strcmp(why.message, expected.message));
		if (status)
			return false;
	}
	for (;;) {
		status = tfr_list_read_row(plain, &x, &a, &n, &why);
		ROWS_CHECK(tfr_list_read_row(careful, &y, &b, &m, &expected) == status);
		ROWS_CHECK(!strcmp(why.message, expected.message));
		if (status)
			return status == TFR_END;
		ROWS_CHECK(n == m && !memcmp(a, b, n) && !memcmp(&x, &y, sizeof(x)));
		rows_check_cells(&plain->reader.csv, &careful->reader.csv);
		if (json)
			rows_check_json(plain, a, n);
		if (!json || !tfr_json_row_read(&plain->reader.json, &plain->columns, a, n, NULL))
			status = tfr_list_see_row(plain, x.line, &why);
		if (!json)
			ROWS_CHECK(tfr_list_see_row(careful, y.line, &expected) == status);
		if (status || !tfr_buf_append(&plain->rows_, &x, sizeof(x)) ||
			!tfr_buf_append(texts, a, n))
			return false;
	}
}

/* ---- records ---- */

/* A row as a record, both ways; false: memory is lacking. */
static bool rows_encode(struct tfr_list *l, struct tfr_list_item *own, struct tfr_builder *b,
	const char *text, size_t size, unsigned *encoded)
{
	struct tfr_error why = { 0 };
	const uint8_t *data = NULL;
	size_t n = 0;
	enum tfr_status status =
		tfr_row_reader_read(&own->reader, &l->columns, text, size, &why);
	bool done;

	if (status)
		return status != TFR_ENOMEM;
	own->records.data.size = own->records.sums.size = 0;
	tfr_builder_reset(b);
	done = tfr_list_encode_row(&own->reader, &l->layout, size, &own->records);
	status = tfr_list_build_row(l, own, &own->reader, b, &why);
	if (!status)
		status = tfr_builder_flatten(b, &data, &n, &why);
	if (status == TFR_ENOMEM)
		return false;
	*encoded += done;
	if (!done) {
		ROWS_CHECK(!own->records.data.size);
		return true;
	}
	ROWS_CHECK(!status && own->records.data.size == n + TFR_RECORD_OVERHEAD);
	ROWS_CHECK(!n || !memcmp(own->records.data.data + TFR_RECORD_HEADER, data, n));
	return true;
}

static void rows_encode_all(struct tfr_list *l, const struct tfr_buf *texts, unsigned *encoded)
{
	const struct tfr_row *rows = (const struct tfr_row *)(const void *)l->rows_.data;
	struct tfr_builder *b = tfr_builder_new();
	struct tfr_list_item own = { .reader = tfr_row_reader_like(&l->reader) };
	bool good = b && tfr_row_layout_init(&l->layout, &l->columns);
	size_t at = 0;

	for (size_t i = 0; good && i < l->rows_.size / sizeof(*rows); i++) {
		good = rows_encode(l, &own, b, (const char *)texts->data + at, rows[i].size, encoded);
		at += rows[i].size;
	}
	tfr_row_layout_clear(&l->layout);
	tfr_row_reader_close(&own.reader);
	tfr_records_clear(&own.records);
	tfr_builder_free(b);
}

/* Compares all that is made of a list; returns how many records were made in place. */
static unsigned rows_compare(enum tfr_list_format format, const void *data, size_t size)
{
	struct tfr_list plain, careful;
	TFR_AUTO_BUF texts = { 0 };
	unsigned encoded = 0;
	bool opened = rows_open(&plain, format, false, data, size);

	opened = rows_open(&careful, format, true, data, size) && opened;
	if (opened && rows_read(&plain, &careful, &texts)) {
		bool decided = true;

		if (format != TFR_LIST_JSONL)
			rows_check_columns(&plain.columns, &careful.columns);
		for (size_t i = 0; decided && i < plain.columns.n; i++)
			decided = !tfr_column_decide(&plain.columns.list[i],
				format != TFR_LIST_JSONL, "list", NULL);
		if (decided)
			rows_encode_all(&plain, &texts, &encoded);
		for (int kind = TFR_KIND_BYTES; kind <= TFR_KIND_INT64; kind++) {
			for (size_t i = 0; i < plain.columns.n; i++) {
				plain.columns.list[i].kind = (enum tfr_kind)kind;
				plain.columns.list[i].given = true;
			}
			rows_encode_all(&plain, &texts, &encoded);
		}
	}
	rows_close(&plain);
	rows_close(&careful);
	return encoded;
}

#endif
