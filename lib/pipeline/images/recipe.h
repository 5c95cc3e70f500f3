/* pipeline/images/recipe.h - what is done to an image: a run of image stages, compiled and
 * executed.
 *
 * A run is a part of the list without anything else in between, with or without `decode` at its
 * front; several runs of one list are several recipes.  Each stage gives what it would give alone,
 * to the bit; but nothing is done before it has to be, so that decode, a first crop, resize, flip
 * and the normalisation to -1 … 1 cost one decode of the window and one resize, which writes
 * straight to where the image goes.
 *
 * An image is RGB, uint8 until a stage makes it float32: resize, random-resized-crop and
 * centre-crop, which resize, normalise, standardise, and cast.  A mask (decode=masks) is uint8, one
 * channel, the numbers that its pixels mean; it is cut, turned, padded (with zeros) and resized, by
 * nearest, as its image is, and left alone by the rest: normalise, standardise, cast, cutout.
 *
 * A run of sounds (decode=audio) is executed by audio_stages.c: an output is a row of samples, as
 * wide as there are samples, of float32 or what a last cast makes of it.
 *
 * What is random is drawn by (seed, epoch, ordinal, copy), and by how often the stage stood in the
 * list before, so that two of a kind do not draw the same. */
#ifndef TFR_PIPELINE_RECIPE_H
#define TFR_PIPELINE_RECIPE_H

#include <tfr-private/media.h>
#include <tfr-private/pixels.h>

#include "pipeline/stages/stages.h"

/* What an output is like.  `fixed`: all have this width and height; else they are each image's
 * own. */
struct tfr_image_form {
	bool fixed;
	uint32_t width, height;
	unsigned channels;
	enum tfr_dtype dtype;
	bool chw; /* planes; a mask, of one channel, is both */
};

/* Of an output of that form; its numbers lie dense. */
uint64_t tfr_image_form_bytes(const struct tfr_image_form *form);

/* Immutable once made; for all threads.  It looks at the list, which has to live as long. */
struct tfr_recipe {
	const struct tfr_stage_list *stages;
	unsigned from, to; /* the run: stages from … to - 1 */
	uint64_t seed;
	bool decodes; /* the run begins with decode: what comes in is encoded */
	bool masks;
	bool sounds;
	uint32_t copies;		       /* outputs of one input */
	struct tfr_image_form form, mask_form; /* of an output */
	struct tfr_image_form in_form;	       /* of what comes in, where that is decoded */
};

/* The run that begins at stage `from` (a decode or a transform) ends before `r->to`. */
void tfr_recipe_init(
	struct tfr_recipe *r, const struct tfr_stage_list *stages, unsigned from, uint64_t seed);

/* Bytes that a executor takes at most for images of that size, beside their decoder: for a plan. */
uint64_t tfr_recipe_scratch(const struct tfr_recipe *r, uint32_t width, uint32_t height);

struct tfr_image_input {
	/* A run that decodes: the image's file, and its mask's where there are masks (NULL: it
	 * has none). */
	const void *encoded, *mask_encoded;
	size_t encoded_size, mask_encoded_size;
	/* One that does not: the images themselves, as the run before put them out (dtype uint8
	 * or float32, not in planes). */
	struct tfr_pixels image, mask;
	uint64_t epoch, ordinal; /* of the record in the unshuffled stream */
	uint32_t copy;		 /* which of those that earlier runs made of it; 0 */
};

/* Says where output `k` goes, its image or its mask, which is like `form`; 64-byte aligned is
 * fastest.  Called once for each, image before mask, in the order of `k`, on the thread that
 * makes them.  NULL ends the work with TFR_ECANCELLED. */
typedef void *image_place(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form);

/* What one worker makes images with; any recipe's. */
struct tfr_image_executor;

/* `max_bytes`: of the decoder, and of all scratch memory; more is TFR_ENOMEM of that image. */
enum tfr_status tfr_image_executor_new(
	struct tfr_image_executor **st, uint64_t max_bytes, bool fast, struct tfr_error *err);
void tfr_image_executor_free(struct tfr_image_executor *st);

/* Makes r->copies outputs of one input.  Output k of the whole list, of a record that earlier runs
 * made `copy` of, is copy * r->copies + k.
 *   TFR_EDATA    a broken image or mask, none where there should be one, one whose size is not
 * its image's; an image that is smaller than a crop of it TFR_EFORMAT  what is not an image at
 * all TFR_ENOMEM   as above Outputs that were placed by then are of no use. */
enum tfr_status tfr_image_executor_run(struct tfr_image_executor *st, const struct tfr_recipe *r,
	const struct tfr_image_input *in, image_place *place, void *ctx, struct tfr_error *err);

/* Nanoseconds that each stage of the list took of the last input.  What several stages share is on
 * the account of one of them: a crop's decoding on that of decode, a flip in a resize on that of
 * the resize. */
const uint64_t *tfr_image_executor_spent(const struct tfr_image_executor *st);

#endif
