/* The part of the CUDA runtime that lib/device/cuda_runtime.c uses, in our own words: to test it
 * without a toolkit.  --interop compiles it with NVIDIA's header. */
#ifndef TESTS_DRIVER_RUNTIME_CUDA_RUNTIME_API_H
#define TESTS_DRIVER_RUNTIME_CUDA_RUNTIME_API_H

#define CUDART_VERSION 13000

typedef enum { cudaSuccess = 0, cudaErrorInitializationError = 3 } cudaError_t;
enum { cudaEnableDefault = 0 };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess };

const char *cudaGetErrorString(cudaError_t rc);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned version,
	unsigned long long flags, enum cudaDriverEntryPointQueryResult *result);

#endif
