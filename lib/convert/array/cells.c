/* convert/array/cells.c - converts numbers of every size and byte order to int64 and float, and
 * texts to bytes.
 *
 * Only float64 is changed, by rounding, of which arrays.c warns: a number that the feature
 * cannot hold is an error. */
#include "convert/array/cells.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"

enum tfr_kind tfr_cell_kind(enum tfr_cell_type cell)
{
	switch (cell) {
	case TFR_CELL_BOOL:
	case TFR_CELL_INT:
	case TFR_CELL_UINT:
		return TFR_KIND_INT64;
	case TFR_CELL_FLOAT:
		return TFR_KIND_FLOAT;
	default:
		return TFR_KIND_BYTES;
	}
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

static uint64_t load(const struct tfr_cells *c, const uint8_t *p)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (c->size) {
	case 1:
		return *p;
	case 2:
		memcpy(&two, p, sizeof(two));
		return c->swapped ? be16toh(two) : le16toh(two);
	case 4:
		memcpy(&four, p, sizeof(four));
		return c->swapped ? be32toh(four) : le32toh(four);
	default:
		memcpy(&eight, p, sizeof(eight));
		return c->swapped ? be64toh(eight) : le64toh(eight);
	}
}

static int64_t sign_extended(uint64_t v, unsigned size)
{
	unsigned unused = 64 - 8 * size;

	return (int64_t)(v << unused) >> unused;
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
	uint64_t v = load(c, p);

	if (c->cell == TFR_CELL_BOOL)
		*value = v != 0;
	else
		*value = c->cell == TFR_CELL_INT ? sign_extended(v, c->size) : (int64_t)v;
	if (c->cell == TFR_CELL_UINT && v > INT64_MAX)
		return tfr_fail(err, TFR_EDATA, "'%s' has %llu, which int64 cannot hold", c->name,
			(unsigned long long)v);
	return TFR_OK;
}

static enum tfr_status to_float(
	const struct tfr_cells *c, const uint8_t *p, float *value, struct tfr_error *err)
{
	uint64_t bits = load(c, p);
	uint32_t half = (uint32_t)bits;
	double wide;

	if (c->cell != TFR_CELL_FLOAT) {
		*value = c->cell == TFR_CELL_INT    ? (float)sign_extended(bits, c->size)
			 : c->cell == TFR_CELL_UINT ? (float)bits
						    : (float)(bits != 0);
	} else if (c->size == 2) {
		*value = tfr_half((uint16_t)bits);
	} else if (c->size == 4) {
		memcpy(value, &half, sizeof(half));
	} else {
		memcpy(&wide, &bits, sizeof(wide));
		*value = (float)wide;
		if (isinf(*value) && !isinf(wide))
			return tfr_fail(err, TFR_EDATA, "'%s' has %g, which float cannot hold",
				c->name, wide);
	}
	return TFR_OK;
}

/* --- all of a row --- */

/* The first of the `inner` adjacent values at place `o` of `outer`. */
static const uint8_t *place(const struct tfr_cells *c, const uint8_t *row, size_t o)
{
	return row + c->at + o * c->stride;
}

static const uint8_t *place_of(const struct tfr_cells *c, const uint8_t *row, size_t i)
{
	return place(c, row, i / c->inner) + i % c->inner * c->size;
}

static size_t count(const struct tfr_cells *c)
{
	return c->outer * c->inner;
}

static enum tfr_status put_int64s(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err)
{
	int64_t *values = (int64_t *)(void *)scratch->data, *to = values;

	for (size_t o = 0; o < c->outer; o++) {
		const uint8_t *p = place(c, row, o);

		for (size_t i = 0; i < c->inner; i++)
			TFR_TRY(to_int64(c, p + i * c->size, to++, err));
	}
	return tfr_builder_int64s(b, c->name, values, count(c), err);
}

static enum tfr_status put_floats(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err)
{
	float *values = (float *)(void *)scratch->data, *to = values;
	/* Values that already have the right form are copied together. */
	bool plain = c->cell == TFR_CELL_FLOAT && c->size == sizeof(float) && !c->swapped;

	for (size_t o = 0; o < c->outer; o++, to += c->inner) {
		const uint8_t *p = place(c, row, o);

		if (plain)
			memcpy(to, p, c->inner * sizeof(float));
		for (size_t i = 0; !plain && i < c->inner; i++)
			TFR_TRY(to_float(c, p + i * c->size, &to[i], err));
	}
	return tfr_builder_floats(b, c->name, values, count(c), err);
}

/* The bytes of all elements, as NumPy's tobytes() gives them on a little-endian machine. */
static enum tfr_status put_raw(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err)
{
	uint8_t *to = scratch->data;

	for (size_t i = 0; i < count(c); i++, to += c->size) {
		const uint8_t *p = place_of(c, row, i);

		for (unsigned k = 0; k < c->size; k++)
			to[k] = p[c->swapped ? c->size - 1 - k : k];
	}
	return tfr_builder_bytes(
		b, c->name, &(struct tfr_bytes){ scratch->data, count(c) * c->size }, 1, err);
}

/* A text with 4 bytes per character; UTF-8 is never longer. */
static enum tfr_status to_utf8(const struct tfr_cells *c, const uint8_t *p, uint8_t *to,
	size_t *size, struct tfr_error *err)
{
	struct tfr_cells one = { .size = 4, .swapped = c->swapped };
	size_t n = c->size / 4;

	while (n && !load(&one, p + 4 * (n - 1)))
		n--;
	*size = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t v = (uint32_t)load(&one, p + 4 * i);

		if (v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
			return tfr_fail(err, TFR_EDATA,
				"'%s' has the code point 0x%x, which is not a character", c->name, v);
		*size += tfr_utf8_put(to + *size, v);
	}
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

/* `scratch` has the values, followed by the texts that are made. */
static enum tfr_status put_texts(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err)
{
	struct tfr_bytes *values = (struct tfr_bytes *)(void *)scratch->data;
	uint8_t *texts = scratch->data + count(c) * sizeof(*values);

	for (size_t i = 0; i < count(c); i++) {
		const uint8_t *p = place_of(c, row, i);

		if (c->cell != TFR_CELL_UCS4) {
			values[i] = to_bytes(c, p);
			continue;
		}
		values[i].data = texts;
		TFR_TRY(to_utf8(c, p, texts, &values[i].size, err));
		texts += values[i].size;
	}
	return tfr_builder_bytes(b, c->name, values, count(c), err);
}

enum tfr_status tfr_cells_put(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err)
{
	size_t each = sizeof(struct tfr_bytes) + (c->cell == TFR_CELL_UCS4 || c->raw ? c->size : 0);

	scratch->size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(scratch, count(c) * each + 1), err, "reading arrays");
	if (c->raw)
		TFR_TRY(put_raw(c, row, scratch, b, err));
	else if (c->kind == TFR_KIND_INT64)
		TFR_TRY(put_int64s(c, row, scratch, b, err));
	else if (c->kind == TFR_KIND_FLOAT)
		TFR_TRY(put_floats(c, row, scratch, b, err));
	else
		TFR_TRY(put_texts(c, row, scratch, b, err));
	return c->shape_name ? tfr_builder_int64s(b, c->shape_name, c->shape, c->dims, err)
			     : TFR_OK;
}
