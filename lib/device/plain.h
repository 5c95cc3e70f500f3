/* device/plain.h - the work of a kernel on pixels, done by a processor: host and sim use it, and
 * tests compare kernels with it. */
#ifndef TFR_DEVICE_PLAIN_H
#define TFR_DEVICE_PLAIN_H

#include "device/row.h"

void tfr_device_normalise_plain(const struct tfr_normalise_job *what);

#endif
