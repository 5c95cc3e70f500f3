/* convert/array/npy.h - the header of an NPY file, which describes an array.
 *
 * It is "\x93NUMPY", a version, the length of the header, and the header, a Python dictionary
 * literal: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.  A structured array has
 * a list of fields in place of '<f8' (numpy/lib/format.py). */
#ifndef TFR_CONVERT_ARRAY_NPY_H
#define TFR_CONVERT_ARRAY_NPY_H

#include "convert/array/cells.h"

enum {
	TFR_NPY_START = 12,	  /* bytes that contain the length of the header */
	TFR_NPY_HEADER = 1 << 20, /* the longest header */
	TFR_NPY_FIELDS = 1000,
};

/* A field of every element; an array without fields has one field without a name. */
struct tfr_npy_field {
	size_t name; /* offset in names */
	enum tfr_cell_type cell;
	unsigned size;
	bool swapped;
	size_t at; /* in the element */
	uint64_t dims[TFR_CELL_DIMS];
	unsigned n_dims;
};

struct tfr_npy {
	uint64_t dims[TFR_CELL_DIMS]; /* the first one is the rows */
	unsigned n_dims;
	bool fortran;
	bool structured;
	bool single;	/* a value without dimensions, which is refused */
	size_t element; /* bytes */
	struct tfr_buf names, fields_;
};

static inline const struct tfr_npy_field *tfr_npy_fields(const struct tfr_npy *h)
{
	return (const struct tfr_npy_field *)(const void *)h->fields_.data;
}
static inline size_t tfr_npy_field_count(const struct tfr_npy *h)
{
	return h->fields_.size / sizeof(struct tfr_npy_field);
}

bool tfr_npy_recognises(const uint8_t *head, size_t size);
/* Returns the number of bytes before the array, from the first TFR_NPY_START bytes.  TFR_EDATA. */
enum tfr_status tfr_npy_start(
	const uint8_t *head, size_t size, size_t *header, struct tfr_error *err);
/* Parses the complete header.  TFR_EDATA: it is malformed, or has a type that Examples cannot
 * hold; the message says which. */
enum tfr_status tfr_npy_parse(
	struct tfr_npy *h, const uint8_t *data, size_t size, struct tfr_error *err);
void tfr_npy_clear(struct tfr_npy *h);

#endif
