/* convert/list/list.h - CSV, TSV and JSON lines: what the files of this room share.
 *
 * A row is read by csv.c or json_row.c into cells or members.  columns.c decides the kind of each
 * column by the forms of its values.  list_rows.c finds rows and notes those forms, list_blocks.c
 * does so for a file by all threads, list_features.c makes a record of a row, and list.c is the
 * input. */
#ifndef TFR_CONVERT_LIST_LIST_H
#define TFR_CONVERT_LIST_LIST_H

#include <string.h>

#include "base/hash_index.h"
#include "convert/folder/fetch_ahead.h"
#include "convert/input.h"
#include "convert/item.h"
#include "convert/json_tape.h"
#include "convert/list/line_reader.h"
#include "convert/number_text.h"
#include "io/root.h"

/* --- columns.c: the columns of a list ---
 *
 * Each is a feature.  Readers declare the kind of a feature once for a set, so that a column has
 * one kind.  The user gives it, or it follows from all values if the list can be read twice, else
 * from the first value. */

/* The forms of values. */
enum tfr_look {
	TFR_LOOK_INT = 1,     /* an integer that int64 holds, written as C would */
	TFR_LOOK_FLOAT = 2,   /* another finite number */
	TFR_LOOK_SPECIAL = 4, /* nan or infinity as a text: a number among numbers */
	TFR_LOOK_TEXT = 8,
	TFR_LOOK_BIG = 16,  /* an integer beyond int64 */
	TFR_LOOK_HUGE = 32, /* another number, beyond float32 */
	TFR_LOOK_NA = 64,   /* a text that often stands for a missing number, such as NA */
};

enum {
	TFR_LOOK_OVER = TFR_LOOK_BIG | TFR_LOOK_HUGE,
	TFR_LOOK_MISFITS = TFR_LOOK_OVER | TFR_LOOK_NA,
	TFR_LOOK_NUMBERS = TFR_LOOK_INT | TFR_LOOK_FLOAT | TFR_LOOK_OVER,
};

/* The first value of its look, shortened. */
struct tfr_misfit {
	uint64_t line; /* 0: there is none */
	char text[48];
};

struct tfr_list_column {
	char *name;
	enum tfr_kind kind; /* TFR_KIND_UNSET: no value was seen yet */
	bool given;	    /* the kind is the user's */
	bool empty;	    /* it has had an empty list */
	bool unfit;	/* it has had a value that no feature can hold, such as a list of lists */
	unsigned looks; /* of the values seen */
	uint64_t number_line, text_line; /* where the first of each was */
	struct tfr_misfit misfits[3];	 /* beyond int64, beyond float32, TFR_LOOK_NA */
	uint64_t absent;		 /* cells without a value */
	size_t embed; /* its place in the embeds of its tables, or TFR_NO_EMBED */
};

#define TFR_NO_EMBED SIZE_MAX

static inline bool tfr_embed_is_image(const struct tfr_embed *e)
{
	return !strcmp(e->feature, "image/encoded");
}

static inline bool tfr_embed_is_audio(const struct tfr_embed *e)
{
	return !strcmp(e->feature, "audio/encoded");
}

struct tfr_columns {
	const struct tfr_convert_tables *tables;
	struct tfr_list_column *list;
	size_t n, cap;
	struct tfr_hash_index index; /* by name */
	size_t guess;		     /* where the next find() looks first: columns come in order */
};

/* The column of this name, which is added if there is none.  NULL: out of memory. */
struct tfr_list_column *tfr_columns_add(struct tfr_columns *c, const char *name, size_t size);
/* NULL: there is none.  The search begins at *guess, which is set for the next call. */
const struct tfr_list_column *tfr_columns_find(
	const struct tfr_columns *c, const char *name, size_t size, size_t *guess);
/* The form of a text. */
enum tfr_look tfr_look_at(const char *text, size_t size);
/* Notes values of these looks in `line`; one of TFR_LOOK_MISFITS is the text. */
void tfr_column_see(
	struct tfr_list_column *col, unsigned looks, const char *text, size_t size, uint64_t line);
/* Decides the kind by the values seen.  TFR_EDATA: the kind cannot hold one of the numbers.
 * `texts`: all values are texts, of which some look like numbers (CSV); otherwise a column of both
 * is TFR_EDATA. */
enum tfr_status tfr_column_decide(
	struct tfr_list_column *col, bool texts, const char *path, struct tfr_error *err);
/* Marks the columns that are embedded now. */
void tfr_columns_embed(struct tfr_columns *c);
/* TFR_EUSAGE: a column that its tables name does not exist. */
enum tfr_status tfr_columns_check(
	const struct tfr_columns *c, const char *path, struct tfr_error *err);
void tfr_columns_clear(struct tfr_columns *c);

/* --- csv.c: the cells of a row ---
 *
 * They are separated by a delimiter and quoted as Python's csv module and pandas read them.  A
 * quote at the beginning of a cell opens a quoted text, which ends at the next quote that is not
 * doubled; a doubled quote is one character.  Any other quote is an ordinary character: RFC 4180
 * does not define it, and many files have cells such as 5". */

struct tfr_cell {
	uint32_t at, size; /* in c->base */
	bool absent;	   /* nothing between two separators, not even quotes, or one of `na` */
};

/* Initialize with { .delimiter = ',' }; `careful` and `na` are optional. */
struct tfr_csv {
	char delimiter;
	bool careful;	/* every row cell by cell: after CR as line end, and in tests */
	const char *na; /* the texts of cells without a value, with commas between them; or NULL */
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

/* --- json_row.c: the members of a row of JSON lines ---
 *
 * A member is a number, a text, true, false, null or an array of these.  An object
 * {"base64": TEXT} is bytes, as 'tfr show --json --bytes base64' prints them.  The members of any
 * other object are features under "NAME/MEMBER".  An object {"bytes": INTEGER, "type": ...}
 * describes bytes that 'tfr show --json' left out. */

struct tfr_json_member {
	const struct tfr_token *name; /* without the names around it */
	const struct tfr_token *value;
	size_t parent; /* 1 + the number of the member that it is in; 0: none */
	size_t column; /* SIZE_MAX: it has none */
};

/* Where a column is in a row. */
struct tfr_slot {
	uint64_t row;  /* the last one that has the column */
	size_t member; /* its number there */
};

/* What reading rows keeps from row to row; zero-initialised. */
struct tfr_json_row {
	struct tfr_tape tape;
	struct tfr_buf members_; /* struct tfr_json_member, each after the one that it is in */
	size_t n;
	struct tfr_buf slots_;	     /* a struct tfr_slot for each column */
	uint64_t row;		     /* the number of the row at hand, from 1 */
	bool twice;		     /* two members of the row belong to one column */
	size_t guess;		     /* for tfr_columns_find() */
	struct tfr_buf name;	     /* a name with those of the objects around it */
	struct tfr_buf names_;	     /* of members, to be compared */
	struct tfr_buf values, data; /* of the list under way, and the bytes that they view */
};

void tfr_json_row_clear(struct tfr_json_row *r);

/* Scans a line and finds the columns of its features.  The members are valid until the next call
 * and as long as the line.  TFR_EDATA: what is wrong with the line. */
enum tfr_status tfr_json_row_read(struct tfr_json_row *r, const struct tfr_columns *columns,
	const char *line, size_t size, struct tfr_error *err);

static inline struct tfr_json_member *tfr_json_row_members(const struct tfr_json_row *r)
{
	return (struct tfr_json_member *)(void *)r->members_.data;
}

/* Whether a member is a feature and not null. */
static inline bool tfr_json_member_has(const struct tfr_json_member *m)
{
	return m->value->type != TFR_TOKEN_NULL && m->value->type != TFR_TOKEN_OBJECT;
}

/* Whether it is an array without a value. */
static inline bool tfr_json_member_is_empty(const struct tfr_json_member *m)
{
	return m->value->type == TFR_TOKEN_ARRAY && !m->value->n;
}

/* How many values a feature has; *first: the first of them. */
static inline size_t tfr_json_member_values(
	const struct tfr_json_member *m, const struct tfr_token **first)
{
	bool array = m->value->type == TFR_TOKEN_ARRAY;

	*first = m->value + array;
	return array ? m->value->n : 1;
}

/* The name of a feature, *size bytes, valid until the next call.  NULL: out of memory. */
const char *tfr_json_row_name(
	struct tfr_json_row *r, const struct tfr_json_member *m, size_t *size);
/* Gives a member its column.  False: out of memory. */
bool tfr_json_row_place(struct tfr_json_row *r, struct tfr_json_member *m, size_t column);
/* The member of a column; NULL: there is none. */
static inline const struct tfr_json_member *tfr_json_row_member(
	const struct tfr_json_row *r, size_t column)
{
	const struct tfr_slot *slot =
		(const struct tfr_slot *)(const void *)r->slots_.data + column;

	return (column + 1) * sizeof(*slot) <= r->slots_.size && slot->row == r->row
		       ? &tfr_json_row_members(r)[slot->member]
		       : NULL;
}

/* What the values of a feature look like; 0: an empty array, or values that no feature can hold.
 * *misfit: one of TFR_LOOK_MISFITS, beyond float32 if there is one; NULL: there is none. */
unsigned tfr_json_member_looks(const struct tfr_json_member *m, const struct tfr_token **misfit);
/* The *n values of a feature as its column has them: int64_t, float or struct tfr_bytes, valid
 * until the next call.  TFR_EDATA: one does not fit. */
enum tfr_status tfr_json_row_values(struct tfr_json_row *r, const struct tfr_json_member *m,
	const struct tfr_list_column *col, const void **values, size_t *n, struct tfr_error *err);

/* --- list_features.c: records in place --- */

/* How the features of a list are written, which its columns decide; shared by all threads. */
struct tfr_row_layout {
	const struct tfr_columns *columns;
	struct tfr_buf order_; /* of the columns, sorted by name */
	struct tfr_buf heads;  /* the bytes of each column that come before its values */
	size_t bound;	       /* bytes that a row needs besides its values, at most */
};

/* False: out of memory. */
bool tfr_row_layout_init(struct tfr_row_layout *l, const struct tfr_columns *columns);
void tfr_row_layout_clear(struct tfr_row_layout *l);

/* Records one after another, each with its framing. */
struct tfr_records {
	struct tfr_buf data;
	struct tfr_buf sums; /* uint64_t, tfr_content_sum() of each payload */
	size_t begin;	     /* of the record under way */
	size_t room;	     /* its end may not be after this */
};

void tfr_records_clear(struct tfr_records *r);
/* Adds a complete payload.  False: out of memory. */
bool tfr_records_add(struct tfr_records *r, const void *payload, size_t size);

/* --- the list --- */

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
	/* Of the columns that are embedded, n of them: */
	struct {
		struct tfr_buf path; /* empty: absent */
		struct tfr_buf file; /* its bytes, but for the image's */
	} * embedded;
	size_t n;
};

static inline enum tfr_status tfr_list_append(
	struct tfr_buf *to, const void *bytes, size_t n, struct tfr_error *err)
{
	return tfr_buf_append(to, bytes, n) ? TFR_OK : tfr_fail_nomem(err, "reading a list");
}

/* --- list.c --- */

/* Opens a list of another input: the file `path`, whose bytes are in `source` and whose paths begin
 * in `folder`, both of which are the list's from now on. */
enum tfr_status tfr_list_open(struct tfr_input **in, const struct tfr_input_ops *ops,
	const struct tfr_convert_opts *opts, const char *path, struct tfr_source *source,
	struct tfr_root *folder, struct tfr_error *err);
/* Embeds other columns from now on: those of `tables`, whose other members are the same, and which
 * must outlive the list. */
enum tfr_status tfr_list_embed(
	struct tfr_list *l, const struct tfr_convert_tables *tables, struct tfr_error *err);

/* --- list_rows.c --- */

/* Frees what reading rows keeps. */
void tfr_list_clear_reading(struct tfr_list *l);

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
