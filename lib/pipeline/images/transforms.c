/* pipeline/images/transforms.c - the image stages, one row each: where it crops, and how it
 * changes pixels.
 *
 * A stage treats the image and its mask alike; a missing mask has no data. */
#include <tfr-private/pixels.h>

#include "base/error.h"
#include "pipeline/images/executor.h"

/* ---- windows ---- */

static enum tfr_status too_small(const struct tfr_step *s, uint32_t width, uint32_t height)
{
	return tfr_fail(s->err, TFR_EDATA, "an image of %ux%u is too small for stage '%s'", width,
		height, s->stage->text);
}

static enum tfr_status random_resized_window(
	const struct tfr_step *s, uint32_t width, uint32_t height, struct tfr_crop *window)
{
	tfr_random_resized_crop(&s->draw, width, height, window);
	return TFR_OK;
}

static enum tfr_status random_window(
	const struct tfr_step *s, uint32_t width, uint32_t height, struct tfr_crop *window)
{
	if (width < s->stage->width || height < s->stage->height)
		return too_small(s, width, height);
	tfr_random_crop(&s->draw, width, height, s->stage->width, s->stage->height, window);
	return TFR_OK;
}

static enum tfr_status centre_window(
	const struct tfr_step *s, uint32_t width, uint32_t height, struct tfr_crop *window)
{
	tfr_centre_shape(width, height, s->stage->width, s->stage->height, window);
	return TFR_OK;
}

static enum tfr_status five_window(
	const struct tfr_step *s, uint32_t width, uint32_t height, struct tfr_crop *window)
{
	struct tfr_crop windows[5];

	if (width < s->stage->width || height < s->stage->height)
		return too_small(s, width, height);
	TFR_TRY(tfr_five_crop(width, height, s->stage->width, s->stage->height, windows, s->err));
	*window = windows[s->copy];
	return TFR_OK;
}

/* ---- where pixels are looked for ---- */

static const struct tfr_transform *transform_of(const struct tfr_step *s)
{
	return &tfr_transforms[s->stage->row->transform];
}

static enum tfr_status cut_pair(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	struct tfr_crop window;

	TFR_TRY(transform_of(s)->window(s, tfr_lazy_image_width(&pair->image),
		tfr_lazy_image_height(&pair->image), &window));
	TFR_TRY(tfr_lazy_image_crop(s->st, &pair->image, &window, s->err));
	if (pair->mask.px.data)
		TFR_TRY(tfr_lazy_image_crop(s->st, &pair->mask, &window, s->err));
	return TFR_OK;
}

static enum tfr_status resize_layer(const struct tfr_step *s, struct tfr_lazy_image *l)
{
	return tfr_lazy_image_resize(s->st, l, s->stage->width, s->stage->height, s->err);
}

static enum tfr_status resize_bilinear(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	TFR_TRY(resize_layer(s, &pair->image));
	return pair->mask.px.data ? resize_layer(s, &pair->mask) : TFR_OK;
}

static enum tfr_status cut_and_resize(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	TFR_TRY(cut_pair(s, pair));
	return resize_bilinear(s, pair);
}

static enum tfr_status mirror_if(bool turn, struct tfr_image_pair *pair)
{
	pair->image.mirror ^= turn;
	pair->mask.mirror ^= turn;
	return TFR_OK;
}

static enum tfr_status mirror(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	return mirror_if(s->copy, pair);
}

static enum tfr_status flip(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	return mirror_if(tfr_random_flip(&s->draw), pair);
}

static enum tfr_status flip_vertical(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	bool turn = tfr_random_flip_vertical(&s->draw);

	pair->image.flip ^= turn;
	pair->mask.flip ^= turn;
	return TFR_OK;
}

/* ---- pixels made anew ---- */

/* Makes the pixels of a layer anew, of the size and type that the stage gives it. */
static enum tfr_status remake_layer(const struct tfr_step *s, struct tfr_lazy_image *l)
{
	unsigned flags = s->stage->row->flags;
	uint32_t more = flags & STAGE_GROWS ? 2 * (uint32_t)s->stage->n : 0;
	struct tfr_lazy_image to;

	TFR_TRY(tfr_lazy_image_evaluate(s->st, l, s->err));
	TFR_TRY(tfr_lazy_image_target(s->st, l,
		flags & STAGE_SIZES ? s->stage->width : l->width + more,
		flags & STAGE_SIZES ? s->stage->height : l->height + more,
		flags & STAGE_FLOATS ? TFR_FLOAT32 : l->px.dtype, &to, s->err));
	TFR_TRY(transform_of(s)->make(s, l, &to));
	*l = to;
	return TFR_OK;
}

static enum tfr_status remake_image(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	return remake_layer(s, &pair->image);
}

static enum tfr_status remake_pair(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	TFR_TRY(remake_layer(s, &pair->image));
	return pair->mask.px.data ? remake_layer(s, &pair->mask) : TFR_OK;
}

static enum tfr_status resize_area(
	const struct tfr_step *s, const struct tfr_lazy_image *l, const struct tfr_lazy_image *to)
{
	return tfr_pixels_resize_area(s->st->resizer, &l->px, &to->px, s->err);
}

static enum tfr_status resize(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	if (!s->stage->area)
		return resize_bilinear(s, pair);
	TFR_TRY(remake_layer(s, &pair->image));
	return pair->mask.px.data ? resize_layer(s, &pair->mask) : TFR_OK;
}

static enum tfr_status reflect_pad(
	const struct tfr_step *s, const struct tfr_lazy_image *l, const struct tfr_lazy_image *to)
{
	if (s->stage->n >= l->width || s->stage->n >= l->height)
		return too_small(s, l->width, l->height);
	return tfr_pixels_pad_reflect(&l->px, (uint32_t)s->stage->n, &to->px, s->err);
}

static enum tfr_status pad(
	const struct tfr_step *s, const struct tfr_lazy_image *l, const struct tfr_lazy_image *to)
{
	return tfr_pixels_pad(&l->px, &to->px, s->err);
}

/* As torchvision's functional.rotate(): 0 where no pixel covers the output, and pixels at the
 * edge are weighted by their coverage, once. */
static enum tfr_status rotate(
	const struct tfr_step *s, const struct tfr_lazy_image *l, const struct tfr_lazy_image *to)
{
	return tfr_pixels_rotate(&l->px, tfr_random_angle(&s->draw, s->stage->degrees),
		l->mask ? TFR_FILTER_NEAREST : TFR_FILTER_BILINEAR, NULL, &to->px, s->err);
}

static enum tfr_status cutout(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	struct tfr_lazy_image *l = &pair->image, to;
	struct tfr_crop window;

	TFR_TRY(tfr_lazy_image_evaluate(s->st, l, s->err));
	if (!tfr_lazy_image_is_own(s->st, l)) {
		TFR_TRY(tfr_lazy_image_target(
			s->st, l, l->width, l->height, l->px.dtype, &to, s->err));
		tfr_pixels_pack(&l->px, to.px.data);
		*l = to;
	}
	tfr_random_cutout(&s->draw, l->width, l->height, (uint32_t)s->stage->n, &window);
	return tfr_pixels_cutout(&l->px, &window, NULL, s->err);
}

/* ---- numbers changed ---- */

/* A resize of 8-bit pixels to their own size is their change to float32; how they are turned makes
 * no difference to it. */
static void become_floats(const struct tfr_step *s, struct tfr_lazy_image *l)
{
	if (l->resize || l->px.dtype != TFR_UINT8)
		return;
	l->resize = true;
	l->to_width = l->width;
	l->to_height = l->height;
	l->resizer = s->st->stage;
}

/* The flags for writing to `to`: the output bypasses the caches, because no code here reads it. */
static unsigned way_to(const struct tfr_lazy_image *to)
{
	return to->placed ? TFR_RESIZE_STREAM : 0;
}

/* As torchvision: x / 255 first, then (t - mean) / std.  One band of rows at a time, so that the
 * intermediate stays in the cache. */
static enum tfr_status normalise_channels(
	const struct tfr_step *s, const struct tfr_lazy_image *l, const struct tfr_lazy_image *to)
{
	static const float zero[3] = { 0 }, whole[3] = { 255, 255, 255 };
	const struct tfr_stage *stage = s->stage;
	struct tfr_crop band = { .width = l->width };
	struct tfr_pixels from, between, out;
	uint32_t rows = tfr_image_band(l->width, l->px.channels);
	float mean[3], std[3];

	for (unsigned c = 0; c < 3; c++) {
		mean[c] = stage->mean[stage->channels == 3 ? c : 0];
		std[c] = stage->std[stage->channels == 3 ? c : 0];
	}
	for (; band.y < l->height; band.y += rows) {
		band.height = l->height - band.y < rows ? l->height - band.y : rows;
		TFR_TRY(tfr_image_executor_between(
			s->st, l->width, band.height, l->px.channels, &between, s->err));
		TFR_TRY(tfr_pixels_window(&l->px, &band, &from, s->err));
		TFR_TRY(tfr_pixels_window(&to->px, &band, &out, s->err));
		TFR_TRY(tfr_pixels_normalise(&from, zero, whole, &between, 0, s->err));
		TFR_TRY(tfr_pixels_normalise(&between, mean, std, &out, way_to(to), s->err));
	}
	return TFR_OK;
}

static enum tfr_status normalise_layer(
	const struct tfr_step *s, const struct tfr_lazy_image *l, const struct tfr_lazy_image *to)
{
	static const float middle[3] = { 127.5f, 127.5f, 127.5f };

	if (s->stage->channels)
		return normalise_channels(s, l, to);
	return tfr_pixels_normalise(&l->px, middle, middle, &to->px, way_to(to), s->err);
}

static enum tfr_status normalise(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	struct tfr_lazy_image *l = &pair->image;

	if (s->stage->channels || (!l->resize && l->px.dtype != TFR_UINT8) || l->normalise)
		return remake_layer(s, l);
	become_floats(s, l);
	l->normalise = true;
	return TFR_OK;
}

static enum tfr_status standardise(
	const struct tfr_step *s, const struct tfr_lazy_image *l, const struct tfr_lazy_image *to)
{
	return tfr_pixels_standardise(&l->px, &to->px, way_to(to), s->err);
}

/* Only the form of the output follows the present stage: it is changed as the output is written. */
static bool only_form_follows(const struct tfr_image_executor *st)
{
	for (unsigned i = st->stage + 1; i < st->recipe->to; i++)
		if (st->recipe->stages->at[i].row->transform != TRANSFORM_FORM)
			return false;
	return true;
}

static enum tfr_status cast(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	struct tfr_lazy_image *l = &pair->image, to;

	if (s->stage->dtype == TFR_FLOAT32)
		become_floats(s, l);
	if (s->stage->dtype != TFR_UINT8 || only_form_follows(s->st) ||
		(!l->resize && l->px.dtype == TFR_UINT8))
		return TFR_OK;
	TFR_TRY(tfr_lazy_image_evaluate(s->st, l, s->err));
	TFR_TRY(tfr_lazy_image_target(s->st, l, l->width, l->height, TFR_UINT8, &to, s->err));
	TFR_TRY(tfr_pixels_convert(&l->px, TFR_UINT8, TFR_HWC, to.px.data, way_to(&to), s->err));
	*l = to;
	return TFR_OK;
}

static enum tfr_status form(const struct tfr_step *s, struct tfr_image_pair *pair)
{
	(void)s, (void)pair;
	return TFR_OK;
}

const struct tfr_transform tfr_transforms[TRANSFORMS] = {
	[TRANSFORM_RESIZE] = { .apply = resize, .make = resize_area },
	[TRANSFORM_RANDOM_RESIZED_CROP] = { random_resized_window, cut_and_resize },
	[TRANSFORM_RANDOM_CROP] = { random_window, cut_pair },
	[TRANSFORM_CENTRE_CROP] = { centre_window, cut_and_resize },
	[TRANSFORM_FIVE_CROP] = { five_window, cut_pair },
	[TRANSFORM_MIRROR] = { .apply = mirror },
	[TRANSFORM_FLIP] = { .apply = flip },
	[TRANSFORM_FLIP_VERTICAL] = { .apply = flip_vertical },
	[TRANSFORM_REFLECT_PAD] = { .apply = remake_pair, .make = reflect_pad },
	[TRANSFORM_PAD] = { .apply = remake_pair, .make = pad },
	[TRANSFORM_ROTATE] = { .apply = remake_pair, .make = rotate },
	[TRANSFORM_CUTOUT] = { .apply = cutout },
	[TRANSFORM_NORMALISE] = { .apply = normalise, .make = normalise_layer },
	[TRANSFORM_STANDARDISE] = { .apply = remake_image, .make = standardise },
	[TRANSFORM_CAST] = { .apply = cast },
	[TRANSFORM_FORM] = { .apply = form },
};
