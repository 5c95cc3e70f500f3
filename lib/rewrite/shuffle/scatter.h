/* rewrite/shuffle/scatter.h - records dealt into buckets: those of the inputs, and those of a
 * bucket that is too large. */
#ifndef TFR_REWRITE_SHUFFLE_SCATTER_H
#define TFR_REWRITE_SHUFFLE_SCATTER_H

#include "rewrite/shuffle/shuffle.h"

/* All strands that buckets refer to; they grow in number when buckets are divided. */
struct tfr_dealt {
	struct tfr_strands **strands;
	uint32_t count;
	struct tfr_arena arena;
};
void tfr_dealt_clear(struct tfr_dealt *d);

/* Where records are put that are to come out shuffled. */
struct tfr_sink {
	uint64_t seed;
	uint32_t buckets;
	struct tfr_strands **workers;
	struct {
		_Alignas(64) uint64_t sum; /* a line each */
	} * sums;
};
/* Different workers, below the plan's threads, may put at once.  The record comes where the key of
 * (seed; file, ordinal) puts it: no two may have the same place. */
enum tfr_status tfr_sink_put(struct tfr_sink *sink, unsigned worker, uint32_t file,
	uint64_t ordinal, const struct tfr_record *rec, struct tfr_error *err);

/* Lets `deal` put its records; `buckets` is filled and refers to `dealt`, *sum is the content sum
 * of what was put. */
enum tfr_status tfr_scatter(const struct tfr_shuffle_opts *opts, const struct tfr_dealing *dealing,
	const struct tfr_memory_plan *plan, struct tfr_spill *spill, struct tfr_dealt *dealt,
	struct tfr_buckets *buckets, struct tfr_rewrite_report *report, struct tfr_error *err);

/* Writes what is still in memory to the spill, and gives the arena back. */
enum tfr_status tfr_scatter_flush(struct tfr_dealt *dealt, struct tfr_error *err);

/* Divides the buckets that are too large to be sorted in plan->gather bytes, once; *divided says
 * how many there were.  All must be in the spill. */
enum tfr_status tfr_scatter_again(const struct tfr_shuffle_opts *opts,
	const struct tfr_memory_plan *plan, struct tfr_spill *spill, bool release,
	struct tfr_dealt *dealt, struct tfr_buckets *buckets, uint32_t *divided,
	struct tfr_error *err);

#endif
