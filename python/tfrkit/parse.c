/* parse.c - payloads in memory as one batch.
 *
 * The columns of libtfr's parser are the tensors of the batch, whose block keeps the parser: values
 * are written once. */
#include "batches.h"

#include <stdlib.h>

#include <tfr/batch.h>

enum { TENSORS = 3 /* of a feature at most */ };

static struct tfr_tensor tensor_of(
	const void *data, enum tfr_dtype dtype, unsigned rank, uint64_t rows, uint64_t width)
{
	static const int64_t none;
	int64_t size = (int64_t)tfr_dtype_size(dtype);

	/* For Arrow, NULL is a buffer that is missing, not one that is empty. */
	return (struct tfr_tensor){ .dtype = dtype,
		.rank = rank,
		.shape = { rows, width },
		.strides = { rank > 1 ? (int64_t)width * size : size, size },
		.data = (void *)(uintptr_t)(data ? data : &none) };
}

/* The order is that of the pipeline: the values, or bytes and their offsets, then row splits. */
static unsigned list_tensors(
	const struct tfr_batch_feature *f, const struct tfr_column *c, struct tfr_tensor *tensors)
{
	bool ragged = f->layout == TFR_RAGGED;
	unsigned n = 0;

	if (f->kind == TFR_KIND_BYTES) {
		tensors[n++] = tensor_of(c->text, TFR_UINT8, 1, (uint64_t)c->offsets[c->count], 0);
		tensors[n++] = tensor_of(c->offsets, TFR_INT64, 1, c->count + 1, 0);
	} else {
		tensors[n++] =
			tensor_of(c->int64s, f->kind == TFR_KIND_FLOAT ? TFR_FLOAT32 : TFR_INT64,
				ragged ? 1 : 2, ragged ? c->count : c->rows, c->width);
	}
	if (ragged)
		tensors[n++] = tensor_of(c->splits, TFR_INT64, 1, c->rows + 1, 0);
	return n;
}

static PyObject *new_batch(struct tfrkit_state *state, struct tfrkit_block *block,
	PyObject *features, PyObject *type, PyObject *columns)
{
	const struct tfrkit_features *f = (struct tfrkit_features *)features;
	struct tfr_tensor *tensors = PyMem_Calloc(TENSORS * f->count + 1, sizeof(*tensors));
	unsigned n = 0;
	PyObject *batch;

	if (!tensors)
		return PyErr_NoMemory();
	for (size_t i = 0; i < f->count; i++)
		n += list_tensors(&f->list[i], tfr_batch_column(block->parser, i), tensors + n);
	block->batch.tensors = tensors;
	block->batch.tensor_count = n;
	block->batch.records = (uint32_t)tfr_batch_rows(block->parser);
	batch = (PyObject *)tfrkit_batch_new(
		(PyTypeObject *)type, state->types[TFRKIT_TENSOR], features, columns, block);
	PyMem_Free(tensors);
	return batch;
}

/* Borrows the payloads of a tuple.  NULL: an exception is set. */
static struct tfr_bytes *borrow_payloads(PyObject *tuple)
{
	size_t n = (size_t)PyTuple_Size(tuple);
	struct tfr_bytes *list = PyMem_Calloc(n + 1, sizeof(*list));

	if (!list)
		PyErr_NoMemory();
	for (size_t i = 0; list && i < n; i++) {
		char *data;
		Py_ssize_t size;

		if (PyBytes_AsStringAndSize(PyTuple_GetItem(tuple, (Py_ssize_t)i), &data, &size)) {
			PyMem_Free(list);
			return NULL;
		}
		list[i] = (struct tfr_bytes){ (const uint8_t *)data, (size_t)size };
	}
	return list;
}

/* Without the GIL.  *done: the records before the one that failed. */
static enum tfr_status add_all(struct tfr_batch_parser *p, const struct tfr_bytes *list, size_t n,
	size_t *done, struct tfr_error *err)
{
	for (*done = 0; *done < n; ++*done) {
		enum tfr_status status = tfr_batch_add(p, list[*done].data, list[*done].size, err);

		if (status)
			return status;
	}
	return tfr_batch_finish(p, err);
}

/* The exception has the number of the payload that failed. */
static void raise_of(const struct tfr_error *err, size_t number)
{
	PyObject *type, *value, *trace, *at = PyLong_FromSize_t(number);

	tfrkit_raise(err);
	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	if (at && err->status == TFR_EDATA && PyObject_SetAttrString(value, "record", at))
		PyErr_Clear();
	Py_XDECREF(at);
	PyErr_Restore(type, value, trace);
}

/* parse(payloads, features, batch_type, columns): `payloads` is a tuple of bytes. */
PyObject *tfrkit_parse(PyObject *module, PyObject *args)
{
	struct tfrkit_state *state = PyModule_GetState(module);
	PyObject *payloads, *features, *type, *columns, *batch = NULL;
	struct tfrkit_block *block = NULL;
	const struct tfrkit_features *f;
	struct tfr_error err = { 0 };
	struct tfr_bytes *list;
	enum tfr_status status;
	PyThreadState *thread;
	size_t done = 0;

	if (!PyArg_ParseTuple(args, "O!O!O!O", &PyTuple_Type, &payloads,
		    state->types[TFRKIT_FEATURES], &features, &PyType_Type, &type, &columns))
		return NULL;
	if (!tfrkit_is_batch_type(state, type))
		return NULL;
	list = borrow_payloads(payloads);
	block = list ? calloc(1, sizeof(*block)) : NULL;
	if (!block) {
		PyMem_Free(list);
		return PyErr_Occurred() ? NULL : PyErr_NoMemory();
	}
	block->references = 1;
	f = (struct tfrkit_features *)features;
	thread = PyEval_SaveThread();
	status = tfr_batch_parser_new(&block->parser, f->list, f->count, &err);
	if (!status)
		status = add_all(block->parser, list, (size_t)PyTuple_Size(payloads), &done, &err);
	PyEval_RestoreThread(thread);
	PyMem_Free(list);
	if (status)
		raise_of(&err, done);
	else
		batch = new_batch(state, block, features, type, columns);
	tfrkit_block_unref(block);
	return batch;
}
