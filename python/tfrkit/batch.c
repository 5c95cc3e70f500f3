/* batch.c - one batch: its tensors, made when they are asked for, and the features of a feed.
 *
 * A tensor is an object with a buffer, which NumPy views, and with DLPack (dmlc/dlpack,
 * include/dlpack/dlpack.h).  A consumer of DLPack that names max_version 1.0 or later gets a
 * DLManagedTensorVersioned in a capsule "dltensor_versioned", others a DLManagedTensor in
 * "dltensor". A consumer that takes the tensor renames the capsule; otherwise its destructor calls
 * the deleter. */
#include "batches.h"

#include <stdlib.h>
#include <string.h>

void tfrkit_block_unref(struct tfrkit_block *b)
{
	if (!b || atomic_fetch_sub(&b->references, 1) != 1)
		return;
	tfr_batch_memory_free(b->memory);
	tfr_batch_parser_free(b->parser);
	free(b);
}

/* --- features --- */

static void features_dealloc(PyObject *self)
{
	struct tfrkit_features *f = (struct tfrkit_features *)self;

	for (size_t i = 0; i < f->count; i++)
		tfr_batch_feature_clear(&f->list[i]);
	PyMem_Free(f->list);
	PyMem_Free(f->more);
	Py_XDECREF(f->given);
	tfrkit_free(self);
}

/* Adds a feature of (spec, is it text, fill or None): bytes as --feature of tfr-bench-feed(1), and
 * the bytes of the value that pads its rows.  False: an exception is set. */
static bool add_feature(struct tfrkit_features *f, PyObject *one)
{
	struct tfr_batch_feature *parsed = &f->list[f->count];
	struct tfrkit_feature *more = &f->more[f->count];
	struct tfr_error err = { 0 };
	const char *spec, *fill;
	Py_ssize_t size;
	int text;

	if (!PyArg_ParseTuple(one, "ypz#", &spec, &text, &fill, &size))
		return false;
	if (tfr_batch_feature_parse(parsed, spec, &err)) {
		tfrkit_raise(&err);
		return false;
	}
	more->text = text;
	more->fill = (struct tfr_bytes){ (const uint8_t *)fill, (size_t)size };
	if (fill && parsed->layout == TFR_PADDED)
		parsed->fill = parsed->kind == TFR_KIND_BYTES ? (const void *)&more->fill : fill;
	f->count++;
	return true;
}

/* Features(given): a tuple of such tuples */
static PyObject *features_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct tfrkit_features *f;
	PyObject *given;
	size_t count;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &given))
		return NULL;
	f = (struct tfrkit_features *)PyType_GenericAlloc(type, 0);
	if (!f)
		return NULL;
	count = (size_t)PyTuple_Size(given);
	f->given = Py_NewRef(given);
	f->list = PyMem_Calloc(count + 1, sizeof(*f->list));
	f->more = PyMem_Calloc(count + 1, sizeof(*f->more));
	if (!f->list || !f->more)
		PyErr_NoMemory();
	while (!PyErr_Occurred() && f->count < count)
		add_feature(f, PyTuple_GetItem(given, (Py_ssize_t)f->count));
	if (PyErr_Occurred())
		Py_CLEAR(f);
	return (PyObject *)f;
}

static Py_ssize_t features_length(PyObject *self)
{
	return (Py_ssize_t)((struct tfrkit_features *)self)->count;
}

static const char *layout_name(enum tfr_layout layout)
{
	return layout == TFR_DENSE ? "dense" : layout == TFR_PADDED ? "padded" : "ragged";
}

/* (name, kind, layout, values per row) */
static PyObject *features_item(PyObject *self, Py_ssize_t at)
{
	const struct tfrkit_features *f = (struct tfrkit_features *)self;
	const struct tfr_batch_feature *one;

	if (at < 0 || (size_t)at >= f->count) {
		PyErr_SetString(PyExc_IndexError, "no such feature");
		return NULL;
	}
	one = &f->list[at];
	return Py_BuildValue("(NssK)",
		PyUnicode_DecodeUTF8(one->name, (Py_ssize_t)strlen(one->name), "surrogateescape"),
		tfr_kind_name(one->kind), layout_name(one->layout), (unsigned long long)one->count);
}

static PyMethodDef features_methods[] = {
	{ "__arrow_c_schema__", tfrkit_arrow_schema, METH_NOARGS, "The schema of batches." },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot features_slots[] = {
	{ Py_tp_doc, "The features of a batch, in order." },
	{ Py_tp_new, features_new },
	{ Py_tp_dealloc, features_dealloc },
	{ Py_tp_methods, features_methods },
	{ Py_sq_length, features_length },
	{ Py_sq_item, features_item },
	{ 0, NULL },
};

PyType_Spec tfrkit_features_spec = { "tfrkit._core.Features", sizeof(struct tfrkit_features), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, features_slots };

/* --- tensors --- */

struct tensor {
	PyObject_HEAD struct tfrkit_block *block;
	struct tfr_tensor is;
};

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

static void drop_export(struct export *e)
{
	tfrkit_block_unref(e->block);
	free(e);
}

static void delete_old(struct managed *self)
{
	drop_export(self->context);
}

static void delete_versioned(struct managed_versioned *self)
{
	drop_export(self->context);
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

static void describe_tensor(struct dl_tensor *d, struct export *e, const struct tfr_tensor *t)
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

static PyObject *export_tensor(const struct tensor *t, bool versioned)
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
		describe_tensor(&e->versioned.tensor, e, &t->is);
		capsule = PyCapsule_New(&e->versioned, "dltensor_versioned", destroy);
	} else {
		e->old.context = e;
		e->old.deleter = delete_old;
		describe_tensor(&e->old.tensor, e, &t->is);
		capsule = PyCapsule_New(&e->old, "dltensor", destroy);
	}
	if (!capsule)
		drop_export(e);
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

static PyObject *tensor_dlpack(PyObject *self, PyObject *args, PyObject *kwargs)
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
	return export_tensor((const struct tensor *)self, major >= 1);
}

static PyObject *tensor_dlpack_device(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return Py_BuildValue("(ii)", CPU, 0);
}

static const char *format_of(enum tfr_dtype dtype)
{
	switch (dtype) {
	case TFR_UINT8:
		return "B";
	case TFR_FLOAT16:
		return "e";
	case TFR_FLOAT32:
		return "f";
	case TFR_INT64:
		return "q";
	case TFR_INT32:
		return "i";
	case TFR_INT16:
		return "h";
	default:
		return NULL;
	}
}

static PyObject *new_tensor(
	PyTypeObject *type, struct tfrkit_block *block, const struct tfr_tensor *t)
{
	PyObject *self = PyType_GenericAlloc(type, 0);

	if (!self)
		return NULL;
	((struct tensor *)self)->block = tfrkit_block_ref(block);
	((struct tensor *)self)->is = *t;
	return self;
}

static void tensor_dealloc(PyObject *self)
{
	tfrkit_block_unref(((struct tensor *)self)->block);
	tfrkit_free(self);
}

static size_t count_of(const struct tfr_tensor *t)
{
	size_t n = 1;

	for (unsigned k = 0; k < t->rank; k++)
		n *= t->shape[k];
	return n;
}

static bool is_contiguous(const struct tfr_tensor *t)
{
	int64_t stride = (int64_t)tfr_dtype_size(t->dtype);

	for (unsigned k = t->rank; k-- > 0; stride *= (int64_t)t->shape[k])
		if (t->shape[k] > 1 && t->strides[k] != stride)
			return false;
	return true;
}

/* The batch belongs to its holders alone, so that they may write to it. */
static int tensor_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
	struct tfr_tensor *t = &((struct tensor *)self)->is;
	const char *format = format_of(t->dtype);
	bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
	bool shaped = (flags & PyBUF_ND) == PyBUF_ND;

	view->obj = NULL;
	if (!format || (!strided && !is_contiguous(t))) {
		PyErr_SetString(PyExc_BufferError, format ? "the tensor is not contiguous"
							  : "a buffer has no bfloat16: use DLPack");
		return -1;
	}
	*view = (Py_buffer){ .buf = t->data,
		.obj = Py_NewRef(self),
		.itemsize = (Py_ssize_t)tfr_dtype_size(t->dtype),
		.len = (Py_ssize_t)(count_of(t) * tfr_dtype_size(t->dtype)),
		.ndim = shaped ? (int)t->rank : 1,
		.format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)format : NULL,
		.shape = shaped ? (Py_ssize_t *)t->shape : NULL,
		.strides = strided ? (Py_ssize_t *)t->strides : NULL };
	return 0;
}

static PyObject *tensor_shape(PyObject *self, void *unused)
{
	const struct tfr_tensor *t = &((struct tensor *)self)->is;
	PyObject *shape = PyTuple_New((Py_ssize_t)t->rank);

	(void)unused;
	for (unsigned k = 0; shape && k < t->rank; k++) {
		PyObject *one = PyLong_FromUnsignedLongLong(t->shape[k]);

		if (one)
			PyTuple_SetItem(shape, (Py_ssize_t)k, one);
		else
			Py_CLEAR(shape);
	}
	return shape;
}

static PyObject *tensor_dtype(PyObject *self, void *unused)
{
	(void)unused;
	return PyUnicode_FromString(tfr_dtype_name(((struct tensor *)self)->is.dtype));
}

static PyGetSetDef tensor_getters[] = {
	{ "shape", tensor_shape, NULL, "The length of each axis.", NULL },
	{ "dtype", tensor_dtype, NULL, "The name of the number type, such as \"float32\".", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef tensor_methods[] = {
	{ "__dlpack__", (PyCFunction)(void (*)(void))tensor_dlpack, METH_VARARGS | METH_KEYWORDS,
		"The tensor as a capsule of DLPack." },
	{ "__dlpack_device__", tensor_dlpack_device, METH_NOARGS, "The processor's memory." },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot tensor_slots[] = {
	{ Py_tp_doc, "Numbers of a batch: a buffer in the batch's memory, which it keeps alive." },
	{ Py_tp_dealloc, tensor_dealloc },
	{ Py_tp_getset, tensor_getters },
	{ Py_tp_methods, tensor_methods },
	{ Py_bf_getbuffer, tensor_getbuffer },
	{ 0, NULL },
};

PyType_Spec tfrkit_tensor_spec = { "tfrkit._core.Tensor", sizeof(struct tensor), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	tensor_slots };

/* --- batches --- */

bool tfrkit_is_batch_type(const struct tfrkit_state *state, PyObject *type)
{
	bool good = PyType_IsSubtype((PyTypeObject *)type, state->types[TFRKIT_BATCH]);

	if (!good)
		PyErr_SetString(PyExc_TypeError, "batch_type is not a subclass of Batch");
	return good;
}

struct tfrkit_batch *tfrkit_batch_new(PyTypeObject *type, PyTypeObject *tensor_type,
	PyObject *features, PyObject *columns, struct tfrkit_block *block)
{
	size_t size = block->batch.tensor_count * sizeof(struct tfr_tensor);
	struct tfrkit_batch *batch = (struct tfrkit_batch *)PyType_GenericAlloc(type, 0);

	if (!batch)
		return NULL;
	batch->tensors = PyMem_Malloc(size + 1);
	if (!batch->tensors) {
		Py_DECREF((PyObject *)batch);
		PyErr_NoMemory();
		return NULL;
	}
	memcpy(batch->tensors, block->batch.tensors, size);
	batch->block = tfrkit_block_ref(block);
	batch->columns = Py_NewRef(columns);
	batch->features = (struct tfrkit_features *)Py_NewRef(features);
	batch->tensor_type = (PyTypeObject *)Py_NewRef((PyObject *)tensor_type);
	return batch;
}

static void batch_dealloc(PyObject *self)
{
	struct tfrkit_batch *b = (struct tfrkit_batch *)self;

	tfrkit_block_unref(b->block);
	PyMem_Free(b->tensors);
	Py_XDECREF(b->columns);
	Py_XDECREF((PyObject *)b->features);
	Py_XDECREF((PyObject *)b->tensor_type);
	tfrkit_free(self);
}

/* The tensor of that number. */
static PyObject *batch_tensor(PyObject *self, PyObject *number)
{
	struct tfrkit_batch *b = (struct tfrkit_batch *)self;
	Py_ssize_t at = PyNumber_AsSsize_t(number, PyExc_IndexError);

	if (at == -1 && PyErr_Occurred())
		return NULL;
	if (!b->block || at < 0 || at >= (Py_ssize_t)b->block->batch.tensor_count) {
		PyErr_SetString(PyExc_IndexError, "no such tensor");
		return NULL;
	}
	return new_tensor(b->tensor_type, b->block, &b->tensors[at]);
}

static PyObject *batch_columns(PyObject *self, void *unused)
{
	PyObject *columns = ((struct tfrkit_batch *)self)->columns;

	(void)unused;
	return columns ? Py_NewRef(columns) : PyDict_New();
}

static PyObject *number_of(PyObject *self, void *which)
{
	const struct tfrkit_block *block = ((struct tfrkit_batch *)self)->block;

	if (!block)
		return PyLong_FromLong(0);
	return PyLong_FromUnsignedLongLong(*(const char *)which == 'r'	 ? block->batch.records
					   : *(const char *)which == 'e' ? block->batch.epoch
									 : block->batch.index);
}

static PyMethodDef batch_methods[] = {
	{ "_tensor", batch_tensor, METH_O, "A tensor by its number." },
	{ "__arrow_c_array__", (PyCFunction)(void (*)(void))tfrkit_arrow_array,
		METH_VARARGS | METH_KEYWORDS, "The batch as a struct array of Arrow." },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef batch_getters[] = {
	{ "_columns", batch_columns, NULL, "Where each feature is.", NULL },
	{ "records", number_of, NULL, "The number of records.", "r" },
	{ "epoch", number_of, NULL, "The epoch, from 0.", "e" },
	{ "index", number_of, NULL, "The number of the batch, from 0.", "i" },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot batch_slots[] = {
	{ Py_tp_doc, "One batch.  It owns its memory together with its tensors." },
	{ Py_tp_dealloc, batch_dealloc },
	{ Py_tp_methods, batch_methods },
	{ Py_tp_getset, batch_getters },
	{ 0, NULL },
};

PyType_Spec tfrkit_batch_spec = { "tfrkit._core.Batch", sizeof(struct tfrkit_batch), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, batch_slots };
