/* device/cuda.c - CUDA devices, through the runtime API: pinned staging memory, a stream for
 * uploads and normalisation, one for computing, two events per piece of work.
 *
 * The runtime is linked statically and looks for the driver at its first call, so nothing is called
 * before a cuda device is opened.  The runtime's current device belongs to a thread, and any thread
 * may call us: every function that needs a device makes it current first.  A failure of a copy may
 * surface at any later call; each error names the call that reported it. */
#include <cuda_runtime_api.h>

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "device/cuda_ordinals.h"
#include "device/kernels.h"
#include "device/numa.h"
#include "device/row.h"

/* Tests have a stand-in. */
#ifndef NUMA_SYSFS
#define NUMA_SYSFS "/sys"
#endif

enum { PAGE = 4096 };

struct cuda {
	int ordinal;
	int multiprocessors;
	cudaStream_t stream;	/* uploads, normalisation, downloads */
	cudaStream_t computing; /* at the same time */
	pthread_mutex_t order;	/* keeps the three calls of a piece of work together */
};

struct cuda_event {
	struct tfr_event event; /* first */
	cudaEvent_t start, end;
	bool recorded;
};

/* The error of a failed runtime call.  `call` is its name. */
static enum tfr_status cuda_fail(
	struct tfr_error *err, const struct tfr_device *dev, const char *call, cudaError_t rc)
{
	enum tfr_status status = rc == cudaErrorMemoryAllocation ? TFR_ENOMEM : TFR_ESYS;

	return tfr_fail(err, status, "%s on %s: %s", call, dev->name, cudaGetErrorString(rc));
}

#define TRY(dev, call, args)                                                                       \
	do {                                                                                       \
		cudaError_t rc_ = call args;                                                       \
		if (rc_ != cudaSuccess)                                                            \
			return cuda_fail(err, dev, #call, rc_);                                    \
	} while (0)

static enum tfr_status cuda_count(const char *args, unsigned *count, struct tfr_error *err)
{
	struct tfr_cuda_ordinals o;
	enum tfr_status status = tfr_cuda_ordinals_parse(&o, args, err);

	if (status == TFR_OK)
		*count = o.count;
	return status;
}

static enum tfr_status describe(struct tfr_device *dev, int ordinal, struct tfr_error *err)
{
	TFR_AUTO_FREE struct cudaDeviceProp *prop = calloc(1, sizeof(*prop)); /* a kilobyte */
	char address[32] = "";
	int n;

	if (!prop)
		return tfr_fail_nomem(err, "opening a device");
	TRY(dev, cudaGetDeviceProperties, (prop, ordinal));
	n = snprintf(dev->description, sizeof(dev->description), "%.200s, %.0f GiB", prop->name,
		(double)prop->totalGlobalMem * 0x1p-30);
	TRY(dev, cudaDeviceGetPCIBusId, (address, sizeof(address), ordinal));
	dev->node = tfr_numa_node_of_pci(NUMA_SYSFS, address);
	if (dev->node >= 0)
		snprintf(dev->description + n, sizeof(dev->description) - (size_t)n,
			", NUMA node %d", dev->node);
	return TFR_OK;
}

static enum tfr_status open_streams(struct tfr_device *dev, struct cuda *c, struct tfr_error *err)
{
	TRY(dev, cudaSetDevice, (c->ordinal));
	TRY(dev, cudaDeviceGetAttribute,
		(&c->multiprocessors, cudaDevAttrMultiProcessorCount, c->ordinal));
	TRY(dev, cudaStreamCreateWithFlags, (&c->stream, cudaStreamNonBlocking));
	TRY(dev, cudaStreamCreateWithFlags, (&c->computing, cudaStreamNonBlocking));
	tfr_cuda_load();
	return TFR_OK;
}

static void close_streams(struct cuda *c)
{
	if (c->stream) {
		cudaStreamSynchronize(c->stream);
		cudaStreamDestroy(c->stream);
	}
	if (c->computing) {
		cudaStreamSynchronize(c->computing);
		cudaStreamDestroy(c->computing);
	}
}

static enum tfr_status cuda_open(
	struct tfr_device *dev, const char *args, unsigned nth, struct tfr_error *err)
{
	TFR_AUTO_FREE struct cuda *c = calloc(1, sizeof(*c));
	enum tfr_status status;
	struct tfr_cuda_ordinals o;
	int count = 0;

	if (!c)
		return tfr_fail_nomem(err, "opening a device");
	status = tfr_cuda_ordinals_parse(&o, args, err);
	if (status == TFR_OK)
		status = tfr_cuda_ordinals_probe(&count, err);
	if (status)
		return status;
	assert(nth < o.count);
	c->ordinal = o.at[nth];
	snprintf(dev->name, sizeof(dev->name), "cuda:%d", c->ordinal);
	if (c->ordinal >= count)
		return tfr_fail(err, TFR_EUNAVAILABLE, "device %s: no such device, there %s %d",
			dev->name, count == 1 ? "is" : "are", count);
	status = describe(dev, c->ordinal, err);
	if (status)
		return status;
	status = open_streams(dev, c, err);
	if (status) {
		close_streams(c);
		return status;
	}
	pthread_mutex_init(&c->order, NULL);
	dev->state = TFR_STEAL(c);
	return TFR_OK;
}

static void cuda_close(struct tfr_device *dev)
{
	struct cuda *c = dev->state;

	cudaSetDevice(c->ordinal);
	close_streams(c);
	pthread_mutex_destroy(&c->order);
	free(c);
}

static enum tfr_status make_current(const struct tfr_device *dev, struct tfr_error *err)
{
	const struct cuda *c = dev->state;

	TRY(dev, cudaSetDevice, (c->ordinal));
	return TFR_OK;
}

/* Pinned memory gets its place when it is pinned: in this call, on this thread. */
static enum tfr_status alloc_pinned(
	struct tfr_device *dev, size_t size, void **memory, struct tfr_error *err)
{
	struct tfr_numa_policy before;
	cudaError_t rc;

	tfr_numa_prefer(&before, dev->node);
	rc = cudaHostAlloc(memory, size, cudaHostAllocDefault);
	tfr_numa_restore(&before);
	return rc == cudaSuccess ? TFR_OK : cuda_fail(err, dev, "cudaHostAlloc", rc);
}

static enum tfr_status cuda_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err)
{
	enum tfr_status status = make_current(dev, err);

	if (status)
		return status;
	if (kind == TFR_MEMORY_STAGING)
		return alloc_pinned(dev, size, memory, err);
	if (kind == TFR_MEMORY_PAGEABLE)
		return posix_memalign(memory, PAGE, size)
			       ? tfr_fail(err, TFR_ENOMEM,
					 "device %s: no memory for a buffer of %zu bytes",
					 dev->name, size)
			       : TFR_OK;
	TRY(dev, cudaMalloc, (memory, size));
	return TFR_OK;
}

static void cuda_free(struct tfr_device *dev, enum tfr_memory kind, void *memory)
{
	make_current(dev, NULL);
	if (kind == TFR_MEMORY_PAGEABLE)
		free(memory);
	else if (kind == TFR_MEMORY_STAGING)
		cudaFreeHost(memory);
	else
		cudaFree(memory);
}

static void cuda_event_free(struct tfr_event *event)
{
	struct cuda_event *ev = (struct cuda_event *)event;

	if (ev->start)
		cudaEventDestroy(ev->start);
	if (ev->end)
		cudaEventDestroy(ev->end);
	free(ev);
}

/* Blocking: a thread that waits must not spin on a processor that could decode. */
static enum tfr_status create_events(
	struct tfr_device *dev, struct cuda_event *ev, struct tfr_error *err)
{
	TRY(dev, cudaEventCreateWithFlags, (&ev->start, cudaEventBlockingSync));
	TRY(dev, cudaEventCreateWithFlags, (&ev->end, cudaEventBlockingSync));
	return TFR_OK;
}

static enum tfr_status cuda_event_new(
	struct tfr_event **out, struct tfr_device *dev, struct tfr_error *err)
{
	enum tfr_status status = make_current(dev, err);
	struct cuda_event *ev;

	if (status)
		return status;
	ev = calloc(1, sizeof(*ev));
	if (!ev)
		return tfr_fail_nomem(err, "opening a device");
	status = create_events(dev, ev, err);
	if (status) {
		cuda_event_free(&ev->event);
		return status;
	}
	*out = &ev->event;
	return TFR_OK;
}

/* One piece of work: what `start` puts on its stream, between the two records of its event. */
struct work {
	cudaStream_t stream;
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
	enum tfr_status status;

	TRY(dev, cudaEventRecord, (ev->start, work->stream));
	status = work->start(dev, work, err);
	if (status)
		return status;
	TRY(dev, cudaEventRecord, (ev->end, work->stream));
	return TFR_OK;
}

static enum tfr_status enqueue(struct tfr_device *dev, const struct work *work,
	struct tfr_event *event, struct tfr_error *err)
{
	struct cuda_event *ev = (struct cuda_event *)event;
	struct cuda *c = dev->state;
	enum tfr_status status;

	ev->recorded = false;
	status = make_current(dev, err);
	if (status)
		return status;
	pthread_mutex_lock(&c->order);
	status = start_recorded(dev, work, ev, err);
	/* The work may have started before the second record failed; our caller will reuse its
	 * memory. */
	if (status)
		cudaStreamSynchronize(work->stream);
	pthread_mutex_unlock(&c->order);
	ev->recorded = status == TFR_OK;
	return status;
}

static enum tfr_status start_copy(
	struct tfr_device *dev, const struct work *work, struct tfr_error *err)
{
	TRY(dev, cudaMemcpyAsync,
		(work->copy.to, work->copy.from, work->copy.size, cudaMemcpyHostToDevice,
			work->stream));
	return TFR_OK;
}

static enum tfr_status cuda_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *event, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	struct work work = { c->stream, start_copy, .copy = { to, from, size } };

	return enqueue(dev, &work, event, err);
}

static enum tfr_status no_kernels(const struct tfr_device *dev, struct tfr_error *err)
{
	tfr_fail(err, TFR_EUNAVAILABLE, "device %s: not built with CUDA kernels", dev->name);
	tfr_error_hint(err, "Build with nvcc and -Dkernels=enabled.");
	return TFR_EUNAVAILABLE;
}

/* Every wrapper starts kernels with cudaLaunchKernel. */
static enum tfr_status launched(const struct tfr_device *dev, cudaError_t rc, struct tfr_error *err)
{
	return rc == cudaSuccess ? TFR_OK : cuda_fail(err, dev, "cudaLaunchKernel", rc);
}

static enum tfr_status start_normalise(
	struct tfr_device *dev, const struct work *work, struct tfr_error *err)
{
	const struct tfr_normalise_job *n = work->normalise;

	return launched(dev,
		tfr_cuda_normalise(
			n->to, n->from, n->count, n->channels, n->mean, n->std, work->stream),
		err);
}

static enum tfr_status cuda_normalise(struct tfr_device *dev, const struct tfr_normalise_job *what,
	struct tfr_event *event, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	struct work work = { c->stream, start_normalise, .normalise = what };

	return tfr_cuda_kernels() ? enqueue(dev, &work, event, err) : no_kernels(dev, err);
}

static enum tfr_status start_spin(
	struct tfr_device *dev, const struct work *work, struct tfr_error *err)
{
	const struct cuda *c = dev->state;

	return launched(dev,
		tfr_cuda_spin((uint64_t)(work->seconds * 1e9), (unsigned)c->multiprocessors,
			work->stream),
		err);
}

static enum tfr_status cuda_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *event, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	struct work work = { c->computing, start_spin, .seconds = seconds };

	return tfr_cuda_kernels() ? enqueue(dev, &work, event, err) : no_kernels(dev, err);
}

static enum tfr_status cuda_wait(struct tfr_event *event, double *seconds, struct tfr_error *err)
{
	struct cuda_event *ev = (struct cuda_event *)event;
	struct tfr_device *dev = event->dev;
	enum tfr_status status;
	float ms = 0;

	if (seconds)
		*seconds = 0;
	if (!ev->recorded)
		return TFR_OK;
	status = make_current(dev, err);
	if (status)
		return status;
	TRY(dev, cudaEventSynchronize, (ev->end));
	if (seconds) {
		TRY(dev, cudaEventElapsedTime, (&ms, ev->start, ev->end));
		*seconds = (double)ms * 1e-3;
	}
	return TFR_OK;
}

static bool cuda_done(struct tfr_event *event)
{
	const struct cuda_event *ev = (const struct cuda_event *)event;

	return !ev->recorded || make_current(event->dev, NULL) != TFR_OK ||
	       cudaEventQuery(ev->end) != cudaErrorNotReady;
}

static enum tfr_status cuda_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	enum tfr_status status = make_current(dev, err);

	if (status)
		return status;
	TRY(dev, cudaMemcpyAsync, (to, from, size, cudaMemcpyDeviceToHost, c->stream));
	TRY(dev, cudaStreamSynchronize, (c->stream));
	return TFR_OK;
}

const struct tfr_device_row tfr_device_cuda = {
	.kind = "cuda",
	.built = true,
	.count = cuda_count,
	.open = cuda_open,
	.absent = tfr_cuda_ordinals_absent,
	.close = cuda_close,
	.alloc = cuda_alloc,
	.free = cuda_free,
	.event_new = cuda_event_new,
	.event_free = cuda_event_free,
	.upload = cuda_upload,
	.normalise = cuda_normalise,
	.compute = cuda_compute,
	.wait = cuda_wait,
	.done = cuda_done,
	.download = cuda_download,
};
