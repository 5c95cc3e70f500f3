/* tfr/dtype.h - the number types of tensors and pixels.
 *
 * Numbers are in the processor's byte order. float16 is IEEE 754's binary16, float32 its
 * binary32; bfloat16 is the upper half of a float32. */
#ifndef TFR_DTYPE_H
#define TFR_DTYPE_H

#include <tfr/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfr_dtype {
	TFR_UINT8 = 0,
	TFR_FLOAT16,
	TFR_FLOAT32,
	TFR_INT64,
	TFR_INT32,
	TFR_INT16,
	TFR_BFLOAT16,
};

/* The size of one number in bytes. */
TFR_API size_t tfr_dtype_size(enum tfr_dtype dtype);

/* "uint8", "float16", "float32", "int64", "int32", "int16", "bfloat16", as NumPy and TensorFlow
 * spell them. */
TFR_API const char *tfr_dtype_name(enum tfr_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif
