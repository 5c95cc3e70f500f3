/* base/hash_index.h - finds elements of a caller's array by a hash.
 *
 * The index stores positions and 32 bits of each hash.  The caller has the elements and compares
 * them:
 *
 *	struct tfr_hash_probe p = tfr_hash_probe(hash);
 *	uint32_t i;
 *
 *	while (tfr_hash_next(&index, &p, &i))
 *		if (is_same(&list[i], key))
 *			return i;
 *	if (tfr_hash_add(&index, hash, n))
 *		return tfr_fail_nomem(err, "...");
 *
 * Open addressing with linear probing; at most half of the slots are taken.  If the hash has no
 * secret key, an attacker who chooses the keys can make them collide; a search is then linear. */
#ifndef TFR_BASE_HASH_INDEX_H
#define TFR_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tfr/error.h>

struct tfr_hash_slot {
	uint32_t hash;
	uint32_t number; /* a position + 1; 0: empty */
};

/* Zero-initialised is empty. */
struct tfr_hash_index {
	struct tfr_hash_slot *slots;
	size_t n, size; /* the size is 0 or a power of two, at least 2 * n */
};

/* A search in progress. */
struct tfr_hash_probe {
	uint32_t hash;
	size_t at;
};

static inline struct tfr_hash_probe tfr_hash_probe(uint64_t hash)
{
	uint32_t folded = (uint32_t)(hash ^ hash >> 32);

	return (struct tfr_hash_probe){ folded, folded };
}

/* The position of the next element whose hash probably matches.  False: there are no more. */
static inline bool tfr_hash_next(
	const struct tfr_hash_index *x, struct tfr_hash_probe *p, uint32_t *position)
{
	while (x->size) {
		const struct tfr_hash_slot *slot = &x->slots[p->at & (x->size - 1)];

		if (!slot->number)
			break;
		p->at++;
		if (slot->hash == p->hash) {
			*position = slot->number - 1;
			return true;
		}
	}
	return false;
}

/* Adds an element; its position is below 2^32 - 1.  TFR_ENOMEM: nothing has changed. */
enum tfr_status tfr_hash_add(struct tfr_hash_index *x, uint64_t hash, uint32_t position);
/* Removes all elements and keeps the memory. */
void tfr_hash_empty(struct tfr_hash_index *x);
void tfr_hash_clear(struct tfr_hash_index *x);

#endif
