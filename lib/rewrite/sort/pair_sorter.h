/* rewrite/sort/pair_sorter.h - any number of pairs of class and hash, in bounded memory, seen again
 * in order.
 */
#ifndef TFR_REWRITE_SORT_PAIR_SORTER_H
#define TFR_REWRITE_SORT_PAIR_SORTER_H

#include "base/error.h"

/* Twelve bytes, so that a billion of them are 12 GB and not 16. */
struct tfr_pair {
	uint32_t class, high, low; /* the halves of the hash */
};

struct tfr_spool;

/* At least so much memory is taken, whatever the caller allows. */
enum { TFR_SPOOL_MIN = 64 << 10 };

/* Pairs beyond `memory` bytes go to files without names, spread over `count` folders, which stay
 * the caller's.  NULL: out of memory. */
struct tfr_spool *tfr_spool_new(uint64_t memory, const char *const *folders, size_t count);
void tfr_spool_free(struct tfr_spool *s);
/* One thread at a time.  TFR_ESYS: the files cannot be written. */
enum tfr_status tfr_spool_add(
	struct tfr_spool *s, const struct tfr_pair *pairs, size_t n, struct tfr_error *err);
/* Shows every pair once, with how often it was added: by class, within it by hash.  Once, after the
 * last was added. */
enum tfr_status tfr_spool_walk(struct tfr_spool *s,
	void (*visit)(void *ctx, uint32_t class, uint64_t hash, uint64_t times), void *ctx,
	struct tfr_error *err);
/* Bytes that went to the files. */
uint64_t tfr_spool_spilled(const struct tfr_spool *s);

#endif
