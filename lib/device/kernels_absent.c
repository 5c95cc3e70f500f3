/* device/kernels_absent.c - a build without nvcc has no kernels. */
#include "device/kernels.h"

bool tfr_cuda_kernels(void)
{
	return false;
}

void tfr_cuda_load(void)
{
}

cudaError_t tfr_cuda_normalise(float *to, const uint8_t *from, size_t count, unsigned channels,
	const float *mean, const float *std, cudaStream_t stream)
{
	(void)to;
	(void)from;
	(void)count;
	(void)channels;
	(void)mean;
	(void)std;
	(void)stream;
	return cudaErrorNotSupported;
}

cudaError_t tfr_cuda_spin(uint64_t ns, unsigned multiprocessors, cudaStream_t stream)
{
	(void)ns;
	(void)multiprocessors;
	(void)stream;
	return cudaErrorNotSupported;
}
