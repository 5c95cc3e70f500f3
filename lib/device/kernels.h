/* device/kernels.h - what runs on a CUDA device itself: the C side of kernels.cu, which needs nvcc.
 *
 * The functions put one kernel on a stream of the current device and return what cudaLaunchKernel
 * says; how the kernel itself fares, the stream tells later.  In a build without nvcc
 * kernels_absent.c takes their place. */
#ifndef TFR_DEVICE_KERNELS_H
#define TFR_DEVICE_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <cstdbool>
extern "C" {
#else
#include <stdbool.h>
#endif

/* Whether the others do anything but fail. */
bool tfr_cuda_kernels(void);

/* Brings the kernels to the current device.  Left to their first launch, as is the runtime's way,
 * that would wait for a kernel that spins meanwhile.  A device that they are not compiled for is
 * told of by the launch. */
void tfr_cuda_load(void);

/* (from[i] - mean[c]) / std[c] for `count` values, c = i % channels; 1 to 4 channels, and mean and
 * std of so many values. */
cudaError_t tfr_cuda_normalise(float *to, const uint8_t *from, size_t count, unsigned channels,
	const float *mean, const float *std, cudaStream_t stream);

/* Keeps so many multiprocessors busy for `ns` nanoseconds. */
cudaError_t tfr_cuda_spin(uint64_t ns, unsigned multiprocessors, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
