/* convert/list/csv.c - libcsv receives one line at a time.  A row is complete after the line for which
 * libcsv reports its end; until then a quote is open, and even an empty line belongs to a cell. */
#include "convert/list/csv.h"

#include <string.h>

static int no_space(unsigned char c)
{
	(void)c; /* blanks belong to the cell (RFC 4180, 2.4) */
	return 0;
}

bool tfr_csv_open(struct tfr_csv *c, enum tfr_csv_form form)
{
	*c = (struct tfr_csv){ .form = form };
	if (form == TFR_CSV_RAW_TABS)
		return true;
	if (csv_init(&c->parser, CSV_STRICT | CSV_EMPTY_IS_NULL))
		return false;
	csv_set_space_func(&c->parser, no_space);
	if (form == TFR_CSV_TABS)
		csv_set_delim(&c->parser, '\t');
	c->open = true;
	return true;
}

void tfr_csv_close(struct tfr_csv *c)
{
	if (c->open)
		csv_free(&c->parser);
	tfr_buf_clear(&c->text);
	tfr_buf_clear(&c->cells_);
	*c = (struct tfr_csv){ 0 };
}

void tfr_csv_reset(struct tfr_csv *c)
{
	c->text.size = c->cells_.size = c->n = 0;
	c->rows = 0;
	c->begun = c->failed = false;
	/* A row that broke off leaves the parser within it. */
	if (c->open)
		csv_fini(&c->parser, NULL, NULL, NULL);
}

static void add_cell(void *text, size_t size, void *ctx)
{
	struct tfr_csv *c = ctx;
	struct tfr_cell cell = { .at = c->text.size, .size = size, .absent = !text };

	if (c->failed || !tfr_buf_reserve(&c->text, size + 1) ||
		!tfr_buf_append(&c->cells_, &cell, sizeof(cell))) {
		c->failed = true;
		return;
	}
	if (size)
		memcpy(c->text.data + c->text.size, text, size);
	c->text.data[c->text.size + size] = '\0';
	c->text.size += size + 1;
	c->n++;
}

static void end_row(int terminator, void *ctx)
{
	struct tfr_csv *c = ctx;

	(void)terminator;
	c->rows++;
}

static enum tfr_status split_tabs(
	struct tfr_csv *c, const char *line, size_t size, struct tfr_error *err)
{
	if (size && line[size - 1] == '\n')
		size--;
	if (size && line[size - 1] == '\r')
		size--;
	for (const char *end = line + size; size;) {
		const char *tab = memchr(line, '\t', (size_t)(end - line));
		size_t n = (size_t)((tab ? tab : end) - line);

		add_cell(n ? (void *)(uintptr_t)line : NULL, n, c);
		if (!tab)
			break;
		line = tab + 1;
	}
	return c->failed ? tfr_fail_nomem(err, "reading a list") : TFR_OK;
}

static enum tfr_status feed(
	struct tfr_csv *c, const char *bytes, size_t size, struct tfr_error *err)
{
	size_t n = csv_parse(&c->parser, bytes, size, add_cell, end_row, c);

	if (c->failed || (n < size && csv_error(&c->parser) != CSV_EPARSE))
		return tfr_fail_nomem(err, "reading a list");
	if (n < size)
		return tfr_fail(err, TFR_EDATA, "broken quote");
	return TFR_OK;
}

enum tfr_status tfr_csv_line(
	struct tfr_csv *c, const char *line, size_t size, struct tfr_error *err)
{
	bool blank = !c->begun && (size == 0 || line[0] == '\n' || (size == 2 && line[0] == '\r'));
	enum tfr_status status;

	c->begun = true;
	if (c->form == TFR_CSV_RAW_TABS)
		return split_tabs(c, line, size, err);
	status = feed(c, line, size, err);
	if (!status && (!size || line[size - 1] != '\n'))
		status = feed(c, "\n", 1, err);
	if (status)
		return status;
	if (c->rows > 1)
		return tfr_fail(err, TFR_EDATA, "a carriage return in the middle of the line");
	return c->rows || blank ? TFR_OK : TFR_END;
}
