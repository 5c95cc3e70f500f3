/* media/pixels/normalise.c - (x - mean) / std, with given numbers or with those of the image.
 *
 * Sums of 8-bit samples are integers, so they do not depend on their order.  Sums of floats are
 * made in double, in an order that all kernels keep. */
#include <math.h>

#include "base/error.h"
#include "media/pixels/kernels.h"
#include "media/pixels/pixels.h"

struct pattern {
	float mean[2 * TFR_PATTERN], std[2 * TFR_PATTERN];
};

static void fill_pattern(struct pattern *p, unsigned channels, const float *mean, const float *std)
{
	for (unsigned i = 0; i < 2 * TFR_PATTERN; i++) {
		p->mean[i] = mean[i % channels];
		p->std[i] = std[i % channels];
	}
}

/* Rows without gaps in both images are one long row. */
static void normalise(const struct tfr_pixel_kernel *kernel, const struct tfr_pixels *in,
	const struct pattern *p, const struct tfr_pixels *out, bool stream)
{
	struct tfr_rows rows = tfr_rows_of(in, tfr_pixels_row_bytes(out) == out->stride);

	for (uint32_t y = 0; y < rows.count; y++) {
		const void *from = tfr_pixels_row(in, y);
		float *to = (float *)(void *)tfr_pixels_row(out, y);

		if (in->dtype == TFR_UINT8)
			kernel->normalise_u8(from, to, rows.samples, p->mean, p->std, stream);
		else
			kernel->normalise_f32(from, to, rows.samples, p->mean, p->std, stream);
	}
	kernel->finish();
}

enum tfr_status tfr_pixels_normalise(const struct tfr_pixels *in, const float *mean,
	const float *std, const struct tfr_pixels *out, unsigned flags, struct tfr_error *err)
{
	struct pattern p;

	TFR_TRY(tfr_pixels_expect(in, out, in->width, in->height, TFR_FLOAT32, "normalise", err));
	for (unsigned c = 0; c < in->channels; c++)
		if (!isfinite(mean[c]) || !isfinite(std[c]) || std[c] == 0)
			return tfr_fail(err, TFR_EUSAGE,
				"cannot normalise by a mean of %g and a standard deviation of %g",
				(double)mean[c], (double)std[c]);
	fill_pattern(&p, in->channels, mean, std);
	normalise(tfr_pixel_kernel(flags), in, &p, out, flags & TFR_RESIZE_STREAM);
	return TFR_OK;
}

struct moments {
	double mean, deviation;
};

static struct moments moments_u8(
	const struct tfr_pixel_kernel *kernel, const struct tfr_pixels *in, size_t n)
{
	struct tfr_rows rows = tfr_rows_of(in, true);
	uint64_t sum = 0, squares = 0;

	for (uint32_t y = 0; y < rows.count; y++)
		kernel->sums_u8(tfr_pixels_row(in, y), rows.samples, &sum, &squares);
	return (struct moments){
		.mean = (double)sum / (double)n,
		.deviation = sqrt((double)((unsigned __int128)squares * n -
					   (unsigned __int128)sum * sum)) /
			     (double)n,
	};
}

static double total_of_sums(const double sums[TFR_SUMS])
{
	double sum = 0;

	for (int i = 0; i < TFR_SUMS; i++)
		sum += sums[i];
	return sum;
}

static struct moments moments_f32(
	const struct tfr_pixel_kernel *kernel, const struct tfr_pixels *in, size_t n)
{
	double sums[TFR_SUMS] = { 0 }, squares[TFR_SUMS] = { 0 };
	size_t samples = (size_t)in->width * in->channels;
	struct moments m;

	for (uint32_t y = 0; y < in->height; y++)
		kernel->sums_f32((const void *)tfr_pixels_row(in, y), samples, sums);
	m.mean = total_of_sums(sums) / (double)n;
	for (uint32_t y = 0; y < in->height; y++)
		kernel->squares_f32((const void *)tfr_pixels_row(in, y), samples, m.mean, squares);
	m.deviation = sqrt(total_of_sums(squares) / (double)n);
	return m;
}

enum tfr_status tfr_pixels_standardise(const struct tfr_pixels *in, const struct tfr_pixels *out,
	unsigned flags, struct tfr_error *err)
{
	const struct tfr_pixel_kernel *kernel = tfr_pixel_kernel(flags);
	size_t n = (size_t)in->width * in->height * in->channels;
	float mean, least = (float)(1 / sqrt((double)n)), std;
	struct pattern p;
	struct moments m;

	TFR_TRY(tfr_pixels_expect(in, out, in->width, in->height, TFR_FLOAT32, "standardise", err));
	m = in->dtype == TFR_UINT8 ? moments_u8(kernel, in, n) : moments_f32(kernel, in, n);
	mean = (float)m.mean;
	std = (float)m.deviation;
	std = std < least ? least : std;
	fill_pattern(&p, 1, &mean, &std);
	normalise(kernel, in, &p, out, flags & TFR_RESIZE_STREAM);
	return TFR_OK;
}
