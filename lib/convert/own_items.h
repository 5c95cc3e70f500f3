/* convert/own_items.h - the items of the shards that this process owns.
 *
 * The shard of an item follows from its place in the order of all items, whether or not those
 * before it become records.  So each part finds its own, and the bytes are those of one process. */
#ifndef TFR_CONVERT_OWN_ITEMS_H
#define TFR_CONVERT_OWN_ITEMS_H

#include "convert/output_sets.h"

struct tfr_own_items {
	uint32_t *numbers; /* in the order of all items */
	uint64_t *ranks;   /* their places in their sets */
	size_t n, cap_numbers, cap_ranks;
	uint64_t left; /* of all items, those that belong to no set */
};

/* `order` has the numbers of all items, shuffled; NULL: in order. */
enum tfr_status tfr_own_items_find(struct tfr_own_items *own, struct tfr_input *in,
	const uint32_t *order, struct tfr_sets *sets, struct tfr_error *err);
void tfr_own_items_clear(struct tfr_own_items *own);

#endif
