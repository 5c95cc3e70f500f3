/* tensor.c - a part of a batch as an object with a buffer, which NumPy views, and with DLPack. */
#include "batches.h"

static const char *format_of(enum tfr_dtype dtype)
{
	switch (dtype) {
	case TFR_UINT8:
		return "B";
	case TFR_FLOAT16:
		return "e";
	case TFR_FLOAT32:
		return "f";
	case TFR_INT64:
		return "q";
	case TFR_INT32:
		return "i";
	case TFR_INT16:
		return "h";
	default:
		return NULL;
	}
}

PyObject *tfrkit_tensor_new(
	PyTypeObject *type, struct tfrkit_block *block, const struct tfr_tensor *t)
{
	PyObject *self = PyType_GenericAlloc(type, 0);

	if (!self)
		return NULL;
	((struct tfrkit_tensor *)self)->block = tfrkit_block_ref(block);
	((struct tfrkit_tensor *)self)->is = *t;
	return self;
}

static void tensor_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	tfrkit_block_unref(((struct tfrkit_tensor *)self)->block);
	PyObject_Free(self);
	Py_DECREF(type);
}

static size_t count_of(const struct tfr_tensor *t)
{
	size_t n = 1;

	for (unsigned k = 0; k < t->rank; k++)
		n *= t->shape[k];
	return n;
}

static bool is_contiguous(const struct tfr_tensor *t)
{
	int64_t stride = (int64_t)tfr_dtype_size(t->dtype);

	for (unsigned k = t->rank; k-- > 0; stride *= (int64_t)t->shape[k])
		if (t->shape[k] > 1 && t->strides[k] != stride)
			return false;
	return true;
}

/* The batch belongs to its holders alone, so that they may write to it. */
static int tensor_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
	struct tfr_tensor *t = &((struct tfrkit_tensor *)self)->is;
	const char *format = format_of(t->dtype);
	bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
	bool shaped = (flags & PyBUF_ND) == PyBUF_ND;

	view->obj = NULL;
	if (!format || (!strided && !is_contiguous(t))) {
		PyErr_SetString(PyExc_BufferError, format ? "the tensor is not contiguous"
							  : "a buffer has no bfloat16: use DLPack");
		return -1;
	}
	*view = (Py_buffer){ .buf = t->data,
		.obj = Py_NewRef(self),
		.itemsize = (Py_ssize_t)tfr_dtype_size(t->dtype),
		.len = (Py_ssize_t)(count_of(t) * tfr_dtype_size(t->dtype)),
		.ndim = shaped ? (int)t->rank : 1,
		.format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)format : NULL,
		.shape = shaped ? (Py_ssize_t *)t->shape : NULL,
		.strides = strided ? (Py_ssize_t *)t->strides : NULL };
	return 0;
}

static PyObject *tensor_shape(PyObject *self, void *unused)
{
	const struct tfr_tensor *t = &((struct tfrkit_tensor *)self)->is;
	PyObject *shape = PyTuple_New((Py_ssize_t)t->rank);

	(void)unused;
	for (unsigned k = 0; shape && k < t->rank; k++) {
		PyObject *one = PyLong_FromUnsignedLongLong(t->shape[k]);

		if (one)
			PyTuple_SetItem(shape, (Py_ssize_t)k, one);
		else
			Py_CLEAR(shape);
	}
	return shape;
}

static PyObject *tensor_dtype(PyObject *self, void *unused)
{
	(void)unused;
	return PyUnicode_FromString(tfr_dtype_name(((struct tfrkit_tensor *)self)->is.dtype));
}

static PyGetSetDef getters[] = {
	{ "shape", tensor_shape, NULL, "The length of each axis.", NULL },
	{ "dtype", tensor_dtype, NULL, "The name of the number type, such as \"float32\".", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef methods[] = {
	{ "__dlpack__", (PyCFunction)(void (*)(void))tfrkit_dlpack, METH_VARARGS | METH_KEYWORDS,
		"The tensor as a capsule of DLPack." },
	{ "__dlpack_device__", tfrkit_dlpack_device, METH_NOARGS, "The processor's memory." },
	{ NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
	{ Py_tp_doc, "Numbers of a batch: a buffer in the batch's memory, which it keeps alive." },
	{ Py_tp_dealloc, tensor_dealloc },
	{ Py_tp_getset, getters },
	{ Py_tp_methods, methods },
	{ Py_bf_getbuffer, tensor_getbuffer },
	{ 0, NULL },
};

PyType_Spec tfrkit_tensor_spec = { "tfrkit._core.Tensor", sizeof(struct tfrkit_tensor), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };
