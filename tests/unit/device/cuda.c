/* CUDA devices over the fake driver: what opening them says, which are chosen, and what they do. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "fake_cuda.h"
#include "unit/device/cuda_bed.h"

static void expect_open_fails(const char *spec, enum tfr_status status, const char *message)
{
	struct tfr_device *dev = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_device_open(&dev, spec, &err), status, "%s", err.message);
	cr_assert_str_eq(err.message, message);
	cr_assert(fake_cuda_all_freed());
}

static void expect_host(const char *reason)
{
	struct tfr_device *dev;

	cr_assert_eq(tfr_device_open(&dev, "auto", NULL), TFR_OK);
	cr_assert_str_eq(tfr_device_name(dev), "host");
	cr_assert_str_eq(tfr_device_reason(dev), reason);
	tfr_device_close(dev);
}

Test(cuda, refuses_what_names_no_device)
{
	expect_open_fails("cuda:0,1", TFR_EUSAGE, "'cuda:0,1' names 2 devices");
	expect_open_fails("cuda:0,1,0", TFR_EUSAGE, "device cuda:0 twice in 'cuda:0,1,0'");
	expect_open_fails("cuda:0,", TFR_EUSAGE, "'cuda:0,' is not a device such as cuda:0");
	expect_open_fails("cuda:,0", TFR_EUSAGE, "'cuda:,0' is not a device such as cuda:0");
	expect_open_fails("cuda:x", TFR_EUSAGE, "'cuda:x' is not a device such as cuda:0");
	expect_open_fails("cuda:1", TFR_EUNAVAILABLE, "device cuda:1: no such device, there is 1");
}

Test(cuda, without_a_device_auto_takes_the_host)
{
	fake_cuda.devices = 0;
	expect_open_fails("cuda:0", TFR_EUNAVAILABLE, "device cuda: no device is visible");
	expect_open_fails("cuda:all", TFR_EUNAVAILABLE, "device cuda: no device is visible");
	expect_host("no CUDA device: no device is visible");
}

Test(cuda, without_a_visible_device_auto_takes_the_host)
{
	setenv("CUDA_VISIBLE_DEVICES", "", 1);
	expect_open_fails("cuda:0", TFR_EUNAVAILABLE,
		"device cuda: no device is visible: CUDA_VISIBLE_DEVICES is ''");
	expect_host("no CUDA device: no device is visible: CUDA_VISIBLE_DEVICES is ''");
}

/* A driver that exists and refuses is an error; a later attempt may succeed. */
Test(cuda, every_refusal_is_explained)
{
	static const struct {
		int error;
		const char *message;
		bool hint;
	} refusals[] = {
		{ CUDA_STUB_LIBRARY, "the library is NVIDIA's stub for linking, not a driver",
			true },
		{ CUDA_NOT_INITIALIZED, "initialization error", true },
		{ CUDA_INSUFFICIENT_DRIVER, "the driver is too old", true },
		{ CUDA_CALL_REQUIRES_NEWER_DRIVER,
			"API call is not supported in the installed CUDA driver", true },
		{ CUDA_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable",
			true },
		{ CUDA_SYSTEM_NOT_READY, "system not yet initialized", true },
		{ CUDA_SYSTEM_DRIVER_MISMATCH,
			"system has unsupported display driver / cuda driver combination", true },
		{ CUDA_COMPAT_NOT_SUPPORTED,
			"forward compatibility was attempted on non supported HW", true },
		{ CUDA_UNKNOWN, "unknown error", true },
	};
	struct tfr_device *dev = NULL;

	fake_cuda.fails = "cuInit";
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct tfr_error err = { 0 };
		char expected[200];

		fake_cuda.error = refusals[i].error;
		snprintf(
			expected, sizeof(expected), "device cuda: cuInit: %s", refusals[i].message);
		cr_assert_eq(tfr_device_open(&dev, "cuda", &err), TFR_EUNAVAILABLE);
		cr_assert_str_eq(err.message, expected);
		cr_assert_eq(*tfr_error_hint_text(&err) != '\0', refusals[i].hint, "%d",
			refusals[i].error);
		cr_assert_eq(tfr_device_open(&dev, "auto", NULL), TFR_EUNAVAILABLE);
	}
	fake_cuda.fails = NULL;
	cr_assert_eq(tfr_device_open(&dev, "auto", NULL), TFR_OK);
	cr_assert_str_eq(tfr_device_name(dev), "cuda:0");
	cr_assert_str_eq(tfr_device_reason(dev), "a CUDA device answers");
	tfr_device_close(dev);
	cr_assert(fake_cuda_all_freed());
}

/* A GPU that exists and refuses is not replaced by the host. */
Test(cuda, auto_does_not_hide_a_refusal)
{
	fake_cuda.error = CUDA_OUT_OF_MEMORY; /* as where another process has it all */
	fake_cuda.fails = "cuStreamCreate";
	expect_open_fails("auto", TFR_ENOMEM, "cuStreamCreate on cuda:0: out of memory");
	fake_cuda.error = CUDA_UNKNOWN;
	fake_cuda.fails = "cuDeviceGetCount";
	expect_open_fails("auto", TFR_EUNAVAILABLE, "device cuda: cuDeviceGetCount: unknown error");
}

Test(cuda, is_described)
{
	struct tfr_device_info info;
	struct tfr_device *dev;

	fake_cuda.memory = 141.0 * 0x1p30;
	cr_assert_eq(tfr_device_open(&dev, "cuda", NULL), TFR_OK);
	cr_assert_str_eq(tfr_device_description(dev), "Fake GPU, 141 GiB");
	tfr_device_info(dev, &info);
	cr_assert_str_eq(info.model, "Fake GPU");
	cr_assert_str_eq(info.uuid, "GPU-fa4ec0da-0000-4000-8000-000000000000");
	cr_assert_str_eq(info.pci, "0000:3A:00.0");
	cr_assert_str_empty(info.mig);
	cr_assert_eq(info.cuda, 13000);
	cr_assert_eq(info.memory, (uint64_t)141 << 30);
	tfr_device_close(dev);
}

/* A virtual machine may have no PCI address; an instance of MIG has a profile. */
Test(cuda, is_described_as_far_as_it_is_known)
{
	struct tfr_device_info info;
	struct tfr_device *dev;

	fake_cuda.mig = true;
	fake_cuda.nopci = true;
	fake_cuda.fails = "cuDriverGetVersion";
	cr_assert_eq(tfr_device_open(&dev, "cuda", NULL), TFR_OK);
	cr_assert_str_eq(tfr_device_description(dev), "Fake MIG 1g.18gb, 8 GiB");
	tfr_device_info(dev, &info);
	cr_assert_str_eq(info.model, "Fake");
	cr_assert_str_eq(info.mig, "1g.18gb");
	cr_assert_str_eq(info.uuid, "MIG-fa4ec0da-0000-4000-8000-000000000010");
	cr_assert_str_empty(info.pci);
	cr_assert_eq(info.node, -1);
	cr_assert_eq(info.link_generation, 0);
	cr_assert_eq(info.cuda, 0);
	tfr_device_close(dev);
}

Test(cuda, several_devices_have_streams_of_their_own)
{
	struct tfr_device **devs;
	unsigned count;
	struct bed b;

	fake_cuda.devices = 4;
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:all", NULL), TFR_OK);
	cr_assert_eq(count, 4);
	cr_assert_str_eq(tfr_device_name(devs[3]), "cuda:3");
	tfr_devices_close(devs, count);
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:2,0", NULL), TFR_OK);
	cr_assert_eq(count, 2);
	cr_assert_str_eq(tfr_device_name(devs[0]), "cuda:2");
	cr_assert_str_eq(tfr_device_name(devs[1]), "cuda:0");
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < count; i++) {
			cr_assert_eq(make_bed(&b, tfr_device_name(devs[i]), NULL), TFR_OK);
			cr_assert_eq(work(&b, NULL), TFR_OK);
			clear_bed(&b);
		}
	tfr_devices_close(devs, count);
	cr_assert(fake_cuda_all_freed());
}

Test(cuda, all_are_opened_or_none)
{
	struct tfr_device **devs = NULL;
	struct tfr_error err = { 0 };
	unsigned count = 0;

	fake_cuda.devices = 3;
	fake_cuda.fails = "cuStreamCreate";
	fake_cuda.on = 2;
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:all", &err), TFR_ESYS);
	cr_assert_str_eq(err.message, "cuStreamCreate on cuda:2: unspecified launch failure");
	cr_assert_null(devs);
	cr_assert(fake_cuda_all_freed());
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:0,3", &err), TFR_EUNAVAILABLE);
	cr_assert_str_eq(err.message, "device cuda:3: no such device, there are 3");
	cr_assert(fake_cuda_all_freed());
}

/* Copies need no kernels. */
static void expect_no_kernels(const char *message)
{
	struct tfr_error err = { 0 }, other = { 0 };
	struct bed b;

	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	cr_assert_eq(
		tfr_device_normalise(b.dev, b.floats, b.bytes, SIZE, 3, NULL, NULL, b.event, &err),
		TFR_EUNAVAILABLE);
	cr_assert_str_eq(err.message, message);
	cr_assert_str_not_empty(tfr_error_hint_text(&err));
	cr_assert_eq(tfr_device_compute(b.dev, 0.1, b.event, &other), TFR_EUNAVAILABLE);
	cr_assert_str_eq(other.message, message);
	cr_assert_eq(tfr_device_upload(b.dev, b.bytes, b.staging, SIZE, b.event, NULL), TFR_OK);
	cr_assert_eq(tfr_event_wait(b.event, NULL, NULL), TFR_OK);
	clear_bed(&b);
	cr_assert(fake_cuda_all_freed());
}

Test(cuda, a_driver_that_refuses_the_kernels_still_copies)
{
	fake_cuda.badptx = true;
	expect_no_kernels("cuModuleLoadDataEx on cuda:0: a PTX JIT compilation failed (ptxas "
			  "application ptx input, line 1; error   : Unknown instruction 'fake')");
	fake_cuda.nojit = true;
	expect_no_kernels("cuModuleLoadDataEx on cuda:0: PTX JIT compiler library not found");
	fake_cuda.disabledjit = true;
	expect_no_kernels("cuModuleLoadDataEx on cuda:0: PTX JIT compilation was disabled");
	fake_cuda.disabledjit = fake_cuda.nojit = fake_cuda.badptx = false;
	fake_cuda.version = 5050; /* before PTX 4.0 */
	expect_no_kernels("cuModuleLoadDataEx on cuda:0: the provided PTX was compiled with an "
			  "unsupported toolchain (ptxas application ptx input, line 1; fatal   : "
			  "Unsupported .version; current version is older)");
	fake_cuda.version = 6000;
	fake_cuda.sm = 50;
	cr_assert_eq(work_once(NULL), TFR_OK);
	fake_cuda.fails = "cuModuleLoadDataEx";
	fake_cuda.error = CUDA_NO_BINARY_FOR_GPU;
	expect_no_kernels("cuModuleLoadDataEx on cuda:0: no kernel image is available for "
			  "execution on the device");
}

Test(cuda, pageable_memory_is_what_it_says)
{
	struct bed b;

	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	cr_assert_eq(work(&b, NULL), TFR_OK);
	cr_assert_eq(fake_cuda_pageable_copies(), 0);
	memset(b.pageable, 9, SIZE);
	cr_assert_eq(tfr_device_upload(b.dev, b.bytes, b.pageable, SIZE, b.event, NULL), TFR_OK);
	cr_assert_eq(tfr_event_wait(b.event, NULL, NULL), TFR_OK);
	cr_assert_eq(fake_cuda_pageable_copies(), 1);
	clear_bed(&b);
}

static void end_hangs(void)
{
	fake_cuda.hangs = NULL;
	fake_cuda_repair();
}

Test(cuda, copies_are_asynchronous_and_timed_by_the_device)
{
	struct tfr_device *dev;
	struct tfr_event *events[3];
	void *staging, *memory;

	fake_cuda.bandwidth = 20e6; /* 50 ms each */
	fake_cuda.hangs = "copy";
	cr_assert_eq(tfr_device_open(&dev, "cuda", NULL), TFR_OK);
	cr_assert_eq(tfr_device_alloc(dev, TFR_MEMORY_STAGING, 1000000, &staging, NULL), TFR_OK);
	cr_assert_eq(tfr_device_alloc(dev, TFR_MEMORY_DEVICE, 1000000, &memory, NULL), TFR_OK);
	memset(staging, 1, 1000000);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(tfr_event_new(&events[i], dev, NULL), TFR_OK);
		cr_assert_eq(
			tfr_device_upload(dev, memory, staging, 1000000, events[i], NULL), TFR_OK);
	}
	cr_assert_not(tfr_event_done(events[0]));
	cr_assert_eq(fake_cuda_most_in_flight(), 3);
	end_hangs();
	cr_assert_eq(fake_cuda_pageable_copies(), 0);
	for (int i = 0; i < 3; i++) {
		double seconds = 0;

		cr_assert_eq(tfr_event_wait(events[i], &seconds, NULL), TFR_OK);
		cr_assert_gt(seconds, 0.045);
		tfr_event_free(events[i]);
	}
	cr_assert_eq(fake_cuda_spinning_waits(), 0);
	tfr_device_free(dev, TFR_MEMORY_STAGING, staging);
	tfr_device_free(dev, TFR_MEMORY_DEVICE, memory);
	tfr_device_close(dev);
	cr_assert_eq(fake_cuda_waiting_frees(), 0);
	cr_assert(fake_cuda_all_freed());
}

static void *upload_pageable(void *arg)
{
	enum { LARGE = 1 << 20 };
	struct bed *b = arg;
	struct tfr_event *event;
	void *from, *to;

	cr_assert_eq(tfr_event_new(&event, b->dev, NULL), TFR_OK);
	cr_assert_eq(tfr_device_alloc(b->dev, TFR_MEMORY_PAGEABLE, LARGE, &from, NULL), TFR_OK);
	cr_assert_eq(tfr_device_alloc(b->dev, TFR_MEMORY_DEVICE, LARGE, &to, NULL), TFR_OK);
	memset(from, 1, LARGE);
	cr_assert_eq(tfr_device_upload(b->dev, to, from, LARGE, event, NULL), TFR_OK);
	tfr_event_free(event);
	tfr_device_free(b->dev, TFR_MEMORY_DEVICE, to);
	tfr_device_free(b->dev, TFR_MEMORY_PAGEABLE, from);
	return NULL;
}

/* The driver returns from such a copy only when it is done; a step must not wait for that. */
Test(cuda, a_pageable_copy_delays_no_computing, .timeout = 60)
{
	pthread_t thread;
	struct bed b;

	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	fake_cuda.hangs = "copy";
	pthread_create(&thread, NULL, upload_pageable, &b);
	while (fake_cuda_pageable_copies() == 0)
		usleep(1000);
	cr_assert_eq(tfr_device_compute(b.dev, 1e-3, b.event, NULL), TFR_OK);
	cr_assert_eq(tfr_event_wait(b.event, NULL, NULL), TFR_OK);
	end_hangs();
	pthread_join(thread, NULL);
	clear_bed(&b);
	cr_assert(fake_cuda_all_freed());
}

/* Uploads continue beside a kernel; a kernel waits for the uploads before it. */
Test(cuda, kernels_have_a_stream_of_their_own, .timeout = 60)
{
	struct tfr_event *uploaded;
	struct bed b;
	void *more;

	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	cr_assert_eq(tfr_event_new(&uploaded, b.dev, NULL), TFR_OK);
	cr_assert_eq(tfr_device_alloc(b.dev, TFR_MEMORY_DEVICE, SIZE, &more, NULL), TFR_OK);
	fake_cuda.hangs = "kernel";
	cr_assert_eq(
		tfr_device_normalise(b.dev, b.floats, b.bytes, SIZE, 3, NULL, NULL, b.event, NULL),
		TFR_OK);
	cr_assert_eq(tfr_device_upload(b.dev, more, b.staging, SIZE, uploaded, NULL), TFR_OK);
	cr_assert_eq(tfr_event_wait(uploaded, NULL, NULL), TFR_OK);
	cr_assert_not(tfr_event_done(b.event));
	end_hangs();
	cr_assert_eq(tfr_event_wait(b.event, NULL, NULL), TFR_OK);
	fake_cuda.hangs = "copy";
	cr_assert_eq(tfr_device_upload(b.dev, b.bytes, b.staging, SIZE, uploaded, NULL), TFR_OK);
	cr_assert_eq(
		tfr_device_normalise(b.dev, b.floats, b.bytes, SIZE, 3, NULL, NULL, b.event, NULL),
		TFR_OK);
	usleep(20000);
	cr_assert_not(tfr_event_done(b.event));
	end_hangs();
	cr_assert_eq(tfr_event_wait(b.event, NULL, NULL), TFR_OK);
	cr_assert(tfr_event_done(uploaded));
	tfr_event_free(uploaded);
	tfr_device_free(b.dev, TFR_MEMORY_DEVICE, more);
	clear_bed(&b);
	cr_assert(fake_cuda_all_freed());
}

/* The context that its caller has made current stays so, whatever a call comes to. */
static void expect_context_kept(struct CUctx_st *own)
{
	double seconds, rate;
	unsigned depth;
	struct bed b;
	char back;

#define KEPT(call)                                                                                 \
	do {                                                                                       \
		call;                                                                              \
		cr_assert_eq(fake_cuda_current(&depth), own, #call);                               \
		cr_assert_eq(depth, own != NULL, #call);                                           \
	} while (0)

	KEPT(make_bed(&b, "cuda:0", NULL));
	if (!b.dev)
		return;
	KEPT(tfr_device_links(&b.dev, 1, &(size_t){ 1000 }, false, &rate, NULL));
	if (b.event) {
		KEPT(tfr_device_upload(b.dev, b.bytes, b.staging, SIZE, b.event, NULL));
		KEPT(tfr_event_done(b.event));
		KEPT(tfr_event_wait(b.event, &seconds, NULL));
		KEPT(tfr_device_normalise(
			b.dev, b.floats, b.bytes, SIZE, 3, NULL, NULL, b.event, NULL));
		KEPT(tfr_event_wait(b.event, NULL, NULL));
		KEPT(tfr_device_compute(b.dev, 1e-5, b.event, NULL));
		KEPT(tfr_event_cut_short(b.event));
		KEPT(tfr_event_wait(b.event, &seconds, NULL));
		KEPT(tfr_device_download(b.dev, &back, b.bytes, 1, NULL));
	}
	KEPT(clear_bed(&b));
#undef KEPT
}

Test(cuda, the_current_context_stays_the_callers)
{
	static const char *const calls[] = { NULL, "cuStreamCreate", "cuEventCreate",
		"cuMemHostAlloc", "cuMemAlloc_v2", "cuEventRecord", "cuMemcpyHtoDAsync_v2",
		"cuLaunchKernel", "cuEventSynchronize", "cuStreamSynchronize",
		"cuMemcpyDtoHAsync_v2", "cuModuleLoadDataEx" };
	struct CUctx_st *own;

	fake_cuda.devices = 2;
	cr_assert_eq(cuInit(0), CUDA_OK);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		fake_cuda.fails = NULL;
		fake_cuda.on = 0;
		fake_cuda_repair();
		cr_assert_eq(cuDevicePrimaryCtxRetain(&own, 1), CUDA_OK);
		fake_cuda.fails = calls[i];
		expect_context_kept(NULL);
		cr_assert_eq(cuCtxPushCurrent_v2(own), CUDA_OK);
		expect_context_kept(own);
		cr_assert_eq(cuCtxPopCurrent_v2(NULL), CUDA_OK);
		cr_assert_eq(cuDevicePrimaryCtxRelease_v2(1), CUDA_OK);
		cr_assert(fake_cuda_all_freed(), "%s", calls[i] ? calls[i] : "");
	}
}

/* What a child of fork() gets from each call; false: something else than an error. */
static bool child_is_refused(struct bed *b)
{
	struct tfr_error err = { 0 };
	struct tfr_event *event;
	struct tfr_device *dev;
	double seconds, rate;
	void *memory;
	char back;
	bool ok = tfr_device_open(&dev, "cuda", &err) == TFR_EUNAVAILABLE &&
		  tfr_device_open(&dev, "auto", NULL) == TFR_EUNAVAILABLE &&
		  tfr_device_alloc(b->dev, TFR_MEMORY_STAGING, 1, &memory, NULL) ==
			  TFR_EUNAVAILABLE &&
		  tfr_event_new(&event, b->dev, NULL) == TFR_EUNAVAILABLE &&
		  tfr_device_upload(b->dev, b->bytes, b->staging, SIZE, b->event, NULL) ==
			  TFR_EUNAVAILABLE &&
		  tfr_device_normalise(b->dev, b->floats, b->bytes, SIZE, 3, NULL, NULL, b->event,
			  NULL) == TFR_EUNAVAILABLE &&
		  tfr_device_compute(b->dev, 0.1, b->event, NULL) == TFR_EUNAVAILABLE &&
		  tfr_event_wait(b->event, &seconds, NULL) == TFR_EUNAVAILABLE &&
		  tfr_device_download(b->dev, &back, b->bytes, 1, NULL) == TFR_EUNAVAILABLE &&
		  tfr_device_links(&b->dev, 1, &(size_t){ 1000 }, false, &rate, NULL) ==
			  TFR_EUNAVAILABLE &&
		  tfr_event_done(b->event);

	clear_bed(b); /* does nothing to the driver */
	return ok && strcmp(err.message, "device cuda: CUDA cannot be used after fork(): the "
					 "parent process used it") == 0;
}

Test(cuda, a_forked_process_is_refused, .timeout = 60)
{
	struct bed b;
	int status;
	pid_t child;

	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	cr_assert_eq(tfr_device_compute(b.dev, 0.05, b.event, NULL), TFR_OK);
	child = fork();
	if (child == 0) {
		bool ok = child_is_refused(&b);

		_exit(ok ? 0 : 1);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_eq(work(&b, NULL), TFR_OK);
	clear_bed(&b);
	cr_assert(fake_cuda_all_freed());
}

/* Two uploads are in flight on each device; a device that fails does not stop the others. */
Test(cuda, links_are_measured_at_the_same_time)
{
	struct tfr_device **devs;
	struct tfr_error err = { 0 };
	size_t sizes[4] = { 1 << 20, 1 << 20, 1 << 20, 1 << 20 };
	double rates[4];
	unsigned count;

	fake_cuda.devices = 4;
	fake_cuda.bandwidth = 1e9;
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:all", &err), TFR_OK);
	fake_cuda_most_in_flight();
	cr_assert_eq(tfr_device_links(devs, count, sizes, false, rates, &err), TFR_OK);
	cr_assert_gt(fake_cuda_most_in_flight(), 4);
	for (unsigned i = 0; i < count; i++)
		cr_assert_gt(rates[i], 0);
	fake_cuda.fails = "copy";
	fake_cuda.on = 2;
	cr_assert_neq(tfr_device_links(devs, count, sizes, false, rates, &err), TFR_OK);
	for (unsigned i = 0; i < count; i++)
		cr_assert_eq(rates[i] > 0, i != 2, "%u", i);
	fake_cuda.fails = NULL;
	fake_cuda_repair();
	tfr_devices_close(devs, count);
	cr_assert(fake_cuda_all_freed());
}
