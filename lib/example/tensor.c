/* example/tensor.c - TensorProtos: types, shapes, and values in either of the two ways to store
 * them.
 *
 * tensor_content has the elements as in memory, little-endian; for strings, all lengths as
 * varints and then all bytes.  The repeated fields have one value per element and may end early:
 * the last value then stands for the rest, and no value at all means zeros
 * (tensorflow/core/framework/tensor.cc).  Memory never grows with the claims of a shape, only
 * with the stored values: 10^18 elements are cheap to claim. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "example/tensor.h"
#include "example/wire.h"

/* By number in tensorflow/core/framework/types.proto; an entry without a name is not a type. */
static const struct tfr_tensor_dtype dtypes[] = {
	[1] = { "float32", TFR_FORM_F32, 4 },
	[2] = { "float64", TFR_FORM_F64, 8 },
	[3] = { "int32", TFR_FORM_INT, 4 },
	[4] = { "uint8", TFR_FORM_UINT, 1 },
	[5] = { "int16", TFR_FORM_INT, 2 },
	[6] = { "int8", TFR_FORM_INT, 1 },
	[7] = { "string", TFR_FORM_STRING, 0 },
	[8] = { "complex64", TFR_FORM_COMPLEX64, 8 },
	[9] = { "int64", TFR_FORM_I64, 8 },
	[10] = { "bool", TFR_FORM_BOOL, 1 },
	[11] = { "qint8", TFR_FORM_INT, 1 },
	[12] = { "quint8", TFR_FORM_UINT, 1 },
	[13] = { "qint32", TFR_FORM_INT, 4 },
	[14] = { "bfloat16", TFR_FORM_HALF, 2, 8, 7, 127, TFR_IEEE },
	[15] = { "qint16", TFR_FORM_INT, 2 },
	[16] = { "quint16", TFR_FORM_UINT, 2 },
	[17] = { "uint16", TFR_FORM_UINT, 2 },
	[18] = { "complex128", TFR_FORM_COMPLEX128, 16 },
	[19] = { "float16", TFR_FORM_HALF, 2, 5, 10, 15, TFR_IEEE },
	[20] = { "resource", TFR_FORM_OPAQUE, 0 },
	[21] = { "variant", TFR_FORM_OPAQUE, 0 },
	[22] = { "uint32", TFR_FORM_U32, 4 },
	[23] = { "uint64", TFR_FORM_U64, 8 },
	[24] = { "float8_e5m2", TFR_FORM_SMALL, 1, 5, 2, 15, TFR_IEEE },
	[25] = { "float8_e4m3fn", TFR_FORM_SMALL, 1, 4, 3, 7, TFR_LAST_IS_NAN },
	[26] = { "float8_e4m3fnuz", TFR_FORM_SMALL, 1, 4, 3, 8, TFR_MINUS_0_IS_NAN },
	[27] = { "float8_e4m3b11fnuz", TFR_FORM_SMALL, 1, 4, 3, 11, TFR_MINUS_0_IS_NAN },
	[28] = { "float8_e5m2fnuz", TFR_FORM_SMALL, 1, 5, 2, 16, TFR_MINUS_0_IS_NAN },
	[29] = { "int4", TFR_FORM_I_BITS, 1, .fraction = 4 },
	[30] = { "uint4", TFR_FORM_U_BITS, 1, .fraction = 4 },
	[31] = { "int2", TFR_FORM_I_BITS, 1, .fraction = 2 },
	[32] = { "uint2", TFR_FORM_U_BITS, 1, .fraction = 2 },
	[33] = { "float4_e2m1fn", TFR_FORM_SMALL, 1, 2, 1, 1, TFR_ALL_FINITE },
};

static bool count_elements(const Tfr__TensorShape *shape, uint64_t *elements)
{
	bool empty = false;

	*elements = 1;
	if (!shape || shape->unknown_rank)
		return false;
	for (size_t i = 0; i < shape->n_dim; i++) {
		if (shape->dim[i]->size < 0)
			return false;
		empty |= !shape->dim[i]->size;
	}
	for (size_t i = 0; !empty && i < shape->n_dim; i++)
		if (__builtin_mul_overflow(*elements, (uint64_t)shape->dim[i]->size, elements))
			return false;
	if (empty)
		*elements = 0;
	return true;
}

/* The number of values in the repeated field for this form.  Reads value `i`, unless `v` is NULL.
 */
static uint64_t read_field(
	const Tfr__TensorProto *m, enum tfr_form form, uint64_t i, struct tfr_tensor_value *v)
{
	switch (form) {
	case TFR_FORM_F32:
		if (v)
			v->f[0] = m->float_val[i];
		return m->n_float_val;
	case TFR_FORM_F64:
		if (v)
			v->d[0] = m->double_val[i];
		return m->n_double_val;
	case TFR_FORM_HALF:
		if (v)
			v->i = m->half_val[i];
		return m->n_half_val;
	case TFR_FORM_SMALL:
		if (v)
			v->i = m->float8_val.data[i];
		return m->float8_val.len;
	case TFR_FORM_I_BITS:
	case TFR_FORM_U_BITS:
	case TFR_FORM_INT:
	case TFR_FORM_UINT:
		if (v)
			v->i = m->int_val[i];
		return m->n_int_val;
	case TFR_FORM_I64:
		if (v)
			v->i = m->int64_val[i];
		return m->n_int64_val;
	case TFR_FORM_U32:
		if (v)
			v->i = m->uint32_val[i];
		return m->n_uint32_val;
	case TFR_FORM_U64:
		if (v)
			v->u = m->uint64_val[i];
		return m->n_uint64_val;
	case TFR_FORM_BOOL:
		if (v)
			v->i = m->bool_val[i];
		return m->n_bool_val;
	case TFR_FORM_STRING:
		if (v)
			v->bytes =
				(struct tfr_bytes){ m->string_val[i].data, m->string_val[i].len };
		return m->n_string_val;
	case TFR_FORM_COMPLEX64:
		if (v)
			memcpy(v->f, m->scomplex_val + 2 * i, sizeof(v->f));
		return m->n_scomplex_val / 2;
	case TFR_FORM_COMPLEX128:
		if (v)
			memcpy(v->d, m->dcomplex_val + 2 * i, sizeof(v->d));
		return m->n_dcomplex_val / 2;
	case TFR_FORM_OPAQUE:
		break;
	}
	return 0;
}

/* Checks that the content is the lengths of all strings and then their bytes; finds the start of
 * the bytes. */
static bool check_texts(struct tfr_tensor_proto *t)
{
	const ProtobufCBinaryData *c = &t->message->tensor_content;
	struct tfr_wire w = { .p = c->data, .end = c->data + c->len };
	uint64_t length, total = 0;

	if (t->elements > c->len) /* a string takes at least one byte */
		return false;
	for (uint64_t i = 0; i < t->elements; i++) {
		if (!tfr_wire_varint(&w, 5, UINT32_MAX, &length))
			return false;
		total += length;
	}
	t->length = c->data;
	t->data = w.p;
	return total == (uint64_t)(w.end - w.p);
}

static bool check_content(struct tfr_tensor_proto *t)
{
	uint64_t size;

	t->count = t->elements;
	if (t->dtype->form == TFR_FORM_STRING)
		return check_texts(t);
	if (!t->dtype->size)
		return false;
	return !__builtin_mul_overflow(t->elements, (uint64_t)t->dtype->size, &size) &&
	       size == t->message->tensor_content.len;
}

enum tfr_status tfr_tensor_init(
	struct tfr_tensor_proto *t, const Tfr__TensorProto *message, struct tfr_error *err)
{
	size_t n = sizeof(dtypes) / sizeof(dtypes[0]);

	*t = (struct tfr_tensor_proto){ .message = message };
	if (message->dtype < 0 || (size_t)message->dtype >= n || !dtypes[message->dtype].name)
		return tfr_fail(err, TFR_EDATA, "not a TensorProto: no type has the number %d",
			(int)message->dtype);
	t->dtype = &dtypes[message->dtype];
	if (!count_elements(message->tensor_shape, &t->elements))
		return tfr_fail(err, TFR_EDATA, "not a TensorProto: no shape, or not a known one");
	t->count = read_field(message, t->dtype->form, 0, NULL);
	if (message->tensor_content.len ? !check_content(t) : t->count > t->elements)
		return tfr_fail(err, TFR_EDATA,
			"not a TensorProto: its values do not go with its shape and type");
	return TFR_OK;
}

/* A float of at most 16 bits, which a float32 holds exactly
 * (https://github.com/jax-ml/ml_dtypes describes the formats). */
static float widen_float(const struct tfr_tensor_dtype *d, unsigned bits)
{
	unsigned sign = bits >> (d->exponent + d->fraction) & 1, f;
	unsigned top = (1u << d->exponent) - 1, e = bits >> d->fraction & top;
	float v;

	f = bits & ((1u << d->fraction) - 1);
	if (d->specials == TFR_IEEE && e == top)
		v = f ? NAN : INFINITY;
	else if ((d->specials == TFR_LAST_IS_NAN && e == top && f == (1u << d->fraction) - 1) ||
		 (d->specials == TFR_MINUS_0_IS_NAN && sign && !e && !f))
		v = NAN;
	else
		v = ldexpf((float)(e ? f | 1u << d->fraction : f),
			(int)(e ? e : 1) - d->bias - d->fraction);
	return sign ? -v : v;
}

/* The lowest bits of a stored value. */
static int64_t narrow_integer(const struct tfr_tensor_dtype *d, int64_t stored)
{
	unsigned unused = 64 - d->fraction;
	uint64_t v = (uint64_t)stored << unused;

	return d->form == TFR_FORM_I_BITS ? (int64_t)v >> unused : (int64_t)(v >> unused);
}

static void next_text(struct tfr_tensor_proto *t, struct tfr_tensor_value *v)
{
	const ProtobufCBinaryData *c = &t->message->tensor_content;
	struct tfr_wire w = { .p = t->length, .end = c->data + c->len };
	uint64_t length = 0;

	tfr_wire_varint(&w, 5, UINT32_MAX, &length);
	v->bytes = (struct tfr_bytes){ t->data, length };
	t->length = w.p;
	t->data += length;
}

/* The next element of the content, stored as in memory. */
static void read_content(struct tfr_tensor_proto *t, struct tfr_tensor_value *v)
{
	unsigned size = t->dtype->size, unused = 64 - 8 * size;
	const uint8_t *p = t->message->tensor_content.data + t->next * size;

	switch (t->dtype->form) {
	case TFR_FORM_F32:
	case TFR_FORM_COMPLEX64:
		memcpy(v->f, p, size);
		break;
	case TFR_FORM_F64:
	case TFR_FORM_COMPLEX128:
		memcpy(v->d, p, size);
		break;
	case TFR_FORM_INT:
		memcpy(&v->u, p, size);
		v->i = (int64_t)(v->u << unused) >> unused;
		break;
	default:
		memcpy(&v->u, p, size);
		v->i = (int64_t)v->u;
		break;
	}
}

/* Widens integers and half floats to the types that callers distinguish. */
static void widen_value(const struct tfr_tensor_dtype *d, struct tfr_tensor_value *v)
{
	switch (v->form) {
	case TFR_FORM_HALF:
	case TFR_FORM_SMALL:
		v->f[0] = widen_float(d, (unsigned)v->i);
		v->form = TFR_FORM_F32;
		break;
	case TFR_FORM_I_BITS:
	case TFR_FORM_U_BITS:
		v->i = narrow_integer(d, v->i);
		v->form = TFR_FORM_I64;
		break;
	case TFR_FORM_INT:
	case TFR_FORM_UINT:
	case TFR_FORM_U32:
		v->form = TFR_FORM_I64;
		break;
	default:
		break;
	}
}

bool tfr_tensor_next(struct tfr_tensor_proto *t, struct tfr_tensor_value *v)
{
	if (t->next == t->count || t->dtype->form == TFR_FORM_OPAQUE)
		return false;
	*v = (struct tfr_tensor_value){ .form = t->dtype->form };
	if (!t->message->tensor_content.len)
		read_field(t->message, v->form, t->next, v);
	else if (v->form == TFR_FORM_STRING)
		next_text(t, v);
	else
		read_content(t, v);
	widen_value(t->dtype, v);
	t->next++;
	return true;
}
