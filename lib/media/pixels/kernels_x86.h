/* media/pixels/kernels_x86.h - the inner loops for x86-64, if they are compiled. */
#ifndef TFR_MEDIA_PIXELS_KERNELS_X86_H
#define TFR_MEDIA_PIXELS_KERNELS_X86_H

#include "media/pixels/kernels.h"

#ifdef __x86_64__
#define TFR_KERNELS_X86 1
extern const struct tfr_pixel_kernel tfr_pixels_avx512, tfr_pixels_avx2;

/* Calls a loop that moves samples to planes, compiled once per number of channels. */
#define TFR_BY_CHANNELS(loop, in, planes, n, channels)                                             \
	do {                                                                                       \
		if ((channels) == 2)                                                               \
			loop(in, planes, n, 2);                                                    \
		else if ((channels) == 3)                                                          \
			loop(in, planes, n, 3);                                                    \
		else                                                                               \
			loop(in, planes, n, 4);                                                    \
	} while (0)

/* AVX2 loops that AVX-512 does not improve. */
void tfr_avx2_mirror(const uint8_t *in, uint8_t *out, size_t n, size_t pixel);
void tfr_avx2_u8_to_f32(const uint8_t *in, float *out, size_t n, bool stream);
void tfr_avx2_f32_to_f16(const float *in, uint16_t *out, size_t n);
void tfr_avx2_f32_to_u8(const float *in, uint8_t *out, size_t n);
void tfr_avx2_sums_u8(const uint8_t *in, size_t n, uint64_t *sum, uint64_t *squares);
void tfr_avx2_sums_f32(const float *in, size_t n, double sums[TFR_SUMS]);
void tfr_avx2_squares_f32(const float *in, size_t n, double mean, double sums[TFR_SUMS]);
void tfr_avx2_fence(void);
#endif

#endif
