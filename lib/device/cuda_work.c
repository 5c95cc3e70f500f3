/* device/cuda_work.c - work of a CUDA device: a stream for copies, one for kernels that wait for
 * them, one for computing; two events per piece of work.
 *
 * A failure of a copy may surface at any later call; each error names the call that reported it. */
#include <stdlib.h>

#include "base/error.h"
#include "device/cuda_device.h"

struct cuda_event {
	struct tfr_event event; /* first */
	struct CUevent_st *start, *end;
	bool recorded;
};

static void destroy_events(const struct tfr_cuda *c, struct cuda_event *ev)
{
	if (ev->start)
		c->api->cuEventDestroy_v2(ev->start);
	if (ev->end)
		c->api->cuEventDestroy_v2(ev->end);
	free(ev);
}

void tfr_cuda_event_free(struct tfr_event *event)
{
	const struct tfr_device *dev = event->dev;

	if (tfr_cuda_enter(dev, NULL)) {
		free(event);
		return;
	}
	destroy_events(dev->state, (struct cuda_event *)event);
	tfr_cuda_leave(dev);
}

/* Blocking: a thread that waits must not spin on a processor that could decode. */
static enum tfr_status create_events(
	struct tfr_device *dev, struct cuda_event *ev, struct tfr_error *err)
{
	TRY(dev, cuEventCreate, (&ev->start, CUDA_EVENT_BLOCKING_SYNC));
	TRY(dev, cuEventCreate, (&ev->end, CUDA_EVENT_BLOCKING_SYNC));
	return TFR_OK;
}

enum tfr_status tfr_cuda_event_new(
	struct tfr_event **out, struct tfr_device *dev, struct tfr_error *err)
{
	struct cuda_event *ev = calloc(1, sizeof(*ev));
	enum tfr_status status;

	if (!ev)
		return tfr_fail_nomem(err, "opening a device");
	status = tfr_cuda_enter(dev, err);
	if (status) {
		free(ev);
		return status;
	}
	status = create_events(dev, ev, err);
	if (status)
		destroy_events(dev->state, ev);
	tfr_cuda_leave(dev);
	if (status == TFR_OK)
		*out = &ev->event;
	return status;
}

/* ---- work ---- */

/* One piece of work: what `start` puts on its stream, between the two records of its event. */
struct work {
	struct tfr_cuda_stream *on;
	enum tfr_status (*start)(
		struct tfr_device *dev, const struct work *work, struct tfr_error *err);
	union {
		struct {
			void *to;
			const void *from;
			size_t size;
		} copy;
		const struct tfr_normalise_job *normalise;
		double seconds;
	};
};

static enum tfr_status start_recorded(struct tfr_device *dev, const struct work *work,
	struct cuda_event *ev, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;

	/* A kernel waits on its stream for the copies so far. */
	if (work->on == &c->kernels) {
		TRY(dev, cuEventRecord, (c->copied, c->copies.stream));
		TRY(dev, cuStreamWaitEvent, (work->on->stream, c->copied, 0));
	}
	TRY(dev, cuEventRecord, (ev->start, work->on->stream));
	TFR_TRY(work->start(dev, work, err));
	TRY(dev, cuEventRecord, (ev->end, work->on->stream));
	return TFR_OK;
}

static enum tfr_status enqueue(struct tfr_device *dev, const struct work *work,
	struct tfr_event *event, struct tfr_error *err)
{
	struct cuda_event *ev = (struct cuda_event *)event;
	struct tfr_cuda *c = dev->state;
	enum tfr_status status;

	ev->recorded = false;
	TFR_TRY(tfr_cuda_enter(dev, err));
	pthread_mutex_lock(&work->on->order);
	status = start_recorded(dev, work, ev, err);
	/* The work may have started before the second record failed; our caller will reuse its
	 * memory. */
	if (status)
		c->api->cuStreamSynchronize(work->on->stream);
	pthread_mutex_unlock(&work->on->order);
	ev->recorded = status == TFR_OK;
	tfr_cuda_leave(dev);
	return status;
}

static enum tfr_status start_copy(
	struct tfr_device *dev, const struct work *work, struct tfr_error *err)
{
	TRY(dev, cuMemcpyHtoDAsync_v2,
		((uintptr_t)work->copy.to, work->copy.from, work->copy.size, work->on->stream));
	return TFR_OK;
}

enum tfr_status tfr_cuda_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *event, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;
	struct work work = { &c->copies, start_copy, .copy = { to, from, size } };

	return enqueue(dev, &work, event, err);
}

static enum tfr_status launched(const struct tfr_device *dev, unsigned rc, struct tfr_error *err)
{
	const struct tfr_cuda *c = dev->state;

	return rc ? tfr_cuda_fail(c->api, err, dev->name, "cuLaunchKernel", rc) : TFR_OK;
}

/* The driver may have refused to load the kernels. */
enum tfr_status tfr_cuda_can_run_kernels(const struct tfr_device *dev, struct tfr_error *err)
{
	const struct tfr_cuda *c = dev->state;

	if (c->programs.status && err)
		*err = c->programs.err;
	return c->programs.status;
}

static enum tfr_status enqueue_kernel(struct tfr_device *dev, const struct work *work,
	struct tfr_event *event, struct tfr_error *err)
{
	enum tfr_status status = tfr_cuda_can_run_kernels(dev, err);

	return status ? status : enqueue(dev, work, event, err);
}

static enum tfr_status start_normalise(
	struct tfr_device *dev, const struct work *work, struct tfr_error *err)
{
	const struct tfr_cuda *c = dev->state;

	return launched(dev,
		tfr_cuda_launch_normalise(&c->programs, c->api, work->normalise, work->on->stream),
		err);
}

enum tfr_status tfr_cuda_normalise(struct tfr_device *dev, const struct tfr_normalise_job *what,
	struct tfr_event *event, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;
	struct work work = { &c->kernels, start_normalise, .normalise = what };

	return enqueue_kernel(dev, &work, event, err);
}

static enum tfr_status start_spin(
	struct tfr_device *dev, const struct work *work, struct tfr_error *err)
{
	const struct tfr_cuda *c = dev->state;

	return launched(dev,
		tfr_cuda_launch_spin(&c->programs, c->api, work->seconds,
			(unsigned)c->multiprocessors, work->on->stream),
		err);
}

enum tfr_status tfr_cuda_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *event, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;
	struct work work = { &c->steps, start_spin, .seconds = seconds };

	return enqueue_kernel(dev, &work, event, err);
}

static enum tfr_status wait_recorded(
	struct tfr_device *dev, struct cuda_event *ev, double *seconds, struct tfr_error *err)
{
	float ms = 0;

	TRY(dev, cuEventSynchronize, (ev->end));
	if (seconds) {
		TRY(dev, cuEventElapsedTime, (&ms, ev->start, ev->end));
		*seconds = (double)ms * 1e-3;
	}
	return TFR_OK;
}

enum tfr_status tfr_cuda_wait(struct tfr_event *event, double *seconds, struct tfr_error *err)
{
	struct cuda_event *ev = (struct cuda_event *)event;
	enum tfr_status status;

	if (seconds)
		*seconds = 0;
	if (!ev->recorded)
		return TFR_OK;
	TFR_TRY(tfr_cuda_enter(event->dev, err));
	status = wait_recorded(event->dev, ev, seconds, err);
	tfr_cuda_leave(event->dev);
	return status;
}

bool tfr_cuda_done(struct tfr_event *event)
{
	const struct cuda_event *ev = (const struct cuda_event *)event;
	const struct tfr_cuda *c = event->dev->state;
	bool done;

	if (!ev->recorded || tfr_cuda_enter(event->dev, NULL))
		return true;
	done = c->api->cuEventQuery(ev->end) != CUDA_NOT_READY;
	tfr_cuda_leave(event->dev);
	return done;
}

static enum tfr_status download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;

	TRY(dev, cuStreamSynchronize, (c->kernels.stream));
	TRY(dev, cuMemcpyDtoHAsync_v2, (to, (uintptr_t)from, size, c->copies.stream));
	TRY(dev, cuStreamSynchronize, (c->copies.stream));
	return TFR_OK;
}

enum tfr_status tfr_cuda_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	TFR_TRY(tfr_cuda_enter(dev, err));
	status = download(dev, to, from, size, err);
	tfr_cuda_leave(dev);
	return status;
}
