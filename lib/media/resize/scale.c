/* media/resize/scale.c - resizes 8-bit images to 8-bit images.
 *
 * A filter with many weights processes one axis and then the other, rounding to 8 bits in between.
 * The result depends on which axis comes first; columns_first() decides as Pillow does.  Only the
 * rows that the second pass reads are made.  The two filters of TensorFlow, with at most four
 * weights, have their own code.
 *
 * The weights of an axis are those of Pillow's Image.resize() (its src/libImaging/Resample.c), to
 * the bit: computed in double, divided by their sum, and rounded to 22 bits after the point, halves
 * away from zero.  When an image shrinks, the filter is stretched by the same factor, so that every
 * pixel counts: "antialiased" means that.  When it grows, the filter keeps its size. */
#include "media/resize/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "media/formats/image_codec.h"

#define MAX_SIZE (1u << 24)

/* --- the weights of an axis --- */

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

static void clear_axis(struct tfr_axis *axis)
{
	free(axis->first);
	free(axis->count);
	free(axis->weight);
	free(axis->high);
	free(axis->low);
	*axis = (struct tfr_axis){ 0 };
}

/* Computes the weights of one pixel; returns their number, and the first pixel in *first. */
static uint32_t weigh_pixel(
	const struct tfr_axis *axis, uint32_t i, double *weights, uint32_t *first)
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

static void fill_weights(struct tfr_axis *axis, double *weights)
{
	for (uint32_t i = 0; i < axis->out; i++) {
		size_t at = i * axis->stride;
		uint32_t n = weigh_pixel(axis, i, weights, &axis->first[i]);

		axis->count[i] = n;
		for (uint32_t x = 0; x < n; x++) {
			int32_t w = to_integer(weights[x]);

			axis->weight[at + x] = w;
			axis->high[at + x] = (int16_t)(w >> 12);
			axis->low[at + x] = (int16_t)(w & 4095);
		}
	}
}

/* False: out of memory.  `axis` is reused if it fits already. */
static bool set_axis(struct tfr_axis *axis, uint32_t in, uint32_t out, enum tfr_filter filter)
{
	double scale = (double)in / out;
	TFR_AUTO_FREE double *weights = NULL;
	size_t most, n;

	if (axis->in == in && axis->out == out && axis->filter == filter && axis->weight)
		return true;
	clear_axis(axis);
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
		clear_axis(axis);
		return false;
	}
	axis->in = in;
	axis->out = out;
	axis->filter = filter;
	fill_weights(axis, weights);
	return true;
}

/* --- the scaler --- */

struct tfr_scaler {
	struct tfr_axis x, y;
	struct tfr_buf middle; /* after the first pass */
	struct tfr_buf pixels; /* the result */
	struct tfr_buf floats; /* for TensorFlow's bilinear filter */
	struct tfr_resizer *resizer;
};

static const char *const names[] = {
	[TFR_FILTER_TRIANGLE] = "triangle",
	[TFR_FILTER_AREA] = "area",
	[TFR_FILTER_CUBIC] = "cubic",
	[TFR_FILTER_LANCZOS] = "lanczos",
	[TFR_FILTER_BILINEAR] = "bilinear",
	[TFR_FILTER_NEAREST] = "nearest",
};

bool tfr_filter_parse(const char *name, enum tfr_filter *filter)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name)) {
			*filter = (enum tfr_filter)i;
			return true;
		}
	return false;
}

struct tfr_scaler *tfr_scaler_new(void)
{
	return calloc(1, sizeof(struct tfr_scaler));
}

void tfr_scaler_free(struct tfr_scaler *s)
{
	if (!s)
		return;
	clear_axis(&s->x);
	clear_axis(&s->y);
	tfr_buf_clear(&s->middle);
	tfr_buf_clear(&s->pixels);
	tfr_buf_clear(&s->floats);
	tfr_resizer_free(s->resizer);
	free(s);
}

/* --- the plain kernel --- */

static bool always(void)
{
	return true;
}

static void across(const struct tfr_axis *axis, unsigned channels, const uint8_t *row,
	const uint8_t *row_end, uint8_t *out)
{
	(void)row_end;
	for (uint32_t i = 0; i < axis->out; i++) {
		const int32_t *weight = axis->weight + i * axis->stride;
		const uint8_t *from = row + (size_t)axis->first[i] * channels;

		for (unsigned c = 0; c < channels; c++) {
			int32_t sum = 1 << (TFR_SCALE_BITS - 1);

			for (uint32_t k = 0; k < axis->count[i]; k++)
				sum += from[k * channels + c] * weight[k];
			*out++ = tfr_scale_clip(sum);
		}
	}
}

static void down(const struct tfr_axis *axis, uint32_t y, const uint8_t *rows, size_t stride,
	size_t n, uint8_t *out)
{
	const int32_t *weight = axis->weight + y * axis->stride;

	rows += axis->first[y] * stride;
	for (size_t i = 0; i < n; i++) {
		int32_t sum = 1 << (TFR_SCALE_BITS - 1);

		for (uint32_t k = 0; k < axis->count[y]; k++)
			sum += rows[k * stride + i] * weight[k];
		out[i] = tfr_scale_clip(sum);
	}
}

const struct tfr_scale_kernel tfr_scale_plain = { always, across, down };

static const struct tfr_scale_kernel *choose_kernel(unsigned flags)
{
#ifdef __x86_64__
	if (!(flags & TFR_RESIZE_PLAIN) && tfr_scale_avx2.usable())
		return &tfr_scale_avx2;
#endif
	(void)flags;
	return &tfr_scale_plain;
}

/* --- filters over many pixels --- */

/* Whether Pillow 13 computes the columns first: if the height shrinks by more than twice as many
 * pixels as the width.  Measured on Pillow 13.0.0; rounding in between makes the order visible. */
static bool columns_first(const struct tfr_image *image, uint32_t width, uint32_t height)
{
	int64_t rows = (int64_t)image->height - height, columns = (int64_t)image->width - width;

	return rows > 0 && rows > 2 * columns;
}

/* Computes rows first … first + count - 1 of `image`, each `s->x.out` pixels wide, at `out`. */
static void scale_rows(const struct tfr_scaler *s, const struct tfr_scale_kernel *kernel,
	const struct tfr_image *image, uint32_t first, uint32_t count, uint8_t *out)
{
	size_t bytes = (size_t)image->width * image->channels;
	const uint8_t *end = image->data + (image->height - 1) * image->stride + bytes;

	for (uint32_t y = 0; y < count; y++, out += (size_t)s->x.out * image->channels)
		kernel->across(&s->x, image->channels, image->data + (first + y) * image->stride,
			end, out);
}

/* Computes all rows of s->y, each of `n` samples, at `out`; rows[0] is row 0 of the source. */
static void scale_columns(const struct tfr_scaler *s, const struct tfr_scale_kernel *kernel,
	const uint8_t *rows, size_t stride, size_t n, uint8_t *out)
{
	for (uint32_t y = 0; y < s->y.out; y++)
		kernel->down(&s->y, y, rows, stride, n, out + y * n);
}

/* Both axes, through s->middle. */
static bool scale_both(
	struct tfr_scaler *s, const struct tfr_scale_kernel *kernel, const struct tfr_image *image)
{
	uint32_t width = s->x.out, height = s->y.out, first = s->y.first[0];
	uint32_t count = s->y.first[height - 1] + s->y.count[height - 1] - first;
	size_t n = (size_t)width * image->channels, full = (size_t)image->width * image->channels;
	struct tfr_image middle = *image;

	if (columns_first(image, width, height)) {
		middle = (struct tfr_image){ tfr_pixels(&s->middle, full * height), full,
			image->width, height, image->channels };
		if (!middle.data)
			return false;
		scale_columns(s, kernel, image->data, image->stride, full, s->middle.data);
		scale_rows(s, kernel, &middle, 0, height, s->pixels.data);
		return true;
	}
	/* Only the rows that the second pass reads. */
	if (!tfr_pixels(&s->middle, n * count))
		return false;
	scale_rows(s, kernel, image, first, count, s->middle.data);
	scale_columns(s, kernel, s->middle.data - first * n, n, n, s->pixels.data);
	return true;
}

/* An axis that keeps its size is not filtered: a cubic at scale 1 has one weight per pixel. */
static bool scale(struct tfr_scaler *s, const struct tfr_image *image, uint32_t width,
	uint32_t height, enum tfr_filter filter, unsigned flags)
{
	const struct tfr_scale_kernel *kernel = choose_kernel(flags);
	size_t n = (size_t)width * image->channels;

	if ((width != image->width && !set_axis(&s->x, image->width, width, filter)) ||
		(height != image->height && !set_axis(&s->y, image->height, height, filter)))
		return false;
	if (width != image->width && height != image->height)
		return scale_both(s, kernel, image);
	if (width != image->width)
		scale_rows(s, kernel, image, 0, height, s->pixels.data);
	else if (height != image->height)
		scale_columns(s, kernel, image->data, image->stride, n, s->pixels.data);
	else
		for (uint32_t y = 0; y < height; y++)
			memcpy(s->pixels.data + y * n, image->data + y * image->stride, n);
	return true;
}

/* --- TensorFlow's --- */

static bool bilinear(struct tfr_scaler *s, const struct tfr_image *image, uint32_t width,
	uint32_t height, unsigned flags)
{
	size_t n = (size_t)width * height * image->channels;
	float *floats = (float *)(void *)tfr_pixels(&s->floats, n * sizeof(float));

	if (!s->resizer)
		s->resizer = tfr_resizer_new();
	if (!s->resizer || !floats ||
		tfr_resize_bilinear(
			s->resizer, image, width, height, flags & TFR_RESIZE_PLAIN, floats, NULL))
		return false;
	for (size_t i = 0; i < n; i++)
		s->pixels.data[i] = (uint8_t)rintf(floats[i]);
	return true;
}

static bool nearest(
	struct tfr_scaler *s, const struct tfr_image *image, uint32_t width, uint32_t height)
{
	float fx = (float)image->width / (float)width, fy = (float)image->height / (float)height;
	uint8_t *out = s->pixels.data;
	unsigned c = image->channels;

	for (uint32_t y = 0; y < height; y++) {
		const uint8_t *row =
			image->data + tfr_nearest_of(y, fy, image->height) * image->stride;

		for (uint32_t x = 0; x < width; x++, out += c)
			memcpy(out, row + (size_t)tfr_nearest_of(x, fx, image->width) * c, c);
	}
	return true;
}

enum tfr_status tfr_scale(struct tfr_scaler *s, const struct tfr_image *image, uint32_t width,
	uint32_t height, enum tfr_filter filter, unsigned flags, struct tfr_image *scaled,
	struct tfr_error *err)
{
	uint64_t n = (uint64_t)width * height;
	bool good;

	if (!width || !height || !image->width || !image->height || image->channels < 1 ||
		image->channels > 4 || (width | height | image->width | image->height) > MAX_SIZE)
		return tfr_fail(err, TFR_EUSAGE, "cannot resize %u x %u x %u to %u x %u",
			image->width, image->height, image->channels, width, height);
	good = n <= SIZE_MAX / 16 && tfr_pixels(&s->pixels, (size_t)n * image->channels);
	if (good && filter == TFR_FILTER_BILINEAR)
		good = bilinear(s, image, width, height, flags);
	else if (good && filter == TFR_FILTER_NEAREST)
		good = nearest(s, image, width, height);
	else if (good)
		good = scale(s, image, width, height, filter, flags);
	TFR_NEED_MEMORY(good, err, "resizing an image");
	*scaled = (struct tfr_image){
		.data = s->pixels.data,
		.stride = (size_t)width * image->channels,
		.width = width,
		.height = height,
		.channels = image->channels,
	};
	return TFR_OK;
}
