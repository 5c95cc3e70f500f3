/* doctor/value_sample.c - keeps bounded samples of many values: classes with their counts, and
 * hashes of contents.  Which hashes are kept depends on the contents alone. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/compare.h"
#include "doctor/doctor.h"

/* --- classes --- */

bool tfr_dclasses_add(struct tfr_dclasses *c, const struct tfr_dclass *add)
{
	struct tfr_hash_probe p = tfr_hash_probe(add->hash);
	uint32_t i;

	while (tfr_hash_next(&c->index, &p, &i)) {
		assert(i < c->n);
		if (c->list[i].hash != add->hash)
			continue;
		c->list[i].records += add->records;
		c->list[i].places += add->places;
		c->list[i].weight += add->weight;
		return true;
	}
	if (c->n == TFR_DCLASSES_MAX) {
		c->over = true;
		return true;
	}
	if (TFR_ARRAY_RESERVE(c->list, c->cap, c->n + 1) ||
		tfr_hash_add(&c->index, add->hash, (uint32_t)c->n))
		return false;
	c->list[c->n++] = *add;
	return true;
}

void tfr_dclasses_clear(struct tfr_dclasses *c)
{
	free(c->list);
	tfr_hash_clear(&c->index);
	*c = (struct tfr_dclasses){ 0 };
}

/* --- hashes of contents --- */

static bool is_kept(uint64_t hash, unsigned bits)
{
	assert(bits < 64);
	return !bits || !(hash >> (64 - bits));
}

static void thin_out(struct tfr_dhashes *h, unsigned bits)
{
	size_t n = 0;

	h->bits = bits;
	for (size_t i = 0; i < h->n; i++)
		if (is_kept(h->list[i], bits))
			h->list[n++] = h->list[i];
	h->n = n;
}

bool tfr_dhashes_add(struct tfr_dhashes *h, uint64_t hash)
{
	while (is_kept(hash, h->bits) && h->n == TFR_DHASHES_MAX && h->bits < 63)
		thin_out(h, h->bits + 1);
	if (!is_kept(hash, h->bits) || h->n == TFR_DHASHES_MAX) /* that many hashes are equal */
		return true;
	if (TFR_ARRAY_RESERVE(h->list, h->cap, h->n + 1))
		return false;
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

void tfr_dhashes_settle(struct tfr_dhashes *h, unsigned bits)
{
	if (bits > h->bits)
		thin_out(h, bits);
	if (!h->sorted)
		tfr_sort_u64(h->list, h->n);
	h->sorted = true;
}

void tfr_dhashes_clear(struct tfr_dhashes *h)
{
	free(h->list);
	*h = (struct tfr_dhashes){ 0 };
}
