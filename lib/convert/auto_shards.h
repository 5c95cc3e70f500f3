/* convert/auto_shards.h - computes how many shards a set gets. */
#ifndef TFR_CONVERT_AUTO_SHARDS_H
#define TFR_CONVERT_AUTO_SHARDS_H

#include "convert/input.h"
#include "shard/set_writer.h"

/* Zero-initialised except for `in`. */
struct tfr_sizes {
	struct tfr_input *in;
	bool known;
	size_t target;	       /* of items with a place, only those of this set count */
	uint64_t bytes, items; /* of all items that count */
};

/* Returns the name with which set `target` is opened, which the caller frees, and when a shard
 * of it is full.  Both limits are 0 if item k goes to shard k modulo the number of shards. */
enum tfr_status tfr_sizes_of_set(struct tfr_sizes *s, size_t target, char **name,
	struct tfr_set_fill *fill, struct tfr_error *err);

/* The approximate size of an item as a record, with its framing. */
uint64_t tfr_sizes_of_record(struct tfr_input *in, const struct tfr_item *item);

#endif
