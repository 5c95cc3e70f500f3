/* Many threads on one device of each kind: made for ThreadSanitizer, under which Criterion does not
 * start.
 *
 * Each thread owns a slot and uploads to it over and over; all share the device and its order. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tfr/device.h>

enum { THREADS = 4, ROUNDS = 200, SIZE = 64 << 10 };

static void check(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "stress device: %s\n", what);
		_Exit(1);
	}
}

static void *slot_main(void *arg)
{
	static _Thread_local unsigned char back[SIZE];
	struct tfr_device *dev = arg;
	struct tfr_event *ev;
	void *staging, *memory;

	check(tfr_device_alloc(dev, TFR_MEMORY_STAGING, SIZE, &staging, NULL) == TFR_OK,
		"staging memory");
	check(tfr_device_alloc(dev, TFR_MEMORY_DEVICE, SIZE, &memory, NULL) == TFR_OK,
		"device memory");
	check(tfr_event_new(&ev, dev, NULL) == TFR_OK, "event");
	for (int i = 0; i < ROUNDS; i++) {
		double seconds;

		memset(staging, i, SIZE);
		check(tfr_device_upload(dev, memory, staging, SIZE, ev, NULL) == TFR_OK, "upload");
		tfr_event_done(ev);
		check(tfr_event_wait(ev, &seconds, NULL) == TFR_OK, "wait");
	}
	check(tfr_device_download(dev, back, memory, SIZE, NULL) == TFR_OK, "download");
	check(back[0] == (unsigned char)(ROUNDS - 1) && back[SIZE - 1] == back[0], "other bytes");
	tfr_event_free(ev);
	tfr_device_free(dev, TFR_MEMORY_STAGING, staging);
	tfr_device_free(dev, TFR_MEMORY_DEVICE, memory);
	return NULL;
}

int main(void)
{
	static const char *const specs[] = { "host", "sim:10G,10us", "cuda:0" };

	for (int k = 0; k < 3; k++) {
		struct tfr_device *dev;
		pthread_t threads[THREADS];

		check(tfr_device_open(&dev, specs[k], NULL) == TFR_OK, specs[k]);
		for (int i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, slot_main, dev);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		tfr_device_close(dev);
	}
	return 0;
}
