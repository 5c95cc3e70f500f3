/* export/export_lines.c - one line per record: of JSON, or of the cells of a table, whose columns
 * are features. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/compare.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/names.h"
#include "example/print/printer.h"
#include "export/form.h"
#include "io/output.h"

/* --- JSON --- */

/* A printer that treats records as the printer of the first records does. */
static struct tfr_printer *new_printer(const struct export *e)
{
	static const struct tfr_print_opts base64 = { .base64 = true };
	struct tfr_printer *p = tfr_printer_new(e->o->print ? e->o->print : &base64);

	if (p && e->printer)
		tfr_printer_learn(p, e->printer);
	return p;
}

static enum tfr_status print_line(
	struct tfr_printer *printer, struct export_item *w, struct tfr_error *err)
{
	const char *text;
	size_t size;

	TFR_TRY(tfr_printer_json(printer, w->payload.data, w->payload.size, &text, &size, err));
	TFR_NEED_MEMORY(tfr_buf_append(&w->out, text, size) && tfr_buf_append(&w->out, "\n", 1),
		err, "writing lines");
	return TFR_OK;
}

/* A record that may have several types is printed as the most frequent type of the first records;
 * these are printed in order, by one printer. */
static enum tfr_status print_first(struct export *e, struct export_item *w, struct tfr_error *err)
{
	if (!e->printer)
		e->printer = new_printer(e);
	TFR_NEED_MEMORY(e->printer, err, "writing lines");
	w->made = !tfr_printer_has_learned(e->printer);
	return w->made ? tfr_export_make_group(e, w, err) : TFR_OK;
}

static enum tfr_status make_json(struct export *e, struct export_item *w, struct tfr_error *err)
{
	if (w->made)
		return print_line(e->printer, w, err);
	if (!w->printer)
		w->printer = new_printer(e);
	TFR_NEED_MEMORY(w->printer, err, "writing lines");
	return print_line(w->printer, w, err);
}

static void close_lines(struct export *e)
{
	tfr_printer_free(e->printer);
	tfr_form_close_file(e);
}

const struct form tfr_form_jsonl = {
	.name = "jsonl",
	.ending = ".jsonl",
	.groups = true,
	.open = tfr_form_open_file,
	.collected = print_first,
	.make = make_json,
	.publish = tfr_form_publish_file,
	.close = close_lines,
};

/* --- tables --- */

/* Writes a cell, in quotes if it contains a separator, a quote or a line break, or begins like a
 * comment. */
static bool put_cell(struct tfr_buf *out, const void *text, size_t size)
{
	const uint8_t *p = text, *end = p + size;
	bool quotes = size && (*p == ' ' || *p == '#' || end[-1] == ' ');

	for (const uint8_t *q = p; q < end && !quotes; q++)
		quotes = *q == ',' || *q == '"' || *q == '\n' || *q == '\r';
	if (!quotes)
		return tfr_buf_append(out, text, size);
	if (!tfr_buf_append(out, "\"", 1))
		return false;
	for (; p < end; p++)
		if ((*p == '"' && !tfr_buf_append(out, "\"", 1)) || !tfr_buf_append(out, p, 1))
			return false;
	return tfr_buf_append(out, "\"", 1);
}

/* A text is written unchanged unless it could be mistaken for another value. */
static bool is_plain(const struct tfr_feature *f, struct tfr_bytes *text)
{
	return f->count == 1 && tfr_feature_bytes(f, 0, text) && text->size &&
	       tfr_is_utf8(text->data, text->size) && !memchr("[{", text->data[0], 2);
}

/* Writes one number as JSON, but NaN and the infinities without quotes. */
static bool put_number(struct tfr_buf *out, const struct tfr_feature *f)
{
	char *begin, *end;
	int64_t whole;
	uint32_t bits;
	float real;

	if (!tfr_buf_reserve(out, TFR_DECIMAL_ROOM))
		return false;
	begin = (char *)out->data + out->size;
	if (f->kind == TFR_KIND_INT64) {
		tfr_feature_int64(f, 0, &whole);
		end = tfr_decimal_i64(begin, whole);
	} else {
		tfr_feature_float(f, 0, &real);
		memcpy(&bits, &real, sizeof(bits));
		end = tfr_decimal_f32_bits(begin, bits);
		if (*begin == '"') {
			memmove(begin, begin + 1, (size_t)(end - begin) - 2);
			end -= 2;
		}
	}
	assert(end > begin && end - begin <= TFR_DECIMAL_ROOM);
	out->size += (size_t)(end - begin);
	return true;
}

/* Writes the values as a JSON array; if there is one value that is not text, without brackets. */
static bool put_values(struct export_item *w, const struct tfr_feature *f)
{
	const char *json;
	size_t n;
	struct tfr_bytes text;

	if (f->count == 1 && f->kind != TFR_KIND_BYTES)
		return put_number(&w->out, f);
	json = tfr_printer_values(w->printer, f, &n);
	if (json && f->count == 1 &&
		!(tfr_feature_bytes(f, 0, &text) && tfr_is_utf8(text.data, text.size))) {
		json++;
		n -= 2;
	}
	return json && put_cell(&w->out, json, n);
}

static enum tfr_status make_row(struct export *e, struct export_item *w, struct tfr_error *err)
{
	size_t begin = w->out.size;
	struct tfr_bytes text;

	assert(e->o->column_count && w->example);
	if (!w->printer)
		w->printer = tfr_printer_new(&(struct tfr_print_opts){ .base64 = true });
	TFR_NEED_MEMORY(w->printer, err, "writing a table");
	for (size_t i = 0; i < e->o->column_count; i++) {
		const struct tfr_feature *f = tfr_example_get(w->example, e->o->columns[i]);

		TFR_NEED_MEMORY(!i || tfr_buf_append(&w->out, ",", 1), err, "writing a table");
		if (!f || f->kind == TFR_KIND_UNSET)
			continue;
		TFR_NEED_MEMORY(is_plain(f, &text) ? put_cell(&w->out, text.data, text.size)
						   : put_values(w, f),
			err, "writing a table");
	}
	/* An empty line would not be read as a row. */
	TFR_NEED_MEMORY(
		w->out.size > begin || tfr_buf_append(&w->out, "\"\"", 2), err, "writing a table");
	TFR_NEED_MEMORY(tfr_buf_append(&w->out, "\n", 1), err, "writing a table");
	return TFR_OK;
}

/* Warns of a column that no record has, because its name may be misspelt. */
static enum tfr_status look_for_columns(
	struct export *e, struct export_item *w, struct tfr_error *err)
{
	(void)err;
	tfr_feature_watch_look(e->own, w->example);
	return TFR_OK;
}

static enum tfr_status publish_table(struct export *e, struct tfr_error *err)
{
	tfr_feature_watch_warn(e->own, e->o->warn, e->o->ctx);
	return tfr_form_publish_file(e, err);
}

static void close_table(struct export *e)
{
	tfr_feature_watch_free(e->own);
	tfr_form_close_file(e);
}

static enum tfr_status open_table(struct export *e, struct tfr_error *err)
{
	TFR_AUTO_BUF line = { 0 };

	if (!e->o->column_count)
		return tfr_fail(err, TFR_EUSAGE, "a table without a column");
	e->own = tfr_feature_watch_new();
	for (size_t i = 0; e->own && i < e->o->column_count; i++)
		TFR_NEED_MEMORY(
			tfr_feature_watch_add(e->own, e->o->columns[i]), err, "writing a table");
	TFR_NEED_MEMORY(e->own, err, "writing a table");
	for (size_t i = 0; i < e->o->column_count; i++)
		TFR_NEED_MEMORY((!i || tfr_buf_append(&line, ",", 1)) &&
					put_cell(&line, e->o->columns[i], strlen(e->o->columns[i])),
			err, "writing a table");
	TFR_NEED_MEMORY(tfr_buf_append(&line, "\n", 1), err, "writing a table");
	e->written = line.size;
	TFR_TRY(tfr_form_open_file(e, err));
	return tfr_output_write(e->file, line.data, line.size, err);
}

const struct form tfr_form_csv = {
	.name = "csv",
	.ending = ".csv",
	.groups = true,
	.parses = true,
	.open = open_table,
	.name_it = look_for_columns,
	.make = make_row,
	.publish = publish_table,
	.close = close_table,
};

/* --- the columns of a table --- */

/* The names of all features in a sorted list.  A search starts where the last record's name was
 * found, because records are alike. */

static int compare_name(const char *name, const struct tfr_feature *f)
{
	return tfr_compare_bytes(name, strlen(name), f->key, f->key_size);
}

/* Both are sorted: one pass over the two. */
static bool add_columns(struct tfr_names *c, const struct tfr_example *ex)
{
	size_t at = 0;

	for (size_t i = 0; i < tfr_example_count(ex); i++) {
		const struct tfr_feature *f = tfr_example_at(ex, i);

		if (memchr(f->key, 0, f->key_size))
			continue;
		while (at < c->n && compare_name(c->list[at], f) < 0)
			at++;
		if ((at == c->n || compare_name(c->list[at], f)) &&
			!tfr_names_insert(c, at, f->key, f->key_size))
			return false;
	}
	return true;
}

enum tfr_status tfr_export_columns(
	struct tfr_select *records, char ***columns, size_t *count, struct tfr_error *err)
{
	struct tfr_example *ex = tfr_example_new();
	struct tfr_names c = { 0 };
	struct tfr_record rec;
	enum tfr_status status = ex ? TFR_OK : tfr_fail_nomem(err, "listing features");

	while (!status) {
		status = tfr_select_next(records, &rec, err);
		if (!status)
			status = tfr_example_parse(ex, rec.data, rec.size, err);
		if (status == TFR_EDATA)
			status = tfr_select_reject(records, &rec, status, err);
		else if (!status && !add_columns(&c, ex))
			status = tfr_fail_nomem(err, "listing features");
	}
	tfr_example_free(ex);
	*columns = c.list;
	*count = c.n;
	if (status == TFR_END)
		return TFR_OK;
	tfr_export_columns_free(c.list, c.n);
	*columns = NULL;
	*count = 0;
	return status;
}

void tfr_export_columns_free(char **columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(columns[i]);
	free(columns);
}
