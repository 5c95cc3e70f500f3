/* convert/annotations/csv_table.c - rows of a file that is complete in memory. */
#include "convert/annotations/csv_table.h"

#include <string.h>

#include "base/error.h"
#include "convert/number_text.h"

static enum tfr_status read_row(struct tfr_csv_table *c, struct tfr_error *err)
{
	enum tfr_status status = TFR_END;
	struct tfr_error why = { 0 };

	c->line = c->next;
	tfr_csv_reset(&c->csv);
	while (status == TFR_END) {
		const char *line = (const char *)c->text.data + c->at;
		const char *feed = memchr(line, '\n', c->text.size - c->at);
		size_t size = feed ? (size_t)(feed + 1 - line) : c->text.size - c->at;

		if (!size)
			return c->csv.begun ? tfr_fail(err, TFR_EDATA,
						      "a quote is never closed in '%s', line %llu",
						      c->path, (unsigned long long)c->line)
					    : TFR_END;
		c->at += size;
		c->next++;
		status = tfr_csv_line(&c->csv, line, size, &why);
	}
	if (status == TFR_EDATA)
		return tfr_fail(err, status, "%s, in '%s', line %llu", why.message, c->path,
			(unsigned long long)c->line);
	return status == TFR_ENOMEM ? tfr_error_pass(&why, err) : status;
}

enum tfr_status tfr_csv_next(struct tfr_csv_table *c, struct tfr_error *err)
{
	do
		TFR_TRY(read_row(c, err));
	while (!c->csv.n);
	if (c->names.n && c->csv.n != c->columns)
		return tfr_fail(err, TFR_EDATA,
			"%zu cells where the header has %zu in '%s', line %llu", c->csv.n,
			c->columns, c->path, (unsigned long long)c->line);
	return TFR_OK;
}

struct tfr_bytes tfr_csv_cell(const struct tfr_csv_table *c, size_t column)
{
	const struct tfr_cell *cell = &tfr_csv_cells(&c->csv)[column];
	const char *text = tfr_csv_text(&c->csv, cell);
	size_t size = cell->size;

	while (size && strchr(" \t", text[size - 1]) && text[size - 1])
		size--;
	while (size && strchr(" \t", *text) && *text) {
		text++;
		size--;
	}
	return (struct tfr_bytes){ (const uint8_t *)text, size };
}

enum tfr_status tfr_csv_fault(
	const struct tfr_csv_table *c, size_t column, const char *what, struct tfr_error *err)
{
	struct tfr_bytes cell = tfr_csv_cell(c, column);

	return tfr_fail(err, TFR_EDATA, "'%.60s' is '%.*s', which is %s, in '%s', line %llu",
		c->names.list[column], (int)(cell.size < 40 ? cell.size : 40),
		(const char *)cell.data, what, c->path, (unsigned long long)c->line);
}

enum tfr_status tfr_csv_class(
	const struct tfr_csv_table *c, size_t column, struct tfr_bytes *name, struct tfr_error *err)
{
	*name = tfr_csv_cell(c, column);
	return name->size ? TFR_OK : tfr_csv_fault(c, column, "not a name", err);
}

enum tfr_status tfr_csv_number(const struct tfr_csv_table *c, size_t column, double low,
	double high, double *value, struct tfr_error *err)
{
	struct tfr_bytes cell = tfr_csv_cell(c, column);

	if (!tfr_number((const char *)cell.data, cell.size, value))
		return tfr_csv_fault(c, column, "not a number", err);
	return *value >= low && *value <= high ? TFR_OK
					       : tfr_csv_fault(c, column, "out of range", err);
}

enum tfr_status tfr_csv_column(
	const struct tfr_csv_table *c, const char *name, size_t *column, struct tfr_error *err)
{
	*column = SIZE_MAX;
	for (size_t k = 0; name && k < c->columns; k++) {
		if (strcmp(c->names.list[k], name))
			continue;
		if (*column != SIZE_MAX)
			return tfr_fail(err, TFR_EDATA, "two columns '%s' in '%s'", name, c->path);
		*column = k;
	}
	return !name || *column != SIZE_MAX
		       ? TFR_OK
		       : tfr_fail(err, TFR_EDATA, "no column '%s' in '%s'", name, c->path);
}

enum tfr_status tfr_csv_open(
	struct tfr_csv_table *c, const struct tfr_open_part *part, struct tfr_error *err)
{
	enum tfr_status status;

	*c = (struct tfr_csv_table){ .path = part->aside, .next = 1, .csv = { .delimiter = ',' } };
	TFR_TRY(tfr_part_read_file(part, &c->text, err));
	/* Names end there, and UTF-16 has them. */
	if (c->text.size && memchr(c->text.data, 0, c->text.size))
		return tfr_fail_path(err, TFR_EDATA, c->path, "a NUL byte in");
	if (c->text.size >= 3 && !memcmp(c->text.data, "\xef\xbb\xbf", 3)) /* a byte order mark */
		c->at = 3;
	status = tfr_csv_next(c, err);
	if (status == TFR_END)
		return tfr_fail_path(err, TFR_EDATA, c->path, "no header in");
	TFR_TRY(status);
	for (size_t k = 0; k < c->csv.n; k++) {
		struct tfr_bytes cell = tfr_csv_cell(c, k);

		TFR_NEED_MEMORY(tfr_names_insert(&c->names, k, (const char *)cell.data, cell.size),
			err, "reading annotations");
	}
	c->columns = c->names.n;
	return TFR_OK;
}

void tfr_csv_close(struct tfr_csv_table *c)
{
	tfr_buf_clear(&c->text);
	tfr_csv_clear(&c->csv);
	tfr_names_clear(&c->names);
}
