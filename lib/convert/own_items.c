/* convert/own_items.c - places all items once, without reading them, and keeps those of a part. */
#include "convert/own_items.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

struct choosing {
	struct tfr_own_items *own;
	struct tfr_sets *sets;
};

static enum tfr_status choose_item(void *ctx, struct tfr_item *item, struct tfr_error *err)
{
	struct choosing *c = ctx;
	struct tfr_own_items *own = c->own;
	uint32_t lane;

	if (!tfr_sets_place(c->sets, item, &lane)) {
		own->left++;
		return TFR_OK;
	}
	if (!tfr_sets_own(c->sets, item))
		return TFR_OK;
	if (TFR_ARRAY_RESERVE(own->numbers, own->cap_numbers, own->n + 1) ||
		TFR_ARRAY_RESERVE(own->ranks, own->cap_ranks, own->n + 1))
		return tfr_fail_nomem(err, "dividing the items");
	own->numbers[own->n] = (uint32_t)item->number;
	own->ranks[own->n++] = item->rank;
	return TFR_OK;
}

enum tfr_status tfr_own_items_find(struct tfr_own_items *own, struct tfr_input *in,
	const uint32_t *order, struct tfr_sets *sets, struct tfr_error *err)
{
	struct choosing c = { own, sets };

	return tfr_input_walk(in, order, choose_item, &c, err);
}

void tfr_own_items_clear(struct tfr_own_items *own)
{
	free(own->numbers);
	free(own->ranks);
}
