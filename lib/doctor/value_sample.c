/* doctor/value_sample.c - what is kept of many values in bounded room: classes and how often each
 * came, and hashes of contents, of which a part that the contents themselves choose. */
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"

/* --- classes --- */

static uint32_t *slot_of(const struct tfr_dclasses *c, uint64_t hash)
{
	size_t mask = 2 * c->cap - 1, at = hash & mask;

	while (c->slots[at] && c->list[c->slots[at] - 1].hash != hash)
		at = (at + 1) & mask;
	return &c->slots[at];
}

static bool grow_classes(struct tfr_dclasses *c)
{
	size_t cap = c->cap ? 2 * c->cap : 64;
	struct tfr_dclass *list = realloc(c->list, cap * sizeof(*list));
	uint32_t *slots = calloc(2 * cap, sizeof(*slots));

	if (list)
		c->list = list;
	if (!list || !slots) {
		free(slots);
		return false;
	}
	free(c->slots);
	c->slots = slots;
	c->cap = cap;
	for (size_t i = 0; i < c->n; i++)
		*slot_of(c, list[i].hash) = (uint32_t)i + 1;
	return true;
}

bool tfr_dclasses_add(struct tfr_dclasses *c, const struct tfr_dclass *add)
{
	uint32_t *slot;

	if (c->n == c->cap && !grow_classes(c))
		return false;
	slot = slot_of(c, add->hash);
	if (*slot) {
		c->list[*slot - 1].records += add->records;
		c->list[*slot - 1].places += add->places;
		c->list[*slot - 1].weight += add->weight;
	} else if (c->n == TFR_DCLASSES_MAX) {
		c->over = true;
	} else {
		c->list[c->n] = *add;
		*slot = (uint32_t)++c->n;
	}
	return true;
}

void tfr_dclasses_clear(struct tfr_dclasses *c)
{
	free(c->list);
	free(c->slots);
	*c = (struct tfr_dclasses){ 0 };
}

/* --- hashes of contents --- */

static bool kept(uint64_t hash, unsigned bits)
{
	return !bits || !(hash >> (64 - bits));
}

static void thin_out(struct tfr_dhashes *h, unsigned bits)
{
	size_t n = 0;

	h->bits = bits;
	for (size_t i = 0; i < h->n; i++)
		if (kept(h->list[i], bits))
			h->list[n++] = h->list[i];
	h->n = n;
}

bool tfr_dhashes_add(struct tfr_dhashes *h, uint64_t hash)
{
	while (kept(hash, h->bits) && h->n == TFR_DHASHES_MAX && h->bits < 63)
		thin_out(h, h->bits + 1);
	if (!kept(hash, h->bits) || h->n == TFR_DHASHES_MAX) /* that many are equal */
		return true;
	if (h->n == h->cap) {
		size_t cap = h->cap ? 2 * h->cap : 256;
		uint64_t *list = realloc(h->list, cap * sizeof(*list));

		if (!list)
			return false;
		h->list = list;
		h->cap = cap;
	}
	h->list[h->n++] = hash;
	h->sorted = false;
	return true;
}

bool tfr_dhashes_merge(struct tfr_dhashes *into, const struct tfr_dhashes *from)
{
	bool ok = true;

	if (from->bits > into->bits)
		thin_out(into, from->bits);
	for (size_t i = 0; ok && i < from->n; i++)
		ok = tfr_dhashes_add(into, from->list[i]);
	return ok;
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void tfr_dhashes_settle(struct tfr_dhashes *h, unsigned bits)
{
	if (bits > h->bits)
		thin_out(h, bits);
	if (h->n && !h->sorted)
		qsort(h->list, h->n, sizeof(*h->list), compare_hashes);
	h->sorted = true;
}

void tfr_dhashes_clear(struct tfr_dhashes *h)
{
	free(h->list);
	*h = (struct tfr_dhashes){ 0 };
}
