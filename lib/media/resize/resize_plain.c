/* media/resize/resize_plain.c - the resize kernel in plain C, which defines the others, and the
 * list of all kernels. */
#include "media/resize/resize.h"

static bool always(void)
{
	return true;
}

static void horizontal(const struct tfr_resize_columns *columns, const uint8_t *row, float *out)
{
	for (size_t i = 0; i < columns->n; i++) {
		float low = row[columns->low[i]], high = row[columns->high[i]];

		out[i] = low + (high - low) * columns->weight[i];
	}
}

static void vertical(
	const float *top, const float *bottom, float weight, size_t n, unsigned flags, float *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = top[i] + (bottom[i] - top[i]) * weight;
	if (flags & TFR_RESIZE_NORMALISE)
		for (size_t i = 0; i < n; i++)
			out[i] = (out[i] - 127.5f) / 127.5f;
}

static const struct tfr_resize_kernel plain = {
	.name = "plain",
	.usable = always,
	.horizontal = horizontal,
	.vertical = vertical,
};

const struct tfr_resize_kernel *const tfr_resize_kernels[] = {
#ifdef __x86_64__
	&tfr_resize_avx512,
	&tfr_resize_avx2,
#endif
	&plain,
	NULL,
};
