/* tfr-private/device.h - staging memory to assemble batches in, asynchronous uploads, and the few
 * computations that a feed has a device do.
 *
 * To send batches, allocate staging memory, device memory and an event once.  For every batch fill
 * the staging memory, call tfr_device_upload(), and tfr_event_wait() before the staging memory is
 * written again.  Several uploads may be under way, each with its own event.  A device has two
 * queues: it carries out uploads and tfr_device_normalise() in the order of the calls, and
 * tfr_device_compute() in an order of its own at the same time.
 *
 * Every function may be called from any thread.  An event serves one piece of work at a time. */
#ifndef TFR_PRIVATE_DEVICE_H
#define TFR_PRIVATE_DEVICE_H

#include <tfr/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the one device that `spec` names.  TFR_EUSAGE: it names nothing, or more than one device.
 * TFR_EUNAVAILABLE: no such device, no driver, or "not built with CUDA".  Neither CUDA nor its
 * driver is touched unless `spec` asks for cuda or auto. */
enum tfr_status tfr_device_open(struct tfr_device **dev, const char *spec, struct tfr_error *err);

/* Free its memory and its events first.  NULL is allowed. */
void tfr_device_close(struct tfr_device *dev);

/* What it is, for a person: "NVIDIA H200, 140 GiB". */
const char *tfr_device_description(const struct tfr_device *dev);

/* Why `auto` took this one: "no CUDA device: no driver".  "" when the caller chose. */
const char *tfr_device_reason(const struct tfr_device *dev);

/* Whether device memory is this process's own memory and counts into its size: host and sim yes,
 * cuda no. */
bool tfr_device_in_process(const struct tfr_device *dev);

/* The NUMA node that the device hangs on, by which its staging memory is allocated; -1 where there
 * is none or it is not known. */
int tfr_device_node(const struct tfr_device *dev);

/* The kinds of device there are, i = 0, 1, ...; NULL past the last.  `*built`: this build has
 * it. */
const char *tfr_device_kind(unsigned i, bool *built);

/* Staging memory is where the processor writes and the device reads: page-aligned, and pinned
 * (cudaHostAlloc) where the device wants that.  Device memory is where uploads go: do not touch it,
 * tfr_device_download() reads it.  Pageable memory is what malloc gives: uploads from it show what
 * pinned memory saves.  A CUDA driver copies it to pinned memory of its own first, in the call
 * itself, which then does not return at once; sim copies it twice likewise, on its own thread; for
 * host it is like staging memory.  The content of all is undefined at first.  TFR_ENOMEM: there is
 * not so much. */
enum tfr_memory {
	TFR_MEMORY_STAGING,
	TFR_MEMORY_DEVICE,
	TFR_MEMORY_PAGEABLE,
};

enum tfr_status tfr_device_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err);
void tfr_device_free(struct tfr_device *dev, enum tfr_memory kind, void *memory);

enum tfr_status tfr_event_new(struct tfr_event **ev, struct tfr_device *dev, struct tfr_error *err);

/* Waits for the work that is under way.  NULL is allowed. */
void tfr_event_free(struct tfr_event *ev);

/* Starts copying `size` bytes of staging or pageable memory to device memory and returns at once;
 * `ev` tells when they are there. Neither memory may be written or freed before that.  An error
 * means that nothing was started. */
enum tfr_status tfr_device_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *ev, struct tfr_error *err);

/* Starts turning `count` bytes, pixels of `channels` interleaved values, into as many floats:
 * (x - mean[c]) / std[c], each operation rounded to float32, so that every device gives the same
 * bits as the host does.  Both memories are device memory and do not overlap.  It takes its turn
 * behind the uploads before it.  mean and std are read in the call; NULL for both is 127.5 for
 * every channel.  TFR_EUSAGE: not 1 to 4 channels, or `count` no multiple of them.
 * TFR_EUNAVAILABLE: "not built with CUDA kernels". */
enum tfr_status tfr_device_normalise(struct tfr_device *dev, float *to, const uint8_t *from,
	size_t count, unsigned channels, const float *mean, const float *std, struct tfr_event *ev,
	struct tfr_error *err);

/* Occupies the device for so many seconds, as a training step would: it waits for nothing, and
 * nothing but the next call of it waits for it.  CUDA: a kernel that spins on every
 * multiprocessor; host and sim: a thread that sleeps.  TFR_EUSAGE: not 0 to 3600 seconds.
 * TFR_EUNAVAILABLE: "not built with CUDA kernels". */
enum tfr_status tfr_device_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *ev, struct tfr_error *err);

/* Waits for the last work that was given `ev`, without spinning; returns at once when there was
 * none.  `*seconds`, when not NULL, is how long the link, or the device, was occupied with it, by
 * the device's own clock.  A failure of the work itself is reported here and names the call and
 * the device: "cudaEventSynchronize on cuda:0: unspecified launch failure". */
enum tfr_status tfr_event_wait(struct tfr_event *ev, double *seconds, struct tfr_error *err);

/* Whether tfr_event_wait() would return at once. */
bool tfr_event_done(struct tfr_event *ev);

/* Ends at once what host and sim only simulate of the work that was given `ev`: the rest of the
 * time that a link takes, or that a device computes.  Bytes still arrive.  Call it to leave without
 * waiting, from any thread; the work that comes next is not affected.  CUDA cannot take work back:
 * there it does nothing. */
void tfr_event_cut_short(struct tfr_event *ev);

/* Copies device memory back, after every upload and tfr_device_normalise() started before it;
 * returns when the bytes are there.  For verification: it is not made for speed. */
enum tfr_status tfr_device_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err);

/* Measures what the link can do with uploads of `size` bytes, one behind the other for about 0.2
 * seconds, from staging or from pageable memory, by the device's own clock.  It takes a staging
 * and a device buffer of that size meanwhile. */
enum tfr_status tfr_device_link(struct tfr_device *dev, size_t size, bool pageable,
	double *bytes_per_second, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
