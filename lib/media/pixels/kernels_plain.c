/* media/pixels/kernels_plain.c - the inner loops in plain C, which define the others, and the list
 * of all loops. */
#include <string.h>

#include "media/pixels/kernels.h"

static bool always(void)
{
	return true;
}

/* From both ends to the middle, so that `out` may be `in`. */
#define MIRROR(size)                                                                               \
	for (size_t i = 0, k = n - 1; i <= k && k < n; i++, k--) {                                 \
		uint8_t left[size], right[size];                                                   \
		memcpy(left, in + i * (size), size);                                               \
		memcpy(right, in + k * (size), size);                                              \
		memcpy(out + i * (size), right, size);                                             \
		memcpy(out + k * (size), left, size);                                              \
	}

static void mirror(const uint8_t *in, uint8_t *out, size_t n, size_t pixel)
{
	switch (pixel) {
	case 1:
		MIRROR(1);
		break;
	case 2:
		MIRROR(2);
		break;
	case 3:
		MIRROR(3);
		break;
	case 4:
		MIRROR(4);
		break;
	case 8:
		MIRROR(8);
		break;
	case 12:
		MIRROR(12);
		break;
	default:
		MIRROR(16);
	}
}

#define NORMALISE(name, type)                                                                      \
	static void name(const type *in, float *out, size_t n, const float *mean,                  \
		const float *std, bool stream)                                                     \
	{                                                                                          \
		size_t some;                                                                       \
                                                                                                   \
		(void)stream;                                                                      \
		for (; n; in += some, out += some, n -= some) {                                    \
			some = n < TFR_PATTERN ? n : TFR_PATTERN;                                  \
			for (size_t i = 0; i < some; i++)                                          \
				out[i] = ((float)in[i] - mean[i]) / std[i];                        \
		}                                                                                  \
	}

NORMALISE(normalise_u8, uint8_t)
NORMALISE(normalise_f32, float)

static void u8_to_f32(const uint8_t *in, float *out, size_t n, bool stream)
{
	(void)stream;
	for (size_t i = 0; i < n; i++)
		out[i] = in[i];
}

#define CONVERT(name, from, to, number)                                                            \
	static void name(const from *in, to *out, size_t n)                                        \
	{                                                                                          \
		for (size_t i = 0; i < n; i++)                                                     \
			out[i] = number(in[i]);                                                    \
	}

CONVERT(u8_to_f16, uint8_t, uint16_t, tfr_to_half)
CONVERT(f32_to_f16, float, uint16_t, tfr_to_half)
CONVERT(f32_to_u8, float, uint8_t, tfr_to_u8)

#define PLANES(name, type)                                                                         \
	static void name(const type *in, type *const planes[], size_t n, unsigned channels)        \
	{                                                                                          \
		for (unsigned c = 0; c < channels; c++)                                            \
			for (size_t i = 0; i < n; i++)                                             \
				planes[c][i] = in[i * channels + c];                               \
	}

PLANES(planes_u8, uint8_t)
PLANES(planes_f32, float)

static void sums_u8(const uint8_t *in, size_t n, uint64_t *sum, uint64_t *squares)
{
	uint64_t s = 0, q = 0;

	for (size_t i = 0; i < n; i++) {
		s += in[i];
		q += (uint32_t)in[i] * in[i];
	}
	*sum += s;
	*squares += q;
}

static void sums_f32(const float *in, size_t n, double sums[TFR_SUMS])
{
	for (size_t i = 0; i < n; i++)
		sums[i % TFR_SUMS] += in[i];
}

static void squares_f32(const float *in, size_t n, double mean, double sums[TFR_SUMS])
{
	for (size_t i = 0; i < n; i++)
		sums[i % TFR_SUMS] += (in[i] - mean) * (in[i] - mean);
}

static void nothing(void)
{
}

const struct tfr_pixel_kernel tfr_pixels_plain = {
	.name = "plain",
	.usable = always,
	.mirror = mirror,
	.normalise_u8 = normalise_u8,
	.normalise_f32 = normalise_f32,
	.u8_to_f32 = u8_to_f32,
	.u8_to_f16 = u8_to_f16,
	.f32_to_f16 = f32_to_f16,
	.f32_to_u8 = f32_to_u8,
	.planes_u8 = planes_u8,
	.planes_f32 = planes_f32,
	.sums_u8 = sums_u8,
	.sums_f32 = sums_f32,
	.squares_f32 = squares_f32,
	.finish = nothing,
};

const struct tfr_pixel_kernel *const tfr_pixel_kernels[] = {
#ifdef __x86_64__
	&tfr_pixels_avx512,
	&tfr_pixels_avx2,
#endif
	&tfr_pixels_plain,
	NULL,
};

const struct tfr_pixel_kernel *tfr_pixel_kernel(unsigned flags)
{
	for (size_t i = 0;; i++) {
		const struct tfr_pixel_kernel *k = tfr_pixel_kernels[i];

		if (!tfr_pixel_kernels[i + 1] || (!(flags & TFR_RESIZE_PLAIN) && k->usable()))
			return k;
	}
}
