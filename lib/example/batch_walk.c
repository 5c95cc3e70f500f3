/* example/batch_walk.c - finds the wanted features of a record, by the rules of tf.io.parse_example
 * (tfr/batch.h).
 *
 * Only the two fields of an entry are checked, and features only if they are wanted.  Each entry
 * is first compared with the beginning of the entry at the same position of the previous
 * record.  Records of one writer usually match, so that no name is looked up; such a record
 * takes half the time. */
#include <string.h>

#include "base/error.h"
#include "base/hardening.h"
#include "example/batch.h"

enum {
	TAG_1 = 1 << 3 | TFR_WIRE_BYTES, /* features, entry, key, bytes_list */
	TAG_2 = 2 << 3 | TFR_WIRE_BYTES, /* value, float_list */
	TAG_3 = 3 << 3 | TFR_WIRE_BYTES, /* int64_list */
};

/* ---- Names ---- */

/* The table is built once from the wanted names and then only read.  The longest run of taken
 * slots is fixed when the parser is created, so a record full of colliding keys costs no more
 * than any other. */

/* Multiplies and folds eight bytes at a time, so that every bit of a name affects the upper
 * half. */
static uint64_t hash_name(const void *key, size_t size)
{
	const uint8_t *p = key;
	uint64_t h = size * 0x9e3779b97f4a7c15u, word;

	for (; size > 8; size -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = (h ^ word) * 0xbf58476d1ce4e5b9u;
		h ^= h >> 32;
	}
	word = 0;
	if (size) /* an empty name may be NULL */
		memcpy(&word, p, size);
	h = (h ^ word) * 0x94d049bb133111ebu;
	return h >> 32;
}

static uint32_t find_wanted(const struct tfr_batch_parser *b, const void *key, size_t size)
{
	struct tfr_hash_probe probe = tfr_hash_probe(hash_name(key, size));
	uint32_t feature;

	while (tfr_hash_next(&b->names, &probe, &feature)) {
		const struct tfr_batch_column *c = &b->columns[feature];

		if (c->name_size == size && (!size || !memcmp(c->name, key, size)))
			return feature;
	}
	return TFR_UNWANTED;
}

enum tfr_status tfr_batch_index_names(struct tfr_batch_parser *b, struct tfr_error *err)
{
	for (size_t f = 0; f < b->n; f++) {
		const struct tfr_batch_column *c = &b->columns[f];

		if (find_wanted(b, c->name, c->name_size) != TFR_UNWANTED)
			return tfr_fail(err, TFR_EUSAGE, "feature '%.*s' is wanted twice",
				(int)(c->name_size < 200 ? c->name_size : 200), c->name);
		TFR_NEED_MEMORY(
			!tfr_hash_add(&b->names, hash_name(c->name, c->name_size), (uint32_t)f),
			err, "making a batch parser");
	}
	return TFR_OK;
}

/* ---- Records ---- */

/* Reads the length of a field whose tag is at `tag_at`, and checks that so many bytes follow. */
static inline bool read_length(struct tfr_wire *w, const uint8_t *tag_at, size_t *length)
{
	uint64_t v;

	if (!tfr_wire_varint(w, 5, INT32_MAX, &v))
		return false;
	if (v > (size_t)(w->end - w->p))
		return tfr_wire_fail(w, tag_at, "field runs past the end of what holds it");
	*length = v;
	return true;
}

/* Notes the value of an entry for a wanted feature. */
static inline bool note_value(struct tfr_batch_parser *b, struct tfr_wire *w, uint32_t feature,
	const uint8_t *value, size_t size)
{
	struct tfr_found *f = &b->found[feature];

	if (size) {
		if (value[0] != TAG_1 && value[0] != TAG_2 && value[0] != TAG_3) {
			b->fault_feature = feature;
			return tfr_wire_fail(w, value, "begins with something else than a list");
		}
	} else if (f->size && b->columns[feature].layout != TFR_RAGGED) {
		return true;
	}
	f->data = value;
	f->size = size;
	return true;
}

/* Remembers the beginning of an entry whose key comes first, in the usual encoding. */
static void remember_head(struct tfr_hint *h, uint32_t feature, const uint8_t *entry,
	const struct tfr_wire_field *key)
{
	if (key->data != entry + 2 || key->size + 3 > sizeof(h->head))
		return;
	memcpy(h->head, entry, key->size + 2);
	h->head[key->size + 2] = TAG_2;
	h->size = (uint8_t)(key->size + 3);
	h->feature = feature;
}

/* An entry of any form: two fields, each a key or a value.  `w` covers the entry. */
static bool read_any_entry(struct tfr_batch_parser *b, struct tfr_wire *w, struct tfr_hint *hint)
{
	struct tfr_wire_field key = { .data = (const uint8_t *)"" }, value = key;
	const uint8_t *entry = w->p;
	uint32_t feature;

	for (int i = 0; i < 2; i++) {
		const uint8_t *tag_at = w->p;
		struct tfr_wire_field *f;
		uint64_t tag;

		if (w->p == w->end)
			return tfr_wire_fail(w, entry, "entry without a key or a value");
		if (!tfr_wire_varint(w, 5, UINT32_MAX, &tag))
			return false;
		if (tag != TAG_1 && tag != TAG_2)
			return tfr_wire_fail(
				w, tag_at, "entry with a field that is neither key nor value");
		f = tag == TAG_1 ? &key : &value;
		if (!read_length(w, tag_at, &f->size))
			return false;
		f->data = w->p;
		w->p += f->size;
	}
	if (w->p != w->end)
		return tfr_wire_fail(w, w->p, "entry with more than a key and a value");
	feature = find_wanted(b, key.data, key.size);
	if (hint)
		remember_head(hint, feature, entry, &key);
	return feature == TFR_UNWANTED || note_value(b, w, feature, value.data, value.size);
}

/* `n` is at least 3. */
static inline bool same_bytes(const uint8_t *a, const uint8_t *b, size_t n)
{
	uint64_t x, y, differ = 0;
	uint32_t s, t;

	if (n >= 8) {
		for (size_t i = 0; i + 8 < n; i += 8) {
			memcpy(&x, a + i, 8);
			memcpy(&y, b + i, 8);
			differ |= x ^ y;
		}
		memcpy(&x, a + n - 8, 8);
		memcpy(&y, b + n - 8, 8);
		return !(differ | (x ^ y));
	}
	if (n >= 4) {
		memcpy(&s, a, 4);
		memcpy(&t, b, 4);
		differ = s ^ t;
		memcpy(&s, a + n - 4, 4);
		memcpy(&t, b + n - 4, 4);
		return !(differ | (s ^ t));
	}
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static inline bool read_entry(
	struct tfr_batch_parser *b, struct tfr_wire *features, size_t size, size_t place)
{
	struct tfr_wire w = { .p = features->p, .end = features->p + size };
	struct tfr_hint *h = place < TFR_HINTS ? &b->hints[place] : NULL;

	features->p = w.end;
	if (h && h->size && size > h->size && same_bytes(w.p, h->head, h->size)) {
		const uint8_t *tag_at = w.p + h->size - 1;
		size_t value_size;

		w.p += h->size;
		if (!read_length(&w, tag_at, &value_size))
			return tfr_wire_leave(features, &w);
		if (w.p + value_size != w.end)
			return tfr_wire_fail(features, w.p + value_size,
				"entry with more than a key and a value");
		return h->feature == TFR_UNWANTED ||
		       note_value(b, features, h->feature, w.p, value_size);
	}
	return read_any_entry(b, &w, h) || tfr_wire_leave(features, &w);
}

TFR_NO_CANARY
static bool walk_features(struct tfr_batch_parser *b, struct tfr_wire *w, size_t *place)
{
	while (w->p < w->end) {
		const uint8_t *tag_at = w->p;
		size_t size;

		if (*w->p++ != TAG_1)
			return tfr_wire_fail(w, tag_at, "field of Features that is no entry");
		if (!read_length(w, tag_at, &size) || !read_entry(b, w, size, (*place)++))
			return false;
	}
	return true;
}

TFR_NO_CANARY
bool tfr_batch_walk(struct tfr_batch_parser *b, struct tfr_wire *w)
{
	size_t place = 0; /* entries so far, of all Features of the record */

	memset(b->found, 0, b->n * sizeof(*b->found));
	b->fault_feature = TFR_UNWANTED;
	while (w->p < w->end) {
		const uint8_t *tag_at = w->p;
		struct tfr_wire_field f;

		if (*w->p == TAG_1) {
			struct tfr_wire features;
			size_t size;

			w->p++;
			if (!read_length(w, tag_at, &size))
				return false;
			features = (struct tfr_wire){ .p = w->p, .end = w->p + size };
			w->p += size;
			if (!walk_features(b, &features, &place))
				return tfr_wire_leave(w, &features);
			continue;
		}
		if (!tfr_wire_next(w, &f))
			return false;
		if (f.type == TFR_WIRE_GROUP)
			return tfr_wire_fail(w, tag_at, "group");
	}
	return true;
}
