/* core.c - the module tfrkit._core: finding files, counting records, and what its types share. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

#include <tfr/remote.h>

bool tfrkit_is_free(const struct tfrkit_guard *g, const char *what)
{
	bool own = tfrkit_guard_owns(g);

	if (!own)
		PyErr_Format(PyExc_RuntimeError,
			"%s was made before fork(): make another one in this process", what);
	else if (g->busy)
		PyErr_Format(PyExc_RuntimeError,
			"%s is in use by another thread, or by a call that a signal interrupted",
			what);
	return own && !g->busy;
}

bool tfrkit_enter(struct tfrkit_guard *g, const char *what, PyThreadState **thread)
{
	if (!tfrkit_is_free(g, what))
		return false;
	g->busy = true;
	*thread = PyEval_SaveThread();
	return true;
}

void tfrkit_leave(struct tfrkit_guard *g, PyThreadState *thread)
{
	PyEval_RestoreThread(thread);
	g->busy = false;
}

void tfrkit_free(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	release(self);
	Py_DECREF(type);
}

/* Text of libtfr is UTF-8, except where it quotes something that is not. */
static PyObject *text_of(const char *text)
{
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
}

static PyObject *place_of(const struct tfr_error *err)
{
	if (!err->has_record)
		return Py_BuildValue("(OO)", Py_None, Py_None);
	return Py_BuildValue(
		"(KK)", (unsigned long long)err->record, (unsigned long long)err->offset);
}

static PyObject *exception_of(const struct tfr_error *err)
{
	char text[2 * TFR_ERROR_TEXT];
	PyObject *errors = PyImport_ImportModule("tfrkit.errors"), *made;

	if (!errors)
		return NULL;
	tfr_error_format(err, text, sizeof(text));
	made = PyObject_CallMethod(errors, "_of_status", "iiNNNN", (int)err->status, err->sys_errno,
		text_of(text), PyUnicode_DecodeFSDefault(tfr_error_path(err)), place_of(err),
		text_of(tfr_error_hint_text(err)));
	Py_DECREF(errors);
	return made;
}

PyObject *tfrkit_raise(const struct tfr_error *err)
{
	PyObject *made = NULL;

	/* The handler of a signal may raise meanwhile.  The failure is reported once: it matters
	 * more. */
	for (int tries = 0; !made && tries < 2; tries++) {
		PyErr_Clear();
		made = exception_of(err);
	}
	if (made) {
		PyErr_SetObject((PyObject *)Py_TYPE(made), made);
		Py_DECREF(made);
	}
	return NULL;
}

void tfrkit_keep_warning(void *ctx, const char *text)
{
	struct tfrkit_warnings *w = ctx;
	char *copy = w->count < TFRKIT_WARNINGS ? strdup(text) : NULL;

	if (copy)
		w->texts[w->count++] = copy;
}

/* Warnings point at the caller of the Python code that calls the extension.  After a failure,
 * signals are left to the interpreter. */
bool tfrkit_end_call(struct tfrkit_warnings *w, enum tfr_status status, const struct tfr_error *err)
{
	bool good = !PyErr_Occurred();

	for (size_t i = 0; i < w->count; i++) {
		PyObject *text = good ? text_of(w->texts[i]) : NULL;

		good = text && !PyErr_WarnFormat(PyExc_UserWarning, 2, "%U", text);
		Py_XDECREF(text);
		free(w->texts[i]);
	}
	w->count = 0;
	if (status && status != TFR_END && (good || status != TFR_ECANCELLED))
		tfrkit_raise(err);
	return !PyErr_Occurred() && !PyErr_CheckSignals();
}

/* --- the files of a set --- */

static void files_dealloc(PyObject *self)
{
	tfr_set_close(((struct tfrkit_files *)self)->set);
	tfrkit_free(self);
}

static Py_ssize_t files_length(PyObject *self)
{
	return (Py_ssize_t)tfr_set_count(((struct tfrkit_files *)self)->set);
}

static PyObject *files_item(PyObject *self, Py_ssize_t at)
{
	const struct tfr_set *set = ((struct tfrkit_files *)self)->set;

	if (at < 0 || (size_t)at >= tfr_set_count(set)) {
		PyErr_SetString(PyExc_IndexError, "no such file");
		return NULL;
	}
	return PyUnicode_DecodeFSDefault(tfr_set_path(set, (size_t)at));
}

static enum tfr_status open_set(struct tfr_set **set, const char *const *inputs, size_t count,
	bool allow_missing, struct tfrkit_warnings *warnings, struct tfr_error *err)
{
	struct tfr_set_opts opts = { .inputs = inputs,
		.count = count,
		.allow_missing = allow_missing,
		.warn = tfrkit_keep_warning,
		.ctx = warnings };
	PyThreadState *thread = PyEval_SaveThread();
	enum tfr_status status = tfr_set_open(set, &opts, err);

	PyEval_RestoreThread(thread);
	return status;
}

/* Borrows the paths of a tuple of bytes.  NULL: an exception is set. */
static const char **borrow_paths(PyObject *tuple)
{
	Py_ssize_t count = PyTuple_Size(tuple);
	const char **paths = PyMem_Calloc((size_t)count + 1, sizeof(*paths));

	if (!paths)
		PyErr_NoMemory();
	for (Py_ssize_t i = 0; paths && i < count; i++) {
		paths[i] = PyBytes_AsString(PyTuple_GetItem(tuple, i));
		if (!paths[i]) {
			PyMem_Free(paths);
			return NULL;
		}
	}
	return paths;
}

/* Files(inputs, allow_missing): `inputs` is a tuple of bytes without NUL. */
static PyObject *files_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct tfrkit_warnings warnings = { 0 };
	struct tfr_error err = { 0 };
	struct tfr_set *set = NULL;
	enum tfr_status status;
	const char **paths;
	PyObject *tuple, *self;
	int allow_missing;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "O!p", &PyTuple_Type, &tuple, &allow_missing))
		return NULL;
	paths = borrow_paths(tuple);
	if (!paths)
		return NULL;
	status = open_set(&set, paths, (size_t)PyTuple_Size(tuple), allow_missing, &warnings, &err);
	PyMem_Free(paths);
	if (!tfrkit_end_call(&warnings, status, &err)) {
		tfr_set_close(set);
		return NULL;
	}
	self = PyType_GenericAlloc(type, 0);
	if (self)
		((struct tfrkit_files *)self)->set = set;
	else
		tfr_set_close(set);
	return self;
}

static PyType_Slot files_slots[] = {
	{ Py_tp_doc, "The files of a set, in order.  Indexing gives their paths." },
	{ Py_tp_new, files_new },
	{ Py_tp_dealloc, files_dealloc },
	{ Py_sq_length, files_length },
	{ Py_sq_item, files_item },
	{ 0, NULL },
};

static PyType_Spec files_spec = { "tfrkit._core.Files", sizeof(struct tfrkit_files), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, files_slots };

/* --- the module --- */

static PyObject *count_records(PyObject *module, PyObject *path)
{
	struct tfr_error err = { 0 };
	enum tfr_status status;
	PyThreadState *thread;
	uint64_t records = 0;
	PyObject *bytes;

	(void)module;
	if (!PyUnicode_FSConverter(path, &bytes))
		return NULL;
	thread = PyEval_SaveThread();
	status = tfr_count_records(PyBytes_AsString(bytes), NULL, &records, &err);
	PyEval_RestoreThread(thread);
	Py_DECREF(bytes);
	return status ? tfrkit_raise(&err) : PyLong_FromUnsignedLongLong(records);
}

/* Where the last record of an index ends, from the file's start. */
static enum tfr_status measure_records(
	const char *path, uint64_t *records, uint64_t *bytes, struct tfr_error *err)
{
	struct tfr_lookup *lookup = NULL;
	enum tfr_index_state state;
	struct tfr_record last = { 0 };
	enum tfr_status status = tfr_lookup_open(&lookup, path, NULL, &state, err);

	*records = lookup ? tfr_lookup_count(lookup) : 0;
	if (!status && *records)
		status = tfr_lookup_read(lookup, *records - 1, &last, err);
	*bytes = last.offset + last.size + TFR_RECORD_OVERHEAD;
	tfr_lookup_close(lookup);
	return status;
}

static PyObject *indexed_records(PyObject *module, PyObject *path)
{
	struct tfr_error err = { 0 };
	uint64_t records = 0, bytes = 0;
	enum tfr_status status;
	PyThreadState *thread;
	PyObject *text;

	(void)module;
	if (!PyUnicode_FSConverter(path, &text))
		return NULL;
	thread = PyEval_SaveThread();
	status = measure_records(PyBytes_AsString(text), &records, &bytes, &err);
	PyEval_RestoreThread(thread);
	Py_DECREF(text);
	/* Whoever reads the record finds what is wrong with it. */
	if (!tfrkit_end_call(
		    &(struct tfrkit_warnings){ 0 }, status == TFR_EDATA ? TFR_OK : status, &err))
		return NULL;
	if (status || !records)
		Py_RETURN_NONE;
	return Py_BuildValue("(KK)", (unsigned long long)records, (unsigned long long)bytes);
}

static PyObject *shown_path(PyObject *module, PyObject *path)
{
	const char *text = PyBytes_AsString(path);

	(void)module;
	if (!text)
		return NULL;
	return PyUnicode_DecodeFSDefaultAndSize(text, (Py_ssize_t)tfr_path_shown(text));
}

/* remote(anonymous, connections, timeout): 0 is a default. */
static PyObject *set_remote(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "anonymous", "connections", "timeout", NULL };
	struct tfr_remote_opts opts = { 0 };
	struct tfr_error err = { 0 };
	int anonymous = 0, connections = 0;

	(void)module;
	/* "I" would cut a number to its lowest 32 bits. */
	if (!PyArg_ParseTupleAndKeywords(
		    args, kwargs, "|$pid", names, &anonymous, &connections, &opts.timeout))
		return NULL;
	opts.connections = (unsigned)connections;
	opts.anonymous = anonymous;
	if (tfr_remote_set(&opts, &err))
		return tfrkit_raise(&err);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "remote", (PyCFunction)(void (*)(void))set_remote, METH_VARARGS | METH_KEYWORDS,
		"Set how objects behind URLs are read and written, for the whole process, while "
		"none "
		"is open: without credentials, by at most so many connections [32], and for how "
		"many "
		"seconds without progress [60]." },
	{ "count", count_records, METH_O, "Count the records of one file by their headers." },
	{ "batches", (PyCFunction)(void (*)(void))tfrkit_batches_open, METH_VARARGS | METH_KEYWORDS,
		"Open a pipeline." },
	{ "parse", tfrkit_parse, METH_VARARGS, "Make a batch of payloads." },
	{ "indexed", indexed_records, METH_O,
		"The records of one file and their bytes, by its index; None if it has none." },
	{ "shown", shown_path, METH_O, "A path as bytes, without the secrets of a URL." },
	{ "encode", tfrkit_encode, METH_O, "Make the payload of an Example." },
	{ NULL, NULL, 0, NULL },
};

static int exec_module(PyObject *module)
{
	PyType_Spec *const specs[] = { &files_spec, &tfrkit_features_spec, &tfrkit_batches_spec,
		&tfrkit_batch_spec, &tfrkit_tensor_spec, &tfrkit_example_spec, &tfrkit_lookup_spec,
		&tfrkit_records_spec, &tfrkit_writer_spec };
	struct tfrkit_state *state = PyModule_GetState(module);

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		PyObject *type = PyType_FromModuleAndSpec(module, specs[i], NULL);
		int failed = !type || PyModule_AddType(module, (PyTypeObject *)type);

		if (i < TFRKIT_TYPES && !failed)
			state->types[i] = (PyTypeObject *)type;
		else
			Py_XDECREF(type);
		if (failed)
			return -1;
	}
	return PyModule_AddStringConstant(module, "version", tfr_version());
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
	struct tfrkit_state *state = PyModule_GetState(module);

	for (size_t i = 0; state && i < TFRKIT_TYPES; i++)
		Py_VISIT(state->types[i]);
	return 0;
}

static int clear(PyObject *module)
{
	struct tfrkit_state *state = PyModule_GetState(module);

	for (size_t i = 0; state && i < TFRKIT_TYPES; i++)
		Py_CLEAR(state->types[i]);
	return 0;
}

static PyModuleDef_Slot slots[] = {
	{ Py_mod_exec, exec_module },
	{ 0, NULL },
};

static struct PyModuleDef definition = {
	.m_base = PyModuleDef_HEAD_INIT,
	.m_name = "tfrkit._core",
	.m_doc = "libtfr's objects; import tfrkit instead.",
	.m_size = sizeof(struct tfrkit_state),
	.m_methods = methods,
	.m_slots = slots,
	.m_traverse = traverse,
	.m_clear = clear,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
	return PyModuleDef_Init(&definition);
}
