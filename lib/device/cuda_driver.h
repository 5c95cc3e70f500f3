/* device/cuda_driver.h - where the table of driver calls comes from: cuda_driver.c, or
 * cuda_runtime.c in a build with -Dcuda=runtime. */
#ifndef TFR_DEVICE_CUDA_DRIVER_H
#define TFR_DEVICE_CUDA_DRIVER_H

#include "device/cuda_api.h"

/* Fills the table.  `*absent`: the failure means that there is no driver.  TFR_EUNAVAILABLE: there
 * is none, or it lacks a call; the message names it. */
enum tfr_status tfr_cuda_fill(struct tfr_cuda_api *api, bool *absent, struct tfr_error *err);

#endif
