/* media/resize/axis.c - the weights of one axis, as in Pillow's Image.resize() (its
 * src/libImaging/Resample.c), to the bit.
 *
 * Weights are computed in double, divided by their sum, and rounded to 22 bits after the point,
 * halves away from zero.  When an image shrinks, the filter is stretched by the same factor, so
 * that every pixel counts: "antialiased" means that.  When it grows, the filter keeps its size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "media/resize/scale.h"

static double box(double x)
{
	return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
}

static double triangle(double x)
{
	x = fabs(x);
	return x < 1.0 ? 1.0 - x : 0.0;
}

/* Keys' cubic with a = -0.5. */
static double cubic(double x)
{
	const double a = -0.5;

	x = fabs(x);
	if (x < 1.0)
		return ((a + 2.0) * x - (a + 3.0)) * x * x + 1;
	if (x < 2.0)
		return (((x - 5) * x + 8) * x - 4) * a;
	return 0.0;
}

static double sinc(double x)
{
	if (x == 0.0)
		return 1.0;
	x *= M_PI;
	return sin(x) / x;
}

static double lanczos(double x)
{
	return -3.0 <= x && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0;
}

static const struct {
	double (*weight)(double x);
	double support; /* weights outside it are 0 */
} kernels[] = {
	[TFR_FILTER_TRIANGLE] = { triangle, 1.0 },
	[TFR_FILTER_AREA] = { box, 0.5 },
	[TFR_FILTER_CUBIC] = { cubic, 2.0 },
	[TFR_FILTER_LANCZOS] = { lanczos, 3.0 },
};

void tfr_axis_clear(struct tfr_axis *axis)
{
	free(axis->first);
	free(axis->count);
	free(axis->weight);
	free(axis->high);
	free(axis->low);
	*axis = (struct tfr_axis){ 0 };
}

/* Computes the weights of one pixel; returns their number, and the first pixel in *first. */
static uint32_t weigh(const struct tfr_axis *axis, uint32_t i, double *weights, uint32_t *first)
{
	double scale = (double)axis->in / axis->out, stretch = scale < 1.0 ? 1.0 : scale;
	double support = kernels[axis->filter].support * stretch;
	double centre = (i + 0.5) * scale, sum = 0.0;
	/* Towards zero, as casting a negative number does. */
	double low = trunc(centre - support + 0.5), high = trunc(centre + support + 0.5);
	uint32_t end = high < axis->in ? (uint32_t)high : axis->in;
	uint32_t n;

	*first = low < 0 ? 0 : (uint32_t)low;
	n = end - *first;
	for (uint32_t x = 0; x < n; x++) {
		weights[x] =
			kernels[axis->filter].weight((x + *first - centre + 0.5) * (1.0 / stretch));
		sum += weights[x];
	}
	for (uint32_t x = 0; x < n && sum != 0.0; x++)
		weights[x] /= sum;
	return n;
}

static int32_t to_integer(double weight)
{
	return (int32_t)(weight * (1 << TFR_SCALE_BITS) + (weight < 0 ? -0.5 : 0.5));
}

static void fill(struct tfr_axis *axis, double *weights)
{
	for (uint32_t i = 0; i < axis->out; i++) {
		size_t at = i * axis->stride;
		uint32_t n = weigh(axis, i, weights, &axis->first[i]);

		axis->count[i] = n;
		for (uint32_t x = 0; x < n; x++) {
			int32_t w = to_integer(weights[x]);

			axis->weight[at + x] = w;
			axis->high[at + x] = (int16_t)(w >> 12);
			axis->low[at + x] = (int16_t)(w & 4095);
		}
	}
}

bool tfr_axis_set(struct tfr_axis *axis, uint32_t in, uint32_t out, enum tfr_filter filter)
{
	double scale = (double)in / out;
	TFR_AUTO_FREE double *weights = NULL;
	size_t most, n;

	if (axis->in == in && axis->out == out && axis->filter == filter && axis->weight)
		return true;
	tfr_axis_clear(axis);
	most = (size_t)ceil(kernels[filter].support * (scale < 1.0 ? 1.0 : scale)) * 2 + 1;
	axis->stride = (most + 3) / 4 * 4;
	n = axis->stride * out;
	axis->first = malloc(out * sizeof(*axis->first));
	axis->count = malloc(out * sizeof(*axis->count));
	axis->weight = calloc(n, sizeof(*axis->weight));
	axis->high = calloc(n, sizeof(*axis->high));
	axis->low = calloc(n, sizeof(*axis->low));
	weights = malloc(axis->stride * sizeof(*weights));
	if (!axis->first || !axis->count || !axis->weight || !axis->high || !axis->low ||
		!weights) {
		tfr_axis_clear(axis);
		return false;
	}
	axis->in = in;
	axis->out = out;
	axis->filter = filter;
	fill(axis, weights);
	return true;
}
