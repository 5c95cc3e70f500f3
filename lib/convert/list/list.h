/* convert/list/list.h - a list being read: the struct that its parts share.
 *
 * list_rows.c reads rows and sees their values, list_blocks.c does so for a file by all threads,
 * list_features.c makes features of a row, and list.c is the input. */
#ifndef TFR_CONVERT_LIST_LIST_H
#define TFR_CONVERT_LIST_LIST_H

#include "convert/input.h"
#include "convert/list/columns.h"
#include "convert/list/csv.h"
#include "convert/list/jsonl.h"
#include "convert/list/line_reader.h"
#include "convert/list/plain_rows.h"

enum tfr_list_format { TFR_LIST_CSV, TFR_LIST_TSV, TFR_LIST_RAW_TSV, TFR_LIST_JSONL };

/* The place of a row. */
struct tfr_row {
	uint64_t offset;
	uint32_t size;
	uint32_t line;
};

struct tfr_list {
	struct tfr_input in;
	enum tfr_list_format format;
	const char *path;
	char *prefix;
	int folder;	   /* where its paths begin; AT_FDCWD for a pipe */
	char *folder_name; /* of that, with a slash at its end; NULL: the current folder */
	bool file;	   /* regular: read twice */
	bool careful;	   /* json-c reads every row: for tests, which compare the two ways */
	struct tfr_columns columns;
	struct tfr_buf rows_;
	/* For reading on, in open() and next(): */
	struct tfr_lines lines;
	struct tfr_csv csv;
	struct tfr_jsonl json;
	struct tfr_plain_reader plain;
	struct tfr_row_layout layout; /* of a file without embedded columns */
	struct tfr_buf text;	/* a row of several lines */
	struct tfr_buf comment; /* the last line with '#' before the header, its number, and ... */
	uint64_t comment_line;	/* 0: there is none */
	struct tfr_row first;	/* ... the row after it, which is returned again */
	const char *first_text;
	bool have_first;
};

/* What an item keeps. */
struct tfr_list_item {
	struct tfr_csv csv;
	struct tfr_jsonl json;
	struct tfr_buf text; /* its rows */
	struct tfr_plain_reader plain;
	struct tfr_records records; /* made of them, where no column is embedded */
	struct tfr_buf rows_;	    /* struct tfr_row, whose offsets are in `text` */
	struct tfr_buf gaps_;	    /* struct tfr_gap */
	struct tfr_buf seen; /* the number of the last row of each column that is in the builder */
	uint64_t row;	     /* of these numbers */
	struct tfr_buf *paths; /* of the columns that are embedded, one each; empty: absent */
	struct tfr_buf *files; /* and their bytes, but for the image's */
	size_t n;
};

/* --- list_rows.c --- */

/* The form of the cells; not of JSON lines. */
static inline enum tfr_csv_form tfr_list_form(const struct tfr_list *l)
{
	return l->format == TFR_LIST_CSV   ? TFR_CSV_COMMAS
	       : l->format == TFR_LIST_TSV ? TFR_CSV_TABS
					   : TFR_CSV_RAW_TABS;
}

/* Reads the next row: *text is its lines, a view until the next call, and the cells of a CSV
 * row are in l->csv.  TFR_END: there is none. */
enum tfr_status tfr_list_read_row(struct tfr_list *l, struct tfr_row *row, const char **text,
	size_t *size, struct tfr_error *err);
/* The names of the columns, from the first row. */
enum tfr_status tfr_list_read_header(struct tfr_list *l, struct tfr_error *err);
/* Notes the forms of the values of a row.  A row that cannot be parsed is passed over. */
enum tfr_status tfr_list_see_row(struct tfr_list *l, const struct tfr_row *row, const char *text,
	size_t size, struct tfr_error *err);
/* Warns of features that are in no record, since all of their lists are empty. */
void tfr_list_warn_of_empty(struct tfr_list *l);

/* --- list_blocks.c --- */

/* The first reading of a file: its rows, and the kinds of its columns. */
enum tfr_status tfr_list_find_rows(struct tfr_list *l, struct tfr_error *err);

/* --- list_features.c --- */

/* Puts a row's values into `b`, and its paths into `own`.  TFR_EDATA: a value does not fit. */
enum tfr_status tfr_list_put_cells(struct tfr_list *l, struct tfr_list_item *own,
	const struct tfr_csv *csv, struct tfr_builder *b, struct tfr_error *err);
enum tfr_status tfr_list_put_object(struct tfr_list *l, struct tfr_list_item *own,
	struct tfr_jsonl *json, struct tfr_builder *b, struct tfr_error *err);
/* Reads the files of the paths in item->own into features; one that cannot be skips the item. */
enum tfr_status tfr_list_embed_all(struct tfr_list *l, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);

#endif
