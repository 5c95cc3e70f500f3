/* device/cuda_ordinals.h - the CUDA devices that a text names, and whether any exist. */
#ifndef TFR_DEVICE_CUDA_ORDINALS_H
#define TFR_DEVICE_CUDA_ORDINALS_H

#include "device/row.h"

struct tfr_cuda_ordinals {
	unsigned count;
	int at[DEVICES_MAX];
};

/* The devices that "0,1", "all" or NULL (device 0) names, in its order.  Only "all" asks the
 * driver. */
enum tfr_status tfr_cuda_ordinals_parse(
	struct tfr_cuda_ordinals *o, const char *args, struct tfr_error *err);

/* Whether there is no driver or no visible device; `why` gives the reason.  A driver that fails
 * is not absent. */
bool tfr_cuda_ordinals_absent(struct tfr_error *why);

#endif
