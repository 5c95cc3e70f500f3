/* media/pixels/crop.c - where to crop and whether to mirror: draws that depend on their key alone.
 *
 * Each kind of draw has its own Philox stream, named by (seed, epoch, kind) in the key and by the
 * record in the counter; copies after the first change the key once more.  So a draw does not
 * depend on how many numbers another one used, and no stream coincides with those that shuffling
 * draws from the bare seed. */
#include <assert.h>
#include <math.h>

#include <tfr-private/media.h>

#include "base/error.h"
#include "base/rng.h"

#define ROOM 0x6d656469 /* "medi", so that another room's draws from the same seed differ */

enum what {
	DRAW_RESIZED_CROP = 1,
	DRAW_CROP,
	DRAW_FLIP,
	DRAW_FLIP_VERTICAL,
	DRAW_ANGLE,
	DRAW_CUTOUT,
};

static void start_stream(struct tfr_rng *r, const struct tfr_draw *draw, enum what what)
{
	const uint32_t seed[2] = { (uint32_t)draw->seed, (uint32_t)(draw->seed >> 32) };
	const uint32_t label[4] = { (uint32_t)draw->epoch, (uint32_t)(draw->epoch >> 32), what,
		ROOM };
	uint32_t key[4];

	tfr_philox(seed, label, key);
	/* Copy 0 has the key that a record had before there were copies. */
	if (draw->copy)
		tfr_philox(key, (const uint32_t[4]){ draw->copy, 0, 0, ROOM }, key);
	tfr_rng_init(r, key[0] | (uint64_t)key[1] << 32, draw->record);
}

static double draw_uniform(struct tfr_rng *r, double low, double high)
{
	return low + (high - low) * tfr_rng_unit(r);
}

/* Draws the start of a window of `n` pixels on an axis of `of`. */
static uint32_t draw_start(struct tfr_rng *r, uint32_t n, uint32_t of)
{
	return (uint32_t)tfr_rng_below(r, (uint64_t)of - n + 1);
}

static void centre(uint32_t width, uint32_t height, struct tfr_crop *crop)
{
	crop->x = (width - crop->width) / 2;
	crop->y = (height - crop->height) / 2;
}

/* rint() is Python's round(), half to even, which torchvision uses. */
static bool try_crop(struct tfr_rng *r, uint32_t width, uint32_t height, struct tfr_crop *crop)
{
	double area = (double)width * height * draw_uniform(r, 0.08, 1.0);
	double shape = exp(draw_uniform(r, log(3.0 / 4.0), log(4.0 / 3.0)));
	double w = rint(sqrt(area * shape)), h = rint(sqrt(area / shape));

	if (w < 1 || h < 1 || w > width || h > height)
		return false;
	crop->width = (uint32_t)w;
	crop->height = (uint32_t)h;
	crop->y = draw_start(r, crop->height, height);
	crop->x = draw_start(r, crop->width, width);
	return true;
}

void tfr_random_resized_crop(
	const struct tfr_draw *draw, uint32_t width, uint32_t height, struct tfr_crop *crop)
{
	struct tfr_rng r;
	double shape;

	assert(width && height);
	start_stream(&r, draw, DRAW_RESIZED_CROP);
	for (int tries = 0; tries < 10; tries++)
		if (try_crop(&r, width, height, crop))
			return;
	shape = (double)width / height;
	*crop = (struct tfr_crop){ 0, 0, width, height };
	if (shape < 3.0 / 4.0)
		crop->height = (uint32_t)rint(width / (3.0 / 4.0));
	else if (shape > 4.0 / 3.0)
		crop->width = (uint32_t)rint(height * (4.0 / 3.0));
	centre(width, height, crop);
}

static uint32_t at_most(uint32_t n, uint32_t limit)
{
	return n < limit ? n : limit;
}

void tfr_random_crop(const struct tfr_draw *draw, uint32_t width, uint32_t height,
	uint32_t to_width, uint32_t to_height, struct tfr_crop *crop)
{
	struct tfr_rng r;

	start_stream(&r, draw, DRAW_CROP);
	crop->width = at_most(to_width, width);
	crop->height = at_most(to_height, height);
	crop->y = draw_start(&r, crop->height, height);
	crop->x = draw_start(&r, crop->width, width);
}

static bool draw_half(const struct tfr_draw *draw, enum what what)
{
	struct tfr_rng r;

	start_stream(&r, draw, what);
	return tfr_rng_u32(&r) >> 31;
}

bool tfr_random_flip(const struct tfr_draw *draw)
{
	return draw_half(draw, DRAW_FLIP);
}

bool tfr_random_flip_vertical(const struct tfr_draw *draw)
{
	return draw_half(draw, DRAW_FLIP_VERTICAL);
}

double tfr_random_angle(const struct tfr_draw *draw, double degrees)
{
	struct tfr_rng r;

	start_stream(&r, draw, DRAW_ANGLE);
	return draw_uniform(&r, -degrees, degrees);
}

/* The pixels within `reach` of a random one, on an axis of `n`. */
static uint32_t cut_axis(struct tfr_rng *r, uint32_t n, uint32_t reach, uint32_t *first)
{
	uint32_t at = (uint32_t)tfr_rng_below(r, n);

	*first = at > reach ? at - reach : 0;
	return at + at_most(reach, n - at) - *first;
}

void tfr_random_cutout(const struct tfr_draw *draw, uint32_t width, uint32_t height, uint32_t size,
	struct tfr_crop *window)
{
	struct tfr_rng r;

	assert(width && height);
	start_stream(&r, draw, DRAW_CUTOUT);
	window->height = cut_axis(&r, height, size / 2, &window->y);
	window->width = cut_axis(&r, width, size / 2, &window->x);
}

/* Python's round(n / 2): half to even. */
static uint32_t half_to_even(uint32_t n)
{
	return n / 2 + (n % 4 == 3);
}

enum tfr_status tfr_five_crop(uint32_t width, uint32_t height, uint32_t to_width,
	uint32_t to_height, struct tfr_crop crops[5], struct tfr_error *err)
{
	uint32_t x = width - to_width, y = height - to_height;

	if (!to_width || !to_height || to_width > width || to_height > height)
		return tfr_fail(err, TFR_EUSAGE, "no window of %u x %u in an image of %u x %u",
			to_width, to_height, width, height);
	crops[0] = (struct tfr_crop){ 0, 0, to_width, to_height };
	crops[1] = (struct tfr_crop){ x, 0, to_width, to_height };
	crops[2] = (struct tfr_crop){ 0, y, to_width, to_height };
	crops[3] = (struct tfr_crop){ x, y, to_width, to_height };
	crops[4] = (struct tfr_crop){ half_to_even(x), half_to_even(y), to_width, to_height };
	return TFR_OK;
}

void tfr_centre_shape(uint32_t width, uint32_t height, uint32_t shape_width, uint32_t shape_height,
	struct tfr_crop *crop)
{
	uint64_t w = (uint64_t)height * shape_width / shape_height;
	uint64_t h = (uint64_t)width * shape_height / shape_width;

	/* At least one pixel, however flat the shape. */
	crop->width = w < width ? (uint32_t)(w ? w : 1) : width;
	crop->height = h < height ? (uint32_t)(h ? h : 1) : height;
	centre(width, height, crop);
}
