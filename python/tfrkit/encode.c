/* encode.c - makes the payload of an Example from a mapping of Python objects.
 *
 * Arrays come through the buffer protocol, so that NumPy is not needed: float32 and int64 in one
 * piece go to the library as they are, other numbers one by one.  Of any other object,
 * tolist() is called. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

#include <tfr/example.h>

struct target {
	struct tfr_builder *builder;
	const char *key;
};

/* Growing lists of values of one feature. */
struct values {
	enum tfr_kind kind; /* of all so far */
	size_t n, room;
	int64_t *ints; /* also of `floats`, until one is no integer */
	float *floats;
	struct tfr_bytes *bytes;
};

static bool check_status(enum tfr_status status, const struct tfr_error *err)
{
	if (status)
		tfrkit_raise(err);
	return !status;
}

static bool refuse_feature(const struct target *t, const char *why)
{
	PyErr_Format(PyExc_TypeError, "feature '%s': %s", t->key, why);
	return false;
}

static bool put_values(const struct target *t, const struct values *v)
{
	struct tfr_error err = { 0 };
	enum tfr_status status;

	if (v->kind == TFR_KIND_BYTES)
		status = tfr_builder_bytes(t->builder, t->key, v->bytes, v->n, &err);
	else if (v->kind == TFR_KIND_FLOAT)
		status = tfr_builder_floats(t->builder, t->key, v->floats, v->n, &err);
	else
		status = tfr_builder_int64s(t->builder, t->key, v->ints, v->n, &err);
	return check_status(status, &err);
}

/* --- arrays --- */

/* One element of native byte order, as either an integer or a float. */
static bool read_element(char type, const void *at, size_t size, int64_t *i, double *f)
{
	union {
		int8_t i8;
		int16_t i16;
		int32_t i32;
		int64_t i64;
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		float f32;
		double f64;
	} v;

	if (size > sizeof(v))
		return false;
	memcpy(&v, at, size);
	if (type == 'i')
		*i = size == 1 ? v.i8 : size == 2 ? v.i16 : size == 4 ? v.i32 : v.i64;
	else if (type == 'u')
		*i = size == 1 ? v.u8 : size == 2 ? v.u16 : size == 4 ? v.u32 : (int64_t)v.u64;
	else
		*f = size == 4 ? (double)v.f32 : v.f64;
	return type != 'u' || size < 8 || v.u64 <= INT64_MAX;
}

/* 'i', 'u' or 'f' for signed, unsigned and floating formats of native order; 0 for others. */
static char class_of(const char *format, Py_ssize_t size)
{
	static const char *const signeds = "bhilqn", *const unsigneds = "BHILQN?";

	if (!format)
		return 'u';
	if (*format == '@' || *format == '=' || *format == '<')
		format++;
	if (!*format || format[1] || size > 8)
		return 0;
	if (strchr(signeds, *format))
		return 'i';
	if (strchr(unsigneds, *format))
		return 'u';
	return (*format == 'f' && size == 4) || (*format == 'd' && size == 8) ? 'f' : 0;
}

static bool add_contiguous(
	const struct target *t, const void *data, size_t n, size_t size, char class)
{
	struct values v = { .kind = class == 'f' ? TFR_KIND_FLOAT : TFR_KIND_INT64, .n = n };
	struct tfr_error err = { 0 };
	void *copy;
	bool good = true;

	if (class == 'f' && size == sizeof(float) && (uintptr_t)data % sizeof(float) == 0)
		return check_status(tfr_builder_floats(t->builder, t->key, data, n, &err), &err);
	if (class == 'i' && size == sizeof(int64_t) && (uintptr_t)data % sizeof(int64_t) == 0)
		return check_status(tfr_builder_int64s(t->builder, t->key, data, n, &err), &err);
	copy = PyMem_Calloc(n + 1, sizeof(int64_t));
	if (!copy) {
		PyErr_NoMemory();
		return false;
	}
	v.ints = copy;
	v.floats = copy;
	for (size_t k = 0; good && k < n; k++) {
		int64_t i = 0;
		double f = 0;

		good = read_element(class, (const char *)data + k * size, size, &i, &f);
		if (class == 'f')
			v.floats[k] = (float)f;
		else
			v.ints[k] = i;
	}
	if (good)
		good = put_values(t, &v);
	else
		PyErr_Format(PyExc_OverflowError, "feature '%s': a value is more than int64 holds",
			t->key);
	PyMem_Free(copy);
	return good;
}

static bool add_view(const struct target *t, Py_buffer *view, char class)
{
	void *copy = NULL;
	bool good;

	if (!view->len)
		return add_contiguous(t, NULL, 0, (size_t)view->itemsize, class);
	if (PyBuffer_IsContiguous(view, 'C'))
		return add_contiguous(t, view->buf, (size_t)(view->len / view->itemsize),
			(size_t)view->itemsize, class);
	copy = PyMem_Malloc((size_t)view->len);
	if (!copy) {
		PyErr_NoMemory();
		return false;
	}
	good = !PyBuffer_ToContiguous(copy, view, view->len, 'C') &&
	       add_contiguous(t, copy, (size_t)(view->len / view->itemsize), (size_t)view->itemsize,
		       class);
	PyMem_Free(copy);
	return good;
}

/* Sets *done if the object has a buffer of numbers. */
static bool add_array(const struct target *t, PyObject *value, bool *done)
{
	Py_buffer view;
	char class;
	bool good = true;

	if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO)) {
		if (PyErr_ExceptionMatches(PyExc_Exception))
			PyErr_Clear();
		return !PyErr_Occurred();
	}
	class = class_of(view.format, view.itemsize);
	*done = class != 0 && view.itemsize > 0;
	if (*done)
		good = add_view(t, &view, class);
	PyBuffer_Release(&view);
	return good;
}

/* --- lists --- */

/* A value more; false if memory ran out. */
static bool make_room(struct values *v)
{
	size_t room = v->room ? 2 * v->room : 16;
	int64_t *ints = PyMem_Realloc(v->ints, room * sizeof(*ints));
	float *floats = ints ? PyMem_Realloc(v->floats, room * sizeof(*floats)) : NULL;
	struct tfr_bytes *bytes = floats ? PyMem_Realloc(v->bytes, room * sizeof(*bytes)) : NULL;

	v->ints = ints ? ints : v->ints;
	v->floats = floats ? floats : v->floats;
	v->bytes = bytes ? bytes : v->bytes;
	if (!bytes) {
		PyErr_NoMemory();
		return false;
	}
	v->room = room;
	return true;
}

/* A memoryview of single bytes is text; of numbers, it is an array. */
static bool is_text(PyObject *o)
{
	Py_buffer view;
	bool text;

	if (!PyMemoryView_Check(o) || PyObject_GetBuffer(o, &view, PyBUF_FULL_RO)) {
		PyErr_Clear();
		return PyUnicode_Check(o) || PyBytes_Check(o) || PyByteArray_Check(o);
	}
	text = !view.format || (view.itemsize == 1 && strpbrk(view.format, "Bbc"));
	PyBuffer_Release(&view);
	return text;
}

/* `kept` gets the bytes object, which must live until they are in the builder. */
static bool add_text(struct values *v, PyObject *item, PyObject *kept)
{
	PyObject *bytes =
		PyUnicode_Check(item) ? PyUnicode_AsUTF8String(item) : PyBytes_FromObject(item);
	bool good = bytes && !PyList_Append(kept, bytes);

	if (good)
		v->bytes[v->n++] = (struct tfr_bytes){ (const uint8_t *)PyBytes_AsString(bytes),
			(size_t)PyBytes_Size(bytes) };
	Py_XDECREF(bytes);
	return good;
}

static bool add_number(struct values *v, PyObject *item)
{
	if (PyIndex_Check(item)) {
		PyObject *number = PyNumber_Index(item);

		v->ints[v->n] = number ? PyLong_AsLongLong(number) : -1;
		v->floats[v->n] = v->kind == TFR_KIND_FLOAT && number
					  ? (float)PyLong_AsDouble(number)
					  : (float)v->ints[v->n];
		Py_XDECREF(number);
	} else {
		v->floats[v->n] = (float)PyFloat_AsDouble(item);
		v->kind = TFR_KIND_FLOAT;
	}
	v->n++;
	return !PyErr_Occurred();
}

static bool add_items(const struct target *t, struct values *v, PyObject *list, PyObject *kept);

static bool add_item(const struct target *t, struct values *v, PyObject *item, PyObject *kept)
{
	bool text = is_text(item), good;

	if (PyList_Check(item) || PyTuple_Check(item)) {
		if (Py_EnterRecursiveCall(" in a nested list"))
			return false;
		good = add_items(t, v, item, kept);
		Py_LeaveRecursiveCall();
		return good;
	}
	if (v->n == v->room && !make_room(v))
		return false;
	if (v->n && text != (v->kind == TFR_KIND_BYTES))
		return refuse_feature(t, "its values are not of one kind");
	if (!v->n)
		v->kind = text ? TFR_KIND_BYTES : TFR_KIND_INT64;
	return text ? add_text(v, item, kept) : add_number(v, item);
}

/* The list may change while its items are looked at. */
static bool add_items(const struct target *t, struct values *v, PyObject *list, PyObject *kept)
{
	PyObject *items = PySequence_Tuple(list);
	Py_ssize_t n = items ? PyTuple_Size(items) : 0;
	bool good = items != NULL;

	for (Py_ssize_t i = 0; good && i < n; i++)
		good = add_item(t, v, PyTuple_GetItem(items, i), kept);
	Py_XDECREF(items);
	return good;
}

/* The values of a list, or of one object. */
static bool add_list(const struct target *t, PyObject *value)
{
	PyObject *kept = PyList_New(0);
	struct values v = { 0 };
	bool good = kept && add_item(t, &v, value, kept);

	if (good)
		good = v.n ? put_values(t, &v)
			   : refuse_feature(t, "an empty list has no kind: use an empty array");
	PyMem_Free(v.ints);
	PyMem_Free(v.floats);
	PyMem_Free(v.bytes);
	Py_XDECREF(kept);
	return good;
}

static bool add_feature(const struct target *t, PyObject *value)
{
	bool done = false, good;
	PyObject *list;

	if (is_text(value) || PyList_Check(value) || PyTuple_Check(value) || PyLong_Check(value) ||
		PyFloat_Check(value))
		return add_list(t, value);
	if (!add_array(t, value, &done) || done)
		return done && !PyErr_Occurred();
	list = PyObject_CallMethod(value, "tolist", NULL);
	if (!list && PyErr_ExceptionMatches(PyExc_AttributeError))
		PyErr_Format(PyExc_TypeError,
			"feature '%s': a value is a number, text, bytes, a list or an array, not "
			"%R",
			t->key, Py_TYPE(value));
	good = list && add_list(t, list);
	Py_XDECREF(list);
	return good;
}

static bool add_features(struct tfr_builder *builder, PyObject *items)
{
	Py_ssize_t n = PyList_Size(items);
	bool good = true;

	for (Py_ssize_t i = 0; good && i < n; i++) {
		struct target t = { builder, NULL };
		PyObject *name, *value, *key;

		if (!PyArg_ParseTuple(PyList_GetItem(items, i), "UO", &name, &value))
			return false;
		key = PyUnicode_AsEncodedString(name, "utf-8", "surrogateescape");
		t.key = key ? PyBytes_AsString(key) : NULL;
		good = t.key != NULL;
		if (good && strlen(t.key) != (size_t)PyBytes_Size(key)) {
			PyErr_SetString(
				PyExc_ValueError, "the name of a feature contains a NUL character");
			good = false;
		}
		good = good && add_feature(&t, value);
		Py_XDECREF(key);
	}
	return good;
}

PyObject *tfrkit_encode(PyObject *module, PyObject *mapping)
{
	struct tfr_error err = { 0 };
	PyObject *items = PyMapping_Items(mapping), *payload = NULL;
	struct tfr_builder *builder = items ? tfr_builder_new() : NULL;
	const uint8_t *data;
	size_t size;

	(void)module;
	if (items && !builder)
		PyErr_NoMemory();
	if (builder && add_features(builder, items) &&
		check_status(tfr_builder_flatten(builder, &data, &size, &err), &err))
		payload = PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)size);
	tfr_builder_free(builder);
	Py_XDECREF(items);
	return payload;
}
