/* device/cuda_device.h - an open CUDA device, for the files cuda*.c.
 *
 * Work belongs to the device's primary context, which other users of CUDA in this process share.  A
 * context is current in a thread, and any thread may call us: a function that calls the driver
 * pushes the context by tfr_cuda_enter() and pops it by tfr_cuda_leave(), so that the caller's
 * stays as it was. */
#ifndef TFR_DEVICE_CUDA_DEVICE_H
#define TFR_DEVICE_CUDA_DEVICE_H

#include <pthread.h>

#include "device/cuda_kernels.h"
#include "device/row.h"

/* The lock keeps the calls of a piece of work together.  Each stream has its own: the copy of
 * pageable memory returns only when it is done, and nothing else must wait for it. */
struct tfr_cuda_stream {
	struct CUstream_st *stream;
	pthread_mutex_t order;
};

struct tfr_cuda {
	const struct tfr_cuda_api *api;
	struct CUctx_st *context;
	int device, multiprocessors;
	struct tfr_cuda_stream copies, kernels, steps;
	struct CUevent_st *copied; /* in `copies`: what the next kernel waits for */
	struct tfr_cuda_kernels programs;
	struct tfr_device_info info;
	pthread_mutex_t lock; /* of the pinned memory and info's figures of it */
	struct tfr_cuda_pinned *pinned;
	uint64_t pinned_now, outside_now;
};

/* A block of pinned memory. */
struct tfr_cuda_pinned {
	struct tfr_cuda_pinned *next;
	void *memory;
	size_t size, outside;
};

/* Calls the driver, and returns the error of a call that fails. */
#define TRY(dev, call, args)                                                                       \
	do {                                                                                       \
		const struct tfr_cuda *cuda_ = (dev)->state;                                       \
		unsigned rc_ = cuda_->api->call args;                                              \
		if (rc_)                                                                           \
			return tfr_cuda_fail(cuda_->api, err, (dev)->name, #call, rc_);            \
	} while (0)

enum tfr_status tfr_cuda_enter(const struct tfr_device *dev, struct tfr_error *err);
void tfr_cuda_leave(const struct tfr_device *dev);

/* ---- cuda_memory.c: functions of the row ---- */

enum tfr_status tfr_cuda_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err);
void tfr_cuda_free(struct tfr_device *dev, enum tfr_memory kind, void *memory);

/* ---- cuda_work.c: functions of the row ---- */

enum tfr_status tfr_cuda_event_new(
	struct tfr_event **ev, struct tfr_device *dev, struct tfr_error *err);
void tfr_cuda_event_free(struct tfr_event *ev);
enum tfr_status tfr_cuda_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *ev, struct tfr_error *err);
enum tfr_status tfr_cuda_can_run_kernels(const struct tfr_device *dev, struct tfr_error *err);
enum tfr_status tfr_cuda_normalise(struct tfr_device *dev, const struct tfr_normalise_job *what,
	struct tfr_event *ev, struct tfr_error *err);
enum tfr_status tfr_cuda_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *ev, struct tfr_error *err);
enum tfr_status tfr_cuda_wait(struct tfr_event *ev, double *seconds, struct tfr_error *err);
bool tfr_cuda_done(struct tfr_event *ev);
enum tfr_status tfr_cuda_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err);

#endif
