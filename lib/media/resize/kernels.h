/* media/resize/kernels.h - the inner loops of resizing, one set per kind of processor: to floats as
 * TensorFlow does (resize.c), and to 8 bits with the weights of Pillow (scale.c).
 *
 * All kernels of a kind give the same bits. */
#ifndef TFR_MEDIA_RESIZE_KERNELS_H
#define TFR_MEDIA_RESIZE_KERNELS_H

#include <tfr-private/media.h>
#include <tfr-private/pixels.h>

/* ---- To floats ---- */

/* Kernels do the same float32 operations on each element, only on more elements at once.  None may
 * use fused multiply-add, except for division.  Elements are samples: n = width * channels of a
 * row. */

/* The columns: element i is row[low[i]] + (row[high[i]] - row[low[i]]) * weight[i].  Arrays are
 * padded to a multiple of TFR_RESIZE_PAD elements by repeating the last one, so that a kernel may
 * continue past the end of its own row. */
#define TFR_RESIZE_PAD 16

struct tfr_resize_columns {
	size_t n, padded; /* elements; with padding */
	size_t row_bytes; /* of the source row, of 8-bit samples */
	bool floats;	  /* the source is float32: kernels are not used */
	const uint32_t *low, *high;
	const float *weight;
	/* The result of the kernel's prepare(), aligned to 64. */
	void *tables;
};

struct tfr_resize_kernel {
	const char *name;
	/* Whether this processor can run it. */
	bool (*usable)(void);
	/* Fills columns->tables; false: these columns are too far apart for the kernel.  NULL: the
	 * kernel needs no tables. */
	bool (*prepare)(struct tfr_resize_columns *columns);
	size_t table_size; /* of TFR_RESIZE_PAD elements */
	/* Converts one source row to floats: `out` has room for `padded` elements, aligned to 64.
	 */
	void (*horizontal)(
		const struct tfr_resize_columns *columns, const uint8_t *row, float *out);
	/* out[i] = top[i] + (bottom[i] - top[i]) * weight, then as `flags` say.  top and bottom are
	 * aligned to 64; out is not, and has no room beyond n. */
	void (*vertical)(const float *top, const float *bottom, float weight, size_t n,
		unsigned flags, float *out);
	/* After the last row of an image: makes streamed stores visible.  NULL: nothing to do. */
	void (*finish)(void);
};

#ifdef __x86_64__
extern const struct tfr_resize_kernel tfr_resize_avx2, tfr_resize_avx512;
#endif

/* Fastest first; the last is plain C and always usable. */
extern const struct tfr_resize_kernel *const tfr_resize_kernels[];

/* ---- To 8 bits ---- */

/* Sums are of 32-bit integers, which do not depend on their order. */

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
