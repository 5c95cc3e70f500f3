/* convert/list/csv.h - the cells of a row, separated by a delimiter, quoted as Python's csv module
 * and pandas read them.
 *
 * A quote at the beginning of a cell opens a quoted text, which ends at the next quote that is not
 * doubled; a doubled quote is one character.  Any other quote is an ordinary character: RFC 4180
 * does not define it, and many files have cells such as 5". */
#ifndef TFR_CONVERT_LIST_CSV_H
#define TFR_CONVERT_LIST_CSV_H

#include "base/buf.h"
#include "base/error.h"

struct tfr_cell {
	uint32_t at, size; /* in c->base */
	bool absent;	 /* nothing between two separators, not even quotes, or one of `na` */
};

/* Initialize with { .delimiter = ',' }; `careful` and `na` are optional. */
struct tfr_csv {
	char delimiter;
	bool careful; /* every row cell by cell: after CR as line end, and in tests, which compare
		       */
	const char
		*na; /* the texts of cells that have no value, with commas between them; or NULL */
	bool begun, failed; /* the row has had a line; out of memory */
	int state;
	size_t from;	  /* in `text`: where the current cell begins */
	const char *base; /* of the cells: the line, or `text` */
	struct tfr_buf text, cells_;
	size_t n; /* cells */
};

/* Begins a row. */
void tfr_csv_reset(struct tfr_csv *c);
/* Takes a line, which ends the row unless a quote is open.  The cells are valid as long as the
 * line. TFR_OK: the row is complete, or the line is empty and there are no cells; TFR_END: the row
 * continues in the next line; TFR_EDATA: a line break of another kind is in the middle of the line;
 * TFR_ENOMEM. */
enum tfr_status tfr_csv_line(
	struct tfr_csv *c, const char *line, size_t size, struct tfr_error *err);
void tfr_csv_clear(struct tfr_csv *c);
/* What pandas and UCI's sets write for a missing number. */
#define TFR_NA_TEXTS "NA,N/A,n/a,#N/A,<NA>,NULL,null,None,?,-"

/* Whether a text is one of `words`, which have commas between them. */
bool tfr_csv_is_na(const char *words, const char *text, size_t size);
/* A comma, or a semicolon if the header has semicolons only. */
char tfr_csv_find_delimiter(const char *header, size_t size);

/* The size without the line's end: LF, CR LF or CR. */
static inline size_t tfr_csv_line_size(const char *line, size_t size)
{
	size -= size && line[size - 1] == '\n';
	return size - (size && line[size - 1] == '\r');
}

static inline const struct tfr_cell *tfr_csv_cells(const struct tfr_csv *c)
{
	return (const struct tfr_cell *)(const void *)c->cells_.data;
}

static inline const char *tfr_csv_text(const struct tfr_csv *c, const struct tfr_cell *cell)
{
	return c->base + cell->at;
}

#endif
