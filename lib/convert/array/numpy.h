/* convert/array/numpy.h - the common part of NPY files and members of NPZ archives. */
#ifndef TFR_CONVERT_ARRAY_NUMPY_H
#define TFR_CONVERT_ARRAY_NUMPY_H

#include "convert/archive/members.h"
#include "convert/array/arrays.h"
#include "convert/array/npy.h"

/* The source of an array: one of the two. */
struct tfr_numpy {
	int fd;			    /* -1: none */
	struct tfr_archive *member; /* positioned at the array; NULL: none */
	struct tfr_buf ahead;	    /* of a member: read and not used yet */
	uint64_t place;		    /* of its first row in the file */
	struct tfr_npy h;
};

/* Whether the rows are spread over the array. */
static inline bool tfr_numpy_scattered(const struct tfr_numpy *o)
{
	return o->h.fortran && o->h.n_dims > 1;
}

void tfr_numpy_release(void *own);
/* Adds the array of a parsed header; `o` belongs to the array from now on, even on failure.
 * `alone`: its fields are features with their own names. */
enum tfr_status tfr_numpy_add(struct tfr_arrays *a, const char *name, const char *path,
	struct tfr_numpy *o, bool alone, struct tfr_error *err);
/* Fails with the fault of a header. */
enum tfr_status tfr_numpy_bad_header(
	const char *name, const char *path, const struct tfr_error *why, struct tfr_error *err);
enum tfr_status tfr_numpy_cut_short(const struct tfr_array *array, struct tfr_error *err);

/* Adds the wanted arrays of an archive.  It is a stream, unless the rows are shuffled. */
enum tfr_status tfr_npz_open(struct tfr_arrays *a, const char *path, struct tfr_error *err);
/* Reads the next bytes of an array; no bytes may follow the last ones. */
enum tfr_status tfr_npz_read(
	struct tfr_array *array, uint8_t *into, size_t size, bool last, struct tfr_error *err);
/* Unpacks an array that has not been read yet; afterwards it has a file. */
enum tfr_status tfr_npz_unpack(
	const struct tfr_convert_opts *opts, struct tfr_array *array, struct tfr_error *err);

#endif
