/* rewrite/shuffle/scatter.h - deals records into buckets: those of the inputs, and those of a
 * bucket that is too large. */
#ifndef TFR_REWRITE_SHUFFLE_SCATTER_H
#define TFR_REWRITE_SHUFFLE_SCATTER_H

#include "rewrite/shuffle/shuffle.h"

/* All chunk lists that buckets refer to; their number grows when buckets are divided. */
struct tfr_dealt {
	struct tfr_chunk_lists **lists;
	uint32_t count;
	struct tfr_arena arena;
};
void tfr_dealt_clear(struct tfr_dealt *d);

/* Reads the inputs.  Fills `buckets`, which refers to `dealt`. */
enum tfr_status tfr_scatter(const struct tfr_shuffle_opts *opts, const struct tfr_memory_plan *plan,
	struct tfr_spill *spill, struct tfr_dealt *dealt, struct tfr_buckets *buckets,
	struct tfr_rewrite_report *report, struct tfr_error *err);

/* Writes all data in memory to the spill, and frees the arena. */
enum tfr_status tfr_scatter_flush(struct tfr_dealt *dealt, struct tfr_error *err);

/* Divides the buckets that are too large to be sorted in plan->gather bytes, once; *divided is
 * their number.  All buckets must be in the spill. */
enum tfr_status tfr_scatter_again(const struct tfr_shuffle_opts *opts,
	const struct tfr_memory_plan *plan, struct tfr_spill *spill, struct tfr_dealt *dealt,
	struct tfr_buckets *buckets, uint32_t *divided, struct tfr_error *err);

#endif
