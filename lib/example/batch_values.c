/* example/batch_values.c - appends one feature of one record to its column, by the rules of
 * tf.io.parse_example (tfr/batch.h).
 *
 * Values are written to their final place.  Room is made only for values that exist: a long
 * chunk is counted before it is decoded, so that memory grows with the number of values, not
 * with the size of the chunk. */
#include <endian.h>
#include <string.h>

#include "example/batch.h"
#include "base/hardening.h"
#include "example/varint.h"

/* A chunk of up to this many bytes gets room for one value per byte and is not counted. */
enum { SHORT_CHUNK = 64 };

/* The body of the first list, the only one of a Feature that counts. */
static inline bool open_list(struct tfr_wire *w, const struct tfr_found *v, struct tfr_wire *list)
{
	struct tfr_wire in = { .p = v->data + 1, .end = v->data + v->size };
	uint64_t size;

	if (!tfr_wire_varint(&in, 5, INT32_MAX, &size))
		return tfr_wire_leave(w, &in);
	if (size > (size_t)(in.end - in.p))
		return tfr_wire_fail(w, v->data, "field runs past the end of what holds it");
	*list = (struct tfr_wire){ .p = in.p, .end = in.p + size };
	return true;
}

/* Narrows a list of numbers to the inside of its first packed chunk.  Leaves it as it is if its
 * values are not packed, so that each has the tag `single`. */
static inline bool open_chunk(struct tfr_wire *list, uint8_t single, bool *packed)
{
	const uint8_t *tag_at = list->p;
	uint64_t size;

	*packed = true;
	if (list->p == list->end)
		return true;
	*packed = *list->p == (1 << 3 | TFR_WIRE_BYTES);
	if (!*packed)
		return *list->p == single ||
		       tfr_wire_fail(list, tag_at, "list with a field that is not a value");
	list->p++;
	if (!tfr_wire_varint(list, 5, INT32_MAX, &size))
		return false;
	if (size > (size_t)(list->end - list->p))
		return tfr_wire_fail(list, tag_at, "field runs past the end of what holds it");
	list->end = list->p + size;
	return true;
}

/* Where value `n` of the column is stored, with room for it and `more` after it.  NULL: out of
 * memory. */
static inline void *reserve_value(struct tfr_batch_column *c, size_t n, size_t more, size_t size)
{
	size_t need;

	if (__builtin_mul_overflow(n + more, size, &need) || !tfr_batch_room(&c->values, need))
		return NULL;
	return c->values.data + n * size;
}

/* ---- Lists: each function stores the number of values in *n and appends them to the column
 * ---- */

/* Values that are separate fields.  `out` NULL: only counts them. */
static bool read_singles(
	struct tfr_wire list, enum tfr_wire_type type, void *out, size_t *n, struct tfr_wire *fault)
{
	uint8_t tag = (uint8_t)(1 << 3 | type);
	struct tfr_wire_field f;

	for (*n = 0; list.p < list.end; ++*n) {
		const uint8_t *tag_at = list.p;

		if (*list.p != tag)
			return tfr_wire_fail(
				fault, tag_at, "list with a field that is not a value");
		if (!tfr_wire_next(&list, &f))
			return tfr_wire_leave(fault, &list);
		if (out && type == TFR_WIRE_VARINT)
			((uint64_t *)out)[*n] = f.value;
		else if (out)
			memcpy((uint8_t *)out + 4 * *n, f.data, 4);
	}
	return true;
}

static enum tfr_append put_singles(struct tfr_batch_column *c, const struct tfr_wire *list,
	enum tfr_wire_type type, struct tfr_wire *w, size_t *n)
{
	size_t again;
	void *out;

	if (!read_singles(*list, type, NULL, n, w))
		return TFR_APPEND_FAULT;
	out = reserve_value(c, c->elements, *n, tfr_batch_value_size(c));
	if (!out)
		return TFR_APPEND_NOMEM;
	read_singles(*list, type, out, &again, w);
	return TFR_APPENDED;
}

static inline enum tfr_append put_int64s(
	struct tfr_batch_column *c, struct tfr_wire *list, struct tfr_wire *w, size_t *n)
{
	int64_t *out;
	size_t size;
	bool packed;

	if (!open_chunk(list, 1 << 3 | TFR_WIRE_VARINT, &packed)) {
		tfr_wire_leave(w, list);
		return TFR_APPEND_FAULT;
	}
	if (!packed)
		return put_singles(c, list, TFR_WIRE_VARINT, w, n);
	size = (size_t)(list->end - list->p);
	*n = size > SHORT_CHUNK ? tfr_varints_count(list->p, size) : size;
	out = reserve_value(c, c->elements, *n + TFR_VARINT_SLACK, sizeof(*out));
	if (!out)
		return TFR_APPEND_NOMEM;
	*n = (size_t)(c->decode(&list->p, list->end, w->end, out) - out);
	if (list->p == list->end)
		return TFR_APPENDED;
	tfr_wire_fail(w, list->p, "number cut short or longer than 10 bytes");
	return TFR_APPEND_FAULT;
}

static inline enum tfr_append put_floats(
	struct tfr_batch_column *c, struct tfr_wire *list, struct tfr_wire *w, size_t *n)
{
	float *out;
	bool packed;

	if (!open_chunk(list, 1 << 3 | TFR_WIRE_FIXED32, &packed)) {
		tfr_wire_leave(w, list);
		return TFR_APPEND_FAULT;
	}
	if (!packed)
		return put_singles(c, list, TFR_WIRE_FIXED32, w, n);
	*n = (size_t)(list->end - list->p) / sizeof(float);
	out = reserve_value(c, c->elements, *n, sizeof(*out));
	if (!out)
		return TFR_APPEND_NOMEM;
	memcpy(out, list->p, *n * sizeof(*out));
	return TFR_APPENDED;
}

/* Appends one value after `n` others.  The text of copied values follows that of the earlier
 * ones. */
static inline enum tfr_append put_text(
	struct tfr_batch_column *c, size_t n, const uint8_t *data, size_t size)
{
	if (c->copy) {
		int64_t *ends = reserve_value(c, n, 2, sizeof(*ends));

		if (!ends)
			return TFR_APPEND_NOMEM;
		c->text.size = (size_t)ends[0];
		if (!tfr_buf_append(&c->text, data, size))
			return TFR_APPEND_NOMEM;
		ends[1] = (int64_t)c->text.size;
	} else {
		struct tfr_bytes *views = reserve_value(c, n, 1, sizeof(*views));

		if (!views)
			return TFR_APPEND_NOMEM;
		*views = (struct tfr_bytes){ data, size };
	}
	return TFR_APPENDED;
}

TFR_NO_CANARY
static enum tfr_append put_bytes(
	struct tfr_batch_column *c, struct tfr_wire *list, struct tfr_wire *w, size_t *n)
{
	struct tfr_wire_field f;

	for (*n = 0; list->p < list->end; ++*n) {
		const uint8_t *tag_at = list->p++;

		if (*tag_at != (1 << 3 | TFR_WIRE_BYTES)) {
			tfr_wire_fail(w, tag_at, "list with a field that is not a value");
			return TFR_APPEND_FAULT;
		}
		f.type = TFR_WIRE_BYTES;
		if (!tfr_wire_content(list, &f, tag_at)) {
			tfr_wire_leave(w, list);
			return TFR_APPEND_FAULT;
		}
		if (put_text(c, c->elements + *n, f.data, f.size))
			return TFR_APPEND_NOMEM;
	}
	return TFR_APPENDED;
}

/* ---- Rows ---- */

/* Appends the fill values of a dense feature that is missing. */
static enum tfr_append put_fill(struct tfr_batch_column *c, size_t *n)
{
	size_t size = tfr_batch_value_size(c);
	const struct tfr_bytes *texts = c->fill;
	void *out;

	*n = c->count;
	if (!c->fill)
		return TFR_APPEND_MISSING;
	if (c->kind == TFR_KIND_BYTES) {
		for (size_t i = 0; i < c->count; i++)
			if (put_text(c, c->elements + i, texts[i].data, texts[i].size))
				return TFR_APPEND_NOMEM;
		return TFR_APPENDED;
	}
	out = reserve_value(c, c->elements, c->count, size);
	if (!out)
		return TFR_APPEND_NOMEM;
	memcpy(out, c->fill, c->count * size);
	return TFR_APPENDED;
}

static enum tfr_append end_row(struct tfr_batch_column *c, size_t row)
{
	size_t size = c->splits32 ? sizeof(int32_t) : sizeof(int64_t);

	if (!tfr_batch_room(&c->splits, (row + 2) * size))
		return TFR_APPEND_NOMEM;
	if (!c->splits32) {
		((int64_t *)c->splits.data)[row + 1] = (int64_t)c->elements;
		return TFR_APPENDED;
	}
	if (c->elements > INT32_MAX)
		return TFR_APPEND_SPLITS;
	((int32_t *)c->splits.data)[row + 1] = (int32_t)c->elements;
	return TFR_APPENDED;
}

/* Handles the usual short packed list of integers, whose three lengths have one byte each.  The
 * lengths follow from its size, so one comparison checks tags and lengths together; an empty
 * list takes the same path.  False: the list has another form, is damaged, or there is no room;
 * nothing has changed. */
static inline bool quick_int64s(
	struct tfr_batch_column *c, const struct tfr_found *v, const struct tfr_wire *w, size_t *n)
{
	enum { LIST = TFR_KIND_INT64 << 3 | TFR_WIRE_BYTES, CHUNK = 1 << 3 | TFR_WIRE_BYTES };
	int64_t *out = (int64_t *)c->values.data + c->elements;
	uint32_t size = (uint32_t)v->size, head;
	bool empty = size == 2;
	const uint8_t *p, *end;

	if (v->size < 2 || v->size > SHORT_CHUNK || w->end - v->data < 4 ||
		(c->elements + SHORT_CHUNK + TFR_VARINT_SLACK) * sizeof(*out) > c->values.cap)
		return false;
	memcpy(&head, v->data, sizeof(head));
	head = le32toh(head) ^ (LIST | (size - 2) << 8 | CHUNK << 16 | (size - 4) << 24);
	if (head & (empty ? 0xffff : 0xffffffff))
		return false;
	p = v->data + (empty ? 2 : 4);
	end = v->data + size;
	if (end - p == 1 && *p < 0x80) { /* a class number, mostly */
		*out = *p;
		*n = 1;
		return true;
	}
	*n = (size_t)(c->decode(&p, end, w->end, out) - out);
	return p == end;
}

static inline enum tfr_append put_list(
	struct tfr_batch_column *c, const struct tfr_found *v, struct tfr_wire *w, size_t *n)
{
	struct tfr_wire list;

	if (v->data[0] != (c->kind << 3 | TFR_WIRE_BYTES)) {
		c->wrong = v->data[0] >> 3;
		return TFR_APPEND_KIND;
	}
	if (!open_list(w, v, &list))
		return TFR_APPEND_FAULT;
	if (c->kind == TFR_KIND_INT64)
		return put_int64s(c, &list, w, n);
	if (c->kind == TFR_KIND_FLOAT)
		return put_floats(c, &list, w, n);
	return put_bytes(c, &list, w, n);
}

/* The place of its code in cache lines decides about a tenth of the time of small records. */
__attribute__((aligned(64))) TFR_NO_CANARY enum tfr_append tfr_batch_append(
	struct tfr_batch_column *c, size_t row, const struct tfr_found *v, struct tfr_wire *w)
{
	enum tfr_append done = TFR_APPENDED;
	size_t n = 0;

	if (c->kind == TFR_KIND_INT64 && quick_int64s(c, v, w, &n))
		done = TFR_APPENDED;
	else if (v->size)
		done = put_list(c, v, w, &n);
	else if (c->layout == TFR_DENSE)
		done = put_fill(c, &n);
	if (done)
		return done;
	c->elements += n;
	c->wrong = n;
	if (c->layout == TFR_DENSE)
		return n == c->count ? TFR_APPENDED : TFR_APPEND_COUNT;
	if (c->count > 1 && n % c->count)
		return TFR_APPEND_COUNT;
	return end_row(c, row);
}
