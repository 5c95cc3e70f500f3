/* media/resize/scale.h - between scaling and its kernels for one processor or another.
 *
 * All kernels give the same bits: sums of 32-bit integers, which do not depend on their order. */
#ifndef TFR_MEDIA_RESIZE_SCALE_H
#define TFR_MEDIA_RESIZE_SCALE_H

#include <tfr-private/media.h>

#include "base/buf.h"

/* A weight of 1, and the half that is added before the shift back. */
enum { TFR_SCALE_BITS = 22 };

/* How the pixels of one axis come out of those of another: pixel i of `out` is the sum of the
 * `count[i]` pixels from `first[i]` on, times the weights from weight[i * stride] on.  Weights up
 * to `stride`, which is a multiple of 4, are 0. */
struct tfr_axis {
	uint32_t in, out;
	enum tfr_filter filter;
	size_t stride;
	uint32_t *first, *count;
	int32_t *weight;
	/* The same weights as w = high * 4096 + low, 0 <= low < 4096, in pairs of 16 bits:
	 * what pmaddwd multiplies. */
	int16_t *high, *low;
};

/* False: out of memory.  `axis` is kept as it is where it fits already. */
bool tfr_axis_set(struct tfr_axis *axis, uint32_t in, uint32_t out, enum tfr_filter filter);
void tfr_axis_clear(struct tfr_axis *axis);

struct tfr_scale_kernel {
	bool (*usable)(void);
	/* One row: `row` has axis->in pixels; bytes beyond it may be read only where `row_end` says
	 * that there are some. */
	void (*across)(const struct tfr_axis *axis, unsigned channels, const uint8_t *row,
		const uint8_t *row_end, uint8_t *out);
	/* Row y of the result: `n` samples a row, the rows of the source `stride` bytes apart. */
	void (*down)(const struct tfr_axis *axis, uint32_t y, const uint8_t *rows, size_t stride,
		size_t n, uint8_t *out);
};

extern const struct tfr_scale_kernel tfr_scale_plain;
#ifdef __x86_64__
extern const struct tfr_scale_kernel tfr_scale_avx2;
#endif

/* The pixel that TensorFlow's nearest law takes on an axis of `in`; factor = in / (float)out. */
static inline uint32_t tfr_nearest_of(uint32_t i, float factor, uint32_t in)
{
	float at = ((float)i + 0.5f) * factor;

	return at < (float)in ? (uint32_t)at : in - 1;
}

/* Of one sample: the shift back, and 0 to 255. */
static inline uint8_t tfr_scale_clip(int32_t sum)
{
	sum >>= TFR_SCALE_BITS;
	return sum < 0 ? 0 : sum > 255 ? 255 : (uint8_t)sum;
}

#endif
