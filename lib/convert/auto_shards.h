/* convert/auto_shards.h - how many shards a set gets. */
#ifndef TFR_CONVERT_AUTO_SHARDS_H
#define TFR_CONVERT_AUTO_SHARDS_H

#include "convert/input.h"
#include "shard/set_writer.h"

/* Zero-initialised but for `in`. */
struct tfr_sizes {
	struct tfr_input *in;
	bool known;
	size_t target;	       /* of items that are placed, those of this set count */
	uint64_t bytes, items; /* of all items that count */
};

/* The name that set `target` is to be opened with, which the caller frees, and when a shard of it
 * is full: both 0 where item k goes to shard k modulo their number. */
enum tfr_status tfr_sizes_of_set(struct tfr_sizes *s, size_t target, char **name,
	struct tfr_set_fill *fill, struct tfr_error *err);

/* About what an item will be as a record, framed. */
uint64_t tfr_sizes_of_record(struct tfr_input *in, const struct tfr_item *item);

/* Calls `each` with every item of the input, in order, its name and what is known of it beforehand
 * filled in; nothing is made into records. */
enum tfr_status tfr_input_walk(struct tfr_input *in,
	enum tfr_status (*each)(void *ctx, struct tfr_item *item, struct tfr_error *err), void *ctx,
	struct tfr_error *err);

#endif
