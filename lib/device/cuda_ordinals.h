/* device/cuda_ordinals.h - which CUDA devices a text names, and whether there are any at all. */
#ifndef TFR_DEVICE_CUDA_ORDINALS_H
#define TFR_DEVICE_CUDA_ORDINALS_H

#include "device/row.h"

struct ordinals {
	unsigned count;
	int at[DEVICES_MAX];
};

/* What "0,1", "all" or nothing at all (NULL: device 0) names, in its order.  Only "all" asks the
 * runtime. */
enum tfr_status tfr_cuda_ordinals_parse(
	struct ordinals *o, const char *args, struct tfr_error *err);

/* How many devices the runtime has.  TFR_EUNAVAILABLE: none, and the message says why. */
enum tfr_status tfr_cuda_ordinals_probe(int *count, struct tfr_error *err);

/* Whether there is no driver or no visible device; `why` says which.  A driver that fails, or is
 * too old for this build, is not absent. */
bool tfr_cuda_ordinals_absent(struct tfr_error *why);

#endif
