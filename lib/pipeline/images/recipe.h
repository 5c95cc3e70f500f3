/* pipeline/images/recipe.h - a run of image stages, its outputs and its memory.
 *
 * A run is a stretch of the list with nothing but image stages, with or without `decode` at its
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
 * A run of audio stages (decode=audio) is executed by audio.c: an output is one row of samples, as
 * wide as there are samples, of float32 or the type of a last cast.
 *
 * Random numbers are drawn by (seed, epoch, ordinal, copy), and by how many stages of the same
 * name come before, so that two of a kind draw differently. */
#ifndef TFR_PIPELINE_RECIPE_H
#define TFR_PIPELINE_RECIPE_H

#include "pipeline/stages.h"

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

/* Bytes that an executor takes at most for images of that size, beside their decoder: for a plan.
 */
uint64_t tfr_recipe_scratch(const struct tfr_recipe *r, uint32_t width, uint32_t height);
/* So many rows of float32 that they stay near the processor. */
uint32_t tfr_image_band(uint32_t width, unsigned channels);

#endif
