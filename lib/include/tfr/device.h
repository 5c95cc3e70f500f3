/* tfr/device.h - the devices to whose memory an input pipeline (tfr/pipeline.h) sends batches.
 *
 * A text from the user names the devices:
 *
 *     host
 *         Plain memory; an upload is one memcpy, made by the device's own thread.
 *     sim:BANDWIDTH,LATENCY[,COUNT]
 *         Memory with simulated links, such as sim:25G,10us: decimal bytes per second (K, M, G, T),
 *         and ns, us, ms or s; a 0 needs no unit.  COUNT devices, each with its own link.
 *     cuda, cuda:N, cuda:N,M,..., cuda:all
 *         Device 0, N, several, or all devices of NVIDIA's driver, which is opened at first use
 *         (libcuda.so.1).  CUDA_VISIBLE_DEVICES applies.
 *     auto
 *         cuda; host if there is no driver or no visible device, or if CUDA is not built in.
 *         A driver or a device that exists and fails is an error.
 *
 * Every function may be called from any thread, and leaves the thread's current CUDA context as it
 * was.  A process that forked after opening a device cannot use it: every call returns
 * TFR_EUNAVAILABLE. */
#ifndef TFR_DEVICE_H
#define TFR_DEVICE_H

#include <tfr/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tfr_device;
struct tfr_event;

/* Opens all devices that `spec` names, in its order: 1 to 64, none twice.  Opens all or none. */
TFR_API enum tfr_status tfr_devices_open(
	struct tfr_device ***devs, unsigned *count, const char *spec, struct tfr_error *err);
/* Closes them and frees the array.  NULL is allowed. */
TFR_API void tfr_devices_close(struct tfr_device **devs, unsigned count);

/* "host", "sim:25G,10us", "cuda:0"; the third of "sim:25G,10us,4" is "sim:25G,10us#2".  The three
 * texts live as long as the device. */
TFR_API const char *tfr_device_name(const struct tfr_device *dev);

#ifdef __cplusplus
}
#endif

#endif
