/* select/draws.c - computes random numbers from 0 to 1 in batches, so that the rounds of many
 * draws overlap in the processor, and looks them up in the cumulative weights. */
#include "select/draws.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* tensorflow/core/kernels/stateless_random_ops.cc: the key that scrambles seeds. */
static const uint32_t scramble[2] = { 0x3ec8f720, 0x02461e29 };

enum tfr_status tfr_draws_init(
	struct draws *d, const double *weights, size_t count, uint64_t seed, struct tfr_error *err)
{
	*d = (struct draws){ .ends = calloc(count, sizeof(*d->ends)), .count = count };
	TFR_NEED_MEMORY(d->ends, err, "mixing sets");
	tfr_rng_init_op(&d->seeds, seed);
	d->used = DRAWS_AHEAD;
	tfr_draws_set(d, weights);
	return TFR_OK;
}

void tfr_draws_clear(struct draws *d)
{
	free(d->ends);
	d->ends = NULL;
}

/* By logarithms, as in TensorFlow, so that every bit of a limit is the same. */
void tfr_draws_set(struct draws *d, const double *weights)
{
	float most = -INFINITY;
	double end = 0;

	for (size_t i = 0; i < d->count; i++)
		if (weights[i] > 0)
			most = fmaxf(most, logf((float)weights[i]));
	for (size_t i = 0; i < d->count; i++) {
		if (weights[i] > 0)
			end += exp((double)logf((float)weights[i]) - (double)most);
		d->ends[i] = end;
	}
}

/* What RandDouble() of tensorflow/core/lib/random makes of two numbers: 52 bits. */
static double unit_double(uint32_t high, uint32_t low)
{
	uint64_t bits = (uint64_t)1023 << 52 | (uint64_t)(high & 0xfffff) << 32 | low;
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number - 1;
}

static void draw_ahead(struct draws *d)
{
	uint32_t seeds[2 * DRAWS_AHEAD];

	for (size_t i = 0; i < 2 * DRAWS_AHEAD; i++)
		seeds[i] = tfr_rng_u32(&d->seeds);
	for (size_t i = 0; i < DRAWS_AHEAD; i++) {
		uint32_t mixed[4], out[4];

		tfr_philox(scramble, (uint32_t[4]){ seeds[2 * i], 0, seeds[2 * i + 1], 0 }, mixed);
		tfr_philox(mixed, (uint32_t[4]){ 0, 0, mixed[2], mixed[3] }, out);
		d->ahead[i] = unit_double(out[0], out[1]);
	}
	d->used = 0;
}

/* The first place whose end is past the point. */
size_t tfr_draws_next(struct draws *d)
{
	size_t low = 0, n = d->count;
	double point;

	if (d->used == DRAWS_AHEAD)
		draw_ahead(d);
	point = d->ahead[d->used++] * d->ends[d->count - 1];
	while (n) {
		size_t half = n / 2;

		if (d->ends[low + half] > point) {
			n = half;
		} else {
			low += half + 1;
			n -= half + 1;
		}
	}
	assert(low < d->count);
	return low;
}
