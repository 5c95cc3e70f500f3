#include "unit/pipeline/naive.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static float *new_values(const struct naive *n)
{
	float *v = calloc((size_t)n->width * n->height * n->channels, sizeof(*v));

	cr_assert_not_null(v);
	return v;
}

static float *at(const struct naive *n, uint32_t x, uint32_t y)
{
	return n->v + ((size_t)y * n->width + x) * n->channels;
}

/* One of another size. */
static struct naive sized(const struct naive *n, uint32_t width, uint32_t height)
{
	struct naive to = *n;

	to.width = width;
	to.height = height;
	to.v = new_values(&to);
	return to;
}

static void copy_pixel(const struct naive *from, uint32_t x, uint32_t y, const struct naive *to,
	uint32_t to_x, uint32_t to_y)
{
	memcpy(at(to, to_x, to_y), at(from, x, y), from->channels * sizeof(float));
}

static void become(struct naive *n, struct naive to)
{
	free(n->v);
	*n = to;
}

/* ---- pixels moved ---- */

static void crop(struct naive *n, const struct tfr_crop *w)
{
	struct naive to = sized(n, w->width, w->height);

	for (uint32_t y = 0; y < w->height; y++)
		for (uint32_t x = 0; x < w->width; x++)
			copy_pixel(n, w->x + x, w->y + y, &to, x, y);
	become(n, to);
}

static void turn(struct naive *n, bool across)
{
	struct naive to = sized(n, n->width, n->height);

	for (uint32_t y = 0; y < n->height; y++)
		for (uint32_t x = 0; x < n->width; x++)
			copy_pixel(n, x, y, &to, across ? n->width - 1 - x : x,
				across ? y : n->height - 1 - y);
	become(n, to);
}

static uint32_t reflected(int64_t i, uint32_t size)
{
	i = i < 0 ? -i : i;
	return (uint32_t)(i >= size ? 2 * (int64_t)size - 2 - i : i);
}

static void reflect(struct naive *n, uint32_t by)
{
	struct naive to = sized(n, n->width + 2 * by, n->height + 2 * by);

	for (uint32_t y = 0; y < to.height; y++)
		for (uint32_t x = 0; x < to.width; x++)
			copy_pixel(n, reflected((int64_t)x - by, n->width),
				reflected((int64_t)y - by, n->height), &to, x, y);
	become(n, to);
}

/* Of an axis: where the source begins in the result, halved downwards whichever is larger. */
static int64_t pad_offset(uint32_t from, uint32_t to)
{
	return to >= from ? (to - from) / 2 : -(int64_t)((from - to) / 2);
}

static void pad(struct naive *n, uint32_t width, uint32_t height)
{
	struct naive to = sized(n, width, height);
	int64_t left = pad_offset(n->width, width), top = pad_offset(n->height, height);

	for (uint32_t y = 0; y < n->height; y++)
		for (uint32_t x = 0; x < n->width; x++)
			if (x + left >= 0 && x + left < width && y + top >= 0 && y + top < height)
				copy_pixel(n, x, y, &to, (uint32_t)(x + left), (uint32_t)(y + top));
	become(n, to);
}

static void cutout(struct naive *n, const struct tfr_crop *w)
{
	for (uint32_t y = w->y; y < w->y + w->height; y++)
		for (uint32_t x = w->x; x < w->x + w->width; x++)
			memset(at(n, x, y), 0, n->channels * sizeof(float));
}

/* ---- by the functions that room media has, and has tests for ---- */

/* The image as room media sees it; its memory is to be freed. */
static struct tfr_pixels pixels_of(const struct naive *n)
{
	size_t count = (size_t)n->width * n->height * n->channels;
	void *data = malloc(count * sizeof(float));

	if (n->dtype == TFR_UINT8)
		for (size_t i = 0; i < count; i++)
			((uint8_t *)data)[i] = (uint8_t)n->v[i];
	else
		memcpy(data, n->v, count * sizeof(float));
	return tfr_pixels_dense(data, n->width, n->height, n->channels,
		n->dtype == TFR_UINT8 ? TFR_UINT8 : TFR_FLOAT32);
}

static void take_pixels(struct naive *n, struct tfr_pixels *px)
{
	struct naive to = sized(n, px->width, px->height);
	size_t count = (size_t)px->width * px->height * px->channels;

	to.dtype = px->dtype;
	for (size_t i = 0; i < count; i++)
		to.v[i] =
			px->dtype == TFR_UINT8 ? ((uint8_t *)px->data)[i] : ((float *)px->data)[i];
	become(n, to);
	free(px->data);
}

static struct tfr_pixels room_for(
	const struct tfr_pixels *px, uint32_t width, uint32_t height, enum tfr_dtype dtype)
{
	void *data = malloc((size_t)width * height * px->channels * sizeof(float));

	return tfr_pixels_dense(data, width, height, px->channels, dtype);
}

static void area(struct naive *n, uint32_t width, uint32_t height)
{
	struct tfr_pixels in = pixels_of(n), out = room_for(&in, width, height, TFR_FLOAT32);
	struct tfr_resizer *r = tfr_resizer_new();

	cr_assert_eq(tfr_pixels_resize_area(r, &in, &out, NULL), TFR_OK);
	tfr_resizer_free(r);
	free(in.data);
	take_pixels(n, &out);
}

static void rotate(struct naive *n, double degrees)
{
	struct tfr_pixels in = pixels_of(n), out = room_for(&in, n->width, n->height, in.dtype);

	cr_assert_eq(tfr_pixels_rotate(&in, degrees,
			     n->mask ? TFR_FILTER_NEAREST : TFR_FILTER_BILINEAR, NULL, &out, NULL),
		TFR_OK);
	free(in.data);
	take_pixels(n, &out);
}

static void standardise(struct naive *n)
{
	struct tfr_pixels in = pixels_of(n), out = room_for(&in, n->width, n->height, TFR_FLOAT32);

	cr_assert_eq(tfr_pixels_standardise(&in, &out, TFR_RESIZE_PLAIN, NULL), TFR_OK);
	free(in.data);
	take_pixels(n, &out);
}

/* ---- numbers computed ---- */

static void neighbours(
	uint32_t i, uint32_t in, uint32_t out, uint32_t *low, uint32_t *high, float *weight)
{
	float src = ((float)i + 0.5f) * ((float)in / (float)out) - 0.5f;

	*low = floorf(src) > 0 ? (uint32_t)floorf(src) : 0;
	*high = ceilf(src) > 0 ? (uint32_t)ceilf(src) : 0;
	*high = *high < in - 1 ? *high : in - 1;
	*low = *low < in - 1 ? *low : in - 1;
	*weight = src - floorf(src);
}

static void bilinear(struct naive *n, uint32_t width, uint32_t height)
{
	struct naive to = sized(n, width, height);

	to.dtype = TFR_FLOAT32;
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++) {
			uint32_t x0, x1, y0, y1;
			float wx, wy;

			neighbours(x, n->width, width, &x0, &x1, &wx);
			neighbours(y, n->height, height, &y0, &y1, &wy);
			for (unsigned c = 0; c < n->channels; c++) {
				float a = at(n, x0, y0)[c], b = at(n, x1, y0)[c];
				float d = at(n, x0, y1)[c], e = at(n, x1, y1)[c];
				float top = a + (b - a) * wx, bottom = d + (e - d) * wx;

				at(&to, x, y)[c] = top + (bottom - top) * wy;
			}
		}
	become(n, to);
}

static uint32_t nearest_of(uint32_t i, uint32_t in, uint32_t out)
{
	float src = floorf(((float)i + 0.5f) * ((float)in / (float)out));

	return src < (float)(in - 1) ? (uint32_t)src : in - 1;
}

static void resize(struct naive *n, uint32_t width, uint32_t height, bool by_area)
{
	struct naive to;

	if (!n->mask && by_area) {
		area(n, width, height);
		return;
	}
	if (!n->mask) {
		bilinear(n, width, height);
		return;
	}
	to = sized(n, width, height);
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			copy_pixel(n, nearest_of(x, n->width, width),
				nearest_of(y, n->height, height), &to, x, y);
	become(n, to);
}

static void normalise(struct naive *n, const struct tfr_stage *st)
{
	for (size_t i = 0; i < (size_t)n->width * n->height * n->channels; i++) {
		size_t c = st->channels == 3 ? i % n->channels : 0;

		if (st->channels)
			n->v[i] = (n->v[i] / 255.0f - st->mean[c]) / st->std[c];
		else
			n->v[i] = (n->v[i] - 127.5f) / 127.5f;
	}
	n->dtype = TFR_FLOAT32;
}

static void cast(struct naive *n, enum tfr_dtype dtype)
{
	for (size_t i = 0; dtype == TFR_UINT8 && i < (size_t)n->width * n->height * n->channels;
		i++) {
		float v = rintf(n->v[i]);

		n->v[i] = v > 0 ? v < 255 ? v : 255 : 0;
	}
	n->dtype = dtype;
}

/* ---- stages ---- */

void naive_free(struct naive_stream *s)
{
	for (unsigned i = 0; i < s->count; i++) {
		free(s->at[i].image.v);
		free(s->at[i].mask.v);
	}
	free(s->at);
	*s = (struct naive_stream){ 0 };
}

static struct naive from_image(const struct tfr_image *image, bool mask)
{
	struct naive n = { .width = image->width,
		.height = image->height,
		.channels = image->channels,
		.dtype = TFR_UINT8,
		.mask = mask };

	n.v = new_values(&n);
	for (uint32_t y = 0; y < n.height; y++)
		for (uint32_t i = 0; i < n.width * n.channels; i++)
			n.v[y * n.width * n.channels + i] = image->data[y * image->stride + i];
	return n;
}

struct naive_stream naive_decode(const struct tfr_image_input *in, bool masks)
{
	struct naive_stream s = { .at = calloc(1, sizeof(*s.at)), .count = 1 };
	struct tfr_decoder *d = tfr_decoder_new(NULL);
	struct tfr_image image;

	cr_assert_eq(tfr_decode(d, in->encoded, in->encoded_size, NULL, 3, &image, NULL), TFR_OK);
	s.at[0].image = from_image(&image, false);
	if (masks) {
		cr_assert_eq(tfr_decode_numbers(
				     d, in->mask_encoded, in->mask_encoded_size, &image, NULL),
			TFR_OK);
		s.at[0].mask = from_image(&image, true);
	}
	tfr_decoder_free(d);
	return s;
}

/* A window out of both. */
static void crop_pair(struct naive_pair *p, const struct tfr_crop *w)
{
	crop(&p->image, w);
	if (p->mask.v)
		crop(&p->mask, w);
}

static bool window_of(const struct tfr_stage *st, const struct tfr_draw *draw, uint32_t width,
	uint32_t height, uint32_t c, struct tfr_crop *w)
{
	struct tfr_crop five[5];

	if (!strcmp(st->row->name, "random-resized-crop")) {
		tfr_random_resized_crop(draw, width, height, w);
	} else if (!strcmp(st->row->name, "centre-crop")) {
		tfr_centre_shape(width, height, st->width, st->height, w);
	} else if (width < st->width || height < st->height) {
		return false;
	} else if (!strcmp(st->row->name, "random-crop")) {
		tfr_random_crop(draw, width, height, st->width, st->height, w);
	} else {
		cr_assert_eq(
			tfr_five_crop(width, height, st->width, st->height, five, NULL), TFR_OK);
		*w = five[c];
	}
	return true;
}

static bool one(
	struct naive_pair *p, const struct tfr_stage *st, const struct tfr_draw *draw, uint32_t c)
{
	const char *name = st->row->name;
	struct naive *both[2] = { &p->image, p->mask.v ? &p->mask : NULL };
	uint32_t width = p->image.width, height = p->image.height, n = (uint32_t)st->n;
	struct tfr_crop w;

	if (strstr(name, "-crop")) {
		if (!window_of(st, draw, width, height, c, &w))
			return false;
		crop_pair(p, &w);
	}
	if (!strcmp(name, "reflect-pad") && (n >= width || n >= height))
		return false;
	if (!strcmp(name, "cutout")) {
		tfr_random_cutout(draw, width, height, n, &w);
		cutout(&p->image, &w);
	}
	if (!strcmp(name, "normalise"))
		normalise(&p->image, st);
	if (!strcmp(name, "standardise"))
		standardise(&p->image);
	if (!strcmp(name, "cast"))
		cast(&p->image, st->dtype);
	if (!strcmp(name, "chw") || !strcmp(name, "hwc"))
		p->image.chw = st->chw;
	for (unsigned i = 0; i < 2 && both[i]; i++) {
		if (!strcmp(name, "resize") || !strcmp(name, "random-resized-crop") ||
			!strcmp(name, "centre-crop"))
			resize(both[i], st->width, st->height, st->area);
		if (!strcmp(name, "mirror") ? c : !strcmp(name, "flip") && tfr_random_flip(draw))
			turn(both[i], true);
		if (!strcmp(name, "flip-vertical") && tfr_random_flip_vertical(draw))
			turn(both[i], false);
		if (!strcmp(name, "reflect-pad"))
			reflect(both[i], n);
		if (!strcmp(name, "pad"))
			pad(both[i], st->width, st->height);
		if (!strcmp(name, "rotate"))
			rotate(both[i], tfr_random_angle(draw, st->degrees));
	}
	return true;
}

static struct naive copy_of(const struct naive *n)
{
	struct naive to = *n;

	if (n->v) {
		to.v = new_values(n);
		memcpy(to.v, n->v, (size_t)n->width * n->height * n->channels * sizeof(float));
	}
	return to;
}

bool naive_apply(struct naive_stream *s, const struct tfr_stage_list *stages, unsigned stage,
	uint64_t seed, const struct tfr_image_input *in)
{
	const struct tfr_stage *st = &stages->at[stage];
	struct naive_stream to = { .at = calloc(s->count * st->copies, sizeof(*to.at)) };
	uint64_t before = 0;
	bool good = true;

	for (unsigned i = 0; i < stage; i++)
		before += !strcmp(stages->at[i].row->name, st->row->name);
	for (unsigned i = 0; i < s->count; i++)
		for (uint32_t c = 0; c < st->copies; c++) {
			struct naive_pair *p = &to.at[to.count++];
			struct tfr_draw draw = { .seed = seed + before * 0x9e3779b97f4a7c15u,
				.epoch = in->epoch,
				.record = in->ordinal };

			p->image = copy_of(&s->at[i].image);
			p->mask = copy_of(&s->at[i].mask);
			p->copy = draw.copy = s->at[i].copy * st->copies + c;
			good = good && one(p, st, &draw, c);
		}
	naive_free(s);
	*s = to;
	return good;
}

/* ---- the output ---- */

/* Rounds to the nearest, halves to even, as the processor's conversion does, bit by bit. */
static uint16_t half_of(float v)
{
	uint32_t bits, sign, fraction;
	int exponent;
	double scaled;

	memcpy(&bits, &v, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	if (isnan(v))
		return (uint16_t)(sign | 0x7e00);
	v = fabsf(v);
	if (v == 0)
		return (uint16_t)sign;
	if (v >= 65520)
		return (uint16_t)(sign | 0x7c00);
	frexp(v, &exponent);
	exponent = exponent < -13 ? -13 : exponent; /* below it: the step of the smallest */
	scaled = rint(ldexp((double)v, 11 - exponent));
	fraction = (uint32_t)scaled; /* 1024 … 2047, or less for subnormal numbers */
	return (uint16_t)(sign | (((uint32_t)(exponent + 13) << 10) + fraction));
}

void *naive_bytes(const struct naive *n, size_t *size)
{
	size_t count = (size_t)n->width * n->height * n->channels, unit = tfr_dtype_size(n->dtype);
	size_t plane = (size_t)n->width * n->height;
	uint8_t *bytes = malloc(count * unit);

	for (size_t i = 0; i < count; i++) {
		size_t to = n->chw ? i % n->channels * plane + i / n->channels : i;
		uint8_t byte = (uint8_t)n->v[i];
		uint16_t half = half_of(n->v[i]);

		memcpy(bytes + to * unit,
			n->dtype == TFR_UINT8	  ? (void *)&byte
			: n->dtype == TFR_FLOAT16 ? (void *)&half
						  : (void *)&n->v[i],
			unit);
	}
	*size = count * unit;
	return bytes;
}
