/* cmd/common/table.h - a table for a person, as wide as its cells but no wider than the screen.
 *
 * Rows are collected and printed at once.  If the screen is too narrow, names and texts are cut
 * first, down to `least` columns; then the columns with the highest `drop` are removed one by one.
 * Numbers are never cut; their heads are cut to 16 columns. */
#ifndef TFR_CMD_TABLE_H
#define TFR_CMD_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include <tfr-private/error.h>

enum { TABLE_LEAST = 8 };

enum table_kind {
	TABLE_NUMBER, /* right-aligned */
	TABLE_TEXT,   /* left-aligned; loses its end */
	TABLE_PATH,   /* left-aligned; loses its beginning */
};

struct table_column {
	const char *head;
	enum table_kind kind;
	unsigned least; /* never narrower; 0: as wide as its cells, and texts not under TABLE_LEAST
			 */
	unsigned drop;	/* 0: never */
};

struct cmd;
struct table;

/* `columns` must stay valid.  NULL: out of memory; every function below accepts NULL, and
 * table_print() reports it. */
struct table *table_new(const struct table_column *columns, size_t count);
void table_free(struct table *t);

/* Adds the next cell, row by row.  Its text is escaped, and cut after 1 KiB. */
void table_cell(struct table *t, const char *format, ...) TFR_PRINTF(2, 3);
void table_bytes(struct table *t, const void *text, size_t size);
void table_count(struct table *t, uint64_t n);

/* The same without indentation; frees the table, and reports a lack of memory as an error of the
 * command. */
void table_finish(struct cmd *c, struct table *t, FILE *f);

#endif
