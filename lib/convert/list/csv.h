/* convert/list/csv.h - the cells of a row, separated by commas or by tabs.
 *
 * Quotes are those of RFC 4180, with tabs as well, as spreadsheets, pandas and Python write. libcsv
 * reads the rows that have quotes; a row without quotes is split in place. */
#ifndef TFR_CONVERT_LIST_CSV_H
#define TFR_CONVERT_LIST_CSV_H

#include <csv.h>

#include "base/buf.h"
#include "base/error.h"

struct tfr_cell {
	size_t at, size; /* in c->base */
	bool absent;	 /* nothing between two separators, not even quotes */
};

struct tfr_csv {
	struct csv_parser parser;
	char delimiter;
	bool open, failed;
	bool begun;    /* the row has had a line */
	bool careful;  /* libcsv reads every row: for tests, which compare the two ways */
	unsigned rows; /* complete since the last reset */
	const char *base; /* of the cells: the line, or `text` */
	struct tfr_buf text, cells_;
	size_t n; /* cells */
};

/* False: out of memory. */
bool tfr_csv_open(struct tfr_csv *c, char delimiter);
/* Begins a row. */
void tfr_csv_reset(struct tfr_csv *c);
/* Takes a line, which ends the row unless a quote is open.  The cells are valid as long as the line.
 * TFR_OK: the row is complete, or the line is empty and there are no cells; TFR_END: the row
 * continues in the next line; TFR_EDATA: the quotes are wrong, or a carriage return is in the middle
 * of the line; TFR_ENOMEM. */
enum tfr_status tfr_csv_line(
	struct tfr_csv *c, const char *line, size_t size, struct tfr_error *err);
void tfr_csv_close(struct tfr_csv *c);

static inline const struct tfr_cell *tfr_csv_cells(const struct tfr_csv *c)
{
	return (const struct tfr_cell *)(const void *)c->cells_.data;
}

static inline const char *tfr_csv_text(const struct tfr_csv *c, const struct tfr_cell *cell)
{
	return c->base + cell->at;
}

#endif
