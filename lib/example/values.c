/* example/values.c - reads values of a list that the parser has checked: packed, unpacked or both,
 * with unknown fields between.
 *
 * In a checked list, a varint in a chunk ends inside the chunk, a chunk of floats is complete,
 * and reading a field cannot fail.  The bounds below only mark the end of the list. */
#include <string.h>

#include <tfr-private/example.h>

#include "base/hardening.h"
#include "example/wire.h"

const char *tfr_kind_name(enum tfr_kind kind)
{
	static const char *const names[] = { "unset", "bytes", "float", "int64" };

	return names[kind];
}

enum tfr_kind tfr_kind_named(const char *name, size_t size)
{
	enum tfr_kind kind = TFR_KIND_INT64;

	while (kind && (strlen(tfr_kind_name(kind)) != size ||
			       memcmp(tfr_kind_name(kind), name, size) != 0))
		kind--;
	return kind;
}

void tfr_cursor_init(struct tfr_cursor *c, const struct tfr_feature *f)
{
	*c = (struct tfr_cursor){ 0 };
	if (!f || !f->body_size)
		return;
	c->kind = f->kind;
	c->p = f->body;
	c->end = f->body + f->body_size;
	if (f->one_chunk)
		c->chunk_end = c->end;
}

/* Reads the next field 1 of the list. */
static bool next_value(struct tfr_cursor *c, struct tfr_wire_field *f)
{
	struct tfr_wire w = { .p = c->p, .end = c->end };

	do {
		if (c->p == c->end || !tfr_wire_next(&w, f))
			return false;
		c->p = w.p;
	} while (f->number != 1);
	return true;
}

/* Enters the next packed chunk that is not empty, or leaves one value of type `single` in `f`. */
static bool next_number(struct tfr_cursor *c, enum tfr_wire_type single, struct tfr_wire_field *f)
{
	c->chunk_end = NULL;
	while (next_value(c, f)) {
		if (f->type == single)
			return true;
		if (f->type == TFR_WIRE_BYTES && f->size) {
			c->p = f->data;
			c->chunk_end = f->data + f->size;
			return true;
		}
	}
	return false;
}

TFR_NO_CANARY
bool tfr_cursor_bytes(struct tfr_cursor *c, struct tfr_bytes *value)
{
	struct tfr_wire_field f;

	if (c->kind != TFR_KIND_BYTES)
		return false;
	do {
		if (!next_value(c, &f))
			return false;
	} while (f.type != TFR_WIRE_BYTES);
	*value = (struct tfr_bytes){ f.data, f.size };
	return true;
}

TFR_NO_CANARY
bool tfr_cursor_float(struct tfr_cursor *c, float *value)
{
	struct tfr_wire_field f;

	if (c->kind != TFR_KIND_FLOAT)
		return false;
	if (!c->chunk_end || c->p == c->chunk_end) {
		if (!next_number(c, TFR_WIRE_FIXED32, &f))
			return false;
		if (!c->chunk_end) {
			memcpy(value, f.data, 4);
			return true;
		}
	}
	memcpy(value, c->p, 4);
	c->p += 4;
	return true;
}

TFR_NO_CANARY
bool tfr_cursor_int64(struct tfr_cursor *c, int64_t *value)
{
	struct tfr_wire_field f;
	uint64_t v = 0;

	if (c->kind != TFR_KIND_INT64)
		return false;
	if (!c->chunk_end || c->p == c->chunk_end) {
		if (!next_number(c, TFR_WIRE_VARINT, &f))
			return false;
		if (!c->chunk_end) {
			*value = (int64_t)f.value;
			return true;
		}
	}
	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = *c->p++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	*value = (int64_t)v;
	return true;
}

size_t tfr_feature_floats(const struct tfr_feature *f, uint64_t first, float *out, size_t n)
{
	struct tfr_cursor c;
	size_t got = 0;
	float v;

	if (!f || f->kind != TFR_KIND_FLOAT || first >= f->count)
		return 0;
	if (n > f->count - first)
		n = f->count - first;
	if (f->one_chunk) {
		memcpy(out, f->body + 4 * first, 4 * n);
		return n;
	}
	tfr_cursor_init(&c, f);
	for (; first && tfr_cursor_float(&c, &v); first--)
		;
	while (got < n && tfr_cursor_float(&c, &out[got]))
		got++;
	return got;
}

size_t tfr_feature_int64s(const struct tfr_feature *f, uint64_t first, int64_t *out, size_t n)
{
	struct tfr_cursor c;
	size_t got = 0;
	int64_t v;

	if (!f || f->kind != TFR_KIND_INT64 || first >= f->count)
		return 0;
	tfr_cursor_init(&c, f);
	for (; first && tfr_cursor_int64(&c, &v); first--)
		;
	while (got < n && tfr_cursor_int64(&c, &out[got]))
		got++;
	return got;
}

size_t tfr_feature_bytes_list(
	const struct tfr_feature *f, uint64_t first, struct tfr_bytes *out, size_t n)
{
	struct tfr_cursor c;
	struct tfr_bytes v;
	size_t got = 0;

	tfr_cursor_init(&c, f);
	for (; first && tfr_cursor_bytes(&c, &v); first--)
		;
	while (got < n && tfr_cursor_bytes(&c, &out[got]))
		got++;
	return got;
}

bool tfr_feature_bytes(const struct tfr_feature *f, uint64_t i, struct tfr_bytes *value)
{
	return f && i < f->count && tfr_feature_bytes_list(f, i, value, 1) == 1;
}

bool tfr_feature_float(const struct tfr_feature *f, uint64_t i, float *value)
{
	return tfr_feature_floats(f, i, value, 1) == 1;
}

bool tfr_feature_int64(const struct tfr_feature *f, uint64_t i, int64_t *value)
{
	return tfr_feature_int64s(f, i, value, 1) == 1;
}
