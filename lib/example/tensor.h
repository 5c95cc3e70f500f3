/* example/tensor.h - a TensorProto read: its values one after another, however they are stored. */
#ifndef TFR_EXAMPLE_TENSOR_H
#define TFR_EXAMPLE_TENSOR_H

#include <tfr-private/example.h>

#include "event.pb-c.h"

/* What a value is read as; FORM_OPAQUE: shown by its size alone. */
enum tfr_form {
	TFR_FORM_OPAQUE,
	TFR_FORM_F32,
	TFR_FORM_F64,
	TFR_FORM_HALF,	/* 16 bits, of either kind */
	TFR_FORM_SMALL, /* a float of 8 bits or less */
	TFR_FORM_I8,
	TFR_FORM_I_BITS, /* int4, int2: a byte each */
	TFR_FORM_U_BITS,
	TFR_FORM_I16,
	TFR_FORM_I32,
	TFR_FORM_I64,
	TFR_FORM_U8,
	TFR_FORM_U16,
	TFR_FORM_U32,
	TFR_FORM_U64,
	TFR_FORM_BOOL,
	TFR_FORM_STRING,
	TFR_FORM_COMPLEX64,
	TFR_FORM_COMPLEX128,
};

/* What a float of at most 16 bits takes its highest patterns for. */
enum tfr_specials {
	TFR_IEEE,	    /* infinities and NaNs, of the highest exponent */
	TFR_LAST_IS_NAN,    /* all bits set, no infinities: "fn" */
	TFR_MINUS_0_IS_NAN, /* the only one, no infinities: "fnuz" */
	TFR_ALL_FINITE,
};

struct tfr_tensor_dtype {
	const char *name; /* as tf.dtypes has it: "float32" */
	enum tfr_form form;
	unsigned size; /* of one value in tensor_content, 0: not fixed */
	/* Of small floats: bits of exponent and fraction, what the exponent is ahead by.  Of
	 * integers below a byte: their bits. */
	uint8_t exponent, fraction, bias;
	enum tfr_specials specials;
};

/* A checked TensorProto and the place of the value that comes next. */
struct tfr_tensor_proto {
	const Tfr__TensorProto *message;
	const struct tfr_tensor_dtype *dtype;
	uint64_t elements; /* that the shape has */
	uint64_t count;	   /* values that are stored: the last one stands for those that are not */
	uint64_t next;
	const uint8_t *length, *data; /* texts in tensor_content */
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

/* TFR_EDATA: no type or shape that exists, or values that do not go with them. */
enum tfr_status tfr_tensor_init(
	struct tfr_tensor_proto *t, const Tfr__TensorProto *message, struct tfr_error *err);
/* False: that was the last stored one, or the type is opaque. */
bool tfr_tensor_next(struct tfr_tensor_proto *t, struct tfr_tensor_value *v);

#endif
