/* device/cuda_kernels.h - the kernels of a CUDA device, compiled by its driver from kernels.ptx. */
#ifndef TFR_DEVICE_CUDA_KERNELS_H
#define TFR_DEVICE_CUDA_KERNELS_H

#include "device/cuda_api.h"
#include "device/row.h"

struct tfr_cuda_kernels {
	struct CUmod_st *module;
	struct CUfunc_st *normalise, *spin;
	enum tfr_status status; /* of loading, with its error */
	struct tfr_error err;
};

/* Loads them to the current context.  A failure is kept and reported by the functions below: a
 * device without kernels still copies.  `device` is its name. */
void tfr_cuda_kernels_load(
	struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api, const char *device);
void tfr_cuda_kernels_unload(struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api);

/* Each puts one kernel on a stream and returns the CUresult of the launch.  Loading succeeded. */
unsigned tfr_cuda_launch_normalise(const struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api,
	const struct tfr_normalise_job *job, struct CUstream_st *stream);
/* Keeps this number of multiprocessors busy. */
unsigned tfr_cuda_launch_spin(const struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api,
	double seconds, unsigned multiprocessors, struct CUstream_st *stream);

#endif
