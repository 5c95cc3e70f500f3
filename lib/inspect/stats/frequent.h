/* inspect/stats/frequent.h - the most frequent values of a feature.
 *
 * Up to 1024 distinct values, each is counted exactly.  Beyond that, a count-min sketch (Cormode
 * and Muthukrishnan 2005) of 5 rows of 4096 counters estimates the counts.  An estimate is never
 * too low.  It is too high by more than 1/2048 of all values in 3 of 100 cases (1/2 to the power of
 * 5).  A random sample decides which values to look up in the sketch.  Each occurrence has a
 * priority, a hash of the value, of the record's checksum and of its position in the file.  The
 * 1024 occurrences with the lowest priorities are kept.  A value that makes up 1 % of all is missed
 * once in 30,000 times.
 *
 * The result depends neither on the order of the values nor on how they were divided.  Counts are
 * sums, the sketch is linear, and the lowest priorities of several samples include the lowest of
 * all. */
#ifndef TFR_INSPECT_STATS_FREQUENT_H
#define TFR_INSPECT_STATS_FREQUENT_H

#include <pthread.h>

#include "inspect/stats/state.h"

enum { TFR_TOPS_EXACT = 1024, TFR_TOPS_DRAWN = 1024, TFR_TOPS_TEXT = 256 };

/* A value, identified by its hash; the hash of a number is a bijection.  `text` has at most
 * TFR_TOPS_TEXT bytes, and is NULL for a number. */
struct tfr_value {
	uint64_t hash;
	uint64_t number; /* an int64, or the bits of a float */
	const uint8_t *text;
	uint32_t size;
};

struct tfr_tops;

struct tfr_tops *tfr_tops_new(void); /* NULL: out of memory */
void tfr_tops_free(struct tfr_tops *t);
/* Call after the last value, before the functions below. */
void tfr_tops_settle(struct tfr_tops *t);
bool tfr_tops_merge(struct tfr_tops *into, const struct tfr_tops *from);
void tfr_tops_state(struct tfr_tops *t, struct tfr_state *s);
/* The number of distinct values; UINT64_MAX: more than are counted. */
uint64_t tfr_tops_distinct(const struct tfr_tops *t);

/* The count of the value with this hash: exact as long as all values are counted, otherwise never
 * too low. */
uint64_t tfr_tops_count(const struct tfr_tops *t, uint64_t hash);

/* One of the most frequent. */
struct tfr_top {
	struct tfr_value value;
	uint64_t count;
};
/* The up to `n` most frequent values that occurred at least `least` times.  The most frequent come
 * first, equal ones in the order of number or text.  Views.  Returns how many; SIZE_MAX: out of
 * memory. */
size_t tfr_tops_list(
	const struct tfr_tops *t, bool floats, uint64_t least, struct tfr_top *top, size_t n);

/* --- a small table per worker --- */

struct tfr_tally;

struct tfr_tally *tfr_tally_new(struct tfr_tops *tops); /* free() releases it, without a flush */
/* Adds its contents to the tops. */
bool tfr_tally_flush(struct tfr_tally *t);
/* `draw`: pseudo-random, and always the same for this occurrence */
bool tfr_tally_add(struct tfr_tally *t, const struct tfr_value *v, uint64_t draw);

#endif
