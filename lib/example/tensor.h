/* example/tensor.h - reads the values of a TensorProto in order, however they are stored. */
#ifndef TFR_EXAMPLE_TENSOR_H
#define TFR_EXAMPLE_TENSOR_H

#include <tfr-private/example.h>

#include "tensor.pb-c.h"

/* How a value is read; FORM_OPAQUE: only its size is shown. */
enum tfr_form {
	TFR_FORM_OPAQUE,
	TFR_FORM_F32,
	TFR_FORM_F64,
	TFR_FORM_HALF,	 /* 16 bits, of either kind */
	TFR_FORM_SMALL,	 /* a float of 8 bits or less */
	TFR_FORM_I_BITS, /* int4, int2: one byte each */
	TFR_FORM_U_BITS,
	TFR_FORM_INT, /* 8 to 32 bits */
	TFR_FORM_I64,
	TFR_FORM_UINT, /* 8 or 16 bits */
	TFR_FORM_U32,
	TFR_FORM_U64,
	TFR_FORM_BOOL,
	TFR_FORM_STRING,
	TFR_FORM_COMPLEX64,
	TFR_FORM_COMPLEX128,
};

/* The meaning of the highest bit patterns of a float of at most 16 bits. */
enum tfr_specials {
	TFR_IEEE,	    /* infinities and NaNs, with the highest exponent */
	TFR_LAST_IS_NAN,    /* all bits set, no infinities: "fn" */
	TFR_MINUS_0_IS_NAN, /* the only NaN, no infinities: "fnuz" */
	TFR_ALL_FINITE,
};

struct tfr_tensor_dtype {
	const char *name; /* the name in tf.dtypes: "float32" */
	enum tfr_form form;
	unsigned size; /* bytes of one value in tensor_content, 0: not fixed */
	/* Small floats: bits of exponent and fraction, and the exponent's bias.  Integers below
	 * a byte: their bits. */
	uint8_t exponent, fraction, bias;
	enum tfr_specials specials;
};

/* A checked TensorProto and the position of the next value. */
struct tfr_tensor_proto {
	const Tfr__TensorProto *message;
	const struct tfr_tensor_dtype *dtype;
	uint64_t elements; /* of the shape */
	uint64_t count;	   /* stored values: the last one stands for the missing ones */
	uint64_t next;
	const uint8_t *length, *data; /* strings in tensor_content */
};

struct tfr_tensor_value {
	enum tfr_form form; /* F32, F64 (narrower floats: F32), I64, U64, BOOL, STRING,
			       COMPLEX64, COMPLEX128 */
	float f[2];
	double d[2];
	int64_t i;
	uint64_t u;
	struct tfr_bytes bytes;
};

/* TFR_EDATA: the type or the shape is invalid, or the values do not match them. */
enum tfr_status tfr_tensor_init(
	struct tfr_tensor_proto *t, const Tfr__TensorProto *message, struct tfr_error *err);
/* False: there are no more stored values, or the type is opaque. */
bool tfr_tensor_next(struct tfr_tensor_proto *t, struct tfr_tensor_value *v);

#endif
