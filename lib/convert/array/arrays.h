/* convert/array/arrays.h - arrays with equally many rows as records: the common part of NPY and
 * HDF5.
 *
 * The kind of file opens its arrays, describes their cells and reads rows.  This part reads rows
 * in blocks, by one thread at a time, and makes features on all threads. */
#ifndef TFR_CONVERT_ARRAY_ARRAYS_H
#define TFR_CONVERT_ARRAY_ARRAYS_H

#include "convert/array/cells.h"
#include "convert/input.h"

struct tfr_array {
	char *name; /* of the complete array, "images" or "a/b": for --include and --exclude */
	const char *path; /* of its file; the opts' */
	uint64_t rows;
	size_t row_size; /* bytes, at least 1 */
	/* The rows in memory, by number or, if in.order is not NULL, by position in it. */
	uint8_t *block;
	uint64_t first, count, most;
	uint64_t unit; /* rows that are efficient to read at once; 0: any number */
	void *own;     /* the data of the kind */
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
	bool reads_ordered; /* `first` is a position if `order` is not NULL, else a row */
	/* Reads `count` rows from `first` on: in any order or, if in.items is TFR_STREAM, one
	 * after the other.  Texts that cells point to are valid until the array is read again. */
	enum tfr_status (*read)(struct tfr_arrays *a, struct tfr_array *array, uint64_t first,
		uint64_t count, uint8_t *into, struct tfr_error *err);
	void (*release)(void *own);
};

/* Whether --include and --exclude take the array of this name. */
bool tfr_arrays_wants(const struct tfr_convert_opts *opts, const char *name);
/* Adds an array, whose cells follow, and returns it; the name is copied.  NULL: out of memory. */
struct tfr_array *tfr_arrays_add(
	struct tfr_arrays *a, const char *name, const char *path, uint64_t rows, size_t row_size);
/* Adds cells to the last array; the name is copied.  False: out of memory. */
bool tfr_arrays_add_cells(struct tfr_arrays *a, const char *name, const struct tfr_cells *cells);
/* Called after all arrays are added: checks that they have the same number of rows and different
 * names, and applies opts->tables.types.  Warns of floats that are rounded. */
enum tfr_status tfr_arrays_ready(struct tfr_arrays *a, struct tfr_error *err);

/* For the kind's tfr_input_ops. */
enum tfr_status tfr_arrays_check(const struct tfr_convert_opts *opts, struct tfr_error *err);
enum tfr_status tfr_arrays_next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err);
enum tfr_status tfr_arrays_load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
void tfr_arrays_clear(struct tfr_arrays *a);

#endif
