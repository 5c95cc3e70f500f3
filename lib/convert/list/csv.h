/* convert/list/csv.h - the cells of a row: separated by commas or tabs, with the quotes of RFC
 * 4180, by libcsv, or separated by tabs without quotes (IANA's text/tab-separated-values). */
#ifndef TFR_CONVERT_LIST_CSV_H
#define TFR_CONVERT_LIST_CSV_H

#include <csv.h>

#include "base/buf.h"
#include "base/error.h"

struct tfr_cell {
	size_t at, size; /* in the text of all cells; a NUL lies behind each */
	bool absent;	 /* nothing at all between two separators: not even quotes */
};

enum tfr_csv_form {
	TFR_CSV_COMMAS,
	TFR_CSV_TABS,	  /* quotes as with commas: what spreadsheets, pandas and Python write */
	TFR_CSV_RAW_TABS, /* a quote is a character like any other */
};

struct tfr_csv {
	struct csv_parser parser;
	enum tfr_csv_form form;
	bool open, failed;
	bool begun;    /* the row has had a line */
	unsigned rows; /* complete since the last reset */
	struct tfr_buf text, cells_;
	size_t n;
};

/* False: out of memory. */
bool tfr_csv_open(struct tfr_csv *c, enum tfr_csv_form form);
/* Begins a row. */
void tfr_csv_reset(struct tfr_csv *c);
/* Takes a line, which ends the row unless a quote is open.  TFR_OK: the row is complete (or the
 * line was empty and there are no cells); TFR_END: it goes on in the next line; TFR_EDATA: the
 * quotes are wrong, or a carriage return stands in the middle; TFR_ENOMEM. */
enum tfr_status tfr_csv_line(
	struct tfr_csv *c, const char *line, size_t size, struct tfr_error *err);
void tfr_csv_close(struct tfr_csv *c);

static inline const struct tfr_cell *tfr_csv_cells(const struct tfr_csv *c)
{
	return (const struct tfr_cell *)(const void *)c->cells_.data;
}

static inline const char *tfr_csv_text(const struct tfr_csv *c, const struct tfr_cell *cell)
{
	return (const char *)c->text.data + cell->at;
}

#endif
