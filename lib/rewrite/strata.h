/* rewrite/strata.h - exact counts of each class for each set.
 *
 * First any number of threads note every record.  Then the bounds are computed.  After that any
 * number of threads may ask for the set of a record.
 *
 * The rule is that of shard/fractions.h. */
#ifndef TFR_REWRITE_STRATA_H
#define TFR_REWRITE_STRATA_H

#include <tfr-private/shard.h>

#include "rewrite/class_table.h"
#include "rewrite/sort/spill.h"

struct tfr_strata;

/* `memory` and `folders` as in rewrite/sort/sorter.h; the caller owns shares and folders.  NULL:
 * out of memory. */
struct tfr_strata *tfr_strata_new(const struct tfr_share *shares, size_t count, unsigned workers,
	uint64_t memory, const struct tfr_spill_folders *folders);
void tfr_strata_free(struct tfr_strata *s);

/* Notes a record.  `worker` is the number of the calling thread.  TFR_EUSAGE: too many classes,
 * or too long names.  TFR_ESYS, TFR_ENOMEM.  A failure is unrelated to the record passed in the
 * call, and every worker gets it. */
enum tfr_status tfr_strata_note(struct tfr_strata *s, unsigned worker,
	const struct tfr_counted_class *class, uint64_t hash, struct tfr_error *err);
/* Computes the bounds after the last record was noted. */
enum tfr_status tfr_strata_draw(struct tfr_strata *s, struct tfr_error *err);

/* The classes noted and their records.  From here on a class is identified by its number in this
 * table. */
const struct tfr_classes *tfr_strata_classes(const struct tfr_strata *s);
/* The share of a record, or `count` for none. */
size_t tfr_strata_choose(const struct tfr_strata *s, uint32_t class, uint64_t hash);
/* The number of records that the fractions assign to `share`, of a class with `records`;
 * `count`: to none. */
uint64_t tfr_strata_wanted(const struct tfr_strata *s, uint64_t records, size_t share);
/* The sum, modulo 2^64, of all hashes noted. */
uint64_t tfr_strata_sum(const struct tfr_strata *s);
/* Bytes written to disk because they did not fit in memory. */
uint64_t tfr_strata_spilled(const struct tfr_strata *s);

#endif
