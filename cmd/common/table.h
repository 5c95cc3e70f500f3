/* cmd/common/table.h - a table for a person, as wide as its cells and no wider than the screen.
 *
 * Rows are collected and printed at once.  Where the screen is too narrow, names and texts are cut
 * first, down to `least` columns; then the columns with the highest `drop` go, one after
 * the other.  Numbers are never cut, their
 * heads are at 16 columns. */
#ifndef TFR_CMD_TABLE_H
#define TFR_CMD_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include <tfr-private/error.h>

enum { TABLE_LEAST = 8 };

enum table_kind {
	TABLE_NUMBER, /* on the right */
	TABLE_TEXT,   /* on the left; loses its end */
	TABLE_PATH,   /* on the left; loses its beginning */
};

struct table_column {
	const char *head;
	enum table_kind kind;
	unsigned least; /* never narrower; 0: as wide as its cells, and texts not under TABLE_LEAST
			 */
	unsigned drop;	/* 0: never */
};

struct table;

/* `columns` must stay.  NULL: out of memory, which every function below accepts and table_print()
 * says. */
struct table *table_new(const struct table_column *columns, size_t count);
void table_free(struct table *t);

/* The next cell, row by row.  Its text is escaped, and what is past 1 KiB is cut. */
void table_cell(struct table *t, const char *format, ...) TFR_PRINTF(2, 3);
void table_bytes(struct table *t, const void *text, size_t size);
void table_count(struct table *t, uint64_t n);

/* Prints heads and rows, each line after `indent` blanks, within the columns of `f`.  False: out of
 * memory, and nothing is printed. */
bool table_print(const struct table *t, FILE *f, unsigned indent);

#endif
