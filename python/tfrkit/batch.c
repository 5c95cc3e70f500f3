/* batch.c - one batch: its tensors, made when they are asked for, and the features of a feed. */
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
	PyTypeObject *type = Py_TYPE(self);

	for (size_t i = 0; i < f->count; i++)
		tfr_batch_feature_clear(&f->list[i]);
	PyMem_Free(f->list);
	PyObject_Free(self);
	Py_DECREF(type);
}

/* Features(specs): `specs` is a tuple of bytes, each as --feature of tfr-bench-feed(1). */
static PyObject *features_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct tfr_error err = { 0 };
	struct tfrkit_features *f;
	Py_ssize_t count;
	PyObject *specs;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &specs))
		return NULL;
	f = (struct tfrkit_features *)PyType_GenericAlloc(type, 0);
	if (!f)
		return NULL;
	count = PyTuple_Size(specs);
	f->list = PyMem_Calloc((size_t)count + 1, sizeof(*f->list));
	if (!f->list)
		PyErr_NoMemory();
	for (Py_ssize_t i = 0; f->list && i < count; i++) {
		const char *spec = PyBytes_AsString(PyTuple_GetItem(specs, i));

		if (!spec)
			break;
		if (tfr_batch_feature_parse(&f->list[i], spec, &err)) {
			tfrkit_raise(&err);
			break;
		}
		f->count++;
	}
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

/* --- batches --- */

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
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	tfrkit_block_unref(b->block);
	PyMem_Free(b->tensors);
	Py_XDECREF(b->columns);
	Py_XDECREF((PyObject *)b->features);
	Py_XDECREF((PyObject *)b->tensor_type);
	release(self);
	Py_DECREF(type);
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
	return tfrkit_tensor_new(b->tensor_type, b->block, &b->tensors[at]);
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
