/* device/cuda_kernels.c - loads the kernels and launches them.
 *
 * The driver compiles kernels.ptx when it is loaded, and keeps the result in its cache.  Since
 * CUDA 11.7 it may postpone loading a kernel to its first launch, which then waits for kernels that
 * run; asking for an attribute loads it at once. */
#include "device/cuda_kernels.h"

#include <string.h>

#define END_OF_LINE "\n"

static const char ptx[] =
#include "device/kernels_ptx.inc"
	;

/* A multiple of 1, 2, 3 and 4: see kernels.cu. */
enum { THREADS = 768, BLOCKS_MOST = 8192, WARP = 32, LOG = 512 };

/* As kernels.cu has it. */
struct kernel_scale {
	float mean[CHANNELS_MAX], std[CHANNELS_MAX];
};

/* The first line of the compiler's log says what it refused. */
static enum tfr_status load_failed(struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api,
	const char *device, unsigned rc, char *log)
{
	tfr_cuda_fail(api, &k->err, device, "cuModuleLoadDataEx", rc);
	log[strcspn(log, "\n")] = '\0';
	if (*log)
		tfr_error_append(&k->err, " (%.160s)", log);
	k->err.status = TFR_EUNAVAILABLE;
	return TFR_EUNAVAILABLE;
}

static enum tfr_status load_module(
	struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api, const char *device)
{
	char log[LOG] = "";
	unsigned options[] = { CUDA_JIT_ERROR_LOG_BUFFER, CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
	unsigned rc = api->cuModuleLoadDataEx(&k->module, ptx, 2, options, values);

	log[sizeof(log) - 1] = '\0';
	return rc ? load_failed(k, api, device, rc, log) : TFR_OK;
}

static enum tfr_status find_kernel(struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api,
	const char *device, const char *name, struct CUfunc_st **function)
{
	int registers;
	unsigned rc = api->cuModuleGetFunction(function, k->module, name);

	if (rc)
		return tfr_cuda_fail(api, &k->err, device, "cuModuleGetFunction", rc);
	rc = api->cuFuncGetAttribute(&registers, CUDA_FUNC_ATTRIBUTE_NUM_REGS, *function);
	return rc ? tfr_cuda_fail(api, &k->err, device, "cuFuncGetAttribute", rc) : TFR_OK;
}

void tfr_cuda_kernels_load(
	struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api, const char *device)
{
	k->status = load_module(k, api, device);
	if (k->status == TFR_OK)
		k->status = find_kernel(k, api, device, "tfr_normalise", &k->normalise);
	if (k->status == TFR_OK)
		k->status = find_kernel(k, api, device, "tfr_spin", &k->spin);
}

void tfr_cuda_kernels_unload(struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api)
{
	if (k->module)
		api->cuModuleUnload(k->module);
	k->module = NULL;
}

static unsigned launch(const struct tfr_cuda_api *api, struct CUfunc_st *function, unsigned blocks,
	unsigned threads, void **parameters, struct CUstream_st *stream)
{
	return api->cuLaunchKernel(
		function, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, NULL);
}

unsigned tfr_cuda_launch_normalise(const struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api,
	const struct tfr_normalise_job *job, struct CUstream_st *stream)
{
	tfr_cuda_ptr to = (uintptr_t)job->to, from = (uintptr_t)job->from;
	uint64_t count = job->count, blocks = (count + THREADS - 1) / THREADS;
	uint32_t channels = job->channels;
	struct kernel_scale scale;
	void *parameters[] = { &to, &from, &count, &channels, &scale };

	if (count == 0)
		return CUDA_OK;
	memcpy(scale.mean, job->mean, sizeof(scale.mean));
	memcpy(scale.std, job->std, sizeof(scale.std));
	return launch(api, k->normalise, blocks < BLOCKS_MOST ? (unsigned)blocks : BLOCKS_MOST,
		THREADS, parameters, stream);
}

unsigned tfr_cuda_launch_spin(const struct tfr_cuda_kernels *k, const struct tfr_cuda_api *api,
	double seconds, unsigned multiprocessors, struct CUstream_st *stream)
{
	uint64_t ns = (uint64_t)(seconds * 1e9);
	void *parameters[] = { &ns };

	return launch(api, k->spin, multiprocessors, WARP, parameters, stream);
}
