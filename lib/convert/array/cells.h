/* convert/array/cells.h - the bytes of a row of an array as values of a feature.
 *
 * An array is rows of elements of one kind, as NumPy and HDF5 have them; an element of a structured
 * array has fields, each of which is a feature of its own. */
#ifndef TFR_CONVERT_ARRAY_CELLS_H
#define TFR_CONVERT_ARRAY_CELLS_H

#include "convert/item.h"

enum tfr_cell_type {
	TFR_CELL_BOOL, /* a byte, not 0: true */
	TFR_CELL_INT,  /* of 1, 2, 4 or 8 bytes */
	TFR_CELL_UINT,
	TFR_CELL_FLOAT, /* of 2, 4 or 8 bytes */
	TFR_CELL_BYTES, /* NULs at the end are none of it, as NumPy has it */
	TFR_CELL_UCS4,	/* likewise, of 4 bytes a character */
	TFR_CELL_BLANK, /* bytes, spaces at the end are none of it */
	TFR_CELL_FIRST, /* bytes up to the first NUL */
	TFR_CELL_TEXT,	/* struct tfr_bytes, which lie elsewhere */
};

enum { TFR_CELL_DIMS = 32 /* of a row at most: NumPy's and HDF5's own limit */ };

/* The values of one feature in a row: `outer` times `inner` ones that lie side by side. */
struct tfr_cells {
	size_t array; /* which one's, by number */
	char *name;
	char *shape_name; /* of the feature that has the row's shape; NULL: the length says it */
	enum tfr_cell_type cell;
	unsigned size; /* bytes of one */
	bool swapped;  /* big-endian */
	enum tfr_kind kind;
	bool raw;  /* the row's bytes, little-endian, are the only value */
	size_t at; /* of the first in the row's bytes */
	size_t outer, stride, inner;
	int64_t shape[TFR_CELL_DIMS];
	unsigned dims;
};

/* Puts the feature of a row into `b`.  `scratch` is memory to work with.  TFR_EDATA: a value that
 * the feature cannot hold. */
enum tfr_status tfr_cells_put(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err);
/* What `cell` values make, unless it is said otherwise. */
enum tfr_kind tfr_cell_kind(enum tfr_cell_type cell);
/* Makes them of the kind that --types names.  TFR_EUSAGE: they cannot be. */
enum tfr_status tfr_cells_become(struct tfr_cells *c, enum tfr_kind kind, struct tfr_error *err);

/* A float of 2 bytes. */
float tfr_half(uint16_t bits);

#endif
