/* pipeline/cache.h - what the first epoch brought, for all later ones.
 *
 * In memory, or in a file that has no name: nobody else can take half of it for the whole, and it
 * is gone with the process.  Samples are kept in the order they came; each later epoch hands out
 * new ones that look into the cache, or into memory of their own where it is a file. */
#ifndef TFR_PIPELINE_CACHE_H
#define TFR_PIPELINE_CACHE_H

#include "pipeline/sample.h"

struct cache;

/* `file` NULL: in memory, at most `limit` bytes.  Else in its folder; where it names none, in
 * `tmpdir` (NULL: the current one). */
enum tfr_status cache_new(struct cache **c, const char *file, const char *tmpdir, uint64_t limit,
	struct tfr_error *err);
void cache_free(struct cache *c); /* accepts NULL */
/* Notes a sample, which stays the caller's.  TFR_ENOMEM; TFR_ESYS: the file cannot be written. */
enum tfr_status cache_add(struct cache *c, const struct sample *s, struct tfr_error *err);
/* All are in.  What has been written is read from here on. */
enum tfr_status cache_seal(struct cache *c, struct tfr_error *err);
uint64_t cache_count(const struct cache *c);
/* Samples number `first` up to first + n, of `epoch`. */
enum tfr_status cache_get(struct cache *c, struct sample_store *store, uint64_t first, unsigned n,
	uint64_t epoch, struct sample **out, struct tfr_error *err);
/* Changes the limit: once the plan is settled. */
void cache_limit(struct cache *c, uint64_t limit);
/* What an entry takes beside its bytes. */
uint64_t cache_entry_bytes(void);

#endif
