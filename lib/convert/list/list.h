/* convert/list/list.h - a list being read: the struct that its parts share.
 *
 * list_rows.c reads rows and sees their values, list_blocks.c does so for a file by all threads,
 * list_features.c makes features of a row, and list.c is the input. */
#ifndef TFR_CONVERT_LIST_LIST_H
#define TFR_CONVERT_LIST_LIST_H

#include "convert/folder/fetch_ahead.h"
#include "convert/input.h"
#include "convert/list/columns.h"
#include "convert/list/csv.h"
#include "convert/list/json_row.h"
#include "convert/list/line_reader.h"
#include "convert/list/row_encoder.h"
#include "io/root.h"

enum tfr_list_format { TFR_LIST_CSV, TFR_LIST_TSV, TFR_LIST_JSONL };

/* The place of a row. */
struct tfr_row {
	uint64_t offset;
	uint32_t size;
	uint32_t line;
};

/* What reads the cells or the members of a row. */
struct tfr_row_reader {
	enum tfr_list_format format;
	struct tfr_csv csv;
	struct tfr_json_row json;
};

struct tfr_list {
	struct tfr_input in;
	const char *path;
	char *prefix;
	int unpacked;		 /* a file with the text of a GZIP file; -1: it is none */
	struct tfr_root *folder; /* where its paths begin; NULL: the current one */
	char *folder_name;	 /* of that, with a slash at its end; NULL: the current folder */
	bool file;		 /* regular: read twice */
	struct tfr_columns columns;
	struct tfr_buf rows_;
	/* For the objects that the next rows name: */
	struct tfr_fetch_ahead ahead;
	struct tfr_list_item *announced; /* its paths are those of ... */
	uint64_t announced_row;		 /* ... the row before this one; 0: none yet */
	/* For reading on, in open() and next(): */
	struct tfr_lines lines;
	struct tfr_row_reader reader;
	struct tfr_row_layout layout; /* of a file without embedded columns */
	struct tfr_buf comment;	      /* the last line with '#' before the header, and its number */
	uint64_t comment_line;	      /* 0: there is none */
};

/* What an item keeps. */
struct tfr_list_item {
	struct tfr_row_reader reader;
	struct tfr_buf text;	    /* its rows */
	struct tfr_records records; /* made of them, where no column is embedded */
	struct tfr_buf rows_;	    /* struct tfr_row, whose offsets are in `text` */
	struct tfr_buf gaps_;	    /* struct tfr_gap */
	struct tfr_buf *paths;	    /* of the columns that are embedded, one each; empty: absent */
	struct tfr_buf *files;	    /* and their bytes, but for the image's */
	size_t n;
};

/* --- list_rows.c --- */

/* Another reader of the rows of the same list. */
struct tfr_row_reader tfr_row_reader_like(const struct tfr_row_reader *r);
void tfr_row_reader_close(struct tfr_row_reader *r);
/* Reads the cells or the members of a row.  TFR_EDATA: what is wrong with it. */
enum tfr_status tfr_row_reader_read(struct tfr_row_reader *r, const struct tfr_columns *columns,
	const char *text, size_t size, struct tfr_error *err);

/* Finds the next row: *text is its lines, a view until the next call, and the cells of a CSV
 * row are in l->reader.  TFR_END: there is none. */
enum tfr_status tfr_list_read_row(struct tfr_list *l, struct tfr_row *row, const char **text,
	size_t *size, struct tfr_error *err);
/* The names of the columns, from the first row. */
enum tfr_status tfr_list_read_header(struct tfr_list *l, struct tfr_error *err);
/* Notes the forms of the values of the row in l->reader, which begins in `line`. */
enum tfr_status tfr_list_see_row(struct tfr_list *l, uint64_t line, struct tfr_error *err);
/* Warns of features that are in no record, since all of their lists are empty. */
void tfr_list_warn_of_empty(struct tfr_list *l);

/* --- list_blocks.c --- */

/* The first reading of a file: its rows, and the kinds of its columns. */
enum tfr_status tfr_list_find_rows(struct tfr_list *l, struct tfr_error *err);

/* --- list_features.c --- */

/* Makes a record of the row in `r`, which has `size` bytes.  False: nothing has changed, and
 * tfr_list_build_row() has to do it, or says what is wrong with the row. */
bool tfr_list_encode_row(struct tfr_row_reader *r, const struct tfr_row_layout *layout, size_t size,
	struct tfr_records *to);
/* Puts the values of the row in `r` into `b`, unless that is NULL, and its paths into `own`.
 * TFR_EDATA: a value does not fit. */
enum tfr_status tfr_list_build_row(struct tfr_list *l, struct tfr_list_item *own,
	struct tfr_row_reader *r, struct tfr_builder *b, struct tfr_error *err);
/* Reads the files of the paths in item->own into features; one that cannot be skips the item. */
enum tfr_status tfr_list_embed_all(struct tfr_list *l, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);

#endif
