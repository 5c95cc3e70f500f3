/* media/quad.h - the samples of a pixel, four at once, in C as gcc and clang extend it.
 *
 * A pixel of fewer channels drags samples of its neighbour along, which are computed and thrown
 * away: so whoever loads must know that four samples lie there, and whoever stores that what lies
 * behind the pixel is written after it.  Each lane is computed as a single float would be. */
#ifndef TFR_MEDIA_QUAD_H
#define TFR_MEDIA_QUAD_H

#include <stdint.h>
#include <string.h>

typedef float tfr_quad __attribute__((vector_size(16)));

static inline tfr_quad tfr_quad_f32(const float *p)
{
	tfr_quad v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline tfr_quad tfr_quad_u8(const uint8_t *p)
{
	typedef uint8_t bytes __attribute__((vector_size(4)));
	bytes v;

	memcpy(&v, p, sizeof(v));
	return __builtin_convertvector(v, tfr_quad);
}

static inline void tfr_quad_store(float *p, tfr_quad v)
{
	memcpy(p, &v, sizeof(v));
}

#endif
