/* example/wire.h - protobuf's wire format, one field at a time, never past the end of its message.
 *
 * The rules are upb's.  A tag has at most five bytes and fits in 32 bits; field 0 does not
 * exist.  A length has at most five bytes and fits in 31 bits.  A varint has at most ten bytes,
 * and bits past 64 are dropped.  Messages and groups nest at most 100 deep.  A violation is a
 * fault, reported with its position; unknown fields are skipped by number. */
#ifndef TFR_EXAMPLE_WIRE_H
#define TFR_EXAMPLE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tfr_wire_type {
	TFR_WIRE_VARINT = 0,
	TFR_WIRE_FIXED64 = 1,
	TFR_WIRE_BYTES = 2,
	TFR_WIRE_GROUP = 3, /* read completely, its end included */
	TFR_WIRE_END_GROUP = 4,
	TFR_WIRE_FIXED32 = 5,
};

enum { TFR_WIRE_MAX_DEPTH = 100 };

/* A message being read.  `fault` NULL: none was found so far. */
struct tfr_wire {
	const uint8_t *p, *end;
	unsigned depth;
	const char *fault;
	const uint8_t *fault_at;
};

struct tfr_wire_field {
	uint32_t number;
	enum tfr_wire_type type;
	uint64_t value;	     /* varint */
	const uint8_t *data; /* bytes, fixed32 and fixed64: the content */
	size_t size;
};

static inline bool tfr_wire_fail(struct tfr_wire *w, const uint8_t *at, const char *fault)
{
	w->fault = fault;
	w->fault_at = at;
	return false;
}

/* The slow path of the two functions below: any number of bytes, up to `max_bytes`. */
bool tfr_wire_varint_slow(struct tfr_wire *w, unsigned max_bytes, uint64_t max, uint64_t *value);
/* The content of a field whose tag was read and which is neither a varint nor bytes. */
bool tfr_wire_other(struct tfr_wire *w, struct tfr_wire_field *f, const uint8_t *tag_at);

static inline bool tfr_wire_varint(
	struct tfr_wire *w, unsigned max_bytes, uint64_t max, uint64_t *value)
{
	if (w->p < w->end && *w->p < 0x80) {
		*value = *w->p++;
		return true;
	}
	/* Lengths from 128 to 16383 are those of most texts and records. */
	if (max > 0x3fff && w->end - w->p >= 2 && w->p[1] < 0x80) {
		*value = (w->p[0] & 0x7f) | (unsigned)w->p[1] << 7;
		w->p += 2;
		return true;
	}
	return tfr_wire_varint_slow(w, max_bytes, max, value);
}

/* The content of the field whose number and type are in `f`. */
static inline bool tfr_wire_content(
	struct tfr_wire *w, struct tfr_wire_field *f, const uint8_t *tag_at)
{
	uint64_t v;

	if (f->type == TFR_WIRE_VARINT)
		return tfr_wire_varint(w, 10, UINT64_MAX, &f->value);
	if (f->type != TFR_WIRE_BYTES)
		return tfr_wire_other(w, f, tag_at);
	if (!tfr_wire_varint(w, 5, INT32_MAX, &v))
		return false;
	if (v > (size_t)(w->end - w->p))
		return tfr_wire_fail(w, tag_at, "field runs past the end of what holds it");
	f->data = w->p;
	f->size = v;
	w->p += v;
	return true;
}

/* Reads the next field, unknown groups included.  False: the end of the message, or a fault (in
 * w->fault). */
static inline bool tfr_wire_next(struct tfr_wire *w, struct tfr_wire_field *f)
{
	const uint8_t *tag_at = w->p;
	uint64_t v;

	if (w->p == w->end || !tfr_wire_varint(w, 5, UINT32_MAX, &v))
		return false;
	f->number = (uint32_t)v >> 3;
	f->type = v & 7;
	if (!f->number)
		return tfr_wire_fail(w, tag_at, "field number 0");
	return tfr_wire_content(w, f, tag_at);
}

/* Enters the message inside `outer` that field `f` contains.  `inner` is set member by member: a
 * struct that is built and then copied is read in 16 bytes while parts of these are still being
 * written, and the processor waits. */
static inline void tfr_wire_begin(
	struct tfr_wire *inner, const struct tfr_wire *outer, const struct tfr_wire_field *f)
{
	inner->p = f->data;
	inner->end = f->data + f->size;
	inner->depth = outer->depth + 1;
	inner->fault = NULL;
	inner->fault_at = NULL;
}

/* The same, for code that is not on the path of every feature. */
static inline struct tfr_wire tfr_wire_enter(
	const struct tfr_wire *outer, const struct tfr_wire_field *f)
{
	struct tfr_wire inner;

	tfr_wire_begin(&inner, outer, f);
	return inner;
}

/* Leaves it and passes its fault to `outer`.  False: there was one. */
static inline bool tfr_wire_leave(struct tfr_wire *outer, const struct tfr_wire *inner)
{
	return !inner->fault || tfr_wire_fail(outer, inner->fault_at, inner->fault);
}

/* Counts the values of a packed chunk of varints.  False: one is cut short or longer than ten
 * bytes. */
bool tfr_wire_count_varints(struct tfr_wire *w, const uint8_t *p, size_t size, uint64_t *count);
/* The same, byte by byte. */
bool tfr_wire_count_varints_plain(
	struct tfr_wire *w, const uint8_t *p, size_t size, uint64_t *count);

/* Writes a varint, of at most TFR_VARINT_MAX bytes, and returns its end. */
enum { TFR_VARINT_MAX = 10 };
static inline uint8_t *tfr_wire_put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

/* The number of bytes of a varint. */
static inline size_t tfr_wire_varint_size(uint64_t v)
{
	return (size_t)(63 - __builtin_clzll(v | 1)) / 7 + 1;
}

#endif
