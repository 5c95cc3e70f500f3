/* batches.h - what the files of batches share.
 *
 * A block is the memory of one batch.  All that shows some of it counts as a reference: batches,
 * tensors, DLPack's and Arrow's structures.  The count is atomic and freeing needs no interpreter,
 * so that a consumer in any thread may drop its reference at any time. */
#ifndef TFRKIT_BATCHES_H
#define TFRKIT_BATCHES_H

#include "core.h"

#include <stdatomic.h>

#include <tfr/pipeline.h>

struct tfrkit_block {
	atomic_size_t references;
	/* NULL as long as the pipeline owns the memory: until the next batch is asked for. */
	void *memory;
	struct tfr_batch_parser *parser; /* which owns it where there is no pipeline */
	struct tfr_batch batch;
};

static inline struct tfrkit_block *tfrkit_block_ref(struct tfrkit_block *b)
{
	atomic_fetch_add(&b->references, 1);
	return b;
}

void tfrkit_block_unref(struct tfrkit_block *b); /* accepts NULL */

/* What libtfr does not know of a feature, and the value that pads its rows. */
struct tfrkit_feature {
	bool text;	       /* its bytes are UTF-8, and strings for Arrow */
	struct tfr_bytes fill; /* of a feature of bytes */
};

/* The features that a pipeline was asked for; never changes. */
struct tfrkit_features {
	PyObject_HEAD struct tfr_batch_feature *list;
	struct tfrkit_feature *more;
	PyObject *given; /* has the bytes of all fills */
	size_t count;
};

struct tfrkit_batch {
	PyObject_HEAD struct tfrkit_features *features;
	struct tfrkit_block *block;
	PyObject *columns; /* where each feature is among the tensors; shared by all batches */
	PyTypeObject *tensor_type;
	struct tfr_tensor *tensors; /* block->batch.tensor_count of them; their names are unset */
};

/* batch.c: a batch of that type, which refers to the block and copies its tensors */
struct tfrkit_batch *tfrkit_batch_new(PyTypeObject *type, PyTypeObject *tensor_type,
	PyObject *features, PyObject *columns, struct tfrkit_block *block);

/* arrow.c: methods of a batch, of features and of an iterator */
PyObject *tfrkit_arrow_array(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *tfrkit_arrow_schema(PyObject *self, PyObject *unused);
PyObject *tfrkit_arrow_stream(PyObject *self, PyObject *args, PyObject *kwargs);

/* batches.c: the next batch of an iterator; NULL without an exception: the end */
struct tfrkit_batch *tfrkit_batches_next(PyObject *self);
struct tfrkit_features *tfrkit_batches_features(PyObject *self);

#endif
