/* convert/array/cells.c - converts numbers of every size and byte order to int64 and float, and
 * texts to bytes.
 *
 * Only float64 is changed, by rounding, of which arrays.c warns: a number that the feature
 * cannot hold is an error. */
#include "convert/array/arrays.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

enum { ANY_INTEGER = 1 | 2 | 4 | 8 };

/* The kind of the feature, and the sizes that a cell can have, which are powers of two, or 0 for
 * any. */
static const struct {
	enum tfr_kind kind;
	unsigned sizes;
} types[] = {
	[TFR_CELL_BOOL] = { TFR_KIND_INT64, 1 },
	[TFR_CELL_INT] = { TFR_KIND_INT64, ANY_INTEGER },
	[TFR_CELL_UINT] = { TFR_KIND_INT64, ANY_INTEGER },
	[TFR_CELL_FLOAT] = { TFR_KIND_FLOAT, 2 | 4 | 8 },
	[TFR_CELL_BYTES] = { TFR_KIND_BYTES, 0 },
	[TFR_CELL_UCS4] = { TFR_KIND_BYTES, 0 },
	[TFR_CELL_BLANK] = { TFR_KIND_BYTES, 0 },
	[TFR_CELL_FIRST] = { TFR_KIND_BYTES, 0 },
	[TFR_CELL_TEXT] = { TFR_KIND_BYTES, TFR_HDF5_TEXT },
};

enum tfr_kind tfr_cell_kind(enum tfr_cell_type cell)
{
	return types[cell].kind;
}

bool tfr_cell_has_size(enum tfr_cell_type cell, unsigned size)
{
	unsigned sizes = types[cell].sizes;

	return !sizes || ((size & sizes) && !(size & (size - 1)));
}

enum tfr_status tfr_cells_become(struct tfr_cells *c, enum tfr_kind kind, struct tfr_error *err)
{
	if (kind == c->kind)
		return TFR_OK;
	if (kind == TFR_KIND_BYTES)
		c->raw = true;
	else if (kind != TFR_KIND_FLOAT || c->kind != TFR_KIND_INT64)
		return tfr_fail(err, TFR_EUSAGE, "'%s' has %s, which %s cannot hold", c->name,
			c->kind == TFR_KIND_FLOAT ? "floats" : "texts",
			kind == TFR_KIND_FLOAT ? "float" : "int64");
	c->kind = kind;
	return TFR_OK;
}

/* --- one value --- */

static uint64_t load_bits(const uint8_t *p, unsigned size, bool swapped)
{
	uint64_t v = 0;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&v, p, 2);
		break;
	case 4:
		memcpy(&v, p, 4);
		break;
	default:
		memcpy(&v, p, 8);
	}
	return swapped ? be64toh(v) >> (64 - 8 * size) : le64toh(v);
}

/* The integer with these bits; of UINT, up to the maximum of int64. */
static int64_t integer_of(const struct tfr_cells *c, uint64_t bits)
{
	unsigned unused = 64 - 8 * c->size;

	if (c->cell == TFR_CELL_BOOL)
		return bits != 0;
	return c->cell == TFR_CELL_INT ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

float tfr_half(uint16_t bits)
{
	uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = bits & 0x7fff, wide;
	float v;

	/* Below 2^-14, the numbers of a 2-byte float are evenly spaced, while a float still has
	 * exponents for them. */
	if (rest < 0x400) {
		v = (float)rest * 0x1p-24f;
		return sign ? -v : v;
	}
	wide = (rest << 13) + ((rest < 0x7c00 ? 127u - 15 : 255u - 31) << 23);
	wide |= sign;
	memcpy(&v, &wide, sizeof(v));
	return v;
}

static enum tfr_status to_int64(
	const struct tfr_cells *c, const uint8_t *p, int64_t *value, struct tfr_error *err)
{
	uint64_t bits = load_bits(p, c->size, c->swapped);

	*value = integer_of(c, bits);
	if (c->cell == TFR_CELL_UINT && bits > INT64_MAX)
		return tfr_fail(err, TFR_EDATA, "'%s' has %llu, which int64 cannot hold", c->name,
			(unsigned long long)bits);
	return TFR_OK;
}

static enum tfr_status to_float(
	const struct tfr_cells *c, const uint8_t *p, float *value, struct tfr_error *err)
{
	uint64_t bits = load_bits(p, c->size, c->swapped);
	uint32_t single = (uint32_t)bits;
	double wide;

	if (c->cell != TFR_CELL_FLOAT) {
		*value = c->cell == TFR_CELL_UINT ? (float)bits : (float)integer_of(c, bits);
	} else if (c->size == 2) {
		*value = tfr_half((uint16_t)bits);
	} else if (c->size == 4) {
		memcpy(value, &single, sizeof(single));
	} else {
		memcpy(&wide, &bits, sizeof(wide));
		*value = (float)wide;
		if (isinf(*value) && !isinf(wide))
			return tfr_fail(err, TFR_EDATA, "'%s' has %g, which float cannot hold",
				c->name, wide);
	}
	return TFR_OK;
}

/* A text with 4 bytes per character, which is appended to `texts`; UTF-8 is never longer. */
static enum tfr_status to_utf8(const struct tfr_cells *c, const uint8_t *p, struct tfr_buf *texts,
	struct tfr_bytes *value, struct tfr_error *err)
{
	size_t n = c->size / 4;
	uint8_t *to = texts->data + texts->size;

	while (n && !load_bits(p + 4 * (n - 1), 4, false))
		n--;
	*value = (struct tfr_bytes){ to, 0 };
	for (size_t i = 0; i < n; i++) {
		uint32_t v = (uint32_t)load_bits(p + 4 * i, 4, c->swapped);

		if (v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
			return tfr_fail(err, TFR_EDATA,
				"'%s' has the code point 0x%x, which is not a character", c->name, v);
		value->size += tfr_utf8_put(to + value->size, v);
	}
	texts->size += value->size;
	return TFR_OK;
}

static struct tfr_bytes to_bytes(const struct tfr_cells *c, const uint8_t *p)
{
	struct tfr_bytes v = { p, c->size };

	if (c->cell == TFR_CELL_TEXT)
		memcpy(&v, p, sizeof(v));
	else if (c->cell == TFR_CELL_FIRST)
		v.size = strnlen((const char *)p, c->size);
	else
		while (v.size && p[v.size - 1] == (c->cell == TFR_CELL_BLANK ? ' ' : '\0'))
			v.size--;
	return v;
}

/* --- all of a row --- */

/* Appends the bytes of adjacent cells as NumPy's tobytes() gives them on a little-endian
 * machine. */
static void append_raw(const struct tfr_cells *c, const uint8_t *p, struct tfr_buf *to)
{
	for (size_t i = 0; i < c->inner; i++, p += c->size)
		for (unsigned k = 0; k < c->size; k++)
			to->data[to->size++] = p[c->swapped ? c->size - 1 - k : k];
}

/* Converts the adjacent cells at `p` to the values from number `at` on in `scratch`.  Texts that
 * are made are appended to it. */
static enum tfr_status convert_cells(const struct tfr_cells *c, const uint8_t *p, size_t at,
	struct tfr_buf *scratch, struct tfr_error *err)
{
	int64_t *ints = (int64_t *)(void *)scratch->data + at;
	float *floats = (float *)(void *)scratch->data + at;
	struct tfr_bytes *texts = (struct tfr_bytes *)(void *)scratch->data + at;

	if (c->raw)
		append_raw(c, p, scratch);
	else if (c->cell == TFR_CELL_FLOAT && c->size == sizeof(float) && !c->swapped)
		memcpy(floats, p, c->inner * sizeof(float)); /* already in the right form */
	else if (c->kind == TFR_KIND_INT64)
		for (size_t i = 0; i < c->inner; i++)
			TFR_TRY(to_int64(c, p + i * c->size, &ints[i], err));
	else if (c->kind == TFR_KIND_FLOAT)
		for (size_t i = 0; i < c->inner; i++)
			TFR_TRY(to_float(c, p + i * c->size, &floats[i], err));
	else if (c->cell == TFR_CELL_UCS4)
		for (size_t i = 0; i < c->inner; i++)
			TFR_TRY(to_utf8(c, p + i * c->size, scratch, &texts[i], err));
	else
		for (size_t i = 0; i < c->inner; i++)
			texts[i] = to_bytes(c, p + i * c->size);
	return TFR_OK;
}

enum tfr_status tfr_cells_put(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err)
{
	size_t n = c->outer * c->inner, made = c->cell == TFR_CELL_UCS4 || c->raw ? c->size : 0;
	const void *values;

	scratch->size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(scratch, n * (sizeof(struct tfr_bytes) + made) + 1), err,
		"reading arrays");
	values = scratch->data;
	if (!c->raw) /* texts that are made follow the values */
		scratch->size = n * sizeof(struct tfr_bytes);
	for (size_t o = 0; o < c->outer; o++)
		TFR_TRY(convert_cells(c, row + c->at + o * c->stride, o * c->inner, scratch, err));
	if (c->raw)
		TFR_TRY(tfr_builder_bytes(
			b, c->name, &(struct tfr_bytes){ values, scratch->size }, 1, err));
	else if (c->kind == TFR_KIND_INT64)
		TFR_TRY(tfr_builder_int64s(b, c->name, values, n, err));
	else if (c->kind == TFR_KIND_FLOAT)
		TFR_TRY(tfr_builder_floats(b, c->name, values, n, err));
	else
		TFR_TRY(tfr_builder_bytes(b, c->name, values, n, err));
	return c->shape_name ? tfr_builder_int64s(
				       b, c->shape_name, (const int64_t *)c->shape, c->dims, err)
			     : TFR_OK;
}
