/* core.h - what the files of the extension tfrkit._core share.
 *
 * The extension wraps libtfr's objects and nothing more; the package around it, in Python, has the
 * classes that users see.  It uses the limited API of CPython 3.11, so that one file serves every
 * later version.  All state is in the module and in its objects: there are no globals.
 *
 * Each object belongs to one thread at a time.  It releases the GIL while libtfr works, and `busy`
 * refuses a second thread meanwhile.  Files and threads do not survive fork(), so an object knows
 * the process that made it; in another process it refuses to work, and its memory is left alone. */
#ifndef TFRKIT_CORE_H
#define TFRKIT_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <stdbool.h>
#include <unistd.h>

#include <tfr/error.h>
#include <tfr/lookup.h>
#include <tfr/shard.h>

/* Keeps an object to one thread of one process. */
struct tfrkit_guard {
	pid_t process;
	bool busy;
};

static inline struct tfrkit_guard tfrkit_guard_new(void)
{
	return (struct tfrkit_guard){ .process = getpid() };
}

/* Whether the calling process made the object, so that it may use and free it. */
static inline bool tfrkit_guard_owns(const struct tfrkit_guard *g)
{
	return g->process == getpid();
}

/* Whether the object can take a call; otherwise an exception that names `what` is set. */
bool tfrkit_is_free(const struct tfrkit_guard *g, const char *what);
/* Takes the object for a call into libtfr, and the GIL is released.  False: an exception is set.
 * Otherwise tfrkit_leave() follows. */
bool tfrkit_enter(struct tfrkit_guard *g, const char *what, PyThreadState **thread);
void tfrkit_leave(struct tfrkit_guard *g, PyThreadState *thread);

/* Raises the exception of tfrkit.errors that stands for `err`, in place of one that is set. Returns
 * NULL. */
PyObject *tfrkit_raise(const struct tfr_error *err);

/* Warnings of libtfr, kept while the GIL is released. */
enum { TFRKIT_WARNINGS = 16 };
struct tfrkit_warnings {
	char *texts[TFRKIT_WARNINGS];
	size_t count;
};
void tfrkit_keep_warning(void *ctx, const char *text); /* ctx: struct tfrkit_warnings */
/* Ends a call: issues its warnings and frees them, raises its failure if it has one, and otherwise
 * looks for signals.  This runs code of the program, which may use any object: the state of all
 * must be complete.  False: an exception is set; an earlier one stays, unless there is a failure.
 */
bool tfrkit_end_call(
	struct tfrkit_warnings *w, enum tfr_status status, const struct tfr_error *err);

/* The types that the module keeps, by their place in `types`. */
enum { TFRKIT_FILES, TFRKIT_FEATURES, TFRKIT_BATCHES, TFRKIT_BATCH, TFRKIT_TENSOR, TFRKIT_TYPES };
struct tfrkit_state {
	PyTypeObject *types[TFRKIT_TYPES];
};

/* batch.c: whether the class can be that of batches; otherwise an exception is set. */
bool tfrkit_is_batch_type(const struct tfrkit_state *state, PyObject *type);

/* Frees an object whose contents are gone. */
void tfrkit_free(PyObject *self);

/* The files of a set; it never changes, so any thread and process may use it. */
struct tfrkit_files {
	PyObject_HEAD struct tfr_set *set;
};

/* batches.c: an iterator over batches */
PyObject *tfrkit_batches_open(PyObject *module, PyObject *args, PyObject *kwargs);

/* parse.c: a batch of the Examples in a tuple of payloads */
PyObject *tfrkit_parse(PyObject *module, PyObject *args);

/* encode.c: the payload of an Example with the features of a mapping */
PyObject *tfrkit_encode(PyObject *module, PyObject *mapping);

extern PyType_Spec tfrkit_batch_spec, tfrkit_batches_spec, tfrkit_example_spec,
	tfrkit_features_spec, tfrkit_lookup_spec, tfrkit_records_spec, tfrkit_tensor_spec,
	tfrkit_writer_spec;

#endif
