/* records.c - the records of one file by number, and the iterator over the payloads of a set or of
 * a range of its records.
 *
 * One call of the iterator into libtfr, without the GIL, gets all records that one block of the
 * file holds.  The views stay valid until the next such call, so that next() of a record costs no
 * more than the bytes object that it returns.  A fault is raised after the records before it. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>

/* --- by number --- */

/* Bytes read for one record, if it is no larger: programs ask for records in random order. */
enum { BLOCK = 16 << 10 };

struct lookup {
	PyObject_HEAD struct tfrkit_guard guard;
	struct tfr_lookup *lookup;
};

static void lookup_dealloc(PyObject *self)
{
	struct lookup *l = (struct lookup *)self;

	if (tfrkit_guard_owns(&l->guard))
		tfr_lookup_close(l->lookup);
	tfrkit_free(self);
}

/* Opens a file for reading by number: by its index if there is a usable one, otherwise by its
 * headers.  Without the GIL. */
static enum tfr_status open_lookup(struct tfr_lookup **l, const char *path, struct tfr_error *err)
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
	status = open_lookup(&lookup, PyBytes_AsString(path), &err);
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

static PyType_Slot lookup_slots[] = {
	{ Py_tp_doc, "The records of one file by number." },
	{ Py_tp_new, lookup_new },
	{ Py_tp_dealloc, lookup_dealloc },
	{ Py_sq_length, lookup_length },
	{ Py_sq_item, lookup_item },
	{ 0, NULL },
};

PyType_Spec tfrkit_lookup_spec = { "tfrkit._core.Lookup", sizeof(struct lookup), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, lookup_slots };

/* --- in order --- */

enum { MOST = 4096 };

/* Bytes read at a time: those that were just read, checked and copied stay in the cache of a core,
 * which makes the loop a tenth faster than with blocks of 512 KiB. */
static const struct tfr_reader_opts options = { .block_size = 128 << 10 };
#define ALL UINT64_MAX /* records: up to the end */

struct records {
	PyObject_HEAD struct tfrkit_guard guard;
	struct tfrkit_files *files;
	struct tfr_record *recs; /* `count` records of the reader's block, MOST at most */
	size_t at, count;
	struct tfr_reader *reader; /* of file number `file` - 1; NULL: between files */
	size_t file;
	uint64_t skip;		 /* records of the first file */
	uint64_t left;		 /* records to return, without those in `recs` */
	enum tfr_status pending; /* after the records; TFR_END: nothing is left, or it failed */
	struct tfr_error err;
};

static void records_dealloc(PyObject *self)
{
	struct records *r = (struct records *)self;

	if (tfrkit_guard_owns(&r->guard))
		tfr_reader_close(r->reader);
	free(r->recs);
	Py_XDECREF((PyObject *)r->files);
	tfrkit_free(self);
}

/* Records(files, file, skip, count): from record `skip` of file number `file` on, `count` at most
 */
static PyObject *records_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct tfrkit_state *state = PyType_GetModuleState(type);
	unsigned long long file, skip, count;
	PyObject *files, *self;
	struct records *r;

	(void)kwargs;
	if (!PyArg_ParseTuple(
		    args, "O!KKK", state->types[TFRKIT_FILES], &files, &file, &skip, &count))
		return NULL;
	self = PyType_GenericAlloc(type, 0);
	if (!self)
		return NULL;
	r = (struct records *)self;
	r->guard = tfrkit_guard_new();
	r->files = (struct tfrkit_files *)Py_NewRef(files);
	r->file = (size_t)file;
	r->skip = skip;
	r->left = count;
	r->recs = calloc(MOST, sizeof(*r->recs));
	if (!r->recs) {
		Py_DECREF(self);
		return PyErr_NoMemory();
	}
	return self;
}

/* The reader outlives the lookup. */
static enum tfr_status open_at(struct records *r, const char *path)
{
	struct tfr_lookup *lookup = NULL;
	enum tfr_status status = open_lookup(&lookup, path, &r->err);

	if (!status)
		status = tfr_lookup_reader(lookup, r->skip, &options, &r->reader, &r->err);
	tfr_lookup_close(lookup);
	return status;
}

static enum tfr_status open_next(struct records *r)
{
	const char *path = tfr_set_path(r->files->set, r->file++);
	enum tfr_status status =
		r->skip ? open_at(r, path) : tfr_reader_open(&r->reader, path, &options, &r->err);

	r->skip = 0;
	return status;
}

/* The records of a range were counted before. */
static enum tfr_status fewer(struct records *r)
{
	r->err = (struct tfr_error){ .status = TFR_EDATA };
	snprintf(r->err.message, sizeof(r->err.message),
		"the files changed: they have %llu records fewer than were counted",
		(unsigned long long)r->left);
	return TFR_EDATA;
}

/* Reads on, through empty files, until there are records or a failure or the end. */
static enum tfr_status read_on(struct records *r)
{
	const struct tfr_set *set = r->files->set;
	enum tfr_status status = TFR_OK;

	while (!status && !r->count) {
		if (!r->left)
			return TFR_END;
		if (!r->reader && r->file >= tfr_set_count(set))
			return r->left > ALL / 2 ? TFR_END : fewer(r);
		if (!r->reader)
			status = open_next(r);
		if (!status)
			status = tfr_reader_next_many(r->reader, r->recs, MOST, &r->count, &r->err);
		if (status == TFR_END) {
			tfr_reader_close(r->reader);
			r->reader = NULL;
			status = TFR_OK;
		}
	}
	if (r->count >= r->left) { /* a fault after the last one is of no interest */
		r->count = (size_t)r->left;
		status = TFR_END;
	}
	r->left -= r->count;
	return status;
}

/* Returns whether there are records again.  If not, an exception is set, except at the end. */
static bool fill_records(struct records *r)
{
	PyThreadState *thread;

	r->at = r->count = 0;
	if (!r->pending) {
		if (!tfrkit_enter(&r->guard, "this iterator", &thread))
			return false;
		r->pending = read_on(r);
		tfrkit_leave(&r->guard, thread);
	}
	if (!r->count && r->pending && r->pending != TFR_END) {
		r->pending = TFR_END;
		tfrkit_raise(&r->err);
		return false;
	}
	/* A handler may take records from this iterator, even all of them. */
	return !PyErr_CheckSignals() && r->count;
}

static PyObject *records_next(PyObject *self)
{
	struct records *r = (struct records *)self;
	const struct tfr_record *rec;

	if (r->guard.busy && !tfrkit_is_free(&r->guard, "this iterator"))
		return NULL;
	while (r->at == r->count)
		if (!fill_records(r))
			return NULL;
	rec = &r->recs[r->at++];
	return PyBytes_FromStringAndSize((const char *)rec->data, (Py_ssize_t)rec->size);
}

static PyObject *records_iter(PyObject *self)
{
	return Py_NewRef(self);
}

static PyType_Slot records_slots[] = {
	{ Py_tp_doc, "The payloads of a set, in order, as bytes." },
	{ Py_tp_new, records_new },
	{ Py_tp_dealloc, records_dealloc },
	{ Py_tp_iter, records_iter },
	{ Py_tp_iternext, records_next },
	{ 0, NULL },
};

PyType_Spec tfrkit_records_spec = { "tfrkit._core.Records", sizeof(struct records), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, records_slots };
