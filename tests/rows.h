/* tests/rows.h - rows of a list, read both ways: what the shortcuts of convert/list decide is what
 * libcsv, json-c and the builder make of the same bytes.
 *
 * For a unit test and a fuzz target; ROWS_CHECK is what each of them asserts with. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include <string.h>

#include "convert/list/list.h"

static const struct tfr_convert_opts rows_opts;

static bool rows_open(
	struct tfr_list *l, enum tfr_list_format format, bool careful, const void *data, size_t size)
{
	*l = (struct tfr_list){ .in.opts = &rows_opts, .format = format, .path = "list" };
	l->file = true;
	l->careful = careful;
	l->columns.opts = &rows_opts;
	l->lines.end = true;
	if (!tfr_buf_append(&l->lines.buf, data, size) ||
		!(format == TFR_LIST_JSONL ? tfr_jsonl_open(&l->json)
					   : tfr_csv_open(&l->csv, tfr_list_form(l))))
		return false;
	l->csv.careful = careful;
	return true;
}

static void rows_close(struct tfr_list *l)
{
	tfr_columns_clear(&l->columns);
	tfr_buf_clear(&l->lines.buf);
	tfr_csv_close(&l->csv);
	tfr_jsonl_close(&l->json);
	tfr_plain_reader_clear(&l->plain);
	tfr_row_layout_clear(&l->layout);
	tfr_buf_clear(&l->rows_);
	tfr_buf_clear(&l->text);
	tfr_buf_clear(&l->comment);
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
		ROWS_CHECK(tfr_look_at(text, x[i].size) == tfr_look_closely(text, x[i].size));
		ROWS_CHECK(tfr_text_float(text, x[i].size, &f) ==
			   tfr_text_float_closely(text, x[i].size, &g));
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

/* Reads all rows both ways.  False: there is nothing more to compare. */
static bool rows_read(struct tfr_list *plain, struct tfr_list *careful, struct tfr_buf *texts)
{
	struct tfr_error why = { 0 }, expected = { 0 };
	const char *a, *b;
	size_t n, m;
	struct tfr_row x, y;
	enum tfr_status status;

	if (plain->format != TFR_LIST_JSONL) {
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
		rows_check_cells(&plain->csv, &careful->csv);
		status = tfr_list_see_row(plain, &x, a, n, &why);
		ROWS_CHECK(tfr_list_see_row(careful, &y, b, m, &expected) == status);
		if (status || !tfr_buf_append(&plain->rows_, &x, sizeof(x)) ||
			!tfr_buf_append(texts, a, n))
			return false;
	}
}

/* A row as a record, both ways; false: memory is lacking. */
static bool rows_encode(struct tfr_list *l, struct tfr_list_item *own, struct tfr_builder *b,
	const char *text, size_t size, unsigned *encoded)
{
	struct tfr_error why = { 0 };
	const uint8_t *data = NULL;
	size_t n = 0;
	enum tfr_status status;
	bool done;

	own->records.data.size = own->records.sums.size = 0;
	tfr_builder_reset(b);
	tfr_csv_reset(&own->csv);
	if (l->format == TFR_LIST_JSONL) {
		done = tfr_plain_read(&own->plain, &l->columns, text, size) &&
		       tfr_plain_object(&own->plain, &l->layout, size, &own->records);
		status = tfr_jsonl_parse(&own->json, text, size, &why);
		if (!status)
			status = tfr_list_put_object(l, own, &own->json, b, &why);
	} else {
		status = tfr_csv_line(&own->csv, text, size, &why);
		done = !status && tfr_plain_cells(&own->csv, &l->layout, size, &own->records);
		if (!status)
			status = tfr_list_put_cells(l, own, &own->csv, b, &why);
	}
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
	struct tfr_list_item own = { 0 };
	bool good = b && tfr_row_layout_init(&l->layout, &l->columns) &&
		    (l->format == TFR_LIST_JSONL ? tfr_jsonl_open(&own.json)
						 : tfr_csv_open(&own.csv, tfr_list_form(l)));
	size_t at = 0;

	for (size_t i = 0; good && i < l->rows_.size / sizeof(*rows); i++) {
		good = rows_encode(l, &own, b, (const char *)texts->data + at, rows[i].size, encoded);
		at += rows[i].size;
	}
	tfr_row_layout_clear(&l->layout);
	tfr_csv_close(&own.csv);
	tfr_jsonl_close(&own.json);
	tfr_plain_reader_clear(&own.plain);
	tfr_records_clear(&own.records);
	tfr_buf_clear(&own.seen);
	tfr_builder_free(b);
}

/* Compares all that is made of a list; returns how many records the shortcut has made. */
static unsigned rows_compare(enum tfr_list_format format, const void *data, size_t size)
{
	struct tfr_list plain, careful;
	TFR_AUTO_BUF texts = { 0 };
	unsigned encoded = 0;
	bool opened = rows_open(&plain, format, false, data, size);

	opened = rows_open(&careful, format, true, data, size) && opened;
	if (opened && rows_read(&plain, &careful, &texts)) {
		bool decided = true;

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
