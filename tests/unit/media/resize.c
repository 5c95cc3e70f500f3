/* The fast kernels and the plain one give the same bits; mirroring and normalising are what they
 * would be afterwards. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "images.h"
#include "media/resize/kernels.h"
#include "unit/variants.h"

enum { PAD = 64 /* bytes of canary behind an output */ };

/* What the header says, said again without any of the library's code. */
static float reference_axis(uint32_t i, uint32_t in, uint32_t out, uint32_t *low, uint32_t *high)
{
	volatile float scale = (float)in / (float)out, half = (float)i + 0.5f;
	volatile float scaled = half * scale, src = scaled - 0.5f, f = floorf(src);
	float c = ceilf(src);

	*low = f < 0 ? 0 : (uint32_t)f;
	*high = c > (float)(in - 1) ? in - 1 : c < 0 ? 0 : (uint32_t)c;
	return src - f;
}

static float lerp(float a, float b, float weight)
{
	volatile float difference = b - a, step = difference * weight;

	return a + step;
}

static float reference(
	const struct tfr_image *m, uint32_t w, uint32_t h, uint32_t x, uint32_t y, unsigned c)
{
	uint32_t x0, x1, y0, y1;
	float wx = reference_axis(x, m->width, w, &x0, &x1),
	      wy = reference_axis(y, m->height, h, &y0, &y1);
	const uint8_t *top = m->data + y0 * m->stride + c, *bottom = m->data + y1 * m->stride + c;
	size_t l = (size_t)x0 * m->channels, r = (size_t)x1 * m->channels;

	return lerp(lerp(top[l], top[r], wx), lerp(bottom[l], bottom[r], wx), wy);
}

static void check_reference(
	const struct tfr_image *m, uint32_t w, uint32_t h, unsigned flags, const float *out)
{
	size_t i = 0;

	for (uint32_t y = 0; y < h; y++)
		for (uint32_t x = 0; x < w; x++)
			for (unsigned c = 0; c < m->channels; c++, i++) {
				float v = reference(
					m, w, h, flags & TFR_RESIZE_MIRROR ? w - 1 - x : x, y, c);

				if (flags & TFR_RESIZE_NORMALISE)
					v = (v - 127.5f) / 127.5f;
				cr_assert_eq(memcmp(&v, &out[i], sizeof(v)), 0,
					"%u x %u x %u to %u x %u, flags %u, at %u, %u: %g, not %g",
					m->width, m->height, m->channels, w, h, flags, x, y,
					(double)out[i], (double)v);
			}
}

/* Source and target end exactly at the end of their memory, which a sanitizer watches. */
static void check_one(
	struct tfr_resizer *r, struct tfr_rng *rng, uint32_t in_limit, uint32_t out_limit)
{
	struct tfr_image m = {
		.width = 1 + (uint32_t)tfr_rng_below(rng, in_limit),
		.height = 1 + (uint32_t)tfr_rng_below(rng, in_limit),
		.channels = 1 + (unsigned)tfr_rng_below(rng, 4),
	};
	uint32_t w = 1 + (uint32_t)tfr_rng_below(rng, out_limit),
		 h = 1 + (uint32_t)tfr_rng_below(rng, out_limit);
	unsigned flags = (unsigned)tfr_rng_below(rng, 16);
	size_t n = (size_t)w * h * m.channels, shift = tfr_rng_below(rng, 2) ? 0 : 1;
	TFR_AUTO_FREE uint8_t *pixels;
	TFR_AUTO_FREE float *out =
		aligned_alloc(64, ((n + shift) * sizeof(float) + PAD + 63) / 64 * 64);

	m.stride = (size_t)m.width * m.channels + tfr_rng_below(rng, 3);
	pixels = noise(m.stride * (m.height - 1) + (size_t)m.width * m.channels, tfr_rng_u64(rng));
	m.data = pixels;
	memset(out + shift + n, 0x5a, PAD);
	cr_assert_eq(tfr_resize_bilinear(r, &m, w, h, flags, out + shift, NULL), TFR_OK);
	check_reference(&m, w, h, flags, out + shift);
	for (int i = 0; i < PAD; i++)
		cr_assert_eq(((uint8_t *)(out + shift + n))[i], 0x5a);
}

Test(resize, every_kernel_gives_the_reference_bits)
{
	struct tfr_resizer *r = tfr_resizer_new();
	struct tfr_rng rng;

	tfr_rng_init(&rng, 3, 0);
	for (int i = 0; i < 300; i++) {
		check_one(r, &rng, 40, 90); /* mostly larger */
		check_one(r, &rng, 120,
			40); /* mostly smaller, often by more than a kernel's window */
		check_one(r, &rng, 90, 90);
	}
	tfr_resizer_free(r);
}

/* The AVX2 kernel is not reached through the public function where AVX-512 is: each is called here.
 */
static void check_kernel(const struct tfr_resize_kernel *k, const struct tfr_resize_kernel *plain,
	uint32_t in, uint32_t out)
{
	struct {
		uint32_t low[1024], high[1024];
		_Alignas(64) float weight[1024];
	} t;
	struct tfr_resize_columns c = {
		.n = out * 3, .row_bytes = in * 3, .low = t.low, .high = t.high, .weight = t.weight
	};
	TFR_AUTO_FREE uint8_t *row = noise(in * 3, in);
	_Alignas(64) float a[1024], b[1024], va[1024], vb[1024];

	c.padded = (c.n + TFR_RESIZE_PAD - 1) / TFR_RESIZE_PAD * TFR_RESIZE_PAD;
	for (size_t i = 0; i < c.padded; i++) {
		size_t e = i < c.n ? i : c.n - 1;

		t.weight[i] = reference_axis((uint32_t)e / 3, in, out, &t.low[i], &t.high[i]);
		t.low[i] = t.low[i] * 3 + e % 3;
		t.high[i] = t.high[i] * 3 + e % 3;
	}
	TFR_AUTO_FREE void *tables = c.tables =
		aligned_alloc(64, c.padded / TFR_RESIZE_PAD * k->table_size);
	if (!k->prepare(&c)) {
		cr_assert(in > out * 2 || in * 3 < 64, "%s declined %u to %u", k->name, in, out);
		return;
	}
	k->horizontal(&c, row, a);
	plain->horizontal(&c, row, b);
	cr_assert_eq(memcmp(a, b, c.n * sizeof(*a)), 0, "%s, %u to %u", k->name, in, out);
	for (unsigned flags = 0; flags < 8; flags++) {
		float *at = va + (out & 1); /* aligned or not */

		k->vertical(a, b + 16 * (in & 3), 0.3f, c.n / 2, flags, at);
		k->finish();
		plain->vertical(a, b + 16 * (in & 3), 0.3f, c.n / 2, flags, vb);
		cr_assert_eq(
			memcmp(at, vb, c.n / 2 * sizeof(*va)), 0, "%s, flags %u", k->name, flags);
	}
	(void)tables;
}

Test(resize, each_kernel_equals_its_plain_twin)
{
	const struct tfr_resize_kernel *const *k = tfr_resize_kernels, *plain;
	struct tfr_rng rng;

	for (plain = *k; k[1]; k++)
		plain = k[1];
	for (k = tfr_resize_kernels; *k != plain; k++) {
		if (!variant((*k)->usable(), "resize", (*k)->name))
			continue;
		tfr_rng_init(&rng, 5, 0);
		for (int i = 0; i < 2000; i++)
			check_kernel(*k, plain, 1 + (uint32_t)tfr_rng_below(&rng, 600),
				1 + (uint32_t)tfr_rng_below(&rng, 300));
	}
}

Test(resize, what_cannot_be_is_refused)
{
	struct tfr_resizer *r = tfr_resizer_new();
	uint8_t pixel[4] = { 0 };
	const struct tfr_image good = { pixel, 4, 1, 1, 4 };
	struct tfr_image none = good, wide = good;
	struct tfr_error err = { 0 };
	float out[4];

	none.height = 0;
	wide.channels = 5;
	cr_assert_eq(tfr_resize_bilinear(r, &good, 1, 1, 0, out, &err), TFR_OK);
	cr_assert_eq(tfr_resize_bilinear(r, &good, 0, 1, 0, out, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_resize_bilinear(r, &none, 1, 1, 0, out, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_resize_bilinear(r, &wide, 1, 1, 0, out, &err), TFR_EUSAGE);
	cr_assert_eq(tfr_resize_bilinear(r, &good, 1u << 25, 1, 0, out, &err), TFR_EUSAGE);
	tfr_resizer_free(r);
	tfr_resizer_free(NULL);
}
