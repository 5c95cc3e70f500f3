/* pipeline/images/executor.h - makes the outputs of a recipe: an image on its way through a run of
 * stages, with the operations that are still pending.
 *
 * A stage that only says where to look for pixels (a crop, a flip, a resize) moves none.  It
 * adds an operation to the lazy image, which is done together with those of later stages, or
 * when a stage needs the pixels.  Memory comes from a few buffers; a buffer that another copy
 * still reads is pinned. */
#ifndef TFR_PIPELINE_EXECUTOR_H
#define TFR_PIPELINE_EXECUTOR_H

#include <string.h>

#include <tfr-private/media.h>
#include <tfr-private/pixels.h>

#include "pipeline/images/recipe.h"

/* ---- for workers ---- */

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
 * TFR_EDATA: a broken image or mask, a missing mask, one of another size than its image, or an
 * image that is smaller than a crop of it.  TFR_EFORMAT: the data is not an image.  TFR_ENOMEM: as
 * above.  On failure the outputs are undefined. */
enum tfr_status tfr_image_executor_run(struct tfr_image_executor *st, const struct tfr_recipe *r,
	const struct tfr_image_input *in, image_place *place, void *ctx, struct tfr_error *err);

/* Nanoseconds that each stage of the list took of the last input.  What several stages share is on
 * the account of one of them: a crop's decoding on that of decode, a flip in a resize on that of
 * the resize. */
const uint64_t *tfr_image_executor_spent(const struct tfr_image_executor *st);

/* Copies pixels without gaps.  Returns the end of the copy. */
static inline uint8_t *tfr_pixels_pack(const struct tfr_pixels *px, uint8_t *to)
{
	size_t row = (size_t)px->width * px->channels * tfr_dtype_size(px->dtype);

	for (uint32_t y = 0; y < px->height; y++, to += row)
		memcpy(to, (const uint8_t *)px->data + y * px->stride, row);
	return to;
}

/* ---- for stages ---- */

/* An image, or its mask. */
struct tfr_lazy_image {
	struct tfr_pixels px; /* data is NULL: there is no mask */
	/* px is the window that was decoded of an image of this size, from x, y on.  Otherwise it
	 * is complete: x and y are 0, and the size is its own. */
	uint32_t x, y, width, height;
	int buffer;  /* index of the executor's buffer that holds px; -1: none */
	bool mask;   /* resized by nearest; and its dtype stays uint8 */
	bool placed; /* px is where the output goes */
	/* Pending operations, in this order. */
	bool resize; /* to the size below */
	uint32_t to_width, to_height;
	unsigned resizer; /* the stage on whose account that is */
	bool normalise;	  /* the output of the resize to -1 … 1 */
	bool mirror, flip;
};

/* For images and masks each: one that is read, two that are written, and one for each stage that
 * makes several images of one.  There are at most nine of those (STAGES_COPIES_MAX). */
enum { EXECUTOR_BUFFERS = 12 };

struct tfr_scratch {
	void *data;
	uint64_t capacity;
};

struct tfr_image_executor {
	struct tfr_decoder *decoder, *mask_decoder;
	struct tfr_resizer *resizer;
	struct tfr_scratch buffers[2][EXECUTOR_BUFFERS]; /* of images, of masks */
	uint32_t pinned[2];				 /* pinned buffers, as bits */
	struct tfr_scratch between;
	uint64_t max_bytes, bytes; /* of all buffers */

	/* The work at hand. */
	const struct tfr_recipe *recipe;
	const struct tfr_image_input *in;
	image_place *place;
	void *ctx;
	uint32_t k;	/* the output that comes next */
	unsigned stage; /* that is at work */
	uint64_t since;
	uint64_t spent[STAGES_COUNT_MAX];
};

/* Puts the time since the last call on the account of `stage`. */
void tfr_image_executor_charge(struct tfr_image_executor *st, unsigned stage);

/* Room for so many pixels of float32 until the next call. */
enum tfr_status tfr_image_executor_between(struct tfr_image_executor *st, uint32_t width,
	uint32_t height, unsigned channels, struct tfr_pixels *px, struct tfr_error *err);

/* Applies the pending operations: then px is complete and final. */
enum tfr_status tfr_lazy_image_evaluate(
	struct tfr_image_executor *st, struct tfr_lazy_image *l, struct tfr_error *err);

/* The size after the pending operations. */
uint32_t tfr_lazy_image_width(const struct tfr_lazy_image *l);
uint32_t tfr_lazy_image_height(const struct tfr_lazy_image *l);

/* Crops to the window. */
enum tfr_status tfr_lazy_image_crop(struct tfr_image_executor *st, struct tfr_lazy_image *l,
	const struct tfr_crop *window, struct tfr_error *err);
/* Adds a resize to the pending operations. */
enum tfr_status tfr_lazy_image_resize(struct tfr_image_executor *st, struct tfr_lazy_image *l,
	uint32_t width, uint32_t height, struct tfr_error *err);
/* Whether the pixels of an image without pending operations may be changed in place. */
bool tfr_lazy_image_is_own(const struct tfr_image_executor *st, const struct tfr_lazy_image *l);

/* An image like `l` of another size and type, for the result of a stage: in the output itself if
 * no stage follows, else in a buffer. */
enum tfr_status tfr_lazy_image_target(struct tfr_image_executor *st, const struct tfr_lazy_image *l,
	uint32_t width, uint32_t height, enum tfr_dtype dtype, struct tfr_lazy_image *to,
	struct tfr_error *err);

/* The random numbers of a stage for output `copy`. Stages of the same kind draw different ones. */
struct tfr_draw tfr_image_executor_draw(
	const struct tfr_image_executor *st, unsigned stage, uint32_t copy);

/* audio.c: all outputs of a run of audio stages. */
enum tfr_status tfr_image_executor_run_audio(struct tfr_image_executor *st, struct tfr_error *err);

/* ---- what stages do ---- */

struct tfr_image_pair {
	struct tfr_lazy_image image, mask;
};

/* A stage at work on one copy of its input. */
struct tfr_step {
	struct tfr_image_executor *st;
	const struct tfr_stage *stage;
	struct tfr_draw draw;
	uint32_t copy; /* of those that this stage makes of one, from 0 */
	struct tfr_error *err;
};

struct tfr_transform {
	/* The window that the copy is of an image of this size; NULL: it cuts none. */
	enum tfr_status (*window)(
		const struct tfr_step *s, uint32_t width, uint32_t height, struct tfr_crop *window);
	/* Makes the copy of the pair, in its place. */
	enum tfr_status (*apply)(const struct tfr_step *s, struct tfr_image_pair *pair);
	/* For a stage that makes the pixels of a layer anew: writes them to `to`. */
	enum tfr_status (*make)(const struct tfr_step *s, const struct tfr_lazy_image *l,
		const struct tfr_lazy_image *to);
};

/* transforms.c: by enum tfr_transform_id. */
extern const struct tfr_transform tfr_transforms[TRANSFORMS];

#endif
