/* media/pixels/quad.h - the samples of a pixel, four at once, in the vector extensions of gcc and
 * clang.
 *
 * For a pixel of fewer channels, samples of its neighbour are loaded, computed and discarded.  So a
 * load needs four samples in memory, and bytes after a stored pixel must be written after it.  Each
 * lane is computed as a single float would be. */
#ifndef TFR_MEDIA_PIXELS_QUAD_H
#define TFR_MEDIA_PIXELS_QUAD_H

#include <stdint.h>
#include <string.h>

typedef float tfr_quad __attribute__((vector_size(16)));
typedef int32_t tfr_quad_ints __attribute__((vector_size(16)));

static inline tfr_quad tfr_quad_f32(const float *p)
{
	tfr_quad v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Interleaving with zeros twice converts each byte to 32 bits if the lower byte comes first; in
 * this form it compiles to two instructions. */
static inline tfr_quad tfr_quad_u8(const uint8_t *p)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	typedef uint8_t bytes __attribute__((vector_size(16)));
	typedef uint16_t words __attribute__((vector_size(16)));
	int32_t all;
	bytes b;
	words w;

	memcpy(&all, p, sizeof(all));
#ifdef __clang__
	b = __builtin_shufflevector((bytes)(tfr_quad_ints){ all }, (bytes){ 0 }, 0, 16, 1, 17, 2,
		18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
	w = __builtin_shufflevector((words)b, (words){ 0 }, 0, 8, 1, 9, 2, 10, 3, 11);
#else /* gcc has the other one since version 12 */
	b = __builtin_shuffle((bytes)(tfr_quad_ints){ all }, (bytes){ 0 },
		(bytes){ 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23 });
	w = __builtin_shuffle((words)b, (words){ 0 }, (words){ 0, 8, 1, 9, 2, 10, 3, 11 });
#endif
	return __builtin_convertvector((tfr_quad_ints)w, tfr_quad);
#else
	return (tfr_quad){ p[0], p[1], p[2], p[3] };
#endif
}

/* Rounds numbers of at most 2^22 to the nearest, halves to even: a sum with 1.5 * 2^23 has no bits
 * after the point. */
static inline tfr_quad_ints tfr_quad_round(tfr_quad v)
{
	const float places = 12582912;

	return __builtin_convertvector(v + places - places, tfr_quad_ints);
}

/* tfr_to_u8() of each. */
static inline tfr_quad_ints tfr_quad_to_u8(tfr_quad v)
{
	const tfr_quad most = { 255, 255, 255, 255 };
	tfr_quad_ints below = v < most;

	v = (tfr_quad)(((tfr_quad_ints)v & below) | ((tfr_quad_ints)most & (v >= most)));
	return tfr_quad_round((tfr_quad)((tfr_quad_ints)v & (v > 0)));
}

static inline void tfr_quad_store(float *p, tfr_quad v)
{
	memcpy(p, &v, sizeof(v));
}

#endif
