/* CUDA devices over the fake driver: each call failing in turn, work that fails, and lost devices.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "fake_cuda.h"
#include "unit/device/cuda_bed.h"

/* How a call fails. */
enum mode { ONCE, FOR_GOOD, LOST, MODES };

static void set_up(const char *call, enum mode mode)
{
	fake_cuda.fails = call;
	fake_cuda.once = mode == ONCE;
	fake_cuda.lost = mode == LOST;
}

/* A context that cannot be made current takes with it what could not be freed. */
static void expect_freed(const char *call)
{
	if (strncmp(call, "cuCtxPush", 9) == 0)
		fake_cuda_leaked();
	cr_assert(fake_cuda_all_freed(), "%s, use %d", call, fake_cuda.after);
}

/* Fails `call` at its first use, its second, and so on, until it is used no more. */
static void fail_every_use(const char *call, enum mode mode)
{
	set_up(call, mode);
	for (fake_cuda.after = 0;; fake_cuda.after++) {
		struct tfr_error err = { 0 };
		const char *suffix = strstr(call, "_v2");
		char expected[128];
		enum tfr_status status;

		fake_cuda_repair();
		status = work_once(&err);
		expect_freed(call);
		if (status == TFR_OK) {
			cr_assert_gt(fake_cuda.after, 0, "%s is never called", call);
			return;
		}
		snprintf(expected, sizeof(expected), "%.*s on cuda:0: unspecified launch failure",
			(int)(suffix ? (size_t)(suffix - call) : strlen(call)), call);
		cr_assert_eq(strncmp(err.message, expected, strlen(expected)), 0, "'%s', not '%s'",
			err.message, expected);
		/* Kernels that are not loaded are missing; everything else has failed. */
		cr_assert_eq(status,
			strcmp(call, "cuModuleLoadDataEx") == 0 ? TFR_EUNAVAILABLE : TFR_ESYS, "%s",
			call);
	}
}

static const char *const calls[] = { "cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem_v2",
	"cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuStreamCreate",
	"cuMemHostAlloc", "cuMemAlloc_v2", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent",
	"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuLaunchKernel", "cuEventSynchronize",
	"cuEventElapsedTime", "cuStreamSynchronize", "cuModuleLoadDataEx", "cuModuleGetFunction",
	"cuFuncGetAttribute" };

enum { CALLS = sizeof(calls) / sizeof(*calls) };

Test(cuda_faults, every_failure_names_the_call_and_the_device_and_leaves_nothing)
{
	cr_assert_eq(work_once(NULL), TFR_OK);
	cr_assert(fake_cuda_all_freed());
	for (int i = 0; i < CALLS; i++)
		for (int mode = 0; mode < LOST; mode++)
			fail_every_use(calls[i], (enum mode)mode);
}

/* Whatever the error, the first use of each call reports it. */
Test(cuda_faults, every_error_of_every_call_is_reported)
{
	static const int errors[] = { CUDA_OUT_OF_MEMORY, 34, 35, 46, 100, 209, 214, 218, 221, 222,
		CUDA_ILLEGAL_ADDRESS, 802, 803, 804, CUDA_UNKNOWN, 12345 };

	for (int i = 0; i < CALLS; i++)
		for (size_t k = 0; k < sizeof(errors) / sizeof(*errors); k++) {
			struct tfr_error err = { 0 };
			enum tfr_status expected = strcmp(calls[i], "cuModuleLoadDataEx") == 0
							   ? TFR_EUNAVAILABLE
						   : errors[k] == CUDA_OUT_OF_MEMORY ? TFR_ENOMEM
										     : TFR_ESYS;

			set_up(calls[i], FOR_GOOD);
			fake_cuda.error = errors[k];
			fake_cuda_repair();
			cr_assert_eq(work_once(&err), expected, "%s, %d: %s", calls[i], errors[k],
				err.message);
			cr_assert(strstr(err.message, " on cuda:0: "), "%s", err.message);
			expect_freed(calls[i]);
		}
}

/* A lost device fails from the kernels' loading on: the first call that reports it is named. */
Test(cuda_faults, a_device_may_be_lost_at_any_call)
{
	for (int i = 0; i < CALLS; i++) {
		set_up(calls[i], LOST);
		for (fake_cuda.after = 0; fake_cuda.after < 1000; fake_cuda.after++) {
			struct tfr_error err = { 0 };

			fake_cuda_repair();
			if (work_once(&err) == TFR_OK)
				break;
			expect_freed(calls[i]);
			cr_assert(strstr(err.message, " on cuda:0: unspecified launch failure"),
				"%s: %s", calls[i], err.message);
		}
		expect_freed(calls[i]);
	}
}

/* Calls that free, and those for what only a report needs. */
Test(cuda_faults, some_failures_do_not_matter)
{
	static const char *const harmless[] = { "cuDeviceGetUuid_v2", "cuDeviceGetPCIBusId",
		"cuDriverGetVersion", "cuDevicePrimaryCtxRelease_v2", "cuCtxPopCurrent_v2",
		"cuMemFreeHost", "cuMemFree_v2", "cuStreamDestroy_v2", "cuEventDestroy_v2",
		"cuModuleUnload" };

	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		for (int mode = 0; mode < LOST; mode++) {
			struct tfr_error err = { 0 };

			set_up(harmless[i], (enum mode)mode);
			fake_cuda_repair();
			cr_assert_eq(work_once(&err), TFR_OK, "%s: %s", harmless[i], err.message);
			cr_assert(fake_cuda_all_freed(), "%s", harmless[i]);
		}
}

Test(cuda_faults, out_of_memory_is_told_apart)
{
	struct tfr_error err = { 0 };

	fake_cuda.fails = "cuMemHostAlloc";
	fake_cuda.error = CUDA_OUT_OF_MEMORY;
	cr_assert_eq(work_once(&err), TFR_ENOMEM);
	cr_assert_str_eq(err.message, "cuMemHostAlloc on cuda:0: out of memory");
	cr_assert(strstr(tfr_error_hint_text(&err), "--pageable"));
	fake_cuda.fails = "cuMemAlloc_v2";
	cr_assert_eq(work_once(&err), TFR_ENOMEM);
	cr_assert_str_eq(err.message, "cuMemAlloc on cuda:0: out of memory (0.00 GiB asked for, "
				      "8.00 of 8.00 GiB free)");
	cr_assert_str_not_empty(tfr_error_hint_text(&err));
	cr_assert(fake_cuda_all_freed());
}

/* The call that reports it may be any after its start. */
static void expect_failure_in_progress(const char *what)
{
	struct tfr_error err = { 0 };

	fake_cuda.fails = what;
	fake_cuda_repair();
	cr_assert_eq(work_once(&err), TFR_ESYS, "%s", what);
	cr_assert(strstr(err.message, " on cuda:0: unspecified launch failure"), "%s", err.message);
	cr_assert(fake_cuda_all_freed());
}

Test(cuda_faults, work_that_fails_in_progress_is_reported)
{
	for (int once = 0; once < 2; once++) {
		fake_cuda.once = once;
		for (fake_cuda.after = 0; fake_cuda.after < 2; fake_cuda.after++) {
			expect_failure_in_progress("copy");
			expect_failure_in_progress("kernel");
		}
	}
}

Test(cuda_faults, a_lost_device_says_so_from_then_on)
{
	struct tfr_error err = { 0 };
	enum tfr_status status;
	void *memory;
	struct bed b;

	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	fake_cuda.fails = "copy";
	fake_cuda.lost = true;
	fake_cuda.error = CUDA_ECC_UNCORRECTABLE;
	/* The copy may fail before the call that records its event, which then reports it. */
	status = tfr_device_upload(b.dev, b.bytes, b.staging, SIZE, b.event, &err);
	if (!status)
		status = tfr_event_wait(b.event, NULL, &err);
	cr_assert_eq(status, TFR_ESYS);
	cr_assert(strstr(err.message, " on cuda:0: uncorrectable ECC error encountered"), "%s",
		err.message);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(tfr_device_upload(b.dev, b.bytes, b.staging, SIZE, b.event, &err),
			TFR_ESYS);
		cr_assert_str_eq(err.message,
			"cuEventRecord on cuda:0: uncorrectable ECC error encountered");
		/* Nothing was started, so there is nothing to wait for. */
		cr_assert(tfr_event_done(b.event));
		cr_assert_eq(tfr_event_wait(b.event, NULL, &err), TFR_OK);
	}
	cr_assert_eq(tfr_device_alloc(b.dev, TFR_MEMORY_STAGING, 1, &memory, &err), TFR_ESYS);
	cr_assert_eq(tfr_device_download(b.dev, &err, b.bytes, 1, &err), TFR_ESYS);
	clear_bed(&b);
	cr_assert(fake_cuda_all_freed());
}

Test(cuda_faults, a_lost_device_leaves_the_others_alone)
{
	struct tfr_error err = { 0 };
	struct bed one, other;

	fake_cuda.devices = 2;
	fake_cuda.fails = "cuMemcpyHtoDAsync_v2";
	fake_cuda.lost = true;
	fake_cuda.on = 1;
	cr_assert_eq(make_bed(&one, "cuda:0", NULL), TFR_OK);
	cr_assert_eq(make_bed(&other, "cuda:1", NULL), TFR_OK);
	cr_assert_eq(work(&other, &err), TFR_ESYS);
	cr_assert_str_eq(err.message, "cuMemcpyHtoDAsync on cuda:1: unspecified launch failure");
	cr_assert_eq(work(&one, NULL), TFR_OK);
	clear_bed(&other);
	cr_assert_eq(work(&one, NULL), TFR_OK);
	clear_bed(&one);
	cr_assert(fake_cuda_all_freed());
}
