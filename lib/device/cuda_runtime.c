/* device/cuda_runtime.c - the table of driver calls through the CUDA runtime, which a toolkit
 * brings (-Dcuda=runtime): for systems where the runtime finds a driver that the loader does not.
 *
 * cudaGetDriverEntryPoint() takes names without suffix, and the CUDA version whose arguments are
 * meant (CUDA Runtime API, Driver Entry Point Access). */
#include <cuda_runtime_api.h>

#include <stdio.h>
#include <string.h>

#include "device/cuda_api.h"

#if CUDART_VERSION < 11030
#error "-Dcuda=runtime needs a CUDA toolkit of version 11.3 or later"
#endif

enum { ARGUMENTS_OF = 11040 }; /* cuDeviceGetUuid_v2 is the newest call of the table */

static cudaError_t find_call(const char *name, void **found)
{
	const char *suffix = strstr(name, "_v2");
	char base[64];

	snprintf(base, sizeof(base), "%.*s", (int)(suffix ? (size_t)(suffix - name) : strlen(name)),
		name);
	*found = NULL;
#if CUDART_VERSION >= 12050
	return cudaGetDriverEntryPointByVersion(base, found, ARGUMENTS_OF, cudaEnableDefault, NULL);
#elif CUDART_VERSION >= 12000
	return cudaGetDriverEntryPoint(base, found, cudaEnableDefault, NULL);
#else
	return cudaGetDriverEntryPoint(base, found, cudaEnableDefault);
#endif
}

/* Without a driver the version of the driver is 0. */
static enum tfr_status check_driver(bool *absent, struct tfr_error *err)
{
	int driver = 0, least = CUDART_VERSION / 1000 * 1000;
	cudaError_t rc = cudaDriverGetVersion(&driver);

	*absent = rc == cudaSuccess && driver == 0;
	if (rc == cudaSuccess && driver >= least)
		return TFR_OK;
	if (*absent) {
		tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: no driver");
		tfr_error_hint(err, "Install NVIDIA's driver.");
	} else if (rc != cudaSuccess) {
		tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: cudaDriverGetVersion: %s",
			cudaGetErrorString(rc));
	} else {
		tfr_fail(err, TFR_EUNAVAILABLE,
			"device cuda: the driver is for CUDA %d.%d, this build needs %d.0",
			driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000);
		tfr_error_hint(err, "Update the driver, or build with -Dcuda=driver.");
	}
	return TFR_EUNAVAILABLE;
}

static enum tfr_status not_found(const char *name, cudaError_t rc, struct tfr_error *err)
{
	if (rc)
		tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: cudaGetDriverEntryPoint: %s",
			cudaGetErrorString(rc));
	else
		tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: the driver has no %s", name);
	tfr_error_hint(err, "Update the driver, or build with -Dcuda=driver.");
	return TFR_EUNAVAILABLE;
}

enum tfr_status tfr_cuda_fill(struct tfr_cuda_api *api, bool *absent, struct tfr_error *err)
{
	cudaError_t rc;
	void *found;

	TFR_TRY(check_driver(absent, err));
#define FIND(name, older, arguments)                                                               \
	rc = find_call(#name, &found);                                                             \
	if (!found)                                                                                \
		return not_found(#name, rc, err);                                                  \
	api->name = (__typeof__(api->name))(uintptr_t)found;
	TFR_CUDA_CALLS(FIND)
#undef FIND
	return TFR_OK;
}
