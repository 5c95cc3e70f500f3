/* device/copier.h - a device of three threads.  One copies in order, as fast as memory allows or at
 * a set pace.  One normalises what has arrived.  The third sleeps for the time of computing.
 *
 * host is a copier without a pace; sim is one with a pace.  The link of a paced one is occupied for
 * size / bandwidth, one copy after another, and a copy has arrived `latency` after its last byte
 * left: latencies overlap, as on a bus. */
#ifndef TFR_DEVICE_COPIER_H
#define TFR_DEVICE_COPIER_H

#include "device/row.h"

struct tfr_copier_pace {
	double bandwidth; /* bytes per second; 0: as fast as possible */
	uint64_t latency_ns;
};

/* These fill a row; `dev->state` is the copier that tfr_copier_open() made. */
enum tfr_status tfr_copier_open(
	struct tfr_device *dev, struct tfr_copier_pace pace, struct tfr_error *err);
void tfr_copier_close(struct tfr_device *dev);
enum tfr_status tfr_copier_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err);
void tfr_copier_free(struct tfr_device *dev, enum tfr_memory kind, void *memory);
enum tfr_status tfr_copier_event_new(
	struct tfr_event **ev, struct tfr_device *dev, struct tfr_error *err);
void tfr_copier_event_free(struct tfr_event *ev);
enum tfr_status tfr_copier_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *ev, struct tfr_error *err);
enum tfr_status tfr_copier_normalise(struct tfr_device *dev, const struct tfr_normalise_job *what,
	struct tfr_event *ev, struct tfr_error *err);
enum tfr_status tfr_copier_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *ev, struct tfr_error *err);
enum tfr_status tfr_copier_wait(struct tfr_event *ev, double *seconds, struct tfr_error *err);
bool tfr_copier_done(struct tfr_event *ev);
void tfr_copier_cut_short(struct tfr_event *ev);
enum tfr_status tfr_copier_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err);

#endif
