/* device/cuda.c - CUDA devices, through the driver's API: opening, closing, and what identifies
 * them.  Nothing is called before a cuda device is opened. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/cuda_api.h"
#include "device/cuda_device.h"
#include "device/pci.h"
#include "device/row.h"

/* --- ordinals --- */

/* The CUDA devices that a text names, and whether any exist.
 *
 * Parses "cuda:0,1", and answers the questions that need no open device. */

struct tfr_cuda_ordinals {
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
	tfr_fail(err, TFR_EUSAGE, "'cuda:%s' is not a device such as cuda:0", args);
	tfr_error_hint(err, "Several are cuda:0,1 or cuda:all.");
	return TFR_EUSAGE;
}

static enum tfr_status add_ordinal(
	struct tfr_cuda_ordinals *o, const char *args, const char *digits, struct tfr_error *err)
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
	struct tfr_cuda_ordinals *o, const char *args, struct tfr_error *err)
{
	*o = (struct tfr_cuda_ordinals){ 0 };
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

/* --- the device --- */

/* Not in cuda_api.h, where it would clash with the runtime's own. */
struct CUuuid_st {
	char bytes[16];
};

static enum tfr_status cuda_count(const char *args, unsigned *count, struct tfr_error *err)
{
	struct tfr_cuda_ordinals o;
	enum tfr_status status = cuda_ordinals_parse(&o, args, err);

	if (status == TFR_OK)
		*count = o.count;
	return status;
}

/* ---- the current context ---- */

enum tfr_status tfr_cuda_enter(const struct tfr_device *dev, struct tfr_error *err)
{
	const struct tfr_cuda *c = dev->state;

	TRY(dev, cuCtxPushCurrent_v2, (c->context));
	return TFR_OK;
}

void tfr_cuda_leave(const struct tfr_device *dev)
{
	const struct tfr_cuda *c = dev->state;
	struct CUctx_st *popped;

	c->api->cuCtxPopCurrent_v2(&popped);
}

/* ---- opening and closing ---- */

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
static enum tfr_status identify(struct tfr_device *dev, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;
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

static enum tfr_status open_stream(
	struct tfr_device *dev, struct tfr_cuda_stream *s, struct tfr_error *err)
{
	TRY(dev, cuStreamCreate, (&s->stream, CUDA_STREAM_NON_BLOCKING));
	return TFR_OK;
}

static enum tfr_status open_streams(struct tfr_device *dev, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;
	enum tfr_status status = open_stream(dev, &c->copies, err);

	if (status == TFR_OK)
		status = open_stream(dev, &c->kernels, err);
	if (status == TFR_OK)
		status = open_stream(dev, &c->steps, err);
	if (status)
		return status;
	TRY(dev, cuEventCreate, (&c->copied, CUDA_EVENT_BLOCKING_SYNC | CUDA_EVENT_DISABLE_TIMING));
	tfr_cuda_kernels_load(&c->programs, c->api, dev->name);
	return TFR_OK;
}

static void close_stream(const struct tfr_cuda *c, struct tfr_cuda_stream *s)
{
	if (s->stream) {
		c->api->cuStreamSynchronize(s->stream);
		c->api->cuStreamDestroy_v2(s->stream);
	}
}

static void close_streams(struct tfr_cuda *c)
{
	close_stream(c, &c->copies);
	close_stream(c, &c->kernels);
	close_stream(c, &c->steps);
	if (c->copied)
		c->api->cuEventDestroy_v2(c->copied);
	tfr_cuda_kernels_unload(&c->programs, c->api);
}

static enum tfr_status open_context(struct tfr_device *dev, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;
	enum tfr_status status;

	TRY(dev, cuDevicePrimaryCtxRetain, (&c->context, c->device));
	status = tfr_cuda_enter(dev, err);
	if (status == TFR_OK) {
		status = open_streams(dev, err);
		if (status)
			close_streams(c);
		tfr_cuda_leave(dev);
	}
	if (status)
		c->api->cuDevicePrimaryCtxRelease_v2(c->device);
	return status;
}

static enum tfr_status open_ordinal(struct tfr_device *dev, int ordinal, struct tfr_error *err)
{
	struct tfr_cuda *c = dev->state;
	bool absent;
	int count = 0;
	enum tfr_status status;

	TFR_TRY(tfr_cuda_count(&c->api, &count, &absent, err));
	if (ordinal >= count) {
		tfr_fail(err, TFR_EUNAVAILABLE, "device %s: no such device, there %s %d", dev->name,
			count == 1 ? "is" : "are", count);
		tfr_error_hint(err,
			"Visible devices are numbered from 0; CUDA_VISIBLE_DEVICES chooses them.");
		return TFR_EUNAVAILABLE;
	}
	TRY(dev, cuDeviceGet, (&c->device, ordinal));
	status = identify(dev, err);
	return status ? status : open_context(dev, err);
}

static void free_state(struct tfr_cuda *c)
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
	struct tfr_cuda_ordinals o;
	struct tfr_cuda *c;

	TFR_TRY(cuda_ordinals_parse(&o, args, err));
	c = calloc(1, sizeof(*c));
	if (!c)
		return tfr_fail_nomem(err, "opening a device");
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
	struct tfr_cuda *c = dev->state;

	if (tfr_cuda_enter(dev, NULL) == TFR_OK) {
		close_streams(c);
		tfr_cuda_leave(dev);
	}
	c->api->cuDevicePrimaryCtxRelease_v2(c->device);
	assert(!c->pinned);
	free_state(c);
}

static void cuda_info(const struct tfr_device *dev, struct tfr_device_info *info)
{
	struct tfr_cuda *c = dev->state;

	pthread_mutex_lock(&c->lock);
	*info = c->info;
	pthread_mutex_unlock(&c->lock);
	tfr_pci_link("/sys", info->pci, info);
}

const struct tfr_device_row tfr_device_cuda = {
	.kind = "cuda",
	.built = true,
	.count = cuda_count,
	.open = cuda_open,
	.absent = cuda_ordinals_absent,
	.info = cuda_info,
	.close = cuda_close,
	.alloc = tfr_cuda_alloc,
	.free = tfr_cuda_free,
	.event_new = tfr_cuda_event_new,
	.event_free = tfr_cuda_event_free,
	.upload = tfr_cuda_upload,
	.kernels = tfr_cuda_can_run_kernels,
	.normalise = tfr_cuda_normalise,
	.compute = tfr_cuda_compute,
	.wait = tfr_cuda_wait,
	.done = tfr_cuda_done,
	.download = tfr_cuda_download,
};
