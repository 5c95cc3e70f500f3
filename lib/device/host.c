/* device/host.c - the device that always exists: its memory is plain memory, and an upload is one
 * memcpy. */
#include <stdio.h>

#include "base/error.h"
#include "device/copier.h"

static enum tfr_status host_count(const char *args, unsigned *count, struct tfr_error *err)
{
	if (args)
		return tfr_fail(err, TFR_EUSAGE, "device host takes no argument: 'host:%s'", args);
	*count = 1;
	return TFR_OK;
}

static enum tfr_status host_open(
	struct tfr_device *dev, const char *args, unsigned nth, struct tfr_error *err)
{
	(void)args;
	(void)nth;
	snprintf(dev->name, sizeof(dev->name), "host");
	snprintf(dev->description, sizeof(dev->description), "plain memory, one memcpy per upload");
	return tfr_copier_open(dev, (struct tfr_copier_pace){ 0 }, err);
}

const struct tfr_device_row tfr_device_host = {
	.kind = "host",
	.built = true,
	.in_process = true,
	.count = host_count,
	.open = host_open,
	.close = tfr_copier_close,
	.alloc = tfr_copier_alloc,
	.free = tfr_copier_free,
	.event_new = tfr_copier_event_new,
	.event_free = tfr_copier_event_free,
	.upload = tfr_copier_upload,
	.normalise = tfr_copier_normalise,
	.compute = tfr_copier_compute,
	.wait = tfr_copier_wait,
	.done = tfr_copier_done,
	.cut_short = tfr_copier_cut_short,
	.download = tfr_copier_download,
};
