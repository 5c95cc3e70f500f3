/* media/resize/resize.h - the resize kernels, one per kind of processor.
 *
 * All kernels give the same bits: they do the same float32 operations on each element, only on more
 * elements at once. None may use fused multiply-add, except for division.  Elements are samples: n
 * = width * channels of a row. */
#ifndef TFR_MEDIA_RESIZE_RESIZE_H
#define TFR_MEDIA_RESIZE_RESIZE_H

#include <tfr-private/pixels.h>

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

#endif
