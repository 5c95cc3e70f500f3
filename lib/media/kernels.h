/* media/kernels.h - between the transforms of pixels and their inner loops for one processor or
 * another.
 *
 * All kernels give the same bits: they do the same operations on each sample, only on more samples
 * at once.  None may use fused multiply-add, none reads or writes beyond what it is told, and none
 * wants an alignment beyond that of its elements. */
#ifndef TFR_MEDIA_KERNELS_H
#define TFR_MEDIA_KERNELS_H

#include <tfr/pixels.h>

struct tfr_pixel_kernel {
	const char *name;
	/* Whether this processor can run it. */
	bool (*usable)(void);
	/* `n` pixels of `pixel` bytes (1, 2, 3, 4, 8, 12, 16) in the opposite order; `out` is `in`
	 * or does not overlap it. */
	void (*mirror)(const uint8_t *in, uint8_t *out, size_t n, size_t pixel);
};

/* Fastest first; the last is plain C and always usable. */
extern const struct tfr_pixel_kernel *const tfr_pixel_kernels[];

/* The fastest of them that this processor can run and `flags` allow. */
const struct tfr_pixel_kernel *tfr_pixel_kernel(unsigned flags);

#endif
