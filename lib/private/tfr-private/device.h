/* tfr-private/device.h - staging memory for assembling batches, asynchronous uploads, and the few
 * computations of an input pipeline on a device.
 *
 * To send batches, allocate staging memory, device memory and an event once.  For every batch fill
 * the staging memory, call tfr_device_upload(), and tfr_event_wait() before the staging memory is
 * written again.  Several uploads may be in progress, each with its own event.  A device has two
 * queues that run at the same time: one runs uploads and tfr_device_normalise() in the order of the
 * calls, the other tfr_device_compute().
 *
 * Every function may be called from any thread.  An event serves one piece of work at a time. */
#ifndef TFR_PRIVATE_DEVICE_H
#define TFR_PRIVATE_DEVICE_H

#include <tfr/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the one device that `spec` names.  TFR_EUSAGE: `spec` is malformed or names several
 * devices. TFR_EUNAVAILABLE: no such device, no driver, or "not built with CUDA".  CUDA and its
 * driver are used only if `spec` is cuda or auto. */
enum tfr_status tfr_device_open(struct tfr_device **dev, const char *spec, struct tfr_error *err);

/* Free its memory and its events first.  NULL is allowed. */
void tfr_device_close(struct tfr_device *dev);

/* A description for a person: "NVIDIA H200, 140 GiB". */
const char *tfr_device_description(const struct tfr_device *dev);

/* The reason for the choice of `auto`: "no CUDA device: no driver".  "" if the caller chose. */
const char *tfr_device_reason(const struct tfr_device *dev);

/* Whether device memory is this process's own memory and counts into its size: host and sim yes,
 * cuda no. */
bool tfr_device_in_process(const struct tfr_device *dev);

/* The NUMA node of the device, which is also that of its staging memory; -1: none, or unknown. */
int tfr_device_node(const struct tfr_device *dev);

/* The kinds of device, i = 0, 1, ...; NULL after the last.  `*built`: this build has it. */
const char *tfr_device_kind(unsigned i, bool *built);

/* The processor writes staging memory and the device reads it: it is page-aligned, and pinned
 * (cudaHostAlloc) if the device needs that.  Device memory is the target of uploads: do not touch
 * it, tfr_device_download() reads it.  Pageable memory is memory from malloc: uploads from it show
 * what pinned memory saves.  A CUDA driver first copies it to its own pinned memory, during the
 * call, which then does not return at once.  sim also copies it twice, on its own thread; for host
 * it is like staging memory.  The content is undefined at first.  TFR_ENOMEM: not enough memory. */
enum tfr_memory {
	TFR_MEMORY_STAGING,
	TFR_MEMORY_DEVICE,
	TFR_MEMORY_PAGEABLE,
};

enum tfr_status tfr_device_alloc(struct tfr_device *dev, enum tfr_memory kind, size_t size,
	void **memory, struct tfr_error *err);
void tfr_device_free(struct tfr_device *dev, enum tfr_memory kind, void *memory);

enum tfr_status tfr_event_new(struct tfr_event **ev, struct tfr_device *dev, struct tfr_error *err);

/* Waits for the work in progress.  NULL is allowed. */
void tfr_event_free(struct tfr_event *ev);

/* Starts copying `size` bytes of staging or pageable memory to device memory and returns at once;
 * `ev` is done when they have arrived.  Neither memory may be written or freed before that.  After
 * an error, nothing was started. */
enum tfr_status tfr_device_upload(struct tfr_device *dev, void *to, const void *from, size_t size,
	struct tfr_event *ev, struct tfr_error *err);

/* Starts converting `count` bytes, pixels of `channels` interleaved values, to as many floats:
 * (x - mean[c]) / std[c], each operation rounded to float32, so that every device gives the same
 * bits as the host does.  Both memories are device memory and do not overlap.  It runs
 * after the uploads before it.  mean and std are read in the call; NULL for both is 127.5 for
 * every channel.  TFR_EUSAGE: not 1 to 4 channels, or `count` is not a multiple of them.
 * TFR_EUNAVAILABLE: "not built with CUDA kernels". */
enum tfr_status tfr_device_normalise(struct tfr_device *dev, float *to, const uint8_t *from,
	size_t count, unsigned channels, const float *mean, const float *std, struct tfr_event *ev,
	struct tfr_error *err);

/* Occupies the device for this time, as a training step would.  It waits for nothing, and only the
 * next call waits for it.  CUDA: a kernel that spins on every
 * multiprocessor; host and sim: a thread that sleeps.  TFR_EUSAGE: not 0 to 3600 seconds.
 * TFR_EUNAVAILABLE: "not built with CUDA kernels". */
enum tfr_status tfr_device_compute(
	struct tfr_device *dev, double seconds, struct tfr_event *ev, struct tfr_error *err);

/* Waits for the last work with `ev`, without spinning; returns at once if there is
 * none.  `*seconds`, when not NULL, is how long the link, or the device, was occupied with it, by
 * the device's own clock.  A failure of the work itself is reported here and names the call and
 * the device: "cudaEventSynchronize on cuda:0: unspecified launch failure". */
enum tfr_status tfr_event_wait(struct tfr_event *ev, double *seconds, struct tfr_error *err);

/* Whether tfr_event_wait() would return at once. */
bool tfr_event_done(struct tfr_event *ev);

/* Ends the simulated part of the work with `ev` at once: the remaining time of a link or of a
 * computation of host and sim.  Bytes still arrive.  Call it from any thread to leave without
 * waiting; later work is not affected.  CUDA cannot cancel work: there it does nothing. */
void tfr_event_cut_short(struct tfr_event *ev);

/* Copies device memory back, after every upload and tfr_device_normalise() started before it;
 * returns when the bytes have arrived.  For verification: it is not fast. */
enum tfr_status tfr_device_download(
	struct tfr_device *dev, void *to, const void *from, size_t size, struct tfr_error *err);

/* Measures the bandwidth of the link with uploads of `size` bytes, one after the other for about
 * 0.2 seconds, from staging or from pageable memory, by the device's own clock.  Meanwhile it needs
 * a staging and a device buffer of that size. */
enum tfr_status tfr_device_link(struct tfr_device *dev, size_t size, bool pageable,
	double *bytes_per_second, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
