/* tfr-private/device.h - staging memory for assembling batches, asynchronous uploads, and the few
 * computations of an input pipeline on a device.
 *
 * To send batches, allocate staging memory, device memory and an event once.  For every batch fill
 * the staging memory, call tfr_device_upload(), and tfr_event_wait() before the staging memory is
 * written again.  Several uploads may be in progress, each with its own event.  A device has three
 * queues that run at the same time: uploads, tfr_device_normalise() and tfr_device_compute(), each
 * in the order of its calls.
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

/* What identifies a device and its link.  A text that is unknown or does not apply is "", a number
 * is 0: host and sim have only a node, which is -1. */
struct tfr_device_info {
	char model[96]; /* "NVIDIA H200" */
	char uuid[48]; /* "GPU-5fd4f087-86f3-7a43-b711-4771313afc50"; of a MIG instance "MIG-..." */
	char pci[20];  /* "0000:3b:00.0" */
	char mig[32];  /* the profile of a MIG instance: "1g.18gb" */
	char driver[32]; /* the version of the driver: "580.95.05" */
	int cuda;	 /* the CUDA version that the driver implements: 12080 is 12.8 */
	int node;	 /* NUMA, also of its staging memory; -1: none, or unknown */
	uint64_t memory; /* bytes */
	/* Of the PCIe link, as sysfs reports it at this call.  An idle device lowers the
	 * generation: ask right after uploads. */
	unsigned link_generation, link_width, link_generation_max, link_width_max;
	/* Staging memory: the most that was allocated at a time, and the part of it that this
	 * process's resident size (VmRSS) does not count. */
	uint64_t pinned, pinned_outside;
	/* Why staging memory is not bound to the device's node: "set_mempolicy: Operation not
	 * permitted"; "": it is, or the node is unknown. */
	char unbound[80];
};

void tfr_device_info(const struct tfr_device *dev, struct tfr_device_info *info);

/* The version of NVIDIA's driver, from `proc`/driver/nvidia/version; CUDA is not used.  `proc` is
 * "/proc".  False: there is none, and the text is "". */
bool tfr_device_driver_version(const char *proc, char *version, size_t size);

/* The file of the driver's library (libcuda.so.1) that would be used; CUDA is not initialised.
 * False: the loader finds none, and the text is "". */
bool tfr_device_driver_library(char *path, size_t size);

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
 * bits as the host does.  Both memories are device memory and do not overlap.  It runs after the
 * uploads that were started before it, and beside those started after it, which must not touch its
 * two memories until `ev` is done.  mean and std are read in the call; NULL for both is 127.5 for
 * every channel.  TFR_EUSAGE: not 1 to 4 channels, `count` is not a multiple of them, a mean is not
 * finite, or a std is 0 or not finite.  TFR_EUNAVAILABLE: the driver refuses the kernels. */
enum tfr_status tfr_device_normalise(struct tfr_device *dev, float *to, const uint8_t *from,
	size_t count, unsigned channels, const float *mean, const float *std, struct tfr_event *ev,
	struct tfr_error *err);

/* Whether tfr_device_normalise() and tfr_device_compute() can work at all: to refuse a run at its
 * start.  TFR_EUNAVAILABLE: the driver refuses the kernels; the message gives the reason. */
enum tfr_status tfr_device_kernels(struct tfr_device *dev, struct tfr_error *err);

/* Occupies the device for this time, as a training step would.  It waits for nothing, and only the
 * next call waits for it.  CUDA: a kernel that spins on every
 * multiprocessor; host and sim: a thread that sleeps.  TFR_EUSAGE: not 0 to 3600 seconds.
 * TFR_EUNAVAILABLE: the driver refuses the kernels. */
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

/* Measures the bandwidth of the links of `count` devices, all at the same time, since they may
 * share a path: uploads of sizes[i] bytes to device i, one after the other for about 0.2 seconds,
 * from staging or from pageable memory.  bytes_per_second[i] is by the device's own clock; 0: it
 * failed, and the first failure is returned after the others were measured.  Meanwhile each device
 * needs a staging and a device buffer of its size. */
enum tfr_status tfr_device_links(struct tfr_device *const *devs, unsigned count,
	const size_t *sizes, bool pageable, double *bytes_per_second, struct tfr_error *err);

#ifdef __cplusplus
}
#endif

#endif
