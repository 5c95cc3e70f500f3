/* What every kind of device promises, asked of each that answers: host, sim, and cuda on a GPU or
 * over the fake driver. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/device.h>

#include "base/clock.h"

static const char *const specs[] = { "host", "sim:2G,1ms", "cuda:0", NULL };

enum { SLOTS = 3, SIZE = 3 << 20 };

static bool open_or_skip(struct tfr_device **dev, const char *spec)
{
	struct tfr_error err = { 0 };
	enum tfr_status status = tfr_device_open(dev, spec, &err);

	cr_assert(status == TFR_OK || (status == TFR_EUNAVAILABLE && strncmp(spec, "cuda", 4) == 0),
		"%s: %s", spec, err.message);
	return status == TFR_OK;
}

Test(device, uploads_arrive_in_order_with_several_under_way)
{
	for (int k = 0; specs[k]; k++) {
		struct tfr_device *dev;
		struct tfr_event *events[SLOTS];
		void *staging[SLOTS], *memory[SLOTS];
		unsigned char *back;

		if (!open_or_skip(&dev, specs[k]))
			continue;
		back = malloc(SIZE);
		for (int i = 0; i < SLOTS; i++) {
			cr_assert_eq(
				tfr_device_alloc(dev, TFR_MEMORY_STAGING, SIZE, &staging[i], NULL),
				TFR_OK);
			cr_assert_eq(
				tfr_device_alloc(dev, TFR_MEMORY_DEVICE, SIZE, &memory[i], NULL),
				TFR_OK);
			cr_assert_eq(tfr_event_new(&events[i], dev, NULL), TFR_OK);
			cr_assert_eq((uintptr_t)staging[i] % 4096, 0);
		}
		for (int round = 0; round < 4 * SLOTS; round++) {
			int i = round % SLOTS;
			double seconds = -1;

			cr_assert_eq(tfr_event_wait(events[i], &seconds, NULL), TFR_OK);
			cr_assert_geq(seconds, 0);
			memset(staging[i], round, SIZE);
			cr_assert_eq(tfr_device_upload(
					     dev, memory[i], staging[i], SIZE, events[i], NULL),
				TFR_OK);
		}
		for (int i = 0; i < SLOTS; i++) {
			cr_assert_eq(tfr_device_download(dev, back, memory[i], SIZE, NULL), TFR_OK);
			cr_assert(tfr_event_done(events[i]));
			for (int b = 0; b < SIZE; b++)
				cr_assert_eq(back[b], 3 * SLOTS + i, "%s", specs[k]);
		}
		for (int i = 0; i < SLOTS; i++) {
			tfr_event_free(events[i]);
			tfr_device_free(dev, TFR_MEMORY_STAGING, staging[i]);
			tfr_device_free(dev, TFR_MEMORY_DEVICE, memory[i]);
		}
		tfr_device_close(dev);
		free(back);
	}
}

Test(device, an_event_may_be_freed_while_its_upload_is_under_way)
{
	for (int k = 0; specs[k]; k++) {
		struct tfr_device *dev;
		struct tfr_event *event;
		void *staging, *memory;

		if (!open_or_skip(&dev, specs[k]))
			continue;
		cr_assert_eq(
			tfr_device_alloc(dev, TFR_MEMORY_STAGING, SIZE, &staging, NULL), TFR_OK);
		cr_assert_eq(tfr_device_alloc(dev, TFR_MEMORY_DEVICE, SIZE, &memory, NULL), TFR_OK);
		cr_assert_eq(tfr_event_new(&event, dev, NULL), TFR_OK);
		cr_assert_eq(tfr_device_upload(dev, memory, staging, SIZE, event, NULL), TFR_OK);
		tfr_event_free(event);
		tfr_device_free(dev, TFR_MEMORY_STAGING, staging);
		tfr_device_free(dev, TFR_MEMORY_DEVICE, memory);
		tfr_device_close(dev);
	}
}

Test(device, says_what_it_is)
{
	for (int k = 0; specs[k]; k++) {
		struct tfr_device *dev;

		if (!open_or_skip(&dev, specs[k]))
			continue;
		cr_assert_str_eq(tfr_device_name(dev), specs[k]);
		cr_assert_str_not_empty(tfr_device_description(dev));
		cr_assert_str_empty(tfr_device_reason(dev));
		cr_assert_eq(tfr_device_in_process(dev), strncmp(specs[k], "cuda", 4) != 0);
		tfr_device_close(dev);
	}
}

Test(device, sim_keeps_its_pace)
{
	struct tfr_device *dev;
	struct tfr_event *events[2];
	void *staging, *memory;
	double seconds = 0;
	uint64_t start;

	/* 1 MB at 20 MB/s: 50 ms of the link each. */
	cr_assert_eq(tfr_device_open(&dev, "sim:20M,0", NULL), TFR_OK);
	cr_assert_eq(tfr_device_alloc(dev, TFR_MEMORY_STAGING, 1000000, &staging, NULL), TFR_OK);
	cr_assert_eq(tfr_device_alloc(dev, TFR_MEMORY_DEVICE, 1000000, &memory, NULL), TFR_OK);
	memset(staging, 1, 1000000);
	start = tfr_clock_ns();
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(tfr_event_new(&events[i], dev, NULL), TFR_OK);
		cr_assert_eq(
			tfr_device_upload(dev, memory, staging, 1000000, events[i], NULL), TFR_OK);
	}
	cr_assert_eq(tfr_event_wait(events[0], &seconds, NULL), TFR_OK);
	cr_assert_float_eq(seconds, 0.05, 1e-6);
	cr_assert_eq(tfr_event_wait(events[1], &seconds, NULL), TFR_OK);
	cr_assert_float_eq(seconds, 0.05, 1e-6);
	/* Only a lower bound holds on a busy machine. */
	cr_assert_geq(tfr_clock_ns() - start, 100000000);
	for (int i = 0; i < 2; i++)
		tfr_event_free(events[i]);
	tfr_device_free(dev, TFR_MEMORY_STAGING, staging);
	tfr_device_free(dev, TFR_MEMORY_DEVICE, memory);
	tfr_device_close(dev);
}

Test(device, several_have_a_link_each)
{
	struct tfr_device **devs;
	struct tfr_event *events[3];
	void *staging[3], *memory[3];
	unsigned count;
	uint64_t start;

	cr_assert_eq(tfr_devices_open(&devs, &count, "sim:1M,0,3", NULL), TFR_OK);
	cr_assert_eq(count, 3);
	cr_assert_str_eq(tfr_device_name(devs[0]), "sim:1M,0#0");
	cr_assert_str_eq(tfr_device_name(devs[2]), "sim:1M,0#2");
	for (unsigned i = 0; i < count; i++) {
		struct tfr_device_info info;

		tfr_device_info(devs[i], &info);
		cr_assert_eq(info.node, -1);
		cr_assert_eq(
			tfr_device_alloc(devs[i], TFR_MEMORY_STAGING, 1000000, &staging[i], NULL),
			TFR_OK);
		cr_assert_eq(
			tfr_device_alloc(devs[i], TFR_MEMORY_DEVICE, 1000000, &memory[i], NULL),
			TFR_OK);
		cr_assert_eq(tfr_event_new(&events[i], devs[i], NULL), TFR_OK);
		memset(staging[i], (int)i, 1000000);
	}
	/* 300 ms on the first; what the others get does not wait for it. */
	start = tfr_clock_ns();
	for (unsigned i = 0; i < count; i++)
		cr_assert_eq(tfr_device_upload(devs[i], memory[i], staging[i], i ? 1 : 300000,
				     events[i], NULL),
			TFR_OK);
	for (unsigned i = count; i-- > 0;) {
		double seconds;

		if (i == 0 && tfr_clock_ns() - start < 290000000)
			cr_assert_not(tfr_event_done(events[0]));
		cr_assert_eq(tfr_event_wait(events[i], &seconds, NULL), TFR_OK);
		cr_assert_float_eq(seconds, i ? 1e-6 : 0.3, 1e-9);
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned char back;

		cr_assert_eq(tfr_device_download(devs[i], &back, memory[i], 1, NULL), TFR_OK);
		cr_assert_eq(back, i);
		tfr_event_free(events[i]);
		tfr_device_free(devs[i], TFR_MEMORY_STAGING, staging[i]);
		tfr_device_free(devs[i], TFR_MEMORY_DEVICE, memory[i]);
	}
	tfr_devices_close(devs, count);
	tfr_devices_close(NULL, 0);
}

Test(device, one_is_a_list_of_one)
{
	static const char *const one[] = { "host", "sim:1G,0", "sim:1G,0,1", "auto", NULL };

	for (int i = 0; one[i]; i++) {
		struct tfr_device **devs, *dev;
		unsigned count;

		cr_assert_eq(tfr_devices_open(&devs, &count, one[i], NULL), TFR_OK);
		cr_assert_eq(count, 1);
		cr_assert_eq(tfr_device_open(&dev, one[i], NULL), TFR_OK);
		cr_assert_str_eq(tfr_device_name(devs[0]), tfr_device_name(dev));
		tfr_device_close(dev);
		tfr_devices_close(devs, count);
	}
}

Test(device, refuses_what_names_no_device)
{
	static const char *const bad[] = { "", "hos", "host:", "host:1", "sim", "sim:", "sim:25G",
		"sim:25G,", "sim:,1us", "sim:25X,1us", "sim:25G,10", "sim:25G,10us ", "sim:-1,0",
		"sim:0,0", "sim:nan,0", "sim:0x10,0", "sim:1G,inf", "sim:1e400,0", "sim:25G,10us,2",
		"sim:25G,10us,", "sim:25G,10us,0", "sim:25G,10us,65", "sim:25G,10us,2,2",
		"sim:25G,10us,+2", "sim:25G,10us#1", "tpu:0", "auto:1", "cud", NULL };

	for (int i = 0; bad[i]; i++) {
		struct tfr_device *dev = NULL;
		struct tfr_error err = { 0 };

		cr_assert_eq(tfr_device_open(&dev, bad[i], &err), TFR_EUSAGE, "'%s'", bad[i]);
		cr_assert_str_not_empty(err.message);
		err.message[0] = '\0';
		if (strcmp(bad[i], "sim:25G,10us,2") != 0) {
			struct tfr_device **devs = NULL;
			unsigned count;

			cr_assert_eq(tfr_devices_open(&devs, &count, bad[i], &err), TFR_EUSAGE,
				"'%s'", bad[i]);
			cr_assert_str_not_empty(err.message);
		}
	}
}
