/* example/content.c - detects the message type of a record from its fields.
 *
 * No record names its type.  Each type is recognised by fields that no other type can have:
 *
 *   Example          an entry of its map that has a name and, as its value, a Feature
 *   SequenceExample  the same, or such an entry whose value is a FeatureList
 *   ELWC             Examples in fields 1 and 2, each in the form that TensorFlow writes, no
 *                    others
 *   TensorProto      a type that exists and a shape
 *
 * The first two exclude the third: an entry with a value is not a map of features.  TensorFlow
 * writes the name and the value of each entry, so that one entry is enough.  A record that has
 * none of these fields but could still be an Example is "like" one.  Its type then depends on
 * the other records (struct tfr_content_counts). */
#include "example/content.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "example/wire.h"

enum {
	V = 1 << TFR_WIRE_VARINT,
	D = 1 << TFR_WIRE_FIXED64,
	B = 1 << TFR_WIRE_BYTES,
	F = 1 << TFR_WIRE_FIXED32,
	MAX_FIELD = 18,
};

/* The wire types that each field number may have; numbers may be packed or not. */
static const uint8_t tensor_fields[MAX_FIELD + 1] = { 0, V, B, V, B, F | B, D | B, V | B, B, F | B,
	V | B, V | B, D | B, V | B, B, B, V | B, V | B, B };

/* Of tensorflow/core/framework/types.proto, references included. */
enum { LAST_DTYPE = 131 };

static struct tfr_wire wire_of(const struct tfr_wire_field *f)
{
	return (struct tfr_wire){ .p = f->data, .end = f->data + f->size };
}

/* ---- Features ---- */

/* Whether these are the values of a list, judged by the fields alone. */
static bool is_list(struct tfr_wire w, uint32_t kind)
{
	struct tfr_wire_field f;

	while (tfr_wire_next(&w, &f))
		if (kind == TFR_KIND_FLOAT && f.number == 1 && f.type == TFR_WIRE_BYTES &&
			f.size % 4)
			return false;
	return !w.fault;
}

/* A Feature: a list of a kind, or empty; fields of other numbers are allowed. */
static bool is_feature(struct tfr_wire w)
{
	struct tfr_wire_field f;
	bool empty = w.p == w.end, kind = false;

	while (tfr_wire_next(&w, &f)) {
		if (f.number > TFR_KIND_INT64 || f.type != TFR_WIRE_BYTES)
			continue;
		if (!is_list(wire_of(&f), f.number))
			return false;
		kind = true;
	}
	return !w.fault && (kind || empty);
}

/* A FeatureList: Features, or empty. */
static bool is_feature_list(struct tfr_wire w)
{
	struct tfr_wire_field f;
	bool empty = w.p == w.end, some = false;

	while (tfr_wire_next(&w, &f)) {
		if (f.number != 1 || f.type != TFR_WIRE_BYTES)
			continue;
		if (!is_feature(wire_of(&f)))
			return false;
		some = true;
	}
	return !w.fault && (some || empty);
}

static bool is_text(const struct tfr_wire_field *f)
{
	for (size_t i = 0, n; i < f->size; i += n) {
		n = tfr_utf8_length(f->data + i, f->size - i);
		if (!n || f->data[i] < 0x20 || f->data[i] == 0x7f)
			return false;
	}
	return true;
}

/* The contents of the maps of a record that is read as an Example or a SequenceExample. */
struct maps {
	bool whole; /* an entry with a name and a value */
	bool pairs; /* an entry with both fields, whose value is not valid */
	bool halves; /* an entry that lacks one of them: other writers omit empty fields */
	bool other; /* a field that belongs to neither message */
};

static void read_entry(struct tfr_wire w, bool (*is_value)(struct tfr_wire w), struct maps *found)
{
	bool name = false, value = false, good = true, other = false;
	struct tfr_wire_field f;

	while (tfr_wire_next(&w, &f)) {
		if (f.number > 2 || f.type != TFR_WIRE_BYTES) {
			other = true;
		} else if (f.number == 2) {
			value = true;
			good = good && is_value(wire_of(&f));
		} else {
			other |= !is_text(&f); /* of an entry with a name only */
			name = true;
		}
	}
	if (w.fault)
		found->other = true;
	else if (name && value)
		*(good ? &found->whole : &found->pairs) = true;
	else if (other || !good)
		found->other = true;
	else
		found->halves = true;
}

static void read_map(struct tfr_wire w, bool (*is_value)(struct tfr_wire w), struct maps *found)
{
	struct tfr_wire_field f;

	while (!found->whole && tfr_wire_next(&w, &f)) {
		if (f.number == 1 && f.type == TFR_WIRE_BYTES)
			read_entry(wire_of(&f), is_value, found);
		else
			found->other = true;
	}
	found->other |= w.fault != NULL;
}

/* ---- ELWC ---- */

static bool is_written_entry(struct tfr_wire w)
{
	unsigned names = 0, values = 0;
	struct tfr_wire_field f;

	while (tfr_wire_next(&w, &f)) {
		if (f.number > 2 || f.type != TFR_WIRE_BYTES)
			return false;
		names += f.number == 1;
		values += f.number == 2;
		if (f.number == 2 && !is_feature(wire_of(&f)))
			return false;
	}
	return !w.fault && names == 1 && values == 1;
}

/* Whether every field of a message is a message with number 1 that satisfies `is_one`. */
static bool holds_only(struct tfr_wire w, bool (*is_one)(struct tfr_wire w))
{
	struct tfr_wire_field f;

	while (tfr_wire_next(&w, &f))
		if (f.number != 1 || f.type != TFR_WIRE_BYTES || !is_one(wire_of(&f)))
			return false;
	return !w.fault;
}

static bool is_written_features(struct tfr_wire w)
{
	return holds_only(w, is_written_entry);
}

static bool is_written_example(struct tfr_wire w)
{
	return holds_only(w, is_written_features);
}

static bool has_entry(struct tfr_wire w)
{
	struct tfr_wire_field f;

	while (tfr_wire_next(&w, &f))
		if (f.size)
			return true;
	return false;
}

static bool is_elwc(struct tfr_wire w)
{
	struct tfr_wire_field f;
	bool some = false;

	while (tfr_wire_next(&w, &f)) {
		if (f.number > 2 || f.type != TFR_WIRE_BYTES || !is_written_example(wire_of(&f)))
			return false;
		some = some || has_entry(wire_of(&f));
	}
	return !w.fault && some;
}

/* ---- TensorProtos ---- */

static bool is_shape(struct tfr_wire w)
{
	struct tfr_wire_field f;

	while (tfr_wire_next(&w, &f))
		if (!(f.number == 2 && f.type == TFR_WIRE_BYTES) &&
			!(f.number == 3 && f.type == TFR_WIRE_VARINT))
			return false;
	return !w.fault;
}

/* The result of one walk over the fields of a record. */
struct fields {
	bool tensor; /* it has fields of a TensorProto only */
	bool shape, dtype;
	bool maps; /* fields that can contain a map */
	struct maps found;
};

static void read_field(const struct tfr_wire_field *f, struct fields *all)
{
	uint32_t number = f->number <= MAX_FIELD ? f->number : 0;

	all->tensor = all->tensor && tensor_fields[number] & 1 << f->type;
	if (number == 1 && f->type == TFR_WIRE_VARINT)
		all->dtype = f->value && f->value <= LAST_DTYPE;
	if (!number || number > 2 || f->type != TFR_WIRE_BYTES) {
		all->found.other = true;
		return;
	}
	if (number == 2 && all->tensor)
		all->shape = is_shape(wire_of(f));
	all->maps = true;
	read_map(wire_of(f), number == 1 ? is_feature : is_feature_list, &all->found);
}

/* ---- A record ---- */

enum tfr_likeness tfr_likeness_of(const void *data, size_t size)
{
	const uint8_t *start = size ? data : (const uint8_t *)"";
	const struct tfr_wire whole = { .p = start, .end = start + size };
	struct fields all = { .tensor = true };
	struct tfr_wire w = whole;
	struct tfr_wire_field f;

	if (!size)
		return TFR_LIKE_ANY;
	while (!all.found.whole && tfr_wire_next(&w, &f))
		read_field(&f, &all);
	if (all.found.whole)
		return TFR_IS_EXAMPLE;
	if (w.fault)
		return TFR_IS_RAW;
	if (all.tensor && all.dtype && all.shape)
		return TFR_IS_TENSOR;
	if (all.maps && is_elwc(whole))
		return TFR_IS_ELWC;
	return all.maps && !all.found.other ? TFR_LIKE_EXAMPLE : TFR_IS_MESSAGE;
}

enum tfr_likeness tfr_likeness_parsed(const struct tfr_example *ex, const void *data, size_t size)
{
	for (size_t i = 0; i < tfr_example_count(ex); i++)
		if (tfr_example_at(ex, i)->kind && tfr_example_at(ex, i)->key_size)
			return TFR_IS_EXAMPLE;
	return tfr_likeness_of(data, size);
}

/* ---- Many records together ---- */

void tfr_content_merge(struct tfr_content_counts *into, const struct tfr_content_counts *from)
{
	for (int i = 0; i < TFR_LIKENESSES; i++)
		into->records[i] += from->records[i];
}

static enum tfr_content most_of(const struct tfr_content_result *r)
{
	enum tfr_content most = TFR_CONTENT_EXAMPLE;

	for (int i = 0; i < TFR_CONTENT_TYPES; i++)
		if (r->records[i] > r->records[most])
			most = (enum tfr_content)i;
	return most;
}

/* Some bytes parse as a message by chance.  A few such records among many raw ones are raw too. */
static void settle_others(struct tfr_content_result *r)
{
	enum { BY_CHANCE = 8 };
	uint64_t *message = &r->records[TFR_CONTENT_MESSAGE], *raw = &r->records[TFR_CONTENT_RAW];

	if (*raw && *raw >= *message / BY_CHANCE) {
		*raw += *message;
		*message = 0;
	}
}

struct tfr_content_result tfr_content_settle(const struct tfr_content_counts *counts)
{
	const uint64_t *n = counts->records;
	struct tfr_content_result r = { 0 };

	for (enum tfr_likeness like = TFR_IS_EXAMPLE; like < TFR_LIKENESSES; like++)
		r.records[tfr_content_alone(like)] = n[like];
	settle_others(&r);
	if (n[TFR_LIKE_EXAMPLE])
		r.records[n[TFR_IS_EXAMPLE] ? TFR_CONTENT_EXAMPLE : most_of(&r)] +=
			n[TFR_LIKE_EXAMPLE];
	r.records[r.records[TFR_CONTENT_EXAMPLE] ? TFR_CONTENT_EXAMPLE : most_of(&r)] +=
		n[TFR_LIKE_ANY];
	r.most = most_of(&r);
	for (int i = 0; i < TFR_CONTENT_TYPES; i++)
		r.all += r.records[i];
	return r;
}

enum tfr_content tfr_content_alone(enum tfr_likeness like)
{
	static const enum tfr_content contents[TFR_LIKENESSES] = {
		[TFR_LIKE_ANY] = TFR_CONTENT_EXAMPLE,
		[TFR_LIKE_EXAMPLE] = TFR_CONTENT_EXAMPLE,
		[TFR_IS_EXAMPLE] = TFR_CONTENT_EXAMPLE,
		[TFR_IS_ELWC] = TFR_CONTENT_ELWC,
		[TFR_IS_TENSOR] = TFR_CONTENT_TENSOR,
		[TFR_IS_MESSAGE] = TFR_CONTENT_MESSAGE,
		[TFR_IS_RAW] = TFR_CONTENT_RAW,
	};

	return contents[like];
}

enum tfr_content tfr_content_of(const void *data, size_t size)
{
	return tfr_content_alone(tfr_likeness_of(data, size));
}

/* ---- In words ---- */

struct words {
	const char *one, *many;
	const char *held; /* after "holds" */
	const char *hint;
};

static const struct words words[TFR_CONTENT_TYPES] = {
	[TFR_CONTENT_EXAMPLE] = { "Example", "Examples", "Examples", "" },
	[TFR_CONTENT_ELWC] = { "ExampleListWithContext", "ExampleListWithContexts",
		"ExampleListWithContexts (ELWC), not Examples", "'tfr show' prints them." },
	[TFR_CONTENT_TENSOR] = { "TensorProto", "TensorProtos", "TensorProtos, not Examples",
		"'tfr show' prints them." },
	[TFR_CONTENT_MESSAGE] = { "protobuf message of another type",
		"protobuf messages of another type",
		"protobuf messages of another type, not Examples",
		"'tfr show' prints their first bytes." },
	[TFR_CONTENT_RAW] = { "record that is not a protobuf message",
		"records that are not protobuf messages",
		"no Examples: the records are not protobuf messages",
		"'tfr show' prints their first bytes." },
};

const char *tfr_content_one(enum tfr_content content)
{
	static const char *const texts[TFR_CONTENT_TYPES] = {
		[TFR_CONTENT_EXAMPLE] = "an Example",
		[TFR_CONTENT_ELWC] = "an ExampleListWithContext",
		[TFR_CONTENT_TENSOR] = "a TensorProto",
		[TFR_CONTENT_MESSAGE] = "a protobuf message of another type",
		[TFR_CONTENT_RAW] = "not a protobuf message",
	};

	return texts[content];
}

/* "3 ExampleListWithContexts and 2 TensorProtos": the records that are no Examples. */
static char *list_others(char text[TFR_CONTENT_TEXT], const struct tfr_content_result *r)
{
	size_t used = 0;
	unsigned left = 0;

	text[0] = '\0';
	for (int i = 0; i < TFR_CONTENT_TYPES; i++)
		left += r->records[i] && i != TFR_CONTENT_EXAMPLE;
	for (int i = 0; i < TFR_CONTENT_TYPES; i++) {
		unsigned long long n = r->records[i];

		if (!n || i == TFR_CONTENT_EXAMPLE)
			continue;
		used += (size_t)snprintf(text + used, TFR_CONTENT_TEXT - used, "%s%llu %s",
			!used	    ? ""
			: left == 1 ? " and "
				    : ", ",
			n, n == 1 ? words[i].one : words[i].many);
		left--;
	}
	return text;
}

enum tfr_status tfr_content_refuse(
	const struct tfr_content_result *r, const char *path, struct tfr_error *err)
{
	char list[TFR_CONTENT_TEXT], subject[420] = "the inputs hold";
	const struct words *w = &words[r->most];

	if (!r->all || r->records[TFR_CONTENT_EXAMPLE])
		return TFR_OK;
	if (path && *path)
		snprintf(subject, sizeof(subject), "'%.400s' holds", path);
	else if (path)
		snprintf(subject, sizeof(subject), "holds");
	if (r->records[r->most] == r->all)
		tfr_fail(err, TFR_EDATA, "%s %s", subject, w->held);
	else
		tfr_fail(err, TFR_EDATA, "%s no Examples: %s", subject, list_others(list, r));
	tfr_error_hint(err, "%s", w->hint);
	return TFR_EDATA;
}

bool tfr_content_mixture(char text[TFR_CONTENT_TEXT], const struct tfr_content_result *r)
{
	uint64_t others = r->all - r->records[TFR_CONTENT_EXAMPLE];
	char list[TFR_CONTENT_TEXT];

	if (!others || others == r->all)
		return false;
	snprintf(text, TFR_CONTENT_TEXT, "%llu of %llu records %s not %s: %.300s",
		(unsigned long long)others, (unsigned long long)r->all, others == 1 ? "is" : "are",
		others == 1 ? "an Example" : "Examples", list_others(list, r));
	return true;
}
