/* media/kernels_x86.h - the inner loops for x86-64, where there are any. */
#ifndef TFR_MEDIA_KERNELS_X86_H
#define TFR_MEDIA_KERNELS_X86_H

#include "media/kernels.h"

#ifdef __x86_64__
#define TFR_KERNELS_X86 1
extern const struct tfr_pixel_kernel tfr_pixels_avx2;
#endif

#endif
