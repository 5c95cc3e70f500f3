/* Compiled only: our declarations of the driver's calls (lib/device/cuda_api.h) against others'.
 *
 * With CUDA_H against cuda.h of a toolkit, which declares every call; otherwise against ffnvcodec's
 * headers, which have a type "tcuInit" for most.  A difference is a warning, which is an error:
 * -Werror=incompatible-pointer-types. */
#ifdef CUDA_H
#include <cuda.h>
#else
#include <ffnvcodec/dynlink_cuda.h>
#endif

#include "device/cuda_api.h"

#ifdef CUDA_H

/* By a macro, cuda.h declares the newest suffix for the name without one. */
#define SAME(name, older, arguments)                                                               \
	extern __typeof__(((struct tfr_cuda_api *)0)->name) compared_##name;                       \
	__typeof__(((struct tfr_cuda_api *)0)->name) compared_##name = name;

TFR_CUDA_CALLS(SAME)

#define NUMBER(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs);

NUMBER(CUDA_OK, CUDA_SUCCESS)
NUMBER(CUDA_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE)
NUMBER(CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY)
NUMBER(CUDA_NOT_INITIALIZED, CUDA_ERROR_NOT_INITIALIZED)
NUMBER(CUDA_STUB_LIBRARY, CUDA_ERROR_STUB_LIBRARY)
#if CUDA_VERSION >= 13000
NUMBER(CUDA_CALL_REQUIRES_NEWER_DRIVER, CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER)
#endif
NUMBER(CUDA_DEVICE_UNAVAILABLE, CUDA_ERROR_DEVICE_UNAVAILABLE)
NUMBER(CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE)
NUMBER(CUDA_INVALID_DEVICE, CUDA_ERROR_INVALID_DEVICE)
NUMBER(CUDA_NO_BINARY_FOR_GPU, CUDA_ERROR_NO_BINARY_FOR_GPU)
NUMBER(CUDA_ECC_UNCORRECTABLE, CUDA_ERROR_ECC_UNCORRECTABLE)
NUMBER(CUDA_INVALID_PTX, CUDA_ERROR_INVALID_PTX)
NUMBER(CUDA_JIT_COMPILER_NOT_FOUND, CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
NUMBER(CUDA_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
NUMBER(CUDA_JIT_COMPILATION_DISABLED, CUDA_ERROR_JIT_COMPILATION_DISABLED)
NUMBER(CUDA_OS_CALL_FAILED, CUDA_ERROR_OPERATING_SYSTEM)
NUMBER(CUDA_INVALID_HANDLE, CUDA_ERROR_INVALID_HANDLE)
NUMBER(CUDA_NOT_READY, CUDA_ERROR_NOT_READY)
NUMBER(CUDA_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS)
NUMBER(CUDA_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED)
NUMBER(CUDA_SYSTEM_NOT_READY, CUDA_ERROR_SYSTEM_NOT_READY)
NUMBER(CUDA_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
NUMBER(CUDA_COMPAT_NOT_SUPPORTED, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)
NUMBER(CUDA_UNKNOWN, CUDA_ERROR_UNKNOWN)
NUMBER(CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
NUMBER(CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING)
NUMBER(CUDA_EVENT_BLOCKING_SYNC, CU_EVENT_BLOCKING_SYNC)
NUMBER(CUDA_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING)
NUMBER(CUDA_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER)
NUMBER(CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
NUMBER(CUDA_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_NUM_REGS)

#else

#define SAME(name, theirs)                                                                         \
	extern __typeof__(((struct tfr_cuda_api *)0)->name) compared_##name;                       \
	__typeof__(((struct tfr_cuda_api *)0)->name) compared_##name = (t##theirs *)0;

SAME(cuInit, cuInit)
SAME(cuDeviceGetCount, cuDeviceGetCount)
SAME(cuDeviceGet, cuDeviceGet)
SAME(cuDeviceGetAttribute, cuDeviceGetAttribute)
SAME(cuDeviceGetName, cuDeviceGetName)
SAME(cuDeviceGetUuid_v2, cuDeviceGetUuid)
SAME(cuGetErrorString, cuGetErrorString)
SAME(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)
SAME(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease)
SAME(cuCtxPushCurrent_v2, cuCtxPushCurrent_v2)
SAME(cuCtxPopCurrent_v2, cuCtxPopCurrent_v2)
SAME(cuMemAlloc_v2, cuMemAlloc_v2)
SAME(cuMemFree_v2, cuMemFree_v2)
SAME(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2)
SAME(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2)
SAME(cuStreamCreate, cuStreamCreate)
SAME(cuStreamSynchronize, cuStreamSynchronize)
SAME(cuStreamDestroy_v2, cuStreamDestroy_v2)
SAME(cuEventCreate, cuEventCreate)
SAME(cuEventDestroy_v2, cuEventDestroy_v2)
SAME(cuEventSynchronize, cuEventSynchronize)
SAME(cuEventQuery, cuEventQuery)
SAME(cuEventRecord, cuEventRecord)
SAME(cuModuleUnload, cuModuleUnload)
SAME(cuModuleGetFunction, cuModuleGetFunction)
SAME(cuLaunchKernel, cuLaunchKernel)

#endif
