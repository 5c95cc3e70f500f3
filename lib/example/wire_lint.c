/* example/wire_lint.c - one walk over a record that notes what other parsers read differently.
 *
 * Each level of the message returns a set of bits, one bit per kind of difference, so that a
 * feature of a thousand odd chunks is reported once.  The record was parsed before: only an
 * allocation can fail here. */
#include "example/wire_lint.h"

#include <stdlib.h>
#include <string.h>

#include <tfr-private/text.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/hardening.h"
#include "example/wire.h"

enum difference {
	/* of an entry of the map and its contents */
	NAME_NOT_TEXT,
	NO_NAME,
	NO_VALUE,
	NAME_AGAIN,
	VALUE_AGAIN,
	UNKNOWN_IN_ENTRY,
	UNSET,
	UNSET_FRAME,
	MIXED_KINDS,
	TWO_LISTS,
	UNKNOWN_BEFORE_KIND,
	UNKNOWN_BEHIND_KIND,
	UNKNOWN_BEFORE_VALUES,
	UNKNOWN_BEHIND_VALUES,
	CHUNKS_DROPPED,
	CHUNKS_REFUSED,
	LONG_TAG,
	/* of names, when all are known */
	NAME_TWICE,
	NAME_TWICE_UNSET,
	/* of the record */
	CONCATENATED,
	UNKNOWN_IN_FEATURES,
	UNKNOWN_FIELD,
	UNKNOWN_GROUP,
	LONG_TAG_IN_RECORD,
	DIFFERENCES,
};

static const char *const texts[DIFFERENCES] = {
	[NAME_NOT_TEXT] = "the name is not UTF-8: protobuf and DALI refuse the record",
	[NO_NAME] = "an entry without a name: TensorFlow refuses the record, protobuf reads it as ''",
	[NO_VALUE] = "an entry without a value: TensorFlow refuses the record, to protobuf it is "
		     "unset",
	[NAME_AGAIN] = "an entry with two names: TensorFlow refuses the record, protobuf takes the "
		       "last",
	[VALUE_AGAIN] = "an entry with two values: TensorFlow refuses the record, protobuf merges "
			"them",
	[UNKNOWN_IN_ENTRY] = "an entry with an unknown field: TensorFlow refuses the record, "
			     "protobuf drops the entry",
	[UNSET] = "no kind is set: TensorFlow treats the feature as absent, DALI crashes where it "
		  "wants bytes, PyPI's tfrecord fails",
	[UNSET_FRAME] = "a frame without a kind: TensorFlow refuses the record or reads an empty "
			"row",
	[MIXED_KINDS] = "two kinds in one feature: TensorFlow takes the first, protobuf the last",
	[TWO_LISTS] = "two lists in one feature: TensorFlow drops the second silently, protobuf "
		      "merges them",
	[UNKNOWN_BEFORE_KIND] = "an unknown field before the list: TensorFlow refuses the record, "
				"protobuf skips it",
	[UNKNOWN_BEHIND_KIND] = "an unknown field after the list: protobuf keeps it, TensorFlow "
				"drops it",
	[UNKNOWN_BEFORE_VALUES] = "an unknown field before the values: TensorFlow refuses the "
				  "record, protobuf skips it",
	[UNKNOWN_BEHIND_VALUES] = "an unknown field after the values: protobuf keeps it, "
				  "TensorFlow drops it",
	[CHUNKS_DROPPED] = "values after the first packed chunk: TensorFlow drops them silently",
	[CHUNKS_REFUSED] = "values in several chunks: TensorFlow refuses the record, protobuf "
			   "merges them",
	[LONG_TAG] = "a tag of more bytes than necessary: TensorFlow treats the field as an unknown "
		     "one",
	[NAME_TWICE] = "the name occurs twice: protobuf and TensorFlow drop all but the last",
	[NAME_TWICE_UNSET] = "the name occurs twice, last without a kind: TensorFlow can take "
			     "the earlier values, protobuf drops them",
	[CONCATENATED] = "several Examples in one record: they are read as one",
	[UNKNOWN_IN_FEATURES] = "an unknown field among the features: TensorFlow refuses the "
				"record, protobuf skips it",
	[UNKNOWN_FIELD] = "an unknown field: protobuf keeps it, TensorFlow drops it",
	[UNKNOWN_GROUP] = "an unknown group: TensorFlow refuses the record, protobuf skips "
			  "it",
	[LONG_TAG_IN_RECORD] = "a tag of more bytes than necessary: TensorFlow reads a record without "
			       "features",
};

#define BIT(d) ((uint32_t)1 << (d))

/* The features of an Example or a context, or the feature lists of a SequenceExample. */
enum map { FEATURES, FEATURE_LISTS };

struct name {
	struct tfr_bytes text;
	uint32_t index;
	bool unset;
};

struct tfr_lint {
	struct tfr_buf names; /* of struct name */
	enum tfr_status (*found)(
		void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err);
	void *ctx;
	struct tfr_error *err;
	uint32_t record; /* bits */
};

struct tfr_lint *tfr_lint_new(void)
{
	return calloc(1, sizeof(struct tfr_lint));
}

void tfr_lint_free(struct tfr_lint *l)
{
	if (!l)
		return;
	tfr_buf_clear(&l->names);
	free(l);
}

TFR_NO_CANARY
bool tfr_lint_concerns(const void *data, size_t size)
{
	const uint8_t *start = size ? data : (const uint8_t *)"";
	struct tfr_wire w = { .p = start, .end = start + size };
	struct tfr_wire_field f;
	bool some = false;

	while (tfr_wire_next(&w, &f)) {
		if (f.number > 2)
			continue;
		if (f.type != TFR_WIRE_BYTES)
			return false;
		some = true;
	}
	return some && !w.fault;
}

static enum tfr_status report_differences(
	struct tfr_lint *l, const struct tfr_bytes *name, uint32_t bits)
{
	for (int d = 0; d < DIFFERENCES; d++)
		if (bits & BIT(d))
			TFR_TRY(l->found(l->ctx, name, texts[d], l->err));
	return TFR_OK;
}

/* Reads the next field.  The fields of these messages are all below 16, so that a tag has one byte;
 * a longer one is noted as `long_tag`. */
static inline bool next_field(
	struct tfr_wire *w, struct tfr_wire_field *f, uint32_t *bits, enum difference long_tag)
{
	const uint8_t *tag = w->p;

	if (!tfr_wire_next(w, f))
		return false;
	if (f->number < 16 && *tag & 0x80)
		*bits |= BIT(long_tag);
	return true;
}

TFR_NO_CANARY
static uint32_t walk_list(struct tfr_wire w, uint32_t kind)
{
	enum tfr_wire_type own = kind == TFR_KIND_BYTES	  ? TFR_WIRE_BYTES
				 : kind == TFR_KIND_FLOAT ? TFR_WIRE_FIXED32
							  : TFR_WIRE_VARINT;
	bool packed = false, single = false;
	struct tfr_wire_field f;
	uint32_t bits = 0;

	while (next_field(&w, &f, &bits, LONG_TAG)) {
		if (f.number != 1 || (f.type != TFR_WIRE_BYTES && f.type != own)) {
			bits |= packed || single ? BIT(UNKNOWN_BEHIND_VALUES)
						 : BIT(UNKNOWN_BEFORE_VALUES);
		} else if (f.type == own) {
			bits |= packed ? BIT(CHUNKS_DROPPED) : 0;
			single = true;
		} else {
			bits |= packed ? BIT(CHUNKS_DROPPED) : single ? BIT(CHUNKS_REFUSED) : 0;
			packed = true;
		}
	}
	return bits;
}

TFR_NO_CANARY
static uint32_t walk_feature(struct tfr_wire w, enum tfr_kind *kind)
{
	struct tfr_wire_field f;
	uint32_t bits = 0;

	while (next_field(&w, &f, &bits, LONG_TAG)) {
		if (f.number > 3 || f.type != TFR_WIRE_BYTES) {
			bits |= *kind ? BIT(UNKNOWN_BEHIND_KIND) : BIT(UNKNOWN_BEFORE_KIND);
			continue;
		}
		if (*kind)
			bits |= *kind == f.number ? BIT(TWO_LISTS) : BIT(MIXED_KINDS);
		*kind = f.number;
		bits |= walk_list(tfr_wire_enter(&w, &f), f.number);
	}
	return bits;
}

/* TensorFlow's parser of SequenceExamples refuses what its parser of Examples drops. */
static uint32_t walk_frames(struct tfr_wire w)
{
	struct tfr_wire_field f;
	uint32_t bits = 0, frame;
	bool some = false;

	while (next_field(&w, &f, &bits, LONG_TAG)) {
		enum tfr_kind kind = TFR_KIND_UNSET;

		if (f.number != 1 || f.type != TFR_WIRE_BYTES) {
			bits |= some ? BIT(UNKNOWN_BEHIND_VALUES) : BIT(UNKNOWN_BEFORE_VALUES);
			continue;
		}
		some = true;
		frame = walk_feature(tfr_wire_enter(&w, &f), &kind);
		if (frame & BIT(CHUNKS_DROPPED))
			frame = (frame & ~BIT(CHUNKS_DROPPED)) | BIT(CHUNKS_REFUSED);
		bits |= frame | (kind ? 0 : BIT(UNSET_FRAME));
	}
	return bits;
}

TFR_NO_CANARY
static enum tfr_status walk_entry(struct tfr_lint *l, struct tfr_wire w, enum map map)
{
	struct name name = { .text.data = (const uint8_t *)"",
		.index = (uint32_t)(l->names.size / sizeof(struct name)) };
	unsigned names = 0, values = 0;
	struct tfr_wire_field f;
	enum tfr_kind kind = TFR_KIND_UNSET;
	uint32_t bits = 0;

	while (next_field(&w, &f, &bits, LONG_TAG)) {
		if (f.number == 1 && f.type == TFR_WIRE_BYTES) {
			bits |= names++ ? BIT(NAME_AGAIN) : 0;
			name.text = (struct tfr_bytes){ f.data, f.size };
		} else if (f.number == 2 && f.type == TFR_WIRE_BYTES) {
			bits |= values++ ? BIT(VALUE_AGAIN) : 0;
			bits |= map == FEATURES ? walk_feature(tfr_wire_enter(&w, &f), &kind)
						: walk_frames(tfr_wire_enter(&w, &f));
		} else {
			bits |= BIT(UNKNOWN_IN_ENTRY);
		}
	}
	bits |= names ? 0 : BIT(NO_NAME);
	bits |= values ? 0 : BIT(NO_VALUE);
	name.unset = map == FEATURES && !kind;
	if (name.unset && values)
		bits |= BIT(UNSET);
	if (!tfr_is_utf8(name.text.data, name.text.size))
		bits |= BIT(NAME_NOT_TEXT);
	TFR_NEED_MEMORY(tfr_buf_append(&l->names, &name, sizeof(name)), l->err, "checking");
	return bits ? report_differences(l, &name.text, bits) : TFR_OK;
}

static int compare_text(const struct tfr_bytes *a, const struct tfr_bytes *b)
{
	return tfr_compare_bytes(a->data, a->size, b->data, b->size);
}

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int c = compare_text(&x->text, &y->text);

	return c ? c : (x->index > y->index) - (x->index < y->index);
}

static enum tfr_status report_repeated_names(struct tfr_lint *l)
{
	size_t n = l->names.size / sizeof(struct name);
	struct name *names = (struct name *)(void *)l->names.data;

	if (n < 2)
		return TFR_OK;
	qsort(names, n, sizeof(*names), compare_names);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && !compare_text(&names[i].text, &names[next].text);
			next++)
			;
		if (next > i + 1)
			TFR_TRY(report_differences(l, &names[i].text,
				names[next - 1].unset ? BIT(NAME_TWICE_UNSET) : BIT(NAME_TWICE)));
	}
	return TFR_OK;
}

TFR_NO_CANARY
static enum tfr_status walk_map(struct tfr_lint *l, struct tfr_wire w, enum map map)
{
	struct tfr_wire_field f;

	while (next_field(&w, &f, &l->record, LONG_TAG_IN_RECORD)) {
		if (f.number == 1 && f.type == TFR_WIRE_BYTES)
			TFR_TRY(walk_entry(l, tfr_wire_enter(&w, &f), map));
		else
			l->record |= BIT(UNKNOWN_IN_FEATURES);
	}
	return TFR_OK;
}

/* Walks all maps of one kind in the record, which every reader merges into one map. */
TFR_NO_CANARY
static enum tfr_status walk_maps(
	struct tfr_lint *l, const uint8_t *data, size_t size, enum map map, unsigned *count)
{
	struct tfr_wire w = { .p = data, .end = data + size };
	struct tfr_wire_field f;

	*count = 0;
	l->names.size = 0;
	while (tfr_wire_next(&w, &f)) {
		if (f.number != (map == FEATURES ? 1 : 2) || f.type != TFR_WIRE_BYTES)
			continue;
		++*count;
		TFR_TRY(walk_map(l, tfr_wire_enter(&w, &f), map));
	}
	return report_repeated_names(l);
}

static void note_unknown_fields(struct tfr_lint *l, const uint8_t *data, size_t size)
{
	struct tfr_wire w = { .p = data, .end = data + size };
	struct tfr_wire_field f;

	while (next_field(&w, &f, &l->record, LONG_TAG_IN_RECORD)) {
		if (f.type == TFR_WIRE_GROUP)
			l->record |= BIT(UNKNOWN_GROUP);
		else if (f.number > 2 || f.type != TFR_WIRE_BYTES)
			l->record |= BIT(UNKNOWN_FIELD);
	}
}

TFR_NO_CANARY
enum tfr_status tfr_lint_run(struct tfr_lint *l, const void *data, size_t size,
	enum tfr_status (*found)(
		void *ctx, const struct tfr_bytes *name, const char *what, struct tfr_error *err),
	void *ctx, struct tfr_error *err)
{
	const uint8_t *start = size ? data : (const uint8_t *)"";
	unsigned maps, lists;

	l->found = found;
	l->ctx = ctx;
	l->err = err;
	l->record = 0;
	note_unknown_fields(l, start, size);
	TFR_TRY(walk_maps(l, start, size, FEATURES, &maps));
	TFR_TRY(walk_maps(l, start, size, FEATURE_LISTS, &lists));
	if (maps > 1 || lists > 1)
		l->record |= BIT(CONCATENATED);
	return report_differences(l, NULL, l->record);
}
