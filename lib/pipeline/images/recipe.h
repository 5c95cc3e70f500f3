/* pipeline/images/recipe.h - a run of image stages, compiled and executed.
 *
 * A run is a part of the list with nothing but image stages, with or without `decode` at its
 * start; a list may have several runs, and each is a recipe.  Each stage gives the same result
 * as it would alone, to the bit, but nothing is done before it is needed.  So decode, a first
 * crop, resize, flip and the normalisation to -1 … 1 cost one decode of the window and one
 * resize, which writes straight to the output.
 *
 * An image is RGB, uint8 until a stage makes it float32: resize, random-resized-crop and
 * centre-crop, which resize, normalise, standardise, and cast.  A mask (decode=masks) is uint8
 * with one channel of class numbers.  It is cropped, turned, padded (with zeros) and resized (to
 * nearest) like its image.  The other stages leave it alone: normalise, standardise, cast,
 * cutout.
 *
 * A run of audio stages (decode=audio) is executed by audio_stages.c: an output is one row of
 * samples, as wide as there are samples, of float32 or the type of a last cast.
 *
 * Random numbers are drawn by (seed, epoch, ordinal, copy), and by how many stages of the same
 * name come before, so that two of a kind draw differently. */
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

/* The bytes of an output of that form, without padding. */
uint64_t tfr_image_form_bytes(const struct tfr_image_form *form);

/* Immutable once made; for all threads.  It looks at the list, which has to live as long. */
struct tfr_recipe {
	const struct tfr_stage_list *stages;
	unsigned from, to; /* the run: stages from … to - 1 */
	uint64_t seed;
	bool decodes; /* the run begins with decode: the input is encoded */
	bool masks;
	bool audio;
	uint32_t copies;		       /* outputs of one input */
	struct tfr_image_form form, mask_form; /* of an output */
	struct tfr_image_form in_form;	       /* of the input, unless it is encoded */
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
	uint32_t copy;		 /* which copy of earlier runs it is, from 0 */
};

/* Returns where to write output `k`, its image or its mask, of form `form`; aligned to 64 bytes
 * is fastest.  Called once for each, image before mask, in the order of `k`, on the thread that
 * makes them.  NULL ends the work with TFR_ECANCELLED. */
typedef void *image_place(void *ctx, uint32_t k, bool mask, const struct tfr_image_form *form);

/* What one worker makes images with; any recipe's. */
struct tfr_image_executor;

/* `max_bytes`: of the decoder, and of all scratch memory; more is TFR_ENOMEM of that image. */
enum tfr_status tfr_image_executor_new(
	struct tfr_image_executor **st, uint64_t max_bytes, bool fast, struct tfr_error *err);
void tfr_image_executor_free(struct tfr_image_executor *st);

/* Makes r->copies outputs of one input.  Output k of a record of which earlier runs made `copy`
 * is number copy * r->copies + k.
 *
 *     TFR_EDATA    a broken image or mask, a missing mask, one of another size than its image, or
 * an image that is smaller than a crop of it TFR_EFORMAT  the data is not an image TFR_ENOMEM   as
 * above
 *
 * On failure the outputs are undefined. */
enum tfr_status tfr_image_executor_run(struct tfr_image_executor *st, const struct tfr_recipe *r,
	const struct tfr_image_input *in, image_place *place, void *ctx, struct tfr_error *err);

/* Nanoseconds that each stage of the list took of the last input.  What several stages share is on
 * the account of one of them: a crop's decoding on that of decode, a flip in a resize on that of
 * the resize. */
const uint64_t *tfr_image_executor_spent(const struct tfr_image_executor *st);

#endif
