/* The laws of crops and flips, and that draws depend on their key alone. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include <tfr/media.h>

static bool within(const struct tfr_crop *c, uint32_t width, uint32_t height)
{
	return c->width && c->height && c->x + c->width <= width && c->y + c->height <= height;
}

Test(crop, random_resized_crops_obey_the_law)
{
	enum { N = 20000, W = 500, H = 375 };
	double area = 0, log_shape = 0, x = 0, y = 0;

	for (uint64_t i = 0; i < N; i++) {
		struct tfr_draw draw = { .seed = 7, .epoch = 1, .record = i };
		struct tfr_crop c;
		double share, shape;

		tfr_random_resized_crop(&draw, W, H, &c);
		cr_assert(within(&c, W, H));
		share = (double)c.width * c.height / (W * H);
		shape = (double)c.width / c.height;
		cr_assert(share > 0.078 && share <= 1, "%g", share);
		cr_assert(shape > 0.74 && shape < 1.345, "%g", shape);
		area += share / N;
		log_shape += log(shape) / N;
		x += c.width == W ? 0.5 / N : (double)c.x / (W - c.width) / N;
		y += c.height == H ? 0.5 / N : (double)c.y / (H - c.height) / N;
	}
	/* What simulating torchvision's law at 500 x 375 gives; a wide picture favours wide
	 * windows. */
	cr_assert_float_eq(area, 0.433, 0.006, "%g", area);
	cr_assert_float_eq(x, 0.5, 0.01, "%g", x);
	cr_assert_float_eq(y, 0.5, 0.01, "%g", y);
	cr_assert_float_eq(log_shape, 0.031, 0.006, "%g", log_shape);
}

Test(crop, pictures_of_extreme_shape_fall_back_to_the_centre)
{
	struct tfr_draw draw = { .seed = 7 };
	struct tfr_crop c;

	tfr_random_resized_crop(
		&draw, 1000, 3, &c); /* no window of 8 % of the area fits the height */
	cr_assert(c.x == 498 && c.y == 0 && c.width == 4 && c.height == 3, "%u %u %u %u", c.x, c.y,
		c.width, c.height);
	tfr_random_resized_crop(&draw, 3, 1000, &c);
	cr_assert(c.x == 0 && c.y == 498 && c.width == 3 && c.height == 4);
	tfr_random_resized_crop(&draw, 1, 1, &c);
	cr_assert(c.x == 0 && c.y == 0 && c.width == 1 && c.height == 1);
}

Test(crop, draws_depend_on_their_key_alone)
{
	struct tfr_draw a = { 1, 2, 3 }, others[] = { { 2, 2, 3 }, { 1, 3, 3 }, { 1, 2, 4 },
		{ 1, 2 + (1ull << 32), 3 }, { 1, 2, 3 + (1ull << 32) } };
	struct tfr_crop first, again, other;

	tfr_random_resized_crop(&a, 500, 375, &first);
	tfr_random_flip(&a);
	tfr_random_crop(&a, 500, 375, 100, 100, &other);
	tfr_random_resized_crop(&a, 500, 375, &again);
	cr_assert_eq(memcmp(&first, &again, sizeof(first)), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		tfr_random_resized_crop(&others[i], 500, 375, &other);
		cr_assert(memcmp(&first, &other, sizeof(first)) != 0, "%zu", i);
	}
	/* Pinned: the same batches for the same seed in every version. */
	cr_assert(first.x == 299 && first.y == 142 && first.width == 178 && first.height == 187,
		"%u, %u, %u, %u", first.x, first.y, first.width, first.height);
}

Test(crop, half_of_the_pictures_are_mirrored)
{
	unsigned flips = 0, repeats = 0;

	for (uint64_t i = 0; i < 10000; i++) {
		struct tfr_draw now = { 5, 0, i }, next = { 5, 1, i };

		flips += tfr_random_flip(&now);
		repeats += tfr_random_flip(&now) == tfr_random_flip(&next);
	}
	cr_assert(flips > 4800 && flips < 5200, "%u", flips);
	cr_assert(repeats > 4800 && repeats < 5200, "%u", repeats);
}

Test(crop, centred_windows)
{
	struct tfr_crop c;

	tfr_centre_shape(500, 375, 1, 1, &c);
	cr_assert(c.x == 62 && c.y == 0 && c.width == 375 && c.height == 375);
	tfr_centre_shape(375, 500, 16, 9, &c);
	cr_assert(c.x == 0 && c.y == 145 && c.width == 375 && c.height == 210);
	tfr_centre_shape(1, 1000, 1000, 1, &c);
	cr_assert(c.width == 1 && c.height == 1 && c.y == 499);
	tfr_centre_crop(17, 13, 8, 8, &c);
	cr_assert(c.x == 4 && c.y == 2 && c.width == 8 && c.height == 8);
	tfr_centre_crop(17, 13, 224, 8, &c);
	cr_assert(c.x == 0 && c.y == 2 && c.width == 17 && c.height == 8);
}

Test(crop, random_crops_of_a_size_go_everywhere)
{
	bool left = false, right = false, top = false, bottom = false;

	for (uint64_t i = 0; i < 2000; i++) {
		struct tfr_draw draw = { .record = i };
		struct tfr_crop c;

		tfr_random_crop(&draw, 20, 10, 16, 8, &c);
		cr_assert(within(&c, 20, 10) && c.width == 16 && c.height == 8);
		left |= c.x == 0;
		right |= c.x == 4;
		top |= c.y == 0;
		bottom |= c.y == 2;
	}
	cr_assert(left && right && top && bottom);
}

Test(crop, a_window_of_a_view_moves_no_pixel)
{
	const uint8_t pixels[24] = { 0 };
	const struct tfr_image image = { pixels, 12, 4, 2, 3 };
	struct tfr_image part;

	cr_assert_eq(
		tfr_image_window(&image, &(struct tfr_crop){ 1, 1, 2, 1 }, &part, NULL), TFR_OK);
	cr_assert(part.data == pixels + 15 && part.stride == 12 && part.width == 2 &&
		  part.height == 1 && part.channels == 3);
	cr_assert_eq(tfr_image_window(&image, &(struct tfr_crop){ 3, 0, 2, 1 }, &part, NULL),
		TFR_EUSAGE);
}
