/* pipeline/flow/sample_cache.h - the samples of the first epoch, for all later ones.
 *
 * Samples keep their order.  Each later epoch returns new ones that point into the cache. */
#ifndef TFR_PIPELINE_SAMPLE_CACHE_H
#define TFR_PIPELINE_SAMPLE_CACHE_H

#include "pipeline/source/feed_sample.h"

struct tfr_sample_cache;

/* NULL: out of memory. */
struct tfr_sample_cache *tfr_sample_cache_new(void);
void tfr_sample_cache_free(struct tfr_sample_cache *c); /* accepts NULL */
/* Adds a copy of a sample.  TFR_ENOMEM: it would exceed the limit, or there is no memory. */
enum tfr_status tfr_sample_cache_add(
	struct tfr_sample_cache *c, const struct tfr_feed_sample *s, struct tfr_error *err);
uint64_t tfr_sample_cache_count(const struct tfr_sample_cache *c);
/* Samples number `first` up to first + n, of `epoch`. */
enum tfr_status tfr_sample_cache_get(struct tfr_sample_cache *c, struct tfr_sample_pool *store,
	uint64_t first, unsigned n, uint64_t epoch, struct tfr_feed_sample **out,
	struct tfr_error *err);
/* Sets the bytes that it may take: once the plan is settled. */
void tfr_sample_cache_limit(struct tfr_sample_cache *c, uint64_t limit);
/* What an entry takes beside its bytes. */
uint64_t tfr_sample_cache_entry_bytes(void);

#endif
