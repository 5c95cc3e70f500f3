/* The kernels of a machine without a GPU: the processor does what they do, on the thread of the
 * stream that they are put on.  The arithmetic is written anew here, as kernels.cu has it. */
#include "device/kernels.h"

#include <stdlib.h>
#include <time.h>

#include "cudart.h"

struct normalise {
	float *to;
	const uint8_t *from;
	size_t count;
	unsigned channels;
	float mean[4], std[4];
};

bool tfr_cuda_kernels(void)
{
	return !cudart.no_kernels;
}

void tfr_cuda_load(void)
{
}

static cudaError_t run_normalise(void *arg)
{
	const struct normalise *n = arg;

	if (!cudart_on_device(n->from, n->count) ||
		!cudart_on_device(n->to, n->count * sizeof(float)))
		return cudaErrorIllegalAddress;
	for (size_t i = 0; i < n->count; i++) {
		unsigned c = (unsigned)(i % n->channels);

		n->to[i] = ((float)n->from[i] - n->mean[c]) / n->std[c];
	}
	return cudaSuccess;
}

cudaError_t tfr_cuda_normalise(float *to, const uint8_t *from, size_t count, unsigned channels,
	const float *mean, const float *std, cudaStream_t stream)
{
	struct normalise n = { .to = to, .from = from, .count = count, .channels = channels };

	if (count == 0)
		return cudaSuccess;
	for (unsigned c = 0; c < channels; c++) {
		n.mean[c] = mean[c];
		n.std[c] = std[c];
	}
	return cudart_launch(stream, run_normalise, &n, sizeof(n));
}

static cudaError_t run_spin(void *arg)
{
	const uint64_t *ns = arg;
	struct timespec left = { .tv_sec = (time_t)(*ns / 1000000000u),
		.tv_nsec = (long)(*ns % 1000000000u) };

	while (nanosleep(&left, &left))
		;
	return cudaSuccess;
}

cudaError_t tfr_cuda_spin(uint64_t ns, unsigned multiprocessors, cudaStream_t stream)
{
	return multiprocessors ? cudart_launch(stream, run_spin, &ns, sizeof(ns))
			       : cudaErrorInvalidConfiguration;
}
