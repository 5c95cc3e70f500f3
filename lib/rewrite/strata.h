/* rewrite/strata.h - exact counts of each class for each set.
 *
 * First every record is noted, by any number of threads; then the bounds are drawn; then any number
 * of threads may ask where a record goes.
 *
 * The law is that of shard/cuts.h. */
#ifndef TFR_REWRITE_STRATA_H
#define TFR_REWRITE_STRATA_H

#include <tfr-private/shard.h>

#include "rewrite/resample/class_table.h"

struct tfr_strata;

/* `memory` and `folders` as in rewrite/sort/sorter.h; shares and folders stay the caller's.  NULL:
 * out of memory. */
struct tfr_strata *tfr_strata_new(const struct tfr_share *shares, size_t count, unsigned workers,
	uint64_t memory, const char *const *folders, size_t folder_count);
void tfr_strata_free(struct tfr_strata *s);

/* Notes a record.  `worker` is the caller's own number.  TFR_EUSAGE: too many classes, or too long
 * names.  TFR_ESYS, TFR_ENOMEM.  A failure has nothing to do with the record that it comes with,
 * and every worker gets to hear of it. */
enum tfr_status tfr_strata_note(struct tfr_strata *s, unsigned worker,
	const struct tfr_counted_class *class, uint64_t hash, struct tfr_error *err);
/* After the last was noted. */
enum tfr_status tfr_strata_draw(struct tfr_strata *s, struct tfr_error *err);

/* The classes that were noted and their records.  From here on a class is its number in here. */
const struct tfr_classes *tfr_strata_classes(const struct tfr_strata *s);
/* Where a record goes: a share, or `count`, which is none. */
size_t tfr_strata_choose(const struct tfr_strata *s, uint32_t class, uint64_t hash);
/* How many records of a class with so many the fractions want in `share`; `count`: in none. */
uint64_t tfr_strata_wanted(const struct tfr_strata *s, uint64_t records, size_t share);
/* Moves the classes to the caller, who clears them.  There is no choosing after that. */
void tfr_strata_take_classes(struct tfr_strata *s, struct tfr_classes *to);
/* The sum, modulo 2^64, of all hashes that were noted. */
uint64_t tfr_strata_sum(const struct tfr_strata *s);
/* Bytes that did not fit in the memory. */
uint64_t tfr_strata_spilled(const struct tfr_strata *s);

#endif
