/* convert/array/arrays.h - arrays of equally many rows as records: what NPY and HDF5 share.
 *
 * The kind of file opens its arrays, tells their cells and reads rows; here rows are read in
 * blocks, by one thread at a time, and made into features by all. */
#ifndef TFR_CONVERT_ARRAY_ARRAYS_H
#define TFR_CONVERT_ARRAY_ARRAYS_H

#include "convert/array/cells.h"
#include "convert/input.h"

struct tfr_array {
	char *name; /* of the whole, "images" or "a/b": --include and --exclude are about it */
	const char *path; /* of its file; the opts' */
	uint64_t rows;
	size_t row_size; /* bytes, at least 1 */
	/* The rows that are in memory, by number or, where in.order is not NULL, by place there. */
	uint8_t *block;
	uint64_t first, count, most;
	uint64_t unit; /* rows that are read at once with ease; 0: any number */
	void *own;     /* the kind's */
};

struct tfr_arrays {
	struct tfr_input in;
	struct tfr_buf arrays_, cells_;
	struct tfr_array *arrays; /* all of them, after tfr_arrays_ready() */
	struct tfr_cells *cells;
	size_t n, n_cells;
	const uint32_t *order; /* in.order when the blocks were read */
	uint64_t rows, next;   /* `next` of a stream */
	size_t row_size;       /* of all arrays together */
	bool texts;	       /* there are cells of TFR_CELL_TEXT */
	char *prefix;
	bool reads_ordered; /* `first` is a place where `order` is not NULL; else a row */
	/* Reads `count` rows from `first` on: in any order, or, where in.items is TFR_STREAM, one
	 * after the other.  Texts that cells point at stay until the array is read from again. */
	enum tfr_status (*read)(struct tfr_arrays *a, struct tfr_array *array, uint64_t first,
		uint64_t count, uint8_t *into, struct tfr_error *err);
	void (*release)(void *own);
};

/* Whether --include and --exclude take the array of this name. */
bool tfr_arrays_wants(const struct tfr_convert_opts *opts, const char *name);
/* Adds an array whose cells follow, and gives it; the name is copied.  NULL: out of memory. */
struct tfr_array *tfr_arrays_add(
	struct tfr_arrays *a, const char *name, const char *path, uint64_t rows, size_t row_size);
/* Adds cells of the array that was added last; the name is copied.  False: out of memory. */
bool tfr_arrays_add_cells(struct tfr_arrays *a, const char *name, const struct tfr_cells *cells);
/* When all are there: holds them to one number of rows and to names of their own, and makes what
 * opts->types says of them.  Warns of floats that are rounded. */
enum tfr_status tfr_arrays_ready(struct tfr_arrays *a, struct tfr_error *err);

/* For the kind's tfr_input_ops. */
enum tfr_status tfr_arrays_check(const struct tfr_convert_opts *opts, struct tfr_error *err);
enum tfr_status tfr_arrays_next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err);
enum tfr_status tfr_arrays_load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
void tfr_arrays_clear(struct tfr_arrays *a);

#endif
