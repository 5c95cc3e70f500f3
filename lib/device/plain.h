/* device/plain.h - what a kernel does to pixels, done by a processor: what host and sim use, and
 * the twin that kernels are compared with. */
#ifndef TFR_DEVICE_PLAIN_H
#define TFR_DEVICE_PLAIN_H

#include "device/row.h"

void tfr_device_normalise_plain(const struct device_normalise *what);

#endif
