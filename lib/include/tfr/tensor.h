/* tfr/tensor.h - the layout of a batch in memory. */
#ifndef TFR_TENSOR_H
#define TFR_TENSOR_H

#include <tfr/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TFR_RANK_MAX = 5 };

/* Numbers of one type in a box of `rank` axes; the number at i, j, … is at data + i * strides[0] +
 * j
 * * strides[1] + …  NumPy's array interface, DLPack and tf.Tensor describe themselves in the same
 * way.
 */
struct tfr_tensor {
	const char *name; /* see the function that returns the tensor for its lifetime */
	enum tfr_dtype dtype;
	unsigned rank;
	uint64_t shape[TFR_RANK_MAX];
	int64_t strides[TFR_RANK_MAX]; /* bytes from one to the next along each axis */
	uint64_t offset;	       /* from the memory of the batch on */
	void *data;		       /* that memory, and the offset */
};

#ifdef __cplusplus
}
#endif

#endif
