/* convert/array/cells.h - converts the bytes of a row of an array to values of a feature.
 *
 * An array has rows of elements of one kind, as in NumPy and HDF5; an element of a structured
 * array has fields, each of which becomes a feature. */
#ifndef TFR_CONVERT_ARRAY_CELLS_H
#define TFR_CONVERT_ARRAY_CELLS_H

#include "convert/item.h"

enum tfr_cell_type {
	TFR_CELL_BOOL, /* a byte, not 0: true */
	TFR_CELL_INT,  /* of 1, 2, 4 or 8 bytes */
	TFR_CELL_UINT,
	TFR_CELL_FLOAT, /* of 2, 4 or 8 bytes */
	TFR_CELL_BYTES, /* without NULs at the end, as in NumPy */
	TFR_CELL_UCS4,	/* likewise, with 4 bytes per character */
	TFR_CELL_BLANK, /* bytes without spaces at the end */
	TFR_CELL_FIRST, /* bytes up to the first NUL */
	TFR_CELL_TEXT,	/* struct tfr_bytes, which point to other memory */
};

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
	int64_t shape[TFR_CELL_DIMS];
	unsigned dims;
};

/* Puts the feature of a row into `b`.  `scratch` is working memory.  TFR_EDATA: the feature
 * cannot hold a value. */
enum tfr_status tfr_cells_put(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err);
/* The default kind of the feature. */
enum tfr_kind tfr_cell_kind(enum tfr_cell_type cell);
/* Sets the kind that --types names.  TFR_EUSAGE: the values cannot have it. */
enum tfr_status tfr_cells_become(struct tfr_cells *c, enum tfr_kind kind, struct tfr_error *err);

/* A float of 2 bytes. */
float tfr_half(uint16_t bits);

#endif
