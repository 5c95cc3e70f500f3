/* dlpack.c - tensors for other libraries, by DLPack (dmlc/dlpack, include/dlpack/dlpack.h).
 *
 * A consumer that names max_version 1.0 or later gets a DLManagedTensorVersioned in a capsule
 * "dltensor_versioned", others a DLManagedTensor in "dltensor".  A consumer that takes the tensor
 * renames the capsule; otherwise its destructor calls the deleter. */
#include "batches.h"

#include <stdlib.h>

enum { CPU = 1 };
enum { CODE_INT = 0, CODE_UINT = 1, CODE_FLOAT = 2, CODE_BFLOAT = 4 };

struct dl_tensor {
	void *data;
	struct {
		int32_t type, id;
	} device;
	int32_t ndim;
	struct {
		uint8_t code, bits;
		uint16_t lanes;
	} dtype;
	int64_t *shape, *strides; /* elements */
	uint64_t byte_offset;
};

struct managed {
	struct dl_tensor tensor;
	void *context;
	void (*deleter)(struct managed *self);
};

struct managed_versioned {
	struct {
		uint32_t major, minor;
	} version;
	void *context;
	void (*deleter)(struct managed_versioned *self);
	uint64_t flags;
	struct dl_tensor tensor;
};

/* Either form, and what it points to. */
struct export
{
	union {
		struct managed old;
		struct managed_versioned versioned;
	};
	struct tfrkit_block *block;
	int64_t shape[TFR_RANK_MAX], strides[TFR_RANK_MAX];
};

static void drop(struct export *e)
{
	tfrkit_block_unref(e->block);
	free(e);
}

static void delete_old(struct managed *self)
{
	drop(self->context);
}

static void delete_versioned(struct managed_versioned *self)
{
	drop(self->context);
}

static void destroy(PyObject *capsule)
{
	struct managed *old = PyCapsule_IsValid(capsule, "dltensor")
				      ? PyCapsule_GetPointer(capsule, "dltensor")
				      : NULL;
	struct managed_versioned *versioned =
		PyCapsule_IsValid(capsule, "dltensor_versioned")
			? PyCapsule_GetPointer(capsule, "dltensor_versioned")
			: NULL;

	if (old)
		old->deleter(old);
	if (versioned)
		versioned->deleter(versioned);
}

static void describe(struct dl_tensor *d, struct export *e, const struct tfr_tensor *t)
{
	size_t size = tfr_dtype_size(t->dtype);

	*d = (struct dl_tensor){ .data = t->data,
		.device = { CPU, 0 },
		.ndim = (int32_t)t->rank,
		.dtype = { CODE_INT, (uint8_t)(8 * size), 1 },
		.shape = e->shape,
		.strides = e->strides };
	if (t->dtype == TFR_UINT8)
		d->dtype.code = CODE_UINT;
	else if (t->dtype == TFR_FLOAT16 || t->dtype == TFR_FLOAT32)
		d->dtype.code = CODE_FLOAT;
	else if (t->dtype == TFR_BFLOAT16)
		d->dtype.code = CODE_BFLOAT;
	for (unsigned k = 0; k < t->rank; k++) {
		e->shape[k] = (int64_t)t->shape[k];
		e->strides[k] = t->strides[k] / (int64_t)size;
	}
}

static PyObject *export(const struct tfrkit_tensor *t, bool versioned)
{
	struct export *e = calloc(1, sizeof(*e));
	PyObject *capsule;

	if (!e)
		return PyErr_NoMemory();
	e->block = tfrkit_block_ref(t->block);
	if (versioned) {
		e->versioned.version.major = 1;
		e->versioned.context = e;
		e->versioned.deleter = delete_versioned;
		describe(&e->versioned.tensor, e, &t->is);
		capsule = PyCapsule_New(&e->versioned, "dltensor_versioned", destroy);
	} else {
		e->old.context = e;
		e->old.deleter = delete_old;
		describe(&e->old.tensor, e, &t->is);
		capsule = PyCapsule_New(&e->old, "dltensor", destroy);
	}
	if (!capsule)
		drop(e);
	return capsule;
}

static bool is_cpu(PyObject *device)
{
	int type = 0, id = 0;

	if (device == Py_None)
		return true;
	if (!PyArg_ParseTuple(device, "ii", &type, &id))
		return false;
	if (type != CPU)
		PyErr_SetString(PyExc_BufferError, "the tensor is in the processor's memory");
	return type == CPU;
}

PyObject *tfrkit_dlpack(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "stream", "max_version", "dl_device", "copy", NULL };
	PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
	int major = 0, minor = 0;

	if (!PyArg_ParseTupleAndKeywords(
		    args, kwargs, "|$OOOO", names, &stream, &version, &device, &copy))
		return NULL;
	if (stream != Py_None) {
		PyErr_SetString(PyExc_BufferError, "the processor's memory has no streams");
		return NULL;
	}
	if (copy == Py_True) {
		PyErr_SetString(PyExc_BufferError, "DLPack does not copy here: copy what it gives");
		return NULL;
	}
	if (!is_cpu(device) ||
		(version != Py_None && !PyArg_ParseTuple(version, "ii", &major, &minor)))
		return NULL;
	return export((const struct tfrkit_tensor *)self, major >= 1);
}

PyObject *tfrkit_dlpack_device(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return Py_BuildValue("(ii)", CPU, 0);
}
