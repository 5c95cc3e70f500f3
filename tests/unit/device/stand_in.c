/* device/cuda.c on the stand-in: what it says when something is missing, and each call failing in
 * turn. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <tfr/device.h>

#include "cuda_runtime_api.h"
#include "cudart.h"

static void expect_open_fails(const char *spec, enum tfr_status status, const char *message)
{
	struct tfr_device *dev = NULL;
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_device_open(&dev, spec, &err), status);
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

/* One upload and all around it; the first failure, or TFR_OK. */
static enum tfr_status one_upload(struct tfr_error *err)
{
	void *staging = NULL, *memory = NULL;
	struct tfr_device *dev = NULL;
	struct tfr_event *event = NULL;
	enum tfr_status status = tfr_device_open(&dev, "cuda:0", err);
	double seconds;

	if (status)
		return status;
	status = tfr_device_alloc(dev, TFR_MEMORY_STAGING, 5000, &staging, err);
	if (!status)
		status = tfr_device_alloc(dev, TFR_MEMORY_DEVICE, 5000, &memory, err);
	if (!status)
		status = tfr_event_new(&event, dev, err);
	if (!status) {
		memset(staging, 7, 5000);
		status = tfr_device_upload(dev, memory, staging, 5000, event, err);
	}
	if (!status)
		status = tfr_event_wait(event, &seconds, err);
	tfr_event_free(event);
	tfr_device_free(dev, TFR_MEMORY_STAGING, staging);
	tfr_device_free(dev, TFR_MEMORY_DEVICE, memory);
	tfr_device_close(dev);
	return status;
}

Test(cuda, every_failure_names_the_call_and_the_device_and_leaves_nothing)
{
	static const char *const calls[] = { "cudaSetDevice", "cudaStreamCreateWithFlags",
		"cudaHostAlloc", "cudaMalloc", "cudaEventCreateWithFlags", "cudaEventRecord",
		"cudaMemcpyAsync", "cudaEventSynchronize", "cudaEventElapsedTime", NULL };

	cr_assert_eq(one_upload(NULL), TFR_OK);
	for (int i = 0; calls[i]; i++)
		for (cudart.after = 0; cudart.after < 2; cudart.after++) {
			struct tfr_error err = { 0 };
			char expected[128];
			enum tfr_status status;

			cudart.fails = calls[i];
			status = one_upload(&err);
			cr_assert(cudart_all_freed(), "%s", calls[i]);
			if (status == TFR_OK) {
				cr_assert_gt(cudart.after, 0, "%s", calls[i]);
				continue;
			}
			snprintf(expected, sizeof(expected),
				"%s on cuda:0: unspecified launch failure", calls[i]);
			cr_assert_eq(status, TFR_ESYS);
			cr_assert_str_eq(err.message, expected);
		}
}

Test(cuda, out_of_memory_is_told_apart)
{
	struct tfr_error err = { 0 };

	cudart.fails = "cudaHostAlloc";
	cudart.error = cudaErrorMemoryAllocation;
	cr_assert_eq(one_upload(&err), TFR_ENOMEM);
	cr_assert_str_eq(err.message, "cudaHostAlloc on cuda:0: out of memory");
}

Test(cuda, a_copy_that_fails_under_way_is_told_at_the_wait)
{
	struct tfr_error err = { 0 };

	cudart.fails = "copy";
	cr_assert_eq(one_upload(&err), TFR_ESYS);
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
		cr_assert(seconds > 0.045 && seconds < 0.5, "%g", seconds);
		tfr_event_free(events[i]);
	}
	tfr_device_free(dev, TFR_MEMORY_STAGING, staging);
	tfr_device_free(dev, TFR_MEMORY_DEVICE, memory);
	tfr_device_close(dev);
	cr_assert(cudart_all_freed());
}
