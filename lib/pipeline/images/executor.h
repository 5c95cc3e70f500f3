/* pipeline/images/executor.h - inside of a executor: an image on its way through a run of stages,
 * with what is still to be done to it.
 *
 * A stage that only says where pixels are to be looked for (a crop, a flip, a resize) moves none:
 * it is noted in the layer, and done together with what comes behind it, or when a stage needs to
 * see the pixels.  Memory is taken from a few buffers; one that a sibling still looks at is pinned.
 */
#ifndef TFR_PIPELINE_EXECUTOR_H
#define TFR_PIPELINE_EXECUTOR_H

#include "pipeline/images/recipe.h"

/* An image, or its mask. */
struct tfr_lazy_image {
	struct tfr_pixels px; /* data is NULL: there is no mask */
	/* px is all that was decoded of an image of this size: its part from x, y on.  Otherwise
	 * it is whole: x and y are 0, the size is its own. */
	uint32_t x, y, width, height;
	int buffer;  /* of the executor, that px lies in; -1: none */
	bool mask;   /* resized by nearest; and its dtype stays uint8 */
	bool placed; /* px is where the output goes */
	/* What is yet to be done, in this order. */
	bool resize; /* to the size below */
	uint32_t to_width, to_height;
	unsigned resizer; /* the stage on whose account that is */
	bool normalise;	  /* to -1 … 1, what the resize gives */
	bool mirror, flip;
};

/* Of images as of masks: one that is read, two that are made, and one for each stage that makes
 * several images of one, of which there are at most nine (STAGES_COPIES_MAX). */
enum { EXECUTOR_BUFFERS = 12 };

struct tfr_scratch {
	void *data;
	uint64_t capacity;
};

struct tfr_image_executor {
	struct tfr_decoder *decoder, *mask_decoder;
	struct tfr_resizer *resizer, *mask_resizer;
	struct tfr_scratch buffers[2][EXECUTOR_BUFFERS]; /* of images, of masks */
	uint32_t pinned[2]; /* those that must stay as they are: bits */
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

/* So many rows of float32 that they stay near the processor, and room for them until the next call.
 */
uint32_t tfr_image_executor_band(uint32_t width, unsigned channels);
enum tfr_status tfr_image_executor_between(struct tfr_image_executor *st, uint32_t width,
	uint32_t height, unsigned channels, struct tfr_pixels *px, struct tfr_error *err);

/* Does what is yet to be done to it: then px is whole and as it should be. */
enum tfr_status tfr_lazy_image_evaluate(
	struct tfr_image_executor *st, struct tfr_lazy_image *l, struct tfr_error *err);

/* What the image is by now. */
uint32_t tfr_lazy_image_width(const struct tfr_lazy_image *l);
uint32_t tfr_lazy_image_height(const struct tfr_lazy_image *l);

/* The window as it lies in what is not turned yet. */
struct tfr_crop tfr_lazy_image_unturned(const struct tfr_lazy_image *l, struct tfr_crop window);
/* Leaves what is inside of the window. */
enum tfr_status tfr_lazy_image_crop(struct tfr_image_executor *st, struct tfr_lazy_image *l,
	const struct tfr_crop *window, struct tfr_error *err);
/* Notes a resize. */
enum tfr_status tfr_lazy_image_resize(struct tfr_image_executor *st, struct tfr_lazy_image *l,
	uint32_t width, uint32_t height, struct tfr_error *err);
/* Copies the pixels to another place of that size. */
void tfr_lazy_image_copy(const struct tfr_lazy_image *l, const struct tfr_lazy_image *to);
/* Whether a settled layer's pixels may be changed where they are. */
bool tfr_lazy_image_is_own(const struct tfr_image_executor *st, const struct tfr_lazy_image *l);

/* What is like `l`, of another size and type, where a stage is to put its result: the output itself
 * where no stage comes behind it, else a buffer. */
enum tfr_status tfr_lazy_image_target(struct tfr_image_executor *st, const struct tfr_lazy_image *l,
	uint32_t width, uint32_t height, enum tfr_dtype dtype, struct tfr_lazy_image *to,
	struct tfr_error *err);

/* Does what is yet to be done and puts the result where it goes. */
enum tfr_status tfr_lazy_image_output(
	struct tfr_image_executor *st, struct tfr_lazy_image *l, struct tfr_error *err);

/* What a stage draws from for output `copy`.  Another of its kind before it draws otherwise. */
struct tfr_draw tfr_image_executor_draw(
	const struct tfr_image_executor *st, unsigned stage, uint32_t copy);

/* audio_stages.c: all outputs of a run of sounds. */
enum tfr_status tfr_image_executor_run_audio(struct tfr_image_executor *st, struct tfr_error *err);

/* ---- what stages do ---- */

struct tfr_image_pair {
	struct tfr_lazy_image image, mask;
};

/* Samples of a sound: so many of those that there are, from one of them on, and zeros behind them.
 */
struct tfr_sample_range {
	uint64_t from, there, length; /* there <= length, zeros included */
};

struct tfr_transform {
	/* The window that copy `c` is of an image of this size; NULL: it cuts none. */
	enum tfr_status (*window)(const struct tfr_stage *stage, const struct tfr_draw *draw,
		uint32_t width, uint32_t height, uint32_t c, struct tfr_crop *window,
		struct tfr_error *err);
	/* Makes copy `c` of the pair. */
	enum tfr_status (*apply)(struct tfr_image_executor *st, const struct tfr_stage *stage,
		const struct tfr_draw *draw, uint32_t c, struct tfr_image_pair *pair,
		struct tfr_error *err);
	/* Of sounds, in place of the two above; a stage has one of these, or none.  Leaves a part
	 * of the stretch. */
	void (*stretch)(const struct tfr_stage *stage, const struct tfr_draw *draw,
		struct tfr_sample_range *s);
	/* Makes stage->voices channels of `channels`, side by side. */
	void (*mix)(const struct tfr_stage *stage, const float *in, size_t samples,
		unsigned channels, float *out);
};

#endif
