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

void tfr_cells_extend(struct tfr_cells *c, const uint64_t *dims, unsigned n, size_t element)
{
	unsigned own = c->dims < TFR_CELL_DIMS - n ? c->dims : TFR_CELL_DIMS - n;

	memmove(c->shape + n, c->shape, own * sizeof(*c->shape));
	memcpy(c->shape, dims, n * sizeof(*c->shape));
	c->dims = n + own;
	c->outer = tfr_dims_product(1, c->shape, n);
	c->inner = tfr_dims_product(1, c->shape + n, own);
	c->stride = element;
}

/* --- one value --- */

static uint64_t load_bits(const uint8_t *p, unsigned size, bool swapped)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&two, p, sizeof(two));
		return swapped ? be16toh(two) : le16toh(two);
	case 4:
		memcpy(&four, p, sizeof(four));
		return swapped ? be32toh(four) : le32toh(four);
	default:
		memcpy(&eight, p, sizeof(eight));
		return swapped ? be64toh(eight) : le64toh(eight);
	}
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

struct conversion {
	const struct tfr_cells *c;
	struct tfr_buf *scratch; /* the values, to which texts that are made are appended */
	struct tfr_error *err;
};

/* Converts the cell at `p` to the value at `to`. */
typedef enum tfr_status converter(const struct conversion *v, const uint8_t *p, void *to);

static enum tfr_status to_int64(const struct conversion *v, const uint8_t *p, void *to)
{
	uint64_t bits = load_bits(p, v->c->size, v->c->swapped);

	*(int64_t *)to = integer_of(v->c, bits);
	if (v->c->cell == TFR_CELL_UINT && bits > INT64_MAX)
		return tfr_fail(v->err, TFR_EDATA, "'%s' has %llu, which int64 cannot hold",
			v->c->name, (unsigned long long)bits);
	return TFR_OK;
}

static enum tfr_status to_float(const struct conversion *v, const uint8_t *p, void *to)
{
	uint64_t bits = load_bits(p, v->c->size, v->c->swapped);
	uint32_t single = (uint32_t)bits;
	float *value = to;
	double wide;

	if (v->c->cell == TFR_CELL_UINT) {
		*value = (float)bits;
	} else if (v->c->cell != TFR_CELL_FLOAT) {
		*value = (float)integer_of(v->c, bits);
	} else if (v->c->size == 2) {
		*value = tfr_half((uint16_t)bits);
	} else if (v->c->size == 4) {
		memcpy(value, &single, sizeof(single));
	} else {
		memcpy(&wide, &bits, sizeof(wide));
		*value = (float)wide;
		if (isinf(*value) && !isinf(wide))
			return tfr_fail(v->err, TFR_EDATA, "'%s' has %g, which float cannot hold",
				v->c->name, wide);
	}
	return TFR_OK;
}

/* A text with 4 bytes per character; UTF-8 is never longer. */
static enum tfr_status to_utf8(const struct conversion *v, const uint8_t *p, void *to)
{
	uint8_t *text = v->scratch->data + v->scratch->size, *end = text;
	size_t n = v->c->size / 4;

	while (n && !load_bits(p + 4 * (n - 1), 4, false))
		n--;
	for (size_t i = 0; i < n; i++) {
		uint32_t code = (uint32_t)load_bits(p + 4 * i, 4, v->c->swapped);

		if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
			return tfr_fail(v->err, TFR_EDATA,
				"'%s' has the code point 0x%x, which is not a character",
				v->c->name, code);
		end += tfr_utf8_put(end, code);
	}
	v->scratch->size += (size_t)(end - text);
	*(struct tfr_bytes *)to = (struct tfr_bytes){ text, (size_t)(end - text) };
	return TFR_OK;
}

static enum tfr_status to_bytes(const struct conversion *v, const uint8_t *p, void *to)
{
	struct tfr_bytes *value = to;

	*value = (struct tfr_bytes){ p, v->c->size };
	if (v->c->cell == TFR_CELL_TEXT)
		memcpy(value, p, sizeof(*value));
	else if (v->c->cell == TFR_CELL_FIRST)
		value->size = strnlen((const char *)p, v->c->size);
	else
		while (value->size &&
			p[value->size - 1] == (v->c->cell == TFR_CELL_BLANK ? ' ' : '\0'))
			value->size--;
	return TFR_OK;
}

static enum tfr_status to_little_endian(const struct conversion *v, const uint8_t *p, void *to)
{
	for (unsigned k = 0; k < v->c->size; k++)
		((uint8_t *)to)[k] = p[v->c->size - 1 - k];
	return TFR_OK;
}

/* --- all of a row --- */

/* Converts all cells to values of `size` bytes.  It is inlined so that each converter has a loop of
 * its own.  `convert` NULL: the cells already have the form of the values. */
static inline __attribute__((always_inline)) enum tfr_status convert_cells(
	const struct conversion *v, const uint8_t *row, size_t size, converter *convert)
{
	const struct tfr_cells *c = v->c;
	uint8_t *to = v->scratch->data;

	v->scratch->size = c->outer * c->inner * size;
	for (size_t o = 0; o < c->outer; o++) {
		const uint8_t *p = row + c->at + o * c->stride;

		if (!convert)
			to = mempcpy(to, p, c->inner * size);
		for (size_t i = 0; convert && i < c->inner; i++, p += c->size, to += size)
			TFR_TRY(convert(v, p, to));
	}
	return TFR_OK;
}

enum tfr_status tfr_cells_put(const struct tfr_cells *c, const uint8_t *row,
	struct tfr_buf *scratch, struct tfr_builder *b, struct tfr_error *err)
{
	const struct conversion v = { c, scratch, err };
	size_t n = c->outer * c->inner;
	size_t each = sizeof(struct tfr_bytes) + (c->cell == TFR_CELL_UCS4 || c->raw ? c->size : 0);
	struct tfr_bytes raw = { NULL, n * c->size };
	const void *values;

	scratch->size = 0;
	TFR_NEED_MEMORY(tfr_buf_reserve(scratch, n * each + 1), err, "reading arrays");
	values = scratch->data;
	if (c->raw && c->swapped)
		TFR_TRY(convert_cells(&v, row, c->size, to_little_endian));
	else if (c->raw || (c->cell == TFR_CELL_FLOAT && c->size == sizeof(float) && !c->swapped))
		TFR_TRY(convert_cells(&v, row, c->size, NULL));
	else if (c->kind == TFR_KIND_INT64)
		TFR_TRY(convert_cells(&v, row, sizeof(int64_t), to_int64));
	else if (c->kind == TFR_KIND_FLOAT)
		TFR_TRY(convert_cells(&v, row, sizeof(float), to_float));
	else if (c->cell == TFR_CELL_UCS4)
		TFR_TRY(convert_cells(&v, row, sizeof(struct tfr_bytes), to_utf8));
	else
		TFR_TRY(convert_cells(&v, row, sizeof(struct tfr_bytes), to_bytes));
	raw.data = values;
	if (c->kind == TFR_KIND_INT64)
		TFR_TRY(tfr_builder_int64s(b, c->name, values, n, err));
	else if (c->kind == TFR_KIND_FLOAT)
		TFR_TRY(tfr_builder_floats(b, c->name, values, n, err));
	else
		TFR_TRY(tfr_builder_bytes(b, c->name, c->raw ? &raw : values, c->raw ? 1 : n, err));
	return c->shape_name ? tfr_builder_int64s(
				       b, c->shape_name, (const int64_t *)c->shape, c->dims, err)
			     : TFR_OK;
}
