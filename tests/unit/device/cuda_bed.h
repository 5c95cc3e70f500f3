/* A CUDA device with memory and an event: what the tests over the fake driver work with. */
#ifndef TESTS_UNIT_DEVICE_CUDA_BED_H
#define TESTS_UNIT_DEVICE_CUDA_BED_H

#include <tfr-private/device.h>

enum { SIZE = 5001 };

struct bed {
	struct tfr_device *dev;
	struct tfr_event *event;
	void *staging, *pageable, *bytes, *floats;
};

enum tfr_status make_bed(struct bed *b, const char *spec, struct tfr_error *err);
void clear_bed(struct bed *b);

/* Everything that a device does, once; the first failure, or TFR_OK. */
enum tfr_status work(struct bed *b, struct tfr_error *err);

/* The same on a device of its own, cuda:0. */
enum tfr_status work_once(struct tfr_error *err);

#endif
