/* base/hash_index.c - a hash table that doubles when half of its slots are taken.
 *
 * Each slot stores the folded hash, so that growing needs no access to the elements, and a
 * search compares few elements that differ. */
#include "base/hash_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 64 };

static void insert(struct tfr_hash_slot *slots, size_t size, struct tfr_hash_slot new)
{
	size_t at = new.hash &(size - 1);

	while (slots[at].number)
		at = (at + 1) & (size - 1);
	slots[at] = new;
}

static enum tfr_status grow(struct tfr_hash_index *x)
{
	size_t size = x->size ? 2 * x->size : FIRST;
	struct tfr_hash_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return TFR_ENOMEM;
	for (size_t i = 0; i < x->size; i++)
		if (x->slots[i].number)
			insert(slots, size, x->slots[i]);
	free(x->slots);
	x->slots = slots;
	x->size = size;
	return TFR_OK;
}

enum tfr_status tfr_hash_add(struct tfr_hash_index *x, uint64_t hash, uint32_t position)
{
	assert(position < UINT32_MAX);
	assert(2 * x->n <= x->size && !(x->size & (x->size - 1)));
	if (2 * (x->n + 1) > x->size && grow(x))
		return TFR_ENOMEM;
	insert(x->slots, x->size,
		(struct tfr_hash_slot){ tfr_hash_probe(hash).hash, position + 1 });
	x->n++;
	return TFR_OK;
}

void tfr_hash_empty(struct tfr_hash_index *x)
{
	if (x->n)
		memset(x->slots, 0, x->size * sizeof(*x->slots));
	x->n = 0;
}

void tfr_hash_clear(struct tfr_hash_index *x)
{
	free(x->slots);
	*x = (struct tfr_hash_index){ 0 };
}
