/* device/device.c - the kinds of device in one array, the choice between them, and calls to the
 * chosen one.
 *
 * Nothing here depends on a kind; only `auto` names two, because it has to prefer one. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "device/row.h"

static const struct tfr_device_row *const rows[] = {
	&tfr_device_host,
	&tfr_device_sim,
	&tfr_device_cuda,
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

static enum tfr_status open_row(struct tfr_device **out, const struct tfr_device_row *row,
	const char *args, unsigned nth, struct tfr_error *err)
{
	TFR_AUTO_FREE struct tfr_device *dev = calloc(1, sizeof(*dev));

	TFR_NEED_MEMORY(dev, err, "opening a device");
	dev->row = row;
	dev->node = -1;
	dev->process = getpid();
	TFR_TRY(row->open(dev, args, nth, err));
	*out = TFR_STEAL(dev);
	return TFR_OK;
}

/* A child of fork() has neither the device's threads nor the use of its driver. */
static bool is_ours(const struct tfr_device *dev)
{
	return dev->process == getpid();
}

static enum tfr_status check_process(const struct tfr_device *dev, struct tfr_error *err)
{
	if (is_ours(dev))
		return TFR_OK;
	return tfr_fail(err, TFR_EUNAVAILABLE,
		"device %s: it cannot be used after fork(): the parent process opened it",
		dev->name);
}

/* Appends to the hint of the failure itself. */
static void hint_at_host(struct tfr_error *err)
{
	char hint[256];

	if (!err)
		return;
	snprintf(hint, sizeof(hint), "%s", tfr_error_hint_text(err));
	tfr_error_hint(err, "%s%s--device host runs without a GPU.", hint, *hint ? "  " : "");
}

/* CUDA; or the host with the reason, if no device can exist.  A device that exists and fails is an
 * error: running on the host instead would measure something else. */
static enum tfr_status open_auto(struct tfr_device **out, struct tfr_error *err)
{
	struct tfr_error why = { 0 };
	enum tfr_status status;

	if (!tfr_device_cuda.absent(&why)) {
		status = open_row(out, &tfr_device_cuda, NULL, 0, err);
		if (status)
			hint_at_host(err);
		else
			snprintf((*out)->reason, sizeof((*out)->reason), "a CUDA device answers");
		return status;
	}
	status = open_row(out, &tfr_device_host, NULL, 0, err);
	if (status == TFR_OK) {
		bool prefixed = strncmp(why.message, "device cuda: ", 13) == 0;

		snprintf((*out)->reason, sizeof((*out)->reason), "no CUDA device: %.120s",
			why.message + (prefixed ? 13 : 0));
	}
	return status;
}

/* The row and the arguments that `spec` names; no row for auto. */
struct named_devices {
	const struct tfr_device_row *row;
	const char *args;
	unsigned count;
};

static enum tfr_status find_row(
	struct named_devices *named, const char *spec, struct tfr_error *err)
{
	size_t kind = strcspn(spec, ":");

	*named = (struct named_devices){ .count = 1 };
	if (strcmp(spec, "auto") == 0)
		return TFR_OK;
	for (unsigned i = 0; i < ROWS; i++)
		if (strlen(rows[i]->kind) == kind && strncmp(rows[i]->kind, spec, kind) == 0) {
			named->row = rows[i];
			named->args = spec[kind] ? spec + kind + 1 : NULL;
			return rows[i]->count(named->args, &named->count, err);
		}
	return tfr_fail_hint(err, TFR_EUSAGE,
		"A device is host, sim:BANDWIDTH,LATENCY (sim:25G,10us), cuda:0 or auto; several "
		"are sim:25G,10us,4, cuda:0,1 or cuda:all.",
		"no such device '%s'", spec);
}

static enum tfr_status open_nth(struct tfr_device **dev, const struct named_devices *named,
	unsigned nth, struct tfr_error *err)
{
	return named->row ? open_row(dev, named->row, named->args, nth, err) : open_auto(dev, err);
}

enum tfr_status tfr_device_open(struct tfr_device **dev, const char *spec, struct tfr_error *err)
{
	struct named_devices named;

	TFR_TRY(find_row(&named, spec, err));
	if (named.count > 1)
		return tfr_fail_hint(err, TFR_EUSAGE, "Only one device is allowed here.",
			"'%s' names %u devices", spec, named.count);
	return open_nth(dev, &named, 0, err);
}

enum tfr_status tfr_devices_open(
	struct tfr_device ***devs, unsigned *count, const char *spec, struct tfr_error *err)
{
	struct tfr_device **opened;
	struct named_devices named;

	TFR_TRY(find_row(&named, spec, err));
	opened = calloc(named.count, sizeof(*opened));
	TFR_NEED_MEMORY(opened, err, "opening devices");
	for (unsigned i = 0; i < named.count; i++) {
		enum tfr_status status = open_nth(&opened[i], &named, i, err);

		if (status) {
			tfr_devices_close(opened, i);
			return status;
		}
	}
	*devs = opened;
	*count = named.count;
	return TFR_OK;
}

void tfr_device_close(struct tfr_device *dev)
{
	if (!dev)
		return;
	if (is_ours(dev))
		dev->row->close(dev);
	free(dev);
}

void tfr_devices_close(struct tfr_device **devs, unsigned count)
{
	for (unsigned i = 0; devs && i < count; i++)
		tfr_device_close(devs[i]);
	free(devs);
}

const char *tfr_device_name(const struct tfr_device *dev)
{
	return dev->name;
}

const char *tfr_device_description(const struct tfr_device *dev)
{
	return dev->description;
}

const char *tfr_device_reason(const struct tfr_device *dev)
{
	return dev->reason;
}

bool tfr_device_in_process(const struct tfr_device *dev)
{
	return dev->row->in_process;
}

void tfr_device_info(const struct tfr_device *dev, struct tfr_device_info *info)
{
	*info = (struct tfr_device_info){ .node = dev->node };
	if (dev->row->info && is_ours(dev))
		dev->row->info(dev, info);
}

enum tfr_status tfr_device_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err)
{
	TFR_TRY(check_process(dev, err));
	return dev->row->alloc(dev, kind, size ? size : 1, memory, err);
}

void tfr_device_free(struct tfr_device *dev, enum tfr_memory kind, void *memory)
{
	if (memory && is_ours(dev))
		dev->row->free(dev, kind, memory);
}

enum tfr_status tfr_event_new(struct tfr_event **ev, struct tfr_device *dev, struct tfr_error *err)
{
	TFR_TRY(check_process(dev, err));
	TFR_TRY(dev->row->event_new(ev, dev, err));
	(*ev)->dev = dev;
	return TFR_OK;
}

void tfr_event_free(struct tfr_event *ev)
{
	if (!ev || !is_ours(ev->dev))
		return;
	ev->dev->row->wait(ev, NULL, NULL);
	ev->dev->row->event_free(ev);
}

enum tfr_status tfr_device_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *ev, struct tfr_error *err)
{
	assert(ev->dev == dev);
	TFR_TRY(check_process(dev, err));
	return dev->row->upload(dev, to, from, size, ev, err);
}

enum tfr_status tfr_device_kernels(struct tfr_device *dev, struct tfr_error *err)
{
	TFR_TRY(check_process(dev, err));
	return dev->row->kernels ? dev->row->kernels(dev, err) : TFR_OK;
}

enum tfr_status tfr_device_normalise(struct tfr_device *dev, float *to, const uint8_t *from,
	size_t count, unsigned channels, const float *mean, const float *std, struct tfr_event *ev,
	struct tfr_error *err)
{
	struct tfr_normalise_job what = {
		.to = to, .from = from, .count = count, .channels = channels
	};

	TFR_TRY(check_process(dev, err));
	assert(ev->dev == dev);
	if (channels < 1 || channels > CHANNELS_MAX || count % channels)
		return tfr_fail(err, TFR_EUSAGE, "%zu bytes are not pixels of 1 to %d channels",
			count, CHANNELS_MAX);
	for (unsigned c = 0; c < channels; c++) {
		what.mean[c] = mean ? mean[c] : 127.5f;
		what.std[c] = std ? std[c] : 127.5f;
		if (!isfinite(what.mean[c]) || !isfinite(what.std[c]) || what.std[c] == 0)
			return tfr_fail(err, TFR_EUSAGE,
				"normalising with mean %g and std %g: both must be finite, and std "
				"not 0",
				(double)what.mean[c], (double)what.std[c]);
	}
	return dev->row->normalise(dev, &what, ev, err);
}

enum tfr_status tfr_device_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *ev, struct tfr_error *err)
{
	TFR_TRY(check_process(dev, err));
	assert(ev->dev == dev);
	if (!(seconds >= 0 && seconds <= 3600))
		return tfr_fail(
			err, TFR_EUSAGE, "%g seconds of computing are not 0 to 3600", seconds);
	return dev->row->compute(dev, seconds, ev, err);
}

enum tfr_status tfr_event_wait(struct tfr_event *ev, double *seconds, struct tfr_error *err)
{
	TFR_TRY(check_process(ev->dev, err));
	return ev->dev->row->wait(ev, seconds, err);
}

bool tfr_event_done(struct tfr_event *ev)
{
	return !is_ours(ev->dev) || ev->dev->row->done(ev);
}

void tfr_event_cut_short(struct tfr_event *ev)
{
	if (ev->dev->row->cut_short && is_ours(ev->dev))
		ev->dev->row->cut_short(ev);
}

enum tfr_status tfr_device_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err)
{
	TFR_TRY(check_process(dev, err));
	return dev->row->download(dev, to, from, size, err);
}
