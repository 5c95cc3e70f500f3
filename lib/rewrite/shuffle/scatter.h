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

/* Receives the records to be shuffled. */
struct tfr_sink {
	uint64_t seed;
	uint32_t buckets;
	struct tfr_chunk_lists **workers;
	struct {
		_Alignas(64) uint64_t sum; /* one cache line each */
	} * sums;
};
/* Several threads may put records at once with different workers, whose numbers are below the
 * plan's threads.  The key of (seed; file, ordinal) decides the position of the record: no two
 * records may have the same file and ordinal. */
enum tfr_status tfr_sink_put(struct tfr_sink *sink, unsigned worker, uint32_t file,
	uint64_t ordinal, const struct tfr_record *rec, struct tfr_error *err);

/* Calls `deal` to put its records.  Fills `buckets`, which refers to `dealt`; *sum is the
 * content sum of the records put. */
enum tfr_status tfr_scatter(const struct tfr_shuffle_opts *opts, const struct tfr_dealing *dealing,
	const struct tfr_memory_plan *plan, struct tfr_spill *spill, struct tfr_dealt *dealt,
	struct tfr_buckets *buckets, struct tfr_rewrite_report *report, struct tfr_error *err);

/* Writes all data in memory to the spill, and frees the arena. */
enum tfr_status tfr_scatter_flush(struct tfr_dealt *dealt, struct tfr_error *err);

/* Divides the buckets that are too large to be sorted in plan->gather bytes, once; *divided is
 * their number.  All buckets must be in the spill. */
enum tfr_status tfr_scatter_again(const struct tfr_shuffle_opts *opts,
	const struct tfr_memory_plan *plan, struct tfr_spill *spill, bool release,
	struct tfr_dealt *dealt, struct tfr_buckets *buckets, uint32_t *divided,
	struct tfr_error *err);

#endif
