/* device/cuda.c on the stand-in: what it says when something is missing, and each call failing in
 * turn. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <tfr-private/device.h>

#include "cuda_runtime_api.h"
#include "cudart.h"
#include "device/numa.h"

static void expect_open_fails(const char *spec, enum tfr_status status, const char *message)
{
	struct tfr_device *dev = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_device_open(&dev, spec, &err), status, "%s", err.message);
	cr_assert_str_eq(err.message, message);
	cr_assert(cudart_all_freed());
}

Test(cuda, says_what_is_missing)
{
	struct tfr_device *dev;

	expect_open_fails("cuda:0,1", TFR_EUSAGE, "'cuda:0,1' names 2 devices");
	expect_open_fails("cuda:0,1,0", TFR_EUSAGE, "device cuda:0 twice in 'cuda:0,1,0'");
	expect_open_fails("cuda:0,", TFR_EUSAGE, "'cuda:0,' is not a device such as cuda:0");
	expect_open_fails("cuda:,0", TFR_EUSAGE, "'cuda:,0' is not a device such as cuda:0");
	expect_open_fails("cuda:x", TFR_EUSAGE, "'cuda:x' is not a device such as cuda:0");
	expect_open_fails("cuda:1", TFR_EUNAVAILABLE, "device cuda:1: no such device, there is 1");
	cudart.devices = 0;
	expect_open_fails("cuda:0", TFR_EUNAVAILABLE, "device cuda: no device");
	cudart.driver = 12040;
	expect_open_fails("cuda", TFR_EUNAVAILABLE,
		"device cuda: the driver is for CUDA 12.4, this build needs 13.0");
	cudart.driver = 0;
	expect_open_fails("cuda", TFR_EUNAVAILABLE, "device cuda: no driver");
	cr_assert_eq(tfr_device_open(&dev, "auto", NULL), TFR_OK);
	cr_assert_str_eq(tfr_device_name(dev), "host");
	cr_assert_str_eq(tfr_device_reason(dev), "no CUDA device: no driver");
	tfr_device_close(dev);
	cudart.driver = 13000;
	cr_assert_eq(tfr_device_open(&dev, "auto", NULL), TFR_OK);
	cr_assert_str_eq(tfr_device_reason(dev), "no CUDA device: no device");
	tfr_device_close(dev);
}

/* A GPU that is there and refuses is not replaced by the host. */
Test(cuda, auto_does_not_hide_a_refusal)
{
	cudart.driver = 12040;
	expect_open_fails("auto", TFR_EUNAVAILABLE,
		"device cuda: the driver is for CUDA 12.4, this build needs 13.0");
	cudart.driver = 13000;
	cudart.error = 2; /* out of memory, as where another process has it all */
	cudart.fails = "cudaStreamCreateWithFlags";
	expect_open_fails("auto", TFR_ENOMEM, "cudaStreamCreateWithFlags on cuda:0: out of memory");
	cudart.error = 999;
	cudart.fails = "cudaGetDeviceCount";
	cudart_mend();
	expect_open_fails("auto", TFR_EUNAVAILABLE, "device cuda: cudaGetDeviceCount: some error");
	cudart.fails = "cudaDriverGetVersion";
	cudart_mend();
	expect_open_fails(
		"auto", TFR_EUNAVAILABLE, "device cuda: cudaDriverGetVersion: some error");
}

Test(cuda, auto_prefers_it)
{
	struct tfr_device *dev;

	cr_assert_eq(tfr_device_open(&dev, "auto", NULL), TFR_OK);
	cr_assert_str_eq(tfr_device_name(dev), "cuda:0");
	cr_assert_str_eq(tfr_device_description(dev), "Stand-in, 8 GiB");
	tfr_device_close(dev);
	cr_assert(cudart_all_freed());
}

enum { SIZE = 5001 };

/* A device, memory and an event of it. */
struct bed {
	struct tfr_device *dev;
	struct tfr_event *event;
	void *staging, *pageable, *bytes, *floats;
};

static enum tfr_status make_bed(struct bed *b, const char *spec, struct tfr_error *err)
{
	enum tfr_status status;

	*b = (struct bed){ 0 };
	status = tfr_device_open(&b->dev, spec, err);
	if (!status)
		status = tfr_device_alloc(b->dev, TFR_MEMORY_STAGING, SIZE, &b->staging, err);
	if (!status)
		status = tfr_device_alloc(b->dev, TFR_MEMORY_PAGEABLE, SIZE, &b->pageable, err);
	if (!status)
		status = tfr_device_alloc(b->dev, TFR_MEMORY_DEVICE, SIZE, &b->bytes, err);
	if (!status)
		status = tfr_device_alloc(
			b->dev, TFR_MEMORY_DEVICE, SIZE * sizeof(float), &b->floats, err);
	if (!status)
		status = tfr_event_new(&b->event, b->dev, err);
	if (!status)
		memset(b->staging, 7, SIZE);
	return status;
}

static void clear_bed(struct bed *b)
{
	if (!b->dev)
		return;
	tfr_event_free(b->event);
	tfr_device_free(b->dev, TFR_MEMORY_STAGING, b->staging);
	tfr_device_free(b->dev, TFR_MEMORY_PAGEABLE, b->pageable);
	tfr_device_free(b->dev, TFR_MEMORY_DEVICE, b->bytes);
	tfr_device_free(b->dev, TFR_MEMORY_DEVICE, b->floats);
	tfr_device_close(b->dev);
}

/* Everything that a device does, once; the first failure, or TFR_OK. */
static enum tfr_status work(struct bed *b, struct tfr_error *err)
{
	char back[SIZE];
	double seconds;
	enum tfr_status status =
		tfr_device_upload(b->dev, b->bytes, b->staging, SIZE, b->event, err);

	if (!status)
		status = tfr_event_wait(b->event, &seconds, err);
	if (!status)
		status = tfr_device_normalise(
			b->dev, b->floats, b->bytes, SIZE, 3, NULL, NULL, b->event, err);
	if (!status)
		status = tfr_event_wait(b->event, &seconds, err);
	if (!status)
		status = tfr_device_compute(b->dev, 1e-4, b->event, err);
	if (!status)
		status = tfr_event_wait(b->event, &seconds, err);
	if (!status)
		status = tfr_device_download(b->dev, back, b->bytes, SIZE, err);
	return status;
}

static enum tfr_status work_once(struct tfr_error *err)
{
	struct bed b;
	enum tfr_status status = make_bed(&b, "cuda:0", err);

	if (!status)
		status = work(&b, err);
	clear_bed(&b);
	return status;
}

/* Fails `call` at its first use, its second, and so on, until it is used no more. */
static void fail_every_use(const char *call, bool lost)
{
	cudart.fails = call;
	cudart.lost = lost;
	for (cudart.after = 0;; cudart.after++) {
		struct tfr_error err = { 0 };
		char expected[128];
		enum tfr_status status;

		cudart_mend();
		status = work_once(&err);
		cr_assert(cudart_all_freed(), "%s, use %d", call, cudart.after);
		if (status == TFR_OK) {
			cr_assert_gt(cudart.after, 0, "%s is never called", call);
			return;
		}
		snprintf(expected, sizeof(expected), "%s on cuda:0: unspecified launch failure",
			call);
		cr_assert_eq(status, TFR_ESYS);
		cr_assert_str_eq(err.message, expected, "use %d", cudart.after);
	}
}

static const char *const calls[] = { "cudaSetDevice", "cudaGetDeviceProperties",
	"cudaDeviceGetPCIBusId", "cudaDeviceGetAttribute", "cudaStreamCreateWithFlags",
	"cudaHostAlloc", "cudaMalloc", "cudaEventCreateWithFlags", "cudaEventRecord",
	"cudaMemcpyAsync", "cudaLaunchKernel", "cudaEventSynchronize", "cudaEventElapsedTime",
	"cudaStreamSynchronize", NULL };

Test(cuda, every_failure_names_the_call_and_the_device_and_leaves_nothing)
{
	cr_assert_eq(work_once(NULL), TFR_OK);
	for (int i = 0; calls[i]; i++)
		fail_every_use(calls[i], false);
}

Test(cuda, a_device_may_be_lost_at_any_call)
{
	for (int i = 0; calls[i]; i++)
		fail_every_use(calls[i], true);
}

Test(cuda, a_lost_device_says_so_from_then_on)
{
	struct tfr_error err = { 0 };
	enum tfr_status status;
	void *memory;
	struct bed b;

	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	cudart.fails = "copy";
	cudart.lost = true;
	cudart.error = cudaErrorECCUncorrectable;
	/* The copy may fail before the call that records its event, which then says so. */
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
			"cudaSetDevice on cuda:0: uncorrectable ECC error encountered");
		/* Nothing was started, so there is nothing to wait for. */
		cr_assert(tfr_event_done(b.event));
		cr_assert_eq(tfr_event_wait(b.event, NULL, &err), TFR_OK);
	}
	cr_assert_eq(tfr_device_alloc(b.dev, TFR_MEMORY_STAGING, 1, &memory, &err), TFR_ESYS);
	cr_assert_eq(tfr_device_download(b.dev, &err, b.bytes, 1, &err), TFR_ESYS);
	clear_bed(&b);
	cr_assert(cudart_all_freed());
}

Test(cuda, a_lost_device_leaves_the_others_alone)
{
	struct tfr_error err = { 0 };
	struct bed one, other;

	cudart.devices = 2;
	cudart.fails = "cudaMemcpyAsync";
	cudart.lost = true;
	cudart.on = 1;
	cr_assert_eq(make_bed(&one, "cuda:0", NULL), TFR_OK);
	cr_assert_eq(make_bed(&other, "cuda:1", NULL), TFR_OK);
	cr_assert_eq(work(&other, &err), TFR_ESYS);
	cr_assert_str_eq(err.message, "cudaMemcpyAsync on cuda:1: unspecified launch failure");
	cr_assert_eq(work(&one, NULL), TFR_OK);
	clear_bed(&other);
	cr_assert_eq(work(&one, NULL), TFR_OK);
	clear_bed(&one);
	cr_assert(cudart_all_freed());
}

Test(cuda, several_devices_have_a_stream_each)
{
	struct tfr_device **devs;
	unsigned count;
	struct bed b;

	cudart.devices = 4;
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:all", NULL), TFR_OK);
	cr_assert_eq(count, 4);
	cr_assert_str_eq(tfr_device_name(devs[3]), "cuda:3");
	tfr_devices_close(devs, count);
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:2,0", NULL), TFR_OK);
	cr_assert_eq(count, 2);
	cr_assert_str_eq(tfr_device_name(devs[0]), "cuda:2");
	cr_assert_str_eq(tfr_device_name(devs[1]), "cuda:0");
	/* Each call makes its device the current one, whichever was used before. */
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < count; i++) {
			cr_assert_eq(make_bed(&b, tfr_device_name(devs[i]), NULL), TFR_OK);
			cr_assert_eq(work(&b, NULL), TFR_OK);
			clear_bed(&b);
		}
	tfr_devices_close(devs, count);
	cr_assert(cudart_all_freed());
}

Test(cuda, all_are_opened_or_none)
{
	struct tfr_device **devs = NULL;
	struct tfr_error err = { 0 };
	unsigned count = 0;

	cudart.devices = 3;
	cudart.fails = "cudaStreamCreateWithFlags";
	cudart.on = 2;
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:all", &err), TFR_ESYS);
	cr_assert_str_eq(
		err.message, "cudaStreamCreateWithFlags on cuda:2: unspecified launch failure");
	cr_assert_null(devs);
	cr_assert(cudart_all_freed());
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:0,3", &err), TFR_EUNAVAILABLE);
	cr_assert_str_eq(err.message, "device cuda:3: no such device, there are 3");
	cr_assert(cudart_all_freed());
	cudart.driver = 0;
	cr_assert_eq(tfr_devices_open(&devs, &count, "cuda:all", &err), TFR_EUNAVAILABLE);
	cr_assert_str_eq(err.message, "device cuda: no driver");
}

Test(cuda, without_kernels_it_says_so)
{
	struct tfr_error err = { 0 };
	struct bed b;

	cudart.no_kernels = true;
	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	cr_assert_eq(
		tfr_device_normalise(b.dev, b.floats, b.bytes, SIZE, 3, NULL, NULL, b.event, &err),
		TFR_EUNAVAILABLE);
	cr_assert_str_eq(err.message, "device cuda:0: not built with CUDA kernels");
	cr_assert_str_not_empty(tfr_error_hint_text(&err));
	cr_assert_eq(tfr_device_compute(b.dev, 0.1, b.event, &err), TFR_EUNAVAILABLE);
	clear_bed(&b);
}

Test(cuda, a_kernel_that_fails_under_way_is_told_at_the_wait)
{
	struct tfr_error err = { 0 };

	cudart.fails = "kernel";
	cr_assert_eq(work_once(&err), TFR_ESYS);
	cr_assert_str_eq(err.message, "cudaEventSynchronize on cuda:0: unspecified launch failure");
	cr_assert(cudart_all_freed());
}

Test(cuda, pageable_memory_is_what_it_says)
{
	struct bed b;

	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	cr_assert_eq(work(&b, NULL), TFR_OK);
	cr_assert_eq(cudart_pageable_copies(), 0);
	memset(b.pageable, 9, SIZE);
	cr_assert_eq(tfr_device_upload(b.dev, b.bytes, b.pageable, SIZE, b.event, NULL), TFR_OK);
	cr_assert_eq(tfr_event_wait(b.event, NULL, NULL), TFR_OK);
	cr_assert_eq(cudart_pageable_copies(), 1);
	clear_bed(&b);
}

/* In a folder of its own, which the stand-in build looks into in place of /sys. */
static void make_sysfs(const char *node)
{
	char folder[] = "/tmp/tfr-device-XXXXXX";
	FILE *f;

	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	cr_assert_eq(system("mkdir -p made-sysfs/bus/pci/devices/0000:3a:00.0"), 0);
	f = fopen("made-sysfs/bus/pci/devices/0000:3a:00.0/numa_node", "w");
	fprintf(f, "%s\n", node);
	fclose(f);
}

static void remove_sysfs(void)
{
	cr_assert_eq(system("rm -r \"$PWD/made-sysfs\" && rmdir \"$PWD\""), 0);
}

static int preferred_mode(void)
{
	int mode = -1;

	return syscall(SYS_get_mempolicy, &mode, NULL, 0ul, NULL, 0ul) == 0 ? mode : -1;
}

Test(cuda, staging_memory_is_on_the_node_of_the_device)
{
	int before = preferred_mode();
	struct bed b;

	if (before < 0)
		cr_skip_test("this system has no policies of memory");
	make_sysfs("0");
	cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
	cr_assert_eq(tfr_device_node(b.dev), 0);
	cr_assert_str_eq(tfr_device_description(b.dev), "Stand-in, 8 GiB, NUMA node 0");
	cr_assert_eq(cudart_pinned_node(), 0);
	cr_assert_eq(preferred_mode(), before);
	clear_bed(&b);
	remove_sysfs();
}

Test(cuda, a_node_that_is_not_known_changes_nothing)
{
	static const char *const nodes[] = { "-1", "", "x", "5000", NULL };
	struct bed b;

	for (int i = 0; nodes[i]; i++) {
		make_sysfs(nodes[i]);
		cr_assert_eq(make_bed(&b, "cuda:0", NULL), TFR_OK);
		cr_assert_eq(tfr_device_node(b.dev), -1, "'%s'", nodes[i]);
		cr_assert_eq(cudart_pinned_node(), -1);
		clear_bed(&b);
		remove_sysfs();
	}
}

Test(cuda, nodes_are_looked_up_by_plain_addresses_only)
{
	make_sysfs("3");
	cr_assert_eq(tfr_numa_node_of_pci("made-sysfs", "0000:3A:00.0"), 3);
	cr_assert_eq(tfr_numa_node_of_pci("made-sysfs", "0000:3a:00.0"), 3);
	cr_assert_eq(tfr_numa_node_of_pci("made-sysfs", "0000:3b:00.0"), -1);
	cr_assert_eq(tfr_numa_node_of_pci("made-sysfs", "../devices/0000:3a:00.0"), -1);
	cr_assert_eq(tfr_numa_node_of_pci("made-sysfs", ""), -1);
	remove_sysfs();
}

Test(cuda, out_of_memory_is_told_apart)
{
	struct tfr_error err = { 0 };

	cudart.fails = "cudaHostAlloc";
	cudart.error = cudaErrorMemoryAllocation;
	cr_assert_eq(work_once(&err), TFR_ENOMEM);
	cr_assert_str_eq(err.message, "cudaHostAlloc on cuda:0: out of memory");
}

Test(cuda, a_copy_that_fails_under_way_is_told_at_the_wait)
{
	struct tfr_error err = { 0 };

	cudart.fails = "copy";
	cr_assert_eq(work_once(&err), TFR_ESYS);
	cr_assert_str_eq(err.message, "cudaEventSynchronize on cuda:0: unspecified launch failure");
	cr_assert(cudart_all_freed());
}

Test(cuda, copies_are_asynchronous_and_timed_by_the_device)
{
	struct tfr_device *dev;
	struct tfr_event *events[3];
	void *staging, *memory;

	cudart.bandwidth = 20e6; /* 50 ms each */
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
	cr_assert_eq(cudart_most_in_flight(), 3);
	cr_assert_eq(cudart_pageable_copies(), 0);
	for (int i = 0; i < 3; i++) {
		double seconds = 0;

		cr_assert_eq(tfr_event_wait(events[i], &seconds, NULL), TFR_OK);
		cr_assert_gt(seconds, 0.045);
		tfr_event_free(events[i]);
	}
	tfr_device_free(dev, TFR_MEMORY_STAGING, staging);
	tfr_device_free(dev, TFR_MEMORY_DEVICE, memory);
	tfr_device_close(dev);
	cr_assert(cudart_all_freed());
}
