/* example/batch_names.c - finds the wanted feature for a key of a record.
 *
 * The table is built once from the wanted names and then only read.  The longest run of taken
 * slots is fixed when the parser is created, so a record full of colliding keys costs no more
 * than any other. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "example/batch.h"

/* Multiplies and folds eight bytes at a time, so that every bit of a name affects the upper
 * half. */
static uint32_t hash_name(const void *key, size_t size)
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
	return (uint32_t)(h >> 32);
}

uint32_t tfr_batch_lookup(const struct tfr_batch_parser *b, const void *key, size_t size)
{
	uint32_t hash = hash_name(key, size);

	for (size_t i = hash & b->name_mask;; i = (i + 1) & b->name_mask) {
		const struct tfr_name_slot *s = &b->names[i];
		const struct tfr_batch_column *c;

		if (s->feature == TFR_UNWANTED)
			return TFR_UNWANTED;
		c = &b->columns[s->feature];
		if (s->hash == hash && c->name_size == size &&
			(!size || !memcmp(c->name, key, size)))
			return s->feature;
	}
}

enum tfr_status tfr_batch_index_names(struct tfr_batch_parser *b, struct tfr_error *err)
{
	size_t slots = 8;

	while (slots < 2 * b->n)
		slots *= 2;
	b->name_mask = slots - 1;
	b->names = malloc(slots * sizeof(*b->names));
	if (!b->names)
		return tfr_fail_nomem(err, "making a batch parser");
	for (size_t i = 0; i < slots; i++)
		b->names[i].feature = TFR_UNWANTED;
	for (size_t f = 0; f < b->n; f++) {
		const struct tfr_batch_column *c = &b->columns[f];
		uint32_t hash = hash_name(c->name, c->name_size);
		size_t i = hash & b->name_mask;

		if (tfr_batch_lookup(b, c->name, c->name_size) != TFR_UNWANTED)
			return tfr_fail(err, TFR_EUSAGE, "feature '%.*s' is wanted twice",
				(int)(c->name_size < 200 ? c->name_size : 200), c->name);
		while (b->names[i].feature != TFR_UNWANTED)
			i = (i + 1) & b->name_mask;
		b->names[i] = (struct tfr_name_slot){ hash, (uint32_t)f };
	}
	return TFR_OK;
}
