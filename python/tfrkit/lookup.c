/* lookup.c - the records of one file by number. */
#include "core.h"

/* Bytes read for one record, if it is no larger: programs ask for records in random order. */
enum { BLOCK = 16 << 10 };

struct lookup {
	PyObject_HEAD struct tfrkit_guard guard;
	struct tfr_lookup *lookup;
};

static void lookup_dealloc(PyObject *self)
{
	struct lookup *l = (struct lookup *)self;
	PyTypeObject *type = Py_TYPE(self);

	if (tfrkit_guard_owns(&l->guard))
		tfr_lookup_close(l->lookup);
	PyObject_Free(self);
	Py_DECREF(type);
}

enum tfr_status tfrkit_lookup_open(struct tfr_lookup **l, const char *path, struct tfr_error *err)
{
	const struct tfr_reader_opts opts = { .block_size = BLOCK };
	enum tfr_index_state state;
	enum tfr_status status = tfr_lookup_open(l, path, &opts, &state, err);

	if (!status && !*l)
		status = tfr_lookup_scan(l, path, &opts, err);
	return status;
}

/* Lookup(path) */
static PyObject *lookup_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct tfr_lookup *lookup = NULL;
	struct tfr_error err = { 0 };
	PyObject *path, *self;
	enum tfr_status status;
	PyThreadState *thread;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
		return NULL;
	thread = PyEval_SaveThread();
	status = tfrkit_lookup_open(&lookup, PyBytes_AsString(path), &err);
	PyEval_RestoreThread(thread);
	Py_DECREF(path);
	if (status)
		return tfrkit_raise(&err);
	self = PyType_GenericAlloc(type, 0);
	if (!self) {
		tfr_lookup_close(lookup);
		return NULL;
	}
	((struct lookup *)self)->guard = tfrkit_guard_new();
	((struct lookup *)self)->lookup = lookup;
	return self;
}

static Py_ssize_t lookup_length(PyObject *self)
{
	return (Py_ssize_t)tfr_lookup_count(((struct lookup *)self)->lookup);
}

static PyObject *lookup_item(PyObject *self, Py_ssize_t number)
{
	struct lookup *l = (struct lookup *)self;
	struct tfr_error err = { 0 };
	enum tfr_status status = TFR_END;
	struct tfr_record rec;
	PyThreadState *thread;
	PyObject *payload;

	if (!tfrkit_enter(&l->guard, "this lookup", &thread))
		return NULL;
	if (number >= 0)
		status = tfr_lookup_read(l->lookup, (uint64_t)number, &rec, &err);
	PyEval_RestoreThread(thread);
	/* The view is valid until the next call, which `busy` holds off until it is copied. */
	payload = status ? NULL
			 : PyBytes_FromStringAndSize((const char *)rec.data, (Py_ssize_t)rec.size);
	l->guard.busy = false;
	if (status == TFR_END)
		PyErr_SetString(PyExc_IndexError, "no such record");
	else if (status)
		tfrkit_raise(&err);
	return payload;
}

static PyType_Slot slots[] = {
	{ Py_tp_doc, "The records of one file by number." },
	{ Py_tp_new, lookup_new },
	{ Py_tp_dealloc, lookup_dealloc },
	{ Py_sq_length, lookup_length },
	{ Py_sq_item, lookup_item },
	{ 0, NULL },
};

PyType_Spec tfrkit_lookup_spec = { "tfrkit._core.Lookup", sizeof(struct lookup), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots };
