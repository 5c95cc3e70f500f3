/* tfr/device.h - where a batch goes: a device, staging memory to assemble batches in, and
 * asynchronous uploads.
 *
 * A device is opened from the text a user writes:
 *
 *     host                     plain memory; an upload is one memcpy, made by the device's own
 * thread sim:BANDWIDTH,LATENCY    memory behind a simulated link, as in sim:25G,10us: decimal bytes
 * a second (K, M, G, T), and ns, us, ms or s; a 0 needs no unit cuda, cuda:N             device 0,
 * or N, of the CUDA runtime auto                     cuda where one answers, else host;
 * tfr_device_reason() says why
 *
 * The life of a batch: allocate staging memory, device memory and an event once, then for every
 * batch fill the staging memory, tfr_device_upload(), and tfr_event_wait() before the staging
 * memory is written again.  Several uploads may be under way, each with its own event; a device
 * carries them out in the order of the calls.
 *
 * Every function may be called from any thread.  An event serves one upload at a time. */
#ifndef TFR_DEVICE_H
#define TFR_DEVICE_H

#include <tfr/error.h>

struct tfr_device;
struct tfr_event;

/* Opens what `spec` names.  TFR_EUSAGE: it names nothing, or more than one device.
 * TFR_EUNAVAILABLE: no such device, no driver, or "not built with CUDA".  Neither CUDA nor its
 * driver is touched unless `spec` asks for cuda or auto. */
TFR_API enum tfr_status tfr_device_open(
	struct tfr_device **dev, const char *spec, struct tfr_error *err);
/* Free its memory and its events first.  NULL is allowed. */
TFR_API void tfr_device_close(struct tfr_device *dev);

/* "host", "sim:25G,10us", "cuda:0".  The three texts live as long as the device. */
TFR_API const char *tfr_device_name(const struct tfr_device *dev);
/* What it is, for a person: "NVIDIA H200, 140 GiB". */
TFR_API const char *tfr_device_description(const struct tfr_device *dev);
/* Why `auto` took this one: "no CUDA device: no driver".  "" when the caller chose. */
TFR_API const char *tfr_device_reason(const struct tfr_device *dev);
/* Whether device memory is this process's own memory and counts into its size: host and sim yes,
 * cuda no. */
TFR_API bool tfr_device_in_process(const struct tfr_device *dev);

/* The kinds of device there are, i = 0, 1, …; NULL past the last.  `*built`: this build has it. */
TFR_API const char *tfr_device_kind(unsigned i, bool *built);

/* Staging memory is where the processor writes and the device reads: page-aligned, and pinned
 * (cudaHostAlloc) where the device wants that.  Device memory is where uploads go: do not touch it,
 * tfr_device_download() reads it.  The content of both is undefined at first.  TFR_ENOMEM: there is
 * not so much. */
enum tfr_memory {
	TFR_MEMORY_STAGING,
	TFR_MEMORY_DEVICE,
};

TFR_API enum tfr_status tfr_device_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err);
TFR_API void tfr_device_free(struct tfr_device *dev, enum tfr_memory kind, void *memory);

TFR_API enum tfr_status tfr_event_new(
	struct tfr_event **ev, struct tfr_device *dev, struct tfr_error *err);
/* Waits for an upload that is under way.  NULL is allowed. */
TFR_API void tfr_event_free(struct tfr_event *ev);

/* Starts copying `size` bytes of staging memory to device memory and returns at once; `ev` tells
 * when they are there. Neither memory may be written or freed before that.  An error means that
 * nothing was started. */
TFR_API enum tfr_status tfr_device_upload(struct tfr_device *dev, void *to, const void *from,
	size_t size, struct tfr_event *ev, struct tfr_error *err);

/* Waits for the last upload that was given `ev`, without spinning; returns at once when there was
 * none.  `*seconds`, when not NULL, is how long the link was occupied with it, by the device's own
 * clock.  A failure of the copy itself is reported here and names the call and the device:
 * "cudaEventSynchronize on cuda:0: unspecified launch failure". */
TFR_API enum tfr_status tfr_event_wait(
	struct tfr_event *ev, double *seconds, struct tfr_error *err);
/* Whether tfr_event_wait() would return at once. */
TFR_API bool tfr_event_done(struct tfr_event *ev);

/* Copies device memory back, after every upload started before it; returns when the bytes are
 * there.  For verification: it is not made for speed. */
TFR_API enum tfr_status tfr_device_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err);

#endif
