/* arrow.c - batches for pyarrow, polars, DuckDB and pandas, by Arrow's C data interface.
 *
 * A batch is a struct array with one child per feature.  The buffers are those of the batch.
 *
 *   int64, float, bytes, utf8     int64, float32, large_binary, large_utf8
 *   dense, N values per record    fixed_size_list[N] of these; for N = 1 these themselves
 *   padded, ragged                large_list of these; the offsets of padded rows are made here
 *
 * Nothing here is null.  Each structure owns its children until they are moved out, and each array
 * holds the block, because a child that was moved out outlives its parent. */
#include "batches.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the structures, as the specification has them: CDataInterface.html, CStreamInterface.html and
 * CDataInterface/PyCapsuleInterface.html of https://arrow.apache.org/docs/format/ --- */

struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

/* --- arrays: each node is one allocation, freed by its release --- */

struct node {
	struct tfrkit_block *block;
	int64_t *made;		    /* offsets that the batch has not */
	const void *buffers[3];
	struct ArrowArray *children[];
};

static void release_array(struct ArrowArray *a)
{
	struct node *node = a->private_data;

	for (int64_t i = 0; i < a->n_children; i++) {
		struct ArrowArray *child = node->children[i];

		if (child && child->release)
			child->release(child);
		free(child);
	}
	tfrkit_block_unref(node->block);
	free(node->made);
	free(node);
	a->release = NULL;
}

/* False: out of memory. */
static bool init_array(struct ArrowArray *a, struct tfrkit_block *block, uint64_t length,
	int64_t buffers, size_t children)
{
	struct node *node = calloc(1, sizeof(*node) + children * sizeof(struct ArrowArray *));

	if (!node)
		return false;
	node->block = tfrkit_block_ref(block);
	*a = (struct ArrowArray){ .length = (int64_t)length,
		.n_buffers = buffers,
		.buffers = node->buffers,
		.children = node->children,
		.n_children = (int64_t)children,
		.release = release_array,
		.private_data = node };
	for (size_t i = 0; i < children; i++) {
		node->children[i] = calloc(1, sizeof(struct ArrowArray));
		if (!node->children[i]) {
			release_array(a);
			return false;
		}
	}
	return true;
}

static bool is_list(const struct tfr_batch_feature *f)
{
	return f->layout != TFR_DENSE || f->count != 1;
}

/* The values; `tensors` are the tensors of the feature. */
static bool init_values(struct ArrowArray *a, struct tfrkit_block *block,
	const struct tfr_batch_feature *f, const struct tfr_tensor *tensors)
{
	bool bytes = f->kind == TFR_KIND_BYTES;
	uint64_t count =
		bytes ? tensors[1].shape[0] - 1
		      : tensors[0].shape[0] * (tensors[0].rank > 1 ? tensors[0].shape[1] : 1);

	if (!init_array(a, block, count, bytes ? 3 : 2, 0))
		return false;
	if (bytes)
		a->buffers[1] = tensors[1].data;
	a->buffers[bytes ? 2 : 1] = tensors[0].data;
	return true;
}

/* Rows of `values` values in all. */
static bool make_offsets(struct ArrowArray *a, uint64_t rows, uint64_t values)
{
	struct node *node = a->private_data;
	uint64_t width = rows ? values / rows : 0;

	node->made = malloc((rows + 1) * sizeof(*node->made));
	for (uint64_t i = 0; node->made && i <= rows; i++)
		node->made[i] = (int64_t)(i * width);
	node->buffers[1] = node->made;
	return node->made != NULL;
}

static bool init_column(struct ArrowArray *a, struct tfrkit_block *block,
	const struct tfr_batch_feature *f, const struct tfr_tensor *tensors)
{
	bool fixed = f->layout == TFR_DENSE;
	uint64_t rows = block->batch.records;

	if (!is_list(f))
		return init_values(a, block, f, tensors);
	if (!init_array(a, block, rows, fixed ? 1 : 2, 1))
		return false;
	if (!init_values(a->children[0], block, f, tensors))
		return false;
	if (f->layout == TFR_RAGGED)
		a->buffers[1] = tensors[f->kind == TFR_KIND_BYTES ? 2 : 1].data;
	return f->layout != TFR_PADDED || make_offsets(a, rows, (uint64_t)a->children[0]->length);
}

static unsigned tensor_count(const struct tfr_batch_feature *f)
{
	return 1 + (f->kind == TFR_KIND_BYTES) + (f->layout == TFR_RAGGED);
}

/* Whether each value is UTF-8: all are together, and none begins within a character.  Otherwise an
 * exception is set. */
static bool is_text(const struct tfr_batch_feature *f, const struct tfr_tensor *tensors)
{
	const int64_t *offsets = tensors[1].data;
	const uint8_t *text = tensors[0].data;
	uint64_t count = tensors[1].shape[0] - 1;
	PyObject *decoded =
		PyUnicode_DecodeUTF8((const char *)text, (Py_ssize_t)offsets[count], NULL);
	bool good = decoded != NULL;

	for (uint64_t i = 0; good && i < count; i++)
		good = offsets[i] == offsets[count] || (text[offsets[i]] & 0xc0) != 0x80;
	Py_XDECREF(decoded);
	if (!good && !PyErr_ExceptionMatches(PyExc_MemoryError)) {
		struct tfr_error err = { .status = TFR_EDATA };

		PyErr_Clear();
		snprintf(err.message, sizeof(err.message),
			"feature '%.500s' has a value that is not UTF-8", f->name);
		tfrkit_raise(&err);
	}
	return good;
}

/* False: an exception is set, and nothing is in `a`. */
static bool init_batch(struct ArrowArray *a, const struct tfrkit_batch *b)
{
	const struct tfr_tensor *tensors = b->tensors;
	bool good = init_array(a, b->block, b->block->batch.records, 1, b->features->count);

	for (size_t i = 0; good && i < b->features->count; i++) {
		const struct tfr_batch_feature *f = &b->features->list[i];

		good = init_column(a->children[i], b->block, f, tensors) &&
		       (!b->features->more[i].text || is_text(f, tensors));
		tensors += tensor_count(f);
	}
	if (!good && !PyErr_Occurred())
		PyErr_NoMemory();
	if (!good && a->release)
		release_array(a);
	return good;
}

/* --- schemas --- */

struct schema_node {
	char *name;
	char format[24];
	struct ArrowSchema *children[];
};

static void release_schema(struct ArrowSchema *s)
{
	struct schema_node *node = s->private_data;

	for (int64_t i = 0; i < s->n_children; i++) {
		struct ArrowSchema *child = node->children[i];

		if (child && child->release)
			child->release(child);
		free(child);
	}
	free(node->name);
	free(node);
	s->release = NULL;
}

static bool init_schema(struct ArrowSchema *s, const char *name, size_t children)
{
	struct schema_node *node =
		calloc(1, sizeof(*node) + children * sizeof(struct ArrowSchema *));

	if (!node)
		return false;
	node->name = strdup(name);
	*s = (struct ArrowSchema){ .format = node->format,
		.name = node->name,
		.n_children = (int64_t)children,
		.children = node->children,
		.release = release_schema,
		.private_data = node };
	for (size_t i = 0; node->name && i < children; i++) {
		node->children[i] = calloc(1, sizeof(struct ArrowSchema));
		if (!node->children[i]) {
			release_schema(s);
			return false;
		}
	}
	if (!node->name)
		release_schema(s);
	return s->release != NULL;
}

static char *format_of(struct ArrowSchema *s)
{
	return ((struct schema_node *)s->private_data)->format;
}

static bool init_field(struct ArrowSchema *s, const struct tfr_batch_feature *f, bool text)
{
	static const char *const formats[] = {
		[TFR_KIND_BYTES] = "Z", [TFR_KIND_FLOAT] = "f", [TFR_KIND_INT64] = "l"
	};
	struct ArrowSchema *values = s;

	if (!init_schema(s, f->name, is_list(f)))
		return false;
	if (is_list(f)) {
		if (f->layout == TFR_DENSE)
			snprintf(format_of(s), sizeof(((struct schema_node *)0)->format), "+w:%zu",
				f->count);
		else
			strcpy(format_of(s), "+L");
		values = s->children[0];
		if (!init_schema(values, "item", 0))
			return false;
	}
	strcpy(format_of(values), text ? "U" : formats[f->kind]);
	return true;
}

static bool init_schema_of(struct ArrowSchema *s, const struct tfrkit_features *f)
{
	bool good = init_schema(s, "", f->count);

	if (!good)
		return false;
	strcpy(format_of(s), "+s");
	for (size_t i = 0; good && i < f->count; i++)
		good = init_field(s->children[i], &f->list[i], f->more[i].text);
	if (!good)
		release_schema(s);
	return good;
}

/* --- capsules: they own the structure, and what it holds unless it was moved out --- */

static void destroy_schema(PyObject *capsule)
{
	struct ArrowSchema *s = PyCapsule_GetPointer(capsule, "arrow_schema");

	if (s->release)
		s->release(s);
	free(s);
}

static void destroy_array(PyObject *capsule)
{
	struct ArrowArray *a = PyCapsule_GetPointer(capsule, "arrow_array");

	if (a->release)
		a->release(a);
	free(a);
}

static void destroy_stream(PyObject *capsule)
{
	struct ArrowArrayStream *s = PyCapsule_GetPointer(capsule, "arrow_array_stream");

	if (s->release)
		s->release(s);
	free(s);
}

/* Columns of images and of unparsed payloads have no form here. */
static bool has_columns(const struct tfrkit_features *f, const struct tfrkit_batch *b)
{
	size_t tensors = 0;

	for (size_t i = 0; f && i < f->count; i++)
		tensors += tensor_count(&f->list[i]);
	if (!f || !f->count || (b && (!b->block || tensors != b->block->batch.tensor_count))) {
		PyErr_SetString(PyExc_TypeError, "only batches of features are arrays of Arrow");
		return false;
	}
	return true;
}

/* A capsule that owns a structure of zeros, to be filled in. */
static PyObject *new_capsule(size_t size, const char *name, PyCapsule_Destructor destroy)
{
	void *structure = calloc(1, size);
	PyObject *capsule = structure ? PyCapsule_New(structure, name, destroy) : PyErr_NoMemory();

	if (!capsule)
		free(structure);
	return capsule;
}

static PyObject *schema_capsule(const struct tfrkit_features *f)
{
	PyObject *capsule = new_capsule(sizeof(struct ArrowSchema), "arrow_schema", destroy_schema);

	if (capsule && !init_schema_of(PyCapsule_GetPointer(capsule, "arrow_schema"), f)) {
		Py_CLEAR(capsule);
		PyErr_NoMemory();
	}
	return capsule;
}

static PyObject *array_capsule(const struct tfrkit_batch *b)
{
	PyObject *capsule = new_capsule(sizeof(struct ArrowArray), "arrow_array", destroy_array);

	if (capsule && !init_batch(PyCapsule_GetPointer(capsule, "arrow_array"), b))
		Py_CLEAR(capsule);
	return capsule;
}

/* A schema that the consumer would like better is ignored, as the protocol allows. */
static bool no_request(PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "requested_schema", NULL };
	PyObject *requested = NULL;

	return PyArg_ParseTupleAndKeywords(args, kwargs, "|O", names, &requested);
}

PyObject *tfrkit_arrow_schema(PyObject *self, PyObject *unused)
{
	const struct tfrkit_features *f = (struct tfrkit_features *)self;

	(void)unused;
	return has_columns(f, NULL) ? schema_capsule(f) : NULL;
}

PyObject *tfrkit_arrow_array(PyObject *self, PyObject *args, PyObject *kwargs)
{
	const struct tfrkit_batch *b = (struct tfrkit_batch *)self;
	PyObject *schema, *array;

	if (!no_request(args, kwargs) || !has_columns(b->features, b))
		return NULL;
	schema = schema_capsule(b->features);
	array = schema ? array_capsule(b) : NULL;
	if (!array) {
		Py_XDECREF(schema);
		return NULL;
	}
	return Py_BuildValue("(NN)", schema, array);
}

/* --- streams: called by any thread, with or without the GIL --- */

struct stream {
	PyObject *batches;
	char *error;
};

static int stream_schema(struct ArrowArrayStream *s, struct ArrowSchema *out)
{
	struct stream *is = s->private_data;

	return init_schema_of(out, tfrkit_batches_features(is->batches)) ? 0 : ENOMEM;
}

/* Keeps the text of the exception, which is cleared. */
static int keep_error(struct stream *is)
{
	PyObject *type, *value, *trace, *text, *utf8;
	int code = PyErr_ExceptionMatches(PyExc_MemoryError)	     ? ENOMEM
		   : PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) ? EINTR
		   : PyErr_ExceptionMatches(PyExc_ValueError)	     ? EINVAL
								     : EIO;

	PyErr_Fetch(&type, &value, &trace);
	text = value ? PyObject_Str(value) : NULL;
	utf8 = text ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace") : NULL;
	free(is->error);
	is->error = utf8 ? strdup(PyBytes_AsString(utf8)) : NULL;
	Py_XDECREF(utf8);
	Py_XDECREF(text);
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(trace);
	PyErr_Clear();
	return code;
}

static int stream_next(struct ArrowArrayStream *s, struct ArrowArray *out)
{
	PyGILState_STATE state = PyGILState_Ensure();
	struct stream *is = s->private_data;
	struct tfrkit_batch *b = tfrkit_batches_next(is->batches);
	int code = 0;

	*out = (struct ArrowArray){ 0 };
	if (b && has_columns(b->features, b))
		init_batch(out, b);
	Py_XDECREF((PyObject *)b);
	if (PyErr_Occurred())
		code = keep_error(is);
	PyGILState_Release(state);
	return code;
}

static const char *stream_error(struct ArrowArrayStream *s)
{
	return ((struct stream *)s->private_data)->error;
}

/* A consumer may outlive the interpreter; then there is nothing left to free. */
static void stream_release(struct ArrowArrayStream *s)
{
	struct stream *is = s->private_data;

	if (Py_IsInitialized()) {
		PyGILState_STATE state = PyGILState_Ensure();

		Py_DECREF(is->batches);
		PyGILState_Release(state);
	}
	free(is->error);
	free(is);
	s->release = NULL;
}

PyObject *tfrkit_arrow_stream(PyObject *self, PyObject *args, PyObject *kwargs)
{
	struct stream *is;
	PyObject *capsule;

	if (!no_request(args, kwargs) || !has_columns(tfrkit_batches_features(self), NULL))
		return NULL;
	capsule =
		new_capsule(sizeof(struct ArrowArrayStream), "arrow_array_stream", destroy_stream);
	is = capsule ? calloc(1, sizeof(*is)) : NULL;
	if (!is) {
		Py_XDECREF(capsule);
		return PyErr_NoMemory();
	}
	is->batches = Py_NewRef(self);
	*(struct ArrowArrayStream *)PyCapsule_GetPointer(capsule, "arrow_array_stream") =
		(struct ArrowArrayStream){ stream_schema, stream_next, stream_error, stream_release,
			is };
	return capsule;
}
