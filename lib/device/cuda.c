/* device/cuda.c - CUDA devices, through the runtime API: pinned staging memory, one stream, two
 * events an upload.
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
#include "device/row.h"

enum { PAGE = 4096 };

struct cuda {
	int ordinal;
	cudaStream_t stream;
	pthread_mutex_t order; /* keeps the three calls of an upload together */
};

struct cuda_event {
	struct tfr_event event; /* first */
	cudaEvent_t start, end;
	bool recorded;
};

/* What a failed runtime call becomes.  `call` is its name. */
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

/* Without a driver the runtime says "insufficient driver"; its version tells the two apart: 0 is
 * none at all. */
static enum tfr_status probe(int *count, struct tfr_error *err)
{
	int driver = 0, runtime = 0;
	cudaError_t rc = cudaDriverGetVersion(&driver);

	if (rc != cudaSuccess || driver == 0)
		return tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: no driver");
	rc = cudaGetDeviceCount(count);
	if (rc == cudaErrorInsufficientDriver) {
		cudaRuntimeGetVersion(&runtime);
		return tfr_fail(err, TFR_EUNAVAILABLE,
			"device cuda: the driver is for CUDA %d.%d, this build needs %d.%d",
			driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
	}
	if (rc == cudaErrorNoDevice || (rc == cudaSuccess && *count == 0))
		return tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: no device");
	if (rc != cudaSuccess)
		return tfr_fail(err, TFR_EUNAVAILABLE, "device cuda: cudaGetDeviceCount: %s",
			cudaGetErrorString(rc));
	return TFR_OK;
}

/* The ordinals that "0,1", "all" or nothing name, in their order. */
struct ordinals {
	unsigned count;
	int at[DEVICES_MAX];
};

static enum tfr_status bad_ordinals(struct tfr_error *err, const char *args)
{
	tfr_fail(err, TFR_EUSAGE, "'cuda:%s' is not a device such as cuda:0", args);
	tfr_error_hint(err, "Several are cuda:0,1 or cuda:all.");
	return TFR_EUSAGE;
}

static enum tfr_status add_ordinal(
	struct ordinals *o, const char *args, const char *digits, struct tfr_error *err)
{
	int ordinal = atoi(digits);

	for (unsigned i = 0; i < o->count; i++)
		if (o->at[i] == ordinal)
			return tfr_fail(err, TFR_EUSAGE, "device cuda:%d twice in 'cuda:%s'",
				ordinal, args);
	if (o->count == DEVICES_MAX)
		return tfr_fail(
			err, TFR_EUSAGE, "'cuda:%s' names more than %d devices", args, DEVICES_MAX);
	o->at[o->count++] = ordinal;
	return TFR_OK;
}

static enum tfr_status parse_ordinals(struct ordinals *o, const char *args, struct tfr_error *err)
{
	*o = (struct ordinals){ 0 };
	if (!args || strcmp(args, "all") == 0) {
		int count = 1;
		enum tfr_status status = args ? probe(&count, err) : TFR_OK;

		for (; status == TFR_OK && o->count < (unsigned)count && o->count < DEVICES_MAX;
			o->count++)
			o->at[o->count] = (int)o->count;
		return status;
	}
	for (const char *at = args;; at++) {
		size_t digits = strspn(at, "0123456789");
		enum tfr_status status;

		if (digits == 0 || digits > 4 || (at[digits] && at[digits] != ','))
			return bad_ordinals(err, args);
		status = add_ordinal(o, args, at, err);
		at += digits;
		if (status || !*at)
			return status;
	}
}

static enum tfr_status cuda_count(const char *args, unsigned *count, struct tfr_error *err)
{
	struct ordinals o;
	enum tfr_status status = parse_ordinals(&o, args, err);

	if (status == TFR_OK)
		*count = o.count;
	return status;
}

static enum tfr_status describe(struct tfr_device *dev, int ordinal, struct tfr_error *err)
{
	TFR_AUTO_FREE struct cudaDeviceProp *prop = calloc(1, sizeof(*prop)); /* a kilobyte */

	if (!prop)
		return tfr_fail_nomem(err, "opening a device");
	TRY(dev, cudaGetDeviceProperties, (prop, ordinal));
	snprintf(dev->description, sizeof(dev->description), "%.200s, %.0f GiB", prop->name,
		(double)prop->totalGlobalMem * 0x1p-30);
	return TFR_OK;
}

static enum tfr_status cuda_open(
	struct tfr_device *dev, const char *args, unsigned nth, struct tfr_error *err)
{
	TFR_AUTO_FREE struct cuda *c = calloc(1, sizeof(*c));
	enum tfr_status status;
	struct ordinals o;
	int count = 0;

	if (!c)
		return tfr_fail_nomem(err, "opening a device");
	status = parse_ordinals(&o, args, err);
	if (status == TFR_OK)
		status = probe(&count, err);
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
	TRY(dev, cudaSetDevice, (c->ordinal));
	TRY(dev, cudaStreamCreateWithFlags, (&c->stream, cudaStreamNonBlocking));
	pthread_mutex_init(&c->order, NULL);
	dev->state = TFR_STEAL(c);
	return TFR_OK;
}

static void cuda_close(struct tfr_device *dev)
{
	struct cuda *c = dev->state;

	cudaSetDevice(c->ordinal);
	cudaStreamSynchronize(c->stream);
	cudaStreamDestroy(c->stream);
	pthread_mutex_destroy(&c->order);
	free(c);
}

static enum tfr_status make_current(const struct tfr_device *dev, struct tfr_error *err)
{
	const struct cuda *c = dev->state;

	TRY(dev, cudaSetDevice, (c->ordinal));
	return TFR_OK;
}

static enum tfr_status cuda_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err)
{
	enum tfr_status status = make_current(dev, err);

	if (status)
		return status;
	if (kind == TFR_MEMORY_PAGEABLE)
		return posix_memalign(memory, PAGE, size)
			       ? tfr_fail(err, TFR_ENOMEM,
					 "device %s: no memory for a buffer of %zu bytes",
					 dev->name, size)
			       : TFR_OK;
	if (kind == TFR_MEMORY_STAGING)
		TRY(dev, cudaHostAlloc, (memory, size, cudaHostAllocDefault));
	else
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

static enum tfr_status enqueue(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct cuda_event *ev, struct tfr_error *err)
{
	struct cuda *c = dev->state;

	TRY(dev, cudaEventRecord, (ev->start, c->stream));
	TRY(dev, cudaMemcpyAsync, (to, from, size, cudaMemcpyHostToDevice, c->stream));
	TRY(dev, cudaEventRecord, (ev->end, c->stream));
	return TFR_OK;
}

static enum tfr_status cuda_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *event, struct tfr_error *err)
{
	struct cuda_event *ev = (struct cuda_event *)event;
	struct cuda *c = dev->state;
	enum tfr_status status = make_current(dev, err);

	if (status)
		return status;
	ev->recorded = false;
	pthread_mutex_lock(&c->order);
	status = enqueue(dev, to, from, size, ev, err);
	/* The copy may have started before the second record failed; our caller will reuse its
	 * memory. */
	if (status)
		cudaStreamSynchronize(c->stream);
	pthread_mutex_unlock(&c->order);
	ev->recorded = status == TFR_OK;
	return status;
}

static enum tfr_status no_kernels(const struct tfr_device *dev, struct tfr_error *err)
{
	return tfr_fail(err, TFR_EUNAVAILABLE, "device %s: not built with CUDA kernels", dev->name);
}

static enum tfr_status cuda_normalise(struct tfr_device *dev, const struct device_normalise *what,
	struct tfr_event *event, struct tfr_error *err)
{
	(void)what;
	(void)event;
	return no_kernels(dev, err);
}

static enum tfr_status cuda_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *event, struct tfr_error *err)
{
	(void)seconds;
	(void)event;
	return no_kernels(dev, err);
}

static enum tfr_status cuda_wait(struct tfr_event *event, double *seconds, struct tfr_error *err)
{
	struct cuda_event *ev = (struct cuda_event *)event;
	struct tfr_device *dev = event->dev;
	float ms = 0;

	if (seconds)
		*seconds = 0;
	if (!ev->recorded)
		return TFR_OK;
	if (make_current(dev, err))
		return TFR_ESYS;
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

const struct device_row tfr_device_cuda = {
	.kind = "cuda",
	.built = true,
	.count = cuda_count,
	.open = cuda_open,
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
