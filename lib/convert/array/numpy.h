/* convert/array/numpy.h - what NPY files and the members of NPZ archives share. */
#ifndef TFR_CONVERT_ARRAY_NUMPY_H
#define TFR_CONVERT_ARRAY_NUMPY_H

#include "convert/archive/members.h"
#include "convert/array/arrays.h"
#include "convert/array/npy.h"

/* Where an array comes from: one of the two. */
struct tfr_numpy {
	int fd;			    /* -1: none */
	struct tfr_archive *member; /* that the array has been come to; NULL: none */
	struct tfr_buf ahead;	    /* of a member: read and not taken */
	uint64_t place;		    /* of its first row in the file */
	struct tfr_npy h;
};

/* Whether rows lie all over the array. */
static inline bool tfr_numpy_scattered(const struct tfr_numpy *o)
{
	return o->h.fortran && o->h.n_dims > 1;
}

void tfr_numpy_release(void *own);
/* Adds the array of a header that was read; `o` becomes the array's, on failure too.  `alone`: its
 * fields are features by their own names. */
enum tfr_status tfr_numpy_add(struct tfr_arrays *a, const char *name, const char *path,
	struct tfr_numpy *o, bool alone, struct tfr_error *err);
/* Fails with what is wrong with a header. */
enum tfr_status tfr_numpy_bad_header(
	const char *name, const char *path, const struct tfr_error *why, struct tfr_error *err);
enum tfr_status tfr_numpy_cut_short(const struct tfr_array *array, struct tfr_error *err);

/* Adds the wanted arrays of an archive, which is a stream unless the rows are shuffled. */
enum tfr_status tfr_npz_open(struct tfr_arrays *a, const char *path, struct tfr_error *err);
/* Reads the next bytes of an array; behind the last ones there must be none. */
enum tfr_status tfr_npz_read(
	struct tfr_array *array, uint8_t *into, size_t size, bool last, struct tfr_error *err);
/* Unpacks an array of which nothing was read: it has a file from then on. */
enum tfr_status tfr_npz_unpack(
	const struct tfr_convert_opts *opts, struct tfr_array *array, struct tfr_error *err);

#endif
