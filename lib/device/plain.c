/* device/plain.c - each operation rounds to float32: no multiplication by a reciprocal, no fused
 * operations. */
#include "device/plain.h"

/* Runs of values that are a multiple of the channels and fill vectors. */
enum { RUN = 48 };

void tfr_device_normalise_plain(const struct tfr_normalise_job *what)
{
	const uint8_t *restrict from = what->from;
	float *restrict to = what->to;
	float mean[RUN], std[RUN];
	size_t at = 0;

	for (unsigned i = 0; i < RUN; i++) {
		mean[i] = what->mean[i % what->channels];
		std[i] = what->std[i % what->channels];
	}
	for (; at + RUN <= what->count; at += RUN)
		for (unsigned i = 0; i < RUN; i++)
			to[at + i] = ((float)from[at + i] - mean[i]) / std[i];
	for (unsigned i = 0; at < what->count; at++, i++)
		to[at] = ((float)from[at] - mean[i]) / std[i];
}
