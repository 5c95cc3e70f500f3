/* media/resize/scale.h - the scaling kernels, one per kind of processor.
 *
 * All kernels give the same bits: sums of 32-bit integers, which do not depend on their order. */
#ifndef TFR_MEDIA_RESIZE_SCALE_H
#define TFR_MEDIA_RESIZE_SCALE_H

#include <tfr-private/media.h>

/* A weight of 1, and the half that is added before the shift back. */
enum { TFR_SCALE_BITS = 22 };

/* How an axis is filtered: pixel i of `out` is the sum of `count[i]` pixels from `first[i]` on,
 * times the weights from weight[i * stride] on.  Further weights up to `stride`, which is a
 * multiple of 4, are 0. */
struct tfr_axis {
	uint32_t in, out;
	enum tfr_filter filter;
	size_t stride;
	uint32_t *first, *count;
	int32_t *weight;
	/* The same weights as w = high * 4096 + low, 0 <= low < 4096, in pairs of 16 bits, which
	 * pmaddwd multiplies. */
	int16_t *high, *low;
};

struct tfr_scale_kernel {
	bool (*usable)(void);
	/* One row: `row` has axis->in pixels; bytes after it may be read only up to `row_end`. */
	void (*across)(const struct tfr_axis *axis, unsigned channels, const uint8_t *row,
		const uint8_t *row_end, uint8_t *out);
	/* Row y of the result: `n` samples per row, the rows of the source are `stride` bytes
	 * apart. */
	void (*down)(const struct tfr_axis *axis, uint32_t y, const uint8_t *rows, size_t stride,
		size_t n, uint8_t *out);
};

extern const struct tfr_scale_kernel tfr_scale_plain;
#ifdef __x86_64__
extern const struct tfr_scale_kernel tfr_scale_avx2;
#endif

/* The pixel that TensorFlow's nearest filter takes on an axis of `in`; factor = in / (float)out. */
static inline uint32_t tfr_nearest_of(uint32_t i, float factor, uint32_t in)
{
	float at = ((float)i + 0.5f) * factor;

	return at < (float)in ? (uint32_t)at : in - 1;
}

/* Finishes a sample: the shift back, and the limits 0 and 255. */
static inline uint8_t tfr_scale_clip(int32_t sum)
{
	sum >>= TFR_SCALE_BITS;
	return sum < 0 ? 0 : sum > 255 ? 255 : (uint8_t)sum;
}

#endif
