/* convert/annotations/csv_table.h - a CSV file of annotations: a header, and rows whose cells are
 * found by the names of their columns.  Blanks around a cell are not part of it. */
#ifndef TFR_CONVERT_ANNOTATIONS_CSV_TABLE_H
#define TFR_CONVERT_ANNOTATIONS_CSV_TABLE_H

#include "base/names.h"
#include "convert/annotations/kinds.h"
#include "convert/list/list.h"

struct tfr_csv_table {
	const char *path;
	struct tfr_buf text; /* all of the file */
	size_t at;	     /* of the next line */
	uint64_t line, next; /* in which the row begins, from 1, and the one after it */
	struct tfr_csv csv;
	struct tfr_names names; /* of the columns */
	size_t columns;
};

/* Reads the part's file and its header.  TFR_EDATA: it has none, or the file has a NUL byte.  Must
 * be closed in any case. */
enum tfr_status tfr_csv_open(
	struct tfr_csv_table *c, const struct tfr_open_part *part, struct tfr_error *err);
/* The number of a column; SIZE_MAX for a `name` of NULL.  TFR_EDATA: there is no such column, or
 * there are two. */
enum tfr_status tfr_csv_column(
	const struct tfr_csv_table *c, const char *name, size_t *column, struct tfr_error *err);
/* Moves to the next row; blank lines are none.  TFR_END: there are no more; TFR_EDATA: it does not
 * have as many cells as the header, or a quote is not closed. */
enum tfr_status tfr_csv_next(struct tfr_csv_table *c, struct tfr_error *err);
/* A cell of the row, valid until the next one. */
struct tfr_bytes tfr_csv_cell(const struct tfr_csv_table *c, size_t column);
/* A cell as the name of a class.  TFR_EDATA: it is empty. */
enum tfr_status tfr_csv_class(const struct tfr_csv_table *c, size_t column, struct tfr_bytes *name,
	struct tfr_error *err);
/* A cell as a number.  TFR_EDATA: it is none, or not from `low` to `high`. */
enum tfr_status tfr_csv_number(const struct tfr_csv_table *c, size_t column, double low,
	double high, double *value, struct tfr_error *err);
/* TFR_EDATA: the cell is not what it should be, in words such as "not a number". */
enum tfr_status tfr_csv_fault(
	const struct tfr_csv_table *c, size_t column, const char *what, struct tfr_error *err);
void tfr_csv_close(struct tfr_csv_table *c);

#endif
