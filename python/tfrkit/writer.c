/* writer.c - the writer of a file or of a set.
 *
 * Small payloads are gathered, each after its size, and handed to libtfr together without the GIL:
 * releasing it for every record would cost more than writing the record.  So a failure can be
 * raised by a later write(), or by close(). */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GATHER = 256 << 10, LARGE = 64 << 10 };

struct writer {
	PyObject_HEAD struct tfrkit_guard guard;
	struct tfr_set_writer *set; /* NULL: closed */
	bool failed;		    /* for good: until it is discarded */
	uint32_t part, parts; /* 0 parts: all shards */
	char *run;	      /* what the manifest records of the run; NULL: nothing */
	uint64_t put;	      /* records, which go to the shards in turn */
	uint8_t *gathered;
	size_t used; /* bytes gathered */
};

static void end_writer(struct writer *w)
{
	tfr_set_writer_close(w->set);
	w->set = NULL;
	free(w->gathered);
	w->gathered = NULL;
	w->used = 0;
}

static void writer_dealloc(PyObject *self)
{
	struct writer *w = (struct writer *)self;

	if (tfrkit_guard_owns(&w->guard))
		end_writer(w);
	free(w->run);
	tfrkit_free(self);
}

static enum tfr_status open_writer(struct tfr_set_writer **set, const char *path,
	const struct tfr_writer_opts *opts, struct tfrkit_warnings *warnings, struct tfr_error *err)
{
	PyThreadState *thread = PyEval_SaveThread();
	enum tfr_status status =
		tfr_set_writer_open(set, path, opts, tfrkit_keep_warning, warnings, err);

	PyEval_RestoreThread(thread);
	return status;
}

/* Makes the object of an open writer, which it takes over. */
static PyObject *new_writer(PyTypeObject *type, struct tfr_set_writer *set,
	const struct tfr_writer_opts *opts, const char *run)
{
	PyObject *self = PyType_GenericAlloc(type, 0);
	struct writer *w = (struct writer *)self;

	if (!self) {
		tfr_set_writer_close(set);
		return NULL;
	}
	w->guard = tfrkit_guard_new();
	w->set = set;
	w->part = opts->part;
	w->parts = opts->parts;
	w->run = run ? strdup(run) : NULL;
	w->gathered = malloc(GATHER);
	if (!w->gathered || (run && !w->run)) {
		Py_DECREF(self);
		return PyErr_NoMemory();
	}
	return self;
}

/* Writer(path, compression, level, overwrite, part, parts, run): `compression` is a number of enum
 * tfr_compression, `path` is bytes without NUL, and `run` is text or None. */
static PyObject *writer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct tfrkit_warnings warnings = { 0 };
	struct tfr_writer_opts opts = { 0 };
	struct tfr_set_writer *set = NULL;
	struct tfr_error err = { 0 };
	int compression, level, overwrite;
	enum tfr_status status;
	const char *path, *run;

	(void)kwargs;
	if (!PyArg_ParseTuple(args, "yiipIIz", &path, &compression, &level, &overwrite, &opts.part,
		    &opts.parts, &run))
		return NULL;
	opts.compression = (enum tfr_compression)compression;
	opts.level = level;
	opts.force = overwrite;
	status = open_writer(&set, path, &opts, &warnings, &err);
	if (!tfrkit_end_call(&warnings, status, &err)) {
		tfr_set_writer_close(set);
		return NULL;
	}
	return new_writer(type, set, &opts, run);
}

/* The shard of the next record.  False: this part has none. */
static bool next_shard(struct writer *w, uint32_t *shard)
{
	uint32_t all = tfr_set_writer_shards(w->set), step = w->parts ? w->parts : 1;
	uint32_t own = w->part < all ? (all - w->part - 1) / step + 1 : 0;

	if (own)
		*shard = w->part + (uint32_t)(w->put++ % own) * step;
	return own;
}

static enum tfr_status put_record(
	struct writer *w, const void *payload, size_t size, struct tfr_error *err)
{
	struct iovec piece = { (void *)payload, size };
	uint32_t shard;

	if (!next_shard(w, &shard)) {
		*err = (struct tfr_error){ .status = TFR_EUSAGE };
		snprintf(err->message, sizeof(err->message),
			"part %u of %u has no shard to write to", w->part, w->parts);
		return TFR_EUSAGE;
	}
	return tfr_set_writer_put(w->set, shard, &piece, 1, NULL, err);
}

static enum tfr_status put_gathered(struct writer *w, struct tfr_error *err)
{
	enum tfr_status status = TFR_OK;
	uint32_t size;

	for (size_t at = 0; !status && at < w->used; at += sizeof(size) + size) {
		memcpy(&size, w->gathered + at, sizeof(size));
		status = put_record(w, w->gathered + at + sizeof(size), size, err);
	}
	w->used = 0;
	return status;
}

/* Writes the gathered payloads and then, if it is not NULL, a large one.  Another thread may write
 * to a buffer that is not that of bytes, between the checksum and the bytes: a copy is written. */
static bool flush(struct writer *w, const Py_buffer *large)
{
	size_t size = large ? (size_t)large->len : 0;
	bool copied = large && !PyBytes_Check(large->obj);
	void *copy = copied ? malloc(size) : NULL;
	struct tfr_error err = { 0 };
	enum tfr_status status;
	PyThreadState *thread;

	if (copied && !copy)
		return PyErr_NoMemory() != NULL;
	if (!tfrkit_enter(&w->guard, "this writer", &thread)) {
		free(copy);
		return false;
	}
	status = put_gathered(w, &err);
	if (!status && large)
		status = put_record(
			w, copy ? memcpy(copy, large->buf, size) : large->buf, size, &err);
	free(copy);
	w->failed = status != TFR_OK;
	tfrkit_leave(&w->guard, thread);
	if (status)
		tfrkit_raise(&err);
	return !status;
}

/* Whether the writer can take another call; otherwise an exception is set. */
static bool usable(const struct writer *w)
{
	if (!tfrkit_is_free(&w->guard, "this writer"))
		return false;
	if (w->failed)
		PyErr_SetString(PyExc_ValueError, "this writer failed: its output is not complete");
	else if (!w->set)
		PyErr_SetString(PyExc_ValueError, "this writer is closed");
	return w->set && !w->failed;
}

static bool gather_payload(struct writer *w, const Py_buffer *payload)
{
	uint32_t size = (uint32_t)payload->len;

	if (payload->len >= LARGE)
		return flush(w, payload);
	if (w->used + sizeof(size) + size > GATHER && !flush(w, NULL))
		return false;
	memcpy(w->gathered + w->used, &size, sizeof(size));
	if (size)
		memcpy(w->gathered + w->used + sizeof(size), payload->buf, size);
	w->used += sizeof(size) + size;
	return true;
}

static PyObject *writer_write(PyObject *self, PyObject *payload)
{
	struct writer *w = (struct writer *)self;
	Py_buffer view;
	size_t before;
	bool good;

	if (!usable(w) || PyObject_GetBuffer(payload, &view, PyBUF_SIMPLE))
		return NULL;
	/* Exporting a buffer may have run Python code, which can use this writer. */
	good = PyBytes_CheckExact(payload) || usable(w);
	before = w->used;
	good = good && gather_payload(w, &view);
	PyBuffer_Release(&view);
	/* When the payload is taken, a handler may use this writer.  A look for each would be slow.
	 */
	if (!good || (w->used <= before && PyErr_CheckSignals()))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *writer_close(PyObject *self, PyObject *unused)
{
	struct writer *w = (struct writer *)self;
	const struct tfr_set_info info = { .options = w->run };
	struct tfr_error err = { 0 };
	enum tfr_status status;
	PyThreadState *thread;

	(void)unused;
	if (!w->set && !w->failed && !w->guard.busy)
		Py_RETURN_NONE;
	if (!usable(w) || !tfrkit_enter(&w->guard, "this writer", &thread))
		return NULL;
	status = put_gathered(w, &err);
	if (!status)
		status = tfr_set_writer_publish(w->set, &info, &err);
	w->failed = status != TFR_OK;
	end_writer(w);
	tfrkit_leave(&w->guard, thread);
	if (status)
		return tfrkit_raise(&err);
	Py_RETURN_NONE;
}

static PyObject *writer_discard(PyObject *self, PyObject *unused)
{
	struct writer *w = (struct writer *)self;
	PyThreadState *thread;

	(void)unused;
	if (!tfrkit_enter(&w->guard, "this writer", &thread))
		return NULL;
	end_writer(w);
	w->failed = false;
	tfrkit_leave(&w->guard, thread);
	Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
	{ "write", writer_write, METH_O, "Write one payload, of any object with a buffer." },
	{ "close", writer_close, METH_NOARGS, "Complete the output and give it its name." },
	{ "discard", writer_discard, METH_NOARGS, "Drop the output; what existed stays." },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "The writer of a file or of a set." },
	{ Py_tp_new, writer_new },
	{ Py_tp_dealloc, writer_dealloc },
	{ Py_tp_methods, methods },
	{ 0, NULL },
};

PyType_Spec tfrkit_writer_spec = { "tfrkit._core.Writer", sizeof(struct writer), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots };
