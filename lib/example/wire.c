/* example/wire.c - the rare cases of the wire format: long varints, fixed-size fields, groups. */
#include "example/wire.h"

#include <string.h>

bool tfr_wire_varint_slow(struct tfr_wire *w, unsigned max_bytes, uint64_t max, uint64_t *value)
{
	const uint8_t *start = w->p;
	uint64_t v = 0;

	for (unsigned i = 0; i < max_bytes; i++) {
		uint8_t byte;

		if (w->p == w->end)
			return tfr_wire_fail(w, start, "number cut short");
		byte = *w->p++;
		v |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*value = v;
			return v <= max || tfr_wire_fail(w, start, "tag or length out of range");
		}
	}
	return tfr_wire_fail(w, start,
		max_bytes == 10 ? "number longer than 10 bytes" : "tag or length out of range");
}

static bool take_content(
	struct tfr_wire *w, struct tfr_wire_field *f, size_t size, const uint8_t *tag_at)
{
	if ((size_t)(w->end - w->p) < size)
		return tfr_wire_fail(w, tag_at, "field runs past the end of what holds it");
	f->data = w->p;
	f->size = size;
	w->p += size;
	return true;
}

/* Reads to the end of the group whose start tag was just read.  Nested groups use a stack of
 * their numbers in place of recursion.  Inside a group upb accepts even field number 0. */
static bool skip_group(struct tfr_wire *w, uint32_t number, const uint8_t *tag_at)
{
	uint32_t open[TFR_WIRE_MAX_DEPTH] = { number };
	struct tfr_wire_field f;
	unsigned n = 1;
	uint64_t tag;

	while (n) {
		if (w->depth + n > TFR_WIRE_MAX_DEPTH)
			return tfr_wire_fail(w, tag_at, "groups nested too deep");
		tag_at = w->p;
		if (w->p == w->end)
			return tfr_wire_fail(w, tag_at, "group without an end");
		if (!tfr_wire_varint(w, 5, UINT32_MAX, &tag))
			return false;
		f.number = (uint32_t)tag >> 3;
		f.type = tag & 7;
		if (f.type == TFR_WIRE_GROUP && w->depth + n < TFR_WIRE_MAX_DEPTH)
			open[n++] = f.number;
		else if (f.type == TFR_WIRE_GROUP)
			return tfr_wire_fail(w, tag_at, "groups nested too deep");
		else if (f.type != TFR_WIRE_END_GROUP && !tfr_wire_content(w, &f, tag_at))
			return false;
		else if (f.type == TFR_WIRE_END_GROUP && f.number != open[--n])
			return tfr_wire_fail(
				w, tag_at, "end of another group than the one it is in");
	}
	return true;
}

bool tfr_wire_other(struct tfr_wire *w, struct tfr_wire_field *f, const uint8_t *tag_at)
{
	switch (f->type) {
	case TFR_WIRE_FIXED64:
		return take_content(w, f, 8, tag_at);
	case TFR_WIRE_FIXED32:
		return take_content(w, f, 4, tag_at);
	case TFR_WIRE_GROUP:
		return skip_group(w, f->number, tag_at);
	case TFR_WIRE_END_GROUP:
		return tfr_wire_fail(w, tag_at, "end of a group that was never opened");
	default:
		return tfr_wire_fail(w, tag_at, "wire type that does not exist");
	}
}

bool tfr_wire_count_varints_plain(
	struct tfr_wire *w, const uint8_t *p, size_t size, uint64_t *count)
{
	const uint8_t *end = p + size, *start = p; /* of the varint that contains p */
	uint64_t n = 0;

	while (p < end) {
		if (*p++ < 0x80) {
			n++;
			start = p;
		} else if (p - start >= 10) {
			return tfr_wire_fail(w, start, "number longer than 10 bytes");
		}
	}
	*count = n;
	return start == end || tfr_wire_fail(w, start, "number cut short");
}

/* Counts the ends of varints, which are bytes without the highest bit, eight bytes at a time.
 * The length of a varint depends on how many of its bytes are in the preceding words. */
bool tfr_wire_count_varints(struct tfr_wire *w, const uint8_t *p, size_t size, uint64_t *count)
{
	const uint64_t more = 0x8080808080808080u;
	unsigned before = 0;
	uint64_t n = 0, rest = 0;
	size_t i = 0;

	for (; i + 8 <= size; i += 8) {
		uint64_t word, stops;

		memcpy(&word, p + i, 8);
		stops = ~word & more;
		if (before + (stops ? (unsigned)__builtin_ctzll(stops) / 8 : 8) >= 10)
			break;
		n += (stops >> 7) * 0x0101010101010101u >> 56;
		before = stops ? (unsigned)__builtin_clzll(stops) / 8 : before + 8;
	}
	/* The end, from the start of the varint it is in, and any anomaly. */
	if (!tfr_wire_count_varints_plain(w, p + i - before, size - i + before, &rest))
		return false;
	*count = n + rest;
	return true;
}
