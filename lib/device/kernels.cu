/* device/kernels.cu - pixels to floats, and a kernel that only takes time.
 *
 * Compiled with --fmad=false, and nvcc rounds the division of floats correctly by
 * default, so each value has the bits of the processor's plain twin (plain.c). */
#include "device/kernels.h"

/* A multiple of 1, 2, 3 and 4: a thread advances by complete pixels, so that all its values
 * belong to one channel. */
#define THREADS 768u
#define BLOCKS_MAX 8192u
#define CHANNELS_MAX 4u

struct law {
	float mean[CHANNELS_MAX], std[CHANNELS_MAX];
};

static __global__ void normalise(
	float *to, const uint8_t *from, size_t count, unsigned channels, struct law law)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
	size_t stride = (size_t)gridDim.x * THREADS;
	unsigned c = (unsigned)(i % channels);
	float mean = law.mean[c], std = law.std[c];

	for (; i < count; i += stride)
		to[i] = ((float)from[i] - mean) / std;
}

static __device__ uint64_t global_ns(void)
{
	uint64_t ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

static __global__ void spin(uint64_t ns)
{
	uint64_t start = global_ns();

	while (global_ns() - start < ns)
		;
}

extern "C" bool tfr_cuda_kernels(void)
{
	return true;
}

extern "C" void tfr_cuda_load(void)
{
	struct cudaFuncAttributes attributes;

	(void)cudaFuncGetAttributes(&attributes, (const void *)normalise);
	(void)cudaFuncGetAttributes(&attributes, (const void *)spin);
}

extern "C" cudaError_t tfr_cuda_normalise(float *to, const uint8_t *from, size_t count,
	unsigned channels, const float *mean, const float *std, cudaStream_t stream)
{
	size_t blocks = (count + THREADS - 1) / THREADS;
	struct law law = {};
	void *args[] = { &to, &from, &count, &channels, &law };

	if (count == 0)
		return cudaSuccess;
	if (blocks > BLOCKS_MAX)
		blocks = BLOCKS_MAX;
	for (unsigned c = 0; c < channels && c < CHANNELS_MAX; c++) {
		law.mean[c] = mean[c];
		law.std[c] = std[c];
	}
	return cudaLaunchKernel(
		(const void *)normalise, dim3((unsigned)blocks), dim3(THREADS), args, 0, stream);
}

extern "C" cudaError_t tfr_cuda_spin(uint64_t ns, unsigned multiprocessors, cudaStream_t stream)
{
	void *args[] = { &ns };

	return cudaLaunchKernel(
		(const void *)spin, dim3(multiprocessors), dim3(32), args, 0, stream);
}
