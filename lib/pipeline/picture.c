/* pipeline/picture.c - the transforms, the list a user writes of them, and their one execution. */
#include "pipeline/picture.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"

static void random_resized_crop(struct picture *pic)
{
	tfr_random_resized_crop(&pic->draw, pic->width, pic->height, &pic->window);
}

static void centre_crop(struct picture *pic)
{
	tfr_centre_shape(pic->width, pic->height, pic->to_width, pic->to_height, &pic->window);
}

static void resize(struct picture *pic)
{
	pic->window = (struct tfr_crop){ .width = pic->width, .height = pic->height };
}

static void flip(struct picture *pic)
{
	if (tfr_random_flip(&pic->draw))
		pic->flags |= TFR_RESIZE_MIRROR;
}

static void normalise(struct picture *pic)
{
	pic->flags |= TFR_RESIZE_NORMALISE;
}

static const struct transform transforms[] = {
	{ "random-resized-crop", true, random_resized_crop },
	{ "centre-crop", true, centre_crop },
	{ "resize", true, resize },
	{ "flip", false, flip },
	{ "normalise", false, normalise },
};

static const struct transform *find(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(transforms) / sizeof(*transforms); i++)
		if (strlen(transforms[i].name) == size &&
			memcmp(transforms[i].name, name, size) == 0)
			return &transforms[i];
	return NULL;
}

static enum tfr_status add(struct recipe *r, const char *name, size_t size, struct tfr_error *err)
{
	const struct transform *t = find(name, size);

	if (!t) {
		tfr_fail(err, TFR_EUSAGE, "no such augmentation '%.*s'", (int)size, name);
		tfr_error_hint(err,
			"There are random-resized-crop, centre-crop, resize, flip and normalise.");
		return TFR_EUSAGE;
	}
	for (unsigned i = 0; i < r->count; i++) {
		if (r->transforms[i] == t)
			return tfr_fail(err, TFR_EUSAGE, "augmentation '%s' given twice", t->name);
		if (t->shapes && r->transforms[i]->shapes)
			return tfr_fail(err, TFR_EUSAGE,
				"augmentations '%s' and '%s' exclude each other",
				r->transforms[i]->name, t->name);
	}
	if (t->shapes && r->count)
		return tfr_fail(err, TFR_EUSAGE, "augmentation '%s' must come first", t->name);
	r->transforms[r->count++] = t;
	return TFR_OK;
}

/* A list that shapes nothing begins with a resize: pictures of a batch have one size. */
enum tfr_status recipe_parse(struct recipe *r, const char *list, struct tfr_error *err)
{
	r->count = 0;
	for (const char *p = list;;) {
		size_t size = strcspn(p, ",");
		const struct transform *t = find(p, size);
		enum tfr_status status = TFR_OK;

		if (r->count == 0 && t && !t->shapes)
			status = add(r, "resize", 6, err);
		if (status == TFR_OK)
			status = add(r, p, size, err);
		if (status)
			return status;
		if (!p[size])
			return TFR_OK;
		p += size + 1;
	}
}

enum tfr_status studio_init(struct studio *st, uint64_t max_bytes, struct tfr_error *err)
{
	st->decoder = tfr_decoder_new(&(struct tfr_decoder_opts){ .max_bytes = max_bytes });
	st->resizer = tfr_resizer_new();
	if (!st->decoder || !st->resizer)
		return tfr_fail_nomem(err, "starting the workers");
	return TFR_OK;
}

void studio_clear(struct studio *st)
{
	tfr_decoder_free(st->decoder);
	tfr_resizer_free(st->resizer);
}

enum tfr_status studio_make(struct studio *st, const struct recipe *r, const struct sample *s,
	float *out, struct tfr_error *err)
{
	struct picture pic = {
		.to_width = r->width,
		.to_height = r->height,
		.draw = { .seed = r->seed, .epoch = s->epoch, .record = s->ordinal },
		.flags = TFR_RESIZE_STREAM,
	};
	struct tfr_image_info info;
	struct tfr_image image;
	uint64_t start = tfr_clock_ns(), decoded;
	enum tfr_status status = tfr_image_probe(s->picture, s->picture_size, &info, err);

	st->decode_ns = st->resize_ns = 0;
	if (status)
		return status;
	pic.width = info.width;
	pic.height = info.height;
	for (unsigned i = 0; i < r->count; i++)
		r->transforms[i]->apply(&pic);
	status = tfr_decode(st->decoder, s->picture, s->picture_size, &pic.window, 3, &image, err);
	decoded = tfr_clock_ns();
	st->decode_ns = decoded - start;
	if (status)
		return status;
	status = tfr_resize_bilinear(st->resizer, &image, r->width, r->height, pic.flags, out, err);
	st->resize_ns = tfr_clock_ns() - decoded;
	return status;
}
