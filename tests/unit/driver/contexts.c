/* The fake driver: initialisation, the visible devices, contexts and their stacks. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/driver/driver.h"

Test(driver, is_found_by_name)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	cr_assert_not_null(library);
	cr_assert_eq(dlsym(library, "cuInit"), (void *)(uintptr_t)cuInit);
	cr_assert_not_null(dlsym(library, "cuDeviceGetUuid"));
	cr_assert_not_null(dlsym(library, "cuDevicePrimaryCtxRelease"));
}

Test(driver, every_call_needs_to_be_initialised)
{
	struct CUctx_st *context;
	const char *text;
	int n = 0;

	cr_assert_eq(cuDeviceGetCount(&n), CUDA_NOT_INITIALIZED);
	cr_assert_eq(cuDevicePrimaryCtxRetain(&context, 0), CUDA_NOT_INITIALIZED);
	cr_assert_eq(cuCtxPopCurrent_v2(NULL), CUDA_NOT_INITIALIZED);
	cr_assert_eq(cuMemFreeHost(&n), CUDA_NOT_INITIALIZED);
	OK(cuDriverGetVersion(&n));
	cr_assert_eq(n, 13000);
	OK(cuGetErrorString(CUDA_NO_DEVICE, &text));
	cr_assert_str_eq(text, "no CUDA-capable device is detected");
	cr_assert_eq(cuGetErrorString(12345, &text), CUDA_INVALID_VALUE);
	cr_assert_eq(cuInit(1), CUDA_INVALID_VALUE);
	OK(cuInit(0));
	OK(cuInit(0));
	OK(cuDeviceGetCount(&n));
	cr_assert_eq(n, 1);
}

Test(driver, a_child_of_fork_has_none)
{
	int status, n;
	pid_t child;

	OK(cuInit(0));
	child = fork();
	if (child == 0)
		_exit(cuInit(0) == CUDA_NOT_INITIALIZED &&
					cuDeviceGetCount(&n) == CUDA_NOT_INITIALIZED
				? 0
				: 1);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
}

static void expect_visible(const char *list, const char *expected)
{
	char got[FAKE_CUDA_DEVICES + 1] = "";
	unsigned rc;
	int n = 0;

	setenv("CUDA_VISIBLE_DEVICES", list, 1);
	rc = cuInit(0);
	if (rc == CUDA_OK)
		OK(cuDeviceGetCount(&n));
	else
		cr_assert_eq(rc, CUDA_NO_DEVICE);
	for (int d = 0; d < n; d++) {
		char address[16];

		OK(cuDeviceGetPCIBusId(address, sizeof(address), d));
		got[d] = (char)('0' + strtol(address + 5, NULL, 16) - 0x3a);
	}
	cr_assert_str_eq(got, expected, "'%s' shows '%s'", list, got);
}

Test(driver, shows_the_visible_devices)
{
	fake_cuda.devices = 4;
	expect_visible("2,0", "20");
	expect_visible("1", "1");
	expect_visible("", "");
	expect_visible("-1", "");
	expect_visible("0,7,1", "0");
	expect_visible("3,x,1", "3");
	expect_visible("3,,1", "3");
	expect_visible("1,1", "");
	expect_visible("GPU-fb", "1");
	expect_visible("GPU-fa4ec0da-0000-4000-8000-000000000000,GPU-fd", "03");
	expect_visible("GPU-f", "");
	expect_visible("GPU-00", "");
	expect_visible("MIG-fb", "");
	fake_cuda.mig = true;
	expect_visible("MIG-fb", "1");
}

Test(driver, describes_devices)
{
	unsigned char uuid[16];
	size_t memory;
	char text[64];
	int n;

	fake_cuda.mig = true;
	fake_cuda.multiprocessors = 16;
	OK(cuInit(0));
	OK(cuDeviceGet(&n, 0));
	OK(cuDeviceGetName(text, sizeof(text), n));
	cr_assert_str_eq(text, "Fake MIG 1g.18gb");
	OK(cuDeviceGetUuid_v2((struct CUuuid_st *)(void *)uuid, n));
	cr_assert_eq(uuid[0], 0xfa);
	OK(cuDeviceTotalMem_v2(&memory, 0));
	cr_assert_eq(memory, (size_t)8 << 30);
	OK(cuDeviceGetAttribute(&n, CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
	cr_assert_eq(n, 16);
	cr_assert_eq(cuDeviceGetName(text, sizeof(text), 1), CUDA_INVALID_DEVICE);
	cr_assert_eq(cuDeviceGet(&n, -1), CUDA_INVALID_DEVICE);
	fake_cuda.nopci = true;
	cr_assert_eq(cuDeviceGetPCIBusId(text, sizeof(text), 0), CUDA_INVALID_VALUE);
}

Test(driver, a_call_needs_a_current_context)
{
	struct CUctx_st *context, *popped;
	struct CUstream_st *stream;
	unsigned depth;
	void *memory;

	OK(cuInit(0));
	cr_assert_eq(cuMemHostAlloc(&memory, 1, 0), INVALID_CONTEXT);
	cr_assert_eq(cuCtxPopCurrent_v2(NULL), INVALID_CONTEXT);
	cr_assert_eq(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
	cr_assert_eq(cuDevicePrimaryCtxRetain(&context, 1), CUDA_INVALID_DEVICE);
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	cr_assert_eq(cuStreamCreate(&stream, 0), INVALID_CONTEXT);
	OK(cuCtxPushCurrent_v2(context));
	cr_assert_eq(fake_cuda_current(&depth), context);
	cr_assert_eq(depth, 1);
	OK(cuMemHostAlloc(&memory, 1, 0));
	OK(cuMemFreeHost(memory));
	cr_assert_eq(cuMemFreeHost(memory), CUDA_INVALID_VALUE);
	OK(cuDevicePrimaryCtxRelease_v2(0));
	cr_assert_not(fake_cuda_all_freed()); /* it is still on a stack */
	cr_assert_eq(cuMemHostAlloc(&memory, 1, 0), CONTEXT_DESTROYED);
	cr_assert_eq(cuCtxPushCurrent_v2(context), INVALID_CONTEXT);
	OK(cuCtxPopCurrent_v2(&popped));
	cr_assert_eq(popped, context);
	cr_assert(fake_cuda_all_freed());
}

Test(driver, a_released_context_takes_its_objects_along)
{
	struct bed b;

	open_bed(&b, 0, 100);
	OK(cuMemcpyHtoDAsync_v2(b.memory, b.pinned, 100, b.stream));
	OK(cuEventRecord(b.end, b.stream));
	OK(cuDevicePrimaryCtxRelease_v2(0));
	OK(cuCtxPopCurrent_v2(NULL));
	cr_assert_not(fake_cuda_all_freed());
	cr_assert_eq(fake_cuda_leaked(), 7);
	cr_assert(fake_cuda_all_freed());
}

Test(driver, objects_belong_to_a_context)
{
	struct bed b, other;
	struct CUctx_st *own;

	fake_cuda.devices = 2;
	open_bed(&b, 0, 100);
	open_bed(&other, 1, 100);
	OK(cuEventRecord(other.end, other.stream));
	cr_assert_eq(cuEventRecord(b.end, b.stream), CUDA_INVALID_HANDLE);
	cr_assert_eq(cuEventRecord(other.end, b.stream), CUDA_INVALID_HANDLE);
	cr_assert_eq(cuEventSynchronize(b.end), CUDA_INVALID_HANDLE);
	cr_assert_eq(cuStreamSynchronize(b.stream), CUDA_INVALID_HANDLE);
	cr_assert_eq(cuStreamDestroy_v2(b.stream), CUDA_INVALID_HANDLE);
	cr_assert_eq(cuStreamWaitEvent(other.stream, b.end, 0), CUDA_INVALID_HANDLE);
	cr_assert_eq(cuMemFree_v2(b.memory), CUDA_INVALID_VALUE);
	OK(cuCtxPopCurrent_v2(&own));
	cr_assert_eq(own, other.context);
	OK(cuStreamSynchronize(b.stream));
	OK(cuCtxPushCurrent_v2(own));
	cuStreamDestroy_v2(other.stream);
	cuStreamDestroy_v2(other.other);
	cuStreamDestroy_v2(other.third);
	cuEventDestroy_v2(other.start);
	cuEventDestroy_v2(other.end);
	OK(cuMemFreeHost(other.pinned));
	OK(cuMemFree_v2(other.memory));
	OK(cuCtxPopCurrent_v2(NULL));
	OK(cuDevicePrimaryCtxRelease_v2(1));
	close_bed(&b);
}

static void *push_and_leave(void *context)
{
	OK(cuCtxPushCurrent_v2(context));
	return NULL;
}

Test(driver, a_stack_that_a_thread_leaves_is_reported)
{
	struct CUctx_st *context;
	pthread_t thread;

	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	pthread_create(&thread, NULL, push_and_leave, context);
	pthread_join(thread, NULL);
	cr_assert_null(fake_cuda_current(NULL));
	OK(cuDevicePrimaryCtxRelease_v2(0));
	cr_assert_not(fake_cuda_all_freed());
}

Test(driver, a_destroyed_handle_is_refused, .signal = SIGABRT)
{
	struct bed b;

	open_bed(&b, 0, 100);
	OK(cuEventDestroy_v2(b.end));
	cuEventQuery(b.end);
}

Test(driver, a_call_fails_once_or_for_good)
{
	struct CUctx_st *context;
	int n;

	fake_cuda.fails = "cuDeviceGetCount";
	fake_cuda.error = 999;
	fake_cuda.after = 1;
	OK(cuInit(0));
	OK(cuDeviceGetCount(&n));
	cr_assert_eq(cuDeviceGetCount(&n), CUDA_UNKNOWN);
	cr_assert_eq(cuDeviceGetCount(&n), CUDA_UNKNOWN);
	fake_cuda.once = true;
	fake_cuda_repair();
	OK(cuDeviceGetCount(&n));
	cr_assert_eq(cuDeviceGetCount(&n), CUDA_UNKNOWN);
	OK(cuDeviceGetCount(&n));
	fake_cuda.lost = true;
	fake_cuda.fails = "cuDevicePrimaryCtxRetain";
	fake_cuda.after = 0;
	fake_cuda_repair();
	cr_assert_eq(cuDevicePrimaryCtxRetain(&context, 0), CUDA_UNKNOWN);
	cr_assert_eq(cuDevicePrimaryCtxRetain(&context, 0), CUDA_UNKNOWN);
	fake_cuda.fails = NULL;
	fake_cuda_repair();
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuDevicePrimaryCtxRelease_v2(0));
}

/* This program again, with a setup; the words are read as the library is loaded. */
static int status_with(const char *setup)
{
	char self[512] = "", command[1024];
	int status;

	cr_assert_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	snprintf(command, sizeof(command), "TFR_FAKE_CUDA=%s '%s' --help > /dev/null 2>&1", setup,
		self);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(driver, reads_its_setup_from_the_environment)
{
	static const char *const bad[] = { "nonsense", "devices", "devices=x", "devices=9",
		"lost=1", "fails=cuMemcpy", "bandwidth=", "fails", NULL };
	int usual = status_with("");

	cr_assert_eq(
		status_with("devices=2,fails=cuMemAlloc_v2,after=1,error=2,on=1,lost,once"), usual);
	cr_assert_eq(
		status_with("hang=copy,version=12040,mig,nopci,nojit,badptx,memory=1e9"), usual);
	for (int i = 0; bad[i]; i++)
		cr_assert_eq(status_with(bad[i]), 128 + SIGABRT, "'%s'", bad[i]);
}
