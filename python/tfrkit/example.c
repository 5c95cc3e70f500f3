/* example.c - one parsed Example: names, and for each the values in a form that NumPy can view.
 *
 * The object keeps the payload, a bytes object, which never changes: other buffers are copied,
 * because the views of tfr_example rely on what was checked.  So any thread may read an Example. */
#include "core.h"

#include <string.h>

#include <tfr/example.h>

struct example {
	PyObject_HEAD PyObject *payload; /* bytes */
	struct tfr_example *parsed;
};

static void example_dealloc(PyObject *self)
{
	struct example *e = (struct example *)self;

	if (PyType_IS_GC(Py_TYPE(self)))
		PyObject_GC_UnTrack(self);
	tfr_example_free(e->parsed);
	Py_XDECREF(e->payload);
	tfrkit_free(self);
}

static bool parse_example(struct example *e)
{
	const char *data = PyBytes_AsString(e->payload);
	size_t size = (size_t)PyBytes_Size(e->payload);
	struct tfr_error err = { 0 };
	enum tfr_status status;

	e->parsed = tfr_example_new();
	if (!e->parsed) {
		PyErr_NoMemory();
		return false;
	}
	status = tfr_example_parse(e->parsed, data, size, &err);
	if (!status && tfr_is_sequence_example(data, size)) {
		err = (struct tfr_error){ .status = status = TFR_EDATA };
		strcpy(err.message, "the record is a SequenceExample, which Example does not read");
	}
	if (status)
		tfrkit_raise(&err);
	return !status;
}

/* Example(payload) */
static PyObject *example_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	PyObject *payload, *self;
	struct example *e;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "O", &payload))
		return NULL;
	if (PyUnicode_Check(payload) || PyLong_Check(payload)) {
		PyErr_SetString(PyExc_TypeError, "a payload is bytes or another buffer");
		return NULL;
	}
	payload = PyBytes_FromObject(payload);
	self = payload ? PyType_GenericAlloc(type, 0) : NULL;
	if (!self) {
		Py_XDECREF(payload);
		return NULL;
	}
	e = (struct example *)self;
	e->payload = payload;
	if (!parse_example(e)) {
		Py_DECREF(self);
		return NULL;
	}
	return self;
}

static PyObject *name_of(const struct tfr_feature *f)
{
	return PyUnicode_DecodeUTF8(f->key, (Py_ssize_t)f->key_size, "surrogateescape");
}

/* Sets *f to the feature, or to NULL.  False: an exception is set. */
static bool find_feature(PyObject *self, PyObject *name, const struct tfr_feature **f)
{
	PyObject *key = PyUnicode_Check(name)
				? PyUnicode_AsEncodedString(name, "utf-8", "surrogateescape")
				: NULL;

	*f = NULL;
	if (key)
		*f = tfr_example_find(((struct example *)self)->parsed, PyBytes_AsString(key),
			(size_t)PyBytes_Size(key));
	else if (PyErr_ExceptionMatches(PyExc_UnicodeError))
		PyErr_Clear(); /* no name has these characters */
	Py_XDECREF(key);
	return !PyErr_Occurred();
}

/* A buffer, the offset in it and the number of values: floats are the payload's own if they can be.
 */
static PyObject *list_numbers(const struct example *e, const struct tfr_feature *f)
{
	const uint8_t *payload = (const uint8_t *)PyBytes_AsString(e->payload);
	bool floats = f->kind == TFR_KIND_FLOAT;
	PyObject *values;

	if (floats && f->one_chunk && (uintptr_t)f->body % sizeof(float) == 0)
		return Py_BuildValue(
			"(Onn)", e->payload, (Py_ssize_t)(f->body - payload), (Py_ssize_t)f->count);
	values = PyBytes_FromStringAndSize(
		NULL, (Py_ssize_t)(f->count * (floats ? sizeof(float) : sizeof(int64_t))));
	if (!values)
		return NULL;
	if (floats)
		tfr_feature_floats(f, 0, (float *)(void *)PyBytes_AsString(values), f->count);
	else
		tfr_feature_int64s(f, 0, (int64_t *)(void *)PyBytes_AsString(values), f->count);
	return Py_BuildValue("(Nnn)", values, (Py_ssize_t)0, (Py_ssize_t)f->count);
}

enum { AT_ONCE = 64 };

/* A list of bytes.  A walk from its start is linear in the values skipped, so that a long list is
 * read in one piece. */
static PyObject *byte_lists(const struct tfr_feature *f)
{
	struct tfr_bytes few[AT_ONCE], *values = few;
	PyObject *list = NULL;
	size_t n;

	if (f->count > AT_ONCE)
		values = PyMem_Calloc(f->count, sizeof(*values));
	if (!values)
		return PyErr_NoMemory();
	n = tfr_feature_bytes_list(f, 0, values, f->count);
	list = PyList_New((Py_ssize_t)n);
	for (size_t i = 0; list && i < n; i++) {
		PyObject *one = PyBytes_FromStringAndSize(
			(const char *)values[i].data, (Py_ssize_t)values[i].size);

		if (one)
			PyList_SetItem(list, (Py_ssize_t)i, one);
		else
			Py_CLEAR(list);
	}
	if (values != few)
		PyMem_Free(values);
	return list;
}

/* (kind, values): of numbers a buffer, the offset in it and their number. */
static PyObject *example_raw(PyObject *self, PyObject *name)
{
	const struct tfr_feature *f;
	PyObject *values;

	if (!find_feature(self, name, &f))
		return NULL;
	if (!f) {
		PyErr_SetObject(PyExc_KeyError, name);
		return NULL;
	}
	if (f->kind == TFR_KIND_FLOAT || f->kind == TFR_KIND_INT64)
		values = list_numbers((struct example *)self, f);
	else if (f->kind == TFR_KIND_BYTES)
		values = byte_lists(f);
	else
		values = Py_NewRef(Py_None);
	return values ? Py_BuildValue("(sN)", tfr_kind_name(f->kind), values) : NULL;
}

static Py_ssize_t example_length(PyObject *self)
{
	return (Py_ssize_t)tfr_example_count(((struct example *)self)->parsed);
}

static int example_contains(PyObject *self, PyObject *name)
{
	const struct tfr_feature *f;

	return find_feature(self, name, &f) ? f != NULL : -1;
}

/* [(name, kind, number of values)], sorted bytewise by name */
static PyObject *example_describe(PyObject *self, PyObject *unused)
{
	Py_ssize_t n = example_length(self);
	PyObject *list = PyList_New(n);

	(void)unused;
	for (Py_ssize_t i = 0; list && i < n; i++) {
		const struct tfr_feature *f =
			tfr_example_at(((struct example *)self)->parsed, (size_t)i);
		PyObject *name = name_of(f), *one = NULL;

		if (name)
			one = Py_BuildValue("(NsK)", name, tfr_kind_name(f->kind),
				(unsigned long long)f->count);
		if (one)
			PyList_SetItem(list, i, one);
		else
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *example_payload(PyObject *self, void *unused)
{
	(void)unused;
	return Py_NewRef(((struct example *)self)->payload);
}

static PyMethodDef methods[] = {
	{ "_raw", example_raw, METH_O, "The kind and the values of a feature." },
	{ "_describe", example_describe, METH_NOARGS, "Names, kinds and numbers of values." },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef getters[] = {
	{ "payload", example_payload, NULL, "The record, as bytes.", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "One parsed Example." },
	{ Py_tp_new, example_new },
	{ Py_tp_dealloc, example_dealloc },
	{ Py_tp_methods, methods },
	{ Py_tp_getset, getters },
	{ Py_mp_length, example_length },
	{ Py_sq_contains, example_contains },
	{ 0, NULL },
};

PyType_Spec tfrkit_example_spec = { "tfrkit._core.Example", sizeof(struct example), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, slots };
