/* lib/device/cuda_runtime.c with a runtime of a few lines: it finds the fake driver's calls, or
 * reports why not. */
#include <cuda_runtime_api.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "device/cuda_api.h"

static struct {
	int version;	   /* of the driver; 0: there is none */
	cudaError_t fails; /* of both calls */
	const char *lacks; /* a call that the driver does not have */
} runtime;

const char *cudaGetErrorString(cudaError_t rc)
{
	return rc == cudaErrorInitializationError ? "initialization error" : "another error";
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = runtime.version;
	return cudaSuccess;
}

/* A name without suffix means the newest arguments up to that version. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned version,
	unsigned long long flags, enum cudaDriverEntryPointQueryResult *result)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	char newer[64];

	(void)result;
	if (runtime.fails || strchr(name, '_') || version != 11040 || flags)
		return cudaErrorInitializationError;
	if (runtime.lacks && strcmp(runtime.lacks, name) == 0)
		return cudaSuccess;
	snprintf(newer, sizeof(newer), "%s_v2", name);
	*found = dlsym(driver, newer);
	if (!*found)
		*found = dlsym(driver, name);
	return cudaSuccess;
}

static int failed;

static void expect(const char *what, int count, bool absent, const char *message)
{
	const struct tfr_cuda_api *api;
	struct tfr_error err = { 0 };
	bool is_absent;
	int got = 0;
	enum tfr_status status = tfr_cuda_count(&api, &got, &is_absent, &err);

	if ((status == TFR_OK) == !message && got == count && is_absent == absent &&
		strcmp(err.message, message ? message : "") == 0)
		return;
	printf("FAILED: %s: %d devices, absent %d: '%s'\n", what, got, is_absent, err.message);
	failed++;
}

int main(void)
{
	expect("no driver", 0, true, "device cuda: no driver");
	runtime.version = 12040;
	expect("an old driver", 0, false,
		"device cuda: the driver is for CUDA 12.4, this build needs 13.0");
	runtime.version = 13000;
	runtime.fails = cudaErrorInitializationError;
	expect("a runtime that fails", 0, false,
		"device cuda: cudaGetDriverEntryPoint: initialization error");
	runtime.fails = cudaSuccess;
	runtime.lacks = "cuMemHostAlloc";
	expect("a driver without a call", 0, false,
		"device cuda: the driver has no cuMemHostAlloc");
	runtime.lacks = NULL;
	expect("a driver", 1, false, NULL);
	return failed > 0;
}
