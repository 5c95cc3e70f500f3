/* example/batch_finish.c - completes columns: pads rows and sets pointers.
 *
 * Rows are padded in place, from the last to the first.  A row never moves to the left, so none
 * is overwritten before it has moved.  If all rows have the same length, nothing moves. */
#include <string.h>

#include "example/batch.h"

/* The longest row. */
static size_t longest(const struct tfr_batch_column *c, size_t rows)
{
	size_t most = 0, from = 0;

	for (size_t r = 0; r < rows; r++) {
		size_t to = tfr_batch_split(c, r + 1);

		most = to - from > most ? to - from : most;
		from = to;
	}
	return most;
}

static void fill_values(const struct tfr_batch_column *c, uint8_t *at, size_t n, size_t size)
{
	static const struct tfr_bytes none = { (const uint8_t *)"", 0 };
	static const uint64_t zero = 0;
	const void *fill = c->fill		       ? c->fill
			   : c->kind == TFR_KIND_BYTES ? (const void *)&none
						       : &zero;

	for (size_t i = 0; i < n; i++)
		memcpy(at + i * size, fill, size);
}

static bool pad_values(struct tfr_batch_column *c, size_t rows, size_t width)
{
	size_t size = tfr_batch_value_size(c), need;

	if (__builtin_mul_overflow(rows, width, &need) ||
		__builtin_mul_overflow(need, size, &need) || !tfr_batch_room(&c->values, need))
		return false;
	for (size_t r = rows; r-- > 0;) {
		size_t from = tfr_batch_split(c, r), n = tfr_batch_split(c, r + 1) - from;
		uint8_t *to = c->values.data + r * width * size;

		memmove(to, c->values.data + from * size, n * size);
		fill_values(c, to + n * size, width - n, size);
	}
	return true;
}

/* Copied bytes: moves the text and computes new offsets. */
static bool pad_text(struct tfr_batch_column *c, size_t rows, size_t width)
{
	const struct tfr_bytes *fill = c->fill;
	size_t fill_size = fill ? fill->size : 0, cells, need, end;
	int64_t *ends;

	if (__builtin_mul_overflow(rows, width, &cells) || cells > SIZE_MAX / 16 ||
		!tfr_batch_room(&c->values, (cells + 1) * sizeof(*ends)))
		return false;
	ends = (int64_t *)c->values.data;
	if (__builtin_mul_overflow(cells - c->elements, fill_size, &need) ||
		__builtin_add_overflow(need, (size_t)ends[c->elements], &end) || end > INT64_MAX ||
		!tfr_batch_room(&c->text, end))
		return false;
	for (size_t r = rows; r-- > 0;) {
		size_t from = tfr_batch_split(c, r), n = tfr_batch_split(c, r + 1) - from;

		for (size_t i = width; i-- > 0;) {
			size_t start = i < n ? (size_t)ends[from + i] : 0;
			size_t size = i < n ? (size_t)ends[from + i + 1] - start : fill_size;

			ends[r * width + i + 1] = (int64_t)end;
			end -= size;
			if (size)
				memmove(c->text.data + end,
					i < n ? c->text.data + start : fill->data, size);
		}
	}
	return true;
}

bool tfr_batch_show(struct tfr_batch_column *c, size_t rows)
{
	struct tfr_column *s = &c->shown;

	*s = (struct tfr_column){ .rows = rows, .count = c->elements };
	s->width = c->layout == TFR_DENSE ? c->count : longest(c, rows);
	if (c->layout == TFR_PADDED && rows * s->width != c->elements) {
		if (!(tfr_batch_offsets(c) ? pad_text : pad_values)(c, rows, s->width))
			return false;
		s->count = rows * s->width;
	}
	if (tfr_batch_offsets(c)) {
		s->offsets = (const int64_t *)c->values.data;
		s->text = c->text.data;
	} else {
		s->int64s = (const int64_t *)c->values.data;
	}
	if (c->layout != TFR_DENSE && c->splits32)
		s->splits32 = (const int32_t *)c->splits.data;
	else if (c->layout != TFR_DENSE)
		s->splits = (const int64_t *)c->splits.data;
	return true;
}
