/* Many threads on two devices of each kind: made for ThreadSanitizer, under which Criterion does
 * not start.
 *
 * Each thread owns a slot on each device and uploads, normalises and computes there over and over;
 * all share the devices and their order. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr-private/device.h>

#include "fake_cuda.h"

enum { THREADS = 4, DEVICES = 2, ROUNDS = 100, SIZE = 48 << 10 };

struct shared {
	struct tfr_device *devs[DEVICES];
};

struct slot {
	struct tfr_device *dev;
	struct tfr_event *uploaded, *ready, *computed;
	void *staging, *bytes, *floats;
};

static void check(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "stress device: %s\n", what);
		_Exit(1);
	}
}

static void open_slot(struct slot *s, struct tfr_device *dev, unsigned nth)
{
	enum tfr_memory kind = nth % 2 ? TFR_MEMORY_PAGEABLE : TFR_MEMORY_STAGING;

	s->dev = dev;
	check(!tfr_device_alloc(dev, kind, SIZE, &s->staging, NULL), "staging memory");
	check(!tfr_device_alloc(dev, TFR_MEMORY_DEVICE, SIZE, &s->bytes, NULL), "device memory");
	check(!tfr_device_alloc(dev, TFR_MEMORY_DEVICE, SIZE * sizeof(float), &s->floats, NULL),
		"device memory");
	check(!tfr_event_new(&s->uploaded, dev, NULL), "event");
	check(!tfr_event_new(&s->ready, dev, NULL), "event");
	check(!tfr_event_new(&s->computed, dev, NULL), "event");
}

static void close_slot(struct slot *s, unsigned nth)
{
	tfr_event_free(s->uploaded);
	tfr_event_free(s->ready);
	tfr_event_free(s->computed);
	tfr_device_free(s->dev, nth % 2 ? TFR_MEMORY_PAGEABLE : TFR_MEMORY_STAGING, s->staging);
	tfr_device_free(s->dev, TFR_MEMORY_DEVICE, s->bytes);
	tfr_device_free(s->dev, TFR_MEMORY_DEVICE, s->floats);
}

static void start(struct slot *s, int value)
{
	memset(s->staging, value, SIZE);
	check(!tfr_device_upload(s->dev, s->bytes, s->staging, SIZE, s->uploaded, NULL), "upload");
	check(!tfr_device_normalise(
		      s->dev, s->floats, s->bytes, SIZE, 3, NULL, NULL, s->ready, NULL),
		"normalise");
	check(!tfr_device_compute(s->dev, 1e-5, s->computed, NULL), "compute");
	tfr_event_done(s->uploaded);
	tfr_event_done(s->ready);
}

static void finish(struct slot *s)
{
	double seconds;

	check(!tfr_event_wait(s->uploaded, &seconds, NULL), "wait for an upload");
	check(!tfr_event_wait(s->ready, &seconds, NULL), "wait for floats");
	check(!tfr_event_wait(s->computed, &seconds, NULL), "wait for computing");
}

static void *thread_main(void *arg)
{
	static unsigned next;
	unsigned nth = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
	struct shared *shared = arg;
	struct slot slots[DEVICES];
	float back[2];

	for (unsigned d = 0; d < DEVICES; d++)
		open_slot(&slots[d], shared->devs[d], nth);
	for (int i = 0; i < ROUNDS; i++) {
		for (unsigned d = 0; d < DEVICES; d++)
			start(&slots[d], i + (int)d);
		for (unsigned d = 0; d < DEVICES; d++)
			finish(&slots[d]);
	}
	for (unsigned d = 0; d < DEVICES; d++) {
		float expected = ((float)(ROUNDS - 1 + (int)d) - 127.5f) / 127.5f;

		check(!tfr_device_download(slots[d].dev, back, (float *)slots[d].floats + SIZE - 2,
			      sizeof(back), NULL),
			"download");
		check(back[0] == expected && back[1] == expected, "other floats");
		close_slot(&slots[d], nth);
	}
	return NULL;
}

int main(void)
{
	static const char *const specs[] = { "sim:10G,10us,2", "cuda:0,1", "host" };

	fake_cuda.devices = DEVICES;
	for (int k = 0; k < 3; k++) {
		struct tfr_device **devs;
		struct shared shared;
		pthread_t threads[THREADS];
		unsigned count;

		check(!tfr_devices_open(&devs, &count, specs[k], NULL), specs[k]);
		for (unsigned d = 0; d < DEVICES; d++)
			shared.devs[d] = devs[d % count];
		for (int i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, thread_main, &shared);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		tfr_devices_close(devs, count);
	}
	check(fake_cuda_all_freed(), "something is left");
	return 0;
}
