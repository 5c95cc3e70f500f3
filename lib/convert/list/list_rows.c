/* convert/list/list_rows.c - a row is a line, or several where a quote holds a line break; the
 * kinds of the columns follow from all of them. */
#include <string.h>

#include "convert/list/list.h"

struct tfr_row_reader tfr_row_reader_like(const struct tfr_row_reader *r)
{
	return (struct tfr_row_reader){
		.format = r->format,
		.csv = { .delimiter = r->csv.delimiter, .careful = r->csv.careful, .na = r->csv.na }
	};
}

void tfr_row_reader_close(struct tfr_row_reader *r)
{
	tfr_csv_clear(&r->csv);
	tfr_json_row_clear(&r->json);
}

enum tfr_status tfr_row_reader_read(struct tfr_row_reader *r, const struct tfr_columns *columns,
	const char *text, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	if (r->format == TFR_LIST_JSONL)
		return tfr_json_row_read(&r->json, columns, text, size, err);
	tfr_csv_reset(&r->csv);
	status = tfr_csv_line(&r->csv, text, size, err);
	return status == TFR_END ? tfr_fail(err, TFR_EDATA, "the row has changed since it was found")
				 : status;
}

void tfr_list_clear_reading(struct tfr_list *l)
{
	tfr_columns_clear(&l->columns);
	tfr_lines_clear(&l->lines);
	tfr_row_reader_close(&l->reader);
	tfr_buf_clear(&l->rows_);
	tfr_buf_clear(&l->comment);
}

static enum tfr_status at_line(const struct tfr_list *l, uint64_t line, struct tfr_error *err)
{
	struct tfr_error why = *err;

	return tfr_fail(err, why.status, "%s in '%s', line %llu", why.message, l->path,
		(unsigned long long)line);
}

static bool is_blank(const char *line, size_t size)
{
	size_t n = 0; /* strspn() would read past the last line of a file, which no NUL ends */

	while (n < size && (line[n] == ' ' || line[n] == '\t'))
		n++;
	return n == tfr_csv_line_size(line, size);
}

/* A line between two rows that holds nothing.  Blanks alone are the cell of a list with a single
 * column, and tabs alone are empty cells. */
static bool is_between(const struct tfr_list *l, const char *line, size_t size)
{
	if (l->reader.format != TFR_LIST_JSONL &&
		(l->reader.csv.delimiter == '\t' || l->columns.n == 1))
		return !tfr_csv_line_size(line, size);
	return is_blank(line, size);
}

static bool is_comment(const struct tfr_list *l, const char *line, size_t size)
{
	return l->reader.format != TFR_LIST_JSONL && !l->columns.n && size && line[0] == '#';
}

static enum tfr_status keep_comment(
	struct tfr_list *l, const char *line, size_t size, struct tfr_error *err)
{
	l->comment.size = 0;
	l->comment_line = l->lines.number;
	return tfr_list_append(&l->comment, line, size, err);
}

/* The byte order mark at the beginning of a file is no part of its first row. */
static void skip_mark(struct tfr_list *l, const char **line, size_t *size)
{
	if (l->lines.offset || *size < 3 || memcmp(*line, "\xef\xbb\xbf", 3))
		return;
	*line += 3;
	*size -= 3;
	l->lines.row += 3;
	l->lines.offset = 3;
}

/* The line in which the next row begins.  TFR_END: there is none. */
static enum tfr_status first_line(
	struct tfr_list *l, const char **line, size_t *size, struct tfr_error *err)
{
	for (;;) {
		TFR_TRY(tfr_lines_next(&l->lines, line, size, err));
		skip_mark(l, line, size);
		if (is_comment(l, *line, *size))
			TFR_TRY(keep_comment(l, *line, *size, err));
		else if (*size && !is_between(l, *line, *size))
			return TFR_OK;
	}
}

static enum tfr_status hint_quotes(const struct tfr_list *l, struct tfr_error *err)
{
	if (l->reader.csv.delimiter == '\t')
		tfr_error_hint(err,
			"If quotes mean nothing in this file, quote its cells by " TFR_QUOTE_TSV
			".");
	return TFR_EDATA;
}

static enum tfr_status take_line(
	struct tfr_list *l, const char *line, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	if (l->reader.format == TFR_LIST_JSONL)
		return TFR_OK;
	status = tfr_csv_line(&l->reader.csv, line, size, err);
	if (status != TFR_EDATA)
		return status;
	at_line(l, l->lines.number, err);
	return hint_quotes(l, err);
}

static enum tfr_status never_closed(const struct tfr_list *l, struct tfr_error *err)
{
	tfr_fail(err, TFR_EDATA, "a quote is never closed");
	at_line(l, l->lines.first, err);
	return hint_quotes(l, err);
}

/* The first line of another kind of file would give columns without meaning. */
static enum tfr_status check_text(
	const struct tfr_list *l, const char *line, size_t size, struct tfr_error *err)
{
	const bool gzip = size > 1 && !memcmp(line, "\x1f\x8b", 2);

	if (!gzip && !memchr(line, '\0', size))
		return TFR_OK;
	tfr_fail_path(err, TFR_EDATA, l->path,
		"%s, not lines of text:", gzip ? "compressed with GZIP" : "binary data or UTF-16");
	tfr_error_hint(err, gzip ? "Decompress it first, or give it a name that ends in .gz."
				 : "Convert UTF-16 first: iconv -f UTF-16 -t UTF-8");
	return TFR_EDATA;
}

/* The delimiter, unless it is given, and the line ends of a table, by its first row. */
static enum tfr_status find_form(
	struct tfr_list *l, const char *header, size_t size, struct tfr_error *err)
{
	struct tfr_csv *csv = &l->reader.csv;

	if (l->reader.format != TFR_LIST_JSONL)
		TFR_TRY(check_text(l, header, size, err));
	csv->careful |= l->lines.feed == '\r';
	if (!csv->delimiter)
		csv->delimiter = tfr_csv_find_delimiter(header, size);
	return TFR_OK;
}

enum tfr_status tfr_list_read_row(struct tfr_list *l, struct tfr_row *row, const char **text,
	size_t *size, struct tfr_error *err)
{
	struct tfr_lines *lines = &l->lines;
	enum tfr_status status;
	const char *line;

	tfr_csv_reset(&l->reader.csv);
	TFR_TRY(first_line(l, &line, size, err));
	if (!l->columns.n)
		TFR_TRY(find_form(l, line, *size, err));
	if (lines->number > UINT32_MAX)
		return tfr_fail(err, TFR_EUSAGE, "more than %u lines in '%s'", UINT32_MAX, l->path);
	while ((status = take_line(l, line, *size, err)) == TFR_END) {
		status = tfr_lines_more(lines, &line, size, err);
		if (status)
			return status == TFR_END ? never_closed(l, err) : status;
	}
	TFR_TRY(status);
	*text = (const char *)lines->buf.data + lines->row;
	*size = lines->at - lines->row;
	*row = (struct tfr_row){ lines->offset, (uint32_t)*size, (uint32_t)lines->first };
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
		TFR_NEED_MEMORY(tfr_columns_add(&l->columns, name, n), err, "reading a list");
		if (l->columns.n != i + 1)
			return tfr_fail(err, TFR_EDATA, "two columns of '%s' are called '%.*s'",
				l->path, (int)n, name);
	}
	return tfr_columns_check(&l->columns, l->path, err);
}

/* Names the first column of numbers that has empty cells, and the first that texts such as NA make
 * bytes. */
static void warn_of_gaps(const struct tfr_list *l)
{
	const struct tfr_list_column *empty = NULL, *na = NULL;
	size_t empties = 0, nas = 0;

	for (size_t i = 0; i < l->columns.n; i++) {
		const struct tfr_list_column *col = &l->columns.list[i];

		if (col->absent && (col->kind == TFR_KIND_INT64 || col->kind == TFR_KIND_FLOAT) &&
			!empties++)
			empty = col;
		if ((col->looks & (TFR_LOOK_TEXT | TFR_LOOK_NA)) == TFR_LOOK_NA &&
			col->looks & TFR_LOOK_NUMBERS && !nas++)
			na = col;
	}
	if (empty && !l->columns.tables->na)
		tfr_warn(l->in.opts,
			"'%.500s' is empty in %llu row%s: such records lack the feature%s",
			empty->name, (unsigned long long)empty->absent,
			empty->absent == 1 ? "" : "s",
			empties > 1 ? ", and other columns have such rows" : "");
	if (na)
		tfr_warn(l->in.opts,
			"'%.500s' is stored as bytes, since it is '%s' in line %llu; '--na %s' "
			"leaves such cells out%s",
			na->name, na->misfits[2].text, (unsigned long long)na->misfits[2].line,
			na->misfits[2].text, nas > 1 ? ", in other columns too" : "");
}

void tfr_list_warn_of_empty(struct tfr_list *l)
{
	warn_of_gaps(l);
	for (size_t i = 0; i < l->columns.n; i++) {
		const struct tfr_list_column *col = &l->columns.list[i];

		if (col->given || col->looks || col->unfit || !col->empty)
			continue;
		tfr_warn(l->in.opts,
			"left out '%.500s': its lists are all empty, so that its kind is unknown; "
			"'--types %.500s=float', int or bytes keeps them",
			col->name, col->name);
	}
}

/* Whether the last line with '#' holds the names: it has as many cells as the row after it, which
 * has numbers where the line has none.  Then they are in `csv`. */
static bool comment_names(const struct tfr_list *l, struct tfr_csv *csv)
{
	return !tfr_csv_line(csv, (const char *)l->comment.data, l->comment.size, NULL) &&
	       csv->n > 1 && csv->n == l->reader.csv.n && looks_numeric(&l->reader.csv) && !looks_numeric(csv);
}

enum tfr_status tfr_list_read_header(struct tfr_list *l, struct tfr_error *err)
{
	struct tfr_csv csv;
	struct tfr_row row;
	const char *text;
	size_t size;
	bool names;
	enum tfr_status status = tfr_list_read_row(l, &row, &text, &size, err);

	if (status == TFR_END)
		return tfr_fail_path(err, TFR_EDATA, l->path, "no header line in");
	TFR_TRY(status);
	if (!l->comment_line)
		return name_columns(l, &l->reader.csv, false, err);
	csv = tfr_row_reader_like(&l->reader).csv;
	names = comment_names(l, &csv);
	if (names)
		tfr_lines_return(&l->lines);
	else
		tfr_warn(l->in.opts,
			"skipped the comments before the header of '%.4000s', which begin with '#' "
			"and end in line %llu",
			l->path, (unsigned long long)l->comment_line);
	status = name_columns(l, names ? &csv : &l->reader.csv, names, err);
	tfr_csv_clear(&csv);
	return status;
}

/* Of a pipe the first value of a column decides its kind. */
static enum tfr_status see(struct tfr_list *l, struct tfr_list_column *col, unsigned looks,
	const char *text, size_t size, uint64_t line, struct tfr_error *err)
{
	tfr_column_see(col, looks, text, size, line);
	if (l->file || col->kind != TFR_KIND_UNSET)
		return TFR_OK;
	return tfr_column_decide(col, l->reader.format != TFR_LIST_JSONL, l->path, err);
}

static enum tfr_status see_cells(struct tfr_list *l, uint64_t line, struct tfr_error *err)
{
	const struct tfr_csv *csv = &l->reader.csv;
	const struct tfr_cell *cells = tfr_csv_cells(csv);

	for (size_t i = 0; i < csv->n && csv->n == l->columns.n; i++) {
		const char *cell = tfr_csv_text(csv, &cells[i]);
		struct tfr_list_column *col = &l->columns.list[i];
		unsigned look;

		col->absent += cells[i].absent;
		/* The kind of a column that has a text is decided. */
		if (cells[i].absent || col->given || col->looks & TFR_LOOK_TEXT)
			continue;
		look = tfr_look_at(cell, cells[i].size);
		if (look == TFR_LOOK_TEXT && tfr_csv_is_na(TFR_NA_TEXTS, cell, cells[i].size))
			look = TFR_LOOK_NA;
		if (look & ~col->looks || look & TFR_LOOK_MISFITS)
			TFR_TRY(see(l, col, look, cell, cells[i].size, line, err));
	}
	return TFR_OK;
}

/* The column of a member, which is added if there is none.  NULL: out of memory. */
static struct tfr_list_column *column_of(struct tfr_list *l, struct tfr_json_member *m)
{
	struct tfr_list_column *col;
	const char *name;
	size_t size;

	if (m->column != SIZE_MAX)
		return &l->columns.list[m->column];
	name = tfr_json_row_name(&l->reader.json, m, &size);
	col = name ? tfr_columns_add(&l->columns, name, size) : NULL;
	return col && tfr_json_row_place(&l->reader.json, m, (size_t)(col - l->columns.list))
		       ? col
		       : NULL;
}

static enum tfr_status see_member(
	struct tfr_list *l, struct tfr_json_member *m, uint64_t line, struct tfr_error *err)
{
	struct tfr_list_column *col = column_of(l, m);
	const struct tfr_token *misfit;
	unsigned looks = tfr_json_member_looks(m, &misfit);

	TFR_NEED_MEMORY(col, err, "reading a list");
	if (tfr_json_member_is_empty(m))
		col->empty = true;
	else
		col->unfit |= !looks;
	return see(l, col, looks, misfit ? misfit->text : "", misfit ? misfit->size : 0, line, err);
}

enum tfr_status tfr_list_see_row(struct tfr_list *l, uint64_t line, struct tfr_error *err)
{
	const struct tfr_json_row *row = &l->reader.json;
	struct tfr_json_member *members = tfr_json_row_members(row);

	if (l->reader.format != TFR_LIST_JSONL)
		return see_cells(l, line, err);
	for (size_t i = 0; i < row->n; i++)
		if (tfr_json_member_has(&members[i]))
			TFR_TRY(see_member(l, &members[i], line, err));
	return TFR_OK;
}
