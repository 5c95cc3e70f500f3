/* media/resize/resize_x86.h - the resize kernels for x86-64, if they are compiled. */
#ifndef TFR_MEDIA_RESIZE_RESIZE_X86_H
#define TFR_MEDIA_RESIZE_RESIZE_X86_H

#include "media/resize/resize.h"

#ifdef __x86_64__
#define TFR_RESIZE_X86 1
extern const struct tfr_resize_kernel tfr_resize_avx2, tfr_resize_avx512;
#endif

#endif
