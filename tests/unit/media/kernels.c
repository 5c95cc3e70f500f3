/* Every inner loop of every processor gives the bits of the plain one, at every length, at any
 * address, and touches nothing beyond. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/rng.h"
#include "media/pixels/kernels.h"
#include "unit/variants.h"

enum { MOST = 700 /* samples */, CANARY = 0xa5, GUARD = 64 };

static const struct tfr_pixel_kernel *k; /* under test, against tfr_pixels_plain */
static struct tfr_rng rng;

/* Memory that ends with `n` elements of `size`, at an address that suits them and no more. */
struct part {
	uint8_t *memory;
	void *data;
	size_t bytes, shift;
};

static struct part part(size_t n, size_t size)
{
	struct part p = { .bytes = n * size };

	p.shift = GUARD + tfr_rng_below(&rng, 17) * size;
	p.memory = malloc(p.shift + p.bytes);
	memset(p.memory, CANARY, p.shift + p.bytes);
	p.data = p.memory + p.shift;
	return p;
}

static void fill_u8(struct part *p)
{
	for (size_t i = 0; i < p->bytes; i++)
		((uint8_t *)p->data)[i] = (uint8_t)tfr_rng_u32(&rng);
}

/* Numbers near those of pixels, halfway ones, and any bits at all but those of NaN. */
static void fill_f32(struct part *p)
{
	for (size_t i = 0; i < p->bytes / 4; i++) {
		uint32_t bits = tfr_rng_u32(&rng);
		float v = (float)(tfr_rng_unit(&rng) * 300 - 20);

		if (bits % 4 == 0)
			v = rintf(v * 2) / 2;
		if (bits % 16 == 1)
			memcpy(&v, &bits, sizeof(v));
		((float *)p->data)[i] = isnan(v) ? 1.0f / 3 : v;
	}
}

static void expect_same(struct part *have, struct part *want, const char *loop, size_t n)
{
	for (size_t i = 0; i < have->shift; i++)
		cr_assert_eq(have->memory[i], CANARY, "%s %s of %zu: written before its memory",
			k->name, loop, n);
	cr_assert_eq(
		memcmp(have->data, want->data, have->bytes), 0, "%s %s of %zu", k->name, loop, n);
	free(have->memory);
	free(want->memory);
}

static void check_mirror(size_t n)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 8, 12, 16 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct part in = part(n, sizes[s]), have = part(n, sizes[s]),
			    want = part(n, sizes[s]), place = part(n, sizes[s]),
			    again = part(n, sizes[s]);

		fill_u8(&in);
		memcpy(place.data, in.data, in.bytes);
		k->mirror(in.data, have.data, n, sizes[s]);
		tfr_pixels_plain.mirror(in.data, want.data, n, sizes[s]);
		k->mirror(place.data, place.data, n, sizes[s]);
		memcpy(again.data, want.data, want.bytes);
		expect_same(&have, &want, "mirror", n);
		expect_same(&place, &again, "mirror in place", n);
		free(in.memory);
	}
}

static void check_normalise(size_t n)
{
	float mean[2 * TFR_PATTERN], std[2 * TFR_PATTERN];
	struct part u8 = part(n, 1), f32 = part(n, 4);

	for (int i = 0; i < 2 * TFR_PATTERN; i++) {
		mean[i] =
			i < TFR_PATTERN ? (float)(tfr_rng_unit(&rng) * 200) : mean[i - TFR_PATTERN];
		std[i] = i < TFR_PATTERN ? (float)(tfr_rng_unit(&rng) + 0.1) : std[i - TFR_PATTERN];
	}
	fill_u8(&u8);
	fill_f32(&f32);
	for (int stream = 0; stream < 2; stream++) {
		struct part have = part(n, 4), want = part(n, 4);

		k->normalise_u8(u8.data, have.data, n, mean, std, stream);
		k->finish();
		tfr_pixels_plain.normalise_u8(u8.data, want.data, n, mean, std, stream);
		expect_same(&have, &want, "normalise_u8", n);
		have = part(n, 4);
		want = part(n, 4);
		k->normalise_f32(f32.data, have.data, n, mean, std, stream);
		k->finish();
		tfr_pixels_plain.normalise_f32(f32.data, want.data, n, mean, std, stream);
		expect_same(&have, &want, "normalise_f32", n);
	}
	free(u8.memory);
	free(f32.memory);
}

static void check_casts(size_t n)
{
	struct part u8 = part(n, 1), f32 = part(n, 4), have, want;

	fill_u8(&u8);
	fill_f32(&f32);
	for (int stream = 0; stream < 2; stream++) {
		have = part(n, 4);
		want = part(n, 4);
		k->u8_to_f32(u8.data, have.data, n, stream);
		k->finish();
		tfr_pixels_plain.u8_to_f32(u8.data, want.data, n, stream);
		expect_same(&have, &want, "u8_to_f32", n);
	}
	have = part(n, 2);
	want = part(n, 2);
	k->u8_to_f16(u8.data, have.data, n);
	tfr_pixels_plain.u8_to_f16(u8.data, want.data, n);
	expect_same(&have, &want, "u8_to_f16", n);
	have = part(n, 2);
	want = part(n, 2);
	k->f32_to_f16(f32.data, have.data, n);
	tfr_pixels_plain.f32_to_f16(f32.data, want.data, n);
	expect_same(&have, &want, "f32_to_f16", n);
	have = part(n, 1);
	want = part(n, 1);
	k->f32_to_u8(f32.data, have.data, n);
	tfr_pixels_plain.f32_to_u8(f32.data, want.data, n);
	expect_same(&have, &want, "f32_to_u8", n);
	free(u8.memory);
	free(f32.memory);
}

static void check_planes(size_t n)
{
	for (unsigned c = 2; c <= 4; c++) {
		struct part u8 = part(n * c, 1), f32 = part(n * c, 4), have[4], want[4];
		uint8_t *bytes[4], *plain_bytes[4];
		float *floats[4], *plain_floats[4];

		fill_u8(&u8);
		fill_f32(&f32);
		for (unsigned i = 0; i < c; i++) {
			have[i] = part(n, 1);
			want[i] = part(n, 1);
			bytes[i] = have[i].data;
			plain_bytes[i] = want[i].data;
		}
		k->planes_u8(u8.data, bytes, n, c);
		tfr_pixels_plain.planes_u8(u8.data, plain_bytes, n, c);
		for (unsigned i = 0; i < c; i++) {
			expect_same(&have[i], &want[i], "planes_u8", n);
			have[i] = part(n, 4);
			want[i] = part(n, 4);
			floats[i] = have[i].data;
			plain_floats[i] = want[i].data;
		}
		k->planes_f32(f32.data, floats, n, c);
		tfr_pixels_plain.planes_f32(f32.data, plain_floats, n, c);
		for (unsigned i = 0; i < c; i++)
			expect_same(&have[i], &want[i], "planes_f32", n);
		free(u8.memory);
		free(f32.memory);
	}
}

static void check_sums(size_t n)
{
	struct part u8 = part(n, 1), f32 = part(n, 4);
	uint64_t sums[4] = { 5, 6, 5, 6 };
	double have[TFR_SUMS] = { 1, 2 }, want[TFR_SUMS] = { 1, 2 };

	fill_u8(&u8);
	for (size_t i = 0; i < n; i++)
		((float *)f32.data)[i] = (float)(tfr_rng_unit(&rng) * 300 - 20);
	k->sums_u8(u8.data, n, &sums[0], &sums[1]);
	tfr_pixels_plain.sums_u8(u8.data, n, &sums[2], &sums[3]);
	cr_assert(sums[0] == sums[2] && sums[1] == sums[3], "%s sums_u8 of %zu", k->name, n);
	k->sums_f32(f32.data, n, have);
	tfr_pixels_plain.sums_f32(f32.data, n, want);
	cr_assert_eq(memcmp(have, want, sizeof(have)), 0, "%s sums_f32 of %zu", k->name, n);
	k->squares_f32(f32.data, n, 117.3, have);
	tfr_pixels_plain.squares_f32(f32.data, n, 117.3, want);
	cr_assert_eq(memcmp(have, want, sizeof(have)), 0, "%s squares_f32 of %zu", k->name, n);
	free(u8.memory);
	free(f32.memory);
}

/* A number of any size, of few bits or of all of them. */
static float any_size(int least, int most)
{
	uint32_t bits = tfr_rng_u32(&rng);
	float v = 1 + (float)(bits >> 9) * 0x1p-23f;

	if (bits % 8 == 0)
		v = 1;
	if (bits % 8 == 1)
		v = 0x1.fffffep0f;
	if (bits % 8 == 2)
		v = 0x1.000002p0f;
	v = ldexpf(v, least + (int)tfr_rng_below(&rng, (uint64_t)(most - least) + 1));
	return bits & 256 ? -v : v;
}

/* Quotients that are exact, or lie near the middle between two floats, or are none of these; of
 * numbers at and beyond the sizes that kernels divide in ways of their own. */
static void check_quotients(int least, int most)
{
	enum { N = 10 * TFR_PATTERN + 5 };
	float mean[2 * TFR_PATTERN], std[2 * TFR_PATTERN], in[N], have[N], want[N];
	bool no_mean = tfr_rng_below(&rng, 2);
	uint8_t bytes[N];

	for (int i = 0; i < TFR_PATTERN; i++) {
		mean[i] = mean[i + TFR_PATTERN] = no_mean ? 0 : any_size(least, most);
		std[i] = std[i + TFR_PATTERN] = any_size(least, most);
	}
	for (int i = 0; i < N; i++) {
		float q = any_size(least, most);

		/* Of the middle between q and the float after it, as near as a float comes. */
		if (i & 1)
			in[i] = (float)(((double)q + (double)nextafterf(q, 2 * q)) / 2 *
					(double)std[i % TFR_PATTERN]);
		else
			in[i] = q * std[i % TFR_PATTERN] + mean[i % TFR_PATTERN];
		if (i % 3 == 1)
			in[i] = nextafterf(in[i], INFINITY);
		if (i % 3 == 2)
			in[i] = any_size(-140, 120);
		if (i % 17 == 0)
			in[i] = mean[i % TFR_PATTERN];
		bytes[i] = (uint8_t)tfr_rng_u32(&rng);
	}
	k->normalise_f32(in, have, N, mean, std, false);
	tfr_pixels_plain.normalise_f32(in, want, N, mean, std, false);
	for (int i = 0; i < N; i++)
		cr_assert_eq(memcmp(&have[i], &want[i], 4), 0, "%s: (%a - %a) / %a is %a, not %a",
			k->name, (double)in[i], (double)mean[i % TFR_PATTERN],
			(double)std[i % TFR_PATTERN], (double)have[i], (double)want[i]);
	k->normalise_u8(bytes, have, N, mean, std, false);
	tfr_pixels_plain.normalise_u8(bytes, want, N, mean, std, false);
	for (int i = 0; i < N; i++)
		cr_assert_eq(memcmp(&have[i], &want[i], 4), 0, "%s: (%u - %a) / %a is %a, not %a",
			k->name, bytes[i], (double)mean[i % TFR_PATTERN],
			(double)std[i % TFR_PATTERN], (double)have[i], (double)want[i]);
}

static void each_kernel(void (*check)(size_t n))
{
	tfr_rng_init(&rng, 41, 0);
	for (size_t i = 0; tfr_pixel_kernels[i + 1]; i++) {
		k = tfr_pixel_kernels[i];
		if (!variant(k->usable(), "pixels", k->name))
			continue;
		for (size_t n = 0; n < MOST; n++)
			check(n);
	}
}

Test(kernels, mirror)
{
	each_kernel(check_mirror);
}

Test(kernels, normalise)
{
	each_kernel(check_normalise);
}

Test(kernels, quotients)
{
	static const int sizes[][2] = { { -9, 9 }, { -3, 3 }, { -62, -34 }, { 57, 63 },
		{ -140, 60 } };

	tfr_rng_init(&rng, 42, 0);
	for (size_t i = 0; tfr_pixel_kernels[i + 1]; i++) {
		k = tfr_pixel_kernels[i];
		for (int round = 0; k->usable() && round < 4000; round++)
			check_quotients(sizes[round % 5][0], sizes[round % 5][1]);
	}
}

Test(kernels, casts)
{
	each_kernel(check_casts);
}

Test(kernels, planes)
{
	each_kernel(check_planes);
}

Test(kernels, sums)
{
	each_kernel(check_sums);
}

/* Sums that 32 bits would not hold. */
Test(kernels, sums_of_many)
{
	enum { N = 3 << 20 };
	TFR_AUTO_FREE uint8_t *bytes = malloc(N);

	memset(bytes, 255, N);
	for (size_t i = 0; tfr_pixel_kernels[i]; i++) {
		uint64_t sum = 0, squares = 0;

		if (!tfr_pixel_kernels[i]->usable())
			continue;
		tfr_pixel_kernels[i]->sums_u8(bytes, N, &sum, &squares);
		cr_assert(sum == (uint64_t)N * 255 && squares == (uint64_t)N * 65025, "%s",
			tfr_pixel_kernels[i]->name);
	}
}

/* A sample of all floats, every NaN among them by its upper bits. */
Test(kernels, any_float_to_16_bits)
{
	enum { N = 1 << 14 };
	TFR_AUTO_FREE uint32_t *bits = malloc(N * 4);
	TFR_AUTO_FREE uint16_t *have = malloc(N * 2), *want = malloc(N * 2);

	for (size_t i = 0; tfr_pixel_kernels[i + 1]; i++) {
		if (!tfr_pixel_kernels[i]->usable())
			continue;
		for (uint32_t from = 0; from < 1u << 16; from += N / 16) {
			for (uint32_t j = 0; j < N; j++)
				bits[j] =
					(from + j / 16) << 16 | (0x0fffu + j) * 0x1357u % 0x10000u;
			tfr_pixel_kernels[i]->f32_to_f16((const float *)(void *)bits, have, N);
			tfr_pixels_plain.f32_to_f16((const float *)(void *)bits, want, N);
			for (size_t j = 0; j < N; j++)
				cr_assert_eq(have[j], want[j], "%s: %08x becomes %04x, not %04x",
					tfr_pixel_kernels[i]->name, bits[j], have[j], want[j]);
		}
	}
}
