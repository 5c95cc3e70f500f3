/* convert/list/columns.h - the columns of a list: each is a feature, and each has one kind.
 *
 * Readers declare the kind of a feature once for a set, so that a column has one kind.  The user
 * gives it, or it follows from all values if the list can be read twice, else from the first value.
 */
#ifndef TFR_CONVERT_LIST_COLUMNS_H
#define TFR_CONVERT_LIST_COLUMNS_H

#include <string.h>

#include "base/hash_index.h"
#include "convert/item.h"
#include "convert/number_text.h"

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
	size_t embed;			 /* its place in opts->tables.embeds, or TFR_NO_EMBED */
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
	const struct tfr_convert_opts *opts;
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
/* Notes values of these looks in `line`. */
void tfr_column_see(struct tfr_list_column *col, unsigned looks, uint64_t line);
/* Notes a value of one of TFR_LOOK_MISFITS. */
void tfr_column_see_misfit(
	struct tfr_list_column *col, unsigned looks, const char *text, size_t size, uint64_t line);
/* Decides the kind by the values seen.  TFR_EDATA: the kind cannot hold one of the numbers.
 * `texts`: all values are texts, of which some look like numbers (CSV); otherwise a column of both
 * is TFR_EDATA. */
enum tfr_status tfr_column_decide(
	struct tfr_list_column *col, bool texts, const char *path, struct tfr_error *err);
/* TFR_EUSAGE: a column that opts names does not exist. */
enum tfr_status tfr_columns_check(
	const struct tfr_columns *c, const char *path, struct tfr_error *err);
void tfr_columns_clear(struct tfr_columns *c);

#endif
