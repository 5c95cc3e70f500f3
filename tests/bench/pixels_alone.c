/* pixels_alone - how fast the inner loops that go over pixels are, beside memcpy().
 *
 *     pixels_alone [IMAGES]          [64] of 224 x 224 x 3: what a batch is
 *
 * A line a loop: the bytes it reads and writes a second, for each kernel that this processor runs,
 * and in brackets how many times as long as memcpy() of as many bytes the fastest one takes.  The
 * best of some runs counts.  With 1 image all of it stays in the cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "media/pixels/kernels.h"

enum { SIDE = 224, SAMPLES = SIDE * SIDE * 3, RUNS = 15 };

static struct {
	uint8_t *u8, *out;
	float *f32;
	float mean[2 * TFR_PATTERN], std[2 * TFR_PATTERN];
	double sums[TFR_SUMS];
	uint64_t sum, squares;
} m;

/* One image, the `i`-th. */
typedef void loop(const struct tfr_pixel_kernel *k, size_t i);

#define U8 (m.u8 + i * SAMPLES)
#define F32 (m.f32 + i * SAMPLES)
#define OUT(type) ((type *)(void *)(m.out + i * SAMPLES * sizeof(type)))

static void mirror_u8(const struct tfr_pixel_kernel *k, size_t i)
{
	for (size_t y = 0; y < SIDE; y++)
		k->mirror(U8 + y * SIDE * 3, OUT(uint8_t) + y * SIDE * 3, SIDE, 3);
}

static void mirror_f32(const struct tfr_pixel_kernel *k, size_t i)
{
	for (size_t y = 0; y < SIDE; y++)
		k->mirror((const uint8_t *)(F32 + y * SIDE * 3),
			(uint8_t *)(OUT(float) + y * SIDE * 3), SIDE, 12);
}

static void normalise_u8(const struct tfr_pixel_kernel *k, size_t i)
{
	k->normalise_u8(U8, OUT(float), SAMPLES, m.mean, m.std, false);
}

static void normalise_u8_stream(const struct tfr_pixel_kernel *k, size_t i)
{
	k->normalise_u8(U8, OUT(float), SAMPLES, m.mean, m.std, true);
}

static void normalise_f32(const struct tfr_pixel_kernel *k, size_t i)
{
	k->normalise_f32(F32, OUT(float), SAMPLES, m.mean, m.std, false);
}

static void u8_to_f32(const struct tfr_pixel_kernel *k, size_t i)
{
	k->u8_to_f32(U8, OUT(float), SAMPLES, false);
}

static void u8_to_f16(const struct tfr_pixel_kernel *k, size_t i)
{
	k->u8_to_f16(U8, OUT(uint16_t), SAMPLES);
}

static void f32_to_f16(const struct tfr_pixel_kernel *k, size_t i)
{
	k->f32_to_f16(F32, OUT(uint16_t), SAMPLES);
}

static void f32_to_u8(const struct tfr_pixel_kernel *k, size_t i)
{
	k->f32_to_u8(F32, OUT(uint8_t), SAMPLES);
}

static void planes_u8(const struct tfr_pixel_kernel *k, size_t i)
{
	uint8_t *out = OUT(uint8_t), *const planes[3] = { out, out + SAMPLES / 3,
		out + SAMPLES / 3 * 2 };

	k->planes_u8(U8, planes, SAMPLES / 3, 3);
}

static void planes_f32(const struct tfr_pixel_kernel *k, size_t i)
{
	float *out = OUT(float), *const planes[3] = { out, out + SAMPLES / 3,
		out + SAMPLES / 3 * 2 };

	k->planes_f32(F32, planes, SAMPLES / 3, 3);
}

static void sums_u8(const struct tfr_pixel_kernel *k, size_t i)
{
	k->sums_u8(U8, SAMPLES, &m.sum, &m.squares);
}

static void sums_f32(const struct tfr_pixel_kernel *k, size_t i)
{
	k->sums_f32(F32, SAMPLES, m.sums);
}

static void squares_f32(const struct tfr_pixel_kernel *k, size_t i)
{
	k->squares_f32(F32, SAMPLES, 117.3, m.sums);
}

static const struct {
	const char *name;
	loop *run;
	unsigned read, written; /* bytes a sample */
} loops[] = {
	{ "mirror u8", mirror_u8, 1, 1 },
	{ "mirror f32", mirror_f32, 4, 4 },
	{ "normalise u8", normalise_u8, 1, 4 },
	{ "normalise u8 stream", normalise_u8_stream, 1, 4 },
	{ "normalise f32", normalise_f32, 4, 4 },
	{ "u8 to f32", u8_to_f32, 1, 4 },
	{ "u8 to f16", u8_to_f16, 1, 2 },
	{ "f32 to f16", f32_to_f16, 4, 2 },
	{ "f32 to u8", f32_to_u8, 4, 1 },
	{ "planes u8", planes_u8, 1, 1 },
	{ "planes f32", planes_f32, 4, 4 },
	{ "sums u8", sums_u8, 1, 0 },
	{ "sums f32", sums_f32, 4, 0 },
	{ "squares f32", squares_f32, 4, 0 },
};

/* Seconds for all images, the best run's; NULL: memcpy() of `bytes` an image. */
static double best(loop *run, const struct tfr_pixel_kernel *k, size_t images, size_t bytes)
{
	uint64_t least = UINT64_MAX;
	size_t rounds = 1 + 64 / images;

	for (int r = 0; r < RUNS; r++) {
		uint64_t start = tfr_clock_ns(), took;

		for (size_t again = 0; again < rounds; again++)
			for (size_t i = 0; i < images; i++)
				if (run)
					run(k, i);
				else
					memcpy(m.out + i * bytes, (uint8_t *)m.f32 + i * bytes,
						bytes);
		took = tfr_clock_ns() - start;
		least = took < least ? took : least;
	}
	return (double)least / 1e9 / (double)rounds;
}

static void *memory(size_t n)
{
	void *p = aligned_alloc(64, n);

	if (!p)
		abort();
	memset(p, 77, n);
	return p;
}

static void print_loop(size_t l, size_t images)
{
	/* memcpy() reads as much as it writes. */
	size_t moved = (size_t)SAMPLES * (loops[l].read + loops[l].written);
	double copied = best(NULL, NULL, images, moved / 2), fastest = 0;

	printf("%-20s", loops[l].name);
	for (size_t k = 0; tfr_pixel_kernels[k]; k++) {
		double took;

		if (!tfr_pixel_kernels[k]->usable())
			continue;
		took = best(loops[l].run, tfr_pixel_kernels[k], images, 0);
		fastest = fastest == 0 || took < fastest ? took : fastest;
		printf("  %s %6.2f GB/s", tfr_pixel_kernels[k]->name,
			(double)moved * (double)images / took / 1e9);
	}
	printf("  memcpy %6.2f GB/s  (%.2f)\n", (double)moved * (double)images / copied / 1e9,
		fastest / copied);
}

int main(int argc, char **argv)
{
	size_t images = argc > 1 ? (size_t)atoi(argv[1]) : 64;

	if (argc > 2 || !images) {
		fputs("usage: pixels_alone [IMAGES]\n", stderr);
		return 2;
	}
	m.u8 = memory(images * SAMPLES);
	m.f32 = memory(images * SAMPLES * sizeof(float));
	m.out = memory(images * SAMPLES * sizeof(float));
	for (size_t i = 0; i < images * SAMPLES; i++)
		m.f32[i] = m.u8[i] = (uint8_t)(i * 2654435761u >> 24);
	for (size_t i = 0; i < 2 * TFR_PATTERN; i++) {
		m.mean[i] = 123.675f;
		m.std[i] = 58.395f;
	}
	for (size_t l = 0; l < sizeof(loops) / sizeof(*loops); l++)
		print_loop(l, images);
	free(m.u8);
	free(m.f32);
	free(m.out);
	return 0;
}
