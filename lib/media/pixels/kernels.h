/* media/pixels/kernels.h - the inner loops of the pixel transforms, one set per kind of processor.
 *
 * All kernels give the same bits: they do the same operations on each sample, only on more samples
 * at once.  None may use fused multiply-add, except for division.  None reads or writes outside its
 * arguments, or needs more alignment than that of its elements. */
#ifndef TFR_MEDIA_PIXELS_KERNELS_H
#define TFR_MEDIA_PIXELS_KERNELS_H

#include <math.h>
#include <string.h>

#include <tfr-private/pixels.h>

/* Means and divisors are laid out so that sample i of a row uses the one at i % TFR_PATTERN, for
 * any number of channels up to 4 and any vector up to 16.  The pattern is stored twice, so that a
 * vector may begin anywhere in the first copy. */
enum { TFR_PATTERN = 48 };

/* Running sums of a row: sample i is added to number i % TFR_SUMS, in the order of i. */
enum { TFR_SUMS = 16 };

struct tfr_pixel_kernel {
	const char *name;
	/* Whether this processor can run it. */
	bool (*usable)(void);
	/* `n` pixels of `pixel` bytes (1, 2, 3, 4, 8, 12, 16) in the opposite order; `out` is `in`
	 * or does not overlap it. */
	void (*mirror)(const uint8_t *in, uint8_t *out, size_t n, size_t pixel);

	/* (x - mean) / std, each of 2 * TFR_PATTERN.  `stream`: written past the caches; call
	 * finish() after the last row.  The `out` of normalise_f32 may be its `in`. */
	void (*normalise_u8)(const uint8_t *in, float *out, size_t n, const float *mean,
		const float *std, bool stream);
	void (*normalise_f32)(const float *in, float *out, size_t n, const float *mean,
		const float *std, bool stream);
	/* The same number in another type; floats to 8 bits by tfr_to_u8(), to 16 by
	 * tfr_to_half(). */
	void (*u8_to_f32)(const uint8_t *in, float *out, size_t n, bool stream);
	void (*u8_to_f16)(const uint8_t *in, uint16_t *out, size_t n);
	void (*f32_to_f16)(const float *in, uint16_t *out, size_t n);
	void (*f32_to_u8)(const float *in, uint8_t *out, size_t n);
	/* `n` pixels of `channels` (2, 3, 4) samples, each sample to its plane. */
	void (*planes_u8)(const uint8_t *in, uint8_t *const planes[], size_t n, unsigned channels);
	void (*planes_f32)(const float *in, float *const planes[], size_t n, unsigned channels);

	/* Adds to the sum and to the sum of squares. */
	void (*sums_u8)(const uint8_t *in, size_t n, uint64_t *sum, uint64_t *squares);
	/* Adds x to the running sums, or (x - mean) squared. */
	void (*sums_f32)(const float *in, size_t n, double sums[TFR_SUMS]);
	void (*squares_f32)(const float *in, size_t n, double mean, double sums[TFR_SUMS]);

	/* Makes streamed stores visible. */
	void (*finish)(void);
};

extern const struct tfr_pixel_kernel tfr_pixels_plain;

#ifdef __x86_64__
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

/* Fastest first; the last is plain C and always usable. */
extern const struct tfr_pixel_kernel *const tfr_pixel_kernels[];

/* The fastest of them that this processor can run and `flags` allow. */
const struct tfr_pixel_kernel *tfr_pixel_kernel(unsigned flags);

/* Converts a number to 8 bits: to the nearest, halves to even, limited to 0 … 255; NaN is 0. */
static inline uint8_t tfr_to_u8(float v)
{
	return v > 0 ? v < 255 ? (uint8_t)lrintf(v) : 255 : 0;
}

/* Converts a number to binary16, to the nearest, halves to even; a NaN is quiet and keeps its upper
 * bits. */
static inline uint16_t tfr_to_half(float v)
{
	uint32_t bits, sign, magnitude;

	memcpy(&bits, &v, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	magnitude = bits & 0x7fffffff;
	if (magnitude > 0x7f800000)
		return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
	if (magnitude >= 0x477ff000) /* 65520 */
		return (uint16_t)(sign | 0x7c00);
	if (magnitude < 0x38800000) { /* 2^-14: subnormal below it; 0.5 has the same last place */
		float shifted = fabsf(v) + 0.5f;

		memcpy(&bits, &shifted, sizeof(bits));
		return (uint16_t)(sign | (bits - 0x3f000000));
	}
	magnitude += 0xfff + (magnitude >> 13 & 1);
	return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

/* ---- Rotation, which has a loop of its own ---- */

/* The places in the source, in pixels, of the centres of a row of the result: for the one at x,
 *     u = (x - middle) * x_by_x + x_by_row,   (u + 1) * half_width - 0.5f
 * and likewise down, each step rounded to float32. */
struct tfr_rotate_line {
	float middle; /* of the row, counted from its first centre */
	float x_by_x, y_by_x;
	float x_by_row, y_by_row; /* added by the row */
	float half_width, half_height;
};

/* RGB of 8 bits, bilinear. */
struct tfr_rotate_run {
	struct tfr_rotate_line line;
	struct tfr_pixels in;
	const float *fill; /* three, or NULL */
	uint8_t *out;	   /* the row of the result */
	uint32_t width;	   /* of it */
};

/* Computes pixels from `x` on, several at a time, as long as all are away from the source's edges;
 * returns the x where it stopped. */
typedef uint32_t tfr_rotate_loop(const struct tfr_rotate_run *run, uint32_t x);

#ifdef __x86_64__
bool tfr_rotate_avx2_usable(void);
tfr_rotate_loop tfr_rotate_avx2;
#endif

/* tfr_pixels_rotate(); TFR_RESIZE_PLAIN in `flags` disables such loops. */
enum tfr_status tfr_rotate(const struct tfr_pixels *in, double degrees, enum tfr_filter filter,
	const float *fill, const struct tfr_pixels *out, unsigned flags, struct tfr_error *err);

#endif
