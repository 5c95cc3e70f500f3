/* The part of the CUDA runtime API that lib/device/cuda.c uses, in our own words: enough to compile
 * it where there is no toolkit.  Values are the real ones, so that messages and tests mean the
 * same.  tests/stubs/cudart.c implements it. */
#ifndef CUDA_RUNTIME_API_STAND_IN_H
#define CUDA_RUNTIME_API_STAND_IN_H

#include <stddef.h>

typedef enum cudaError {
	cudaSuccess = 0,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInsufficientDriver = 35,
	cudaErrorNoDevice = 100,
	cudaErrorInvalidDevice = 101,
	cudaErrorECCUncorrectable = 214,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInvalidResourceHandle = 400,
	cudaErrorNotReady = 600,
	cudaErrorIllegalAddress = 700,
	cudaErrorLaunchFailure = 719,
	cudaErrorNotSupported = 801,
} cudaError_t;

enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

#define cudaHostAllocDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventBlockingSync 0x01

enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

struct cudaDeviceProp {
	char name[256];
	size_t totalGlobalMem;
};

const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceGetPCIBusId(char *address, int size, int device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaHostAlloc(void **memory, size_t size, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMalloc(void **memory, size_t size);
cudaError_t cudaFree(void *memory);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaMemcpyAsync(
	void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream);

#endif
