/* convert/list/list_rows.c - a row is a line, or several where a quote holds a line break; the kinds of
 * the columns follow from all of them. */
#include <stdio.h>
#include <string.h>

#include "convert/list/list.h"

static enum tfr_status at_line(const struct tfr_list *l, uint64_t line, struct tfr_error *err)
{
	struct tfr_error why = *err;

	return tfr_fail(err, why.status, "%s in '%s', line %llu", why.message, l->path,
		(unsigned long long)line);
}

static bool is_blank(const char *line, size_t size)
{
	size_t n = 0; /* strspn() would read past the last line of a file, which no NUL ends */

	while (n < size && (line[n] == ' ' || line[n] == '\t' || line[n] == '\r'))
		n++;
	return n + 1 >= size && (!size || line[size - 1] == '\n');
}

/* A line between two rows that holds nothing.  Blanks alone are the cell of a list with a single
 * column, and tabs alone are empty cells. */
static bool is_between(const struct tfr_list *l, const char *line, size_t size)
{
	if (l->format == TFR_LIST_RAW_TSV)
		return false;
	if (l->format == TFR_LIST_TSV || l->columns.n == 1)
		return line[0] == '\n' || (size == 2 && !memcmp(line, "\r\n", 2));
	return is_blank(line, size);
}

static bool is_comment(const struct tfr_list *l, const char *line, size_t size)
{
	return l->format != TFR_LIST_JSONL && !l->columns.n && size && line[0] == '#';
}

static enum tfr_status keep_comment(
	struct tfr_list *l, const char *line, size_t size, struct tfr_error *err)
{
	l->comment.size = 0;
	l->comment_line = l->lines.number;
	return tfr_buf_append(&l->comment, line, size) ? TFR_OK
						       : tfr_fail_nomem(err, "reading a list");
}

/* The byte order mark at the beginning of a file is no part of its first row. */
static void skip_mark(struct tfr_list *l, const char **line, size_t *size)
{
	if (l->lines.offset || *size < 3 || memcmp(*line, "\xef\xbb\xbf", 3))
		return;
	*line += 3;
	*size -= 3;
	l->lines.offset = 3;
}

/* The line in which the next row begins.  TFR_END: there is none. */
static enum tfr_status first_line(
	struct tfr_list *l, const char **line, size_t *size, struct tfr_error *err)
{
	for (;;) {
		enum tfr_status status = tfr_lines_next(&l->lines, line, size, err);

		if (status)
			return status;
		skip_mark(l, line, size);
		if (is_comment(l, *line, *size))
			status = keep_comment(l, *line, *size, err);
		else if (*size && !is_between(l, *line, *size))
			return TFR_OK;
		if (status)
			return status;
	}
}

static enum tfr_status take_line(
	struct tfr_list *l, const char *line, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	if (l->format == TFR_LIST_JSONL)
		return TFR_OK;
	status = tfr_csv_line(&l->csv, line, size, err);
	if (status != TFR_EDATA)
		return status;
	at_line(l, l->lines.number, err);
	if (l->format == TFR_LIST_TSV)
		tfr_error_hint(err, "If quotes mean nothing in this file, add --from tsv-raw.");
	return TFR_EDATA;
}

static enum tfr_status never_closed(
	struct tfr_list *l, const struct tfr_row *row, struct tfr_error *err)
{
	tfr_fail(err, TFR_EDATA, "a quote is never closed");
	at_line(l, row->line, err);
	if (l->format == TFR_LIST_TSV)
		tfr_error_hint(err, "If quotes mean nothing in this file, add --from tsv-raw.");
	return TFR_EDATA;
}

/* Adds a line to the text of a row of several. */
static enum tfr_status add_line(struct tfr_list *l, const struct tfr_row *row, const char *line,
	size_t size, struct tfr_error *err)
{
	if (l->text.size + size > INT32_MAX)
		return tfr_fail(err, TFR_EDATA, "a row of 2 GiB or more in '%s', line %u", l->path,
			row->line);
	return tfr_buf_append(&l->text, line, size) ? TFR_OK
						    : tfr_fail_nomem(err, "reading a list");
}

enum tfr_status tfr_list_read_row(struct tfr_list *l, struct tfr_row *row, const char **text,
	size_t *size, struct tfr_error *err)
{
	enum tfr_status status, kept = TFR_OK;
	bool more = false;
	const char *line;

	if (l->have_first) {
		l->have_first = false;
		*row = l->first;
		*text = l->first_text;
		*size = row->size;
		return TFR_OK;
	}
	tfr_csv_reset(&l->csv);
	l->text.size = 0;
	status = first_line(l, &line, size, err);
	if (status)
		return status;
	if (l->lines.number > UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %u lines in '%s'", UINT32_MAX, l->path);
	*row = (struct tfr_row){ l->lines.offset, 0, (uint32_t)l->lines.number };
	while ((status = take_line(l, line, *size, err)) == TFR_END) {
		more = true;
		kept = add_line(l, row, line, *size, err);
		if (kept)
			return kept;
		status = tfr_lines_next(&l->lines, &line, size, err);
		if (status)
			return status == TFR_END ? never_closed(l, row, err) : status;
	}
	if (!status && more)
		status = add_line(l, row, line, *size, err);
	if (status)
		return status;
	*text = more ? (const char *)l->text.data : line;
	*size = more ? l->text.size : *size;
	row->size = (uint32_t)*size;
	return TFR_OK;
}

/* --- the columns --- */

static bool looks_numeric(const struct tfr_csv *csv)
{
	const struct tfr_cell *cells = tfr_csv_cells(csv);

	for (size_t i = 0; i < csv->n; i++)
		if (!cells[i].absent &&
			tfr_look_at(tfr_csv_text(csv, &cells[i]), cells[i].size) != TFR_LOOK_TEXT)
			return true;
	return false;
}

/* Names the columns by the cells.  `comment`: those of a line that begins with '#'. */
static enum tfr_status name_columns(
	struct tfr_list *l, const struct tfr_csv *csv, bool comment, struct tfr_error *err)
{
	const struct tfr_cell *cells = tfr_csv_cells(csv);

	for (size_t i = 0; i < csv->n; i++) {
		const char *name = tfr_csv_text(csv, &cells[i]);
		size_t n = cells[i].size;

		if (!i && comment) {
			size_t skip = 1;

			while (skip < n && (name[skip] == ' ' || name[skip] == '\t'))
				skip++;
			name += skip;
			n -= skip;
		}
		if (!i && !n) { /* row names, as pandas and R write them */
			name = "index";
			n = strlen(name);
		}
		if (!n || memchr(name, '\0', n))
			return tfr_fail(
				err, TFR_EDATA, "column %zu of '%s' has no name", i + 1, l->path);
		if (!tfr_columns_add(&l->columns, name, n))
			return tfr_fail_nomem(err, "reading a list");
		if (l->columns.n != i + 1)
			return tfr_fail(err, TFR_EDATA, "two columns of '%s' are called '%.*s'",
				l->path, (int)n, name);
	}
	return tfr_columns_check(&l->columns, l->path, err);
}

static void warn_of_comment(const struct tfr_list *l)
{
	const struct tfr_convert_opts *o = l->in.opts;
	char text[4400];

	if (!o->warn)
		return;
	snprintf(text, sizeof(text),
		"skipped the comments before the header of '%.4000s', which begin with '#' and end "
		"in line %llu",
		l->path, (unsigned long long)l->comment_line);
	o->warn(o->ctx, text);
}

void tfr_list_warn_of_empty(struct tfr_list *l)
{
	const struct tfr_convert_opts *o = l->in.opts;
	char text[1200];

	for (size_t i = 0; o->warn && i < l->columns.n; i++) {
		const struct tfr_list_column *col = &l->columns.list[i];

		if (col->given || col->looks || col->unfit || !col->empty)
			continue;
		snprintf(text, sizeof(text),
			"left out '%.500s': its lists are all empty, so that its kind is unknown; "
			"'--types %.500s=float', int or bytes keeps them",
			col->name, col->name);
		o->warn(o->ctx, text);
	}
}

/* Whether the last line with '#' holds the names: it has as many cells as the row after it, which
 * has numbers where the line has none.  Then they are in `csv`. */
static bool comment_names(const struct tfr_list *l, struct tfr_csv *csv)
{
	return !tfr_csv_line(csv, (const char *)l->comment.data, l->comment.size, NULL) &&
	       csv->n > 1 && csv->n == l->csv.n && looks_numeric(&l->csv) && !looks_numeric(csv);
}

enum tfr_status tfr_list_read_header(struct tfr_list *l, struct tfr_error *err)
{
	struct tfr_csv csv;
	enum tfr_status status;
	size_t size;

	status = tfr_list_read_row(l, &l->first, &l->first_text, &size, err);
	if (status == TFR_END)
		return tfr_fail_path(err, TFR_EDATA, l->path, "no header line in");
	if (status)
		return status;
	if (!l->comment_line)
		return name_columns(l, &l->csv, false, err);
	if (!tfr_csv_open(&csv, tfr_list_form(l)))
		return tfr_fail_nomem(err, "reading a list");
	l->have_first = comment_names(l, &csv);
	if (!l->have_first)
		warn_of_comment(l);
	status = name_columns(l, l->have_first ? &csv : &l->csv, l->have_first, err);
	tfr_csv_close(&csv);
	return status;
}

/* Of a pipe the first value of a column decides its kind. */
static enum tfr_status see(struct tfr_list *l, struct tfr_list_column *col, unsigned looks,
	const char *text, size_t size, uint64_t line, struct tfr_error *err)
{
	tfr_column_see(col, looks, line);
	if (looks & TFR_LOOK_MISFITS)
		tfr_column_see_misfit(col, looks, text, size, line);
	if (l->file || col->kind != TFR_KIND_UNSET)
		return TFR_OK;
	return tfr_column_decide(col, l->format != TFR_LIST_JSONL, l->path, err);
}

struct seeing {
	struct tfr_list *l;
	uint64_t line;
};

static enum tfr_status see_member(
	void *ctx, const char *name, size_t size, struct json_object *value, struct tfr_error *err)
{
	struct seeing *s = ctx;
	struct tfr_list_column *col = tfr_columns_add(&s->l->columns, name, size);
	struct json_object *misfit;
	unsigned looks = tfr_jsonl_looks(value, &misfit);
	const char *text = "";
	size_t n = 0;

	if (col && misfit)
		text = tfr_jsonl_number(misfit, &n);
	if (!col || !text)
		return tfr_fail_nomem(err, "reading a list");
	if (json_object_is_type(value, json_type_array) && !json_object_array_length(value))
		col->empty = true;
	else
		col->unfit |= !looks;
	return see(s->l, col, looks, text, n, s->line, err);
}

/* False: the line is for json-c. */
static bool see_plain(struct tfr_list *l, const struct tfr_row *row, const char *text, size_t size,
	enum tfr_status *status, struct tfr_error *err)
{
	const struct tfr_json_member *members;
	unsigned looks;

	if (!tfr_plain_read(&l->plain, &l->columns, text, size))
		return false;
	members = tfr_plain_members(&l->plain.plain);
	for (size_t i = 0; i < l->plain.plain.n; i++)
		if (!tfr_plain_is_null(&l->plain, &members[i]) &&
			!tfr_plain_looks(&l->plain, &members[i], &looks))
			return false;
	*status = TFR_OK;
	for (size_t i = 0; !*status && i < l->plain.plain.n; i++) {
		const struct tfr_json_member *m = &members[i];
		struct tfr_list_column *col;

		if (tfr_plain_is_null(&l->plain, m))
			continue;
		tfr_plain_looks(&l->plain, m, &looks);
		col = m->column != SIZE_MAX ? &l->columns.list[m->column]
					    : tfr_columns_add(&l->columns, m->name, m->size);
		if (!col) {
			*status = tfr_fail_nomem(err, "reading a list");
			return true;
		}
		col->empty |= m->array && !m->n;
		*status = see(l, col, looks, "", 0, row->line, err);
	}
	return true;
}

enum tfr_status tfr_list_see_row(struct tfr_list *l, const struct tfr_row *row, const char *text,
	size_t size, struct tfr_error *err)
{
	struct seeing s = { l, row->line };
	const struct tfr_cell *cells = tfr_csv_cells(&l->csv);
	enum tfr_status status = TFR_OK;

	if (l->format == TFR_LIST_JSONL && !l->careful &&
		see_plain(l, row, text, size, &status, err))
		return status;
	if (l->format == TFR_LIST_JSONL)
		return tfr_jsonl_parse(&l->json, text, size, err)
			       ? TFR_OK
			       : tfr_jsonl_each(&l->json, see_member, &s, err);
	for (size_t i = 0; !status && i < l->csv.n && l->csv.n == l->columns.n; i++) {
		const char *cell = tfr_csv_text(&l->csv, &cells[i]);
		struct tfr_list_column *col = &l->columns.list[i];
		unsigned look;

		/* The kind of a column that has a text is decided. */
		if (cells[i].absent || col->given || col->looks & TFR_LOOK_TEXT)
			continue;
		look = tfr_look_at(cell, cells[i].size);
		if (look & ~col->looks || look & TFR_LOOK_MISFITS)
			status = see(l, col, look, cell, cells[i].size, row->line, err);
	}
	return status;
}
