/* device/cuda_api.h - the calls of the CUDA driver that room device makes, as one table.
 *
 * The table is filled at first use, once per process, from libcuda.so.1, which every NVIDIA driver
 * installs (cuda_driver.c), or through the toolkit's runtime (cuda_runtime.c, -Dcuda=runtime).
 * Everything else in the room sees only the table.  The declarations are our own, so that no
 * toolkit is needed to build: tests compare them with ffnvcodec's headers and with cuda.h where
 * those are installed.  Source of every name, argument and number: the CUDA Driver API reference,
 * which keeps an exported symbol's arguments for ever and adds a suffix (_v2) when they change. */
#ifndef TFR_DEVICE_CUDA_API_H
#define TFR_DEVICE_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#if UINTPTR_MAX > 0xffffffffu
typedef unsigned long long tfr_cuda_ptr; /* CUdeviceptr */
#else
typedef unsigned tfr_cuda_ptr;
#endif

/* CUresult: the numbers that this room tells apart. */
enum tfr_cuda_result {
	CUDA_OK = 0,
	CUDA_INVALID_VALUE = 1,
	CUDA_OUT_OF_MEMORY = 2,
	CUDA_NOT_INITIALIZED = 3,
	CUDA_STUB_LIBRARY = 34,
	CUDA_INSUFFICIENT_DRIVER = 35, /* of the runtime only */
	CUDA_CALL_REQUIRES_NEWER_DRIVER = 36,
	CUDA_DEVICE_UNAVAILABLE = 46,
	CUDA_NO_DEVICE = 100,
	CUDA_INVALID_DEVICE = 101,
	CUDA_NO_BINARY_FOR_GPU = 209,
	CUDA_ECC_UNCORRECTABLE = 214,
	CUDA_INVALID_PTX = 218,
	CUDA_JIT_COMPILER_NOT_FOUND = 221,
	CUDA_UNSUPPORTED_PTX_VERSION = 222,
	CUDA_JIT_COMPILATION_DISABLED = 223,
	CUDA_OS_CALL_FAILED = 304,
	CUDA_INVALID_HANDLE = 400,
	CUDA_NOT_READY = 600,
	CUDA_ILLEGAL_ADDRESS = 700,
	CUDA_LAUNCH_FAILED = 719,
	CUDA_SYSTEM_NOT_READY = 802,
	CUDA_SYSTEM_DRIVER_MISMATCH = 803,
	CUDA_COMPAT_NOT_SUPPORTED = 804,
	CUDA_UNKNOWN = 999,
};

/* Values of CUdevice_attribute, CUctx_flags, CUstream_flags, CUevent_flags, CUjit_option and
 * CUfunction_attribute. */
enum {
	CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
	CUDA_STREAM_NON_BLOCKING = 1,
	CUDA_EVENT_BLOCKING_SYNC = 1,
	CUDA_EVENT_DISABLE_TIMING = 2,
	CUDA_JIT_ERROR_LOG_BUFFER = 5,
	CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
	CUDA_FUNC_ATTRIBUTE_NUM_REGS = 4,
};

/* One row per call: the symbol, the symbol of older drivers with the same arguments ("": none),
 * and the arguments.  Every call returns a CUresult. */
#define TFR_CUDA_CALLS(CALL)                                                                       \
	CALL(cuInit, "", (unsigned flags))                                                         \
	CALL(cuDriverGetVersion, "", (int *version))                                               \
	CALL(cuGetErrorString, "", (unsigned result, const char **text))                           \
	CALL(cuDeviceGetCount, "", (int *count))                                                   \
	CALL(cuDeviceGet, "", (int *device, int ordinal))                                          \
	CALL(cuDeviceGetName, "", (char *name, int size, int device))                              \
	CALL(cuDeviceGetUuid_v2, "cuDeviceGetUuid", (struct CUuuid_st * uuid, int device))         \
	CALL(cuDeviceGetPCIBusId, "", (char *address, int size, int device))                       \
	CALL(cuDeviceGetAttribute, "", (int *value, unsigned attribute, int device))               \
	CALL(cuDeviceTotalMem_v2, "", (size_t * bytes, int device))                                \
	CALL(cuDevicePrimaryCtxRetain, "", (struct CUctx_st * *context, int device))               \
	CALL(cuDevicePrimaryCtxRelease_v2, "cuDevicePrimaryCtxRelease", (int device))              \
	CALL(cuCtxPushCurrent_v2, "", (struct CUctx_st * context))                                 \
	CALL(cuCtxPopCurrent_v2, "", (struct CUctx_st * *context))                                 \
	CALL(cuMemGetInfo_v2, "", (size_t * free, size_t * total))                                 \
	CALL(cuMemHostAlloc, "", (void **memory, size_t size, unsigned flags))                     \
	CALL(cuMemFreeHost, "", (void *memory))                                                    \
	CALL(cuMemAlloc_v2, "", (tfr_cuda_ptr * memory, size_t size))                              \
	CALL(cuMemFree_v2, "", (tfr_cuda_ptr memory))                                              \
	CALL(cuStreamCreate, "", (struct CUstream_st * *stream, unsigned flags))                   \
	CALL(cuStreamDestroy_v2, "", (struct CUstream_st * stream))                                \
	CALL(cuStreamSynchronize, "", (struct CUstream_st * stream))                               \
	CALL(cuStreamWaitEvent, "",                                                                \
		(struct CUstream_st * stream, struct CUevent_st * event, unsigned flags))          \
	CALL(cuEventCreate, "", (struct CUevent_st * *event, unsigned flags))                      \
	CALL(cuEventDestroy_v2, "", (struct CUevent_st * event))                                   \
	CALL(cuEventRecord, "", (struct CUevent_st * event, struct CUstream_st * stream))          \
	CALL(cuEventQuery, "", (struct CUevent_st * event))                                        \
	CALL(cuEventSynchronize, "", (struct CUevent_st * event))                                  \
	CALL(cuEventElapsedTime, "",                                                               \
		(float *ms, struct CUevent_st *start, struct CUevent_st *end))                     \
	CALL(cuMemcpyHtoDAsync_v2, "",                                                             \
		(tfr_cuda_ptr to, const void *from, size_t size, struct CUstream_st *stream))      \
	CALL(cuMemcpyDtoHAsync_v2, "",                                                             \
		(void *to, tfr_cuda_ptr from, size_t size, struct CUstream_st *stream))            \
	CALL(cuModuleLoadDataEx, "",                                                               \
		(struct CUmod_st * *module, const void *image, unsigned count, unsigned *options,  \
			void **values))                                                            \
	CALL(cuModuleUnload, "", (struct CUmod_st * module))                                       \
	CALL(cuModuleGetFunction, "",                                                              \
		(struct CUfunc_st * *function, struct CUmod_st * module, const char *name))        \
	CALL(cuFuncGetAttribute, "", (int *value, unsigned attribute, struct CUfunc_st *function)) \
	CALL(cuLaunchKernel, "",                                                                   \
		(struct CUfunc_st * function, unsigned grid_x, unsigned grid_y, unsigned grid_z,   \
			unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,     \
			struct CUstream_st *stream, void **parameters, void **extra))

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;
struct CUuuid_st;

#define TFR_CUDA_MEMBER(name, older, arguments) unsigned(*name) arguments;

struct tfr_cuda_api {
	TFR_CUDA_CALLS(TFR_CUDA_MEMBER)
};

/* Fills the table: cuda_driver.c, or cuda_runtime.c in a build with -Dcuda=runtime.  `*absent`: the
 * failure means that there is no driver.  TFR_EUNAVAILABLE: there is none, or it lacks a call; the
 * message names it. */
enum tfr_status tfr_cuda_fill(struct tfr_cuda_api *api, bool *absent, struct tfr_error *err);

/* The table, once the driver is initialised; it is valid until the process ends.  `*absent`: the
 * failure means that there is no driver, or no visible device.  TFR_EUNAVAILABLE: there is none, it
 * refuses, or this process forked from one that used it. */
enum tfr_status tfr_cuda_get(const struct tfr_cuda_api **api, bool *absent, struct tfr_error *err);

/* The number of visible devices, at least 1, beside the table. */
enum tfr_status tfr_cuda_count(
	const struct tfr_cuda_api **api, int *count, bool *absent, struct tfr_error *err);

/* The error of a failed call: "cuMemAlloc on cuda:0: out of memory", with a hint.  `device`: its
 * name; NULL: it is none of one device, "device cuda: cuInit: ...".  Returns TFR_ENOMEM, TFR_ESYS
 * or, without a device, TFR_EUNAVAILABLE. */
enum tfr_status tfr_cuda_fail(const struct tfr_cuda_api *api, struct tfr_error *err,
	const char *device, const char *call, unsigned result);

#endif
