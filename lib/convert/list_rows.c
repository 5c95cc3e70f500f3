/* convert/list_rows.c - a row is a line, or several where a quote holds a line break; the kinds of
 * the columns follow from all of them. */
#include <string.h>

#include "convert/list.h"

static enum tfr_status at_line(const struct tfr_list *l, uint64_t line, struct tfr_error *err)
{
	struct tfr_error why = *err;

	return tfr_fail(err, why.status, "%s in '%s', line %llu", why.message, l->path,
		(unsigned long long)line);
}

static bool is_blank(const char *line, size_t size)
{
	return strspn(line, " \t\r") + 1 >= size && (!size || line[size - 1] == '\n');
}

enum tfr_status tfr_list_read_row(struct tfr_list *l, struct tfr_row *row, const char **text,
	size_t *size, struct tfr_error *err)
{
	enum tfr_status status;
	bool more = false;
	const char *line;

	tfr_csv_reset(&l->csv);
	for (;;) {
		status = tfr_lines_next(&l->lines, &line, size, err);
		if (status == TFR_END && more) {
			tfr_fail(err, TFR_EDATA, "a quote is never closed");
			return at_line(l, row->line, err);
		}
		if (status)
			return status;
		if (!more && *size && is_blank(line, *size) && l->format != TFR_LIST_TSV)
			continue;
		if (!more) {
			if (l->lines.number > UINT32_MAX)
				return tfr_fail(err, TFR_EUSAGE, "more than %u lines in '%s'",
					UINT32_MAX, l->path);
			*row = (struct tfr_row){ l->lines.offset, 0, (uint32_t)l->lines.number };
			l->text.size = 0;
		}
		if (l->format != TFR_LIST_JSONL) {
			status = tfr_csv_line(&l->csv, line, *size, err);
			if (status && status != TFR_END)
				return status == TFR_EDATA ? at_line(l, l->lines.number, err)
							   : status;
		}
		if (more || status == TFR_END) {
			if (l->text.size + *size > INT32_MAX)
				return tfr_fail(err, TFR_EDATA,
					"a row of 2 GiB or more in '%s', line %u", l->path,
					row->line);
			if (!tfr_buf_append(&l->text, line, *size))
				return tfr_fail_nomem(err, "reading a list");
		}
		if (status == TFR_OK)
			break;
		more = true;
	}
	*text = more ? (const char *)l->text.data : line;
	*size = more ? l->text.size : *size;
	row->size = (uint32_t)*size;
	return TFR_OK;
}

/* --- the columns --- */

enum tfr_status tfr_list_read_header(struct tfr_list *l, struct tfr_error *err)
{
	const struct tfr_cell *cells;
	const char *text;
	struct tfr_row row;
	size_t size;
	enum tfr_status status = tfr_list_read_row(l, &row, &text, &size, err);

	if (status == TFR_END)
		return tfr_fail_path(err, TFR_EDATA, l->path, "no header line in");
	if (status)
		return status;
	cells = tfr_csv_cells(&l->csv);
	for (size_t i = 0; i < l->csv.n; i++) {
		const char *name = tfr_csv_text(&l->csv, &cells[i]);
		size_t n = cells[i].size;

		if (!i && n >= 3 && !memcmp(name, "\xef\xbb\xbf", 3)) { /* a byte order mark */
			name += 3;
			n -= 3;
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

struct seeing {
	struct tfr_list *l;
	uint64_t line;
};

static enum tfr_status see_member(
	void *ctx, const char *name, size_t size, struct json_object *value, struct tfr_error *err)
{
	struct seeing *s = ctx;
	struct tfr_column *col = tfr_columns_add(&s->l->columns, name, size);

	if (!col)
		return tfr_fail_nomem(err, "reading a list");
	tfr_column_see(col, tfr_json_looks(value), s->line);
	return TFR_OK;
}

enum tfr_status tfr_list_see_row(struct tfr_list *l, const struct tfr_row *row, const char *text,
	size_t size, struct tfr_error *err)
{
	struct seeing s = { l, row->line };
	const struct tfr_cell *cells = tfr_csv_cells(&l->csv);

	if (l->format == TFR_LIST_JSONL)
		return tfr_json_parse(&l->json, text, size, err)
			       ? TFR_OK
			       : tfr_json_each(&l->json, see_member, &s, err);
	for (size_t i = 0; i < l->csv.n && l->csv.n == l->columns.n; i++)
		if (!cells[i].absent)
			tfr_column_see(&l->columns.list[i],
				tfr_look_at(tfr_csv_text(&l->csv, &cells[i]), cells[i].size),
				row->line);
	return TFR_OK;
}

static enum tfr_status decide_kinds(struct tfr_list *l, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;

	for (size_t i = 0; !status && i < l->columns.n; i++)
		status = tfr_column_decide(
			&l->columns.list[i], l->format != TFR_LIST_JSONL, l->path, err);
	return status ? status : tfr_columns_check(&l->columns, l->path, err);
}

enum tfr_status tfr_list_find_rows(struct tfr_list *l, struct tfr_error *err)
{
	struct tfr_row row;
	const char *text;
	size_t size, n = 0;
	enum tfr_status status;

	while (!(status = tfr_list_read_row(l, &row, &text, &size, err))) {
		status = tfr_list_see_row(l, &row, text, size, err);
		if (status)
			return status;
		if (!tfr_buf_append(&l->rows_, &row, sizeof(row)))
			return tfr_fail_nomem(err, "reading a list");
		n++;
	}
	l->in.items = n;
	return status == TFR_END ? decide_kinds(l, err) : status;
}
