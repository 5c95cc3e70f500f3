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

uint32_t tfr_batch_lookup(const struct tfr_batch_parser *b, const void *key, size_t size)
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

		if (tfr_batch_lookup(b, c->name, c->name_size) != TFR_UNWANTED)
			return tfr_fail(err, TFR_EUSAGE, "feature '%.*s' is wanted twice",
				(int)(c->name_size < 200 ? c->name_size : 200), c->name);
		if (tfr_hash_add(&b->names, hash_name(c->name, c->name_size), (uint32_t)f))
			return tfr_fail_nomem(err, "making a batch parser");
	}
	return TFR_OK;
}
