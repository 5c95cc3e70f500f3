/* Images in memory made on the spot. */
#include <criterion/criterion.h>
#include <string.h>

#include "pixels.h"

enum { CANARY = 0x5a };

static size_t row_bytes(const struct tfr_pixels *p)
{
	return p->width * p->channels * tfr_dtype_size(p->dtype);
}

/* At any address that the type allows; the end of the image is that of its memory. */
struct made make_like(struct tfr_rng *rng, const struct tfr_pixels *p, uint32_t width,
	uint32_t height, enum tfr_dtype dtype)
{
	struct made m = { .p = { NULL, 0, width, height, p->channels, dtype } };
	size_t shift = tfr_rng_below(rng, 17) * tfr_dtype_size(dtype), size;

	m.p.stride = row_bytes(&m.p) + tfr_rng_below(rng, 3) * tfr_dtype_size(dtype);
	size = shift + m.p.stride * (height - 1) + row_bytes(&m.p);
	m.memory = malloc(size);
	cr_assert_not_null(m.memory);
	memset(m.memory, CANARY, size);
	m.p.data = m.memory + shift;
	return m;
}

struct made make_pixels(struct tfr_rng *rng, uint32_t width, uint32_t height)
{
	struct tfr_pixels p = { .channels = 1 + (unsigned)tfr_rng_below(rng, 4) };
	struct made m =
		make_like(rng, &p, width, height, tfr_rng_below(rng, 2) ? TFR_FLOAT32 : TFR_UINT8);

	for (uint32_t y = 0; y < height; y++)
		for (size_t i = 0; i < (size_t)width * p.channels; i++) {
			uint8_t *row = (uint8_t *)m.p.data + y * m.p.stride;

			if (m.p.dtype == TFR_UINT8)
				row[i] = (uint8_t)tfr_rng_u32(rng);
			else
				((float *)(void *)row)[i] = (float)(tfr_rng_unit(rng) * 350 - 50);
		}
	return m;
}

void free_made(struct made *m)
{
	uint8_t *first = m->p.data;

	for (const uint8_t *c = m->memory; c < first; c++)
		cr_assert_eq(*c, CANARY, "written before the image");
	for (uint32_t y = 0; y + 1 < m->p.height; y++)
		for (size_t i = row_bytes(&m->p); i < m->p.stride; i++)
			cr_assert_eq(first[y * m->p.stride + i], CANARY,
				"written between rows %u and %u", y, y + 1);
	free(m->memory);
}
