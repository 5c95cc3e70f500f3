/* batches.c - the iterator over the batches of libtfr's pipeline.
 *
 * A batch is in memory of the pipeline until the next one is asked for.  If nothing refers to it by
 * then, the pipeline uses that memory again; otherwise the block keeps it, and the pipeline
 * allocates other memory.  So nothing is copied, and every view of a batch stays valid. */
#include "batches.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How often a wait for a batch looks for signals. */
#define LOOK_NS 50000000

struct batches {
	PyObject_HEAD struct tfrkit_guard guard;
	struct tfrkit_files *files;
	struct tfrkit_features *features;
	PyTypeObject *batch_type, *tensor_type;
	PyObject *columns;
	struct tfr_device **devices;
	unsigned device_count;
	struct tfr_pipeline *pipeline; /* NULL: ended, closed, or not opened */
	struct tfrkit_block *last;     /* of the pipeline still */
	struct tfrkit_batch *pending;  /* a signal or a warning came before it */
	PyThreadState *thread;	       /* while it waits without the GIL */
	struct timespec looked;
	pthread_mutex_t lock; /* of `warnings`: the pipeline's threads report skipped records */
	struct tfrkit_warnings warnings;
	atomic_ullong skipped;
};

/* --- callbacks of the pipeline --- */

/* An exception of a signal's handler ends the wait, not the feed: a later call continues. */
static bool cancelled(void *ctx)
{
	struct batches *b = ctx;
	struct timespec now;
	bool raised;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((now.tv_sec - b->looked.tv_sec) * 1000000000L + now.tv_nsec - b->looked.tv_nsec <
		LOOK_NS)
		return false;
	b->looked = now;
	PyEval_RestoreThread(b->thread);
	raised = PyErr_CheckSignals() != 0;
	/* A handler that forks returns in the child, too, where no thread makes batches. */
	if (!raised && !tfrkit_guard_owns(&b->guard))
		raised = !tfrkit_is_free(&b->guard, "this iterator");
	b->thread = PyEval_SaveThread();
	return raised;
}

static void warn(void *ctx, const char *text)
{
	struct batches *b = ctx;

	pthread_mutex_lock(&b->lock);
	tfrkit_keep_warning(&b->warnings, text);
	pthread_mutex_unlock(&b->lock);
}

static void skipped(void *ctx, const struct tfr_error *why, const void *record, size_t size)
{
	struct batches *b = ctx;
	char text[2 * TFR_ERROR_TEXT];

	(void)record;
	(void)size;
	tfr_error_format(why, text, sizeof(text));
	warn(ctx, text);
	atomic_fetch_add(&b->skipped, 1);
}

/* After a signal that ended the wait, the warnings stay for the next call. */
static bool end_call(struct batches *b, enum tfr_status status, const struct tfr_error *err)
{
	struct tfrkit_warnings w = { 0 };

	if (!PyErr_Occurred()) {
		pthread_mutex_lock(&b->lock);
		w = b->warnings;
		b->warnings.count = 0;
		pthread_mutex_unlock(&b->lock);
	}
	return tfrkit_end_call(&w, status, err);
}

/* --- memory --- */

/* Settles to whom the memory of the last batch belongs.  Other threads may drop references
 * meanwhile, but only a holder of a reference can add one: a count of 1 is final. */
static enum tfr_status settle_block(struct batches *b, struct tfr_error *err)
{
	struct tfrkit_block *block = b->last;
	enum tfr_status status = TFR_OK;

	if (!block)
		return TFR_OK;
	b->last = NULL;
	if (atomic_load(&block->references) > 1)
		status = tfr_pipeline_take(b->pipeline, &block->batch, &block->memory, err);
	else
		tfr_pipeline_release(b->pipeline, &block->batch);
	tfrkit_block_unref(block);
	return status;
}

/* Without the GIL. */
static void close_pipeline(struct batches *b)
{
	settle_block(b, NULL);
	tfr_pipeline_close(b->pipeline);
	tfr_devices_close(b->devices, b->device_count);
	b->pipeline = NULL;
	b->devices = NULL;
}

static void batches_dealloc(PyObject *self)
{
	struct batches *b = (struct batches *)self;

	if (tfrkit_guard_owns(&b->guard)) {
		PyThreadState *thread = b->thread = PyEval_SaveThread();

		close_pipeline(b);
		PyEval_RestoreThread(thread);
		for (size_t i = 0; i < b->warnings.count; i++)
			free(b->warnings.texts[i]);
		pthread_mutex_destroy(&b->lock);
	}
	Py_XDECREF((PyObject *)b->pending);
	Py_XDECREF((PyObject *)b->files);
	Py_XDECREF((PyObject *)b->features);
	Py_XDECREF((PyObject *)b->batch_type);
	Py_XDECREF((PyObject *)b->tensor_type);
	Py_XDECREF(b->columns);
	tfrkit_free(self);
}

/* --- the next batch --- */

/* Without the GIL. */
static enum tfr_status next_block(struct batches *b, struct tfr_error *err)
{
	enum tfr_status status = settle_block(b, err);
	struct tfrkit_block *block;

	if (!b->pipeline)
		return TFR_END;
	block = calloc(1, sizeof(*block));
	if (!block) {
		*err = (struct tfr_error){ .status = TFR_ENOMEM, .message = "out of memory while reading a batch" };
		status = TFR_ENOMEM;
	}
	clock_gettime(CLOCK_MONOTONIC, &b->looked);
	if (!status)
		status = tfr_pipeline_next(b->pipeline, &block->batch, err);
	if (status) {
		free(block);
	} else {
		block->references = 1;
		b->last = block;
	}
	if (status && status != TFR_ECANCELLED)
		close_pipeline(b);
	return status;
}

static struct tfrkit_batch *take_pending(struct batches *b)
{
	struct tfrkit_batch *batch = b->pending;

	b->pending = NULL;
	return batch;
}

/* `busy` is set until the batch is returned: another call, which a handler of a signal or of a
 * warning can make, would give its memory away or take it out of turn. */
struct tfrkit_batch *tfrkit_batches_next(PyObject *self)
{
	struct batches *b = (struct batches *)self;
	struct tfr_error err = { 0 };
	enum tfr_status status;
	PyThreadState *thread;
	bool good;

	if (!tfrkit_enter(&b->guard, "this iterator", &thread))
		return NULL;
	b->thread = thread;
	status = b->pending ? TFR_OK : next_block(b, &err);
	PyEval_RestoreThread(b->thread);
	if (!status && !b->pending)
		b->pending = tfrkit_batch_new(b->batch_type, b->tensor_type,
			(PyObject *)b->features, b->columns, b->last);
	good = end_call(b, status, &err);
	b->guard.busy = false;
	return good ? take_pending(b) : NULL;
}

static PyObject *batches_next(PyObject *self)
{
	return (PyObject *)tfrkit_batches_next(self);
}

struct tfrkit_features *tfrkit_batches_features(PyObject *self)
{
	return ((struct batches *)self)->features;
}

/* --- opening and closing --- */

static enum tfr_status open_pipeline(
	struct batches *b, struct tfr_pipeline_opts *opts, struct tfr_error *err)
{
	enum tfr_status status = tfr_devices_open(&b->devices, &b->device_count, "host", err);

	opts->devices = b->devices;
	opts->device_count = b->device_count;
	opts->set = b->files->set;
	opts->features = b->features->list;
	opts->feature_count = b->features->count;
	opts->in_place = true;
	opts->skipped = skipped;
	opts->warn = warn;
	opts->cancelled = cancelled;
	opts->ctx = b;
	clock_gettime(CLOCK_MONOTONIC, &b->looked);
	return status ? status : tfr_pipeline_open(&b->pipeline, opts, err);
}

static bool start_pipeline(struct batches *b, struct tfr_pipeline_opts *opts)
{
	struct tfr_error err = { 0 };
	enum tfr_status status;
	PyThreadState *thread;

	if (!tfrkit_enter(&b->guard, "this iterator", &thread))
		return false;
	b->thread = thread;
	status = open_pipeline(b, opts, &err);
	tfrkit_leave(&b->guard, b->thread);
	return end_call(b, status, &err);
}

static struct batches *new_batches(
	struct tfrkit_state *state, PyObject *files, PyObject *features, PyObject *batch_type)
{
	struct batches *b = (struct batches *)PyType_GenericAlloc(state->types[TFRKIT_BATCHES], 0);

	if (!b)
		return NULL;
	b->guard = tfrkit_guard_new();
	pthread_mutex_init(&b->lock, NULL);
	b->files = (struct tfrkit_files *)Py_NewRef(files);
	b->features = (struct tfrkit_features *)Py_NewRef(features);
	b->batch_type = (PyTypeObject *)Py_NewRef(batch_type);
	b->tensor_type = (PyTypeObject *)Py_NewRef((PyObject *)state->types[TFRKIT_TENSOR]);
	return b;
}

PyObject *tfrkit_batches_open(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "files", "features", "batch_type", "columns", "stages", "where",
		"epochs", "seed", "threads", "memory", "drop_remainder", "shuffle_files",
		"skip_bad", NULL };
	struct tfrkit_state *state = PyModule_GetState(module);
	unsigned long long epochs, seed, memory;
	struct tfr_pipeline_opts opts = { 0 };
	int drop_remainder, shuffle_files, skip_bad;
	PyObject *files, *features, *type, *columns;
	struct batches *b;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!O!Osz$KKIKppp", names,
		    state->types[TFRKIT_FILES], &files, state->types[TFRKIT_FEATURES], &features,
		    &PyType_Type, &type, &columns, &opts.stages, &opts.where, &epochs, &seed,
		    &opts.threads, &memory, &drop_remainder, &shuffle_files, &skip_bad))
		return NULL;
	if (!tfrkit_is_batch_type(state, type))
		return NULL;
	opts.epochs = epochs;
	opts.seed = seed;
	opts.memory = memory;
	opts.drop_remainder = drop_remainder;
	opts.shuffle_files = shuffle_files;
	opts.skip_bad = skip_bad;
	b = new_batches(state, files, features, type);
	if (b)
		b->columns = Py_NewRef(columns);
	if (b && !start_pipeline(b, &opts))
		Py_CLEAR(b);
	return (PyObject *)b;
}

static PyObject *batches_close(PyObject *self, PyObject *unused)
{
	struct batches *b = (struct batches *)self;
	PyThreadState *thread;

	(void)unused;
	if (!tfrkit_enter(&b->guard, "this iterator", &thread))
		return NULL;
	b->thread = thread;
	close_pipeline(b);
	tfrkit_leave(&b->guard, thread);
	Py_RETURN_NONE;
}

static PyObject *batches_features(PyObject *self, void *unused)
{
	(void)unused;
	return Py_NewRef((PyObject *)((struct batches *)self)->features);
}

static PyObject *batches_skipped(PyObject *self, void *unused)
{
	(void)unused;
	return PyLong_FromUnsignedLongLong(atomic_load(&((struct batches *)self)->skipped));
}

static PyMethodDef methods[] = {
	{ "close", batches_close, METH_NOARGS, "Stop the pipeline." },
	{ "__arrow_c_stream__", (PyCFunction)(void (*)(void))tfrkit_arrow_stream,
		METH_VARARGS | METH_KEYWORDS, "The remaining batches as a stream of Arrow." },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef getters[] = {
	{ "features", batches_features, NULL, "The features, in order.", NULL },
	{ "skipped", batches_skipped, NULL, "Records left out so far.", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyObject *batches_iter(PyObject *self)
{
	return Py_NewRef(self);
}

static PyType_Slot slots[] = {
	{ Py_tp_doc, "The batches of a pipeline." },
	{ Py_tp_dealloc, batches_dealloc },
	{ Py_tp_iter, batches_iter },
	{ Py_tp_iternext, batches_next },
	{ Py_tp_methods, methods },
	{ Py_tp_getset, getters },
	{ 0, NULL },
};

PyType_Spec tfrkit_batches_spec = { "tfrkit._core.Batches", sizeof(struct batches), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };
