/* device/kernels.h - the code that runs on a CUDA device: the C side of kernels.cu, which needs
 * nvcc.
 *
 * The functions put one kernel on a stream of the current device and return the status of
 * cudaLaunchKernel; the stream reports errors of the kernel later.  In a build without nvcc
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

/* False: the other functions always fail. */
bool tfr_cuda_kernels(void);

/* Loads the kernels to the current device.  By default the runtime loads a kernel at its first
 * launch, which would wait for a kernel that spins.  The launch reports a device for which they are
 * not compiled. */
void tfr_cuda_load(void);

/* (from[i] - mean[c]) / std[c] for `count` values, c = i % channels; 1 to 4 channels, and as many
 * values of mean and std. */
cudaError_t tfr_cuda_normalise(float *to, const uint8_t *from, size_t count, unsigned channels,
	const float *mean, const float *std, cudaStream_t stream);

/* Keeps this number of multiprocessors busy for `ns` nanoseconds. */
cudaError_t tfr_cuda_spin(uint64_t ns, unsigned multiprocessors, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
