/* pipeline/flow/sample_cache.h - the samples of the first epoch, for all later ones.
 *
 * They are in memory, or in a file without a name: no process can take a part of it for the
 * complete file, and it is gone with the process.  Samples keep their order.  Each later epoch
 * returns new ones that point into the cache, or have memory of their own if it is a file. */
#ifndef TFR_PIPELINE_SAMPLE_CACHE_H
#define TFR_PIPELINE_SAMPLE_CACHE_H

#include "pipeline/source/feed_sample.h"

struct tfr_sample_cache;

/* `file` NULL: in memory, at most `limit` bytes.  Else in the folder of `file`. */
enum tfr_status tfr_sample_cache_new(
	struct tfr_sample_cache **c, const char *file, uint64_t limit, struct tfr_error *err);
void tfr_sample_cache_free(struct tfr_sample_cache *c); /* accepts NULL */
/* Adds a copy of a sample. TFR_ENOMEM; TFR_ESYS: the file cannot be written. */
enum tfr_status tfr_sample_cache_add(
	struct tfr_sample_cache *c, const struct tfr_feed_sample *s, struct tfr_error *err);
/* All are in.  What has been written is read from here on. */
enum tfr_status tfr_sample_cache_seal(struct tfr_sample_cache *c, struct tfr_error *err);
uint64_t tfr_sample_cache_count(const struct tfr_sample_cache *c);
/* Samples number `first` up to first + n, of `epoch`. */
enum tfr_status tfr_sample_cache_get(struct tfr_sample_cache *c, struct tfr_sample_pool *store,
	uint64_t first, unsigned n, uint64_t epoch, struct tfr_feed_sample **out,
	struct tfr_error *err);
/* Changes the limit: once the plan is settled. */
void tfr_sample_cache_limit(struct tfr_sample_cache *c, uint64_t limit);
/* What an entry takes beside its bytes. */
uint64_t tfr_sample_cache_entry_bytes(void);

#endif
