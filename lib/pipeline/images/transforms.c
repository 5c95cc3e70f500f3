/* pipeline/images/transforms.c - the image stages, one row each: where it crops, and how it
 * changes pixels.
 *
 * A stage treats the image and its mask alike; a missing mask has no data. */
#include "pipeline/images/transforms.h"

#include <tfr-private/pixels.h>

#include "base/error.h"
#include "pipeline/images/executor.h"

/* ---- windows ---- */

/* The cut is made of an image that has so many pixels, or is that record's fault. */
static enum tfr_status check_larger(
	const struct tfr_stage *stage, uint32_t width, uint32_t height, struct tfr_error *err)
{
	if (width >= stage->width && height >= stage->height)
		return TFR_OK;
	return tfr_fail(err, TFR_EDATA, "an image of %ux%u is too small for stage '%s'", width,
		height, stage->text);
}

static enum tfr_status random_resized_window(const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t width, uint32_t height, uint32_t c,
	struct tfr_crop *window, struct tfr_error *err)
{
	(void)stage, (void)c, (void)err;
	tfr_random_resized_crop(draw, width, height, window);
	return TFR_OK;
}

static enum tfr_status random_window(const struct tfr_stage *stage, const struct tfr_draw *draw,
	uint32_t width, uint32_t height, uint32_t c, struct tfr_crop *window, struct tfr_error *err)
{
	(void)c;
	if (check_larger(stage, width, height, err))
		return TFR_EDATA;
	tfr_random_crop(draw, width, height, stage->width, stage->height, window);
	return TFR_OK;
}

static enum tfr_status centre_window(const struct tfr_stage *stage, const struct tfr_draw *draw,
	uint32_t width, uint32_t height, uint32_t c, struct tfr_crop *window, struct tfr_error *err)
{
	(void)draw, (void)c, (void)err;
	tfr_centre_shape(width, height, stage->width, stage->height, window);
	return TFR_OK;
}

static enum tfr_status five_window(const struct tfr_stage *stage, const struct tfr_draw *draw,
	uint32_t width, uint32_t height, uint32_t c, struct tfr_crop *window, struct tfr_error *err)
{
	struct tfr_crop windows[5];
	enum tfr_status status = check_larger(stage, width, height, err);

	(void)draw;
	if (status == TFR_OK)
		status = tfr_five_crop(width, height, stage->width, stage->height, windows, err);
	if (status == TFR_OK)
		*window = windows[c];
	return status;
}

/* ---- where pixels are looked for ---- */

static enum tfr_status cut(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	struct tfr_crop window;
	enum tfr_status status =
		stage->row->transform->window(stage, draw, tfr_lazy_image_width(&pair->image),
			tfr_lazy_image_height(&pair->image), c, &window, err);

	if (status == TFR_OK)
		status = tfr_lazy_image_crop(st, &pair->image, &window, err);
	if (status == TFR_OK && pair->mask.px.data)
		status = tfr_lazy_image_crop(st, &pair->mask, &window, err);
	return status;
}

static enum tfr_status resize_bilinear(struct tfr_image_executor *st, const struct tfr_stage *stage,
	struct tfr_image_pair *pair, struct tfr_error *err)
{
	enum tfr_status status =
		tfr_lazy_image_resize(st, &pair->image, stage->width, stage->height, err);

	if (status == TFR_OK && pair->mask.px.data)
		status = tfr_lazy_image_resize(st, &pair->mask, stage->width, stage->height, err);
	return status;
}

static enum tfr_status cut_and_resize(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	enum tfr_status status = cut(st, stage, draw, c, pair, err);

	return status ? status : resize_bilinear(st, stage, pair, err);
}

static void mirror_pair(struct tfr_image_pair *pair)
{
	pair->image.mirror ^= true;
	pair->mask.mirror ^= true;
}

static enum tfr_status mirror(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	(void)st, (void)stage, (void)draw, (void)err;
	if (c)
		mirror_pair(pair);
	return TFR_OK;
}

static enum tfr_status flip(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	(void)st, (void)stage, (void)c, (void)err;
	if (tfr_random_flip(draw))
		mirror_pair(pair);
	return TFR_OK;
}

static enum tfr_status flip_vertical(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	(void)st, (void)stage, (void)c, (void)err;
	if (tfr_random_flip_vertical(draw)) {
		pair->image.flip ^= true;
		pair->mask.flip ^= true;
	}
	return TFR_OK;
}

/* ---- pixels made anew ---- */

/* Makes the pixels of a layer anew, of the size and type that the stage gives it. */
static enum tfr_status remake(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, struct tfr_lazy_image *l, struct tfr_error *err)
{
	unsigned flags = stage->row->flags;
	uint32_t more = flags & STAGE_GROWS ? 2 * (uint32_t)stage->n : 0;
	enum tfr_status status = tfr_lazy_image_evaluate(st, l, err);
	struct tfr_lazy_image to;

	if (status == TFR_OK)
		status = tfr_lazy_image_target(st, l,
			flags & STAGE_SIZES ? stage->width : l->width + more,
			flags & STAGE_SIZES ? stage->height : l->height + more,
			flags & STAGE_FLOATS ? TFR_FLOAT32 : l->px.dtype, &to, err);
	if (status == TFR_OK)
		status = stage->row->transform->make(st, stage, draw, l, &to, err);
	if (status == TFR_OK)
		*l = to;
	return status;
}

static enum tfr_status remake_image(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	(void)c;
	return remake(st, stage, draw, &pair->image, err);
}

static enum tfr_status remake_pair(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	enum tfr_status status = remake_image(st, stage, draw, c, pair, err);

	if (status == TFR_OK && pair->mask.px.data)
		status = remake(st, stage, draw, &pair->mask, err);
	return status;
}

static enum tfr_status resize_area(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, const struct tfr_lazy_image *l,
	const struct tfr_lazy_image *to, struct tfr_error *err)
{
	(void)stage, (void)draw;
	return tfr_pixels_resize_area(st->resizer, &l->px, &to->px, err);
}

static enum tfr_status resize(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	enum tfr_status status;

	if (!stage->area)
		return resize_bilinear(st, stage, pair, err);
	status = remake_image(st, stage, draw, c, pair, err);
	if (status == TFR_OK && pair->mask.px.data)
		status = tfr_lazy_image_resize(st, &pair->mask, stage->width, stage->height, err);
	return status;
}

static enum tfr_status reflect_pad(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, const struct tfr_lazy_image *l,
	const struct tfr_lazy_image *to, struct tfr_error *err)
{
	(void)st, (void)draw;
	if (stage->n >= l->width || stage->n >= l->height)
		return tfr_fail(err, TFR_EDATA, "an image of %ux%u is too small for stage '%s'",
			l->width, l->height, stage->text);
	return tfr_pixels_pad_reflect(&l->px, (uint32_t)stage->n, &to->px, err);
}

static enum tfr_status pad(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, const struct tfr_lazy_image *l,
	const struct tfr_lazy_image *to, struct tfr_error *err)
{
	(void)st, (void)stage, (void)draw;
	return tfr_pixels_pad(&l->px, &to->px, err);
}

/* As torchvision's functional.rotate(): 0 where no pixel covers the output, and pixels at the
 * edge are weighted by their coverage, once. */
static enum tfr_status rotate(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, const struct tfr_lazy_image *l,
	const struct tfr_lazy_image *to, struct tfr_error *err)
{
	(void)st;
	return tfr_pixels_rotate(&l->px, tfr_random_angle(draw, stage->degrees),
		l->mask ? TFR_FILTER_NEAREST : TFR_FILTER_BILINEAR, NULL, &to->px, err);
}

static enum tfr_status cutout(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	struct tfr_lazy_image *l = &pair->image, to;
	struct tfr_crop window;
	enum tfr_status status = tfr_lazy_image_evaluate(st, l, err);

	(void)c;
	if (status)
		return status;
	if (!tfr_lazy_image_is_own(st, l)) {
		status = tfr_lazy_image_target(st, l, l->width, l->height, l->px.dtype, &to, err);
		if (status)
			return status;
		tfr_lazy_image_copy(l, &to);
		*l = to;
	}
	tfr_random_cutout(draw, l->width, l->height, (uint32_t)stage->n, &window);
	return tfr_pixels_cutout(&l->px, &window, NULL, err);
}

/* ---- numbers changed ---- */

/* A resize of 8-bit pixels to their own size is their change to float32; how they are turned makes
 * no difference to it. */
static void become_floats(struct tfr_image_executor *st, struct tfr_lazy_image *l)
{
	if (l->resize || l->px.dtype != TFR_UINT8)
		return;
	l->resize = true;
	l->to_width = l->width;
	l->to_height = l->height;
	l->resizer = st->stage;
}

/* The flags for writing to `to`: the output bypasses the caches, because no code here reads it. */
static unsigned way_to(const struct tfr_lazy_image *to)
{
	return to->placed ? TFR_RESIZE_STREAM : 0;
}

/* As torchvision: x / 255 first, then (t - mean) / std.  One band of rows at a time, so that the
 * intermediate stays in the cache. */
static enum tfr_status normalise_channels(struct tfr_image_executor *st,
	const struct tfr_stage *stage, const struct tfr_lazy_image *l,
	const struct tfr_lazy_image *to, struct tfr_error *err)
{
	static const float zero[3] = { 0 }, whole[3] = { 255, 255, 255 };
	struct tfr_crop band = { .width = l->width };
	struct tfr_pixels from, between, out;
	uint32_t rows = tfr_image_executor_band(l->width, l->px.channels);
	float mean[3], std[3];
	enum tfr_status status = TFR_OK;

	for (unsigned c = 0; c < 3; c++) {
		mean[c] = stage->mean[stage->channels == 3 ? c : 0];
		std[c] = stage->std[stage->channels == 3 ? c : 0];
	}
	for (; status == TFR_OK && band.y < l->height; band.y += rows) {
		band.height = l->height - band.y < rows ? l->height - band.y : rows;
		status = tfr_image_executor_between(
			st, l->width, band.height, l->px.channels, &between, err);
		if (status == TFR_OK)
			status = tfr_pixels_window(&l->px, &band, &from, err);
		if (status == TFR_OK)
			status = tfr_pixels_window(&to->px, &band, &out, err);
		if (status == TFR_OK)
			status = tfr_pixels_normalise(&from, zero, whole, &between, 0, err);
		if (status == TFR_OK)
			status = tfr_pixels_normalise(&between, mean, std, &out, way_to(to), err);
	}
	return status;
}

static enum tfr_status normalise_layer(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, const struct tfr_lazy_image *l,
	const struct tfr_lazy_image *to, struct tfr_error *err)
{
	static const float middle[3] = { 127.5f, 127.5f, 127.5f };

	(void)draw;
	if (stage->channels)
		return normalise_channels(st, stage, l, to, err);
	return tfr_pixels_normalise(&l->px, middle, middle, &to->px, way_to(to), err);
}

static enum tfr_status normalise(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	struct tfr_lazy_image *l = &pair->image;

	if (stage->channels || (!l->resize && l->px.dtype != TFR_UINT8) || l->normalise)
		return remake_image(st, stage, draw, c, pair, err);
	become_floats(st, l);
	l->normalise = true;
	return TFR_OK;
}

static enum tfr_status standardise(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, const struct tfr_lazy_image *l,
	const struct tfr_lazy_image *to, struct tfr_error *err)
{
	(void)st, (void)stage, (void)draw;
	return tfr_pixels_standardise(&l->px, &to->px, way_to(to), err);
}

/* Only the form of the output follows the present stage: it is changed as the output is written. */
static bool only_form_follows(const struct tfr_image_executor *st)
{
	for (unsigned i = st->stage + 1; i < st->recipe->to; i++)
		if (st->recipe->stages->at[i].row->transform != &tfr_transform_form)
			return false;
	return true;
}

static enum tfr_status cast(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	struct tfr_lazy_image *l = &pair->image, to;
	enum tfr_status status;

	(void)draw, (void)c;
	if (stage->dtype == TFR_FLOAT32)
		become_floats(st, l);
	if (stage->dtype != TFR_UINT8 || only_form_follows(st) ||
		(!l->resize && l->px.dtype == TFR_UINT8))
		return TFR_OK;
	status = tfr_lazy_image_evaluate(st, l, err);
	if (status == TFR_OK)
		status = tfr_lazy_image_target(st, l, l->width, l->height, TFR_UINT8, &to, err);
	if (status == TFR_OK)
		status = tfr_pixels_convert(
			&l->px, TFR_UINT8, TFR_HWC, to.px.data, way_to(&to), err);
	if (status == TFR_OK)
		*l = to;
	return status;
}

static enum tfr_status form(struct tfr_image_executor *st, const struct tfr_stage *stage,
	const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair, struct tfr_error *err)
{
	(void)st, (void)stage, (void)draw, (void)c, (void)pair, (void)err;
	return TFR_OK;
}

const struct tfr_transform tfr_transform_resize = { .apply = resize, .make = resize_area };
const struct tfr_transform tfr_transform_random_resized_crop = { .window = random_resized_window,
	.apply = cut_and_resize };
const struct tfr_transform tfr_transform_random_crop = { .window = random_window, .apply = cut };
const struct tfr_transform tfr_transform_centre_crop = { .window = centre_window,
	.apply = cut_and_resize };
const struct tfr_transform tfr_transform_five_crop = { .window = five_window, .apply = cut };
const struct tfr_transform tfr_transform_mirror = { .apply = mirror };
const struct tfr_transform tfr_transform_flip = { .apply = flip };
const struct tfr_transform tfr_transform_flip_vertical = { .apply = flip_vertical };
const struct tfr_transform tfr_transform_reflect_pad = { .apply = remake_pair,
	.make = reflect_pad };
const struct tfr_transform tfr_transform_pad = { .apply = remake_pair, .make = pad };
const struct tfr_transform tfr_transform_rotate = { .apply = remake_pair, .make = rotate };
const struct tfr_transform tfr_transform_cutout = { .apply = cutout };
const struct tfr_transform tfr_transform_normalise = { .apply = normalise,
	.make = normalise_layer };
const struct tfr_transform tfr_transform_standardise = { .apply = remake_image,
	.make = standardise };
const struct tfr_transform tfr_transform_cast = { .apply = cast };
const struct tfr_transform tfr_transform_form = { .apply = form };
