/* convert/array/arrays.h - shared by the files of array/, which make records of the rows of arrays.
 *
 * An array has rows of elements of one kind, as in NumPy and HDF5; an element of a structured
 * array has fields, each of which becomes a feature.  Record k is row k of every array.  The kind
 * of file (numpy.c, hdf5.c) opens its arrays, describes their cells and reads rows; arrays.c reads
 * them in blocks, by one thread at a time, and makes features on all threads. */
#ifndef TFR_CONVERT_ARRAY_ARRAYS_H
#define TFR_CONVERT_ARRAY_ARRAYS_H

#include <sys/types.h>

#include "convert/hdf5_protocol.h"
#include "convert/input.h"

/* --- cells.c: the bytes of a row as values of a feature --- */

enum { TFR_CELL_DIMS = 32 /* of a row at most: the limit of NumPy and HDF5 */ };

/* The values of one feature in a row: `outer` groups of `inner` adjacent values. */
struct tfr_cells {
	size_t array; /* the number of the array */
	char *name;
	char *shape_name; /* of the feature with the row's shape; NULL: the length is enough */
	enum tfr_cell_type cell;
	unsigned size; /* bytes of one */
	bool swapped;  /* big-endian */
	enum tfr_kind kind;
	bool raw;  /* the row's bytes, little-endian, are one value */
	size_t at; /* of the first in the row's bytes */
	size_t outer, stride, inner;
	uint64_t shape[TFR_CELL_DIMS];
	unsigned dims;
};

/* Puts the feature of a row into `b`.  `scratch` is working memory.  TFR_EDATA: the feature
 * cannot hold a value. */
enum tfr_status tfr_cells_put(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err);
/* The default kind of the feature. */
enum tfr_kind tfr_cell_kind(enum tfr_cell_type cell);
/* Whether a cell of the type can have this size. */
bool tfr_cell_has_size(enum tfr_cell_type cell, unsigned size);
/* Sets the kind that --types names.  TFR_EUSAGE: the values cannot have it. */
enum tfr_status tfr_cells_become(struct tfr_cells *c, enum tfr_kind kind, struct tfr_error *err);
/* Makes the cells of an element, whose dimensions are its own, those of a row: of `n` dimensions,
 * with elements of so many bytes. */
void tfr_cells_extend(struct tfr_cells *c, const uint64_t *dims, unsigned n, size_t element);
/* A float of 2 bytes. */
float tfr_half(uint16_t bits);

/* `size` times all dimensions; UINT64_MAX: more than that. */
static inline uint64_t tfr_dims_product(uint64_t size, const uint64_t *dims, unsigned n)
{
	for (unsigned d = 0; d < n; d++)
		if (__builtin_mul_overflow(size, dims[d], &size))
			size = UINT64_MAX;
	return size;
}

/* --- npy.c: the header of an NPY file --- */

enum { TFR_NPY_START = 12 /* bytes that contain the length of the header */ };

struct tfr_npy {
	uint64_t dims[TFR_CELL_DIMS]; /* the first one is the rows */
	unsigned n_dims;
	bool fortran;
	bool structured;
	bool single;	/* a value without dimensions, which is refused */
	size_t element; /* bytes */
	/* Of a row; the name is that of the field, or NULL where an element has no fields. */
	struct tfr_cells *fields;
	size_t n_fields;
};

bool tfr_npy_recognises(const uint8_t *head, size_t size);
/* Returns the number of bytes before the array, from the first TFR_NPY_START bytes.  TFR_EDATA. */
enum tfr_status tfr_npy_start(
	const uint8_t *head, size_t size, size_t *header, struct tfr_error *err);
/* Parses the complete header.  TFR_EDATA: it is malformed, or has a type that Examples cannot
 * hold; the message says which. */
enum tfr_status tfr_npy_parse(
	struct tfr_npy *h, const uint8_t *data, size_t size, struct tfr_error *err);
void tfr_npy_clear(struct tfr_npy *h);

/* --- arrays.c: rows as records --- */

/* An array; the first member of each kind's own struct. */
struct tfr_array {
	char *name; /* of the complete array, "images" or "a/b": for --include and --exclude */
	const char *path; /* of its file; the opts' */
	uint64_t rows;
	size_t row_size; /* bytes, at least 1 */
	bool texts;	 /* its cells are of TFR_CELL_TEXT */
	/* The rows in memory, by number or, if in.order is not NULL, by position in it. */
	uint8_t *block;
	uint64_t first, count, most;
	uint64_t unit; /* rows that are efficient to read at once; 0: any number */
};

struct tfr_arrays {
	struct tfr_input in;
	struct tfr_array **arrays;
	struct tfr_cells *cells; /* in the order of the arrays */
	size_t n, n_cells;
	uint64_t memory;
	const uint32_t *order; /* in.order when the blocks were read */
	uint64_t rows, next;   /* `next` of a stream */
	size_t row_size;       /* of all arrays together */
	bool texts;	       /* there are cells of TFR_CELL_TEXT */
	char *prefix;
	/* Reads `count` rows into array->block, from `first` on, which is a position in
	 * `order` if that is not NULL.  If in.items is TFR_STREAM, rows are read one after the
	 * other. Texts that cells point to are valid until the array is read again. */
	enum tfr_status (*read)(struct tfr_arrays *a, struct tfr_array *array, uint64_t first,
		uint64_t count, struct tfr_error *err);
	void (*release)(struct tfr_array *array); /* the kind's part of an array */
};

/* Opens an input whose struct has `size` bytes and begins with struct tfr_arrays; its `read` and
 * `release` are set by the caller.  Refuses options that have no effect on arrays. */
enum tfr_status tfr_arrays_open(struct tfr_input **in, size_t size, const struct tfr_input_ops *ops,
	const struct tfr_convert_opts *opts, struct tfr_error *err);
/* Whether --include and --exclude take the array of this name. */
bool tfr_arrays_wants(const struct tfr_arrays *a, const char *name);
/* Adds an array, whose struct has `size` bytes, to be filled.  NULL: out of memory. */
void *tfr_arrays_add(struct tfr_arrays *a, size_t size, const char *path);
/* Removes the last array, which has no cells yet. */
void tfr_arrays_drop(struct tfr_arrays *a);
/* Adds cells to the last array; the name is copied.  False: out of memory. */
bool tfr_arrays_add_cells(struct tfr_arrays *a, const char *name, const struct tfr_cells *cells);
/* Called after all arrays are added: checks that they have the same number of rows and different
 * names, and applies opts->tables.types.  Warns of floats that are rounded. */
enum tfr_status tfr_arrays_ready(struct tfr_arrays *a, struct tfr_error *err);

/* For the kind's tfr_input_ops. */
enum tfr_status tfr_arrays_next(struct tfr_input *in, struct tfr_item *item,
	const struct tfr_room *room, struct tfr_error *err);
enum tfr_status tfr_arrays_load(struct tfr_input *in, struct tfr_item *item,
	struct tfr_workbench *bench, const struct tfr_room *room, struct tfr_error *err);
void tfr_arrays_close(struct tfr_input *in);

/* --- hdf5_helper.c: the helper program tfr-read-hdf5 --- */

/* Everything that the helper sends is checked.  If it ends, crashes or takes too long, that
 * becomes an error about the file. */
struct tfr_hdf5_helper {
	/* Set by the caller: */
	const char *path; /* of the file */
	uint64_t memory;
	bool any_order, no_sandbox;
	const char *program; /* NULL: where it was installed or built */
	uint64_t seconds;    /* of processor time for one request; 0: the usual */
	int socket;	     /* -1: not started */

	pid_t pid;		     /* 0: no process, or it has ended */
	bool ready;		     /* it has started */
	uint64_t until;		     /* the processor time at which it is killed */
	struct tfr_hdf5_reply reply; /* the head of the last one */
};

/* Starts the helper, which reads the open `file`.  TFR_EUNAVAILABLE: it is missing, or the system
 * has no sandbox. */
enum tfr_status tfr_hdf5_start(struct tfr_hdf5_helper *h, int file, struct tfr_error *err);
/* The path of the next data set.  TFR_END: there are no more. */
enum tfr_status tfr_hdf5_next(
	struct tfr_hdf5_helper *h, char name[TFR_HDF5_NAME], struct tfr_error *err);
/* Opens the last named data set; its number is one more than that of the previous one.  `set` is
 * plausible: a row has at least one byte and at most TFR_ITEM_MOST.  The helper may use more
 * memory, by four rows. */
enum tfr_status tfr_hdf5_open(struct tfr_hdf5_helper *h, const char *name, struct tfr_hdf5_set *set,
	struct tfr_error *err);
/* Requests rows.  Before any other request, tfr_hdf5_rows() must receive them.  `numbers` are those
 * of a PICK.  `bytes`, the bytes to read for them, sets the time limit. */
void tfr_hdf5_ask(struct tfr_hdf5_helper *h, const struct tfr_hdf5_request *request,
	const uint32_t *numbers, uint64_t bytes);
/* Receives rows of exactly `size` bytes; `into` NULL: drops them.  `name` is for messages.  If
 * `text` is not NULL, the rows are texts: their bytes replace those in `text`, and struct tfr_bytes
 * for them go to `into`. */
enum tfr_status tfr_hdf5_rows(struct tfr_hdf5_helper *h, const char *name, uint8_t *into,
	size_t size, struct tfr_buf *text, struct tfr_error *err);
void tfr_hdf5_stop(struct tfr_hdf5_helper *h);

#endif
