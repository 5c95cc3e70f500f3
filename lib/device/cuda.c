/* device/cuda.c - CUDA devices, through the driver's API.  Nothing is called before a cuda device
 * is opened.
 *
 * Work belongs to the device's primary context, which other users of CUDA in this process share.  A
 * context is current in a thread, and any thread may call us: a function that calls the driver
 * pushes the context by cuda_enter() and pops it by cuda_leave(), so that the caller's
 * stays as it was.
 *
 * A device has a stream for copies, one for kernels that wait for them, one for computing, and two
 * events per piece of work.  A failure of a copy may surface at any later call; each error names
 * the call that reported it. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "device/cuda_api.h"
#include "device/row.h"

/* The lock keeps the calls of a piece of work together.  Each stream has its own: the copy of
 * pageable memory returns only when it is done, and nothing else must wait for it. */
struct cuda_stream {
	struct CUstream_st *stream;
	pthread_mutex_t order;
};

struct cuda {
	const struct tfr_cuda_api *api;
	struct CUctx_st *context;
	int device, multiprocessors;
	struct cuda_stream copies, kernels, steps;
	struct CUevent_st *copied; /* in `copies`: what the next kernel waits for */
	/* The kernels, in `module`; a failure to load them is kept for those who ask for one: a
	 * device without kernels still copies. */
	struct CUmod_st *module;
	struct CUfunc_st *normalise, *spin;
	enum tfr_status kernels_status;
	struct tfr_error kernels_error;
	struct tfr_device_info info;
	pthread_mutex_t lock; /* of the pinned memory and info's figures of it */
	struct cuda_pinned *pinned;
	uint64_t pinned_now, outside_now;
};

/* A block of pinned memory. */
struct cuda_pinned {
	struct cuda_pinned *next;
	void *memory;
	size_t size, outside;
};

/* Calls the driver, and returns the error of a call that fails. */
#define TRY(dev, call, args)                                                                       \
	do {                                                                                       \
		const struct cuda *cuda_ = (dev)->state;                                           \
		unsigned rc_ = cuda_->api->call args;                                              \
		if (rc_)                                                                           \
			return tfr_cuda_fail(cuda_->api, err, (dev)->name, #call, rc_);            \
	} while (0)

static enum tfr_status cuda_enter(const struct tfr_device *dev, struct tfr_error *err)
{
	const struct cuda *c = dev->state;

	TRY(dev, cuCtxPushCurrent_v2, (c->context));
	return TFR_OK;
}

static void cuda_leave(const struct tfr_device *dev)
{
	const struct cuda *c = dev->state;
	struct CUctx_st *popped;

	c->api->cuCtxPopCurrent_v2(&popped);
}

/* --- ordinals --- */

/* The CUDA devices that a text names, and whether any exist.
 *
 * Parses "cuda:0,1", and answers the questions that need no open device. */

struct cuda_ordinals {
	unsigned count;
	int at[DEVICES_MAX];
};

/* Whether there is no driver or no visible device; `why` gives the reason.  A driver that fails
 * is not absent. */
static bool cuda_ordinals_absent(struct tfr_error *why)
{
	const struct tfr_cuda_api *api;
	bool absent;
	int count;

	return tfr_cuda_count(&api, &count, &absent, why) != TFR_OK && absent;
}

static enum tfr_status bad_ordinals(struct tfr_error *err, const char *args)
{
	return tfr_fail_hint(err, TFR_EUSAGE, "Several are cuda:0,1 or cuda:all.",
		"'cuda:%s' is not a device such as cuda:0", args);
}

static enum tfr_status add_ordinal(
	struct cuda_ordinals *o, const char *args, const char *digits, struct tfr_error *err)
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

/* The devices that "0,1", "all" or NULL (device 0) names, in its order.  Only "all" asks the
 * driver. */
static enum tfr_status cuda_ordinals_parse(
	struct cuda_ordinals *o, const char *args, struct tfr_error *err)
{
	*o = (struct cuda_ordinals){ 0 };
	if (!args || strcmp(args, "all") == 0) {
		const struct tfr_cuda_api *api;
		bool absent;
		int count = 1;
		enum tfr_status status = args ? tfr_cuda_count(&api, &count, &absent, err) : TFR_OK;

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
	struct cuda_ordinals o;

	TFR_TRY(cuda_ordinals_parse(&o, args, err));
	*count = o.count;
	return TFR_OK;
}

/* --- kernels --- */

/* The driver compiles kernels.ptx when it is loaded, and keeps the result in its cache.  Since
 * CUDA 11.7 it may postpone loading a kernel to its first launch, which then waits for kernels that
 * run; asking for an attribute loads it at once. */

#define END_OF_LINE "\n"

static const char ptx[] =
#include "device/kernels_ptx.inc"
	;

/* A multiple of 1, 2, 3 and 4: see kernels.cu. */
enum { THREADS = 768, BLOCKS_MOST = 8192, WARP = 32, LOG = 512 };

/* As kernels.cu has it. */
struct kernel_scale {
	float mean[CHANNELS_MAX], std[CHANNELS_MAX];
};

static enum tfr_status load_module(struct tfr_device *dev, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	char log[LOG] = "";
	unsigned options[] = { CUDA_JIT_ERROR_LOG_BUFFER, CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
	unsigned rc = c->api->cuModuleLoadDataEx(&c->module, ptx, 2, options, values);

	if (rc == CUDA_OK)
		return TFR_OK;
	/* The first line of the compiler's log says what it refused. */
	log[sizeof(log) - 1] = '\0';
	log[strcspn(log, "\n")] = '\0';
	tfr_cuda_fail(c->api, err, dev->name, "cuModuleLoadDataEx", rc);
	if (*log)
		tfr_error_append(err, " (%.160s)", log);
	return err->status = TFR_EUNAVAILABLE;
}

static enum tfr_status find_kernel(struct tfr_device *dev, const char *name,
	struct CUfunc_st **function, struct tfr_error *err)
{
	const struct cuda *c = dev->state;
	int registers;

	TRY(dev, cuModuleGetFunction, (function, c->module, name));
	TRY(dev, cuFuncGetAttribute, (&registers, CUDA_FUNC_ATTRIBUTE_NUM_REGS, *function));
	return TFR_OK;
}

/* To the current context. */
static enum tfr_status load_kernels(struct tfr_device *dev, struct tfr_error *err)
{
	struct cuda *c = dev->state;

	TFR_TRY(load_module(dev, err));
	TFR_TRY(find_kernel(dev, "tfr_normalise", &c->normalise, err));
	return find_kernel(dev, "tfr_spin", &c->spin, err);
}

/* --- memory --- */

enum { PAGE = 4096 };

/* Bytes of this process that are in memory: the second number of /proc/self/statm, in pages. */
static uint64_t resident_bytes(void)
{
	unsigned long long size, pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%llu %llu", &size, &pages) != 2)
		pages = 0;
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Notes pinned memory.  Whether the process's size counts it depends on how the driver maps it:
 * its growth during the allocation tells. */
static void note_pinned(struct cuda *c, struct cuda_pinned *block, uint64_t grown)
{
	block->outside = grown < block->size ? block->size - grown : 0;
	pthread_mutex_lock(&c->lock);
	block->next = c->pinned;
	c->pinned = block;
	c->pinned_now += block->size;
	c->outside_now += block->outside;
	if (c->pinned_now > c->info.pinned) {
		c->info.pinned = c->pinned_now;
		c->info.pinned_outside = c->outside_now;
	}
	pthread_mutex_unlock(&c->lock);
}

static void forget_pinned(struct cuda *c, const void *memory)
{
	pthread_mutex_lock(&c->lock);
	for (struct cuda_pinned **at = &c->pinned; *at; at = &(*at)->next)
		if ((*at)->memory == memory) {
			struct cuda_pinned *block = *at;

			*at = block->next;
			c->pinned_now -= block->size;
			c->outside_now -= block->outside;
			free(block);
			break;
		}
	pthread_mutex_unlock(&c->lock);
}

/* Pinned memory gets its place when it is pinned: in this call, on this thread. */
static unsigned pin_memory(struct tfr_device *dev, size_t size, void **memory)
{
	struct cuda *c = dev->state;
	struct tfr_numa_policy before;
	int refused = tfr_numa_prefer(&before, dev->node);
	unsigned rc = c->api->cuMemHostAlloc(memory, size, 0);

	tfr_numa_restore(&before);
	if (refused) {
		pthread_mutex_lock(&c->lock);
		snprintf(c->info.unbound, sizeof(c->info.unbound), "set_mempolicy: %s",
			strerror(refused));
		pthread_mutex_unlock(&c->lock);
	}
	return rc;
}

static enum tfr_status alloc_pinned(
	struct tfr_device *dev, size_t size, void **memory, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	struct cuda_pinned *block = malloc(sizeof(*block));
	uint64_t before = resident_bytes(), after;
	unsigned rc;

	TFR_NEED_MEMORY(block, err, "making room for batches");
	rc = pin_memory(dev, size, memory);
	if (rc) {
		free(block);
		tfr_cuda_fail(c->api, err, dev->name, "cuMemHostAlloc", rc);
		if (rc == CUDA_OUT_OF_MEMORY)
			tfr_error_hint(err, "Staging memory is pinned: lower --batch or the "
					    "prefetch of the stage list, or use --pageable.");
		return rc == CUDA_OUT_OF_MEMORY ? TFR_ENOMEM : TFR_ESYS;
	}
	after = resident_bytes();
	*block = (struct cuda_pinned){ .memory = *memory, .size = size };
	note_pinned(c, block, after > before ? after - before : 0);
	return TFR_OK;
}

static enum tfr_status alloc_device(
	struct tfr_device *dev, size_t size, void **memory, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	size_t free_bytes, total;
	tfr_cuda_ptr at = 0;
	unsigned rc = c->api->cuMemAlloc_v2(&at, size);

	if (rc == CUDA_OK) {
		*memory = (void *)(uintptr_t)at;
		return TFR_OK;
	}
	tfr_cuda_fail(c->api, err, dev->name, "cuMemAlloc_v2", rc);
	if (rc != CUDA_OUT_OF_MEMORY)
		return TFR_ESYS;
	if (c->api->cuMemGetInfo_v2(&free_bytes, &total) == CUDA_OK)
		tfr_error_append(err, " (%.2f GiB asked for, %.2f of %.2f GiB free)",
			(double)size * 0x1p-30, (double)free_bytes * 0x1p-30,
			(double)total * 0x1p-30);
	return TFR_ENOMEM;
}

static enum tfr_status cuda_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err)
{
	enum tfr_status status;

	if (kind == TFR_MEMORY_PAGEABLE)
		return posix_memalign(memory, PAGE, size)
			       ? tfr_fail(err, TFR_ENOMEM,
					 "device %s: no memory for a buffer of %zu bytes",
					 dev->name, size)
			       : TFR_OK;
	TFR_TRY(cuda_enter(dev, err));
	status = kind == TFR_MEMORY_STAGING ? alloc_pinned(dev, size, memory, err)
					    : alloc_device(dev, size, memory, err);
	cuda_leave(dev);
	return status;
}

static void cuda_free(struct tfr_device *dev, enum tfr_memory kind, void *memory)
{
	struct cuda *c = dev->state;

	if (kind == TFR_MEMORY_PAGEABLE) {
		free(memory);
		return;
	}
	if (kind == TFR_MEMORY_STAGING)
		forget_pinned(c, memory);
	if (cuda_enter(dev, NULL))
		return;
	if (kind == TFR_MEMORY_STAGING)
		c->api->cuMemFreeHost(memory);
	else
		c->api->cuMemFree_v2((uintptr_t)memory);
	cuda_leave(dev);
}

/* --- events --- */

struct cuda_event {
	struct tfr_event event; /* first */
	struct CUevent_st *start, *end;
	bool recorded;
};

static void destroy_events(const struct cuda *c, struct cuda_event *ev)
{
	if (ev->start)
		c->api->cuEventDestroy_v2(ev->start);
	if (ev->end)
		c->api->cuEventDestroy_v2(ev->end);
	free(ev);
}

static void cuda_event_free(struct tfr_event *event)
{
	const struct tfr_device *dev = event->dev;

	if (cuda_enter(dev, NULL)) {
		free(event);
		return;
	}
	destroy_events(dev->state, (struct cuda_event *)event);
	cuda_leave(dev);
}

/* Blocking: a thread that waits must not spin on a processor that could decode. */
static enum tfr_status create_events(
	struct tfr_device *dev, struct cuda_event *ev, struct tfr_error *err)
{
	TRY(dev, cuEventCreate, (&ev->start, CUDA_EVENT_BLOCKING_SYNC));
	TRY(dev, cuEventCreate, (&ev->end, CUDA_EVENT_BLOCKING_SYNC));
	return TFR_OK;
}

static enum tfr_status cuda_event_new(
	struct tfr_event **out, struct tfr_device *dev, struct tfr_error *err)
{
	struct cuda_event *ev = calloc(1, sizeof(*ev));
	enum tfr_status status;

	TFR_NEED_MEMORY(ev, err, "opening a device");
	status = cuda_enter(dev, err);
	if (status) {
		free(ev);
		return status;
	}
	status = create_events(dev, ev, err);
	if (status)
		destroy_events(dev->state, ev);
	cuda_leave(dev);
	if (status == TFR_OK)
		*out = &ev->event;
	return status;
}

/* ---- work ---- */

/* One piece of work: what `start` puts on its stream, between the two records of its event. */
struct work {
	struct cuda_stream *on;
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
	struct cuda *c = dev->state;

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

static enum tfr_status enqueue_work(struct tfr_device *dev, const struct work *work,
	struct tfr_event *event, struct tfr_error *err)
{
	struct cuda_event *ev = (struct cuda_event *)event;
	struct cuda *c = dev->state;
	enum tfr_status status;

	ev->recorded = false;
	TFR_TRY(cuda_enter(dev, err));
	pthread_mutex_lock(&work->on->order);
	status = start_recorded(dev, work, ev, err);
	/* The work may have started before the second record failed; our caller will reuse its
	 * memory. */
	if (status)
		c->api->cuStreamSynchronize(work->on->stream);
	pthread_mutex_unlock(&work->on->order);
	ev->recorded = status == TFR_OK;
	cuda_leave(dev);
	return status;
}

static enum tfr_status start_copy(
	struct tfr_device *dev, const struct work *work, struct tfr_error *err)
{
	TRY(dev, cuMemcpyHtoDAsync_v2,
		((uintptr_t)work->copy.to, work->copy.from, work->copy.size, work->on->stream));
	return TFR_OK;
}

static enum tfr_status cuda_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *event, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	struct work work = { &c->copies, start_copy, .copy = { to, from, size } };

	return enqueue_work(dev, &work, event, err);
}

/* The driver may have refused to load the kernels. */
static enum tfr_status cuda_can_run_kernels(const struct tfr_device *dev, struct tfr_error *err)
{
	const struct cuda *c = dev->state;

	if (c->kernels_status && err)
		*err = c->kernels_error;
	return c->kernels_status;
}

static enum tfr_status enqueue_kernel(struct tfr_device *dev, const struct work *work,
	struct tfr_event *event, struct tfr_error *err)
{
	TFR_TRY(cuda_can_run_kernels(dev, err));
	return enqueue_work(dev, work, event, err);
}

static enum tfr_status start_normalise(
	struct tfr_device *dev, const struct work *work, struct tfr_error *err)
{
	const struct cuda *c = dev->state;
	const struct tfr_normalise_job *job = work->normalise;
	tfr_cuda_ptr to = (uintptr_t)job->to, from = (uintptr_t)job->from;
	uint64_t count = job->count, blocks = (count + THREADS - 1) / THREADS;
	uint32_t channels = job->channels;
	struct kernel_scale scale;
	void *parameters[] = { &to, &from, &count, &channels, &scale };

	if (count == 0)
		return TFR_OK;
	memcpy(scale.mean, job->mean, sizeof(scale.mean));
	memcpy(scale.std, job->std, sizeof(scale.std));
	TRY(dev, cuLaunchKernel,
		(c->normalise, blocks < BLOCKS_MOST ? (unsigned)blocks : BLOCKS_MOST, 1, 1, THREADS,
			1, 1, 0, work->on->stream, parameters, NULL));
	return TFR_OK;
}

static enum tfr_status cuda_normalise(struct tfr_device *dev, const struct tfr_normalise_job *what,
	struct tfr_event *event, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	struct work work = { &c->kernels, start_normalise, .normalise = what };

	return enqueue_kernel(dev, &work, event, err);
}

/* Keeps all multiprocessors busy. */
static enum tfr_status start_spin(
	struct tfr_device *dev, const struct work *work, struct tfr_error *err)
{
	const struct cuda *c = dev->state;
	uint64_t ns = (uint64_t)(work->seconds * 1e9);
	void *parameters[] = { &ns };

	TRY(dev, cuLaunchKernel,
		(c->spin, (unsigned)c->multiprocessors, 1, 1, WARP, 1, 1, 0, work->on->stream,
			parameters, NULL));
	return TFR_OK;
}

static enum tfr_status cuda_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *event, struct tfr_error *err)
{
	struct cuda *c = dev->state;
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

static enum tfr_status cuda_wait(struct tfr_event *event, double *seconds, struct tfr_error *err)
{
	struct cuda_event *ev = (struct cuda_event *)event;
	enum tfr_status status;

	if (seconds)
		*seconds = 0;
	if (!ev->recorded)
		return TFR_OK;
	TFR_TRY(cuda_enter(event->dev, err));
	status = wait_recorded(event->dev, ev, seconds, err);
	cuda_leave(event->dev);
	return status;
}

static bool cuda_done(struct tfr_event *event)
{
	const struct cuda_event *ev = (const struct cuda_event *)event;
	const struct cuda *c = event->dev->state;
	bool done;

	if (!ev->recorded || cuda_enter(event->dev, NULL))
		return true;
	done = c->api->cuEventQuery(ev->end) != CUDA_NOT_READY;
	cuda_leave(event->dev);
	return done;
}

static enum tfr_status download_bytes(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err)
{
	struct cuda *c = dev->state;

	TRY(dev, cuStreamSynchronize, (c->kernels.stream));
	TRY(dev, cuMemcpyDtoHAsync_v2, (to, (uintptr_t)from, size, c->copies.stream));
	TRY(dev, cuStreamSynchronize, (c->copies.stream));
	return TFR_OK;
}

static enum tfr_status cuda_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err)
{
	enum tfr_status status;

	TFR_TRY(cuda_enter(dev, err));
	status = download_bytes(dev, to, from, size, err);
	cuda_leave(dev);
	return status;
}

/* --- opening and closing --- */

/* Not in cuda_api.h, where it would clash with the runtime's own. */
struct CUuuid_st {
	char bytes[16];
};

/* "GPU-5fd4f087-86f3-7a43-b711-4771313afc50", as nvidia-smi writes it. */
static void format_uuid(struct tfr_device_info *info, const char *bytes)
{
	char *to = info->uuid;

	to += sprintf(to, "%s", *info->mig ? "MIG" : "GPU");
	for (unsigned i = 0; i < 16; i++)
		to += sprintf(to, i == 0 || (i >= 4 && i <= 10 && i % 2 == 0) ? "-%02x" : "%02x",
			(unsigned char)bytes[i]);
}

/* The name of a MIG instance ends with its profile: "NVIDIA H200 MIG 1g.18gb". */
static void split_mig(struct tfr_device_info *info)
{
	char *mig = strstr(info->model, " MIG ");

	if (!mig)
		return;
	snprintf(info->mig, sizeof(info->mig), "%.31s", mig + 5);
	*mig = '\0';
}

/* What only the report needs may be missing: a driver of a virtual machine has no PCI address. */
static enum tfr_status identify_device(struct tfr_device *dev, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	struct tfr_device_info *info = &c->info;
	struct CUuuid_st uuid;
	size_t memory;

	TRY(dev, cuDeviceGetName, (info->model, sizeof(info->model), c->device));
	TRY(dev, cuDeviceTotalMem_v2, (&memory, c->device));
	TRY(dev, cuDeviceGetAttribute,
		(&c->multiprocessors, CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT, c->device));
	info->memory = memory;
	split_mig(info);
	if (c->api->cuDeviceGetUuid_v2(&uuid, c->device) == CUDA_OK)
		format_uuid(info, uuid.bytes);
	if (c->api->cuDeviceGetPCIBusId(info->pci, sizeof(info->pci), c->device) != CUDA_OK)
		*info->pci = '\0';
	if (c->api->cuDriverGetVersion(&info->cuda) != CUDA_OK)
		info->cuda = 0;
	tfr_device_driver_version("/proc", info->driver, sizeof(info->driver));
	dev->node = info->node = tfr_pci_node("/sys", info->pci);
	snprintf(dev->description, sizeof(dev->description), "%s%s%s, %.0f GiB", info->model,
		*info->mig ? " MIG " : "", info->mig, (double)memory * 0x1p-30);
	return TFR_OK;
}

static enum tfr_status open_streams(struct tfr_device *dev, struct tfr_error *err)
{
	struct cuda *c = dev->state;

	TRY(dev, cuStreamCreate, (&c->copies.stream, CUDA_STREAM_NON_BLOCKING));
	TRY(dev, cuStreamCreate, (&c->kernels.stream, CUDA_STREAM_NON_BLOCKING));
	TRY(dev, cuStreamCreate, (&c->steps.stream, CUDA_STREAM_NON_BLOCKING));
	TRY(dev, cuEventCreate, (&c->copied, CUDA_EVENT_BLOCKING_SYNC | CUDA_EVENT_DISABLE_TIMING));
	c->kernels_status = load_kernels(dev, &c->kernels_error);
	return TFR_OK;
}

static void close_stream(const struct cuda *c, struct cuda_stream *s)
{
	if (s->stream) {
		c->api->cuStreamSynchronize(s->stream);
		c->api->cuStreamDestroy_v2(s->stream);
	}
}

static void close_streams(struct cuda *c)
{
	close_stream(c, &c->copies);
	close_stream(c, &c->kernels);
	close_stream(c, &c->steps);
	if (c->copied)
		c->api->cuEventDestroy_v2(c->copied);
	if (c->module)
		c->api->cuModuleUnload(c->module);
}

static enum tfr_status open_context(struct tfr_device *dev, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	enum tfr_status status;

	TRY(dev, cuDevicePrimaryCtxRetain, (&c->context, c->device));
	status = cuda_enter(dev, err);
	if (status == TFR_OK) {
		status = open_streams(dev, err);
		if (status)
			close_streams(c);
		cuda_leave(dev);
	}
	if (status)
		c->api->cuDevicePrimaryCtxRelease_v2(c->device);
	return status;
}

static enum tfr_status open_ordinal(struct tfr_device *dev, int ordinal, struct tfr_error *err)
{
	struct cuda *c = dev->state;
	bool absent;
	int count = 0;

	TFR_TRY(tfr_cuda_count(&c->api, &count, &absent, err));
	if (ordinal >= count)
		return tfr_fail_hint(err, TFR_EUNAVAILABLE,
			"Visible devices are numbered from 0; CUDA_VISIBLE_DEVICES chooses them.",
			"device %s: no such device, there %s %d", dev->name,
			count == 1 ? "is" : "are", count);
	TRY(dev, cuDeviceGet, (&c->device, ordinal));
	TFR_TRY(identify_device(dev, err));
	return open_context(dev, err);
}

static void free_state(struct cuda *c)
{
	pthread_mutex_destroy(&c->copies.order);
	pthread_mutex_destroy(&c->kernels.order);
	pthread_mutex_destroy(&c->steps.order);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static enum tfr_status cuda_open(
	struct tfr_device *dev, const char *args, unsigned nth, struct tfr_error *err)
{
	enum tfr_status status;
	struct cuda_ordinals o;
	struct cuda *c;

	TFR_TRY(cuda_ordinals_parse(&o, args, err));
	c = calloc(1, sizeof(*c));
	TFR_NEED_MEMORY(c, err, "opening a device");
	pthread_mutex_init(&c->copies.order, NULL);
	pthread_mutex_init(&c->kernels.order, NULL);
	pthread_mutex_init(&c->steps.order, NULL);
	pthread_mutex_init(&c->lock, NULL);
	assert(nth < o.count);
	snprintf(dev->name, sizeof(dev->name), "cuda:%d", o.at[nth]);
	dev->state = c;
	status = open_ordinal(dev, o.at[nth], err);
	if (status)
		free_state(c);
	return status;
}

static void cuda_close(struct tfr_device *dev)
{
	struct cuda *c = dev->state;

	if (cuda_enter(dev, NULL) == TFR_OK) {
		close_streams(c);
		cuda_leave(dev);
	}
	c->api->cuDevicePrimaryCtxRelease_v2(c->device);
	assert(!c->pinned);
	free_state(c);
}

static void cuda_info(const struct tfr_device *dev, struct tfr_device_info *info)
{
	struct cuda *c = dev->state;

	pthread_mutex_lock(&c->lock);
	*info = c->info;
	pthread_mutex_unlock(&c->lock);
	tfr_pci_link("/sys", info->pci, info);
}

const struct tfr_device_row tfr_device_cuda = {
	.kind = "cuda",
	.count = cuda_count,
	.open = cuda_open,
	.absent = cuda_ordinals_absent,
	.info = cuda_info,
	.close = cuda_close,
	.alloc = cuda_alloc,
	.free = cuda_free,
	.event_new = cuda_event_new,
	.event_free = cuda_event_free,
	.upload = cuda_upload,
	.kernels = cuda_can_run_kernels,
	.normalise = cuda_normalise,
	.compute = cuda_compute,
	.wait = cuda_wait,
	.done = cuda_done,
	.download = cuda_download,
};
