/* export/export_lines.c - each record a line: of JSON, or of a table's cells. */
#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/error.h"
#include "export/form.h"
#include "io/output.h"

static bool new_printer(struct tfr_printer **p, enum tfr_content as)
{
	if (!*p)
		*p = tfr_printer_new(&(struct tfr_print_opts){ .base64 = true, .as = as });
	return *p != NULL;
}

/* --- JSON --- */

/* What is of no kind is raw: nothing is left out. */
static enum tfr_status make_json(struct export *e, struct work *w, struct tfr_error *err)
{
	const char *text;
	size_t size;
	enum tfr_status status;

	(void)e;
	if (!new_printer(&w->printer, TFR_CONTENT_AUTO) ||
		!new_printer(&w->raw_printer, TFR_CONTENT_RAW))
		return tfr_fail_nomem(err, "writing lines");
	status = tfr_printer_json(w->printer, w->record.data, w->record.size, &text, &size, err);
	if (status == TFR_EDATA)
		status = tfr_printer_json(
			w->raw_printer, w->record.data, w->record.size, &text, &size, err);
	if (!status && (!tfr_buf_append(&w->out, text, size) || !tfr_buf_append(&w->out, "\n", 1)))
		return tfr_fail_nomem(err, "writing lines");
	return status;
}

const struct form tfr_form_jsonl = {
	.name = "jsonl",
	.ending = ".jsonl",
	.open = tfr_form_open_file,
	.make = make_json,
	.publish = tfr_form_publish_file,
	.close = tfr_form_close_file,
};

/* --- tables --- */

/* A cell: in quotes where it has what would end it, or begins as a comment does. */
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

/* A text stands for itself unless it could be taken for something else. */
static bool is_plain(const struct tfr_feature *f, struct tfr_bytes *text)
{
	return f->count == 1 && tfr_feature_bytes(f, 0, text) && text->size &&
	       tfr_is_utf8(text->data, text->size) && !memchr("[{", text->data[0], 2);
}

/* The values as JSON, an array; of one number, or of bytes that are no text, what is in it. */
static enum tfr_status put_values(
	struct work *w, const struct tfr_feature *f, struct tfr_error *err)
{
	struct tfr_feature nameless = *f;
	const uint8_t *data;
	const char *json;
	size_t size, n;
	struct tfr_bytes text;
	enum tfr_status status;

	nameless.key_size = 0;
	tfr_builder_reset(w->builder);
	status = tfr_builder_feature(w->builder, &nameless, err);
	if (!status)
		status = tfr_builder_flatten(w->builder, &data, &size, err);
	if (!status)
		status = tfr_printer_json(w->printer, data, size, &json, &n, err);
	if (status)
		return status;
	json += strlen("{\"\": ");
	n -= strlen("{\"\": }");
	if (f->count == 1 &&
		!(tfr_feature_bytes(f, 0, &text) && tfr_is_utf8(text.data, text.size))) {
		json++;
		n -= 2;
		if (n > 2 && *json == '"') { /* NaN and the infinities */
			json++;
			n -= 2;
		}
	}
	return put_cell(&w->out, json, n) ? TFR_OK : tfr_fail_nomem(err, "writing a table");
}

static enum tfr_status make_row(struct export *e, struct work *w, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	struct tfr_bytes text;

	if (!new_printer(&w->printer, TFR_CONTENT_EXAMPLE))
		return tfr_fail_nomem(err, "writing a table");
	for (size_t i = 0; !status && i < e->o->column_count; i++) {
		const struct tfr_feature *f = tfr_example_get(w->example, e->o->columns[i]);

		if (i && !tfr_buf_append(&w->out, ",", 1))
			return tfr_fail_nomem(err, "writing a table");
		if (!f || f->kind == TFR_KIND_UNSET)
			continue;
		if (!is_plain(f, &text))
			status = put_values(w, f, err);
		else if (!put_cell(&w->out, text.data, text.size))
			return tfr_fail_nomem(err, "writing a table");
	}
	/* An empty line would be no row. */
	if (!status && !w->out.size && !tfr_buf_append(&w->out, "\"\"", 2))
		return tfr_fail_nomem(err, "writing a table");
	if (!status && !tfr_buf_append(&w->out, "\n", 1))
		return tfr_fail_nomem(err, "writing a table");
	return status;
}

/* A column that no record fills may be a name mistyped. */
static enum tfr_status look_for_columns(struct export *e, struct work *w, struct tfr_error *err)
{
	(void)err;
	tfr_lookout_look(e->own, w->example);
	return TFR_OK;
}

static enum tfr_status publish_table(struct export *e, struct tfr_error *err)
{
	tfr_lookout_warn(e->own, e->o->warn, e->o->ctx);
	return tfr_form_publish_file(e, err);
}

static void close_table(struct export *e)
{
	tfr_lookout_free(e->own);
	tfr_form_close_file(e);
}

static enum tfr_status open_table(struct export *e, struct tfr_error *err)
{
	TFR_AUTO_BUF line = { 0 };
	enum tfr_status status;

	if (!e->o->column_count)
		return tfr_fail(err, TFR_EUSAGE, "a table without a column");
	e->own = tfr_lookout_new();
	for (size_t i = 0; e->own && i < e->o->column_count; i++)
		if (!tfr_lookout_add(e->own, e->o->columns[i]))
			return tfr_fail_nomem(err, "writing a table");
	if (!e->own)
		return tfr_fail_nomem(err, "writing a table");
	for (size_t i = 0; i < e->o->column_count; i++)
		if ((i && !tfr_buf_append(&line, ",", 1)) ||
			!put_cell(&line, e->o->columns[i], strlen(e->o->columns[i])))
			return tfr_fail_nomem(err, "writing a table");
	if (!tfr_buf_append(&line, "\n", 1))
		return tfr_fail_nomem(err, "writing a table");
	status = tfr_form_open_file(e, err);
	e->written = line.size;
	return status ? status : tfr_output_write(e->file, line.data, line.size, err);
}

const struct form tfr_form_csv = {
	.name = "csv",
	.ending = ".csv",
	.parses = true,
	.open = open_table,
	.name_it = look_for_columns,
	.make = make_row,
	.publish = publish_table,
	.close = close_table,
};
