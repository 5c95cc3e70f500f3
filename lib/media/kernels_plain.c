/* media/kernels_plain.c - the inner loops in plain C, the meaning of the others, and the list of
 * them all. */
#include <string.h>

#include "media/kernels.h"

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

static const struct tfr_pixel_kernel plain = {
	.name = "plain",
	.usable = always,
	.mirror = mirror,
};

const struct tfr_pixel_kernel *const tfr_pixel_kernels[] = {
	&plain,
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
