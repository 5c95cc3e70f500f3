/* The laws of crops and flips, and that draws depend on their key alone. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include <tfr-private/media.h>

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
	/* What simulating torchvision's law at 500 x 375 gives; a wide image favours wide
	 * windows. */
	cr_assert_float_eq(area, 0.433, 0.006, "%g", area);
	cr_assert_float_eq(x, 0.5, 0.01, "%g", x);
	cr_assert_float_eq(y, 0.5, 0.01, "%g", y);
	cr_assert_float_eq(log_shape, 0.031, 0.006, "%g", log_shape);
}

Test(crop, images_of_extreme_shape_fall_back_to_the_centre)
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
	struct tfr_draw a = { 1, 2, 3, 0 }, others[] = { { 2, 2, 3, 0 }, { 1, 3, 3, 0 },
		{ 1, 2, 4, 0 }, { 1, 2 + (1ull << 32), 3, 0 }, { 1, 2, 3 + (1ull << 32), 0 },
		{ 1, 2, 3, 1 }, { 1, 2, 3, 1u << 31 } };
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

Test(crop, half_of_the_images_are_mirrored)
{
	unsigned flips = 0, downs = 0, repeats = 0, both = 0, copies = 0;

	for (uint64_t i = 0; i < 10000; i++) {
		struct tfr_draw now = { 5, 0, i, 0 }, next = { 5, 1, i, 0 }, copy = { 5, 0, i, 1 };

		flips += tfr_random_flip(&now);
		downs += tfr_random_flip_vertical(&now);
		repeats += tfr_random_flip(&now) == tfr_random_flip(&next);
		both += tfr_random_flip(&now) == tfr_random_flip_vertical(&now);
		copies += tfr_random_flip(&now) == tfr_random_flip(&copy);
	}
	cr_assert(flips > 4800 && flips < 5200, "%u", flips);
	cr_assert(downs > 4800 && downs < 5200, "%u", downs);
	cr_assert(repeats > 4800 && repeats < 5200, "%u", repeats);
	cr_assert(both > 4800 && both < 5200, "%u", both);
	cr_assert(copies > 4800 && copies < 5200, "%u", copies);
}

Test(crop, copies_of_a_record_are_drawn_for_themselves)
{
	enum { N = 5, RECORDS = 500 };
	unsigned same = 0;

	for (uint64_t i = 0; i < RECORDS; i++) {
		struct tfr_crop c[N];

		for (uint32_t copy = 0; copy < N; copy++) {
			struct tfr_draw draw = { .seed = 3, .record = i, .copy = copy };

			tfr_random_crop(&draw, 256, 256, 224, 224, &c[copy]);
			for (uint32_t k = 0; k < copy; k++)
				same += c[k].x == c[copy].x && c[k].y == c[copy].y;
		}
	}
	/* Of 33 * 33 places two are the same once in 1089 times. */
	cr_assert(same < 20, "%u of %d", same, RECORDS * N * (N - 1) / 2);
}

Test(crop, angles_are_uniform)
{
	enum { N = 20000 };
	double sum = 0, squares = 0, least = 0, most = 0;

	for (uint64_t i = 0; i < N; i++) {
		struct tfr_draw draw = { .seed = 11, .record = i };
		double a = tfr_random_angle(&draw, 30);

		cr_assert(a >= -30 && a < 30, "%g", a);
		sum += a / N;
		squares += a * a / N;
		least = a < least ? a : least;
		most = a > most ? a : most;
	}
	cr_assert_float_eq(sum, 0, 0.5, "%g", sum);
	cr_assert_float_eq(squares, 300, 8, "%g", squares);
	cr_assert(least < -29.9 && most > 29.9);
	cr_assert_eq(tfr_random_angle(&(struct tfr_draw){ .seed = 11 }, 0), 0);
}

/* mask[clip(y - n / 2, 0, h):clip(y + n / 2, 0, h)] of DeVries and Taylor's code, for each y. */
Test(crop, cutouts_are_clipped_at_the_edges)
{
	enum { W = 20, H = 13, N = 40000 };
	static const uint32_t sizes[] = { 8, 9, 1, 100 };

	for (size_t s = 0; s < 4; s++) {
		int reach = (int)sizes[s] / 2;
		unsigned expected[H] = { 0 }, seen[H] = { 0 };

		for (int y = 0; y < H; y++) {
			int first = y > reach ? y - reach : 0, end = y + reach < H ? y + reach : H;

			for (int k = first; k < end; k++)
				expected[k]++;
		}
		for (uint64_t i = 0; i < N; i++) {
			struct tfr_draw draw = { .seed = 13, .record = i };
			struct tfr_crop c;

			tfr_random_cutout(&draw, W, H, sizes[s], &c);
			cr_assert(c.x + c.width <= W && c.y + c.height <= H);
			cr_assert(
				(c.height == 0) == (reach == 0) && c.height <= 2 * (unsigned)reach);
			for (uint32_t y = c.y; y < c.y + c.height; y++)
				seen[y]++;
		}
		for (int y = 0; y < H; y++)
			cr_assert_float_eq((double)seen[y] / N, (double)expected[y] / H, 0.015,
				"size %u, row %d: %u, not %u", sizes[s], y, seen[y], expected[y]);
	}
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
}

/* By torchvision's int(round((n - to) / 2.0)); see also the golden windows. */
Test(crop, five_windows)
{
	struct tfr_crop c[5];
	struct tfr_error err = { 0 };

	cr_assert_eq(tfr_five_crop(33, 25, 30, 20, c, NULL), TFR_OK);
	cr_assert(c[0].x == 0 && c[0].y == 0 && c[1].x == 3 && c[1].y == 0);
	cr_assert(c[2].x == 0 && c[2].y == 5 && c[3].x == 3 && c[3].y == 5);
	cr_assert(c[4].x == 2 && c[4].y == 2, "%u, %u", c[4].x, c[4].y);
	cr_assert_eq(tfr_five_crop(8, 9, 7, 2, c, NULL), TFR_OK);
	cr_assert(c[4].x == 0 && c[4].y == 4, "%u, %u", c[4].x, c[4].y);
	for (int i = 0; i < 5; i++)
		cr_assert(c[i].width == 7 && c[i].height == 2);
	cr_assert_eq(tfr_five_crop(8, 9, 9, 9, c, &err), TFR_EUSAGE);
	cr_assert_str_eq(err.message, "no window of 9 x 9 in an image of 8 x 9");
	cr_assert_eq(tfr_five_crop(8, 9, 8, 10, c, NULL), TFR_EUSAGE);
	cr_assert_eq(tfr_five_crop(8, 9, 0, 1, c, NULL), TFR_EUSAGE);
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
