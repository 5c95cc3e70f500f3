/* pipeline/studio.h - inside of a studio: an image on its way through a run of stages, with what
 * is still to be done to it.
 *
 * A stage that only says where pixels are to be looked for (a crop, a flip, a resize) moves none:
 * it is noted in the layer, and done together with what comes behind it, or when a stage needs to
 * see the pixels.  Memory is taken from a few buffers; one that a sibling still looks at is pinned.
 */
#ifndef TFR_PIPELINE_STUDIO_H
#define TFR_PIPELINE_STUDIO_H

#include "pipeline/recipe.h"

/* An image, or its mask. */
struct layer {
	struct tfr_pixels px; /* data is NULL: there is no mask */
	/* px is all that was decoded of an image of this size: its part from x, y on.  Otherwise
	 * it is whole: x and y are 0, the size is its own. */
	uint32_t x, y, width, height;
	int buffer;  /* of the studio, that px lies in; -1: none */
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
enum { STUDIO_BUFFERS = 12 };

struct buffer {
	void *data;
	uint64_t capacity;
};

struct studio {
	struct tfr_decoder *decoder, *mask_decoder;
	struct tfr_resizer *resizer, *mask_resizer;
	struct buffer buffers[2][STUDIO_BUFFERS]; /* of images, of masks */
	uint32_t pinned[2];			  /* those that must stay as they are: bits */
	struct buffer between;
	uint64_t max_bytes, bytes; /* of all buffers */

	/* The work at hand. */
	const struct recipe *recipe;
	const struct image_in *in;
	image_place *place;
	void *ctx;
	uint32_t k;	/* the output that comes next */
	unsigned stage; /* that is at work */
	uint64_t since;
	uint64_t spent[STAGES_COUNT_MAX];
};

/* Puts the time since the last call on the account of `stage`. */
void studio_charge(struct studio *st, unsigned stage);

/* So many rows of float32 that they stay near the processor, and room for them until the next call.
 */
uint32_t studio_band(uint32_t width, unsigned channels);
enum tfr_status studio_between(struct studio *st, uint32_t width, uint32_t height,
	unsigned channels, struct tfr_pixels *px, struct tfr_error *err);

/* Does what is yet to be done to it: then px is whole and as it should be. */
enum tfr_status layer_settle(struct studio *st, struct layer *l, struct tfr_error *err);

/* What the image is by now. */
uint32_t layer_width(const struct layer *l);
uint32_t layer_height(const struct layer *l);

/* The window as it lies in what is not turned yet. */
struct tfr_crop layer_unturned(const struct layer *l, struct tfr_crop window);
/* Leaves what is inside of the window. */
enum tfr_status layer_cut(
	struct studio *st, struct layer *l, const struct tfr_crop *window, struct tfr_error *err);
/* Notes a resize. */
enum tfr_status layer_resize(
	struct studio *st, struct layer *l, uint32_t width, uint32_t height, struct tfr_error *err);
/* Copies the pixels to another place of that size. */
void layer_copy(const struct layer *l, const struct layer *to);
/* Whether a settled layer's pixels may be changed where they are. */
bool layer_is_own(const struct studio *st, const struct layer *l);

/* What is like `l`, of another size and type, where a stage is to put its result: the output itself
 * where no stage comes behind it, else a buffer. */
enum tfr_status layer_target(struct studio *st, const struct layer *l, uint32_t width,
	uint32_t height, enum tfr_dtype dtype, struct layer *to, struct tfr_error *err);

/* Does what is yet to be done and puts the result where it goes. */
enum tfr_status layer_put(struct studio *st, struct layer *l, struct tfr_error *err);

/* What a stage draws from for output `copy`.  Another of its kind before it draws otherwise. */
struct tfr_draw studio_draw(const struct studio *st, unsigned stage, uint32_t copy);

/* sound.c: all outputs of a run of sounds. */
enum tfr_status studio_make_sounds(struct studio *st, struct tfr_error *err);

/* ---- what stages do ---- */

struct pair {
	struct layer image, mask;
};

/* Samples of a sound: so many of those that there are, from one of them on, and zeros behind them.
 */
struct stretch {
	uint64_t from, there, length; /* there <= length, zeros included */
};

struct transform {
	/* The window that copy `c` is of an image of this size; NULL: it cuts none. */
	enum tfr_status (*window)(const struct stage *stage, const struct tfr_draw *draw,
		uint32_t width, uint32_t height, uint32_t c, struct tfr_crop *window,
		struct tfr_error *err);
	/* Makes copy `c` of the pair. */
	enum tfr_status (*apply)(struct studio *st, const struct stage *stage,
		const struct tfr_draw *draw, uint32_t c, struct pair *pair, struct tfr_error *err);
	/* Of sounds, in place of the two above; a stage has one of these, or none.  Leaves a part
	 * of the stretch. */
	void (*stretch)(const struct stage *stage, const struct tfr_draw *draw, struct stretch *s);
	/* Makes stage->voices channels of `channels`, side by side. */
	void (*mix)(const struct stage *stage, const float *in, size_t samples, unsigned channels,
		float *out);
};

#endif
